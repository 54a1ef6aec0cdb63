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
from rules_replay.kernel.comparison import allowed_otherwise
from rules_replay.kernel.compiled import compiled, entry, inlined
from rules_replay.kernel.coverage import FAILED, cover, cover_alike, cover_failed, cover_kind
from rules_replay.kernel.hands import fill_hand, write_cards
from rules_replay.kernel.judge import check_claim, judge, play
from rules_replay.kernel.laying_out import lay_out
from rules_replay.kernel.plain import judge_plain, plain_kind
from rules_replay.kernel.records import Bools, Counts, Ints, Letters, Records, Table
from rules_replay.kernel.report import add
from rules_replay.kernel.settlements import settlement_rows
from rules_replay.kernel.shoe import check_shoe

FINDINGS: Final = 0
HANDS: Final = 1
SETTLEMENTS: Final = 2
OWN: Final = 3
CARDS: Final = 4
ENDS: Final = 5
"""Columns of `Rows.ends`, and how many there are."""


class Rows(NamedTuple):
    """What a batch comes to, in the order of its rounds.

    ``ends`` has how many findings, hands, settlements and cards of hands there are after each round, and how
    many findings there are before those of its shoe (`OWN`). ``told`` marks the rounds that the readable
    engine has to tell, because something was found or may be found by names; ``kept`` is the shoe as it was
    before each of them, and before each that is ``sampled``. ``cards`` has those of all hands by number, one
    hand after another. ``covered`` counts verdicts by rulebook (the last row: none in force), check and
    verdict, once `count_alike` has been called in the end; ``failed`` is work space.
    """

    ends: Ints
    told: Bools
    sampled: Bools
    kept: Records
    found: Records
    hands: Records
    settled: Records
    cards: Letters
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
        space.links[seq].undone = False
        event = space.events[seq]
        known = _number(space, event.wager, local, known)
        event.wager = NOT if event.wager == NOT else local[max(event.wager, 0)]
        if event.on != NOT:
            known = _number(space, event.on, local, known)
            event.on = local[event.on]
    for number in range(known):
        local[space.names[number]] = NOT
        space.bet_at[number] = NOT


@compiled
def _number(space: Any, name: int, local: Ints, known: int) -> int:
    """Give a wager's name, if there is one, the next number unless it has one; returns how many are known.

    It writes in any case: whether an event has a wager, the processor cannot foresee.
    """
    place = max(name, 0)
    number = int(local[place])
    new = number == NOT and name != NOT
    space.names[known] = name
    local[place] = known if new else number
    return known + int(new)


@entry
def follow_rounds(
    spaces: Records, rounds: Records, events: Records, books: Records, shoes: Records, local: Ints
) -> None:
    """Take rounds into their shoes without judging them: earlier ones, audited elsewhere."""
    space = spaces[0]
    for number in range(len(rounds)):
        round_ = rounds[number]
        _put(space, round_, events, local)
        table = Table(round_, books[max(round_.book, 0)], space)
        space.head.n_found = 0
        lay_out(table)
        check_shoe(table, shoes[round_.shoe])


