"""Dead letters: what was set aside, why, and the way back once the cause is mended."""
