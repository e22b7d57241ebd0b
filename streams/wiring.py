"""From settings to parts: the one place where everything is put together."""

from datetime import datetime
from pathlib import Path

from scorers.citation_accuracy import CitationAccuracy
from scorers.contract import Judge, Scorer
from scorers.faithfulness import Faithfulness
from scorers.judges.rules import RulesJudge
from streams.address import Topics
from streams.events import Scorecard
from streams.folder.follower import Follower, follow
from streams.folder.sink import FolderSink
from streams.folder.source import FolderSource, Reading
from streams.intake.decode import Intake
from streams.intake.layout import RowLayout
from streams.panel import Seat
from streams.pipeline import Scoring
from streams.ports import Clock, Sink, Source
from streams.sampling import BodySampler, KeySampler, Sampler, Stratum
from streams.settings import Settings
from streams.tallying import Tallying

FOLDER = "folder:"


def folder(settings: Settings) -> Path:
    """Return the folder of a `folder:PATH` broker."""
    return Path(settings.broker.removeprefix(FOLDER)).expanduser()


def topics(settings: Settings) -> Topics:
    """Return the topics' names."""
    return Topics(**settings.topics.model_dump())


def intake(settings: Settings) -> Intake:
    """Return the reader of rows."""
    section = settings.intake
    assistant = tuple(section.assistant.split("/", 1)) if section.assistant else None
    return Intake(RowLayout(section.fields, assistant), section.max_bytes)


def panel(settings: Settings) -> dict[str, Seat]:
    """Return the scorers that are on, each with its judge."""
    judge = _judge(settings)
    deadline = settings.judge.row_deadline
    return {scorer.name: Seat(scorer, judge, deadline) for scorer in _scorers(settings)}


def _judge(settings: Settings) -> Judge:
    return RulesJudge()


def _scorers(settings: Settings) -> list[Scorer]:
    on, found = settings.scorers, list[Scorer]()
    shared = {"probability", "n_judge_retries"}
    if on.faithfulness is not None:
        parameters = on.faithfulness.model_dump(exclude=shared)
        found.append(Faithfulness(**parameters, abstentions=settings.abstentions))
    if on.citation_accuracy is not None:
        parameters = on.citation_accuracy.model_dump(exclude=shared)
        found.append(CitationAccuracy(**parameters, abstentions=settings.abstentions))
    return found


def sampler(settings: Settings) -> Sampler:
    """Return how rows are drawn."""
    section, scorers = settings.sampling, settings.scorers.probabilities
    if section.by == "key":
        assistant = settings.intake.assistant or ""
        return KeySampler(section.salt, section.probability, assistant, scorers)
    strata = [
        Stratum(one.name, {name: frozenset(v) for name, v in one.when.items()}, one.probability)
        for one in section.strata
    ]
    reader = intake(settings).head
    return BodySampler(section.salt, section.probability, strata, scorers, reader)


def scoring(
    settings: Settings, source: Source, sink: Sink, *, clock: Clock, worker: str
) -> Scoring:
    """Return the score half between a source and a sink."""
    drawing = sampler(settings)
    return Scoring(
        source=source,
        sampler=drawing,
        decode=intake(settings).decode,
        tallying=Tallying(drawing.chances, clock),
        panel=panel(settings),
        scorecard=Scorecard(drawing.by, settings.scores.text),
        sink=sink,
        clock=clock,
        worker=worker,
    )


def folder_source(settings: Settings, *, clock: Clock, end_at_end: bool = False) -> FolderSource:
    """Return the traces topic of the folder log, for this group."""
    reading = Reading(
        root=folder(settings),
        topic=settings.topics.traces,
        group=settings.kafka.group,
        start=settings.kafka.start,
        scores=settings.topics.scores,
        end_at_end=end_at_end,
    )
    return FolderSource(reading, clock)


def folder_sink(settings: Settings, *, clock: Clock, version: str) -> FolderSink:
    """Return the topics of the folder log that we write."""
    return FolderSink(folder(settings), topics(settings), clock, settings.kafka.group, version)


def folder_follower(settings: Settings, *, end_at_end: bool = False) -> Follower:
    """Return what the watch half reads on the folder log."""
    watched = (settings.topics.scores, settings.topics.marks)
    return follow(folder(settings), watched, end_at_end=end_at_end)
