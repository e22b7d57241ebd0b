"""What each instrumentation writes on its spans: one module for each, and the list of them."""
