import re
from collections import Counter

import pytest

from streams.demo.content import Assistant, Entry, assistants

CAST = assistants()
BIKES, MUSEUM = CAST
ENTRIES = [(one, entry) for one in CAST for entry in one.answers]

ABSTENTION = "No relevant evidence found."
CITATION = re.compile(r"\[Source (\d+)\]|[\[【]\^?(\d+(?:, \d+)*)[\]】]")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def cited(answer: str) -> list[str]:
    found = [one or others for one, others in CITATION.findall(answer)]
    return [key for keys in found for key in keys.split(", ")]


def without_citations(answer: str) -> str:
    return CITATION.sub("", answer)


def keys(entry: Entry) -> set[str]:
    return {str(key) for key in range(1, len(entry.passages) + 1)}


def evidence(assistant: Assistant, entry: Entry) -> str:
    return " ".join(assistant.knowledge[name].text for name in entry.passages)


def numbers(text: str) -> set[str]:
    return set(NUMBER.findall(without_citations(text)))


def test_there_are_enough_different_answers_and_wrong_ones() -> None:
    answers = [entry.answer for one in CAST for entry in one.answers if entry.answer != ABSTENTION]

    assert len(set(answers)) == len(answers) >= 260
    assert sum(entry.wrong is not None for entry in BIKES.answers) >= 120
    assert sum(entry.wrong is not None for entry in MUSEUM.answers) >= 40


def test_no_assistant_is_asked_the_same_question_twice() -> None:
    for one in CAST:
        questions = [entry.question for entry in one.answers]

        assert len(set(questions)) == len(questions)


@pytest.mark.parametrize("assistant", CAST, ids=lambda one: str(one.service))
def test_passages_are_of_a_retriever_s_length_and_all_of_them_are_used(
    assistant: Assistant,
) -> None:
    used = {name for entry in assistant.answers for name in entry.passages}

    assert used == set(assistant.knowledge)
    assert all(40 <= len(one.text.split()) <= 120 for one in assistant.knowledge.values())


def test_two_to_four_different_passages_were_retrieved_for_each_question() -> None:
    for assistant, entry in ENTRIES:
        assert 2 <= len(set(entry.passages)) == len(entry.passages) <= 4, entry.question
        assert set(entry.passages) <= set(assistant.knowledge), entry.question


def test_a_good_answer_cites_what_was_retrieved_and_has_every_number_from_it() -> None:
    for assistant, entry in ENTRIES:
        assert set(cited(entry.answer)) <= keys(entry), entry.question
        assert numbers(entry.answer) <= numbers(evidence(assistant, entry)), entry.question


def test_a_wrong_answer_says_something_else() -> None:
    for _, entry in ENTRIES:
        assert entry.wrong is None or entry.wrong.answer != entry.answer, entry.question


def test_only_a_fabricated_citation_names_a_passage_that_was_not_retrieved() -> None:
    for _, entry in ENTRIES:
        if entry.wrong:
            unknown = set(cited(entry.wrong.answer)) - keys(entry)

            assert bool(unknown) == (entry.wrong.fault == "fabricated"), entry.question


def test_a_wrong_citation_leaves_the_words_as_they_were() -> None:
    for _, entry in ENTRIES:
        if entry.wrong and entry.wrong.fault in ("citation", "fabricated"):
            assert without_citations(entry.wrong.answer) == without_citations(entry.answer)


def test_every_way_of_being_wrong_occurs_and_most_are_in_the_words() -> None:
    faults = Counter(entry.wrong.fault for one in CAST for entry in one.answers if entry.wrong)

    assert set(faults) == {"number", "date", "name", "invented", "citation", "fabricated"}
    assert (faults["citation"] + faults["fabricated"]) / faults.total() < 0.1


@pytest.mark.parametrize(
    "form", ["[1]", "[1][2]", "[1, 2]", "【1】", "[^1]", "[Source 1]", "\n- ", "|---|", "£", "Euro"]
)
def test_answers_come_in_many_forms(form: str) -> None:
    assert any(form in entry.answer for one in CAST for entry in one.answers)


def test_some_answers_cite_nothing_and_some_refuse() -> None:
    for one in CAST:
        answers = [entry.answer for entry in one.answers]

        assert ABSTENTION in answers
        assert any(not cited(answer) and answer != ABSTENTION for answer in answers)


def test_one_assistant_speaks_english_and_one_german() -> None:
    assert [one.locale for one in CAST] == ["en-GB", "de-DE"]
    assert sum(" the " in entry.answer for entry in BIKES.answers) > 50
    assert sum(" der " in entry.answer for entry in MUSEUM.answers) > 20
