"""A comparison as people read it, on a terminal or as a page, and as programs do."""
