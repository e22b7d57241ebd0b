"""Writing scores to other systems too, apart from the scoring: late or twice, it goes on."""
