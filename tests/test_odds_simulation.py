"""Rounds played by basic strategy: the same call, the same sums, near the computed value."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_samples.odds.__main__ import main
from data_samples.odds.report import TOLERANCE
from data_samples.odds.rules import Rules, published, rules_of
from data_samples.odds.simulate import BLOCK, Game, game_of, play_rounds, simulate
from data_samples.odds.strategy import basic_strategy
from rules_replay.rulebook import load_rulebook, rulebook_ids

pytestmark = pytest.mark.slow

REPRODUCED = [row for row in published() if row.edge != 50]
"""The rows that are met; `docs/odds.md` says why 0.50 is not."""


def game(rules: Rules) -> Game:
    return game_of(rules, basic_strategy(rules))


class TestSimulation:
    """Sums over rounds from true shoes."""

    def test_the_same_seed_and_rounds_give_the_same_sums(self) -> None:
        nz = game(rules_of(load_rulebook("nz-2000"), 8))
        once = simulate(nz, BLOCK + 1000, seed=5)
        assert simulate(nz, BLOCK + 1000, seed=5) == once
        assert simulate(nz, BLOCK + 1000, seed=6) != once

    def test_a_round_kept_is_a_round_counted(self) -> None:
        nz = game(rules_of(load_rulebook("nz-2000"), 8))
        kept = play_rounds(nz, 2000, seed=5)
        assert sum(each.net + each.super_bonus for each in kept) == simulate(nz, 2000, seed=5).net

    def test_no_card_comes_more_often_than_the_shoe_has_it(self) -> None:
        """One deck, shuffled after every round: no card twice in a round."""
        rules = rules_of(load_rulebook("nz-2000"), 1)
        for played in play_rounds(game(rules), 3000, seed=5, dealt=0.01):
            cards = [what for kind, _, what in played.steps if kind == 0]
            assert len(cards) == len(set(cards))

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    def test_the_edge_is_near_the_computed_value(self, rulebook: str) -> None:
        rules = rules_of(load_rulebook(rulebook), 8)
        strategy = basic_strategy(rules)
        found = simulate(game_of(rules, strategy), 2_000_000, seed=1)
        assert abs(found.edge + 100 * strategy.value) < 4 * found.error + 0.03

    @pytest.mark.parametrize("row", REPRODUCED, ids=lambda row: row.text)
    def test_a_published_edge_is_reproduced(self, row: object) -> None:
        found = next(each for each in REPRODUCED if each is row)
        tally = simulate(game(found.rules), 5_000_000, seed=1)
        assert abs(tally.edge - found.edge / 100) < TOLERANCE / 100 + 2 * tally.error

    def test_the_page_is_written_and_nonsense_refused(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main([str(tmp_path / "docs"), "1000", "3"]) == 0
        first = (tmp_path / "docs" / "odds.md").read_bytes()
        assert main([str(tmp_path / "docs"), "1000", "3"]) == 0
        assert (tmp_path / "docs" / "odds.md").read_bytes() == first
        assert main([]) == 2
        assert main([str(tmp_path), "many"]) == 2
        assert "usage" in capsys.readouterr().err
