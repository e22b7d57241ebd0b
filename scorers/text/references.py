"""The list of sources that many assistants put under an answer: it states and cites nothing."""

# ruff: noqa: RUF001 (letters that look alike are the subject here)

import re
from collections.abc import Sequence

_TITLES = """
    sources|source list|references|reference list|citations|footnotes|bibliography|works cited
    quellen|quellenangaben|quellenverzeichnis|referenzen|einzelnachweise|nachweise|belege|fußnoten
    literatur|literaturverzeichnis|bibliographie|zitate
    références|notes de bas de page|ouvrages cités|fuentes|referencias|citas|bibliografía
    notas al pie|obras citadas|fonti|riferimenti|bibliografia|citazioni|note a piè di pagina
    fontes|referências|citações|notas de rodapé|bronnen|referenties|literatuur|voetnoten
    källor|referenser|fotnoter|kilder|referencer|referanser|fodnoter|fotnoter|lähteet|viitteet
    źródła|przypisy|odnośniki|zdroje|citace|reference|források|hivatkozások|surse|referințe
    kaynaklar|kaynakça|источники|список литературы|литература|ссылки|сноски|джерела|посилання
    πηγές|παραπομπές|βιβλιογραφία|מקורות|المصادر|المراجع|مصادر|منابع|स्रोत|संदर्भ
    来源|來源|参考资料|參考資料|参考文献|參考文獻|引用|引用来源|资料来源|出处|脚注
    出典|参考資料|参照|情報源|引用元|출처|참고문헌|참고 문헌|참고 자료|참조|각주
    nguồn|tài liệu tham khảo|sumber|referensi|daftar pustaka
    """.replace("\n", "|").split("|")
TITLES = frozenset(title.strip().casefold() for title in _TITLES if title.strip())
_ENTRY = re.compile(
    r"[ \t>]{0,200}(?:(?:[-*•‣◦▪●+–]|\(?\d{1,3}[.):])\s|\[[^\[\]\r\n]{1,80}\]|\[\[|【|https?://|www\."
    r"|<https?://|(?:[EGRCVX]\d{1,9}|ev1:[sc]:[0-9a-f:-]{1,80})(?![\w.])"
    r"|(?:doc|document|source|ref|citation)[ :_-]?\d|[¹²³⁴-⁹⁰]|\|)",
    re.IGNORECASE,
)
_NUMBERED_LINK = re.compile(
    r"[ \t]{0,200}(?:[-*•+]\s{1,8})?(?:\[\^?\d{1,3}\]|\[\[\d{1,3}\]\]|【\d{1,3}】)"
    r"(?=[^\r\n]{0,2000}?(?:https?://|www\.))"
)
_LONGEST_TITLE = 60


def trailing_references(
    lines: Sequence[str], *, kept: Sequence[bool], defined: Sequence[bool]
) -> int:
    """Return the number of the line from which only sources are listed, else that of all lines.

    `kept` says which lines count, `defined` which of them define footnotes. A list of sources
    needs a title on a line of its own, or entries that each begin with a number and hold a link.
    """
    cut = len(lines)
    linked = True
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if not line.strip() or not kept[number]:
            continue
        if _titles(line):
            cut = number
            linked = False
            continue
        linked = linked and (defined[number] or bool(_NUMBERED_LINK.match(line)))
        if linked:
            cut = number
        elif not (defined[number] or _lists(line)):
            break
    return cut


def _lists(line: str) -> bool:
    """Say whether the line is an entry of a list, or goes on with one (indented)."""
    return line[:2].isspace() or bool(_ENTRY.match(line))


def _titles(line: str) -> bool:
    """Say whether the line holds only a title: as a heading, bold, with a colon, or plain."""
    if len(line) > 2 * _LONGEST_TITLE:
        return False
    title = line.strip(" \t\r\n#*_>").rstrip(":：").strip(" \t*_").casefold()
    return title in TITLES
