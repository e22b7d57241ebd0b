"""Running `streamgauge` on a broker as its users do."""

import subprocess
import sys
from pathlib import Path

from streams.address import Topics

STREAMGAUGE = str(Path(sys.executable).parent / "streamgauge")


def run(
    kafka: str, folder: Path, topics: Topics, *command: str, kafka_section: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end with settings for this broker and these topics."""
    names = ("traces", "scores", "marks", "windows", "alerts", "runs", "dead")
    listed = ", ".join(f"{name}: {getattr(topics, name)}" for name in names)
    (folder / "streamgauge.yaml").write_text(
        f"broker: kafka://{kafka}\ntopics: {{{listed}}}\n"
        f"kafka: {{group: {topics.traces}.group{kafka_section}}}\nsampling: {{probability: 1.0}}\n"
    )
    return subprocess.run(  # noqa: S603 - our own command
        [STREAMGAUGE, *command], cwd=folder, capture_output=True, text=True, check=False, timeout=90
    )
