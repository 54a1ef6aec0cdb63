"""A card blanked out: what is said of the round without it holds for every card that it may have been."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import msgspec
import pytest

from rules_replay import engine
from rules_replay.cards import DECK
from rules_replay.log import Deal, Round
from rules_replay.results import RoundReplay
from rules_replay.rulebook import rulebook_ids
from tests.kernel.rounds import faulty_rounds
from tests.rounds import book

ROUNDS = 100


def blanked(rulebook: str) -> Iterator[tuple[Round, int]]:
    """Rounds with a fault each, and the event of one card of each that is dealt."""
    chosen = Random(rulebook)
    for round_ in faulty_rounds(rulebook, 11, ROUNDS):
        dealt = [seq for seq, event in enumerate(round_.events) if isinstance(event, Deal)]
        yield round_, chosen.choice(dealt)


def replayed(round_: Round, seq: int, card: str, rulebook: str) -> RoundReplay:
    """What the engine says with another card at an event."""
    events = [*round_.events]
    events[seq] = msgspec.structs.replace(round_.events[seq], card=card)
    return engine.replay_round(msgspec.structs.replace(round_, events=tuple(events)), book(rulebook))


def accused(replay: RoundReplay) -> set[tuple[str, int | None, str | None]]:
    """What is found with certainty: the group of its code, its box and its wager."""
    return {
        (each.code.partition(".")[0], each.box, each.wager)
        for each in replay.findings
        if each.severity not in ("notice", "indeterminate") and not each.code.startswith("deck.")
    }


def dues(replay: RoundReplay) -> dict[tuple[str, str], object]:
    """What every line of a wager is due that is fixed."""
    return {
        (each.wager, each.line): each.expected for each in replay.settlements if each.expected is not None
    }


def dealt_to_21(replay: RoundReplay) -> bool:
    """Whether a hand took a card that it should not have: nobody who collected is taken to have dealt one."""
    return any(each.code in ("draw.on-21", "draw.after-bust") for each in replay.findings)


@pytest.mark.slow
@pytest.mark.parametrize("rulebook", rulebook_ids())
def test_what_is_certain_without_a_card_is_so_with_any(rulebook: str) -> None:
    fixed = found = 0
    for round_, seq in blanked(rulebook):
        unread = replayed(round_, seq, "??", rulebook)
        due, certain = dues(unread), accused(unread)
        fixed += len(due)
        found += len(certain)
        for card in DECK:
            read = replayed(round_, seq, card, rulebook)
            if dealt_to_21(read) and not dealt_to_21(unread):
                continue
            assert certain <= accused(read), (round_.round_id, seq, card)
            others = dues(read)
            assert {line: others[line] for line in due if line in others}.items() <= due.items()
    assert fixed > 2 * ROUNDS
    assert found > 5
