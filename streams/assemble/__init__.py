"""Spans to rows: a stage of its own, before the two halves."""
