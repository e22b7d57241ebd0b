"""What must be true of our topics before two halves can share them."""

from dataclasses import replace

from streams.address import Topics
from streams.topics import TopicFault, TopicFound, differences, faults, missing, plans, together

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


def test_marks_with_more_partitions_than_scores_are_made_anew() -> None:
    found = as_wanted()
    found["rag.marks"] = replace(found["rag.marks"], partitions=12)

    (fault,) = wrong(found)

    assert fault.remedy.endswith("--delete --topic rag.marks; streamgauge topics create")


def test_scores_that_were_altered_since_the_watch_half_began_make_it_begin_afresh() -> None:
    found = as_wanted()
    for name in ("rag.scores", "rag.marks", "rag.alerts"):
        found[name] = replace(found[name], partitions=12)

    panes, state = wrong(found)

    assert panes.topic == "streamgauge-watch-panes-changelog"
    assert "has 8 partitions where rag.scores has 12, which was altered" in panes.fault
    assert panes.remedy == state.remedy
    assert (
        "--delete --topic 'rag.scores|rag.marks|streamgauge-watch-panes-changelog|"
        "streamgauge-watch-state-changelog'"
    ) in panes.remedy


def test_what_goes_sooner_than_meant_and_times_of_workers_are_told() -> None:
    found = as_wanted()
    soon = dict(found["rag.dead"].config) | {"retention.ms": "3600000"}
    found["rag.dead"] = replace(found["rag.dead"], config=soon)
    theirs = dict(found["rag.marks"].config) | {"message.timestamp.type": "CreateTime"}
    found["rag.marks"] = replace(found["rag.marks"], config=theirs)
    forever = dict(found["rag.scores"].config) | {"retention.ms": "-1"}
    found["rag.scores"] = replace(found["rag.scores"], config=forever)

    marks, dead = differences(WANTED, found, servers="kafka:9092")

    assert "--entity-name rag.marks --add-config message.timestamp.type=LogAppend" in marks.remedy
    assert (dead.topic, dead.fault) == ("rag.dead", "keeps 1h, 30d are meant")
    assert wrong(found) == []


def test_what_is_made_anew_is_like_what_stayed() -> None:
    found = as_wanted(partitions=12)
    assert together(WANTED, found) == 12

    del found["rag.scores"], found["rag.marks"]
    found["streamgauge-watch-panes-changelog"] = TopicFound(8, 3, {})
    assert together(WANTED, found) == 12

    assert together(WANTED, {"rag.traces": found["rag.traces"]}) == 0


def test_too_few_copies_are_told() -> None:
    assert {one.topic for one in wrong(as_wanted(copies=1))} == {plan.name for plan in WANTED}


def test_the_policies_may_stand_in_any_order_and_retention_is_the_owners_choice() -> None:
    found = as_wanted()
    config = {"cleanup.policy": "delete, compact", "retention.ms": "1000"}
    found["rag.windows"] = replace(found["rag.windows"], config=config)

    assert wrong(found) == []
