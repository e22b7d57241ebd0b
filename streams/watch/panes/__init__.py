"""Minutes of scores and their ledgers: filled, kept, found, made longer. Knows no rule."""
