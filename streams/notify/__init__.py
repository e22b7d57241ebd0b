"""Telling people and machines of alerts, apart from the fold: late, twice or never, it goes on."""
