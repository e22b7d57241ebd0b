"""Putting questions to judges and reading what they reply."""
