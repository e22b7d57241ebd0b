"""Asking about a whole answer: which option of a criterion holds, and why a bad answer is bad."""

from scorers.answers import Chosen, Explanation
from scorers.asking.reading import a_text, a_word, an_explanation, an_object
from scorers.contract import InvalidReplyError
from scorers.questions import AnswerCriterion, ExplainBad, Question


def choose(about: AnswerCriterion, *, row: str) -> Question[Chosen]:
    """Ask for the one option that holds; case and white space around it do not matter."""
    options = {option.lower(): option for option in about.options}

    def read(reply: object) -> Chosen:
        fields = an_object(reply)
        word = a_word(fields.get("answer"), tuple(options), "answer")
        return Chosen(options[word], reason=an_explanation(fields, "reason"))

    return Question(about=about, read=read, row=row)


def why(about: ExplainBad, *, row: str) -> Question[Explanation]:
    """Ask for the reason, and whether the one who gives it finds the answer bad too."""

    def read(reply: object) -> Explanation:
        fields = an_object(reply)
        agrees = fields.get("agrees")
        if not isinstance(agrees, bool):
            raise InvalidReplyError("agrees must be true or false")
        return Explanation(a_text(fields.get("reason"), "reason"), agrees=agrees)

    return Question(about=about, read=read, row=row)
