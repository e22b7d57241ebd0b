import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from scorers.judges.slots import Slots


async def test_those_who_wait_come_in_in_order() -> None:
    slots, order = Slots(lambda: 1), list[int]()

    async def enter(n: int) -> None:
        async with slots:
            order.append(n)
            await asyncio.sleep(0)

    await asyncio.gather(*map(enter, range(5)))

    assert order == [0, 1, 2, 3, 4]
    assert slots.taken == 0


async def test_who_is_cancelled_in_the_instant_of_being_let_in_leaves_the_place() -> None:
    slots = Slots(lambda: 1)

    async def enter() -> None:
        async with slots:
            pass

    async with slots:
        waiting = asyncio.create_task(enter())
        await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    assert slots.taken == 0
    await asyncio.wait_for(enter(), 1)


@given(st.lists(st.tuples(st.integers(1, 5), st.booleans()), min_size=1, max_size=40))
@settings(max_examples=50)
def test_whatever_the_limit_does_it_holds_and_no_place_is_lost(
    steps: list[tuple[int, bool]],
) -> None:
    async def run() -> None:
        allowed = 3
        slots = Slots(lambda: allowed)
        inside, tasks = 0, list[asyncio.Task[None]]()

        async def enter() -> None:
            nonlocal inside
            async with slots:
                inside += 1
                assert inside <= 5
                try:
                    await asyncio.sleep(0)
                finally:
                    inside -= 1

        for allowed, cancels in steps:  # noqa: B007 - the limit that the slots look at
            tasks.append(asyncio.create_task(enter()))
            await asyncio.sleep(0)
            if cancels:
                tasks[len(tasks) // 2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (slots.taken, inside) == (0, 0)

    asyncio.run(run())
