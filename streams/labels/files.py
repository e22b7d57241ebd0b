"""What the label commands read and write: stored scores, labels files, the calibration."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import chain
from pathlib import Path

from pydantic import ValidationError

from schemas.calibration import Calibrated, Calibration, LabelsRef
from schemas.label import LabelRow
from schemas.rejection import Rejection
from schemas.score import ScoreEvent
from schemas.trace import RagTrace
from streams.glance import Glance
from streams.labels.picking import Pick
from streams.labels.reading import Labelled, LabelsError, read_labels
from streams.labels.rows import label_row, line
from streams.ports import Record

Decode = Callable[[Record], RagTrace | Rejection]
Cover = Callable[[RagTrace], RagTrace]


class CalibrationError(Exception):
    """A calibration file cannot be used. The message says why, and the way out."""


async def stored_scores(glance: Glance, topic: str, *, most: int) -> list[ScoreEvent]:
    """Return the scores among about the latest `most` records of a topic, the first ones first."""
    stretches: list[list[ScoreEvent]] = []
    read = 0
    async for records in glance.backwards(topic):
        stretches.append([event for record in records if (event := _score(record))])
        read += len(records)
        if read >= most:
            break
    return list(chain.from_iterable(reversed(stretches)))


def _score(record: Record) -> ScoreEvent | None:
    try:
        return ScoreEvent.model_validate_json(record.value or b"")
    except ValidationError:
        return None


@dataclass(frozen=True, slots=True)
class Texts:
    """Finds the rows of picks again by their origins. `cover` hides what nobody may read."""

    glance: Glance
    decode: Decode
    cover: Cover
    asks: Mapping[str, str]

    async def rows(self, picks: Iterable[Pick], *, blind: bool) -> AsyncIterator[LabelRow]:
        """Yield the lines of the picks whose rows are still there.

        The others would have had the same chance: what is left speaks of the rows that are left.
        """
        for pick in picks:
            at = pick.event.origin
            record = await self.glance.at(at.topic, at.partition, at.offset)
            trace = None if record is None else self.decode(record)
            if isinstance(trace, RagTrace) and trace.trace_id == pick.event.trace.trace_id:
                yield label_row(pick, self.cover(trace), self.asks, blind=blind)


def write_rows(file: Path, rows: Sequence[LabelRow]) -> Counter[str]:
    """Write a labels file, and return how many answers it has of each scorer.

    Raises FileExistsError: somebody's work may be in it.
    """
    with file.open("x", encoding="utf-8") as out:
        out.writelines(map(line, rows))
    return Counter(row.scorer for row in rows)


def read_file(file: Path) -> tuple[list[Labelled], LabelsRef]:
    """Return the labels of a file, and which file that is. Raises LabelsError and OSError."""
    raw = file.read_bytes()
    try:
        labels = read_labels(raw.split(b"\n"))
    except LabelsError as error:
        raise LabelsError(f"{file.name} {fault}" for fault in error.faults) from None
    return labels, LabelsRef(hash=blake2b(raw, digest_size=16).hexdigest(), rows=len(labels))


def write_calibration(
    file: Path, judges: Iterable[Calibrated], labels: LabelsRef, *, at: datetime
) -> None:
    """Write what the watch half reads, in place of what was there."""
    made = Calibration(made_at=at, labels=labels, judges=tuple(judges))
    draft = file.with_name(f".{file.name}.draft")
    draft.write_text(made.model_dump_json(indent=1, by_alias=True) + "\n", encoding="utf-8")
    draft.replace(file)


def read_calibration(file: Path) -> Calibration:
    """Return what `write_calibration` wrote. Raises CalibrationError."""
    try:
        made = Calibration.model_validate_json(file.read_bytes())
    except OSError as error:
        raise CalibrationError(f"cannot be read: {error.strerror}: {file}") from error
    except ValidationError as error:
        place = ".".join(str(step) for step in error.errors()[0]["loc"]) or "the file"
        raise CalibrationError(
            f"{file} was not written by `streamgauge calibrate` ({place}): run it again"
        ) from error
    return made
