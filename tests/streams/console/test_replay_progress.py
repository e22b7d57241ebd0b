import asyncio
import io
from datetime import timedelta

from rich.console import Console
from structlog.testing import capture_logs

from schemas.run import Spent
from streams.console.replay_progress import (
    Course,
    Figures,
    done_of,
    logged,
    rows_of,
    say_run,
    shown,
)
from streams.ports import Progress
from streams.subscription import Bounds
from tests.fakes import NOON

BOUNDS = {0: Bounds(100, 200), 1: Bounds(50, 50), 2: Bounds(0, 300)}
SPENT = Spent(judged=1_200, reused=30, errors=2, calls=1_300, cost_usd=1.25)


def place(next_: int) -> Progress:
    return Progress(next_, 500, 1)


def second(n: float) -> timedelta:
    return timedelta(seconds=n)


def test_rows_done_are_those_between_the_bounds() -> None:
    places = {0: place(150), 1: place(50), 2: place(400), 3: place(70)}

    assert rows_of(BOUNDS) == 400
    assert done_of(places, BOUNDS) == 50 + 0 + 300
    assert done_of({0: place(20)}, BOUNDS) == 0


def test_speed_and_time_left_are_told_by_the_last_minute() -> None:
    course = Course(1_000)
    course.at(NOON, 0)
    slow = course.at(NOON + second(60), 60)
    for n in range(1, 7):
        quick = course.at(NOON + second(60 + 10 * n), 60 + 100 * n)

    assert slow == Figures(60, 1_000, 1.0, second(940))
    assert quick == Figures(660, 1_000, 10.0, second(34))


def test_no_time_is_told_before_anything_is_done_or_while_nothing_is() -> None:
    course = Course(100)

    first, still = course.at(NOON, 40), course.at(NOON + second(30), 40)

    assert (first.a_second, first.left) == (None, None)
    assert (still.a_second, still.left) == (None, None)


def test_at_the_end_no_time_is_left() -> None:
    course = Course(100)
    course.at(NOON, 100)

    assert course.at(NOON + second(9), 100).left == timedelta()
    assert Course(0).at(NOON, 0).left == timedelta()


def test_a_bar_is_told_what_was_done_and_what_it_cost() -> None:
    text = shown(Figures(50, 100, 12.4, timedelta(seconds=3_725)), SPENT)

    assert text == "50 rows, 1,200 judged, 30 reused, 2 errors, $1.25, 12/s, 1:02:05 left"
    assert shown(Figures(0, 100, None, None), Spent()) == "0 rows, 0 judged, $0.00"


def test_a_line_says_the_same() -> None:
    assert logged(Figures(50, 100, 12.42, second(90)), SPENT) == {
        "rows": 50,
        "of": 100,
        "rows_a_second": 12.4,
        "minutes_left": 1.5,
        "judged": 1_200,
        "reused": 30,
        "errors": 2,
        "calls": 1_300,
        "cost_usd": 1.25,
    }


async def say(console: Console) -> None:
    """Let it be said once."""
    asked = asyncio.Event()

    def spent() -> Spent:
        asked.set()
        return SPENT

    saying = asyncio.create_task(
        say_run(
            lambda: {0: place(150)},
            {0: Bounds(100, 200)},
            spent,
            console=console,
            clock=lambda: NOON,
            every=timedelta(milliseconds=1),
        )
    )
    await asyncio.wait_for(asked.wait(), 60)
    saying.cancel()
    await asyncio.gather(saying, return_exceptions=True)


async def test_where_no_terminal_is_a_line_is_logged() -> None:
    with capture_logs() as logs:
        await say(Console(file=io.StringIO()))

    assert (logs[0]["event"], logs[0]["rows"], logs[0]["of"]) == ("progress", 50, 100)


async def test_a_terminal_has_a_bar_that_is_left_as_it_was_last() -> None:
    out = io.StringIO()

    await say(Console(file=out, force_terminal=True, width=120))

    assert "50 rows, 1,200 judged" in out.getvalue()
