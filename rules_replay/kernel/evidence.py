"""What a round that was laid out and played lacks, of all that may leave a check open (`lacking`)."""

from __future__ import annotations

from rules_replay.kernel.book import (
    READS_DEALER_PLAYS_ON_IDLE_FORBIDDEN,
    READS_DEALER_SECOND_CARD_IDLE_FORBIDDEN,
)
from rules_replay.kernel.codes import (
    BURN,
    DECISIONS,
    FAMILY_VOID,
    MAIN,
    NEVER,
    NOT,
    PLACE_SURRENDERED,
    SURRENDER,
    UNREADABLE,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import readable
from rules_replay.kernel.dealer import NEEDED_PERHAPS, early_card_left
from rules_replay.kernel.dealers_cards import must_draw
from rules_replay.kernel.facts import captures, late_first_card, limit_of, upcard
from rules_replay.kernel.lacking import (
    BONUS_NOT_FIXED,
    BREAKS_OFF,
    CARD_UNREAD,
    CARD_UNREAD_OF_SURRENDER,
    DEAL_BREAKS_OFF,
    DRAW_UNREAD,
    DRAW_UNSEEN,
    FIRST_CARD_UNREAD,
    FIRST_CARD_UNREAD_AT_SURRENDER,
    NEEDLESS_DRAW_OPEN,
    NO_CALL,
    NO_CHIP,
    NO_DECISIONS,
    NO_DECISIONS_AT_BURN,
    NO_MAIN_MINIMUM,
    NO_MAXIMUM,
    NO_MINIMUM,
    NO_SIGN,
    NO_SURRENDER_SEEN,
    NOT_FIXED,
    PLAYERS_CARD_UNREAD,
    UNDER_DRAW_OPEN,
)
from rules_replay.kernel.records import Table
from rules_replay.kernel.table import did, placed, placed_side, stands


@compiled
def lacks(holds: bool, lacking: int) -> int:
    """The bit of what is lacking, if it is."""
    return lacking if holds else 0


@compiled
def lacking_of_record(table: Table, called: bool, surrendered: bool) -> int:
    """What is not written down of a round, whatever was dealt in it."""
    blind = not captures(table, DECISIONS)
    found = lacks(blind, NO_DECISIONS) | lacks(blind and not surrendered, NO_SURRENDER_SEEN)
    return found | lacks(not called, NO_CALL)


@compiled
def lacking_of_sign(table: Table, mains: bool, sides: bool, unlimited: bool) -> int:
    """What the sign leaves open on main and side wagers, if there are any.

    ``unlimited``: nothing says what some main wager may be at most. A sign shows a least and a greatest
    wager (act-2018 3.1 18.7, nz-2000 15.6, adelaide-2008 13 94); that it shows multiples or a box maximum
    is not said (adelaide-2008 13, nz-2000 15.2).
    """
    sign = table.round
    no_main_minimum = mains and sign.limit_min == NOT
    found = lacks(no_main_minimum, NO_MAIN_MINIMUM)
    found |= lacks(no_main_minimum or (sides and sign.limit_side_min == NOT), NO_MINIMUM)
    found |= lacks(unlimited or (sides and sign.limit_side_max == NOT), NO_MAXIMUM)
    return found | lacks(not sign.has_limits, NO_SIGN) | lacks(sign.limit_smallest_chip <= 0, NO_CHIP)


@inlined
def lacking(table: Table) -> int:
    """All that a round lacks."""
    head = table.space.head
    found = lacking_of_record(table, head.no_more_bets_at < NEVER, stands(table, PLACE_SURRENDERED))
    found |= lacks(did(table, BURN) and not captures(table, DECISIONS), NO_DECISIONS_AT_BURN)
    found |= lacking_of_sign(table, placed(table, MAIN), placed_side(table), _unlimited(table))
    found |= lacks(head.incomplete, BREAKS_OFF)
    found |= lacks(head.incomplete and head.initial_closed_at == NEVER, DEAL_BREAKS_OFF)
    return found | _unread(table) | _not_fixed(table) | _of_the_draw(table)


@inlined
def _unlimited(table: Table) -> bool:
    if table.round.limit_max != NOT:
        return False
    for bet in range(table.space.head.n_bets):
        if table.space.bets[bet].kind == MAIN and limit_of(table, bet) == NOT:
            return True
    return False


@inlined
def _unread(table: Table) -> int:
    if table.space.head.n_unreadable == 0:
        return 0
    surrendered = did(table, SURRENDER)
    first = upcard(table)
    found = CARD_UNREAD
    if first != NOT and not readable(first):
        found |= FIRST_CARD_UNREAD | lacks(surrendered, FIRST_CARD_UNREAD_AT_SURRENDER)
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == UNREADABLE and act.box != 0:
            found |= PLAYERS_CARD_UNREAD | lacks(surrendered, CARD_UNREAD_OF_SURRENDER)
    return found


@inlined
def _not_fixed(table: Table) -> int:
    """The families of wagers settled though nobody can say how, or still to be settled; and the bonus."""
    found = 0
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.settled:
            open_ = not at.fixed and not at.open
        else:
            open_ = table.space.head.incomplete and at.family != FAMILY_VOID
        found |= lacks(open_, NOT_FIXED << int(at.family))
        found |= lacks(at.bonus_unknown, BONUS_NOT_FIXED)
    return found


@inlined
def _of_the_draw(table: Table) -> int:
    head = table.space.head
    dealer = table.space.hands[0]
    late = dealer.lacks_initial_card and not late_first_card(table)
    if late or dealer.foreign > 0 or dealer.disturbed_by != NOT or early_card_left(table):
        return DRAW_UNSEEN
    perhaps = head.need_total == NEEDED_PERHAPS
    goes_on = head.dealer_counting < 2 or must_draw(head.dealer_points, head.dealer_soft)
    found = lacks(head.dealer_unread, DRAW_UNREAD)
    found |= lacks(perhaps and goes_on and head.dealer_finished, UNDER_DRAW_OPEN)
    idle = table.book.reads_dealer_second_card_idle == READS_DEALER_SECOND_CARD_IDLE_FORBIDDEN
    second = idle and head.need_second == NEEDED_PERHAPS and dealer.n >= 2
    idle = table.book.reads_dealer_plays_on_idle == READS_DEALER_PLAYS_ON_IDLE_FORBIDDEN
    third = idle and perhaps and dealer.n >= 3
    return found | lacks(second or third, NEEDLESS_DRAW_OPEN)
