from collections.abc import Sequence

import pytest

from scorers.judges.addresses import AddressBook, LookUp, PrivateAddressError, is_public


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",  # noqa: S104 - an address to refuse
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "fe80::1",
        "fd00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::7f00:1",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "fec0::1",
        "2002:7f00:1::",
        "::",
    ],
)
def test_private_addresses_are_told_in_every_disguise(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public_addresses_pass(address: str) -> None:
    assert is_public(address)


def answering(*answers: Sequence[str]) -> LookUp:
    left = list(answers)

    async def look_up(name: str, port: int) -> Sequence[str]:
        return left.pop(0)

    return look_up


async def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    book = AddressBook(allow_private=False, look_up=answering(["8.8.8.8"], ["127.0.0.1"]))

    places = [await book.place("https://judge.example/v1?a=b") for _ in range(2)]

    assert {str(place.url) for place in places} == {"https://8.8.8.8/v1?a=b"}
    assert (places[0].host, places[0].name) == ("judge.example", "judge.example")


async def test_one_private_address_among_several_is_enough_to_refuse_the_name() -> None:
    book = AddressBook(allow_private=False, look_up=answering(["8.8.8.8", "10.0.0.1"]))

    with pytest.raises(PrivateAddressError):
        await book.place("https://judge.example/")


async def test_a_private_address_may_be_allowed() -> None:
    book = AddressBook(allow_private=True, look_up=answering(["fd00::1"]))

    place = await book.place("http://judge.example:8000/")

    assert str(place.url) == "http://[fd00::1]:8000/"
    assert place.host == "judge.example:8000"


async def test_after_a_failure_the_next_address_of_the_name_is_taken() -> None:
    book = AddressBook(allow_private=False, look_up=answering(["8.8.8.8", "9.9.9.9"]))
    url = "https://judge.example/"

    first = await book.place(url)
    book.went_wrong(url)
    second = await book.place(url)

    assert [first.url.host, second.url.host] == ["8.8.8.8", "9.9.9.9"]


async def test_a_name_without_an_address_is_a_failure_of_the_connection() -> None:
    with pytest.raises(OSError, match="no address"):
        await AddressBook(allow_private=False, look_up=answering([])).place("https://nobody/")
