from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from schemas.rejection import Rejection
from schemas.tally import UNKNOWN_ASSISTANT
from streams.ports import Progress, Record
from streams.scoring.chances import Chance
from streams.scoring.draws import MINUTE_MS, Cell, Draw, Draws
from streams.scoring.tallying import MAX_ROWS, Tallying

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NOON_MS = int(NOON.timestamp() * 1000)
KEPT = (Chance("faithfulness", 0.25),)


def chances(stratum: str, _: str) -> Mapping[str, float]:
    return {"faithfulness": 1.0 if stratum == "down" else 0.25}


def tallying() -> Tallying:
    return Tallying(chances, lambda: NOON)


def row(offset: int, *, at: int = NOON_MS, epoch: int = 1) -> Record:
    return Record("rag.traces", 3, offset, None, b"", at, epoch=epoch)


def count(tally: Tallying, record: Record, fate: Draw | Rejection) -> None:
    at = None if isinstance(fate, Rejection) else fate.at
    times = [record.timestamp if at is None else min(at, record.timestamp)]
    tally.count([record], Draws({}, {0: fate}, times))


def test_a_block_says_what_was_seen_and_drawn_of_each_stratum() -> None:
    tally = tallying()

    count(tally, row(10), Draw("shop/production", "base", ()))
    count(tally, row(11), Draw("shop/production", "base", KEPT))
    count(tally, row(12), Draw("shop/production", "down", (Chance("faithfulness", 1.0),)))
    [block] = tally.close(NOON, everything=True)

    [message] = block.tallies
    assert (block.partition, block.to, block.epoch) == (3, 13, 1)
    assert message.model_dump(by_alias=True, include={"source", "strata", "rejected"}) == {
        "source": {"topic": "rag.traces", "partition": 3, "from": 10, "to": 13, "epoch": 1},
        "strata": {
            "base": {
                "seen": 2,
                "shed": 0,
                "scorers": {"faithfulness": {"probability": 0.25, "sampled": 1}},
            },
            "down": {
                "seen": 1,
                "shed": 0,
                "scorers": {"faithfulness": {"probability": 1.0, "sampled": 1}},
            },
        },
        "rejected": 0,
    }


def test_a_block_has_one_tally_for_each_assistant_and_minute() -> None:
    tally = tallying()

    count(tally, row(0), Draw("shop/production", "base", (), NOON_MS))
    count(tally, row(1), Draw("shop/production", "base", (), NOON_MS - 60_000))
    count(tally, row(2), Draw("bank/production", "base", (), NOON_MS))
    [block] = tally.close(NOON, everything=True)

    assert {(t.assistant, t.minute) for t in block.tallies} == {
        ("shop/production", NOON),
        ("shop/production", NOON - timedelta(minutes=1)),
        ("bank/production", NOON),
    }


def test_rows_that_are_counted_together_count_as_rows_that_are_counted_one_by_one() -> None:
    together, one_by_one = tallying(), tallying()
    kept, passed = Draw("shop/production", "base", KEPT), Draw("shop/production", "base", ())
    times = [NOON_MS + minute * MINUTE_MS for minute in (0, 0, 1, 0, 2)]
    rows = [row(n, at=at) for n, at in enumerate(times)]
    noon = NOON_MS // MINUTE_MS
    cells = {Cell("shop/production", "base", minute): n for minute, n in ((noon, 3), (noon + 2, 1))}

    together.count(rows, Draws(cells, {2: kept}, times))
    for n, record in enumerate(rows):
        count(one_by_one, record, kept if n == 2 else passed)

    [one], [other] = (t.close(NOON, everything=True) for t in (together, one_by_one))
    by_minute = [sorted(b.tallies, key=lambda t: t.minute) for b in (one, other)]
    assert by_minute[0] == by_minute[1]
    assert (one.to, other.to) == (5, 5)
    for next in (2, 5):  # where work may stop: at a row that was drawn, and behind the batch
        progress = {3: Progress(next, 5, 1)}
        assert together.worked_off(progress) == one_by_one.worked_off(progress)


