"""From settings to parts: one module for each thing that a process is put together for."""
