"""Texts, messages and passages out of attribute values. Knows no dialect."""
