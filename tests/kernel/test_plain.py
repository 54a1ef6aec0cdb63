"""The short way for plain rounds is taken by most, and by none in which something is found."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from audit.ingest.columns import events_of, rounds_of
from rules_replay.auditor import Auditor
from rules_replay.fast import FastReplay
from rules_replay.log import Round
from rules_replay.rulebook import rulebook_ids
from rules_replay.venues import load_register
from tests.kernel.parity import tables
from tests.kernel.rounds import faulty_rounds, lawful_rounds

every_rulebook = pytest.mark.parametrize("rulebook", rulebook_ids())


def _judged(rounds: Sequence[Round]) -> tuple[int, int]:
    """How many of these rounds of one venue the kernel judges as plain, and in how many it finds nothing."""
    venue = rounds[0].venue
    fast = FastReplay(
        Auditor(load_register()), venue, lambda some, its: [*rounds_of(some, events_of(its), venue)]
    )
    rows = fast.judge(fast.encoded(*tables(rounds))).rows
    return int(fast._space[0].plain.rounds), int((~rows.told).sum())


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel")
class TestPlain:
    """By the compiled kernel."""

    @every_rulebook
    def test_most_lawful_rounds_are_plain(self, rulebook: str) -> None:
        rounds = list(lawful_rounds(rulebook, 8, 400))

        plain, _ = _judged(rounds)

        assert plain > 0.75 * len(rounds)

    @every_rulebook
    def test_no_round_with_findings_is_plain(self, rulebook: str) -> None:
        plain, clean = _judged(list(faulty_rounds(rulebook, 8, 400)))

        assert plain <= clean < 400
