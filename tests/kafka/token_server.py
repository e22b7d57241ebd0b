"""A token endpoint on 127.0.0.1, and the unsigned tokens that a broker in tests takes."""

import base64
import json
import time
from urllib.parse import parse_qs

from tests.judge_server import Heard, JudgeServer, Play, reply

CLIENT, SECRET = "streamgauge", "battery-staple"


def unsigned(*, seconds: float) -> str:
    """Return a token that lives for so long."""
    now = time.time()
    claims = {"sub": CLIENT, "iat": now, "exp": now + seconds}
    return f"{_part({'alg': 'none'})}.{_part(claims)}."


def _part(content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


def token_server(
    *, seconds: float = 600, said: float = 600, scope: str | None = None
) -> JudgeServer:
    """Return an endpoint that gives tokens to CLIENT, who shows SECRET and asks for a scope.

    They live for `seconds`, and are `said` to live for so long.
    """
    pair = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
    form = {"grant_type": ["client_credentials"]} | ({} if scope is None else {"scope": [scope]})

    def answer(heard: Heard) -> Play:
        if heard.headers["authorization"] != f"Basic {pair}":
            return reply('{"error": "invalid_client"}', 401)
        if parse_qs(heard.raw.decode()) != form:
            return reply('{"error": "invalid_request"}', 400)
        token = {"access_token": unsigned(seconds=seconds), "expires_in": said}
        return reply(json.dumps(token | {"token_type": "bearer"}))

    return JudgeServer(answer)
