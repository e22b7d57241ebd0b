"""Sentences that state nothing which evidence could support: refusals, talk about the answer."""

import re

_START = (
    r"(?:(?:i'?m |i am )?(?:sorry|afraid)\b[^.]{0,40}?[,.:;-]? ?(?:but )?"
    r"|unfortunately,? |leider )?"
)
_REFUSALS = re.compile(
    _START + r"(?:"
    r"(?:i|we) (?:do(?:n't| not)|can(?:'t|not| not)|could(?:n't| not)|am (?:not able|unable)"
    r"|are (?:not able|unable))(?: to)? "
    r"(?:know|find|answer|help|provide|determine|say"
    r"|have (?:any |enough |sufficient )?information)"
    r"|i'm (?:unable|not able) to |no relevant evidence"
    r"|(?:there is|there's) no (?:information|mention)"
    r"|(?:the|these|this|your) (?:\w{1,40} ){0,2}(?:context|contexts|passages?|documents?|sources?|text)"
    r" (?:provided )?(?:do(?:es)?(?:n't| not)|contains? no|has no|have no|gives? no)"
    r"|ich (?:kann|konnte|weiß) [^.]{0,60}\bnicht\b|ich habe (?:dazu )?keine"
    r"|(?:dazu|hierzu|darüber) (?:liegen|habe|finde|gibt es) [^.]{0,30}\bkeine"
    r"|(?:die|in den) (?:dokumente|quellen|unterlagen|texte)n? (?:enthalten|steht|stehen) "
    r"|je ne (?:sais|peux|trouve)|no (?:sé|puedo|encuentro|tengo)"
    r")",
    re.IGNORECASE,
)
_META = re.compile(
    r"(?:(?:sure|certainly|of course|absolutely|great question|okay|ok|yes|no|hi|hello|hey|thanks"
    r"|thank you|welcome|gerne|klar|natürlich|hallo|guten tag|ja|nein|danke)\b"
    r"[^\w]{0,9}(?:\w{1,40}[^\w]{0,9}){0,2}\Z"
    r"|(?:(?:based on|according to) [^,]{0,60}, )?(?:here(?:'s| is| are)|below (?:is|are)) "
    r"[^.]{0,60}\b(?:answer|summary|overview|steps?|information|what i found|found|details?|list)\b"
    r"|based on (?:the|these|this|your) [^,.]{0,60}[.:]?\Z"
    r"|(?:i )?hope (?:this|that) helps|(?:please )?let me know|feel free to|if you (?:have|need) "
    r"(?:any |more |further )?(?:other |further |more )?(?:question|help|detail|information)"
    r"|(?:i'?m|i am) (?:here|happy|glad) to help|happy to help|glad to help|anything else"
    r"|ich hoffe,? (?:das|dies) hilft|melden sie sich gerne?"
    r"|(?:falls|wenn) sie (?:noch )?(?:weitere )?fragen haben|gerne helfe ich|hier (?:ist|sind|finden sie) [^.]{0,40}"
    r"(?:antwort|übersicht|zusammenfassung|informationen|schritte))",
    re.IGNORECASE,
)
_LEAD_IN_ONLY = re.compile(
    r"\b(?:follow|following|follows|steps?|below|here|folgend\w*|schritte\w*|so vor|wie folgt)\b",
    re.IGNORECASE,
)


def states_nothing(sentence: str) -> bool:
    """Say whether a sentence is a refusal, a greeting, or talk about the answer itself."""
    return bool(_REFUSALS.match(sentence) or _META.match(sentence))


def only_announces(lead_in: str) -> bool:
    """Say whether a list's lead-in announces the list and says nothing of its items."""
    return bool(_LEAD_IN_ONLY.search(lead_in)) or states_nothing(lead_in)
