"""Scorers of other distributions: found by name, made from settings, and held to the contract."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from schemas.score import Failed, Scored
from scorers.contract import JudgeUnavailableError
from scorers.parameters import ParameterError
from scorers.plugged import PlugError, offered, plugged
from tests.fakes import ScriptedJudge, a_trace, unavailable
from tests.scorers.plugin import POLITE, install

YES = {"answer": "yes"}
Install = Callable[..., None]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install distributions for one test."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def put(source: str = POLITE, *, name: str = "polite", offers: str = "polite:Polite") -> None:
        install(tmp_path, source, name=name, offers=offers)

    yield put
    for name in set(sys.modules) - before:
        del sys.modules[name]


def with_score(body: str) -> str:
    """Return the plugin with another body of its `score`."""
    head, _, rest = POLITE.partition("        about = AnswerCriterion")
    return f"{head}        {body}\n\n    def bad" + rest.partition("    def bad")[2]


async def test_a_scorer_is_found_by_its_name_and_made_with_its_settings(
    installed: Install,
) -> None:
    installed()

    scorer = plugged("polite", {"words": ["please", "thanks"]})

    assert (scorer.name, scorer.version) == ("polite", "3")
    assert scorer.settings == {"words": ["please", "thanks"]}
    outcome = await scorer.score(a_trace(), ScriptedJudge([YES]))
    assert isinstance(outcome, Scored)
    assert not scorer.bad(outcome)


def test_nothing_of_it_is_imported_before_it_is_turned_on(installed: Install) -> None:
    installed("raise RuntimeError")

    assert "polite" in offered()


WRONG: dict[str, tuple[str, str, str]] = {
    "it breaks at import": ("import no_such_thing", "polite:Polite", "cannot be loaded: Module"),
    "it leaves at import": ("raise SystemExit(0)", "polite:Polite", "cannot be loaded: SystemExit"),
    "it is not there": ("", "polite:Polite", "cannot be loaded: AttributeError"),
    "it is no callable": ("Polite = 3", "polite:Polite", "cannot be called"),
    "it makes no scorer": ("def Polite(): return 3", "polite:Polite", "no sound scorer"),
    "it breaks when made": (
        "def Polite(): raise KeyError('which')",
        "polite:Polite",
        "refuses these settings: KeyError",
    ),
    "it leaves when made": (
        "def Polite(): raise SystemExit",
        "polite:Polite",
        "refuses these settings: SystemExit",
    ),
    "it cannot be looked into": ("Polite = dict.fromkeys", "polite:Polite", "these settings: Type"),
    "it has another name": (
        POLITE.replace('name = "polite"', 'name = "rude"'),
        "polite:Polite",
        "no scorer called polite",
    ),
    "its version is no label": (
        POLITE.replace('"3"', '"3|4"'),
        "polite:Polite",
        "version must be",
    ),
    "its settings are no JSON": (
        POLITE.replace("list(self.words)", "object()"),
        "polite:Polite",
        "no sound scorer: TypeError",
    ),
}


@pytest.mark.parametrize(("source", "offers", "says"), WRONG.values(), ids=WRONG)
def test_what_is_no_scorer_is_refused_with_its_distribution(
    source: str, offers: str, says: str, installed: Install
) -> None:
    installed(source, offers=offers)

    with pytest.raises(PlugError) as refused:
        plugged("polite", {})

    assert str(refused.value).startswith("acme-polite ")
    assert says in str(refused.value)


def test_a_setting_that_it_does_not_know_is_refused_by_its_name(installed: Install) -> None:
    installed()

    with pytest.raises(ParameterError) as refused:
        plugged("polite", {"wrods": []})

    assert (refused.value.name, "use words" in refused.value.wrong) == ("wrods", True)


def test_what_it_says_of_a_setting_is_passed_on(installed: Install) -> None:
    installed()

    with pytest.raises(ParameterError, match="words must be one word at least"):
        plugged("polite", {"words": []})


def test_two_distributions_of_one_name_are_refused(installed: Install) -> None:
    installed()
    installed(name="other")

    with pytest.raises(PlugError, match="acme-other, acme-polite"):
        plugged("polite", {})


BREAKS = {
    "a bug": ("raise ValueError(trace.answer)", "ValueError"),
    "a time-out of its own": ("raise TimeoutError", "TimeoutError"),
    "no outcome": ("return None", "AttributeError"),
    "NaN": ("return Scored(score=float('nan'), normalized=0, label='x')", "ValidationError"),
    "NaN that was not looked at": (
        "return Scored.model_construct(score=float('nan'), normalized=0, label='x')",
        "ValidationError",
    ),
    "off the scale": ("return Scored(score=2, normalized=2, label='x')", "ValidationError"),
    "no answer to bad": ("return Scored(score=1, normalized=1, label='x')", "ZeroDivisionError"),
}


@pytest.mark.parametrize(("body", "cause"), BREAKS.values(), ids=BREAKS)
async def test_what_breaks_it_is_the_rows_error_and_quotes_nothing(
    body: str, cause: str, installed: Install
) -> None:
    source = with_score(body)
    installed(source.replace("verdict.normalized < 1", "1 / 0") if "ZeroD" in cause else source)

    outcome = await plugged("polite", {}).score(a_trace("Ada's secret"), ScriptedJudge([]))

    assert isinstance(outcome, Failed)
    assert (outcome.error.kind, outcome.error.cause) == ("scorer_failed", cause)
    assert "secret" not in outcome.model_dump_json()


async def test_a_judge_that_cannot_be_had_is_no_fault_of_the_scorer(installed: Install) -> None:
    installed()

    with pytest.raises(JudgeUnavailableError):
        await plugged("polite", {}).score(a_trace(), ScriptedJudge([unavailable()]))
