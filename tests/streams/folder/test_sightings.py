"""By what rows without a time are dated, before and after a crash."""

from streams.folder.sightings import Sighting, Sightings


def test_lines_are_dated_by_when_they_were_first_seen() -> None:
    sightings = Sightings()

    sightings.note(2, 1_000, position=0)
    sightings.note(2, 3_000, position=0)  # written to again, and no line more
    sightings.note(3, 4_000, position=0)

    assert [sightings.date(offset, None) for offset in (0, 1, 2)] == [1_000, 1_000, 4_000]


def test_a_claim_counts_unless_it_is_later_than_the_line_was_seen() -> None:
    sightings = Sightings()
    sightings.note(1, 1_000, position=0)

    assert sightings.date(0, 400) == 400
    assert sightings.told == []
    assert sightings.date(0, 1_001) == 1_000
    assert sightings.told == [Sighting(1, 1_000)]


def test_a_later_life_dates_rows_as_the_one_before_it_did() -> None:
    first = Sightings()
    first.note(2, 1_000, position=0)
    assert first.date(1, None) == 1_000

    later = Sightings(list(first.from_(0)))
    later.note(5, 9_000, position=0)

    assert [later.date(offset, None) for offset in (0, 1, 2)] == [1_000, 1_000, 9_000]


def test_what_is_committed_needs_no_date() -> None:
    sightings = Sightings()
    for end, at in ((2, 1_000), (4, 2_000)):
        sightings.note(end, at, position=end - 2)
        sightings.date(end - 1, None)

    assert sightings.from_(2) == (Sighting(4, 2_000),)
