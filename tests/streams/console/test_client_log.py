"""A client that is loud is heard once a minute."""

import logging

from structlog.testing import capture_logs

from streams.console.client_log import OnceAMinute


def warning(said: str) -> logging.LogRecord:
    return logging.LogRecord("aiokafka.conn", logging.WARNING, "", 0, said, (), None)


def test_of_many_warnings_one_a_minute_is_told_and_the_others_are_counted() -> None:
    seconds = [float(n) for n in range(130)]
    handler = OnceAMinute("kafka_client", iter(seconds).__next__)

    with capture_logs() as told:
        for n in range(130):
            handler.handle(warning(f"no connection ({n})"))

    assert [(line["event"], line["said"], line["untold"]) for line in told] == [
        ("kafka_client", "no connection (0)", 0),
        ("kafka_client", "no connection (60)", 59),
        ("kafka_client", "no connection (120)", 59),
    ]
