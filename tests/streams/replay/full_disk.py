"""A process whose files may not grow to more than a MiB learns of many verdicts."""

import resource
import sys

from streams.address import Topics, letter
from streams.ports import Record
from streams.replay.verdicts import Verdicts
from streams.scratch import DiskFullError
from tests.streams.watch.records import a_score


def main() -> int:
    """Say in the exit code whether it could tell that there was no room."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    event = a_score(0, 0, attributes={"padding": "x" * 100_000})
    with Verdicts("r1", ["c1"]) as verdicts:
        for n in range(1000):
            to = letter(event.model_copy(update={"event_id": f"{n:032x}"}), Topics())
            try:
                verdicts.take([Record(to.topic, 0, n, to.key, to.value, 0, to.headers)])
            except DiskFullError as error:
                return 0 if "TMPDIR" in str(error) else 2
    return 1


if __name__ == "__main__":
    sys.exit(main())
