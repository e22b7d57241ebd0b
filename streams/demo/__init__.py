"""Two invented assistants and an afternoon of their answers; knows no scorer and no judge."""
