"""What receivers are sent."""

from datetime import timedelta
from typing import Any

from streams.links import Links
from streams.notify.bodies import alertmanager, slack, webhook
from tests.streams.notify.alerts import NOON, after, an_alert

LINKS = Links(
    trace="https://traces.example/{trace_id}",
    dashboard="https://board.example/?service={service_name}&from={from}&to={to}",
    runbook="https://runbooks.example/{rule}",
)


def test_alertmanager_is_told_labels_links_and_until_when_it_may_believe_it() -> None:
    body: Any = alertmanager(an_alert(), LINKS, now=after(minutes=5), repeats=timedelta(minutes=1))

    (one,) = body
    assert one["labels"]["service_name"] == "shop"
    assert one["startsAt"] == "2026-03-01T12:00:00.000Z"
    assert one["endsAt"] == "2026-03-01T12:09:00.000Z"
    assert one["annotations"]["runbook_url"] == "https://runbooks.example/bad-answers"
    assert one["generatorURL"].endswith("service=shop&from=1772362800000&to=1772366400000")
    assert one["annotations"]["worst_answers"].splitlines() == [
        "https://traces.example/t%2F1",
        "https://traces.example/t2",
    ]


def test_alertmanager_is_told_when_it_ended() -> None:
    ended = an_alert("resolved", at=after(minutes=30))

    body: Any = alertmanager(ended, LINKS, now=after(hours=1), repeats=timedelta(minutes=1))

    assert body[0]["endsAt"] == "2026-03-01T12:30:00.000Z"


def test_a_webhook_gets_what_alertmanager_would_send_it() -> None:
    firing: Any = webhook(an_alert(), LINKS, receiver="ops")
    ended: Any = webhook(an_alert("resolved", at=after(minutes=30)), LINKS, receiver="ops")

    assert firing["version"] == "4"
    assert firing["groupLabels"] == {"alertname": "bad-answers"}
    assert (firing["status"], firing["alerts"][0]["endsAt"]) == ("firing", "0001-01-01T00:00:00Z")
    assert (ended["status"], ended["alerts"][0]["endsAt"]) == (
        "resolved",
        "2026-03-01T12:30:00.000Z",
    )


def test_lost_data_is_firing_still_and_says_so() -> None:
    body: Any = webhook(an_alert("nodata"), Links(), receiver="ops")

    assert body["status"] == "firing"
    assert "its data went" in body["commonAnnotations"]["nodata"]


def test_slack_gets_text_without_markup_of_ours_and_links_to_click() -> None:
    body: Any = slack(an_alert(), LINKS, reminder=True)

    text = body["blocks"][0]["text"]["text"]
    assert text.startswith("*FIRING (still): bad-answers*")
    assert "&lt;b&gt;" in text
    assert "<https://runbooks.example/bad-answers|runbook>" in text
    assert len(text) <= 3000


def test_a_section_of_slack_is_cut_at_a_whole_line() -> None:
    long = an_alert().model_copy(
        update={"annotations": {"summary": "s", "description": "d" * 4000}}
    )

    body: Any = slack(long, LINKS, reminder=False)

    assert body["blocks"][0]["text"]["text"].splitlines()[-1] == "s"


def test_without_links_of_its_own_a_receiver_is_sent_those_of_the_alert() -> None:
    body: Any = slack(LINKS.on(an_alert()), Links(), reminder=False)
    hook: Any = webhook(LINKS.on(an_alert()), Links(), receiver="ops")

    text = body["blocks"][0]["text"]["text"]
    assert "<https://traces.example/t2>" in text
    assert "<https://runbooks.example/bad-answers|runbook>" in text
    assert hook["externalURL"].startswith("https://board.example/?service=shop")


def test_without_links_the_ids_of_the_worst_answers_are_told() -> None:
    body: Any = slack(an_alert(), Links(), reminder=False)

    assert "Worst answers: t/1, t2" in body["blocks"][0]["text"]["text"]
    assert NOON.isoformat() not in body["text"]
