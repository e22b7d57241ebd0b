"""Each encoding that the settings can name reaches the reader of rows."""

import pytest

from schemas.rejection import Rejection
from schemas.trace import RagTrace
from streams.settings.load import Settings
from streams.settings.sections import IntakeSettings
from streams.wiring import Wiring
from tests.streams.intake.enveloped import EVERY, Enveloped
from tests.streams.intake.rows import record

LATER = 1_900_000_000_000


def read(encoding: str, one: Enveloped) -> RagTrace | Rejection:
    section = IntakeSettings.model_validate({"encoding": encoding})
    seen = record(one.value, timestamp=LATER, headers=one.headers)
    return Wiring(Settings(intake=section)).intake.decode(seen)


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
