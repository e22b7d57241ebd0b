"""What judged claims, citations and grades add up to: pure."""
