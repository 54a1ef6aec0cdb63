"""Which checks a round could support: passed, failed, or not evaluable and for want of what."""

from __future__ import annotations

from typing import Any, Final

from rules_replay.kernel.book import SUBJECTS
from rules_replay.kernel.codes import (
    A_READABLE_CARD,
    ASSIGN,
    BURNS,
    CONTINUOUS,
    CUT_CARD,
    CUT_CARDS,
    DECISIONS,
    DOUBLE,
    FORFEITED,
    INSURANCE,
    LACKED,
    MAIN,
    NEVER,
    NONE_OF,
    NOT,
    PAIR,
    PANDEMONIUM,
    PERFECT_PAIRS,
    SEVEN,
    SHOE_CUT_CARD_MISSING,
    SHOE_CUT_POSITION,
    SPLIT,
    SURRENDER,
    THE_CALL,
    THE_MAXIMUM,
    THE_MINIMUM,
    THE_REST,
    THE_SIGN,
    THE_SMALLEST_CHIP,
    THE_WHOLE_SHOE,
    WHAT_FIXES_THE_OUTCOME,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import rank, readable
from rules_replay.kernel.evidence import lacking
from rules_replay.kernel.facts import captures, upcard
from rules_replay.kernel.lacking import (
    BITS,
    BREAKS_OFF,
    CARD_UNREAD,
    CARD_UNREAD_OF_SURRENDER,
    CUT_UNSEEN,
    DEAL_BREAKS_OFF,
    FIRST_CARD_UNREAD,
    FIRST_CARD_UNREAD_AT_SURRENDER,
    NO_CALL,
    NO_CHIP,
    NO_DECISIONS,
    NO_DECISIONS_AT_BURN,
    NO_MAIN_MINIMUM,
    NO_MAXIMUM,
    NO_MINIMUM,
    NO_SIGN,
    NO_SURRENDER_SEEN,
    PLAYERS_CARD_UNREAD,
)
from rules_replay.kernel.records import CIRCUMSTANCES, SUBJECTS_ROOM, Bools, Counts, Records, Table
from rules_replay.kernel.table import did, happened, placed, placed_side
from rules_replay.log import FACTS

PASSED: Final = 0
FAILED: Final = 1
LACKS: Final = 2
"""Verdicts; from `LACKS` on one for each missing fact."""
VERDICTS: Final = LACKS + LACKED
"""How many verdicts there are."""

OF_ROUND: Final = 0
OF_CLAIM: Final = 1
OF_WAGER: Final = 2
OF_LIMIT: Final = 3
OF_SIDE: Final = 4
OF_PAIRS: Final = 5
OF_JACKPOT: Final = 6
OF_INSURANCE: Final = 7
OF_TWENTY_ONE: Final = 8
OF_SURRENDER: Final = 9
OF_SPLIT: Final = 10
OF_DOUBLE: Final = 11
OF_FORFEIT: Final = 12
OF_HAND: Final = 13
OF_DEALER: Final = 14
OF_VOID: Final = 15
OF_SUPER_BONUS: Final = 16
OF_SHOE: Final = 17
OF_IRREGULARITY: Final = 18
OF_BURNED: Final = 19
OF_CALL: Final = 20
OF_SURRENDERED: Final = 21
OF_ASSIGNED: Final = 22
OF_CONTINUOUS: Final = 23
OF_CUTTING_CARD: Final = 24
OF_LAST_ROUNDS: Final = 25
"""Subjects, as `rules_replay.kernel.book.SUBJECTS`."""


_FACTS_AT: Final = len(SUBJECTS)
_WHOLE_AT: Final = _FACTS_AT + len(FACTS)
_LACKING_AT: Final = _WHOLE_AT + 1
"""Where in a kind of round, after the subjects, are the facts that it records, whether its shoe is whole,
and what it lacks."""
_ALL_SUBJECTS: Final = (1 << len(SUBJECTS)) - 1
_ALL_FACTS: Final = (1 << len(FACTS)) - 1
_ALL_LACKING: Final = (1 << BITS) - 1
_SPREAD: Final = 0x1E3779B97F4A7C15
"""An odd number whose product spreads circumstances over the places for them."""
assert len(SUBJECTS) <= SUBJECTS_ROOM


@inlined
def cover(table: Table, books: Records, covered: Counts, shoe: Any) -> None:
    """Count the verdict of every check that applies to a round in which nothing was found.

    ``covered`` counts by rulebook, check and verdict, once `cover_alike` has been called in the end: rounds
    that record and lack the same are counted together.
    """
    cover_kind(table, _kind(table, shoe), books, covered)


@inlined
def cover_kind(table: Table, kind: int, books: Records, covered: Counts) -> None:
    """The same for a round of a kind."""
    book = int(table.round.book)
    circumstances = kind >> _FACTS_AT
    place = ((circumstances + book) * _SPREAD >> 40) % CIRCUMSTANCES
    # Two that meet at a place would displace each other again and again.
    if not _free_for(table.space.alike[place], book, circumstances):
        place ^= 1
    alike = table.space.alike[place]
    if alike.circumstances != circumstances or alike.book != book:
        _settle_alike(alike, books, covered)
        alike.circumstances = circumstances
        alike.book = book
    for subject in range(SUBJECTS_ROOM):
        alike.about[subject] += (kind & _ALL_SUBJECTS) >> subject & 1


@inlined
def _free_for(alike: Any, book: int, circumstances: int) -> bool:
    """Whether rounds are counted there that record and lack the same, or none."""
    same = alike.circumstances == circumstances and alike.book == book
    return bool(same or alike.about[OF_ROUND] == 0)


@inlined
def cover_alike(space: Any, books: Records, covered: Counts) -> None:
    """Count the verdicts of all rounds that were counted together so far."""
    for place in range(CIRCUMSTANCES):
        _settle_alike(space.alike[place], books, covered)


@compiled
def _settle_alike(alike: Any, books: Records, covered: Counts) -> None:
    if alike.about[OF_ROUND] == 0:
        return
    book = books[alike.book]
    for code in range(covered.shape[1]):
        subject = int(book.subject[code])
        verdict = _verdict(book, code, alike.circumstances << _FACTS_AT | 1 << subject)
        if verdict != NOT:
            covered[alike.book, code, verdict] += alike.about[subject]
    for subject in range(SUBJECTS_ROOM):
        alike.about[subject] = 0


@inlined
def cover_failed(table: Table, covered: Counts, failed: Bools, shoe: Any) -> None:
    """The same, at once, for a round in which it or its shoe has findings of the checks ``failed``."""
    kind = _kind(table, shoe)
    for code in range(len(failed)):
        verdict = FAILED if failed[code] else _verdict(table.book, code, kind)
        if verdict != NOT:
            covered[table.round.book, code, verdict] += 1


@compiled
def _kind(table: Table, shoe: Any) -> int:
    """All that decides which checks a round supports, as one number."""
    return kind_of(table, _subjects(table), lacking(table), shoe)


@compiled
def kind_of(table: Table, subjects: int, lacks: int, shoe: Any) -> int:
    """The kind of a round that contains these subjects and lacks what is missing, a bit each, in its shoe.

    Unless the shoe is whole nothing is shown about where its cutting card was.
    """
    facts = int(table.round.facts) & _ALL_FACTS
    if shoe.cut_unseen:
        lacks |= CUT_UNSEEN
    return subjects | facts << _FACTS_AT | bit(shoe.whole, _WHOLE_AT) | lacks << _LACKING_AT


@compiled
def _verdict(book: Any, code: int, kind: int) -> int:
    """The verdict on a check that found nothing, `NOT` where it does not apply."""
    if book.says[code] == NONE_OF or not (kind >> int(book.subject[code])) & 1:
        return NOT
    needs = int(book.needs[code])
    if needs != NOT and not (kind >> (_FACTS_AT + needs)) & 1:
        return LACKS + needs
    round_lacks = (kind >> _LACKING_AT) & _ALL_LACKING
    left_open = round_lacks & int(book.left_open_by[code])
    if left_open != 0:
        return LACKS + _missing(left_open & -left_open, round_lacks)
    about_shoe = code == SHOE_CUT_POSITION or code == SHOE_CUT_CARD_MISSING
    return LACKS + THE_WHOLE_SHOE if about_shoe and not (kind >> _WHOLE_AT) & 1 else PASSED


@compiled
def _missing(lowest: int, round_lacks: int) -> int:
    """What the lowest bit of all that leaves a check open stands for."""
    unread = CARD_UNREAD | FIRST_CARD_UNREAD | FIRST_CARD_UNREAD_AT_SURRENDER
    if lowest & (unread | PLAYERS_CARD_UNREAD | CARD_UNREAD_OF_SURRENDER):
        return A_READABLE_CARD
    if lowest & (NO_DECISIONS | NO_SURRENDER_SEEN | NO_DECISIONS_AT_BURN):
        return DECISIONS
    if lowest == CUT_UNSEEN:
        return CUT_CARDS
    if lowest & (BREAKS_OFF | DEAL_BREAKS_OFF):
        return THE_REST
    if lowest == NO_CALL:
        return THE_CALL
    if lowest & (NO_MINIMUM | NO_MAIN_MINIMUM):
        return THE_MINIMUM
    if lowest == NO_MAXIMUM:
        return THE_MAXIMUM
    if lowest == NO_SIGN:
        return THE_SIGN
    if lowest == NO_CHIP:
        return THE_SMALLEST_CHIP
    if round_lacks & CARD_UNREAD:
        return A_READABLE_CARD
    return THE_REST if round_lacks & BREAKS_OFF else WHAT_FIXES_THE_OUTCOME


@compiled
def bit(holds: bool, subject: int) -> int:
    """The bit of a subject that holds."""
    return 1 << subject if holds else 0


@inlined
def _subjects(table: Table) -> int:
    """What the round contains, a bit for each subject."""
    head = table.space.head
    up = upcard(table)
    found = subjects_of_round(table)
    found |= bit(table.space.hands[0].n > 0 and not head.round_void, OF_DEALER)
    found |= bit(head.round_void or head.wager_void, OF_VOID)
    found |= bit(up != NOT and (rank(up) == SEVEN or not readable(up)), OF_SUPER_BONUS)
    found |= bit(head.n_irregularities > 0, OF_IRREGULARITY)
    found |= bit(min(head.no_more_bets_at, head.first_card_at) < NEVER, OF_CALL)
    found |= bit(head.burned, OF_BURNED)
    found |= bit(happened(table, CUT_CARD), OF_CUTTING_CARD)
    return found | _of_bets(table) | _of_acts(table) | _of_hands(table)


@compiled
def subjects_of_round(table: Table) -> int:
    """What is a subject whatever happened in the round."""
    found = 1 << OF_ROUND | 1 << OF_SHOE
    found |= bit(table.round.claims, OF_CLAIM)
    found |= bit(not captures(table, BURNS), OF_BURNED)
    found |= bit(not captures(table, CUT_CARDS), OF_CUTTING_CARD)
    found |= bit(table.round.shuffler == CONTINUOUS, OF_CONTINUOUS)
    return found | bit(table.round.last_rounds, OF_LAST_ROUNDS)


@inlined
def _of_bets(table: Table) -> int:
    found = bit(table.space.head.n_bets > 0, OF_WAGER) | bit(placed_side(table), OF_SIDE)
    found |= bit(placed(table, MAIN) or placed_side(table), OF_LIMIT)
    if placed(table, MAIN):
        found |= 1 << OF_TWENTY_ONE | 1 << OF_SURRENDER
    found |= bit(placed(table, PERFECT_PAIRS) or placed(table, PAIR), OF_PAIRS)
    found |= bit(placed(table, PANDEMONIUM), OF_JACKPOT)
    return found | bit(placed(table, INSURANCE), OF_INSURANCE)


@inlined
def _of_acts(table: Table) -> int:
    blind = not captures(table, DECISIONS)
    split = did(table, SPLIT)
    found = bit(split, OF_SPLIT) | bit(did(table, DOUBLE), OF_DOUBLE)
    found |= bit(did(table, DOUBLE) or (blind and _settled_as_forfeited(table)), OF_FORFEIT)
    found |= bit(did(table, SURRENDER) or (blind and placed(table, MAIN)), OF_SURRENDERED)
    return found | bit(did(table, ASSIGN) or (blind and split), OF_ASSIGNED)


@inlined
def _settled_as_forfeited(table: Table) -> bool:
    """A forfeit is read off its settlement where no decisions are captured (ruling 15)."""
    for bet in range(table.space.head.n_bets):
        if (table.space.bets[bet].results >> FORFEITED) & 1:
            return True
    return False


@inlined
def _of_hands(table: Table) -> int:
    """Whether any hand of a player holds a card."""
    for hand in range(1, table.space.head.n_hands):
        if table.space.hands[hand].n > 0:
            return 1 << OF_HAND
    return 0
