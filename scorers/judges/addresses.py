"""Where an address leads: looked up once, refused where it is private, and then held to.

A name is looked up, every address that it has is checked, and the connection goes to one of those:
a name that changes its mind between the check and the connection leads nowhere else.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import httpx

KEPT_SECONDS = 60.0
"""How long an answer of the name service is used."""

_HOLDS_IPV4 = tuple(map(ipaddress.IPv6Network, ("64:ff9b::/96", "::/96", "::ffff:0:0:0/96")))
"""An IPv4 address stands in the last 32 bits of these: NAT64, compatible and translated ones."""

_NOT_PUBLIC = tuple(map(ipaddress.IPv6Network, ("64:ff9b:1::/48", "fec0::/10")))
"""A network's own NAT64 and its sites: Python calls them global."""

_PORTS = {"http": 80, "https": 443}

LookUp = Callable[[str, int], Awaitable[Sequence[str]]]
"""From a name and a port to addresses. Raises OSError."""


class PrivateAddressError(Exception):
    """The name leads into a private network, which the settings do not allow."""


def is_public(address: str) -> bool:
    """Say whether an address lies in the public internet; one inside another counts as that one."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if any(ip in network for network in _NOT_PUBLIC):
            return False
        if any(ip in network for network in _HOLDS_IPV4):
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast


@dataclass(frozen=True, slots=True)
class ResolvedAddress:
    """A request's address with the name replaced by a number, and the name that it stands for."""

    url: httpx.URL
    host: str
    name: str


async def look_up(name: str, port: int) -> Sequence[str]:
    """Ask the name service of this machine."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(name, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [str(address[0]) for *_, address in found]


@dataclass(slots=True)
class _Entry:
    """The places of an address, until when they hold, and which of them has its turn."""

    places: Sequence[ResolvedAddress]
    until: float
    turn: int = 0


class AddressBook:
    """Turns addresses with names into places, and remembers them for a minute."""

    def __init__(self, *, allow_private: bool, look_up: LookUp = look_up) -> None:
        self._allow_private = allow_private
        self._look_up = look_up
        self._known: dict[str, _Entry] = {}

    async def place(self, address: str) -> ResolvedAddress:
        """Return where to connect. Raises PrivateAddressError, or OSError where nothing is."""
        now = asyncio.get_running_loop().time()
        entry = self._known.get(address)
        if entry is None or entry.until <= now:
            entry = _Entry(await self._places(httpx.URL(address)), now + KEPT_SECONDS)
            self._known[address] = entry
        return entry.places[entry.turn % len(entry.places)]

    def went_wrong(self, address: str) -> None:
        """Take the next place of the address from now on."""
        entry = self._known.get(address)
        if entry is not None:
            entry.turn += 1

    async def _places(self, url: httpx.URL) -> list[ResolvedAddress]:
        numbers = await self._look_up(url.host, url.port or _PORTS[url.scheme])
        if not numbers:
            raise OSError("the name has no address")
        if not self._allow_private and not all(map(is_public, numbers)):
            raise PrivateAddressError
        host = url.netloc.decode("ascii")
        return [ResolvedAddress(url.copy_with(host=number), host, url.host) for number in numbers]
