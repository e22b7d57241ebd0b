"""From what the rules say to alerts. Knows nobody who is told."""
