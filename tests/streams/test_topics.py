"""What must be true of our topics before two halves can share them."""

from dataclasses import replace

from streams.address import Topics
from streams.topics import TopicFault, TopicFound, faults, missing, plans

WANTED = plans(Topics(), "streamgauge-watch")


def as_wanted(partitions: int = 8, copies: int = 3) -> dict[str, TopicFound]:
    return {plan.name: TopicFound(partitions, copies, plan.config) for plan in WANTED}


def wrong(found: dict[str, TopicFound]) -> list[TopicFault]:
    return list(faults(WANTED, found, copies=3, servers="kafka:9092"))


def test_topics_as_they_are_wanted_have_no_fault() -> None:
    assert wrong(as_wanted()) == []


def test_what_is_not_there_is_to_be_made() -> None:
    found = as_wanted()
    del found["rag.marks"]

    assert [plan.name for plan in missing(WANTED, found)] == ["rag.marks"]
    assert [(one.topic, one.remedy) for one in wrong(found)] == [
        ("rag.marks", "streamgauge topics create")
    ]


def test_scores_may_not_be_compacted_for_their_key_is_the_assistant_alone() -> None:
    found = as_wanted()
    found["rag.scores"] = replace(found["rag.scores"], config={"cleanup.policy": "compact"})

    (fault,) = wrong(found)

    assert fault.fault == "cleanup.policy is compact, must be delete"
    assert "--entity-name rag.scores --add-config cleanup.policy=[delete]" in fault.remedy


def test_marks_with_fewer_partitions_than_scores_are_given_as_many() -> None:
    found = as_wanted()
    found["rag.marks"] = replace(found["rag.marks"], partitions=4)

    (fault,) = wrong(found)

    assert fault.remedy.endswith("--alter --topic rag.marks --partitions 8")


def test_scores_with_fewer_partitions_than_a_changelog_are_given_as_many() -> None:
    found = as_wanted()
    name = "streamgauge-watch-panes-changelog"
    found[name] = replace(found[name], partitions=12)

    (fault,) = wrong(found)

    assert fault.remedy.endswith("--alter --topic rag.scores --partitions 12")


def test_too_few_copies_are_told() -> None:
    assert {one.topic for one in wrong(as_wanted(copies=1))} == {plan.name for plan in WANTED}


def test_the_policies_may_stand_in_any_order_and_retention_is_the_owners_choice() -> None:
    found = as_wanted()
    config = {"cleanup.policy": "delete, compact", "retention.ms": "1000"}
    found["rag.windows"] = replace(found["rag.windows"], config=config)

    assert wrong(found) == []
