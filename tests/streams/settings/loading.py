"""What tests of settings say: how a file is written, and what is refused of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from streams.settings.load import load
from streams.settings.problems import SettingsError

Write = Callable[[str], Path]


def problems(path: Path | None) -> dict[str, str]:
    """Load what must be refused, and return what is said of each path."""
    with pytest.raises(SettingsError) as refused:
        load(path)
    return dict(refused.value.problems)
