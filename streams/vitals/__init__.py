"""How a running process is: what it measures of itself, and whether it lives and is ready."""
