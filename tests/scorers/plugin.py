"""A distribution on the path as an installer leaves it, with a scorer in it or what is none."""

from pathlib import Path

POLITE = """
from dataclasses import dataclass

from schemas.score import Scored
from scorers.asking.whole_answers import choose
from scorers.parameters import ParameterError
from scorers.questions import AnswerCriterion


@dataclass(frozen=True)
class Polite:
    words: tuple = ("please",)
    name = "polite"
    version = "3"

    def __post_init__(self):
        if not self.words:
            raise ParameterError("words", "must be one word at least")

    @property
    def settings(self):
        return {"words": list(self.words)}

    async def score(self, trace, judge):
        about = AnswerCriterion("Polite?", ("yes", "no"), trace.answer or "")
        said = (await judge.ask(choose(about, row=trace.trace_id))).value
        fine = float(said.option == "yes")
        return Scored(score=fine, normalized=fine, label=said.option)

    def bad(self, verdict):
        return verdict.normalized < 1
"""


def install(
    folder: Path, source: str = POLITE, *, name: str = "polite", offers: str = "polite:Polite"
) -> Path:
    """Write the distribution `acme-NAME` with a module NAME, and return the folder."""
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    about = folder / f"acme_{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: acme-{name}\nVersion: 1.0\n")
    key = offers if "=" in offers else f"polite = {offers}"
    (about / "entry_points.txt").write_text(f"[streamgauge.scorers]\n{key}\n")
    return folder
