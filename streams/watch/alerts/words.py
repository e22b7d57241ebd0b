"""What an alert says to people: its summary in one line, and its figures."""

from datetime import timedelta

from schemas.alert import AlertValue
from schemas.wire import from_milliseconds
from streams.watch.alerts.alarm import Status
from streams.watch.alerts.subject import Subject
from streams.watch.estimates.rates import Rate
from streams.watch.rules.blind import BlindRule, coverage
from streams.watch.rules.fabricated_citations import FabricatedCitationsRule
from streams.watch.rules.kinds import Rule
from streams.watch.rules.result import RuleResult
from streams.watch.rules.traffic import TrafficRule
from streams.watch.windows import WindowView

UNPROVEN = frozenset({"rules", "decisions", "cascade"})
"""The judges whose verdicts are called flags until people's labels say what they are worth."""

FLAGGED, BAD = "flagged rate", "bad rate"
FABRICATED = "share of cited sentences without a source"


def figures(rule: Rule, subject: Subject, result: RuleResult) -> AlertValue:
    """Return what the rule looked at. Its limits are the one-sided ones that it decided by."""
    view, rate = result.view, result.rate
    if isinstance(rule, TrafficRule):
        return AlertValue(n=0)
    if isinstance(rule, BlindRule):
        judged = subject.cause == "judge"
        return AlertValue(
            threshold=result.bound,
            n=sum(view.events.values()) if judged else view.sampled,
            coverage=view.judged if judged else view.seen,
        )
    rows = sum(flow.seen for flow in view.flows.values())
    fabricated = isinstance(rule, FabricatedCitationsRule)
    corrected = None if fabricated else view.corrected()
    return AlertValue(
        rate=rate.value if rate else None,
        lower=rate.lower if rate else None,
        upper=rate.upper if rate else None,
        threshold=result.bound,
        baseline=result.usual,
        n=view.n,
        n_eff=rate.n_eff if rate else None,
        coverage=view.coverage,
        sample_probability=min(1.0, view.sampled / rows) if rows else None,
        called=FABRICATED if fabricated else called(view),
        corrected=corrected.value if corrected else None,
        corrected_lower=corrected.lower if corrected else None,
        corrected_upper=corrected.upper if corrected else None,
    )


def called(view: WindowView) -> str:
    """Return what a window's rate is called: flags are not yet bad answers."""
    proven = view.accuracy is not None and view.accuracy.tells
    return BAD if proven or view.speaker.judge not in UNPROVEN else FLAGGED


def correction(view: WindowView) -> str:
    """Return the rate without the judge's errors in words, empty where these are not known."""
    if view.accuracy is None:
        return ""
    if not view.accuracy.tells:
        return "by labels its judge cannot tell good answers from bad"
    rate = view.corrected()
    return f"{_limited(rate)} corrected for its judge's errors" if rate else ""


def _limited(rate: Rate) -> str:
    return f"{percent(rate.value)} % ({percent(rate.lower)}-{percent(rate.upper)} %)"


def summary(rule: Rule, subject: Subject, status: Status, result: RuleResult, since: int) -> str:
    """Return one line for whoever is woken by it. `since`: when it fired, in ms since 1970."""
    length = timedelta(milliseconds=result.view.end - result.view.start)
    where = f"last {span(length)}, {subject.assistant}"
    where += f", {subject.segment}" if subject.segment else ""
    if isinstance(rule, TrafficRule):
        said = "rows have come again" if status == "resolved" else "no rows"
        return f"{said}, {where}"
    if isinstance(rule, BlindRule):
        return f"{_sight(rule, subject, status, result)}, {where}"
    rate, rows = _quality(rule, subject, status, result), f"n={result.view.n}"
    fired = f"{'fired' if status == 'resolved' else 'since'} {minute(since)}"
    parts = [rate, rows, result.said, fired, where]
    return ", ".join(filter(None, parts))


def _quality(rule: Rule, subject: Subject, status: Status, result: RuleResult) -> str:
    rate = result.rate
    if rate is None or status == "nodata":
        return f"{subject.scorer}: too little to go by"
    share = _limited(rate)
    if isinstance(rule, FabricatedCitationsRule):
        return f"{share} of cited sentences name a source that is not there"
    word = "flagged" if called(result.view) == FLAGGED else "failing"
    said = [f"{subject.scorer} {word} {share}", correction(result.view)]
    return ", ".join(filter(None, said))


def _sight(rule: BlindRule, subject: Subject, status: Status, result: RuleResult) -> str:
    view, cause = result.view, "judge" if subject.cause == "judge" else "score"
    share, limit = coverage(view, "judge" if cause == "judge" else "score"), result.bound or 0.0
    if status == "firing" and cause == "score" and (share is None or share >= limit):
        return (
            f"{subject.scorer} is blind: no report on some partition since {minute(view.end)}: "
            "the score half is down, or stopped it (its log says why; streamgauge dead list)"
        )
    word = "sees again" if status == "resolved" else "is blind"
    what = "judged" if cause == "judge" else "of the sampled rows came back"
    known = "nothing" if share is None else f"{percent(share)} %"
    return f"{subject.scorer} {word}: {known} {what} (limit {percent(limit)} %)"


def minute(at: int) -> str:
    """Return an instant, in milliseconds since 1970, as one says it."""
    return f"{from_milliseconds(at):%Y-%m-%d %H:%M} UTC"


def percent(share: float) -> str:
    """Return a share in whole percents, without the sign."""
    return f"{100 * share:.0f}"


def span(length: timedelta) -> str:
    """Return a length of time as one says it: minutes below two hours, hours below two days."""
    if length < timedelta(hours=2):
        return f"{length / timedelta(minutes=1):.0f} min"
    if length < timedelta(days=2):
        return f"{length / timedelta(hours=1):.3g} h"
    return f"{length / timedelta(days=1):.3g} d"
