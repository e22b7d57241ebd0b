"""One reading of a gauge: how parts show their state without knowing who exports it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from streams.telemetry.metrics import Metric

NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})


class Sample(NamedTuple):
    """What a gauge shows now, for one set of attributes."""

    metric: Metric
    value: float
    attributes: Mapping[str, str] = NO_ATTRIBUTES
