"""A comparison in words, on a terminal and in a pipe. Pure."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from streams.console.lines import Line
from streams.replay.against import Report
from streams.replay.comparison import STATUSES, ScorerComparison
from streams.replay.flips import Said, plain
from streams.replay.pairs import Speaker
from streams.watch.estimates.changes import Change
from streams.watch.estimates.rates import Rate


def title(report: Report) -> str:
    """Return what is held against what."""
    return f"{report.after} against {report.before}"


def figures(one: ScorerComparison, report: Report) -> Iterator[tuple[str, str]]:
    """Yield what is known of a scorer, and how much it is: the same words wherever it is told."""
    before, after = report.before, report.after
    alone = f"{one.only_before:,} only {before}, {one.only_after:,} only {after}"
    yield "rows on both sides", f"{one.pairs:,} ({alone})"
    for name, speakers in zip((before, after), one.speakers, strict=True):
        for speaker, count in speakers.items():
            yield f"judged by, {name}", f"{spoken(speaker)}: {count:,}"
    for statuses, count in outcomes(one).items():
        if statuses != ("scored", "scored"):
            yield f"{before} {statuses[0]}, {after} {statuses[1]}", f"{count:,}"
    if rates := one.rates:
        both, was, became, neither = (f"{int(cell):,}" for cell in rates.square)
        yield (
            f"bad on both, only {before}, only {after}, neither",
            f"{both}, {was}, {became}, {neither}",
        )
        yield f"rate of bad, {before}", rate(rates.before)
        yield f"rate of bad, {after}", rate(rates.after)
        yield "difference of rates", points(rates.change)
        yield "McNemar, exact two-sided p", f"{rates.mcnemar:.3g}"
        yield "Cohen's kappa", "nothing to go by" if rates.kappa is None else f"{rates.kappa:.2f}"
    if scores := one.scores:
        yield f"mean score, {before} and {after}", f"{scores.before:.3f}, {scores.after:.3f}"
        yield "difference of mean scores", signed(scores.change)


def outcomes(one: ScorerComparison) -> dict[tuple[str, str], int]:
    """Return the pairs by both outcomes, in the order of outcomes; none that has no pair."""
    order = ((before, after) for before in STATUSES for after in STATUSES)
    return {both: one.statuses[both] for both in order if one.statuses.get(both)}


def spoken(speaker: Speaker) -> str:
    """Return who gave a verdict, in words."""
    model = f" ({speaker.model})" if speaker.model else ""
    judge = f"{speaker.judge} {speaker.judge_version}{model}"
    return plain(f"{judge}, scorer version {speaker.scorer_version}, series {speaker.series}")


def rate(one: Rate) -> str:
    """Return a rate with its limits."""
    return f"{one.value:.1%} ({one.lower:.1%} to {one.upper:.1%})"


def points(change: Change) -> str:
    """Return a difference of rates with its limits, in percentage points."""
    value, lower, upper = (100 * one for one in change)
    return f"{value:+.1f} points ({lower:+.1f} to {upper:+.1f})"


def signed(change: Change) -> str:
    """Return a difference of scores with its limits."""
    return f"{change.value:+.3f} ({change.lower:+.3f} to {change.upper:+.3f})"


def lines(report: Report, options: str) -> Iterator[Line]:
    """Say it line by line. `options` are what `streamgauge show` needs to find the same topics."""
    yield Line(title(report))
    for note in report.notes:
        yield Line(f"note: {note}", 1)
    for one in report.scorers:
        yield Line(one.scorer)
        for what, how_much in figures(one, report):
            yield Line(f"{what}: {how_much}", 1)
        yield from flip_lines(one, report, options)


def tables(report: Report) -> Iterator[tuple[ScorerComparison, Table]]:
    """Yield each scorer with the table of its figures."""
    for one in report.scorers:
        name = Text(one.scorer, justify="left")
        table = Table(title=name, title_justify="left", show_header=False, min_width=60)
        table.add_column("what", overflow="fold")
        table.add_column("how much", overflow="fold")
        for what, how_much in figures(one, report):
            table.add_row(Text(what), Text(how_much))
        yield one, table


def flip_lines(one: ScorerComparison, report: Report, options: str) -> Iterator[Line]:
    """Say which rows flipped, the worst first, on which claim, and how to see all of each."""
    flips = [flip for flip in report.flips if flip.scorer == one.scorer]
    for flip in flips:
        way, tone = ("good to bad", "bad") if flip.after.bad else ("bad to good", "good")
        yield Line(f"{way}: {flip.show(options)}", 1, tone)
        for name, said in ((report.before, flip.before), (report.after, flip.after)):
            yield from _said_lines(name, said)
    if len(one.flipped) > len(flips):
        yield Line(f"{len(one.flipped) - len(flips):,} more flipped", 1)


def word(said: Said) -> str:
    """Return a side's verdict in words."""
    return f"{'BAD' if said.bad else 'good'}, score {said.score:.2f}, {said.label}"


def _said_lines(name: str, said: Said) -> Iterator[Line]:
    yield Line(f"{name}: {word(said)}", 2)
    if said.claim:
        yield Line(f"{said.finding}: {said.claim}", 3)
    if said.evidence:
        yield Line(f"evidence {said.evidence}", 3)
    if said.reason:
        yield Line(f"reason: {said.reason}", 3)
