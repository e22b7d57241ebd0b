"""Structured logs on stderr: readable on a terminal, JSON lines elsewhere. Never judged text."""

import logging
import sys

import structlog

from streams.console.client_log import quieten


def configure_logs(*, verbose: bool) -> None:
    """Set up logging for the whole process; without `verbose` only warnings are shown."""
    terminal = sys.stderr.isatty()
    last: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if terminal else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.INFO if verbose else logging.WARNING
        ),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    quieten("aiokafka", "kafka_client")
    quieten("opentelemetry", "telemetry_client")
