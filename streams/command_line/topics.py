"""`topics create` and `topics check`."""

import typer
from rich.console import Console

from streams.command_line.options import Broker, Config
from streams.command_line.running import leave, run, wired
from streams.commands import checking

app = typer.Typer(no_args_is_help=True, help="Make and check our topics on Kafka.")


@app.command("create")
def topics_create(config: Config = None, broker: Broker = None) -> None:
    """Make the topics that are not there, as kafka.partitions and kafka.replication say."""
    run(checking.create_topics(wired(config, broker), Console()))


@app.command("check")
def topics_check(config: Config = None, broker: Broker = None) -> None:
    """Say what is wrong with our topics, and the command that mends it."""
    well = run(checking.check_topics(wired(config, broker), Console()))
    leave(well=well)
