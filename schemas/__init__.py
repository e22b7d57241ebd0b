"""What travels on the topics: one module a message. Knows no scorer, no broker, no clock."""
