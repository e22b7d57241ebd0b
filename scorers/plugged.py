"""Scorers of other distributions: how they are found, made, and held to the contract.

A distribution offers one under the entry point group `streamgauge.scorers`. What is loaded is
called with the settings of its section as keywords, and returns a `Scorer` of that name.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points

from pydantic import JsonValue, TypeAdapter

from schemas.identity import canonical
from schemas.score import Failed, Outcome, Scored, ScoringError
from schemas.trace import RagTrace
from scorers.contract import Judge, JudgeUnavailableError, Scorer
from scorers.evidence.inputs import invalid
from scorers.parameters import ParameterError, label

GROUP = "streamgauge.scorers"

_OUTCOME: TypeAdapter[Outcome] = TypeAdapter(Outcome)


class PlugError(Exception):
    """A distribution's scorer cannot be had. The message names the distribution and says why."""


def offered() -> dict[str, list[EntryPoint]]:
    """Return what is installed, by the name of the scorer. Nothing of it is imported."""
    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, []).append(entry)
    return found


def distribution(entry: EntryPoint) -> str:
    """Return the name of the distribution that offers it."""
    return entry.dist.name if entry.dist else entry.value


def plugged(name: str, parameters: Mapping[str, JsonValue]) -> Scorer:
    """Make the one scorer of this name. Raises PlugError, or ParameterError for a wrong setting."""
    entries = offered().get(name, [])
    if len(entries) != 1:
        whose = ", ".join(sorted(map(distribution, entries))) or "nobody"
        raise PlugError(f"{whose} offers a scorer of this name: it has to be one distribution")
    [entry] = entries
    made = _made(entry, _loaded(entry), parameters)
    try:
        sound = _sound(name, made)
    except Exception as error:  # a property of theirs may raise anything
        raise PlugError(f"{distribution(entry)} offers no sound scorer: {_said(error)}") from error
    if not sound:
        raise PlugError(f"{distribution(entry)} offers what is no scorer called {name}")
    return PluggedScorer(made)


def _loaded(entry: EntryPoint) -> Callable[..., Scorer]:
    try:
        factory = entry.load()
    except (Exception, SystemExit) as error:  # what others do at import is not ours to foresee
        raise PlugError(
            f"{distribution(entry)} cannot be loaded: {_said(error)}: mend or remove it"
        ) from error
    if not callable(factory):
        raise PlugError(f"{distribution(entry)} offers {entry.value}, which cannot be called")
    made: Callable[..., Scorer] = factory
    return made


def _made(
    entry: EntryPoint, factory: Callable[..., Scorer], parameters: Mapping[str, JsonValue]
) -> Scorer:
    try:
        _refuse_unknown(factory, parameters)
        return factory(**parameters)
    except ParameterError:
        raise
    except (Exception, SystemExit) as error:
        raise PlugError(f"{distribution(entry)} refuses these settings: {_said(error)}") from error


def _refuse_unknown(factory: Callable[..., Scorer], parameters: Iterable[str]) -> None:
    """Refuse what it does not take; who takes any keyword has to say so itself."""
    kinds = {name: one.kind for name, one in inspect.signature(factory).parameters.items()}
    if inspect.Parameter.VAR_KEYWORD in kinds.values():
        return
    both = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    known = sorted(name for name, kind in kinds.items() if kind in both)
    for name in parameters:
        if name not in known:
            use = ", ".join(known) or "none"
            raise ParameterError(name, f"there is no such key: use {use}")


def _said(error: BaseException) -> str:
    """Return an error in one line."""
    first = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _sound(name: str, made: Scorer) -> bool:
    """Say whether this has all that the flow reads of a scorer before its first row."""
    if made.name != name or not callable(made.score) or not callable(made.bad):
        return False
    label("name", made.name)
    label("version", f"v{made.version}")
    canonical(dict(made.settings))
    return True


@dataclass(frozen=True, slots=True)
class PluggedScorer:
    """Another's scorer. What breaks it is that row's error, and neither a number nor our end.

    An error names the type of what went wrong and not its text, which may quote the row.
    """

    inner: Scorer
    name: str = field(init=False)
    version: str = field(init=False)
    settings: Mapping[str, JsonValue] = field(init=False)

    def __post_init__(self) -> None:
        """Read the identity once: it must not change while the process lives."""
        object.__setattr__(self, "name", self.inner.name)
        object.__setattr__(self, "version", self.inner.version)
        object.__setattr__(self, "settings", dict(self.inner.settings))

    async def score(self, trace: RagTrace, judge: Judge) -> Outcome:
        """Score what has an answer, and read the outcome as strictly as from the wire."""
        if refusal := invalid(trace):
            return refusal
        try:
            outcome = await self.inner.score(trace, judge)
            sound = _OUTCOME.validate_python(outcome.model_dump())
            if isinstance(sound, Scored):
                self.inner.bad(sound)  # what it raises here is the row's error as well
        except JudgeUnavailableError:
            raise
        except Exception as error:  # a bug of theirs must not stop the rows of everyone
            return Failed(error=ScoringError(kind="scorer_failed", cause=type(error).__name__))
        return sound

    def bad(self, verdict: Scored) -> bool:
        """Say what the scorer says of it."""
        return bool(self.inner.bad(verdict))
