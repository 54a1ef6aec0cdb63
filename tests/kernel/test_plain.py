"""The short way for plain rounds is taken by most, and by none in which something is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

import pytest

from audit.ingest.columns import events_of, rounds_of
from rules_replay.auditor import Auditor
from rules_replay.fast import FastReplay
from rules_replay.log import Forfeit, Round, Split, Wager
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


@cache
def _lawful() -> tuple[Round, ...]:
    return tuple(lawful_rounds("act-2018", 8, 2000))


def _wagers(round_: Round, kind: str) -> list[Wager]:
    return [each for each in round_.events if isinstance(each, Wager) and each.kind == kind]


def _shared(round_: Round) -> set[int]:
    """The boxes with more than one main wager."""
    boxes = Counter(each.box for each in _wagers(round_, "main"))
    return {box for box, count in boxes.items() if count > 1}


def one_does_not_double(round_: Round) -> bool:
    """A player on a box that is doubled, not split, and he alone does not."""
    doubled = {each.on for each in _wagers(round_, "double")}
    boxes = {each.box for each in _wagers(round_, "main") if each.id in doubled}
    boxes -= {each.box for each in round_.events if isinstance(each, Split)}
    return any(each.box in boxes and each.id not in doubled for each in _wagers(round_, "main"))


def a_shared_box_is_split(round_: Round) -> bool:
    """Once, and not doubled."""
    split = Counter(
        each.box for each in round_.events if isinstance(each, Split) and each.box in _shared(round_)
    )
    doubled = {each.box for each in _wagers(round_, "double")}
    return list(split.values()) == [1] and doubled.isdisjoint(split)


def another_is_insured(round_: Round) -> bool:
    """Somebody insures the wager of another."""
    owners = {each.id: each.player for each in _wagers(round_, "main")}
    return any(each.on in owners and each.player != owners[each.on] for each in _wagers(round_, "insurance"))


def one_of_several_forfeits(round_: Round) -> bool:
    """Somebody gives up a wager on a box with others."""
    boxes = {each.id: each.box for kind in ("main", "double") for each in _wagers(round_, kind)}
    forfeited = {boxes.get(each.wager) for each in round_.events if isinstance(each, Forfeit)}
    return not forfeited.isdisjoint(_shared(round_))


UNCOMMON = (one_does_not_double, a_shared_box_is_split, another_is_insured, one_of_several_forfeits)
"""What most rounds are without, and what they may be plain with."""


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel")
class TestPlain:
    """By the compiled kernel."""

    @every_rulebook
    def test_most_lawful_rounds_are_plain(self, rulebook: str) -> None:
        rounds = list(lawful_rounds(rulebook, 8, 400))

        plain, _ = _judged(rounds)

        assert plain > 0.9 * len(rounds)

    @pytest.mark.parametrize("uncommon", UNCOMMON)
    def test_so_are_rounds_in_which_not_all_at_a_box_do_the_same(
        self, uncommon: Callable[[Round], bool]
    ) -> None:
        rounds = [each for each in _lawful() if uncommon(each)]

        plain = sum(_judged([each])[0] for each in rounds)

        assert plain > 0.5 * len(rounds) > 0

    @every_rulebook
    def test_no_round_with_findings_is_plain(self, rulebook: str) -> None:
        plain, clean = _judged(list(faulty_rounds(rulebook, 8, 400)))

        assert plain <= clean < 400
