"""Every metric that we export, by name: rules, dashboards and docs/metrics.md are held to this."""

from enum import Enum
from typing import Literal, NamedTuple

from streams.telemetry import conventions as names

Kind = Literal["counter", "gauge", "histogram"]


class Definition(NamedTuple):
    """A metric as OpenTelemetry has it. Its attributes are bounded: none is a trace's id or text.

    `buckets` are the upper bounds of a histogram.
    """

    name: str
    unit: str
    kind: Kind
    attributes: tuple[str, ...]
    says: str
    buckets: tuple[float, ...] = ()

    @property
    def exposed(self) -> str:
        """The name that Prometheus knows it by."""
        name = self.name.replace(".", "_") + _SUFFIXES.get(self.unit, "")
        return f"{name}_total" if self.kind == "counter" else name


_SUFFIXES = {"s": "_seconds", "By": "_bytes"}
_TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_CALLS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_TOKENS = tuple(float(4**n) for n in range(14))
_WAITS = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 14400.0)

ASSISTANT, SCORER, WINDOW = "assistant", "scorer", "window"
_ONE = (ASSISTANT, SCORER)
_IN_WINDOW = (ASSISTANT, SCORER, WINDOW)
_PART = (*_IN_WINDOW, "segment", "value")
_OF_CALL = (names.CALL_NAME, names.PROVIDER, names.REQUEST_MODEL, names.RESPONSE_MODEL)


def _counter(name: str, unit: str, attributes: tuple[str, ...], says: str) -> Definition:
    return Definition(f"streamgauge.{name}", unit, "counter", attributes, says)


def _gauge(name: str, unit: str, attributes: tuple[str, ...], says: str) -> Definition:
    return Definition(f"streamgauge.{name}", unit, "gauge", attributes, says)


def _histogram(
    name: str, unit: str, attributes: tuple[str, ...], says: str, buckets: tuple[float, ...]
) -> Definition:
    return Definition(f"streamgauge.{name}", unit, "histogram", attributes, says, buckets)


