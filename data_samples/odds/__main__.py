"""Regenerate the page of the odds: ``python -m data_samples.odds FOLDER [ROUNDS [SEED]]``."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from zlib import crc32

from data_samples.odds.report import Measure, Measured, dealer_csv, document
from data_samples.odds.rules import Rules
from data_samples.odds.simulate import game_of, simulate
from data_samples.odds.strategy import basic_strategy

ROUNDS = 100_000_000
SEED = 2026


def main(arguments: list[str]) -> int:
    """Write ``odds.md`` and ``odds-dealer.csv``; 2 for arguments that make no sense."""
    if not 1 <= len(arguments) <= 3 or not all(each.isdecimal() and int(each) > 0 for each in arguments[1:]):
        print("usage: python -m data_samples.odds FOLDER [ROUNDS [SEED]]", file=sys.stderr)
        return 2
    rounds, seed = [int(each) for each in arguments[1:]] + [ROUNDS, SEED][len(arguments) - 1 :]
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    page = document(measuring(rounds, seed), seed)
    (folder / "odds-dealer.csv").write_text(dealer_csv(), encoding="utf-8")
    (folder / "odds.md").write_text(page, encoding="utf-8")
    return 0


def measuring(rounds: int, seed: int) -> Measure:
    """What measures the edge of a rule set over that many rounds, each rule set once.

    Every rule set has random numbers of its own, so that one stroke of luck does not lean on all.
    """

    @cache
    def measure(rules: Rules) -> Measured:
        strategy = basic_strategy(rules)
        found = simulate(game_of(rules, strategy), rounds, seed + crc32(repr(rules).encode()))
        print(f"{found.edge:.3f} ± {found.error:.3f} over {rounds:,} rounds", file=sys.stderr)
        return Measured(
            edge=found.edge,
            error=found.error,
            rounds=rounds,
            computed=-100 * strategy.value,
            super_bonus=found.super_bonus_share,
            splits=100 * found.splits / rounds,
            doubles=100 * found.doubles / rounds,
            forfeits=100 * found.forfeits / rounds,
            surrenders=100 * found.surrenders / rounds,
        )

    return measure


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
