"""Whatever order and pieces spans come in, each trace comes out once."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from streams.assemble.closing import Closed, ClosingLimits
from streams.assemble.open_traces import OpenTraces
from streams.assemble.places import RecordRef
from streams.assemble.span import Span
from tests.streams.assemble.spans import a_whole_trace, trace_id


def batches(rng: random.Random, spans: Sequence[Span]) -> Iterator[tuple[RecordRef, list[Span]]]:
    """Yield the spans in shuffled records of several partitions, some of them twice."""
    some = [*spans, *rng.sample(spans, len(spans) // 3)]
    rng.shuffle(some)
    ends = Counter[int]()
    while some:
        size, partition = rng.randint(1, 6), rng.randrange(3)
        yield (
            RecordRef(partition, ends[partition]),
            [some.pop() for _ in range(min(size, len(some)))],
        )
        ends[partition] += rng.randint(1, 3)


def test_shuffled_500_ways_with_duplicates_over_records_and_partitions_it_is_the_same_once() -> (
    None
):
    sizes = [1, 4, 9, 17]
    wanted = {trace_id(n): tuple(a_whole_trace(n, size)) for n, size in enumerate(sizes)}
    spans = [span for whole in wanted.values() for span in whole]

    for seed in range(500):
        traces, found = OpenTraces(), list[Closed]()
        for place, batch in batches(random.Random(seed), spans):
            found += traces.add(batch, place, now=place.offset * 50)
        found += traces.due(60_000)

        assert len(found) == len(sizes)
        assert {closed.trace_id: closed.spans for closed in found} == wanted
        assert all(closed.rooted and not closed.cut_short for closed in found)


@settings(max_examples=60)
@given(seed=st.integers(0, 1 << 32), tight=st.booleans(), data=st.data())
def test_nothing_at_or_above_an_open_traces_record_is_free_and_no_bound_is_passed(
    seed: int, tight: bool, data: st.DataObject
) -> None:
    """Whatever comes, in whatever order: each trace once, its records held until it is written."""
    rng = random.Random(seed)
    limits = (
        ClosingLimits(max_traces=3, max_bytes=9_000, hold=5, max_spans=4)
        if tight
        else ClosingLimits()
    )
    traces, unwritten = OpenTraces(limits), list[Closed]()
    spans = [span for n in range(8) for span in a_whole_trace(n, rng.randint(1, 7))]
    held: dict[RecordRef, set[str]] = {}
    seen: list[str] = []
    now = 0

    for place, batch in batches(rng, spans):
        now += data.draw(st.integers(0, 4_000))
        closed = traces.add(batch, place, now=now)
        decided = {*seen, *(one.trace_id for one in closed if one.why in ("quiet", "waited"))}
        held[place] = {span.trace_id for span in batch} - decided
        if rng.random() < 0.3:
            closed += traces.due(now)
        seen += [one.trace_id for one in closed]
        unwritten += closed
        assert len(traces) <= limits.max_traces and traces.bytes <= limits.max_bytes
        while unwritten and rng.random() < 0.8:
            written = unwritten.pop()
            free = traces.written(written.trace_id)
            for holders in held.values():
                holders.discard(written.trace_id)
            assert all(not held[one] for one in free)
        assert all(traces.holds(place) == bool(holders) for place, holders in held.items())

    seen += [one.trace_id for one in traces.end()]
    assert len(seen) == len(set(seen)) == 8
