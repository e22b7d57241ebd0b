"""From settings to parts: the one place where everything is put together."""

from pathlib import Path

import structlog
from scorers.judges.rules import RulesJudge

from schemas.alert import Alert
from schemas.pane import Pane
from scorers.citation_accuracy import CitationAccuracy
from scorers.contract import Judge, Scorer
from scorers.faithfulness import Faithfulness
from streams.address import Topics
from streams.books import Books
from streams.events import Scorecard
from streams.folder.follower import Follower, follow
from streams.folder.recovery import Reading
from streams.folder.sink import FolderSink
from streams.folder.source import FolderSource
from streams.intake.decode import Intake
from streams.intake.layout import RowLayout
from streams.lookup import messages
from streams.panel import Seat
from streams.pipeline import Scoring, Watching
from streams.ports import Clock, Record, Sink, Source
from streams.sampling import BodySampler, KeySampler, Sampler, Stratum
from streams.settings import Settings
from streams.tallying import Tallying
from streams.told import ToldOnce
from streams.watch.fold import Options
from streams.watch.partitions import Watches

log = structlog.get_logger()


def folder(settings: Settings) -> Path:
    """Return the folder of the folder log, which is the one broker that is served."""
    if settings.folder is None:
        raise ValueError(f"broker: {settings.broker} is no folder:PATH")
    return settings.folder.expanduser()


def topics(settings: Settings) -> Topics:
    """Return the topics' names."""
    return Topics(**settings.topics.model_dump())


def intake(settings: Settings) -> Intake:
    """Return the reader of rows."""
    section = settings.intake
    layout = RowLayout(section.fields, section.service_and_environment)
    return Intake(layout, section.max_bytes)


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
        sampler=drawing,
        decode=intake(settings).decode,
        panel=panel(settings),
        scorecard=Scorecard(drawing.by, settings.scores.text),
        sink=sink,
        books=Books(Tallying(drawing.chances, clock), source, sink, worker),
        clock=clock,
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


def watching(settings: Settings, source: Follower, sink: Sink) -> Watching:
    """Return the watch half. What earlier lives published is not published again."""
    root, names = folder(settings), topics(settings)
    told = ToldOnce(sink)
    told.remember(messages(root, names.alerts, Alert))
    told.remember(messages(root, names.windows, Pane))
    options = Options(
        rules=settings.alerts,
        segments=settings.watch.segments,
        lateness=settings.watch.lateness,
        max_panes=settings.watch.max_panes,
    )
    watches = Watches(options, names.scores, _unreadable)
    return Watching(watches, told, source.caught_up)


def _unreadable(record: Record, fault: str) -> None:
    at = {"topic": record.topic, "partition": record.partition, "offset": record.offset}
    log.warning("unreadable_message", **at, fault=fault)
