"""What of Kafka's security cannot be had together, or not at all, with the way out of each."""

from collections.abc import Iterator

from streams.kafka.msk import signer_is_here
from streams.kafka.tls import TlsFileError, tls_context
from streams.settings.edges import KafkaSettings, OauthSettings
from streams.settings.problems import Problem
from streams.settings.secrets import Secrets

_WITH_PASSWORD = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_PASSWORD = "STREAMGAUGE_KAFKA_PASSWORD"  # noqa: S105 - the name of its variable
_SECRET = "STREAMGAUGE_KAFKA_CLIENT_SECRET"  # noqa: S105 - the name of its variable


def security_problems(kafka: KafkaSettings, *, in_use: Secrets | None) -> Iterator[Problem]:
    """Yield what is wrong. Files and secrets are looked for where Kafka is `in_use`, with these."""
    found = [*_pairs(kafka), *_oauth(kafka), *_files_without_use(kafka)]
    yield from found
    if in_use is not None and not found:
        yield from _missing(kafka, in_use)
        yield from _useless_files(kafka)


def _pairs(kafka: KafkaSettings) -> Iterator[Problem]:
    sasl, mechanism = kafka.protocol.startswith("sasl"), kafka.mechanism
    if mechanism is not None and not sasl:
        yield Problem("kafka.mechanism", "needs kafka.protocol: sasl_ssl (or sasl_plaintext)")
    if sasl and mechanism is None:
        yield Problem("kafka.mechanism", f"kafka.protocol: {kafka.protocol} needs one: set it")
    if mechanism in _WITH_PASSWORD and kafka.username is None:
        yield Problem("kafka.username", f"kafka.mechanism: {mechanism} needs it: set it")
    if mechanism not in _WITH_PASSWORD and kafka.username is not None:
        yield Problem(
            "kafka.username", "only PLAIN and SCRAM read it: set kafka.mechanism, or leave it out"
        )
    if mechanism == "AWS_MSK_IAM" and kafka.protocol == "sasl_plaintext":
        yield Problem("kafka.protocol", "AWS_MSK_IAM would sign for all to read: write sasl_ssl")


def _oauth(kafka: KafkaSettings) -> Iterator[Problem]:
    oauth, bearer = kafka.oauth, kafka.mechanism == "OAUTHBEARER"
    if not bearer and oauth != OauthSettings():
        yield Problem(
            "kafka.oauth", "only OAUTHBEARER reads it: set kafka.mechanism, or leave it out"
        )
    for key in ("token_url", "client_id") if bearer else ():
        if getattr(oauth, key) is None:
            yield Problem(f"kafka.oauth.{key}", "kafka.mechanism: OAUTHBEARER needs it: set it")


def _files_without_use(kafka: KafkaSettings) -> Iterator[Problem]:
    for key in ("ca", "certificate", "certificate_key"):
        if getattr(kafka, key) is not None and not kafka.protocol.endswith("ssl"):
            yield Problem(f"kafka.{key}", "only TLS reads it: set kafka.protocol: ssl or sasl_ssl")
    if (kafka.certificate is None) != (kafka.certificate_key is None):
        lacking = "certificate" if kafka.certificate is None else "certificate_key"
        yield Problem(
            f"kafka.{lacking}", "the pair is incomplete: set it too (one file may hold both)"
        )


def _missing(kafka: KafkaSettings, secrets: Secrets) -> Iterator[Problem]:
    if kafka.mechanism in _WITH_PASSWORD and secrets.kafka_password is None:
        yield Problem(_PASSWORD, f"kafka.mechanism: {kafka.mechanism} needs it: set the variable")
    if kafka.mechanism == "OAUTHBEARER" and secrets.kafka_client_secret is None:
        yield Problem(_SECRET, "kafka.mechanism: OAUTHBEARER needs it: set the variable")
    if kafka.mechanism == "AWS_MSK_IAM" and not signer_is_here():
        yield Problem(
            "kafka.mechanism", "AWS_MSK_IAM needs Amazon's signer: install streamgauge[msk]"
        )


def _useless_files(kafka: KafkaSettings) -> Iterator[Problem]:
    if not kafka.protocol.endswith("ssl"):
        return
    try:
        tls_context(
            ca=kafka.ca, certificate=kafka.certificate, certificate_key=kafka.certificate_key
        )
    except TlsFileError as error:
        yield Problem(f"kafka.{error.key}", str(error))
