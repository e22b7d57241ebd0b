"""What a trace recorded that claims can be checked against."""
