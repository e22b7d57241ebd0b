"""The commands `labels pick`, `labels agree` and `calibrate`, once their settings are read."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from streams.labels.accounts import json_lines, tables
from streams.labels.agreement import Agreement, agreements
from streams.labels.calibrating import calibrated, refusals
from streams.labels.files import Texts, read_file, stored_scores, write_calibration, write_rows
from streams.labels.picking import Pick, pick
from streams.pace import now
from streams.settings.problems import closest
from streams.wiring.broker import Wiring
from streams.wiring.judges import JudgeWiring


@dataclass(frozen=True, slots=True)
class Wanted:
    """What `labels pick` is asked for: `count` of each scorer, or of the one named.

    `records` bounds how far back the scores topic is read. `blind`: verdicts stay sealed.
    """

    count: int
    scorer: str | None
    salt: str
    blind: bool
    records: int


async def pick_labels(wiring: Wiring, file: Path, wanted: Wanted, console: Console) -> bool:
    """Write the answers that people shall look at. Returns whether there are any."""
    judges = JudgeWiring(wiring)
    async with wiring.glance() as glance:
        events = await stored_scores(glance, wiring.topics.scores, most=wanted.records)
        every = pick(events, judges.pass_at, count=wanted.count, salt=wanted.salt)
        picks = [one for one in every if wanted.scorer in {None, one.event.scorer.name}]
        if not picks:
            console.print(_none(every, wanted.scorer), markup=False, soft_wrap=True)
            return False
        texts = Texts(glance, wiring.intake.decode, judges.covered, judges.asks)
        rows = [row async for row in texts.rows(picks, blind=wanted.blind)]
    written = write_rows(file, rows)
    for text in _picked(picks, written):
        console.print(text, markup=False, highlight=False, soft_wrap=True)
    fill_in = f"{file}: write good, bad, unsure or a grade from 1 to 5 into each label"
    console.print(fill_in, markup=False, highlight=False, soft_wrap=True)
    return bool(written)


def _none(picks: Sequence[Pick], scorer: str | None) -> str:
    if scorer is None or not picks:
        return "no judged answers to pick from: has `streamgauge score` run?"
    judged = sorted(_by_scorer(picks))
    return f"{scorer} has judged nothing; verdicts are of {', '.join(judged)}" + closest(
        scorer, judged
    )


def _picked(picks: Iterable[Pick], written: dict[str, int]) -> Iterable[str]:
    for scorer, group in _by_scorer(picks).items():
        strata = {one.verdict.stratum.name: one.verdict.stratum.picked for one in group}
        chances = ", ".join(f"{name} {chance:.3g}" for name, chance in sorted(strata.items()))
        gone = len(group) - written.get(scorer, 0)
        lost = f"; {gone} more are no longer on the topic" if gone else ""
        yield f"{scorer}: {written.get(scorer, 0)} answers{lost}. Chances: {chances}"


def _by_scorer(picks: Iterable[Pick]) -> dict[str, list[Pick]]:
    found: dict[str, list[Pick]] = {}
    for one in picks:
        found.setdefault(one.event.scorer.name, []).append(one)
    return found


def agree(file: Path, console: Console, *, as_json: bool) -> bool:
    """Print how far judges and people agree. Returns whether anything is labelled."""
    found = agreements(read_file(file)[0])
    if as_json:
        sys.stdout.writelines(json_lines(found))
    else:
        for table in tables(found):
            console.print(table)
    return any(one.labelled for one in found)


def calibrate(file: Path, out: Path, console: Console) -> bool:
    """Write how well judges do by labels. Returns whether enough is labelled of all of them."""
    labels, ref = read_file(file)
    found = agreements(labels)
    judges, wrong = calibrated(found), list(refusals(found))
    for text in wrong or ([] if found else ["nothing is labelled"]):
        console.print(text, style="red", markup=False, soft_wrap=True)
    if not judges:
        return False
    write_calibration(out, judges, ref, at=now())
    for one in judges:
        _say(next(each for each in found if each.judge.series == one.series), console)
    console.print(f"set watch.calibration: {out}", markup=False, soft_wrap=True)
    return not wrong


def _say(one: Agreement, console: Console) -> None:
    if one.sensitivity and one.specificity:
        who = f"{one.judge.scorer.name} by {one.judge.judge.name} {one.judge.judge.version}"
        sees = f"sensitivity {one.sensitivity.value:.2f}, specificity {one.specificity.value:.2f}"
        tells = one.sensitivity.value + one.specificity.value > 1
        said = "" if tells else ": the judge cannot tell good answers from bad"
        console.print(f"{who}: {sees}{said}", markup=False, soft_wrap=True)
