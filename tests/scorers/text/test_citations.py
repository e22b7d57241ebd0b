# ruff: noqa: RUF005, SIM905 (marks that look alike are the subject here)

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.text.citations import read_citations

KNOWN = ("1", "2", "3", "C1", "E4", "doc7", "4:0", "turn0search1", "kb-12")


def cited(answer: str, *, superscripts: bool = False) -> list[tuple[str, list[str], list[str]]]:
    read = read_citations(answer, KNOWN, superscripts=superscripts)
    return [(s.text, list(s.keys), list(s.unknown)) for s in read.cited]


@pytest.mark.parametrize(
    ("marker", "keys", "unknown"),
    [
        (" [2]", ["2"], []),
        ("[2]", ["2"], []),
        (" [1][3]", ["1", "3"], []),
        (" [1, 3]", ["1", "3"], []),
        (" [1;3]", ["1", "3"], []),
        (" [1-3]", ["1", "2", "3"], []),
        (" [1—3]", ["1", "2", "3"], []),
        (" [2-4]", ["2", "3"], ["4"]),
        (" [3-1]", [], ["3-1"]),
        (" [1-21]", [], ["1-21"]),
        (" [2, 2]", ["2"], []),
        (" [[2]]", ["2"], []),
        (" [[2]](https://example.org/a_(b))", ["2"], []),
        (' [2](https://example.org "title")', ["2"], []),
        (" [^2]", ["2"], []),
        (" [^x1]", [], ["x1"]),
        ("【2】", ["2"], []),
        ("【4:0†source】", ["4:0"], []),
        ("【9:9†source】", [], ["9:9"]),
        (" [doc7]", ["doc7"], []),
        (" [Source 2]", ["2"], []),
        (" [DOCUMENT: 3]", ["3"], []),
        (" [ref_9]", [], ["ref9"]),
        (" [Source 1, Source 2]", ["1", "2"], []),
        (" [Sources 1-9]", None, None),
        (" [Source 1-3]", ["1", "2", "3"], []),
        (" [kb-12]", ["kb-12"], []),
        ("<cite>2</cite>", ["2"], []),
        ("<sup>1,2</sup>", ["1", "2"], []),
        ("<cite id='9'></cite>", [], ["9"]),
        ('<cite id="2"/>', ["2"], []),
        ("\ue200cite\ue202turn0search1\ue202turn0news9\ue201", ["turn0search1"], ["turn0news9"]),
        (" [C1]", ["C1"], []),
        (" (C1)", ["C1"], []),
        (" [C9]", [], ["C9"]),
        (" [ev1:s:0a-1:9f:44]", [], ["ev1:s:0a-1:9f:44"]),
        (" [0]", None, None),
        (" [1964]", None, None),
        (" [0.5]", None, None),
        (" [-1]", None, None),
        (" [1, x]", None, None),
        (" [source code]", None, None),
        (" [docker2]", None, None),
        (" [Q1]", None, None),
        (" (1)", None, None),
        (" [text](https://example.org/C9)", None, None),
        (" `[1]`", None, None),
        ("²", None, None),
        ("【重要】", None, None),
    ],
)
def test_a_marker_cites_what_its_format_says(
    marker: str, keys: list[str] | None, unknown: list[str] | None
) -> None:
    found = cited(f"The dam holds nine million litres{marker}.")

    if keys is None:
        assert found == []
    else:
        assert [row[1:] for row in found] == [(keys, unknown)]


