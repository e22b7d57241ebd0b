"""`show`: what is known of a trace or an alert."""

from rich.console import Console

from schemas.wire import from_milliseconds
from streams.console.alerting import LAST, alert_account, find_alert
from streams.console.lines import Line, print_lines
from streams.console.lookup import Lookup
from streams.console.show import find_again, trace_account
from streams.wiring.broker import Wiring
from streams.wiring.scoring import ScoreWiring


async def show(wiring: Wiring, name: str, console: Console, *, options: str = "") -> bool:
    """Print what is known of a trace or an alert. Returns whether anything is.

    `options` are those of the command line that another command needs to find the same topics.
    """
    async with wiring.lookup() as lookup:
        lines = await _found(wiring, lookup, name, options)
    print_lines(lines, console)
    for topic, oldest in lookup.unread.items():
        since = f"{from_milliseconds(oldest):%Y-%m-%d %H:%M:%S} UTC"
        said = f"{topic}: not read further back than {since}"
        console.print(said, style="yellow", markup=False, soft_wrap=True)
    if not lines:
        said = "no alert yet" if name == LAST else f"neither a trace nor an alert: {name}"
        asked = f"{said} (asked of {wiring.broker}: another one by --config or --broker)"
        console.print(asked, style="red", markup=False, soft_wrap=True)
    return bool(lines)


async def _found(wiring: Wiring, lookup: Lookup, name: str, options: str) -> list[Line]:
    steps = find_alert(await lookup.alerts(), name)
    if steps:
        traces = {exemplar.trace_id for step in steps for exemplar in step.exemplars}
        scores = await lookup.scores(traces, of=lambda event: event.run is None)
        mutes = await lookup.mutes()
        return list(alert_account(steps, scores, mutes=mutes, options=options))
    if name == LAST:
        return []
    events = (await lookup.scores({name})).get(name, [])
    record = await lookup.row(name, events)
    if record is None and not events:
        return []
    found = record and find_again(record, wiring.intake, ScoreWiring(wiring).sampler)
    return list(trace_account(found, events))
