"""Tokens for Amazon MSK: an AWS identity signs for itself, by Amazon's library (extra `msk`)."""

import asyncio
import re
import time
from dataclasses import dataclass
from importlib.util import find_spec

from streams.kafka.tokens import Token, TokenError

_REGION = re.compile(r"\.([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com(?:\.cn)?(?::\d+)?(?:,|$)")

WAY_OUT = "does its policy allow this AWS identity kafka-cluster:Connect on the cluster?"


def signer_is_here() -> bool:
    """Say whether the extra is installed."""
    return find_spec("aws_msk_iam_sasl_signer") is not None


def region_of(servers: str) -> str | None:
    """Return the region that the brokers' names tell, None where they have names of their own."""
    found = _REGION.search(servers)
    return None if found is None else found[1]


@dataclass(frozen=True, slots=True)
class Signing:
    """Signs for a region; None: the region that AWS's own settings name."""

    region: str | None

    async def fetch(self) -> Token:
        """Return a new token. Raises TokenError. Where credentials are looked for, AWS decides."""
        return await asyncio.to_thread(self._sign)

    def _sign(self) -> Token:
        from aws_msk_iam_sasl_signer import MSKAuthTokenProvider
        from botocore.exceptions import BotoCoreError, ClientError
        from botocore.session import Session

        region = self.region or Session().get_config_variable("region")
        if region is None:
            raise TokenError("the AWS region is not known", "set AWS_DEFAULT_REGION")
        try:
            value, until_ms = MSKAuthTokenProvider.generate_auth_token(region)
        # AttributeError is what the signer makes of credentials that are nowhere to be found.
        except (BotoCoreError, ClientError, AttributeError, ValueError) as error:
            raise TokenError(
                f"AWS gave no credentials ({type(error).__name__})",
                "give this process an AWS identity: a role, a profile, or AWS_ACCESS_KEY_ID",
            ) from error
        return Token(value, until_ms / 1000 - time.time())
