"""Running `streamgauge` on a broker as its users do."""

import subprocess
from pathlib import Path

from streams.address import Topics
from tests.command import STREAMGAUGE


def settings(kafka: str, folder: Path, topics: Topics, more: str = "", of_kafka: str = "") -> Path:
    """Write settings for this broker and these topics."""
    names = ("traces", "scores", "marks", "windows", "alerts", "runs", "dead")
    listed = ", ".join(f"{name}: {getattr(topics, name)}" for name in names)
    file = folder / "streamgauge.yaml"
    file.write_text(
        f"broker: kafka://{kafka}\ntopics: {{{listed}}}\n"
        f"kafka: {{group: {topics.traces}.group{of_kafka}}}\nsampling: {{probability: 1.0}}\n{more}"
    )
    return file


def run(
    kafka: str, folder: Path, topics: Topics, *command: str, more: str = "", of_kafka: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end with settings for this broker and these topics."""
    settings(kafka, folder, topics, more, of_kafka)
    return subprocess.run(  # noqa: S603 - our own command
        [STREAMGAUGE, *command], cwd=folder, capture_output=True, text=True, check=False, timeout=90
    )
