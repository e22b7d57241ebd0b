"""The applications of docs/integrate.md: what each framework's instrumentation sends becomes a row.

`make frameworks` installs what they import, in an environment of its own.
"""

import asyncio
import gzip
import os
from pathlib import Path

import pytest

from streams.assemble.otlp import span_reader
from streams.assemble.rows import rows
from streams.assemble.span import Span
from tests.docs.pages import ROOT, blocks
from tests.streams.telemetry.collector import collector
from tests.tools import REQUIRED

PYTHON = ROOT / ".venv" / ".frameworks" / "bin" / "python"
SHOWN = "http://127.0.0.1:4318"
"""The collector of the page."""

QUESTION = "When do you open?"
PASSAGE = "We open at 10 am, on Sundays at 11 am."
ANSWERS = {
    "langchain_app.py": "We open at 10 am.",
    "llamaindex_app.py": PASSAGE,  # its model repeats what it was asked
    "haystack_app.py": "We open at 10 am.",
}


@pytest.fixture(scope="module")
def python() -> Path:
    """Return the Python that has the frameworks; skip with one line where there is none."""
    if not PYTHON.exists():
        said = "the frameworks are not installed: make frameworks"
        if os.environ.get(REQUIRED):  # noqa: TID251 - a test's own switch, no setting
            pytest.fail(said)
        pytest.skip(f"SKIPPED: {said}")
    return PYTHON


@pytest.mark.service
@pytest.mark.parametrize("application", ANSWERS)
async def test_a_row_comes_of_what_a_framework_does(
    application: str, python: Path, tmp_path: Path
) -> None:
    async with collector() as (address, taken):
        for block in blocks("python"):
            first, _, rest = block.text.partition("\n")
            if first.startswith("# ") and first.endswith(".py"):
                (tmp_path / first.removeprefix("# ")).write_text(rest.replace(SHOWN, address))
        said = await run(python, application, cwd=tmp_path)

    [row] = rows([span for path, body in taken if path == "/v1/traces" for span in spans(body)])
    assert (row.service, row.question) == ("helpdesk", QUESTION)
    assert [passage.text for passage in row.contexts or ()] == [PASSAGE]
    assert ANSWERS[application] in (row.answer or "")
    assert (row.answer or "") in said
    assert row.dialect == "openinference"


async def run(python: Path, application: str, *, cwd: Path) -> str:
    """Run it to its end, and return what it printed."""
    process = await asyncio.create_subprocess_exec(
        python,
        application,
        cwd=cwd,
        env={"HOME": str(cwd), "HAYSTACK_TELEMETRY_ENABLED": "False"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return out.decode()


def spans(body: bytes) -> list[Span]:
    """Return the spans of an export, as it was sent."""
    return span_reader("otlp_proto")(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)
