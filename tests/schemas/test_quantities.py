"""Durations, sizes and counts: how they are written, and that they read back."""

from datetime import timedelta

import pytest
from pydantic import BaseModel, ValidationError

from schemas.quantities import Count, Duration, Size


class Quantities(BaseModel):
    """One of each."""

    duration: Duration = timedelta(0)
    size: Size = 0
    count: Count = 0


READ: list[tuple[str, object, object]] = [
    ("duration", "250ms", timedelta(milliseconds=250)),
    ("duration", "90s", timedelta(seconds=90)),
    ("duration", "1.5h", timedelta(minutes=90)),
    ("duration", "3d", timedelta(days=3)),
    ("size", "512KiB", 512 * 1024),
    ("size", "1.5MiB", 3 * 512 * 1024),
    ("size", 17, 17),
    ("count", "32k", 32_000),
    ("count", "200000", 200_000),
]


@pytest.mark.parametrize(("name", "written", "value"), READ)
def test_a_quantity_is_read(name: str, written: object, value: object) -> None:
    assert getattr(Quantities.model_validate({name: written}), name) == value


REFUSED: list[tuple[str, object]] = [
    ("duration", 90),
    ("duration", "90"),
    ("duration", "5 minutes"),
    ("duration", "-5m"),
    ("size", "1MB"),
    ("size", "0.3B"),
    ("size", True),
    ("count", "32K"),
    ("count", -1),
    ("count", 1.5),
]


@pytest.mark.parametrize(("name", "written"), REFUSED)
def test_a_quantity_without_a_known_unit_is_refused(name: str, written: object) -> None:
    with pytest.raises(ValidationError):
        Quantities.model_validate({name: written})


WRITTEN: list[tuple[str, str | int]] = [
    ("duration", "0s"),
    ("duration", "250ms"),
    ("duration", "0.5ms"),
    ("duration", "90s"),
    ("duration", "5m"),
    ("duration", "36h"),
    ("duration", "3d"),
    ("size", 0),
    ("size", 1_000),
    ("size", "512KiB"),
    ("size", "256MiB"),
    ("count", 7),
    ("count", 1_500),
    ("count", "32k"),
    ("count", "2M"),
]


@pytest.mark.parametrize(("name", "written"), WRITTEN)
def test_a_quantity_is_written_as_people_write_it(name: str, written: str | int) -> None:
    read = Quantities.model_validate({name: written})

    assert read.model_dump(mode="json")[name] == written
