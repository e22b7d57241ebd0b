"""Verdicts of the rules judge on two small sets of passages."""

import asyncio
from collections.abc import Sequence

from scorers.contract import Judgement
from scorers.judges.rules import RulesJudge
from scorers.questions import Evidence, Question, VerifyClaims

ENGLISH = (
    "Refunds are possible within 30 days of purchase. The item must be unused and in its original "
    "packaging. Refunds are paid to the original payment method within 5 to 7 business days.",
    "Our support team can be reached Monday to Friday from 9:00 to 18:00. The Premium plan costs "
    "€12.99 per month and includes 500 GB of storage.",
    "The Halden ferry carries 240 passengers and sails twice a day from Moss. It was built by "
    "Ulstein in 2019. Some 5,000 people used it in twenty-five days.",
)
GERMAN = (
    "Eine Rückgabe ist innerhalb von 30 Tagen nach dem Kauf möglich. Die Ware muss unbenutzt und "
    "originalverpackt sein. Die Erstattung erfolgt auf das ursprüngliche Zahlungsmittel.",
    "Der Premium-Tarif kostet 12,99 € im Monat und enthält 500 GB Speicherplatz. Das Museum öffnet "
    "am 3. März 2024 um 10 Uhr. Rund 1.200 Gäste kamen.",
)


def judged(claims: Sequence[str], texts: Sequence[str] = ENGLISH) -> tuple[Judgement, ...]:
    evidence = tuple(Evidence(str(n), text) for n, text in enumerate(texts, start=1))
    question: Question[tuple[Judgement, ...]] = Question(
        VerifyClaims(tuple(claims), evidence), lambda _: (), "t"
    )
    return asyncio.run(RulesJudge().ask(question)).value
