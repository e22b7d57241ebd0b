"""Sentences that state nothing which evidence could support: refusals, talk about the answer."""

import re

_REFUSALS = re.compile(
    r"(?:(?:i'?m |i am )?(?:sorry|afraid)\b[^.]{0,40}?[,.:;-]? ?(?:but )?"
    r"|unfortunately,? |leider )?"
    r"(?:"
    r"(?:i|we) (?:do(?:n't| not)|can(?:'t|not| not)|could(?:n't| not)|am (?:not able|unable)"
    r"|are (?:not able|unable))(?: to)? "
    r"(?:know|find|answer|determine|tell|help (?:you )?with (?:that|this)"
    r"|provide (?:an answer|(?:any )?information|that|this)"
    r"|have (?:any |enough |sufficient )?information)\b"
    r"|i'm (?:unable|not able) to (?:find|answer|determine|help|tell)\b|no relevant evidence"
    r"|(?:there is|there's) no (?:information|mention)\b"
    r"|(?:the|these|this|your) (?:\w{1,40} ){0,2}(?:contexts?|passages?|sources?"
    r"|documents?|documentation|evidence|excerpts?)"
    r" (?:provided )?(?:do(?:es)?(?:n't| not) (?:contain|mention|provide|include|say|specify|state"
    r"|have|give)|contains? no|has no|have no|gives? no)\b"
    r"|ich (?:kann|konnte|weiß) [^.]{0,60}\bnicht\b|kann ich [^.]{0,40}\bnicht beantworten"
    r"|ich habe (?:dazu )?keine (?:informationen|angaben)"
    r"|(?:dazu|hierzu|darüber) (?:liegen|habe|finde|gibt es) [^.]{0,40}\b(?:keine|nichts)"
    r"|(?:die|in den) (?:dokumente|quellen|unterlagen|texte)n? (?:enthalten|steht|stehen)"
    r" (?:dazu |hierzu )?(?:nichts|keine)"
    r"|je ne (?:sais|peux pas répondre|trouve)|no (?:sé|puedo responder|encuentro)"
    r")",
    re.IGNORECASE,
)
_META = re.compile(
    r"(?:(?:sure|certainly|of course|absolutely|great question|okay|ok|yes|no|hi|hello|hey|thanks"
    r"|thank you|welcome|gerne|klar|natürlich|hallo|guten tag|ja|nein|danke)\b"
    r"[^\w]{0,9}(?:(?:there|thing|problem|dear|it|is|they|do|does|you|that|ihnen|das|ist)[^\w]{0,9})"
    r"{0,2}\Z"
    r"|(?:(?:based on|according to) [^,]{0,60}, )?(?:here(?:'s| is| are)|below (?:is|are)) "
    r"[^.]{0,60}\b(?:answer|summary|overview|steps?|information|found|details?|list)\b[^.]{0,40}\Z"
    r"|based on (?:the|these|this|your) [^,.]{0,60}[.:]?\Z"
    r"|(?:i )?hope (?:this|that) helps|(?:please )?let me know (?:if|whether)"
    r"|feel free to (?:ask|reach)"
    r"|if you (?:have|need) (?:any |more )?(?:other |further |more )?(?:questions?|help|details?"
    r"|information)\b|(?:i'?m|i am) (?:here|happy|glad) to help|(?:happy|glad) to help"
    r"|is there anything else"
    r"|ich hoffe,? (?:das|dies) hilft|melden sie sich gerne|gerne helfe ich"
    r"|(?:falls|wenn) sie (?:noch )?(?:weitere )?fragen haben"
    r"|hier (?:ist|sind|finden sie) [^.]{0,40}(?:antwort|übersicht|zusammenfassung|schritte))",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"\b(?:follow|following|follows|steps?|below|here|folgend\w{0,9}|schritte\w{0,3}|so vor"
    r"|wie folgt)\b",
    re.IGNORECASE,
)


def states_nothing(sentence: str) -> bool:
    """Say whether a sentence is a refusal, a greeting, or talk about the answer itself.

    Talk that gives a number or an address is no mere talk.
    """
    if _REFUSALS.match(sentence):
        return True
    informs = "@" in sentence or "://" in sentence or any(map(str.isdecimal, sentence))
    return not informs and bool(_META.match(sentence))


def only_announces(lead_in: str) -> bool:
    """Say whether a list's lead-in announces the list and says nothing of its items."""
    return bool(_ANNOUNCES.search(lead_in)) or states_nothing(lead_in)