class Metric(Enum):
    """What is measured. A counter begins at 0 with each process; a window's figures are gauges."""

    # `score`: what became of rows
    SEEN = _counter("rows.seen", "{row}", (ASSISTANT,), "Rows tallied, sampled or not.")
    SAMPLED = _counter("rows.sampled", "{row}", _ONE, "Rows that a scorer drew.")
    SHED = _counter("rows.shed", "{row}", (ASSISTANT,), "Rows not drawn for a budget or a backlog.")
    DEAD = _counter("rows.dead", "{row}", ("reason",), "Rows set aside as dead letters.")
    EVALUATIONS = _counter(
        "evaluations", "{evaluation}", (*_ONE, "outcome"), "Scored events published, by status."
    )
    ERRORS = _counter(
        "evaluation.errors", "{evaluation}", (SCORER, "kind", "cause"), "Events without a verdict."
    )
    SCORE = _histogram("evaluation.score", "1", _ONE, "Normalized scores, 1 the best.", _TENTHS)
    SCORED = _counter("rows.scored", "{row}", _ONE, "Verdicts that enter the rate, unweighted.")
    WEIGHT = _counter("weight", "{row}", _ONE, "Rows that those verdicts stand for: 1/probability.")
    BAD_WEIGHT = _counter("bad_weight", "{row}", _ONE, "Rows that the bad ones of them stand for.")
    FRESHNESS = _histogram("freshness", "s", _ONE, "Time from answer to verdict.", _WAITS)
    PROBABILITY = _gauge(
        "sampling.probability", "1", (*_ONE, "stratum"), "The chance of a row in the last tally."
    )
    KEPT = _gauge("sampling.kept", "1", (), "Least part of a set probability that is in force.")
    BUDGET = _gauge("budget.used", "1", ("budget",), "Part that is used of this process's share.")
    # `score`: the judge
    CALLS = _counter("judge.calls", "{call}", (SCORER, "judge"), "Questions put to the judge.")
    ATTEMPTS = _counter(
        "judge.attempts", "{request}", (SCORER, "judge"), "Requests made for them, retries too."
    )
    TOKENS = _counter("judge.tokens", "{token}", (SCORER, "judge", "type"), "Tokens in and out.")
    COST = _counter("judge.cost", "{USD}", (ASSISTANT, SCORER, "judge"), "US dollars, where known.")
    DURATION = _histogram(
        "judge.duration", "s", (SCORER, "judge"), "Time that the judge took for a row.", _CALLS
    )
    CALL_SECONDS = Definition(
        names.CALL_DURATION, "s", "histogram", (*_OF_CALL, names.ERROR_TYPE),
        "Requests to a judge's model, each by itself.", _CALLS,
    )  # fmt: skip
    CALL_TOKENS = Definition(
        names.CALL_TOKENS, "{token}", "histogram", (*_OF_CALL, names.TOKEN_TYPE),
        "Tokens of such a request, in and out.", _TOKENS,
    )  # fmt: skip
    ESCALATED = _counter(
        "judge.escalated", "{claim}", (SCORER, "to"), "Claims that a cascade put to its next judge."
    )
    REFUSING = _gauge(
        "judge.refusing", "1", (SCORER,), "1 while the scorer's judge refuses everyone, else 0."
    )
    # `score`: the flow
    LAG = _gauge("lag", "{row}", ("partition",), "Rows not finished, by the log's own end.")
    PARTITIONS = _gauge("partitions", "{partition}", (), "Source partitions of this process.")
    HALTED = _gauge("partitions.halted", "{partition}", (), "Those that stand, and need someone.")
    IN_FLIGHT = _gauge("rows.in_flight", "{row}", (), "Rows under way.")
    OLDEST = _gauge("oldest.age", "s", (), "How long the oldest of them has been under way.")
    # `watch`: what the rules see
    RATE = _gauge("window.rate", "1", _IN_WINDOW, "Share of bad answers.")
    LOWER = _gauge("window.rate.lower", "1", _IN_WINDOW, "Its lower 95 % limit.")
    UPPER = _gauge("window.rate.upper", "1", _IN_WINDOW, "Its upper 95 % limit.")
    CORRECTED = _gauge("window.corrected", "1", _IN_WINDOW, "Share without the judge's errors.")
    CORRECTED_LOWER = _gauge("window.corrected.lower", "1", _IN_WINDOW, "Its lower 95 % limit.")
    CORRECTED_UPPER = _gauge("window.corrected.upper", "1", _IN_WINDOW, "Its upper 95 % limit.")
    N = _gauge("window.n", "{answer}", _IN_WINDOW, "Rated answers behind the rate.")
    N_EFF = _gauge("window.n_eff", "{answer}", _IN_WINDOW, "Equal ones that they are worth.")
    MEAN = _gauge("window.mean", "1", _IN_WINDOW, "Mean normalized score.")
    JUDGED = _gauge("window.judged", "1", _IN_WINDOW, "Coverage: scored / (scored + errors).")
    ARRIVED = _gauge("window.seen", "1", _IN_WINDOW, "Coverage: events / rows sampled.")
    UNDECIDED = _gauge("window.undecided", "1", _IN_WINDOW, "Share that the judge cannot decide.")
    ESCALATED_SHARE = _gauge(
        "window.escalated", "1", (*_IN_WINDOW, "to"), "Share of claims put to a further judge."
    )
    PART_RATE = _gauge("segment.rate", "1", _PART, "Share of bad answers of one segment's value.")
    PART_LOWER = _gauge("segment.rate.lower", "1", _PART, "Its lower 95 % limit.")
    PART_UPPER = _gauge("segment.rate.upper", "1", _PART, "Its upper 95 % limit.")
    PART_N = _gauge("segment.n", "{answer}", _PART, "Rated answers behind it.")
    ALERTS = _gauge(
        "alerts", "{alert}", ("rule", ASSISTANT, SCORER, "status"), "Alerts that stand, by status."
    )
    WATERMARK_AGE = _gauge("watermark.age", "s", (), "How far event time lies behind the clock.")
    SILENT = _gauge("source.silent", "{partition}", (), "Source partitions that nobody speaks of.")
    PANES = _gauge("panes", "{pane}", (), "Panes held in memory.")
    UNTOLD = _gauge(
        "notify.failing", "{failure}", ("receiver",), "Failures in a row, and alerts refused."
    )
    # `assemble`
    SPANS = _counter("assemble.spans", "{span}", ("outcome",), "Spans that were wanted, by fate.")
    TRACES = _counter("assemble.traces", "{trace}", ("why",), "Traces closed, by why.")
    ROWS = _counter("assemble.rows", "{row}", ("dialect",), "Rows written.")
    UNWRITTEN = _counter("assemble.rows.unwritten", "{row}", ("why",), "Rows not written, by why.")
    MISSING = _counter(
        "assemble.missing", "{row}", ("dialect", "field"), "Rows that lack what spans do not tell."
    )
    OPEN = _gauge("assemble.open", "{trace}", (), "Traces that wait for more spans.")
    BUFFER = _gauge("assemble.buffer", "By", (), "What their spans take, roughly.")
    # all
    READY = _gauge("ready", "1", (), "1 while /readyz says that it works, else 0.")
    LOOP_LAG = _gauge("loop.lag", "s", (), "The longest that the event loop kept a timer waiting.")
    MEMORY = _gauge("memory.used", "By", (), "Resident memory of the process.")
    MEMORY_LIMIT = _gauge("memory.limit", "By", (), "The cgroup's limit; absent without one.")
    SENT = _counter(
        "sink.scores", "{score}", ("sink", "outcome"), "Scores that other systems took, or not."
    )
    LOST = _counter(
        "telemetry.lost", "{signal}", ("signal", "reason"), "Spans and log events nobody took."
    )
    UNNAMED = _gauge("attributes.capped", "{value}", (), "Attribute values counted as __other__.")


def table() -> list[str]:
    """Return the rows of the page on metrics, one for each metric."""
    return [
        f"| `{one.exposed}` | {one.kind} | {one.unit} | {', '.join(one.attributes)} | {one.says} |"
        for one in (metric.value for metric in Metric)
    ]
