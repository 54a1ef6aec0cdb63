"""The Super Bonus, and the bonus due to the other wagers of its round."""

from __future__ import annotations

from typing import Final

from rules_replay.kernel.book import (
    BONUS_DOUBLE_EXCLUDES_HAND,
    READS_CO_WAGERER_NOT_DOUBLING_ODDS_EVEN,
    READS_OTHER_WAGERS_BONUS_FIRST_MAIN_OF_BOX,
    READS_OTHER_WAGERS_BONUS_PER_ORIGINAL,
    READS_OTHER_WAGERS_BONUS_WITH_SIDE_BETS,
    READS_SUPER_BONUS_EXCLUDED_BY_ANY_SPLIT_OR_DOUBLE,
    READS_SUPER_BONUS_EXCLUDED_BY_NEVER_PAID,
    READS_SUPER_BONUS_EXCLUDED_BY_SUITED_SEVENS_SPLIT_OR_DOUBLE,
    READS_SUPER_BONUS_WINNERS_CONTROLLER,
)
from rules_replay.kernel.codes import (
    DOUBLE_BET,
    MAIN,
    NOT,
    PERFECT_PAIRS,
    PLACE_TWENTY_ONE,
    PLACE_UNKNOWN,
    PLACE_VOID,
    SEVEN,
    SPLIT,
    SPLIT_BET,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import rank, readable, suit
from rules_replay.kernel.facts import upcard
from rules_replay.kernel.payout import suited_sevens, three_cards
from rules_replay.kernel.reasons import SAID_NOTHING
from rules_replay.kernel.records import Table
from rules_replay.kernel.sides import side_void

_NO: Final = 0
_PERHAPS: Final = 1
_YES: Final = 2


@inlined
def award_bonuses(table: Table) -> None:
    """Find who is due a Super Bonus in this round, and who the bonus for other wagers."""
    head = table.space.head
    head.bonus_due = False
    card = upcard(table)
    never = table.book.reads_super_bonus_excluded_by == READS_SUPER_BONUS_EXCLUDED_BY_NEVER_PAID
    if never or card == NOT or head.round_void or not _may_be_seven(card):
        return
    won, unknown = _award_winners(table, readable(card))
    head.bonus_due = won or unknown
    if won:
        _award_others(table)
    if unknown:
        for bet in range(head.n_bets):
            table.space.bets[bet].bonus_unknown = True


@inlined
def _award_winners(table: Table, certain: bool) -> tuple[bool, bool]:
    """Whether a Super Bonus is due to anyone, and whether the log cannot tell for someone.

    Unless the dealer's first card is certain to be a seven, none can be told to be due.
    """
    won = False
    unknown = False
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind > SPLIT_BET or (at.place != PLACE_UNKNOWN and at.place != PLACE_TWENTY_ONE):
            continue
        entitled = _entitled(table, bet) if at.counting == 3 else _NO
        if entitled == _NO:
            continue
        if at.place == PLACE_UNKNOWN and _may_be_sevens(table, at.hand):
            unknown = True
        if at.place == PLACE_TWENTY_ONE and suited_sevens(table, bet, at.hand):
            award = _award(table, at.effective)
            if certain and entitled == _YES:
                at.super_bonus = award
                won = won or award > 0
            else:
                unknown = unknown or award > 0
    return won, unknown


@inlined
def _may_be_sevens(table: Table, hand: int) -> bool:
    one, two, three = three_cards(table, hand)
    return _may_be_seven(one) and _may_be_seven(two) and _may_be_seven(three)


@compiled
def _may_be_seven(card: int) -> bool:
    return rank(card) == SEVEN or not readable(card)


@inlined
def _entitled(table: Table, bet: int) -> int:
    """No Super Bonus after a double, nor after the splits that the rulebook names.

    Who did not double with his box is due it where he is due the odds of the table (nz-2000 12.6).
    `_PERHAPS` where only a split pair may exclude it of which a card could not be read.
    """
    book = table.book
    at = table.space.bets[bet]
    hand = table.space.hands[at.hand]
    excluded = book.reads_super_bonus_excluded_by
    if hand.doubled_at != NOT:
        whole_hand = book.bonus_double_excludes == BONUS_DOUBLE_EXCLUDES_HAND
        if book.reads_co_wagerer_not_doubling_odds != READS_CO_WAGERER_NOT_DOUBLING_ODDS_EVEN:
            whole_hand = False
        if whole_hand or at.first_portion != NOT:
            return _NO
    if excluded == READS_SUPER_BONUS_EXCLUDED_BY_ANY_SPLIT_OR_DOUBLE and hand.of_split:
        return _NO
    if book.reads_super_bonus_winners == READS_SUPER_BONUS_WINNERS_CONTROLLER:
        if at.root != table.space.boxes[table.space.box_at[at.box]].first_main:
            return _NO
    if excluded == READS_SUPER_BONUS_EXCLUDED_BY_SUITED_SEVENS_SPLIT_OR_DOUBLE:
        return _as_sevens_were_split(table, at.box)
    return _YES


@inlined
def _as_sevens_were_split(table: Table, box: int) -> int:
    entitled = _YES
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind != SPLIT or act.box != box or act.n != 2:
            continue
        if not (_may_be_seven(act.first) and _may_be_seven(act.second)):
            continue
        if act.unreadable > 0:
            entitled = _PERHAPS
        elif suit(act.first) == suit(act.second):
            return _NO
    return entitled


@inlined
def _award(table: Table, stake: int) -> int:
    """The award by the stake; a stake between the printed tiers takes the lower one."""
    book = table.book
    if stake < book.bonus_lowest_stake:
        return 0
    return book.bonus_high_award if stake >= book.bonus_high_from else book.bonus_low_award


@inlined
def _award_others(table: Table) -> None:
    amount = table.book.bonus_other_award
    reading = table.book.reads_other_wagers_bonus
    with_sides = reading == READS_OTHER_WAGERS_BONUS_WITH_SIDE_BETS
    first_only = reading == READS_OTHER_WAGERS_BONUS_FIRST_MAIN_OF_BOX
    by_circle = first_only or table.book.bonus_other_by_circle != 0
    last_kind = SPLIT_BET
    if by_circle or reading == READS_OTHER_WAGERS_BONUS_PER_ORIGINAL:
        last_kind = MAIN
    elif with_sides:
        last_kind = DOUBLE_BET
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind >= PERFECT_PAIRS:
            seated = not by_circle or _of_seated_player(table, bet)
            if with_sides and seated and side_void(table, bet)[0] == SAID_NOTHING:
                at.other_bonus = amount
            continue
        if at.kind > last_kind or at.super_bonus > 0 or at.place == PLACE_VOID:
            continue
        if not by_circle or (_is_first_of_box(table, bet) and not _won_on_box(table, at.box)):
            at.other_bonus = amount


@inlined
def _is_first_of_box(table: Table, bet: int) -> bool:
    return bool(table.space.boxes[table.space.box_at[table.space.bets[bet].box]].first_main == bet)


@inlined
def _of_seated_player(table: Table, bet: int) -> bool:
    """Whether a side wager is of the player whose main wager is the first of its box (rws-2017 4.2)."""
    at = table.space.bets[bet]
    box = table.space.box_at[at.box]
    first = NOT if box == NOT else table.space.boxes[box].first_main
    return bool(first != NOT and table.space.bets[first].player == at.player)


@inlined
def _won_on_box(table: Table, box: int) -> bool:
    for bet in range(table.space.head.n_bets):
        if table.space.bets[bet].super_bonus > 0 and table.space.bets[bet].box == box:
            return True
    return False
