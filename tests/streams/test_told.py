from schemas.alert import Alert, AlertValue, AlertWindow
from schemas.pane import Pane
from streams.told import ToldOnce
from tests.fakes import NOON, ListSink


def pane(offset: int, *, final: bool = False) -> Pane:
    return Pane(assistant="shop/production", start=NOON, length_s=60, final=final, offset=offset)


def alert(status: str = "firing") -> Alert:
    return Alert.model_validate(
        {
            "alert_id": "a1",
            "dedup_key": "d1",
            "status": status,
            "rule": "bad-answers",
            "severity": "page",
            "starts_at": NOON,
            "evaluated_at": NOON,
            "window": AlertWindow(start=NOON, end=NOON, length_s=0),
            "labels": {},
            "value": AlertValue(),
        }
    )


async def test_what_was_written_in_an_earlier_life_is_not_written_again() -> None:
    sink = ListSink()
    told = ToldOnce(sink)
    told.remember([alert(), pane(5)])

    await told.publish([alert(), pane(3), pane(5), alert("resolved"), pane(6)])

    assert sink.others == [alert("resolved"), pane(6)]


async def test_a_pane_that_became_final_is_news_although_nothing_was_added() -> None:
    sink = ListSink()
    told = ToldOnce(sink)

    await told.publish([pane(5), pane(5, final=True), pane(5, final=True), pane(5)])

    assert sink.others == [pane(5), pane(5, final=True)]
