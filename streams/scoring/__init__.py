"""What the score half does to one row: draw, tally, ask the panel, make the event."""
