"""Every name that our signals borrow from OpenTelemetry and OpenInference, and those of our own.

They are held to one generation of the conventions, the one that `SCHEMA_URL` names: these names
still move, and then only this module does.
"""

SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0"
SCOPE = "streamgauge"
"""The instrumentation scope: by it, too, our own signals are told from traces to be scored."""

# One evaluation: a log event, and the event of its carrier
EVALUATION_RESULT = "gen_ai.evaluation.result"
EVALUATION_NAME = "gen_ai.evaluation.name"
SCORE_VALUE = "gen_ai.evaluation.score.value"
SCORE_LABEL = "gen_ai.evaluation.score.label"
EXPLANATION = "gen_ai.evaluation.explanation"
RESPONSE_ID = "gen_ai.response.id"
ERROR_TYPE = "error.type"

# The carrier: a span of ours that links to the span that was scored
CARRIER = "evaluate {scorer}"
SPAN_KIND = "openinference.span.kind"
EVALUATOR = "EVALUATOR"
ANNOTATION = "evaluations.0.evaluation."
"""Begins the flattened fields of the one evaluation that a carrier carries."""

# Our own attributes: no convention has a name for them
SCORE_ID = "streamgauge.score.id"
OUTCOME = "streamgauge.outcome"
REASON = "streamgauge.outcome.reason"
ERROR_KIND = "streamgauge.error.kind"
BAD = "streamgauge.bad"
SCORER_VERSION = "streamgauge.scorer.version"
JUDGE = "streamgauge.judge"
JUDGE_MODEL = "streamgauge.judge.model"
SERIES = "streamgauge.series"
PROBABILITY = "streamgauge.sample.probability"
CLAIMS = "streamgauge.claims.total"
UNSUPPORTED = "streamgauge.claims.unsupported"
RUN = "streamgauge.run"
TARGET_SERVICE = "streamgauge.target.service"
TARGET_ENVIRONMENT = "streamgauge.target.environment"
TARGET_TRACE = "streamgauge.target.trace_id"
"""The scored trace where its id is not one of OpenTelemetry's, so that no context can name it."""
TARGET_SPAN = "streamgauge.target.span_id"

# The work on a batch of records
PROCESS = "process {topic}"
MESSAGING_SYSTEM = "messaging.system"
OPERATION_NAME = "messaging.operation.name"
OPERATION_TYPE = "messaging.operation.type"
DESTINATION = "messaging.destination.name"
PARTITION_ID = "messaging.destination.partition.id"
GROUP = "messaging.consumer.group.name"
MESSAGE_COUNT = "messaging.batch.message_count"
OFFSET = "messaging.kafka.offset"

# Calls to a judge's model, which are metrics only
CALL_DURATION = "gen_ai.client.operation.duration"
CALL_TOKENS = "gen_ai.client.token.usage"
CALL_NAME = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
RESPONSE_MODEL = "gen_ai.response.model"
TOKEN_TYPE = "gen_ai.token.type"  # noqa: S105 - a token of text
