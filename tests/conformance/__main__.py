"""`python -m tests.conformance PATH...`: run case files, and say which fail and how."""

import sys
from pathlib import Path

from tests.conformance.running import files, run_file


def main(arguments: list[str]) -> int:
    """Run the files and folders named. Returns 1 if a case fails, 2 if none was named."""
    if not arguments:
        print(__doc__)  # noqa: T201
        return 2
    passed = failed = 0
    for path in files(map(Path, arguments)):
        for result in run_file(path):
            if result.trouble:
                failed += 1
                print(f"{path.name} {result.id}: {'; '.join(result.trouble)}")  # noqa: T201
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")  # noqa: T201
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
