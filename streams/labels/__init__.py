"""People's labels: picking answers worth a look, and how far judges agree with people."""
