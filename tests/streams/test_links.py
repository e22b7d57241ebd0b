"""The links that an alert carries, and whose they are."""

from streams.links import Links, first_links
from tests.streams.notify.alerts import an_alert


def test_every_worst_answer_has_a_link_with_its_id_in_it() -> None:
    alert = Links(trace="https://traces.example/{service_name}/{trace_id}").on(an_alert())

    assert [one.link for one in alert.exemplars] == [
        "https://traces.example/shop/t%2F1",
        "https://traces.example/shop/t2",
    ]


def test_a_dashboard_is_shown_at_the_window_and_a_runbook_by_the_rule() -> None:
    links = Links(
        dashboard="https://board.example/?s={service_name}&from={from}&to={to}",
        runbook="https://runbooks.example/{rule}",
    )

    said = links.on(an_alert()).annotations

    assert said["dashboard_url"] == (
        "https://board.example/?s=shop&from=1772362800000&to=1772366400000"
    )
    assert said["runbook_url"] == "https://runbooks.example/bad-answers"
    assert said["summary"].startswith("faithfulness flagged")


def test_links_that_an_alert_has_stay_where_there_are_no_others() -> None:
    linked = Links(trace="https://a.example/{trace_id}", runbook="https://a.example").on(an_alert())

    again = Links(runbook="https://b.example").on(linked)

    assert again.exemplars == linked.exemplars
    assert again.annotations["runbook_url"] == "https://b.example"


def test_of_several_receivers_each_link_is_the_first_ones_that_has_it() -> None:
    found = first_links(
        [Links(), Links(runbook="https://a.example"), Links(trace="t", runbook="https://b.example")]
    )

    assert found == Links(trace="t", runbook="https://a.example")
