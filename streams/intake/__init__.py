"""From the bytes of a record to a trace, or to the reason why not. Knows no broker."""
