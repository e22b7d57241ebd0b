from streams.telemetry.capped import OTHER, Capped


def test_the_first_values_keep_their_names_and_later_ones_share_one() -> None:
    capped = Capped(most=2)

    assert [capped(name) for name in ("a", "b", "c", "a", "d")] == ["a", "b", OTHER, "a", OTHER]
    assert capped.beyond == 2


def test_what_is_remembered_of_values_is_bounded_too() -> None:
    capped = Capped(most=2)

    for number in range(100):
        capped(str(number))

    assert capped.beyond == 2
