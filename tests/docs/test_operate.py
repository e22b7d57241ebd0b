"""docs/operate.md says how long each topic keeps what it holds, as `topics create` makes it."""

import re
from datetime import timedelta

import pytest

from streams.address import Topics
from streams.settings.load import Settings
from streams.topics import TopicPlan, plans
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
SHOWN = {
    name: keeps
    for names, keeps in re.findall(r"^\| ((?:`[\w.]+`(?:, )?)+) \| ([^|]*) \|", PAGE, re.MULTILINE)
    for name in re.findall(r"`([\w.]+)`", names)
}
OURS = [
    plan
    for plan in plans(Topics(**Settings().topics.model_dump()), "watch", "spans")
    if plan.name.startswith(("rag.", "streamgauge."))
]


@pytest.mark.parametrize("plan", OURS, ids=lambda plan: str(plan.name))
def test_a_topic_keeps_what_the_page_says(plan: TopicPlan) -> None:
    kept, policy = plan.config.get("retention.ms"), plan.config["cleanup.policy"]

    said = SHOWN[plan.name]

    assert ("compacted" in said) == ("compact" in policy)
    assert kept is None or written(timedelta(milliseconds=int(kept))) in said
    assert kept is not None or not re.search(r"\d", said)


def written(time: timedelta) -> str:
    """Return a time as a sentence has it."""
    hours = time // timedelta(hours=1)
    count, unit = (hours // 24, "day") if hours >= 24 else (hours, "hour")
    return f"{count} {unit}{'s' if count > 1 else ''}"
