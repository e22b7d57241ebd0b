"""Markup that cannot be broken out of: every text is escaped as it goes in. Pure."""

from html import escape


class Html(str):
    """Text that is markup already. Only `tag` and constants of our own make it."""

    __slots__ = ()


def tag(name: str, *inside: str, **attributes: str | float) -> Html:
    """Return an element. What it holds is escaped unless it is `Html`; so are all attributes.

    `class_` is written `class`, `aria_label` is written `aria-label`.
    """
    words = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for key, value in attributes.items()
    )
    body = "".join(one if isinstance(one, Html) else escape(one) for one in inside)
    return Html(f"<{name}{words}>{body}</{name}>")


def together(*parts: Html) -> Html:
    """Return elements one after another."""
    return Html("".join(parts))


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"
