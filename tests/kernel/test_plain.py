"""The short way for plain rounds is taken by most, and by none in which something is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

import pytest

from audit.ingest.columns import events_of, rounds_of
from rules_replay.auditor import Auditor
from rules_replay.fast import FastReplay
from rules_replay.log import Deal, Forfeit, Press, Round, Settle, Split, Surrender, Wager
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
def _lawful(rulebook: str) -> tuple[Round, ...]:
    return tuple(lawful_rounds(rulebook, 8, 2000))


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


def one_of_several_surrenders(round_: Round) -> bool:
    """And the others at his box play on."""
    return any(isinstance(each, Surrender) and each.wager is not None for each in round_.events)


def a_surrender_is_read_off(round_: Round) -> bool:
    """Where no decisions are recorded only its settlement tells of it."""
    return _settled_blindly(round_, "surrender")


def a_forfeit_is_read_off(round_: Round) -> bool:
    """The same of a wager given up after its double."""
    return _settled_blindly(round_, "forfeit")


def _settled_blindly(round_: Round, result: str) -> bool:
    settled = {each.result for each in round_.events if isinstance(each, Settle)}
    return "decisions" not in round_.facts and result in settled


def a_box_is_split_again(round_: Round) -> bool:
    """Twice or more, and nothing is doubled there."""
    split = Counter(each.box for each in round_.events if isinstance(each, Split))
    doubled = {each.box for each in _wagers(round_, "double")}
    return any(count > 1 and box not in doubled for box, count in split.items())


def the_button_is_pressed(round_: Round) -> bool:
    """For a box with Pontoon and the jackpot wager."""
    return any(isinstance(each, Press) for each in round_.events)


def the_dealer_draws_for_nobody(round_: Round) -> bool:
    """His second card came when every wager was settled."""
    cards = [seq for seq, each in enumerate(round_.events) if isinstance(each, Deal) and each.box == 0]
    settled = [seq for seq, each in enumerate(round_.events) if isinstance(each, Settle)]
    return len(cards) > 1 and settled[-1] < cards[1]


UNCOMMON = (
    (one_does_not_double, "act-2018"),
    (a_shared_box_is_split, "act-2018"),
    (another_is_insured, "act-2018"),
    (one_of_several_forfeits, "act-2018"),
    (one_of_several_surrenders, "adelaide-2008"),
    (a_surrender_is_read_off, "act-2018"),
    (a_forfeit_is_read_off, "act-2018"),
    (a_box_is_split_again, "act-2018"),
    (a_box_is_split_again, "nz-2000"),
    (the_button_is_pressed, "rws-2017"),
    (the_dealer_draws_for_nobody, "rws-2017"),
)
"""What most rounds are without, and what they may be plain with."""


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel")
class TestPlain:
    """By the compiled kernel."""

    @every_rulebook
    def test_most_lawful_rounds_are_plain(self, rulebook: str) -> None:
        rounds = list(lawful_rounds(rulebook, 8, 400))

        plain, _ = _judged(rounds)

        assert plain > 0.95 * len(rounds)

    @pytest.mark.parametrize(("uncommon", "rulebook"), UNCOMMON)
    def test_so_are_rounds_in_which_something_uncommon_happens(
        self, uncommon: Callable[[Round], bool], rulebook: str
    ) -> None:
        rounds = [each for each in _lawful(rulebook) if uncommon(each)]

        plain = sum(_judged([each])[0] for each in rounds)

        assert plain > 0.5 * len(rounds) > 0

    @every_rulebook
    def test_no_round_with_findings_is_plain(self, rulebook: str) -> None:
        plain, clean = _judged(list(faulty_rounds(rulebook, 8, 400)))

        assert plain <= clean < 400
