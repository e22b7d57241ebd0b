"""Who holds a run: by what was written of it, and by who may still be alive."""

from collections.abc import Sequence
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from schemas.run import Run, RunLease
from streams.replay.lease import LASTS, Tenant, holder, taken
from tests.fakes import NOON


def tenant(nonce: str = "me", *, host: str = "h", pid: int = 1, dead: Sequence[int] = ()) -> Tenant:
    return Tenant(nonce, host, pid, lambda asked: asked not in dead)


def lease(nonce: str, *, host: str = "h", pid: int = 2, at: float = 0) -> RunLease:
    until = NOON + timedelta(seconds=at) + LASTS
    return RunLease(nonce=nonce, host=host, pid=pid, until=until)


def written(held: RunLease | None, *, at: float = 0) -> Run:
    """Return a manifest as it is written so many seconds after noon."""
    now = NOON + timedelta(seconds=at)
    return Run(
        run="r",
        topic="rag.traces",
        of=1,
        began_at=NOON,
        at=now,
        lease=held,
        frozen={},
        configs={},
        share=0.3,
        partitions={},
    )


def test_a_run_without_a_lease_is_free() -> None:
    assert not tenant().bars(None, NOON)
    assert holder([], tenant()) is None


def test_a_lease_of_another_host_bars_until_it_has_run_out() -> None:
    theirs = lease("a", host="other")

    assert tenant().bars(theirs, NOON + timedelta(seconds=29))
    assert not tenant().bars(theirs, NOON + LASTS)


def test_a_process_of_this_host_bars_only_while_it_lives() -> None:
    assert tenant().bars(lease("a"), NOON)
    assert not tenant(dead=[2]).bars(lease("a"), NOON)
    assert tenant(dead=[2]).bars(lease("a", host="other"), NOON)


def test_an_earlier_process_with_our_own_id_has_ended() -> None:
    assert not tenant(pid=2).bars(lease("a"), NOON)


def test_of_two_claims_at_one_moment_the_first_in_the_log_holds() -> None:
    log = [written(lease("a", pid=2)), written(lease("b", pid=3))]

    for who in (tenant("a", pid=2), tenant("b", pid=3), tenant("c", pid=4)):
        held = holder(log, who)
        assert held is not None
        assert held.nonce == "a"


def test_a_claim_holds_after_the_lease_before_it_has_run_out() -> None:
    log = [written(lease("a", host="x")), written(lease("b", host="y", at=30), at=30)]

    held = holder(log, tenant())

    assert held is not None
    assert held.nonce == "b"


def test_a_renewed_lease_goes_on_though_another_claimed_in_between() -> None:
    log = [
        written(lease("a", host="x")),
        written(lease("b", host="y", at=15), at=15),
        written(lease("a", host="x", at=20), at=20),
        written(lease("c", host="z", at=40), at=40),
    ]

    held = holder(log, tenant())

    assert held is not None
    assert (held.nonce, held.until) == ("a", NOON + timedelta(seconds=20) + LASTS)


def test_a_run_that_was_given_back_is_free_at_once() -> None:
    log = [written(lease("a", host="x")), written(None, at=5), written(lease("b"), at=6)]

    held = holder(log, tenant())

    assert held is not None
    assert held.nonce == "b"


def test_what_a_late_process_still_writes_takes_nothing_from_who_has_the_run_by_then() -> None:
    log = [
        written(lease("a", host="x")),
        written(lease("b", host="y", at=31), at=31),
        written(lease("a", host="x")),  # frozen as it wrote
    ]

    held = holder(log, tenant())

    assert held is not None
    assert held.nonce == "b"


def test_the_error_names_process_host_and_time() -> None:
    told = str(taken("r", lease("a", host="shop-1", pid=77)))

    assert "process 77 on shop-1" in told
    assert "2026-" in told or "20" in told


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 12)), max_size=20),
)
def test_all_readers_of_a_log_agree_and_no_holder_is_replaced_before_its_time(
    steps: list[tuple[str, int]],
) -> None:
    log, at = [], 0
    for nonce, pause in steps:
        at += pause
        log.append(written(lease(nonce, host=nonce, at=at), at=at))

    for end in range(1, len(log) + 1):
        seen = {holder(log[:end], tenant(nonce, host=nonce)) for nonce in "abcd"}
        assert len({None if held is None else held.nonce for held in seen}) == 1
        held, before = holder(log[:end], tenant()), holder(log[: end - 1], tenant())
        assert held is not None
        assert before is None or held.nonce == before.nonce or before.until <= log[end - 1].at
