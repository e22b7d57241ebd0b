"""Judges: who answers the questions that scorers ask. Knows no topic and no assistant."""