def test_a_rejected_row_is_in_no_stratum_and_known_by_whoever_could_be_read() -> None:
    tally = tallying()

    count(tally, row(0), Rejection("not_json", ""))
    count(tally, row(1), Rejection("bad_time", "answered_at", assistant="shop/production"))
    [block] = tally.close(NOON, everything=True)

    assert {t.assistant: (t.rejected, t.strata) for t in block.tallies} == {
        UNKNOWN_ASSISTANT: (1, {}),
        "shop/production": (1, {}),
    }


def test_a_block_ends_by_its_size_before_it_ends_by_its_age() -> None:
    tally = tallying()

    for offset in range(MAX_ROWS + 1):
        count(tally, row(offset), Draw("shop/production", "base", ()))

    assert tally.full
    assert [b.to for b in tally.close(NOON)] == [MAX_ROWS]
    assert [b.to for b in tally.close(NOON + timedelta(seconds=9))] == []
    assert [b.to for b in tally.close(NOON + timedelta(seconds=10))] == [MAX_ROWS + 1]
    assert tally.close(NOON + timedelta(seconds=30)) == []


def test_a_partition_that_comes_back_starts_its_block_afresh() -> None:
    tally = tallying()
    count(tally, row(0, epoch=1), Draw("shop/production", "base", ()))
    count(tally, row(1, epoch=1), Draw("shop/production", "base", ()))

    count(tally, row(0, epoch=2), Draw("shop/production", "base", ()))
    [block] = tally.close(NOON, everything=True)

    assert (block.tallies[0].source.from_, block.to, block.epoch) == (0, 1, 2)


def test_event_time_is_the_greatest_below_what_is_finished() -> None:
    tally = tallying()
    for offset, minute in enumerate((1, 3, 2, 4)):
        at = NOON_MS + minute * 60_000
        count(tally, row(offset, at=at), Draw("shop/production", "base", (), at))

    def reached(next: int) -> int | None:
        found = tally.worked_off({3: Progress(next, 9, 1)})[3]
        return None if found.event_time is None else found.event_time.minute

    assert [reached(n) for n in (0, 1, 2, 3, 4)] == [None, 1, 3, 3, 4]


def test_a_row_from_the_future_does_not_drag_the_clock_along() -> None:
    tally = tallying()

    count(tally, row(0), Draw("shop/production", "base", (), NOON_MS + 240_000))

    assert tally.worked_off({3: Progress(1, 1, 1)})[3].event_time == NOON


def test_an_assignment_that_has_read_nothing_knows_no_event_time() -> None:
    tally = tallying()
    count(tally, row(0, epoch=1), Draw("shop/production", "base", ()))

    assert tally.worked_off({3: Progress(0, 5, 2)})[3].event_time is None


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.booleans()), max_size=60))
def test_every_row_is_counted_once_however_blocks_end(rows: list[tuple[int, bool, bool]]) -> None:
    tally, seen, ends = tallying(), Counter[str](), []
    for offset, (minute, drawn, cut) in enumerate(rows):
        draw = Draw("shop/production", "base", KEPT if drawn else (), NOON_MS + minute * 60_000)
        count(tally, row(offset), draw)
        ends += tally.close(NOON, everything=cut)
    ends += tally.close(NOON, everything=True)

    for block in ends:
        for message in block.tallies:
            stratum = message.strata["base"]
            seen["seen"] += stratum.seen
            seen["drawn"] += stratum.scorers["faithfulness"].sampled
    assert (seen["seen"], seen["drawn"]) == (len(rows), sum(drawn for _, drawn, _ in rows))
    starts = [block.tallies[0].source.from_ for block in ends]
    assert starts == [0, *(block.to for block in ends[:-1])][: len(ends)]
