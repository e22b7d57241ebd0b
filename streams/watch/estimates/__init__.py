"""Rates, means and their changes, each with its limits. Knows sums only, no panes and no time."""
