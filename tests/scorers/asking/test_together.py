import asyncio

import pytest

from scorers.asking.together import ask_all


async def test_answers_come_in_the_order_of_the_questions() -> None:
    first_may_go = asyncio.Event()

    async def first() -> str:
        await first_may_go.wait()
        return "first"

    async def second() -> str:
        first_may_go.set()
        return "second"

    assert await ask_all([first(), second()]) == ["first", "second"]


async def test_no_more_are_under_way_than_allowed() -> None:
    under_way, most = 0, 0

    async def question() -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1

    await ask_all([question() for _ in range(10)], at_once=3)

    assert most == 3


async def test_the_first_failure_stops_the_others_and_those_not_begun() -> None:
    cancelled, begun = [], []

    async def waits(name: str) -> None:
        begun.append(name)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(name)
            raise

    async def breaks() -> None:
        await asyncio.sleep(0)
        raise ValueError("down")

    with pytest.raises(ValueError, match="down"):
        await ask_all([waits("a"), breaks(), waits("never begun")], at_once=2)

    assert cancelled == ["a"]
    assert begun == ["a"]


async def test_nothing_is_asked_when_there_is_nothing_to_ask() -> None:
    assert await ask_all([]) == []
