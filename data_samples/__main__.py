"""Deal the bundled nights anew: ``python -m data_samples [FOLDER]``.

One night for each rulebook, ``<rulebook>.jsonl.gz`` with ``<rulebook>.truth``
beside it, by default where the package keeps them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from data_samples.write import write_bundled
from rules_replay.rulebook import rulebook_ids


def main(arguments: list[str]) -> int:
    """Write the nights; 2 for arguments that make no sense."""
    if len(arguments) > 1:
        print("python -m data_samples takes one folder at most", file=sys.stderr)
        return 2
    folder = Path(arguments[0]) if arguments else Path(__file__).with_name("nights")
    folder.mkdir(parents=True, exist_ok=True)
    for name in rulebook_ids():
        written = write_bundled(folder, name)
        print(f"{written.path.name}: {written.rounds} rounds, {written.faulty} with a fault", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
