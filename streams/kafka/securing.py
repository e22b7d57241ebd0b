"""From settings and secrets to what our clients prove themselves by."""

from streams.kafka.msk import WAY_OUT as OF_AWS
from streams.kafka.msk import Signing, region_of
from streams.kafka.oauth import WAY_OUT as OF_OAUTH
from streams.kafka.oauth import ClientCredentials
from streams.kafka.tls import tls_context
from streams.kafka.tokens import KeptTokens
from streams.security import Security, Tokens
from streams.settings.edges import KafkaSettings
from streams.settings.secrets import Secrets

_BEARER = "OAUTHBEARER"


def security_of(kafka: KafkaSettings, secrets: Secrets, servers: str) -> Security:
    """Return it for settings in which nothing is impossible. Raises TlsFileError.

    Its tokens are kept in it, for all clients that are made with it.
    """
    tls = None
    if kafka.protocol.endswith("ssl"):
        tls = tls_context(
            ca=kafka.ca, certificate=kafka.certificate, certificate_key=kafka.certificate_key
        )
    if kafka.mechanism is None:
        return Security(tls=tls)
    if (tokens := _tokens(kafka, secrets, servers)) is not None:
        return Security(_BEARER, tokens=tokens, tls=tls)
    password = secrets.kafka_password
    return Security(
        kafka.mechanism,
        kafka.username,
        None if password is None else password.get_secret_value(),
        tls=tls,
    )


def _tokens(kafka: KafkaSettings, secrets: Secrets, servers: str) -> Tokens | None:
    if kafka.mechanism == "AWS_MSK_IAM":
        return KeptTokens(Signing(region_of(servers)).fetch, OF_AWS)
    if kafka.mechanism != _BEARER:
        return None
    oauth, secret = kafka.oauth, secrets.kafka_client_secret
    credentials = ClientCredentials(
        url=oauth.token_url or "",
        client_id=oauth.client_id or "",
        secret="" if secret is None else secret.get_secret_value(),
        scope=oauth.scope,
        ca=kafka.ca,
        allow_private=oauth.allow_private_addresses,
    )
    return KeptTokens(credentials.fetch, OF_OAUTH)