@entry
def judge_rounds(
    spaces: Records,
    rounds: Records,
    events: Records,
    books: Records,
    shoes: Records,
    local: Ints,
    start: int,
    rows: Rows,
) -> int:
    """Judge rounds from ``start`` on; returns the number of the first for which there was no room."""
    space = spaces[0]
    found, hand, settled, card = 0, 0, 0, 0
    if start > 0:
        found = int(rows.ends[start - 1, FINDINGS])
        hand = int(rows.ends[start - 1, HANDS])
        settled = int(rows.ends[start - 1, SETTLEMENTS])
        card = int(rows.ends[start - 1, CARDS])
    number = start
    while number < len(rounds):
        round_ = rounds[number]
        shoe = shoes[round_.shoe]
        table = Table(round_, books[max(round_.book, 0)], space)
        governed = round_.book != NOT
        if rows.sampled[number]:
            rows.kept[number] = shoe
        if governed and judge_plain(
            table, events, local, shoe, number, rows.hands, hand, rows.settled, settled, rows.cards, card
        ):
            cover_kind(table, plain_kind(table, shoe), books, rows.covered)
            hand += space.plain.n_hands
            settled += space.plain.n_bets
            card += space.plain.n_cards
            rows.ends[number, OWN] = found
            rows.ends[number, FINDINGS] = found
            rows.ends[number, HANDS] = hand
            rows.ends[number, SETTLEMENTS] = settled
            rows.ends[number, CARDS] = card
            number += 1
            continue
        rows.kept[number] = shoe
        _put(space, round_, events, local)
        head = space.head
        head.n_found = 0
        head.overflow = False
        if governed:
            play(table)
            check_claim(table)
            judge(table)
            own = head.n_found
            check_shoe(table, shoe)
        else:
            lay_out(table)
            check_shoe(table, shoe)
            add(table, RULEBOOK_NONE_IN_FORCE, NOT)
            own = head.n_found
        enough = found + head.n_found <= len(rows.found)
        if governed and enough:
            enough = hand + head.n_hands <= len(rows.hands) and settled + 3 * head.n_bets <= len(rows.settled)
            enough = enough and card + round_.count <= len(rows.cards)
        if head.overflow or not enough:
            shoes[round_.shoe] = rows.kept[number]
            break
        if governed:
            hand, card = _write_hands(table, number, rows.hands, rows.cards, hand, card)
            settled = settlement_rows(table, number, rows.settled, settled)
        for place in range(head.n_found):
            rows.found[found + place] = space.found[place]
        rows.ends[number, OWN] = found + own
        if not governed:
            rows.covered[len(books), RULEBOOK_NONE_IN_FORCE, FAILED] += 1
            rows.told[number] = True
        elif head.n_found == 0:
            cover(table, books, rows.covered, shoe)
            rows.told[number] = _undersized(table)
        else:
            _mark_failed(rows.found, found, head.n_found, rows.failed)
            cover_failed(table, rows.covered, rows.failed, shoe)
            rows.told[number] = True
        found += head.n_found
        rows.ends[number, FINDINGS] = found
        rows.ends[number, HANDS] = hand
        rows.ends[number, SETTLEMENTS] = settled
        rows.ends[number, CARDS] = card
        number += 1
    return number


@entry
def count_alike(spaces: Records, books: Records, covered: Counts) -> None:
    """Count into ``covered`` the verdicts of rounds that were judged so far and counted together."""
    cover_alike(spaces[0], books, covered)


@inlined
def _mark_failed(found: Records, first: int, count: int, failed: Bools) -> None:
    """Mark the checks of which a round has findings."""
    for code in range(len(failed)):
        failed[code] = False
    for place in range(first, first + count):
        failed[found[place].code] = True


@inlined
def _write_hands(
    table: Table,
    number: int,
    rows: Records,
    cards: Letters,
    n: int,
    card: int,
) -> tuple[int, int]:
    """Write the hands of a round, from row ``n`` on, and their cards; returns where both end."""
    for place in range(table.space.head.n_hands):
        hand = 0 if place == 0 else int(table.space.order[place - 1])
        if table.space.hands[hand].n > 0:
            fill_hand(table, number, hand, rows[n])
            card = write_cards(table, hand, cards, card)
            n += 1
    return n, card


@inlined
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
    spaces: Records,
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
    space = spaces[0]
    left = len(found)
    for place in range(len(found)):
        if not _open(found, place):
            left -= 1
    for other in range(len(alternatives)):
        if left == 0:
            return
        _put(space, round_, events, local)
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


@inlined
def _removes(table: Table, finding: Records) -> bool:
    for place in range(table.space.head.n_found):
        if _same(table.space.found[place], finding):
            return False
    if not finding.has_delta or finding.bet == NOT:
        return True
    return allowed_otherwise(table, int(finding.code), int(finding.bet), int(finding.box))


@compiled
def _same(one: Records, other: Records) -> bool:
    """The same finding, as far as two readings can have the same."""
    place = one.box == other.box and one.hand == other.hand
    return bool(one.code == other.code and place and one.bet == other.bet)


@inlined
def _remove(found: Records, removed_by: Ints, place: int, other: int) -> int:
    count = 0
    for each in range(len(found)):
        if _open(found, each) and removed_by[each] == NOT and _same(found[each], found[place]):
            removed_by[each] = other
            count += 1
    return count
