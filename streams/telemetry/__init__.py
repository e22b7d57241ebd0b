"""Figures, scores and our work as OpenTelemetry's signals: nothing else imports its SDK."""
