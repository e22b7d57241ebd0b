"""The page of a comparison: whole, needing nothing, and closed to what is written in answers."""

import re
from collections import Counter
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from streams.replay.against import Report
from streams.replay.comparison import compared
from streams.replay.flips import flip
from streams.replay.pairs import Pair
from streams.replay.report.html import Html, tag
from streams.replay.report.page import page
from tests.streams.replay.two_sides import a_verdict as an_outcome
from tests.streams.replay.two_sides import an_event
from tests.streams.replay.verdict_pairs import a_pair, a_verdict

VOID = {"meta"}
HOSTILE = (
    "</blockquote><script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)> \u202e"
)


class Reader(HTMLParser):
    """Reads a page as a browser does: its elements, their attributes, and the text."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: Counter[str] = Counter()
        self.attributes: list[tuple[str, str]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def a_report(text: str = "We open at 10.", *, names: tuple[str, str] = ("live", "r2")) -> Report:
    pair = Pair(a_verdict(1.0), a_verdict(0.1))
    before = an_event(1, an_outcome(1.0, claim=text, quote=text), trace_id=text)
    after = an_event(1, an_outcome(0.1, claim=text, quote=text, reason=text), trace_id=text)
    told = flip(pair, before, after)
    assert told is not None
    found = compared([pair, *[a_pair(1.0, 1.0)] * 9, a_pair(0.1, 0.9)], {}, {"faithfulness": 2})
    return Report(names[1], names[0], tuple(found), (told,), (f"a note on {text}",))


def test_the_page_is_whole_and_shows_three_plots_and_the_flips() -> None:
    source = page(a_report(), " --broker folder:x")

    reader = Reader(source)
    assert source.startswith("<!doctype html>")
    assert reader.open == []
    assert reader.elements["svg"] == 3
    assert reader.elements["article"] == 1
    text = " ".join(reader.text)
    assert "streamgauge show --broker folder:x 'We open at 10.'" in text
    assert "McNemar, exact two-sided p" in text
    assert "Rows that flipped: 1 of 2, the worst first" in text


def test_the_page_asks_for_nothing_and_runs_nothing() -> None:
    source = page(a_report(), "")

    reader = Reader(source)
    assert reader.elements.keys().isdisjoint({"script", "link", "img", "iframe", "object", "image"})
    names = {name for name, _ in reader.attributes}
    assert names.isdisjoint({"src", "href", "srcset", "action", "style", "xlink:href"})
    assert not any(name.startswith("on") for name in names)
    assert not re.search(r"https?:|url\(|@import|//", source)
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in reader.attributes


def test_a_hostile_answer_stays_text() -> None:
    usual, hostile = Reader(page(a_report(), "")), Reader(page(a_report(HOSTILE), ""))

    assert hostile.elements == usual.elements
    assert [name for name, _ in hostile.attributes] == [name for name, _ in usual.attributes]
    assert hostile.open == []
    said = "".join(hostile.text)
    assert "<script>alert(1)</script>" in said
    assert "\u202e" not in said.replace(f"a note on {HOSTILE}", "")


@settings(max_examples=50)
@given(st.text(), st.text(min_size=1))
def test_no_text_at_all_breaks_out(text: str, name: str) -> None:
    usual = Reader(page(a_report("x", names=("a", "b")), ""))

    reader = Reader(page(a_report(f"x{text}", names=("a", name)), f" --broker {text}"))

    assert reader.elements == usual.elements
    assert reader.open == []


def test_the_page_follows_the_reader_into_the_dark_and_onto_paper() -> None:
    source = page(a_report(), "")

    assert "prefers-color-scheme: dark" in source
    assert "@media print" in source
    assert 'lang="en"' in source


def test_markup_goes_in_as_it_is_and_text_and_attributes_do_not() -> None:
    made = tag("p", "a < b & ", Html("<br>"), tag("b", '"'), class_='x"><i>', data_n=0.5)

    assert made == (
        '<p class="x&quot;&gt;&lt;i&gt;" data-n="0.5">a &lt; b &amp; <br><b>&quot;</b></p>'
    )


def test_a_scorer_without_pairs_has_no_plots() -> None:
    report = Report("r2", "live", tuple(compared([], {"a": 3}, {})), (), ())

    reader = Reader(page(report, ""))

    assert reader.elements["svg"] == 0
    assert "0 (3 only live, 0 only r2)" in reader.text


def test_pairs_without_verdicts_have_no_figures() -> None:
    report = Report("r2", "live", tuple(compared([a_pair(None, None)], {}, {})), (), ())

    text = " ".join(Reader(page(report, "")).text)

    assert "live error, r2 error" in text
    assert "rate of bad" not in text
