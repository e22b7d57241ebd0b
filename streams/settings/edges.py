"""The sections of the settings for what lies outside: topics, brokers, receivers, ports."""

import re
from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
)

from schemas.wire import Instant, rfc3339
from scorers.setting_types import SECTION, HttpUrl, PositiveDuration, Text, Whole

FOLDER = "folder:"
KAFKA = "kafka://"


def _broker(address: str) -> str:
    known = [prefix for prefix in (FOLDER, KAFKA) if address.startswith(prefix)]
    if not known or address == known[0]:
        raise ValueError("write folder:PATH, or kafka://HOST:PORT with commas between several")
    return address


Broker = Annotated[str, AfterValidator(_broker)]
"""Where the topics are."""

_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")


def _topic_name(name: str) -> str:
    if not _TOPIC.fullmatch(name) or name in {".", ".."}:
        raise ValueError("is no topic name: up to 249 of A-Z a-z 0-9 . _ -")
    return name


TopicName = Annotated[str, AfterValidator(_topic_name)]


class TopicsSettings(BaseModel):
    """The names of the topics."""

    model_config = SECTION

    traces: TopicName = "rag.traces"
    """Rows in."""
    scores: TopicName = "rag.scores"
    """Verdicts and tallies."""
    marks: TopicName = "rag.marks"
    """How far the score half has got."""
    windows: TopicName = "rag.windows"
    """Panes."""
    alerts: TopicName = "rag.alerts"
    """Alerts, and who muted them."""
    runs: TopicName = "rag.runs"
    """Replays."""
    dead: TopicName = "rag.dead"
    """Records that could not be read."""


class OauthSettings(BaseModel):
    """Client credentials; their secret is STREAMGAUGE_KAFKA_CLIENT_SECRET."""

    model_config = SECTION

    token_url: HttpUrl | None = None
    """Where tokens are had."""
    client_id: Text | None = None
    """Who asks for one."""
    scope: Text | None = None
    """For what."""
    allow_private_addresses: bool = False
    """Whether the endpoint may lie in a private network, or on this machine."""


_INSTANT: TypeAdapter[datetime] = TypeAdapter(Instant)


def _start(value: object) -> object:
    if isinstance(value, str) and value in {"earliest", "latest"}:
        return value
    try:
        return _INSTANT.validate_python(value)
    except ValidationError:
        raise ValueError(
            "write earliest, latest, or a time with its zone such as 2026-01-31T09:15:00Z"
        ) from None


Start = Annotated[
    Literal["earliest", "latest"] | datetime,
    BeforeValidator(_start),
    PlainSerializer(lambda at: at if isinstance(at, str) else rfc3339(at), when_used="json"),
]
"""Where to begin: `earliest`, `latest`, or a time."""


class KafkaSettings(BaseModel):
    """Groups and connections. The folder log has groups too."""

    model_config = SECTION

    group: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,200}$")] = "streamgauge"
    """Of `score`; the other commands add their own name to it."""
    start: Start = "earliest"
    """Where a group without offsets begins: earliest, latest, or a time with its zone."""
    partitions: Whole = 8
    """Of the topics that `topics create` makes."""
    replication: Whole = 1
    """Copies of each partition that `topics create` asks for."""
    slot: Text | None = None
    """The name of this worker on its host; null: 0."""
    protocol: Literal["plaintext", "ssl", "sasl_plaintext", "sasl_ssl"] = "plaintext"
    """How brokers are spoken to: see docs/kafka-security.md."""
    mechanism: (
        Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "AWS_MSK_IAM"] | None
    ) = None
    """Of SASL. The password is STREAMGAUGE_KAFKA_PASSWORD."""
    oauth: OauthSettings = OauthSettings()
    username: Text | None = None
    """Of SASL."""
    ca: Text | None = None
    """File with the certificates to trust; null: the system's."""
    certificate: Text | None = None
    """File with this worker's certificate."""
    certificate_key: Text | None = None
    """File with its private key, without a passphrase."""


class LinksSettings(BaseModel):
    """Addresses in a notification; {trace_id} and the like are filled in."""

    model_config = SECTION

    trace: Text | None = None
    """Of a trace."""
    dashboard: Text | None = None
    """Of the figures."""
    runbook: Text | None = None
    """Of what to do."""


class NotifySettings(BaseModel):
    """Who is told of alerts. Its address is STREAMGAUGE_NOTIFY_<NAME>_URL."""

    model_config = SECTION

    name: Text
    """As the address's variable names it."""
    kind: Literal["alertmanager", "webhook", "slack"]
    """How it is told."""
    repeat: PositiveDuration = timedelta(hours=4)
    """How often it is reminded of what still fires."""
    links: LinksSettings = LinksSettings()
    allow_private_addresses: bool = False
    """Whether it may lie in a private network, or on this machine."""


class SinkSettings(BaseModel):
    """A system that scores are written to, too. Its key is STREAMGAUGE_SINK_<KIND>_KEY."""

    model_config = SECTION

    kind: Literal["langfuse", "phoenix"]
    """What it is."""
    url: HttpUrl
    """Where it is: what its own pages lie below."""
    allow_private_addresses: bool = False
    """Whether it may lie in a private network, or on this machine."""


class TelemetrySettings(BaseModel):
    """What is exported as OpenTelemetry signals."""

    model_config = SECTION

    otlp: HttpUrl | None = None
    """Endpoint; null: that of the OTEL_ variables, and nothing where they are not set."""
    attach_to: Literal["answer", "root"] = "answer"
    """The span that a score belongs to."""
    judged_text: bool = False
    """Whether judged text is exported."""


class ServeSettings(BaseModel):
    """Where /metrics, /healthz and /readyz are served."""

    model_config = SECTION

    host: Text = "127.0.0.1"
    """The address to listen on."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8088
    """0: any that is free."""