@pytest.mark.parametrize(
    ("answer", "rows"),
    [
        ("Claim one. [1] Claim two. [2]", [("Claim one.", ["1"]), ("Claim two.", ["2"])]),
        ("Claim one.[1] Claim two.[2]", [("Claim one.", ["1"]), ("Claim two.", ["2"])]),
        ("Claim one. [1], [2] Claim two.", [("Claim one.", ["1", "2"])]),
        ("[1] Gates open. [2] Crews close.", [("Gates open.", ["1", "2"])]),
        ("- [1] Gates open.\n- Crews close [2]", [("Gates open.", ["1"]), ("Crews close", ["2"])]),
        ("Gates open.\n\n[1]\n\nCrews close.", [("Gates open.", ["1"])]),
        ("It pays U.S. taxes [1] now.", [("It pays U.S. taxes now.", ["1"])]),
        ("It ships from the U.S. [1] Then it rests.", [("It ships from the U.S.", ["1"])]),
        (
            "Dr. Lee of Acme Inc. Berlin agrees [1].",
            [("Dr. Lee of Acme Inc. Berlin agrees.", ["1"])],
        ),
        ("Version 2.4 runs. It is v3 [1].", [("It is v3.", ["1"])]),
        ("Er sagte „Voll.“ Dann ging er [1].", [("Dann ging er.", ["1"])]),
        ("Am 3. März 2024 öffnet es [1].", [("Am 3. März 2024 öffnet es.", ["1"])]),
        ("水位は九です。[1]門は開く。", [("水位は九です。", ["1"])]),
        ("هل هو مفتوح؟ نعم هو مفتوح[1].", [("نعم هو مفتوح.", ["1"])]),
        ("यह खुला है।[1] वह बंद है।", [("यह खुला है।", ["1"])]),
        ("The ferry carries\nmany people [1].", [("The ferry carries many people.", ["1"])]),
        ("The ferry has:\nmany people [1].", [("many people.", ["1"])]),
        ("## Facts [1]\nNo marker here.", [("Facts", ["1"])]),
        ("> Quoted text here [1].", [("Quoted text here.", ["1"])]),
        ("| A. b | C. d [1] |", [("A. b C. d", ["1"])]),
        ("A ([1]) b ([C1]).", [("A b.", ["1", "C1"])]),
        ("A (see C1 and C9) b.", [("A (see and ) b.", ["C1"])]),
        ("Use `x[2]` now [1].", [("Use `x[2]` now.", ["1"])]),
        ('Open. <cite id="2">It holds. It runs</cite>. Shut.', [("It runs.", ["2"])]),
        ("<co: 1,2>It holds nine</co: 1,2>.", [("It holds nine.", ["1", "2"])]),
        ('Open <cite id="2">for good.', [("Open for good.", ["2"])]),
    ],
)
def test_a_marker_belongs_to_its_sentence(answer: str, rows: list[tuple[str, list[str]]]) -> None:
    assert [(text, keys) for text, keys, _ in cited(answer)] == rows


def test_superscripts_cite_only_where_they_are_told_to() -> None:
    assert cited("It covers 9 m² of land.²") == []

    assert cited("It covers it.²", superscripts=True) == [("It covers it.", ["2"], [])]
    assert cited("It covers it.¹²", superscripts=True) == [("It covers it.", ["1", "2"], [])]


@pytest.mark.parametrize(
    "tail",
    [
        "\n\nSources:\n[1] Handbook\n[2] Prices",
        "\n\n## Quellen\n- [1] Handbuch\n\n- [2] Preise",
        "\n\n**References**\n1. Handbook [1]\n2. Prices",
        "\n\n参考文献\n[1] 手冊",
        "\n\n[1] Handbook, https://example.org\n[2] https://example.org/2",
        "\n\n[^1]: Handbook page nine has it.\n    and more of it",
        "\n\n```\nrows = table[C9]\n```",
        "\n\n~~~python\ntable[9] never closed",
    ],
)
def test_lists_of_sources_and_code_state_nothing(tail: str) -> None:
    read = read_citations(f"The ferry carries many people [1].{tail}", KNOWN)

    assert [sentence.text for sentence in read.sentences] == ["The ferry carries many people."]


def test_a_title_in_the_middle_of_an_answer_ends_nothing() -> None:
    read = read_citations("Sources\n- Coal burns well [1]\n\nBoth are used today.", KNOWN)

    assert [sentence.text for sentence in read.sentences] == [
        "Sources",
        "Coal burns well",
        "Both are used today.",
    ]


def test_a_marker_without_any_sentence_dangles() -> None:
    read = read_citations("[1]", KNOWN)

    assert (read.sentences, read.dangling) == ((), ("1",))


@pytest.mark.parametrize(
    ("answer", "eligible"),
    [
        ("One two three.", 0),
        ("One two three four.", 1),
        ("Sold out [1].", 1),
        ("大人の切符は八十五です。", 1),
        ("大人の切符です。", 0),
        ("- - 5 * 3 !", 0),
    ],
)
def test_long_sentences_and_cited_ones_owe_a_citation(answer: str, eligible: int) -> None:
    assert len(read_citations(answer, KNOWN).eligible(min_words=4)) == eligible


PIECES = st.sampled_from(
    "[1]|[|]|(|)|【1†x】|C9|. |\n|- |`|```\n|<cite id='1'>|</cite>|\ue200cite\ue202a\ue201|Word"
    "| word|。|\u202e|a\u0301|²|\x00|\r\n|\u2028|Sources\n|[^1]: x|😀".split("|")
    + ["|"]
)


@settings(max_examples=150)
@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=25).map("".join)))
def test_no_text_breaks_the_reader_and_offsets_stay_inside(answer: str) -> None:
    read = read_citations(answer, KNOWN, superscripts=True)

    spans = [(sentence.start, sentence.end) for sentence in read.sentences]
    assert all(0 <= start < end <= len(answer) for start, end in spans)
    assert spans == sorted(spans)
    assert all(sentence.text.strip() == sentence.text != "" for sentence in read.sentences)
