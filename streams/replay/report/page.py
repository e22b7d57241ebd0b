"""A comparison as one HTML file that needs nothing else: no script, font or address. Pure."""

from collections.abc import Iterator

from streams.replay.against import Report
from streams.replay.comparison import ScorerComparison
from streams.replay.flips import Flip, Said
from streams.replay.report.accounts import figures, title, word
from streams.replay.report.html import Html, tag, together
from streams.replay.report.plots import histogram_plot, rates_plot, square_plot
from streams.replay.report.style import STYLE

_HEAD = Html(
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
)

_READING = (
    "Limits are 95 % sure. Rates, their difference (Newcombe 1998, method 10), kappa and mean "
    "scores weigh each row by one over the chance that it was judged on both sides; McNemar's test "
    "(exact, two-sided) and all counts take rows as they are."
)


def page(report: Report, options: str) -> str:
    """Return the page. `options` are what `streamgauge show` needs to find the same topics."""
    name = title(report)
    head = tag("head", _HEAD, tag("title", name), tag("style", Html(STYLE)))
    notes = [tag("ul", *(tag("li", note) for note in report.notes), class_="notes")]
    body = tag(
        "main",
        tag("h1", name),
        *(notes if report.notes else ()),
        *(_section(one, report, options) for one in report.scorers),
        tag("p", _READING, class_="soft"),
    )
    return f"<!doctype html>\n{tag('html', head, tag('body', body), lang='en')}\n"


def _section(one: ScorerComparison, report: Report, options: str) -> Html:
    rows = (
        tag("tr", tag("th", what, scope="row"), tag("td", how_much))
        for what, how_much in figures(one, report)
    )
    return tag(
        "section",
        tag("h2", one.scorer),
        tag("div", *_plots(one, report), class_="plots"),
        tag("table", *rows),
        *_flips(one, report, options),
    )


def _plots(one: ScorerComparison, report: Report) -> Iterator[Html]:
    names = {"before": report.before, "after": report.after}
    if one.rates is not None:
        yield _figure("Rate of bad, in percent, with 95 % limits", rates_plot(one.rates, **names))
        yield _figure("Rows by both verdicts", square_plot(one.rates.square, **names))
    if one.scores is not None:
        caption = f"Score of {report.after} less score of {report.before}"
        yield _figure(caption, histogram_plot(one.scores.histogram))


def _figure(caption: str, picture: Html) -> Html:
    return tag("figure", picture, tag("figcaption", caption))


def _flips(one: ScorerComparison, report: Report, options: str) -> Iterator[Html]:
    if not one.flipped:
        return
    flips = [flip for flip in report.flips if flip.scorer == one.scorer]
    yield tag("h3", f"Rows that flipped: {len(flips):,} of {len(one.flipped):,}, the worst first")
    yield from (_flip(flip, report, options) for flip in flips)


def _flip(flip: Flip, report: Report, options: str) -> Html:
    way = "good to bad" if flip.after.bad else "bad to good"
    sides = ((report.before, flip.before), (report.after, flip.after))
    return tag(
        "article",
        tag("h4", f"{way}: ", tag("code", flip.trace_id)),
        tag("div", *(_side(name, said) for name, said in sides), class_="sides"),
        tag("p", tag("code", flip.show(options)), class_="soft"),
        class_="flip to-bad" if flip.after.bad else "flip",
    )


def _side(name: str, said: Said) -> Html:
    judged = (
        (said.claim, tag("p", tag("em", f"{said.finding}: "), said.claim, dir="auto")),
        (said.evidence, tag("blockquote", said.evidence, dir="auto")),
        (said.reason, tag("p", said.reason, dir="auto", class_="soft")),
    )
    return tag(
        "div",
        tag("p", tag("strong", name), f": {word(said)}"),
        together(*(element for text, element in judged if text)),
    )
