from hypothesis import given
from hypothesis import strategies as st

from streams.commit_order import BELIEVED_AFTER, CommitOrder, Told
from streams.commits import Metadata, encode

PLACE = "l3H-bftnTlmELVJyVkkxow", 3
LONG = BELIEVED_AFTER.total_seconds()


def commit(life: str, number: int) -> str:
    return encode(Metadata(f"{life}-{number}", PLACE[0], 1_767_268_800_000, b"\x05"))


def order_after(*texts: str) -> CommitOrder:
    order = CommitOrder()
    for text in texts:
        order.note(PLACE, text)
    return order


def test_whatever_is_told_of_a_partition_that_we_know_nothing_of_is_the_last() -> None:
    order = CommitOrder()

    assert order.weigh(PLACE, commit("them", 7), now=0) == "last"
    assert order.weigh(PLACE, None, now=0) == "last"


def test_a_commit_from_before_we_took_the_partition_up_is_behind_our_own() -> None:
    order = order_after(commit("them", 7), commit("us", 0))

    assert order.weigh(PLACE, commit("them", 7), now=0) == "behind"
    assert order.weigh(PLACE, None, now=0) == "behind"
    assert order.weigh(PLACE, commit("us", 0), now=0) == "last"


def test_a_commit_whose_answer_we_never_had_is_later_than_those_that_were_answered() -> None:
    order = order_after(commit("us", 0), commit("us", 1))

    assert order.weigh(PLACE, commit("us", 2), now=0) == "last"
    assert order.weigh(PLACE, commit("us", 0), now=0) == "behind"


def test_another_owner_since_then_is_believed_and_so_is_one_who_comes_back() -> None:
    order = order_after(commit("them", 7), commit("us", 0))

    assert order.weigh(PLACE, commit("others", 0), now=0) == "last"
    assert order.weigh(PLACE, commit("them", 8), now=0) == "last"


def test_what_somebody_else_wrote_beside_an_offset_says_nothing_of_its_order() -> None:
    order = order_after(commit("us", 4))

    assert order.weigh(PLACE, "", now=0) == "last"
    assert order.weigh(PLACE, "sg1.no number.x.1.", now=0) == "last"
    assert order.weigh(PLACE, f"sg1.us-{'0' * 5000}.x.1.", now=0) == "last"


def told_all_along(order: CommitOrder, text: str | None, *, begin: float) -> list[Told]:
    """Return what is thought of a commit that is told every 5 s for a minute, and once more."""
    return [order.weigh(PLACE, text, now=begin + 5 * n) for n in range(int(LONG / 5) + 1)]


def test_a_commit_that_is_behind_for_a_minute_is_all_that_is_left() -> None:
    order = order_after(commit("them", 7), commit("us", 0))

    *before, after = told_all_along(order, commit("them", 7), begin=10)

    assert set(before) == {"behind"}
    assert after == "lost"
    assert order.weigh(PLACE, commit("us", 0), now=11 + LONG) == "last"


def test_a_minute_of_doubt_begins_anew_once_the_last_commit_was_told_between() -> None:
    order = order_after(commit("them", 7), commit("us", 0))

    for now in range(0, int(LONG), 5):
        assert order.weigh(PLACE, None, now=now) == "behind"
    assert order.weigh(PLACE, commit("us", 0), now=LONG - 2) == "last"
    assert order.weigh(PLACE, None, now=LONG) == "behind"


def test_a_doubt_of_long_ago_is_not_counted() -> None:
    order = order_after(commit("us", 0))

    assert order.weigh(PLACE, None, now=0) == "behind"
    assert order.weigh(PLACE, None, now=10 * LONG) == "behind"


def test_a_partition_of_another_incarnation_of_the_topic_is_another_place() -> None:
    order = order_after(commit("us", 4))

    assert order.weigh(("another id", 3), None, now=0) == "last"


def test_it_tells_of_which_partitions_a_commit_is_known() -> None:
    order = order_after(commit("us", 4))

    assert (order.partitions(PLACE[0]), order.partitions("another id")) == ([3], [])


def test_where_it_was_believed_that_there_is_no_commit_any_is_the_last_again() -> None:
    order = order_after(commit("us", 4))

    order.note(PLACE, None)

    assert order.weigh(PLACE, commit("us", 2), now=0) == "last"


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=30), st.data())
def test_of_a_whole_past_only_the_last_commit_is_believed(
    lives: list[str], data: st.DataObject
) -> None:
    """Whoever has seen every commit knows every earlier one for what it is."""
    past = [commit(life, lives[:n].count(life)) for n, life in enumerate(lives)]
    order = order_after(*past)

    told = data.draw(st.sampled_from(past))

    assert order.weigh(PLACE, told, now=0) == ("last" if told == past[-1] else "behind")
