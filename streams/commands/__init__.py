"""What each command does, once its settings are read: parts from `wiring`, then the flow."""
