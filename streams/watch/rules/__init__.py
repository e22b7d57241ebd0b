"""What may be asked of a window, a module for each kind of rule. Knows no alarm's past."""
