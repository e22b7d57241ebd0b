"""What the image's locks pin."""

import re
from collections.abc import Mapping

from tests.deploy.worlds import PROJECT

LOCKS: Mapping[str, str] = {
    name: (PROJECT / "deploy" / f"{name}.lock").read_text() for name in ("requirements", "build")
}
PINNED: Mapping[str, Mapping[str, str]] = {
    name: dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE)) for name, text in LOCKS.items()
}
