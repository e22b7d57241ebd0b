"""The commands as people type them: options, exit codes, and one line for what goes wrong."""
