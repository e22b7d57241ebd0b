"""Whether words that a judge quotes really stand in the text that they should come from."""

import re

_QUOTE_MARKS = re.compile("[\"'`\u00b4\u2018-\u201f\u2039\u203a\u00ab\u00bb\u300c-\u300f]")


def folded(text: str) -> str:
    """Return the text as quotes are compared: white space, case and quote marks aside."""
    return " ".join(_QUOTE_MARKS.sub("", text).split()).casefold()


def quoted_from(text: str, quote: str) -> bool:
    """Say whether the quote stands in the text. A blank one stands nowhere."""
    wanted = folded(quote)
    return bool(wanted) and wanted in folded(text)
