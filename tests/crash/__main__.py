"""``python -m tests.crash --kills 300``: kill commands at random moments, and say what came of it."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.crash.kills import Tally, killed_at_random
from tests.crash.lakes import Stage

SHARES = {"ingest": 8, "supersede": 8, "run": 3, "run-jobs": 1}
"""How often each command is killed, in proportion; a run takes several times as long as an ingest."""


def main() -> int:
    """Kill, check and tally; the first thing that is wrong ends it with an error."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--command", choices=sorted(SHARES), action="append", help="only this; repeatable")
    given = parser.parse_args()
    chance = random.Random(given.seed)
    tally = Tally()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        stage = Stage(Path(name))
        scenarios = [stage.scenario(each) for each in given.command or SHARES]
        shares = [SHARES[each.name] for each in scenarios]
        for number in range(1, given.kills + 1):
            (scenario,) = chance.choices(scenarios, shares)
            killed_at_random(scenario, chance, tally)
            if time.monotonic() - begun > given.minutes * 60:
                break
            if number % 10 == 0:
                print(f"{number} of {given.kills} kills", file=sys.stderr, flush=True)
    print(json.dumps({**tally.as_json(), "seconds": round(time.monotonic() - begun)}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
