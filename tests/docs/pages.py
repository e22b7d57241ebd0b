"""The pages that people read, and the fenced blocks and links in them."""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("docs", "deploy", "helm")
ALONE = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md")

_FENCE = re.compile(r"^( *)```([\w+-]*)[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"<!-- (not run|run by|for): ([^\n]+) -->\s*\Z")
_HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
_ANCHOR = re.compile(r'<a (?:id|name)="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: what it is written in, and what the comment above it says becomes of it.

    `mark` is "" where there is none, else one of:
    `not run`  nobody runs it, and `said` is why
    `run by`   `said` names a test that does: tests/path.py::name
    `for`      it is read by another program, which `said` names
    """

    page: str
    line: int
    language: str
    text: str
    mark: str
    said: str

    @property
    def place(self) -> str:
        """Where it is, as an editor opens it."""
        return f"{self.page}:{self.line}"


def pages() -> list[Path]:
    """Return every page, those of folders that are made later too."""
    found = (ROOT / folder for folder in FOLDERS)
    alone = [ROOT / name for name in ALONE]
    return alone + sorted(page for folder in found for page in folder.rglob("*.md"))


def name_of(page: Path) -> str:
    """Return a page's path in the project."""
    return page.relative_to(ROOT).as_posix()


def blocks(*languages: str) -> list[Block]:
    """Return the blocks of all pages that are written in one of these; without any, all."""
    found = [block for page in pages() for block in _blocks_of(page)]
    return [block for block in found if not languages or block.language in languages]


def prose(page: Path) -> str:
    """Return a page without its blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Return what a link to a place on the page may name, as GitHub makes it of headings."""
    text = prose(page)
    slugs: dict[str, int] = {}
    found = set(_ANCHOR.findall(text))
    for heading in _HEADING.findall(text):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        again = slugs.get(slug, 0)
        found.add(f"{slug}-{again}" if again else slug)
        slugs[slug] = again + 1
    return found


def _blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for fence in _FENCE.finditer(text):
        mark = _MARK.search(text, 0, fence.start())
        kind, said = mark.groups() if mark else ("", "")
        line = text.count("\n", 0, fence.start()) + 1
        yield Block(name_of(page), line, fence[2], textwrap.dedent(fence[3]), kind, said)
