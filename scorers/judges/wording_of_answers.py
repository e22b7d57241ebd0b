"""What text judges are told where a whole answer is the matter: own criteria, and why it is bad.

Raise `wording.VERSION` with every change of the criterion's words: others may mean other verdicts.
"""

from collections.abc import Sequence

from scorers.judges.shapes import TEXT, an_object, one_of
from scorers.judges.wording import Step


def criterion(options: Sequence[str]) -> Step:
    """Return the step that asks for one of the options."""
    return Step(
        name="criterion",
        task="""\
Answer the criterion below about the quoted answer, which an assistant gave to the quoted question.
Contexts, where there are any, are what the assistant had to go by. Exactly one of the answers that
the schema offers holds: write the reason first, in a sentence or two, then that answer, spelt as it
is offered.""",
        reminder="Answer the criterion about the quoted answer.",
        shape=an_object(reason=TEXT, answer=one_of(*options)),
    )


WHY = Step(
    name="why",
    task="""\
The quoted answer was judged bad, and the quoted findings say by which scorer and how. The verdict
stands: explain it to the people who run the assistant. Say in one or two plain sentences what is
wrong with the answer, and name the words of it and of the contexts that show it. Then say whether
you find the answer bad in this respect too: agrees is true or false.""",
    reminder="Explain why the quoted answer was judged bad.",
    shape=an_object(reason=TEXT, agrees={"type": "boolean"}),
)
