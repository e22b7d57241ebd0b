"""What is wrong with the scorers that people bring: their criteria, and other distributions'."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from scorers.criterion_settings import CriterionSettings
from scorers.parameters import ParameterError
from scorers.plugged import PlugError, distribution, offered, plugged
from scorers.settings import PluggedSettings, ScorersSettings
from streams.scoring.roster import criterion
from streams.settings.problems import Problem, closest

_BUILT_IN = tuple(ScorersSettings.model_fields)

_NEEDS_A_MODEL = (
    "the rules judge cannot answer it: set judge.kind to decisions, chat or cascade, or drop it"
)


def criteria_problems(
    criteria: Sequence[CriterionSettings], stages: Collection[str]
) -> Iterator[Problem]:
    """Yield criteria that cannot be asked, or share a name. `stages` are the judges there are."""
    taken = Counter(one.name for one in criteria)
    named = {*_BUILT_IN, *offered()} if criteria else set[str]()
    for place, one in enumerate(criteria):
        path = f"criteria.{place}"
        try:
            criterion(one)
        except ParameterError as refused:
            yield Problem(f"{path}.{refused.name}", refused.wrong)
        if one.name in named:
            yield Problem(f"{path}.name", "a scorer has this name: choose another")
        elif taken[one.name] > 1:
            yield Problem(f"{path}.name", "another criterion has this name: choose another")
        if set(stages) == {"rules"}:
            yield Problem(path, _NEEDS_A_MODEL)


def plugged_problems(on: ScorersSettings) -> Iterator[Problem]:
    """Yield names that nobody offers or that two do, and what those who offer them say."""
    there = offered()
    for name in on.on:
        if name in _BUILT_IN and name in there:
            whose = ", ".join(sorted(map(distribution, there[name])))
            yield Problem(f"scorers.{name}", f"{whose} offers a scorer of this name: remove it")
    for name, section in on.plugged.items():
        if name not in there:
            known = closest(name, [*_BUILT_IN, *there])
            yield Problem(f"scorers.{name}", f"there is no such scorer{known}")
        elif section is not None:
            yield from _wrong(name, section)


def _wrong(name: str, section: PluggedSettings) -> Iterator[Problem]:
    path = f"scorers.{name}"
    try:
        plugged(name, section.parameters)
    except ParameterError as refused:
        yield Problem(f"{path}.{refused.name}", refused.wrong)
    except PlugError as error:
        yield Problem(path, str(error))
