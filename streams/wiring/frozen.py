"""The settings that a replay keeps from its start to its end: what is drawn, and how it is judged.

What can change neither stays with whoever runs it: addresses, time-outs, retries, limits, prices,
budgets. Secrets are in no settings at all.
"""

from collections.abc import Mapping

from pydantic import JsonValue, ValidationError

from streams.replay.planning import ReplayRefusedError
from streams.settings.load import Settings
from streams.settings.overrides import merged
from streams.settings.problems import problems_of

_SECTIONS = frozenset(
    {"intake", "sampling", "scorers", "criteria", "abstentions", "assistants", "judge", "scores"}
)

_OF_THE_CALLS = frozenset(
    {
        "url",
        "path",
        "n_judge_retries",
        "n_sut_retries",
        "concurrency_limit",
        "timeout",
        "in_flight",
        "requests_per_minute",
        "tokens_per_minute",
        "per_minute",
        "price",
        "budget",
        "row_deadline",
        "allow_private_addresses",
    }
)
"""Keys that change when and where something is asked, and never what comes of it."""


def frozen(settings: Settings) -> dict[str, JsonValue]:
    """Return what is kept, as JSON."""
    kept: dict[str, JsonValue] = settings.model_dump(mode="json", include=set(_SECTIONS))
    kept["judge"] = _without_calls(kept["judge"])
    kept["scorers"] = _without_calls(kept["scorers"])
    return kept


def as_frozen(settings: Settings, kept: Mapping[str, JsonValue]) -> Settings:
    """Return settings in which what is kept stands as it was.

    A scorer that is on today and was off stays off; one that was on is on. Raises
    ReplayRefusedError where what was kept does not go with this version, or today's settings.
    """
    today = settings.model_dump(mode="json")
    found = {name: kept[name] for name in _SECTIONS & kept.keys()}
    for name in ("judge", "scorers"):
        found[name] = _as_it_was(today[name], kept.get(name))
    try:
        return Settings.model_validate({**today, **found})
    except ValidationError as error:
        problems = "; ".join(map(str, problems_of(error, Settings)))
        raise ReplayRefusedError(
            "what the run began with does not go with this version, or with today's settings "
            f"({problems}): mend these, go on with that version, or begin another run"
        ) from None


def drawing_more(settings: Settings, probability: float | None) -> Settings:
    """Return settings by which every row is drawn with that chance at least.

    Raises ReplayRefusedError where it would leave out rows that the settings draw.
    """
    if probability is None:
        return settings
    sampling = settings.sampling
    if probability < sampling.probability:
        raise ReplayRefusedError(
            f"--probability {probability:g} is below the settings' {sampling.probability:g}: a "
            "replay may draw more rows than live scoring, never fewer"
        )
    strata = tuple(
        one.model_copy(update={"probability": max(one.probability, probability)})
        for one in sampling.strata
    )
    more = sampling.model_copy(update={"probability": probability, "strata": strata})
    return settings.model_copy(update={"sampling": more})


def modest(settings: Settings, share: float) -> Settings:
    """Return settings in which each judge has that part of its slots, and one at least."""
    judge = settings.judge
    parts = {
        name: section.model_copy(update={"in_flight": max(1, int(section.in_flight * share))})
        for name, section in (("chat", judge.chat), ("decisions", judge.decisions))
    }
    return settings.model_copy(update={"judge": judge.model_copy(update=parts)})


def _as_it_was(today: object, kept: JsonValue) -> JsonValue:
    """Return a section as it was, with today's keys of the calls."""
    if not isinstance(today, Mapping) or not isinstance(kept, Mapping):
        return kept
    calls = {name: value for name, value in today.items() if name in _OF_THE_CALLS}
    inner = {name: _as_it_was(today.get(name), value) for name, value in kept.items()}
    return merged(calls, inner)


def _without_calls(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        return value
    return {n: _without_calls(v) for n, v in value.items() if n not in _OF_THE_CALLS}
