"""A row in every encoding, as they may lie beside each other on one topic."""

import base64
import json
from pathlib import Path
from typing import NamedTuple

TRACES = Path(__file__).parents[2] / "traces"
SHOP = "6ddd276a54a9b1a60df200c0e48ccf55"
"""The trace of `langchain_oi`."""
STRUCTURED_SHOP = "387972c7170bba399830359e9f3589c6"
CONTEXT = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
EVENT = {"specversion": "1.0", "source": "/helpdesk", "type": "answered"}
ROW = {
    "service": "helpdesk",
    "contexts": ["We open at 10 am on weekdays."],
    "answer": "We open at 10 am on weekdays. [1]",
}


class Enveloped(NamedTuple):
    """What a record is, and the trace in it."""

    encoding: str
    trace_id: str
    value: bytes
    headers: tuple[tuple[str, bytes], ...] = ()


def row(trace_id: str | None) -> bytes:
    """Return the row as JSON, with its own id or without."""
    return json.dumps(ROW if trace_id is None else ROW | {"trace_id": trace_id}).encode()


EVERY = (
    Enveloped("json", "t-json", row("t-json")),
    Enveloped("confluent", "t-prefix", b"\0\0\0\0\x07" + row("t-prefix")),
    Enveloped("confluent", "t-v1", b"\x01" + bytes(range(16)) + row("t-v1")),
    Enveloped("confluent", "t-header", row("t-header"), (("__value_schema_id", b"\0\0\0\0\x07"),)),
    Enveloped(
        "cloudevents",
        "0af7651916cd43dd8448eb211c80319c",
        row(None),
        (("ce_specversion", b"1.0"), ("ce_id", b"e-1"), ("ce_traceparent", CONTEXT.encode())),
    ),
    Enveloped(
        "cloudevents",
        "t-base64",
        json.dumps(
            EVENT | {"id": "e-2", "data_base64": base64.b64encode(row("t-base64")).decode()}
        ).encode(),
        (("content-type", b"application/cloudevents+json; charset=utf-8"),),
    ),
    Enveloped("otlp_proto", SHOP, (TRACES / "langchain_oi.pb").read_bytes()),
    Enveloped(
        "otlp_json",
        STRUCTURED_SHOP,
        json.dumps(
            json.loads((TRACES / "genai_semconv_rag_structured.json").read_bytes())
        ).encode(),
    ),
)

AVRO = b"\0\0\0\0\x07\x06foo"
"""A schema registry's framing around what is no JSON."""

SEEN = "encodings: confluent 4, cloudevents 2, json 1, otlp_proto 1, otlp_json 1"
"""What `check` says of all these and of Avro."""
