"""Replaying a topic: what a run covers, whose it is, what it may cost, and what came of it."""
