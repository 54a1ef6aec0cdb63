"""Many rounds, one after another: every check under the readings in force, and the same
findings under every other reading of an ambiguous clause.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from rules_replay.kernel.codes import (
    BREACH,
    MAIN,
    NONE_OF,
    NOT,
    PROCEDURE,
    RULEBOOK_MISMATCH,
    RULEBOOK_NONE_IN_FORCE,
    WAGER_BELOW_MIN_AGAIN,
)
from rules_replay.kernel.compiled import compiled, entry
from rules_replay.kernel.coverage import FAILED, cover
from rules_replay.kernel.hands import hand_rows
from rules_replay.kernel.judge import check_claim, judge, play
from rules_replay.kernel.reasons import Sentences
from rules_replay.kernel.records import Bools, Counts, Ints, Records, Table
from rules_replay.kernel.report import add
from rules_replay.kernel.settlements import settlement_rows
from rules_replay.kernel.shoe import check_shoe
from rules_replay.kernel.stories import Letters, cards_room, reason_room, write_cards, write_reason
from rules_replay.kernel.table import lay_out

FINDINGS: Final = 0
HANDS: Final = 1
SETTLEMENTS: Final = 2
OWN: Final = 3
ENDS: Final = 4
"""Columns of `Rows.ends`, and how many there are."""


class Rows(NamedTuple):
    """What a batch comes to, in the order of its rounds.

    ``ends`` has how many findings, hands and settlements there are after each round, and how many findings
    there are before those of its shoe (`OWN`). ``told`` marks the
    rounds that the readable engine has to tell, because something was found or may be found by names;
    ``kept`` is the shoe as it was before each round. The texts of hands and settlements lie in
    ``cards`` and ``reasons`` one after another, each up to its end. ``covered`` counts verdicts by
    rulebook (the last row: none in force), check and verdict; ``failed`` is work space.
    """

    ends: Ints
    told: Bools
    kept: Records
    found: Records
    hands: Records
    settled: Records
    cards: Letters
    card_ends: Counts
    reasons: Letters
    reason_ends: Counts
    covered: Counts
    failed: Bools


@compiled
def _put(space: Any, round_: Any, events: Records, local: Ints) -> None:
    """Put the events of a round into the space, its wagers numbered as the round names them.

    ``local`` has room for every number of a name, and `NOT` everywhere before and after.
    """
    known = 0
    for seq in range(round_.count):
        space.events[seq] = events[round_.first + seq]
        event = space.events[seq]
        if event.wager != NOT and local[event.wager] == NOT:
            local[event.wager] = known
            space.names[known] = event.wager
            known += 1
        if event.on != NOT and local[event.on] == NOT:
            local[event.on] = known
            space.names[known] = event.on
            known += 1
        if event.wager != NOT:
            event.wager = local[event.wager]
        if event.on != NOT:
            event.on = local[event.on]
    for number in range(known):
        local[space.names[number]] = NOT


@entry
def follow_rounds(
    space: Any, rounds: Records, events: Records, books: Records, shoes: Records, local: Ints
) -> None:
    """Take rounds into their shoes without judging them: earlier ones, audited elsewhere."""
    for number in range(len(rounds)):
        round_ = rounds[number]
        _put(space, round_, events, local)
        table = Table(round_, books[max(round_.book, 0)], space)
        space.head.n_found = 0
        lay_out(table)
        check_shoe(table, shoes[round_.shoe])


@entry
def judge_rounds(
    space: Any,
    rounds: Records,
    events: Records,
    books: Records,
    sentences: Sentences,
    shoes: Records,
    local: Ints,
    start: int,
    rows: Rows,
) -> int:
    """Judge rounds from ``start`` on; returns the number of the first for which there was no room."""
    for number in range(start, len(rounds)):
        round_ = rounds[number]
        shoe = shoes[round_.shoe]
        _put(space, round_, events, local)
        table = Table(round_, books[max(round_.book, 0)], space)
        head = space.head
        head.n_found = 0
        head.overflow = False
        rows.kept[number] = shoe
        if round_.book == NOT:
            lay_out(table)
            check_shoe(table, shoe)
            add(table, RULEBOOK_NONE_IN_FORCE, NOT)
            own = head.n_found
        else:
            play(table)
            check_claim(table)
            judge(table)
            own = head.n_found
            check_shoe(table, shoe)
        if head.overflow or not _write_rows(table, number, sentences, rows):
            shoes[round_.shoe] = rows.kept[number]
            return number
        rows.failed[:] = False
        before = 0 if number == 0 else int(rows.ends[number - 1, FINDINGS])
        for place in range(head.n_found):
            rows.found[before + place] = space.found[place]
            rows.failed[space.found[place].code] = True
        rows.ends[number, OWN] = before + own
        rows.ends[number, FINDINGS] = before + head.n_found
        if round_.book == NOT:
            rows.covered[len(books), RULEBOOK_NONE_IN_FORCE, FAILED] += 1
            rows.told[number] = True
        else:
            cover(table, rows.covered, rows.failed, shoe.whole)
            rows.told[number] = head.n_found > 0 or _undersized(table)
    return len(rounds)


@compiled
def _write_rows(table: Table, number: int, sentences: Sentences, rows: Rows) -> bool:
    """Write the hands and settlements of a round; False, and nothing written, where there is no room."""
    first_hand = 0 if number == 0 else int(rows.ends[number - 1, HANDS])
    first_settled = 0 if number == 0 else int(rows.ends[number - 1, SETTLEMENTS])
    rows.ends[number, HANDS] = first_hand
    rows.ends[number, SETTLEMENTS] = first_settled
    found = 0 if number == 0 else int(rows.ends[number - 1, FINDINGS])
    if found + table.space.head.n_found > len(rows.found):
        return False
    if table.round.book == NOT:
        return True
    card = 0 if first_hand == 0 else int(rows.card_ends[first_hand - 1])
    letter = 0 if first_settled == 0 else int(rows.reason_ends[first_settled - 1])
    if not _has_room(table, rows, first_hand, first_settled, card, letter):
        return False
    for place in range(table.space.head.n_hands):
        hand = 0 if place == 0 else int(table.space.order[place - 1])
        if table.space.hands[hand].n > 0:
            card = write_cards(table, hand, rows.cards, card)
            rows.card_ends[rows.ends[number, HANDS]] = card
            rows.ends[number, HANDS] += 1
    hand_rows(table, number, rows.hands, first_hand)
    rows.ends[number, SETTLEMENTS] = settlement_rows(table, number, rows.settled, first_settled)
    for bet in range(table.space.head.n_bets):
        letter = write_reason(table, bet, sentences, rows.reasons, letter)
        rows.reason_ends[first_settled + bet] = letter
    for place in range(first_settled + table.space.head.n_bets, rows.ends[number, SETTLEMENTS]):
        rows.reason_ends[place] = letter
    return True


@compiled
def _has_room(table: Table, rows: Rows, first_hand: int, first_settled: int, card: int, letter: int) -> bool:
    head = table.space.head
    for bet in range(head.n_bets):
        letter += reason_room(table, bet)
    enough = first_hand + head.n_hands <= len(rows.hands) and letter <= len(rows.reasons)
    enough = enough and card + cards_room(table.round.count) <= len(rows.cards)
    return bool(enough and first_settled + 3 * head.n_bets <= len(rows.settled))


@compiled
def _undersized(table: Table) -> bool:
    """Whether a main wager lies under the minimum where the next of its owner would have to go back."""
    least = table.round.limit_min
    if least == NOT or table.book.says[WAGER_BELOW_MIN_AGAIN] == NONE_OF:
        return False
    for number in range(table.space.head.n_bets):
        bet = table.space.bets[number]
        if bet.kind == MAIN and bet.amount < least:
            return True
    return False


@entry
def read_otherwise(
    space: Any,
    round_: Any,
    events: Records,
    alternatives: Records,
    local: Ints,
    found: Records,
    removed_by: Ints,
) -> None:
    """Which findings of a round another reading removes: ``removed_by`` gets its number, or stays `NOT`.

    A money finding is removed only where the other reading positively allows what was recorded.
    """
    _put(space, round_, events, local)
    left = len(found)
    for place in range(len(found)):
        if not _open(found, place):
            left -= 1
    for other in range(len(alternatives)):
        if left == 0:
            return
        table = Table(round_, alternatives[other], space)
        space.head.n_found = 0
        space.head.overflow = False
        play(table)
        judge(table)
        for place in range(len(found)):
            if _open(found, place) and removed_by[place] == NOT and _removes(table, found[place]):
                left -= _remove(found, removed_by, place, other)


@compiled
def _open(found: Records, place: int) -> bool:
    at = found[place]
    grave = at.severity == BREACH or at.severity == PROCEDURE
    return bool(grave and at.code != RULEBOOK_MISMATCH)


@compiled
def _removes(table: Table, finding: Records) -> bool:
    for place in range(table.space.head.n_found):
        if _same(table.space.found[place], finding):
            return False
    if not finding.has_delta or finding.bet == NOT:
        return True
    bet = table.space.bets[finding.bet]
    return bool(bet.fixed and bet.settled and bet.paid - bet.taken == bet.due_paid - bet.due_taken)


@compiled
def _same(one: Records, other: Records) -> bool:
    """The same finding, as far as two readings can have the same."""
    place = one.box == other.box and one.hand == other.hand
    return bool(one.code == other.code and place and one.bet == other.bet)


@compiled
def _remove(found: Records, removed_by: Ints, place: int, other: int) -> int:
    count = 0
    for each in range(len(found)):
        if _open(found, each) and removed_by[each] == NOT and _same(found[each], found[place]):
            removed_by[each] = other
            count += 1
    return count
