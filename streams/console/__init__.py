"""What people read: checks, answers about a trace or an alert, printed scores, logs."""
