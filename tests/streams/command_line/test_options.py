"""What may be written behind an option."""

import pytest
import typer

from schemas.wire import from_milliseconds
from streams.command_line.options import instant

NINE_FIFTEEN = from_milliseconds(1_769_850_900_000)


@pytest.mark.parametrize(
    "text", ["2026-01-31T09:15:00Z", "2026-01-31 09:15+00:00", "2026-01-31T14:45:00.0009+05:30"]
)
def test_a_time_is_written_with_its_zone(text: str) -> None:
    assert instant(text) == NINE_FIFTEEN


@pytest.mark.parametrize(
    "text", ["2026", "1769850900", "2026-01-31", "2026-01-31T09:15", "may", ""]
)
def test_what_may_mean_two_times_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="with its zone"):
        instant(text)
