"""How an answer is judged. Knows neither where traces come from nor where scores go."""
