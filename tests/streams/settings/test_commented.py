"""The settings written out with what each key is for, which is also the page on settings."""

from pathlib import Path

from streams.settings.load import Settings, load
from tests.streams.settings.commented import commented
from tests.streams.settings.loading import Write

ROOT = Path(__file__).parents[3]


def test_the_commented_file_reads_back_as_the_same_settings(write: Write) -> None:
    changed = load(
        write(
            """
            sampling:
              probability: 0.5
              strata: [{name: qa, when: {environment: qa}, probability: 1}]
            scorers: {faithfulness: null}
            kafka: {start: 2026-01-31T09:15:00Z}
            alerts: []
            """
        )
    )

    assert load(write(commented(changed))) == changed


def test_the_page_on_settings_shows_the_defaults() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")

    shown = page.split("```yaml\n", 1)[1].split("```", 1)[0]

    assert shown == commented(Settings()), "paste commented(Settings()) there"


def test_every_key_says_what_it_is_for() -> None:
    shown = commented(Settings()).splitlines()

    for line, above in zip(shown[1:], shown, strict=False):
        key = line.lstrip()
        if key[0] not in "#-":
            assert above.lstrip().startswith("#"), line
            assert above.lstrip("# "), line
