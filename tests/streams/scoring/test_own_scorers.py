"""What people bring to be judged by, and the paths under which it is refused."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scorers.criterion_settings import CriterionSettings
from scorers.settings import ScorersSettings
from streams.scoring.own_scorers import criteria_problems, plugged_problems
from streams.scoring.roster import roster
from streams.settings.load import load
from streams.settings.problems import Problem, SettingsError
from tests.scorers.plugin import install


@pytest.fixture
def polite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install `acme-polite`, and return the folder that it is in."""
    monkeypatch.syspath_prepend(str(install(tmp_path)))
    yield tmp_path
    sys.modules.pop("polite", None)


def a_criterion(name: str = "tone", **changes: object) -> CriterionSettings:
    sound: dict[str, object] = {"question": "Polite?", "answers": {"yes": "good", "no": "bad"}}
    return CriterionSettings.model_validate({**sound, **changes, "name": name})


def on(**sections: object) -> ScorersSettings:
    return ScorersSettings.model_validate(sections)


@pytest.mark.parametrize("stages", [("chat",), ("decisions",), ("rules", "decisions", "chat")])
def test_a_criterion_is_asked_of_any_judge_with_a_model(stages: tuple[str, ...]) -> None:
    assert not list(criteria_problems([a_criterion()], stages))


def test_the_rules_judge_serves_no_criterion() -> None:
    [problem] = criteria_problems([a_criterion()], ("rules",))

    assert problem.path == "criteria.0"
    assert "set judge.kind to decisions, chat or cascade" in problem.message


def test_a_criterion_needs_a_name_that_no_scorer_has(polite: Path) -> None:
    names = ["factual_accuracy", "polite", "tone", "mood", "tone"]

    problems = list(criteria_problems([a_criterion(name) for name in names], ("chat",)))

    assert [problem.path for problem in problems] == [
        f"criteria.{place}.name" for place in (0, 1, 2, 4)
    ]


def test_what_no_judge_could_tell_apart_is_refused_with_its_path() -> None:
    twice = a_criterion("mood", answers={"no": "good", "No": "bad"})

    [problem] = criteria_problems([a_criterion(), twice], ("chat",))

    assert problem.path == "criteria.1.answers"


def test_criteria_sit_beside_the_scorers_that_are_on(polite: Path) -> None:
    scorers = roster(on(citation_accuracy=None, polite={}), (), criteria=[a_criterion()])

    assert [scorer.name for scorer in scorers] == ["faithfulness", "polite", "tone"]


@pytest.mark.parametrize(
    ("name", "says"),
    [("politeness", "did you mean polite?"), ("faithfullness", "did you mean faithfulness?")],
)
def test_a_scorer_that_nobody_offers_is_refused(polite: Path, name: str, says: str) -> None:
    sections: tuple[object, ...] = ({}, None)
    for section in sections:
        [problem] = plugged_problems(on(**{name: section}))

        assert problem.path == f"scorers.{name}"
        assert says in problem.message


def test_a_scorer_that_is_installed_and_off_is_not_even_imported(polite: Path) -> None:
    (polite / "polite.py").write_text("raise RuntimeError")

    assert not list(plugged_problems(on(polite=None)))
    assert not list(plugged_problems(on()))


def test_a_scorer_that_breaks_at_import_is_named_with_its_distribution(polite: Path) -> None:
    (polite / "polite.py").write_text("import no_such_thing")

    assert list(plugged_problems(on(polite={}))) == [
        Problem(
            "scorers.polite",
            "acme-polite cannot be loaded: ModuleNotFoundError: No module named 'no_such_thing': "
            "mend or remove it",
        )
    ]


@pytest.mark.parametrize("wrong", [{"wrods": ["a"]}, {"words": []}])
def test_a_wrong_setting_of_such_a_scorer_has_its_path(
    polite: Path, wrong: dict[str, object]
) -> None:
    [problem] = plugged_problems(on(polite=wrong))

    assert problem.path == f"scorers.polite.{next(iter(wrong))}"


def test_nobody_may_offer_a_scorer_under_one_of_our_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, offers="faithfulness = polite:Polite")
    monkeypatch.syspath_prepend(str(tmp_path))

    [problem] = plugged_problems(on())

    assert (problem.path, "acme-polite" in problem.message) == ("scorers.faithfulness", True)
    assert not list(plugged_problems(on(faithfulness=None)))


def test_settings_take_both_with_their_probabilities(polite: Path, tmp_path: Path) -> None:
    path = tmp_path / "streamgauge.yaml"
    path.write_text(
        """
judge: {kind: chat, chat: {url: https://host/v1, model: m}}
scorers: {polite: {probability: 0.5, n_judge_retries: 0, words: [please]}, citation_accuracy: null}
criteria: [{name: tone, question: "Polite?", answers: {"yes": good, "no": bad}, probability: 0.01}]
alerts: [{name: rude, kind: threshold, scorer: tone, above: 0.1}]
"""
    )

    settings = load(path)

    assert settings.probabilities == {"faithfulness": None, "polite": 0.5, "tone": 0.01}
    assert (settings.scorers.retries_of("polite"), settings.scorers.retries_of("tone")) == (0, None)


def test_a_misspelt_scorer_is_said_beside_all_else_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "streamgauge.yaml"
    path.write_text("scorers: {faithfullness: {}}\nsampling: {probability: 2}\n")

    with pytest.raises(SettingsError) as refused:
        load(path)

    assert [problem.path for problem in refused.value.problems] == [
        "sampling.probability",
        "scorers.faithfullness",
    ]
