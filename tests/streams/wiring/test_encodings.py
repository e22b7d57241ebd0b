"""Each encoding that the settings can name reaches the reader of rows."""

import pytest

from schemas.rejection import Rejection
from schemas.trace import RagTrace
from streams.settings.load import Settings
from streams.wiring.broker import Wiring
from tests.streams.assemble.otlp_batches import as_json, bare_span
from tests.streams.intake.enveloped import EVERY, Enveloped
from tests.streams.intake.rows import record

LATER = 1_900_000_000_000


def read(encoding: str, one: Enveloped, **sections: object) -> RagTrace | Rejection:
    settings = Settings.model_validate({"intake": {"encoding": encoding}, **sections})
    return Wiring(settings).intake.decode(record(one.value, timestamp=LATER, headers=one.headers))


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.trace_id)
def test_a_record_is_read_by_its_own_setting_and_by_auto(one: Enveloped) -> None:
    by_its_own = read(one.encoding, one)

    assert isinstance(by_its_own, RagTrace)
    assert by_its_own.trace_id == one.trace_id
    assert read("auto", one) == by_its_own


@pytest.mark.parametrize("encoding", ["confluent", "cloudevents", "otlp_json", "otlp_proto"])
def test_a_record_of_another_encoding_is_refused(encoding: str) -> None:
    for one in EVERY:
        if one.encoding != encoding:
            assert isinstance(read(encoding, one), Rejection)


def test_spans_that_no_dialect_knows_are_read_by_the_mapping_of_the_settings() -> None:
    said = {"asked": "When?", "said": "Soon."}
    span = bare_span("ask", attributes=said, resource={"service.name": "shop"})
    exotic = Enveloped("otlp_json", span.trace_id, as_json([span]))
    fields = {"fields": [{"span": "ask", "question": "asked", "answer": "said"}]}

    trace = read("otlp_json", exotic, assemble=fields)

    assert isinstance(trace, RagTrace)
    assert (trace.question, trace.answer) == ("When?", "Soon.")
    assert isinstance(read("otlp_json", exotic), Rejection)
