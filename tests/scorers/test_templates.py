from collections import Counter

import pytest

from scorers.parameters import ParameterError
from scorers.templates import SLOT, TEMPLATES, Template, pick

FAMILIES = {
    "verification_request", "citation_request", "third_party", "formal", "casual",
    "indirect_question", "time_pressed", "newcomer", "for_the_record", "polite_non_native",
    "recap", "meta",
}  # fmt: skip


def test_there_are_several_frames_in_each_of_twelve_families() -> None:
    families = Counter(template.family for template in TEMPLATES)

    assert set(families) == FAMILIES
    assert min(families.values()) > 1


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)
def test_a_frame_adds_little_and_no_question_of_its_own(template: Template) -> None:
    own = template.text.replace(SLOT, "")

    assert len(own) <= 160
    assert own.count("?") <= 1


@pytest.mark.parametrize("text", ["no slot", "{query} and {query}", "{QUERY}"])
def test_a_frame_without_exactly_one_slot_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        Template("x-1", text)


@pytest.mark.parametrize(
    "query",
    ["What does {query} mean?", "100 % of $x \\1 \\g<0>", "{0} {name} {{x}} %s", "何ですか"],
)
def test_a_query_is_put_in_as_it_is(query: str) -> None:
    assert Template("x-1", "Please: {query}").fill(query) == f"Please: {query}"


def test_white_space_around_a_query_is_left_out() -> None:
    assert Template("x-1", "Say {query} twice").fill("\n ten \t") == "Say ten twice"


def test_rows_spread_over_the_frames_and_keep_theirs() -> None:
    def frame(row: int) -> str:
        return pick(TEMPLATES, salt="s", scorer_version="1", record_id=f"row-{row}").id

    chosen = [frame(row) for row in range(2000)]

    assert len(set(chosen)) == len(TEMPLATES)
    assert chosen == [frame(row) for row in range(2000)]


def test_another_salt_or_version_draws_anew() -> None:
    def frames(salt: str, version: str) -> list[str]:
        return [
            pick(TEMPLATES, salt=salt, scorer_version=version, record_id=str(row)).id
            for row in range(20)
        ]

    assert frames("a", "1") != frames("b", "1")
    assert frames("a", "1") != frames("a", "2")
