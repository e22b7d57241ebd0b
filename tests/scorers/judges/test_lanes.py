import asyncio

import httpx
import pytest

from scorers.judges.lanes import CONNECTIONS, CUT_OFF, STUCK, Lanes


class Transport(httpx.AsyncBaseTransport):
    closed = False

    async def aclose(self) -> None:
        self.closed = True


def made(in_flight: int) -> tuple[Lanes, list[Transport]]:
    transports = list[Transport]()

    def make() -> Transport:
        transports.append(Transport())
        return transports[-1]

    return Lanes(in_flight, make), transports


async def get_stuck(lanes: Lanes, times: int) -> None:
    for _ in range(times):
        with pytest.raises(httpx.PoolTimeout):
            async with lanes.one():
                raise httpx.PoolTimeout("no connection to be had")


async def get_cut_off(lanes: Lanes, times: int) -> None:
    for _ in range(times):
        with pytest.raises(asyncio.CancelledError):
            async with lanes.one():
                raise asyncio.CancelledError


async def test_no_lane_gets_more_calls_than_it_has_connections() -> None:
    lanes, transports = made(2 * CONNECTIONS)
    entered = [lanes.one() for _ in range(2 * CONNECTIONS)]

    used = [await one.__aenter__() for one in entered]

    assert [used.count(transport) for transport in transports] == [CONNECTIONS, CONNECTIONS]


async def test_a_lane_that_is_stuck_is_replaced_and_closed() -> None:
    lanes, transports = made(1)

    await get_stuck(lanes, STUCK)

    async with lanes.one() as lane:
        assert lane is transports[1]
    assert [transport.closed for transport in transports] == [True, False]


async def test_a_lane_is_not_closed_under_a_call_that_goes_on() -> None:
    lanes, transports = made(1)

    async with lanes.one():
        await get_stuck(lanes, STUCK)
        assert not transports[0].closed

    assert transports[0].closed


async def test_a_call_that_goes_well_forgives_the_time_outs_before_it() -> None:
    lanes, transports = made(1)

    await get_stuck(lanes, STUCK - 1)
    async with lanes.one():
        pass
    await get_stuck(lanes, STUCK - 1)

    assert len(transports) == 1


async def test_a_lane_that_may_have_lost_half_of_its_places_is_replaced_and_closed() -> None:
    lanes, transports = made(1)

    await get_cut_off(lanes, CUT_OFF)

    async with lanes.one() as lane:
        assert lane is transports[1]
    assert [transport.closed for transport in transports] == [True, False]


async def test_a_call_that_goes_well_brings_no_lost_place_back() -> None:
    lanes, transports = made(1)

    await get_cut_off(lanes, CUT_OFF - 1)
    async with lanes.one():
        pass
    await get_cut_off(lanes, 1)

    assert len(transports) == 2


async def test_calls_that_are_all_cut_off_at_once_cost_a_lane_once() -> None:
    lanes, transports = made(1)
    entered = [lanes.one() for _ in range(CONNECTIONS)]
    for one in entered:
        await one.__aenter__()

    for one in entered:
        await one.__aexit__(asyncio.CancelledError, asyncio.CancelledError(), None)

    assert [transport.closed for transport in transports] == [True, False]


async def test_what_was_replaced_under_calls_that_go_on_is_closed_with_the_rest() -> None:
    lanes, transports = made(1)

    async with lanes.one():
        await get_cut_off(lanes, CUT_OFF)
        await lanes.close()
        assert all(transport.closed for transport in transports)
