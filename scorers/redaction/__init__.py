"""Hiding personal data behind placeholders. Knows no scorer's rules, no topic and no settings."""
