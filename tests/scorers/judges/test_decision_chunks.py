"""The decisions judge where a state is longer than its model reads."""

from dataclasses import replace
from typing import Any

import httpx

from scorers.asking.verdicts import verify
from scorers.faithfulness_binary import statements
from scorers.judges.chunked import ChunkedJudge
from scorers.judges.fitting import Room
from scorers.judges.windows import decisions_window
from scorers.questions import Evidence, ScoreStatements, VerifyClaims
from tests.scorers.judges.deciding_endpoint import MODEL, Endpoint, answering


async def test_a_state_that_is_too_long_is_asked_about_chunk_by_chunk() -> None:
    def by_fact(body: dict[str, Any]) -> httpx.Response:
        held = "zwölf" in body["state"]
        p = {"supported": 0.9, "contradicted": 0.05, "not_stated": 0.05}
        if not held:
            p = {"supported": 0.1, "contradicted": 0.0, "not_stated": 0.9}
        answer = {"choice": max(p, key=p.__getitem__), "probabilities": p}
        return httpx.Response(200, json={"answers": dict.fromkeys(body["questions"], answer)})

    text = " ".join(f"Raum {n} ist offen." for n in range(500)) + " Sie schließt um zwölf."
    endpoint = Endpoint(*[by_fact] * 50, model=replace(MODEL, room=Room(context_tokens=1_000)))
    judge = ChunkedJudge(endpoint.judge, decisions_window(1_000))

    about = VerifyClaims(("Um zwölf.", "Um eins."), (Evidence("1", text),), "Wann?")
    answer = await judge.ask(verify(about, row="r"))

    assert {one.verdict for one in answer.value} == {"yes"}
    assert [one.support for one in answer.value] == [0.9, 0.9]
    assert answer.value[0].chunks == len(endpoint.bodies) == answer.usage.attempts > 4
    assert all(list(body["questions"]) == ["c0", "c1"] for body in endpoint.bodies)


async def test_statements_of_a_long_state_are_the_same_in_every_chunk() -> None:
    text = " ".join(f"Raum {n} ist offen." for n in range(500))
    endpoint = Endpoint(model=replace(MODEL, room=Room(context_tokens=1_000)))
    judge = ChunkedJudge(endpoint.judge, decisions_window(1_000))

    about = ScoreStatements("Raum 7 ist offen. Raum 8 ist zu.", (Evidence("1", text),), "Was?")
    stated = (await judge.ask(statements(about, row="r"))).value

    assert [one.text for one in stated] == ["Raum 7 ist offen.", "Raum 8 ist zu."]
    assert {one.judgement.flags for one in stated} == {("chunked",)}


async def test_a_state_that_the_model_would_have_cut_is_asked_about_in_smaller_chunks() -> None:
    def cutting(body: dict[str, Any]) -> httpx.Response:
        if len(body["state"]) > 2_000:
            return httpx.Response(200, json={"answers": {}, "usage": {"truncated": True}})
        return answering(body)

    text = " ".join(f"Raum {n} ist offen." for n in range(200))
    endpoint = Endpoint(*[cutting] * 50)
    judge = ChunkedJudge(endpoint.judge, decisions_window(32_000))

    [judged] = (
        await judge.ask(verify(VerifyClaims(("a b c",), (Evidence("1", text),)), row="r"))
    ).value

    assert judged.chunks > 1
    assert judged.verdict == "yes"
