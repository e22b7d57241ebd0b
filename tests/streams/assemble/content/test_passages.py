"""Documents, in the shapes that frameworks write them."""

import pytest

from streams.assemble.content.passages import RetrievedDocument, document, documents
from streams.assemble.span import Value


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"id": "a", "content": "T", "score": 0.5}, RetrievedDocument("T", "a", 0.5)),
        (
            {"page_content": "T", "metadata": {"source": "a.md"}},
            RetrievedDocument("T", "a.md", None, "a.md"),
        ),
        ({"kwargs": {"page_content": "T", "id": "a"}}, RetrievedDocument("T", "a")),
        ({"node": {"id_": "a", "text": "T"}, "score": 0.5}, RetrievedDocument("T", "a", 0.5)),
        ({"text": "T", "id": 7, "meta": '{"url": "u"}'}, RetrievedDocument("T", "7", None, "u")),
        ([{"id": "a", "text": "T"}, 0.5], RetrievedDocument("T", "a", 0.5)),
        ({"text": "T", "score": float("nan")}, RetrievedDocument("T")),
    ],
)
def test_a_document_s_text_key_and_score_are_found(value: Value, found: RetrievedDocument) -> None:
    assert document(value) == found


@pytest.mark.parametrize("value", [{"id": "a"}, {"text": ""}, {"report": "rain"}, "T", None, 7])
def test_what_has_no_text_is_no_document(value: Value) -> None:
    assert document(value) is None


def test_documents_are_a_list_or_within_an_object() -> None:
    listed: Value = [{"id": "a", "text": "T"}]

    assert documents(listed) == documents({"documents": listed}) == [RetrievedDocument("T", "a")]
    assert documents('{"output": [{"id": "a", "text": "T"}]}') == [RetrievedDocument("T", "a")]
    assert documents([]) == []
    assert documents({"report": "rain"}) is None
    assert documents([{"report": "rain"}]) is None


def test_bare_texts_count_where_they_are_asked_for() -> None:
    assert documents(["T", "U"]) is None
    assert documents(["T", "U"], texts=True) == [RetrievedDocument("T"), RetrievedDocument("U")]
    assert documents(["[a] T", "[b] U"], texts=True) == [
        RetrievedDocument("T", "a"),
        RetrievedDocument("U", "b"),
    ]
    assert documents(["[a] T", "[a] U"], texts=True) == [
        RetrievedDocument("[a] T"),
        RetrievedDocument("[a] U"),
    ]
