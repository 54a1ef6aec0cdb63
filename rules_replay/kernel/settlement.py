"""What every wager is due: result, payment, collection, with the clause and the story."""

from __future__ import annotations

from rules_replay.kernel.book import (
    READS_BUST_ABOVE_ORIGINAL_LOST,
    READS_BUST_ABOVE_ORIGINAL_RETURNED,
    READS_BUST_ON_DEALERS_TOTAL_STAND_OFF,
    READS_CO_WAGERER_NOT_DOUBLING_ODDS_EVEN,
    READS_DEALER_PONTOON_DOUBLE_ALL,
    READS_DEALER_PONTOON_DOUBLE_ORIGINAL_PER_HAND,
    READS_DEALER_PONTOON_SPLIT_ALL,
    READS_DEALER_PONTOON_SPLIT_ORIGINAL_CAP,
    READS_DEALER_PONTOON_SPLIT_ORIGINAL_STACK,
    READS_DOUBLE_CUTS_BOX_ODDS_BOX,
    READS_DOUBLED_BUST_DEALER_PONTOON_ORIGINAL_ONLY,
    READS_DOUBLED_SPLIT_ODDS_TABLE,
    READS_INSURANCE_LIFE_LOST_WHEN_BUST,
    READS_INSURANCE_SPARES_MAIN_NO,
    READS_ORIGINAL_WON_AS_21_OUT_OF_PLAY,
    READS_SECOND_CARD_FOR_SURRENDER_NOT_DRAWN,
    READS_SPLIT_BUST_TAKES_BOX,
    READS_SPLIT_ODDS_EVEN,
    READS_SUPER_BONUS_WITH_TABLE_INSTEAD,
    READS_TWENTY_ONE_PAID_FALLS_TO_PONTOON,
)
from rules_replay.kernel.clauses import (
    ON_BUST_ABOVE_ORIGINAL,
    ON_DOUBLE_CUTS_BOX_ODDS,
    ON_DOUBLED_BUST_DEALER_PONTOON,
    ON_DOUBLED_SPLIT_ODDS,
    ON_INSURANCE_LIFE,
    ON_SECOND_CARD_FOR_SURRENDER,
    ON_SPLIT_BUST_TAKES,
    ON_SPLIT_ODDS,
    ON_SUPER_BONUS_WITH_TABLE,
    answer,
    of_check,
    of_outcomes,
    of_outcomes2,
    of_outcomes3,
    of_reading,
)
from rules_replay.kernel.codes import (
    ACE,
    AS_DEALT,
    DOUBLE_BET,
    FAMILY_DOUBLE,
    FAMILY_FORFEIT,
    FAMILY_HAND,
    FAMILY_INSURANCE,
    FAMILY_SURRENDER,
    FORFEITED,
    INSURANCE,
    LOSE,
    MAIN,
    NEVER,
    NOT,
    ON_CO_WAGERER_ODDS,
    ON_DOUBLED_DEALER_PONTOON,
    ON_DOUBLED_ODDS,
    ON_FORFEIT,
    ON_INSURANCE_LOSE,
    ON_INSURANCE_WIN,
    ON_LOSE_BUST,
    ON_LOSE_DEALER_PONTOON,
    ON_LOSE_LOWER,
    ON_PAYOUT_OTHER,
    ON_SHORT_DEALER_BUST,
    ON_SHORT_OPEN,
    ON_SHORT_STANDS_OFF,
    ON_SPLIT_DEALER_PONTOON,
    ON_STAND_OFF,
    ON_SURRENDER_ANNULLED,
    ON_SURRENDER_HALF,
    ON_VOID_WAGER,
    ON_WIN_21,
    ON_WIN_DEALER_BUST,
    ON_WIN_HIGHER,
    ON_WIN_PONTOON,
    PERFECT_PAIRS,
    PLACE_BUST,
    PLACE_FORFEITED,
    PLACE_LIVE,
    PLACE_PONTOON,
    PLACE_SHORT,
    PLACE_SURRENDERED,
    PLACE_TWENTY_ONE,
    PLACE_UNKNOWN,
    PLACE_VOID,
    RETURNED,
    SETTLE_INSURANCE,
    SETTLE_OUTCOME,
    SETTLE_SURRENDER,
    SPLIT_BET,
    STAND_OFF,
    SURRENDERED,
    WIN,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best, foreign, may_begin_pontoon, rank, readable, value
from rules_replay.kernel.dealer import dealer_made_pontoon, insurance_fell, insurance_void
from rules_replay.kernel.facts import hand_under, upcard
from rules_replay.kernel.payout import half_taken, payout_row
from rules_replay.kernel.reasons import (
    ARITHMETIC,
    BACK_DESPITE_PONTOON,
    BOX_BUST,
    BUST,
    DEALER_BUST,
    DEALER_SECOND_UNKNOWN,
    EITHER_IS_LOST,
    FORFEITED_DOUBLE,
    FORFEITED_STAKE,
    HIGHER,
    INSURANCE_FELL,
    INSURANCE_FELL_LOST,
    INSURANCE_LOST,
    INSURANCE_NOT_DECIDED,
    INSURANCE_WON,
    INSURANCE_WON_BY_CARD,
    INSURED_WITHOUT_ACE,
    LOST_TO_PONTOON,
    LOWER,
    ORIGINAL_ONLY,
    OTHER_HAND_UNKNOWN,
    PAID_THEN_PONTOON,
    PONTOON_AT_ONCE,
    ROW_DOUBLED,
    ROW_DOUBLED_BY_BOX,
    ROW_SPLIT,
    SAID_NOTHING,
    SECOND_CARD_WITHOUT_ACE,
    SHORT_DEALER_BUST,
    SHORT_STANDS_OFF,
    STOOD_OFF,
    SUPER_BONUS_INSTEAD,
    SURRENDER_ANNULLED,
    SURRENDERED_DOUBLE,
    TWENTY_ONE_AT_ONCE,
    TWENTY_ONE_BEATS,
    WAGER_VOID,
    story,
)
from rules_replay.kernel.records import Table
from rules_replay.kernel.short_hands import may_have_refused
from rules_replay.kernel.sides import settle_side
from rules_replay.kernel.standing import beaten_by_pontoon_alone
from rules_replay.kernel.terms import fix, give_back, leave_open, lose, pay, void


@inlined
def settle_all(table: Table) -> None:
    """Find what the stake of every wager is due."""
    head = table.space.head
    for bet in range(head.n_bets):
        kind = table.space.bets[bet].kind
        if kind >= PERFECT_PAIRS:
            settle_side(table, bet)
        elif kind == INSURANCE:
            _settle_insurance(table, bet)
        else:
            _settle_hand(table, bet)
    if head.dealer_pontoon and head.dealer_unknown == SAID_NOTHING:
        for root in range(head.n_bets):
            if table.space.bets[root].kind == MAIN:
                _settle_against_pontoon(table, root)
    if table.book.reads_split_bust_takes == READS_SPLIT_BUST_TAKES_BOX:
        _take_boxes_of_bust_hands(table)
    if table.book.reads_super_bonus_with_table == READS_SUPER_BONUS_WITH_TABLE_INSTEAD:
        _pay_super_bonus_instead(table)


@inlined
def _family(table: Table, bet: int) -> int:
    """The family of a bet that is neither void, surrendered nor forfeited."""
    return FAMILY_HAND if table.space.hands[hand_under(table, bet)].doubled_at == NOT else FAMILY_DOUBLE


@inlined
def _settle_hand(table: Table, bet: int) -> None:
    """A main, split or doubled bet, a dealer's Pontoon against a live hand left aside."""
    at = table.space.bets[bet]
    place = at.place
    family = _family(table, bet)
    if place == PLACE_UNKNOWN:
        leave_open(table, bet, family, of_check(SETTLE_OUTCOME), at.why)
    elif place == PLACE_VOID:
        void(table, bet, at.why, at.void_as)
    elif place == PLACE_FORFEITED:
        _settle_forfeit(table, bet)
    elif place == PLACE_SURRENDERED:
        _settle_surrender(table, bet)
    elif place == PLACE_BUST:
        if _equal_bust(table, bet):
            _stand_off(table, bet, family)
        else:
            _lose(table, bet, family, ON_LOSE_BUST, BUST)
    elif place == PLACE_PONTOON:
        _win(table, bet, family, ON_WIN_PONTOON, PONTOON_AT_ONCE)
    elif place == PLACE_TWENTY_ONE:
        if _falls_to_pontoon(table, bet):
            _lose(table, bet, family, ON_LOSE_DEALER_PONTOON, PAID_THEN_PONTOON)
        else:
            _win(table, bet, family, ON_WIN_21, TWENTY_ONE_AT_ONCE)
    elif place == PLACE_SHORT:
        _settle_short(table, bet)
    elif beaten_by_pontoon_alone(table, bet) and dealer_made_pontoon(table) == 0:
        _win(table, bet, family, ON_WIN_21, TWENTY_ONE_BEATS)
    elif table.space.head.dealer_unknown != SAID_NOTHING:
        leave_open(table, bet, family, of_check(SETTLE_OUTCOME), table.space.head.dealer_unknown)
    else:
        _settle_live(table, bet, family)


@inlined
def _equal_bust(table: Table, bet: int) -> bool:
    """Under one reading of nz-2000 5.1(e) and adelaide-2008 11 equal totals over 21 stand off."""
    if table.book.reads_bust_on_dealers_total != READS_BUST_ON_DEALERS_TOTAL_STAND_OFF:
        return False
    head = table.space.head
    return bool(head.dealer_unknown == SAID_NOTHING and head.dealer_points == table.space.bets[bet].points)


@inlined
def _falls_to_pontoon(table: Table, bet: int) -> bool:
    """Under one reading of act-2018 14.1(g) an undoubled 21 that was paid loses in the end."""
    if table.book.reads_twenty_one_paid != READS_TWENTY_ONE_PAID_FALLS_TO_PONTOON:
        return False
    made = table.space.head.dealer_pontoon and table.space.head.dealer_unknown == SAID_NOTHING
    return bool(made and table.space.hands[hand_under(table, bet)].doubled_at == NOT)


@compiled
def _lose(table: Table, bet: int, family: int, outcome: int, reason: int) -> None:
    lose(table, bet, family, of_outcomes(outcome), reason)
    table.space.bets[bet].due_basis = table.space.bets[bet].basis


@compiled
def _stand_off(table: Table, bet: int, family: int) -> None:
    fix(table, bet, family, STAND_OFF, 0, of_outcomes(ON_STAND_OFF), STOOD_OFF)
    table.space.bets[bet].due_basis = table.space.bets[bet].basis


@compiled
def _win(table: Table, bet: int, family: int, outcome: int, sentence: int) -> None:
    at = table.space.bets[bet]
    over, under, on_row, row, reading = winning_row(table, bet)
    pay(table, bet, family, over, under, of_outcomes2(outcome, on_row), sentence, row)
    if at.fixed:
        at.due_basis = at.basis
        at.reading = reading


@inlined
def winning_row(table: Table, bet: int) -> tuple[int, int, int, int, int]:
    """The payout row of a winning bet (odds, outcome, name), and the reading it rests on or `NOT`."""
    book = table.book
    at = table.space.bets[bet]
    number = hand_under(table, bet)
    hand = table.space.hands[number]
    over, under = book.payout_doubled[0], book.payout_doubled[1]
    reading = NOT
    if hand.doubled_at != NOT:
        if at.kind == DOUBLE_BET or table.space.bets[at.under].first_portion != NOT:
            if not hand.of_split or book.reads_doubled_split_odds != READS_DOUBLED_SPLIT_ODDS_TABLE:
                return over, under, ON_DOUBLED_ODDS, ROW_DOUBLED, NOT
            reading = answer(ON_DOUBLED_SPLIT_ODDS, READS_DOUBLED_SPLIT_ODDS_TABLE)
        elif book.reads_co_wagerer_not_doubling_odds == READS_CO_WAGERER_NOT_DOUBLING_ODDS_EVEN:
            return over, under, ON_CO_WAGERER_ODDS, ROW_DOUBLED_BY_BOX, NOT
    elif book.reads_double_cuts_box_odds == READS_DOUBLE_CUTS_BOX_ODDS_BOX and _box_doubled(table, at.box):
        cut = answer(ON_DOUBLE_CUTS_BOX_ODDS, READS_DOUBLE_CUTS_BOX_ODDS_BOX)
        return over, under, ON_DOUBLED_ODDS, ROW_DOUBLED, cut
    elif hand.of_split and book.reads_split_odds == READS_SPLIT_ODDS_EVEN:
        return over, under, ON_PAYOUT_OTHER, ROW_SPLIT, answer(ON_SPLIT_ODDS, READS_SPLIT_ODDS_EVEN)
    over, under, outcome, row = payout_row(table, bet, number, at.place == PLACE_PONTOON)
    return over, under, outcome, row, reading


@inlined
def _box_doubled(table: Table, box: int) -> bool:
    for hand in range(1, table.space.head.n_hands):
        if table.space.hands[hand].box == box and table.space.hands[hand].doubled_at != NOT:
            return True
    return False


@inlined
def _settle_live(table: Table, bet: int, family: int) -> None:
    """A live hand against a dealer without Pontoon: higher wins, lower loses, equal stands off."""
    at = table.space.bets[bet]
    head = table.space.head
    points = head.dealer_points
    if points > 21:
        _win(table, bet, family, ON_WIN_DEALER_BUST, DEALER_BUST)
    elif at.points > points:
        _win(table, bet, family, ON_WIN_HIGHER, HIGHER)
    elif at.points < points:
        _lose(table, bet, family, ON_LOSE_LOWER, LOWER)
    else:
        _stand_off(table, bet, family)
    if head.dealer_basis == AS_DEALT:
        at.due_basis = AS_DEALT


@inlined
def _settle_short(table: Table, bet: int) -> None:
    """adelaide-2008 106: a dealer over 21 pays a short hand, a dealer's Pontoon stands off.

    That beats a hand which refused an exposed card, as this one may have (103).
    """
    at = table.space.bets[bet]
    head = table.space.head
    known = head.dealer_unknown == SAID_NOTHING
    if known and head.dealer_points > 21:
        over, under, _, _, reading = winning_row(table, bet)
        pay(table, bet, FAMILY_HAND, over, under, of_outcomes(ON_SHORT_DEALER_BUST), SHORT_DEALER_BUST, 0)
        if at.fixed:
            at.due_basis = at.basis
            at.reading = reading
    elif known and head.dealer_pontoon and not may_have_refused(table, int(at.box), NEVER):
        fix(table, bet, FAMILY_HAND, STAND_OFF, 0, of_outcomes(ON_SHORT_STANDS_OFF), SHORT_STANDS_OFF)
    else:
        leave_open(table, bet, FAMILY_HAND, of_outcomes(ON_SHORT_OPEN), at.why)


@inlined
def _settle_forfeit(table: Table, bet: int) -> None:
    clause = of_outcomes(ON_FORFEIT)
    if table.space.bets[bet].kind == DOUBLE_BET:
        give_back(table, bet, FAMILY_FORFEIT, clause, FORFEITED_DOUBLE)
    else:
        stake = table.space.bets[bet].effective
        fix(table, bet, FAMILY_FORFEIT, FORFEITED, stake, clause, FORFEITED_STAKE)


@inlined
def _settle_surrender(table: Table, bet: int) -> None:
    """Half, or the whole stake where the dealer makes Pontoon (act-2018 9.3 9.4)."""
    at = table.space.bets[bet]
    open_clause = of_check(SETTLE_SURRENDER)
    pontoon = dealer_made_pontoon(table)
    if at.kind == DOUBLE_BET:
        leave_open(table, bet, FAMILY_SURRENDER, open_clause, SURRENDERED_DOUBLE)
        return
    if pontoon == NOT and not _no_second_card_due(table):
        leave_open(table, bet, FAMILY_SURRENDER, open_clause, table.space.head.dealer_unknown)
        return
    if pontoon == 1:
        lose(table, bet, FAMILY_SURRENDER, of_outcomes(ON_SURRENDER_ANNULLED), SURRENDER_ANNULLED)
        return
    half, amount, reason = half_taken(table, at.effective)
    at.told[0] = amount
    if half == NOT:
        leave_open(table, bet, FAMILY_SURRENDER, open_clause, reason)
    else:
        fix(table, bet, FAMILY_SURRENDER, SURRENDERED, half, of_outcomes(ON_SURRENDER_HALF), reason)


@compiled
def _no_second_card_due(table: Table) -> bool:
    """Under one reading of act-2018 13.1(b) and adelaide-2008 76 no card is drawn for surrenders alone."""
    if table.book.reads_second_card_for_surrender != READS_SECOND_CARD_FOR_SURRENDER_NOT_DRAWN:
        return False
    return bool(table.space.head.dealer_finished and table.space.hands[0].n == 1)


@inlined
def _settle_insurance(table: Table, bet: int) -> None:
    """Insurance wins 2 to 1 when the dealer makes Pontoon and loses otherwise.

    Placed without an ace it is open on a Pontoon where that has an ace for its second card, on which
    insurance loses (act-2018 7.5, nz-2000 10.1, adelaide-2008 25), and not where it is against any Pontoon
    (rws-2017 3.9).
    """
    if insurance_void(table, bet):
        void(table, bet, WAGER_VOID, ON_VOID_WAGER)
        return
    if _settle_fallen(table, bet):
        return
    pontoon = dealer_made_pontoon(table)
    decided = INSURANCE_WON if pontoon == 1 else INSURANCE_LOST
    if pontoon == 0 and table.book.insurance_by_second_card != 0:
        decided = _by_second_card(table)
    if pontoon == NOT and _no_second_card_due(table):
        clause = of_reading(ON_SECOND_CARD_FOR_SURRENDER)
        give_back(table, bet, FAMILY_INSURANCE, clause, INSURANCE_NOT_DECIDED)
        table.space.bets[bet].reading = answer(
            ON_SECOND_CARD_FOR_SURRENDER, READS_SECOND_CARD_FOR_SURRENDER_NOT_DRAWN
        )
    elif pontoon == NOT:
        unknown = table.space.head.dealer_unknown
        why = DEALER_SECOND_UNKNOWN if unknown == SAID_NOTHING else unknown
        leave_open(table, bet, FAMILY_INSURANCE, of_check(SETTLE_INSURANCE), why)
    elif pontoon == 1 and table.book.insurance_by_pontoon == 0 and rank(upcard(table)) != ACE:
        leave_open(table, bet, FAMILY_INSURANCE, of_check(SETTLE_INSURANCE), INSURED_WITHOUT_ACE)
    elif decided == INSURANCE_LOST:
        lose(table, bet, FAMILY_INSURANCE, of_outcomes(ON_INSURANCE_LOSE), INSURANCE_LOST)
    elif decided != INSURANCE_WON and decided != INSURANCE_WON_BY_CARD:
        leave_open(table, bet, FAMILY_INSURANCE, of_check(SETTLE_INSURANCE), decided)
    else:
        odds = table.book.payout_insurance
        clause = of_outcomes(ON_INSURANCE_WIN)
        pay(table, bet, FAMILY_INSURANCE, odds[0], odds[1], clause, decided, 0)
        if not table.space.bets[bet].fixed:
            table.space.bets[bet].story = story(ARITHMETIC, 0, table.space.bets[bet].story >> 16)


@inlined
def _by_second_card(table: Table) -> int:
    """Whether the dealer's second card wins insurance though he has no Pontoon, or why that is open.

    A king, queen or jack after an ace that came late is 21 and wins it (adelaide-2008 25, 105(d)(iii)). After
    another card it would (nz-2000 10.1), and the clause begins with an ace.
    """
    at = table.space.hands[0]
    unknown = table.space.head.dealer_unknown
    ace = rank(upcard(table)) == ACE
    if at.n < 2:
        return DEALER_SECOND_UNKNOWN if ace else INSURANCE_LOST
    second = int(table.space.events[table.space.links[at.first].next].card)
    if not readable(second) or (ace and unknown != SAID_NOTHING):
        return DEALER_SECOND_UNKNOWN if unknown == SAID_NOTHING else unknown
    if foreign(second) or not may_begin_pontoon(second) or rank(second) == ACE:
        return INSURANCE_LOST
    return INSURANCE_WON_BY_CARD if ace else SECOND_CARD_WITHOUT_ACE


@inlined
def _settle_fallen(table: Table, bet: int) -> bool:
    """Settle insurance that does not outlive the hand insured; False where it lives."""
    if not insurance_fell(table, bet):
        return False
    place = table.space.bets[table.space.bets[bet].on].place
    clause = of_reading(ON_INSURANCE_LIFE)
    if table.book.reads_insurance_life == READS_INSURANCE_LIFE_LOST_WHEN_BUST and place == PLACE_BUST:
        lose(table, bet, FAMILY_INSURANCE, clause, INSURANCE_FELL_LOST)
    else:
        give_back(table, bet, FAMILY_INSURANCE, clause, INSURANCE_FELL)
    return True


@compiled
def of_group(table: Table, bet: int, root: int) -> bool:
    """Whether a bet is a main, split or doubled one that belongs to a main bet."""
    return bool(table.space.bets[bet].root == root and table.space.bets[bet].kind <= DOUBLE_BET)


@compiled
def _count_group(table: Table, root: int, place: int) -> int:
    count = 0
    for bet in range(table.space.head.n_bets):
        if of_group(table, bet, root) and table.space.bets[bet].place == place:
            count += 1
    return count


@inlined
def _was_split(table: Table, root: int) -> bool:
    for bet in range(table.space.head.n_bets):
        if of_group(table, bet, root) and table.space.bets[bet].kind == SPLIT_BET:
            return True
    return False


@inlined
def _settle_against_pontoon(table: Table, root: int) -> None:
    """Replace the dues of one player's live bets on a box by what the dealer's Pontoon takes."""
    _return_doubles_of_bust_hands(table, root)
    if _count_group(table, root, PLACE_LIVE) == 0:
        return
    was_split = _was_split(table, root)
    if _doubt_matters(table, root):
        for bet in range(table.space.head.n_bets):
            if of_group(table, bet, root) and table.space.bets[bet].place == PLACE_LIVE:
                at = table.space.bets[bet]
                leave_open(table, bet, at.family, at.clause, OTHER_HAND_UNKNOWN)
        return
    if _spared(table, root):
        _take_nothing(table, root)
    else:
        _collect(table, root, was_split)
        if was_split and table.book.reads_bust_above_original != READS_BUST_ABOVE_ORIGINAL_LOST:
            _return_busts_above_original(table, root)
    undecided = False
    for bet in range(table.space.head.n_bets):
        if of_group(table, bet, root) and table.space.bets[bet].place == PLACE_LIVE:
            at = table.space.bets[bet]
            undecided = undecided or at.open_taken[0] != at.open_taken[1]
    for bet in range(table.space.head.n_bets):
        if of_group(table, bet, root) and table.space.bets[bet].place == PLACE_LIVE:
            _settle_by_pontoon(table, bet, was_split, undecided)


@inlined
def _spared(table: Table, root: int) -> bool:
    """Under one reading of rws-2017 3.9 the wager that its player insured does not lose."""
    if table.book.reads_insurance_spares_main == READS_INSURANCE_SPARES_MAIN_NO:
        return False
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind == INSURANCE and at.on == root and at.player == table.space.bets[root].player:
            if not insurance_void(table, bet):
                return True
    return False


@inlined
def _return_doubles_of_bust_hands(table: Table, root: int) -> None:
    reading = READS_DOUBLED_BUST_DEALER_PONTOON_ORIGINAL_ONLY
    if table.book.reads_doubled_bust_dealer_pontoon != reading:
        return
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind == DOUBLE_BET and at.root == root and at.place == PLACE_BUST:
            _collect_original_only(table, bet, 0)
            at.clause = of_outcomes(ON_DOUBLED_DEALER_PONTOON)
            at.reading = answer(ON_DOUBLED_BUST_DEALER_PONTOON, reading)


@inlined
def _return_busts_above_original(table: Table, root: int) -> None:
    """Under one reading of act-2018 11.9 hands over 21 give up one original wager together, no more."""
    _allot(table, root, PLACE_BUST, table.space.bets[root].effective, 0)
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if of_group(table, bet, root) and at.place == PLACE_BUST:
            _collect_original_only(table, bet, at.open_taken[0])
            at.clause = of_outcomes(ON_SPLIT_DEALER_PONTOON)
            at.reading = answer(ON_BUST_ABOVE_ORIGINAL, READS_BUST_ABOVE_ORIGINAL_RETURNED)


@compiled
def _collect_original_only(table: Table, bet: int, taken: int) -> None:
    at = table.space.bets[bet]
    at.due_result = LOSE if taken > 0 else RETURNED
    at.due_taken = taken
    at.story = ORIGINAL_ONLY


@inlined
def _doubt_matters(table: Table, root: int) -> bool:
    reading = table.book.reads_dealer_pontoon_split
    if reading == READS_DEALER_PONTOON_SPLIT_ALL or _count_group(table, root, PLACE_UNKNOWN) == 0:
        return False
    if reading != READS_DEALER_PONTOON_SPLIT_ORIGINAL_STACK:
        return True
    return bool(table.space.bets[root].place == PLACE_UNKNOWN and _could_be_21(table, root))


@inlined
def _could_be_21(table: Table, bet: int) -> bool:
    """Whether an unfixed hand might have won as a 21."""
    points = 0
    aces = 0
    seq = table.space.hands[hand_under(table, bet)].first
    for _ in range(table.space.bets[bet].counting):
        card = int(table.space.events[seq].card)
        if not readable(card) or foreign(card):
            return True
        points += value(card)
        if rank(card) == 0:
            aces += 1
        seq = table.space.links[seq].next
    return best(points, aces, 0) == 21


@compiled
def _allot(table: Table, root: int, place: int, due: int, slot: int) -> None:
    """Share out what is due among the bets that bear it: the main, else the lowest split hand, else doubles.

    The share of each goes to a slot of its ``open_taken``.
    """
    last = NOT
    while True:
        bearer = NOT
        turn = NEVER << 32
        for bet in range(table.space.head.n_bets):
            at = table.space.bets[bet]
            if at.place != place or not of_group(table, bet, root):
                continue
            own = int(100 * at.kind + table.space.hands[hand_under(table, bet)].no) << 32 | bet
            if last < own < turn:
                bearer, turn = bet, own
        if bearer == NOT:
            return
        at = table.space.bets[bearer]
        at.open_taken[slot] = min(due, at.effective)
        due -= at.open_taken[slot]
        last = turn


@inlined
def _take_nothing(table: Table, root: int) -> None:
    for bet in range(table.space.head.n_bets):
        if of_group(table, bet, root):
            table.space.bets[bet].open_taken[0] = 0
            table.space.bets[bet].open_taken[1] = 0


@inlined
def _collect(table: Table, root: int, was_split: bool) -> None:
    """What the dealer's Pontoon takes from each live bet, and what it may take instead.

    Both go to ``open_taken``; they differ only where a ruling leaves the first open.
    """
    book = table.book
    all_doubles = book.reads_dealer_pontoon_double == READS_DEALER_PONTOON_DOUBLE_ALL
    all_hands = was_split and _each_hand_pays(table, root)
    if not all_hands:
        due, otherwise = _original_due(table, root, was_split)
        _allot(table, root, PLACE_LIVE, due, 0)
        _allot(table, root, PLACE_LIVE, otherwise, 1)
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if not of_group(table, bet, root) or at.place != PLACE_LIVE:
            continue
        doubled = at.kind == DOUBLE_BET
        whole = all_doubles if doubled else all_hands
        if whole or all_hands:
            at.open_taken[0] = at.effective if whole else 0
            at.open_taken[1] = at.open_taken[0]


@inlined
def _each_hand_pays(table: Table, root: int) -> bool:
    """Whether each split hand gives up its own wager."""
    book = table.book
    if book.reads_dealer_pontoon_split == READS_DEALER_PONTOON_SPLIT_ALL:
        return True
    if book.reads_dealer_pontoon_double != READS_DEALER_PONTOON_DOUBLE_ORIGINAL_PER_HAND:
        return False
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind == DOUBLE_BET and at.root == root and at.place == PLACE_LIVE:
            return True
    return False


@inlined
def _original_due(table: Table, root: int, was_split: bool) -> tuple[int, int]:
    """How much of one original wager is still to be collected, and the other possible answer."""
    book = table.book
    original = table.space.bets[root].effective
    place = table.space.bets[root].place
    if not was_split:
        return original, original
    won = place == PLACE_TWENTY_ONE
    if won and book.reads_original_won_as_21 == READS_ORIGINAL_WON_AS_21_OUT_OF_PLAY:
        return 0, 0
    reading = book.reads_dealer_pontoon_split
    if reading == READS_DEALER_PONTOON_SPLIT_ORIGINAL_STACK:
        due = original if won or place == PLACE_LIVE else 0
        return due, due
    if reading != READS_DEALER_PONTOON_SPLIT_ORIGINAL_CAP:
        return original, original
    bust = 0
    given_up = 0
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if of_group(table, bet, root):
            if at.place == PLACE_BUST:
                bust += at.effective
            elif at.place == PLACE_FORFEITED and at.kind != DOUBLE_BET:
                given_up += at.effective
    return max(0, original - bust - given_up), max(0, original - bust)


@inlined
def _settle_by_pontoon(table: Table, bet: int, was_split: bool, undecided: bool) -> None:
    at = table.space.bets[bet]
    doubled = table.space.hands[hand_under(table, bet)].doubled_at != NOT
    split = was_split or at.root != bet
    clause = of_outcomes(ON_LOSE_DEALER_PONTOON)
    if doubled and split:
        clause = of_outcomes3(ON_LOSE_DEALER_PONTOON, ON_DOUBLED_DEALER_PONTOON, ON_SPLIT_DEALER_PONTOON)
    elif doubled:
        clause = of_outcomes2(ON_LOSE_DEALER_PONTOON, ON_DOUBLED_DEALER_PONTOON)
    elif split:
        clause = of_outcomes2(ON_LOSE_DEALER_PONTOON, ON_SPLIT_DEALER_PONTOON)
    taken = at.open_taken[0]
    at.told[0] = taken
    at.told[1] = at.open_taken[1]
    if undecided:
        leave_open(table, bet, at.family, clause, EITHER_IS_LOST)
        at.open = True
    elif taken > 0:
        fix(table, bet, at.family, LOSE, taken, clause, LOST_TO_PONTOON)
    else:
        give_back(table, bet, at.family, clause, BACK_DESPITE_PONTOON)


@inlined
def _take_boxes_of_bust_hands(table: Table) -> None:
    """One reading of nz-2000 14.2: a split hand over 21 takes every live wager on its box with it."""
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind <= DOUBLE_BET and at.place == PLACE_LIVE and _bust_on_box(table, at.box):
            _lose(table, bet, at.family, ON_LOSE_BUST, BOX_BUST)
            at.reading = answer(ON_SPLIT_BUST_TAKES, READS_SPLIT_BUST_TAKES_BOX)


@inlined
def _bust_on_box(table: Table, box: int) -> bool:
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind <= DOUBLE_BET and at.place == PLACE_BUST and at.box == box:
            return True
    return False


@inlined
def _pay_super_bonus_instead(table: Table) -> None:
    """Under the reading that the Super Bonus replaces the table odds, nothing else is paid."""
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.super_bonus > 0:
            fix(table, bet, at.family, WIN, 0, at.clause, SUPER_BONUS_INSTEAD)
            at.reading = answer(ON_SUPER_BONUS_WITH_TABLE, READS_SUPER_BONUS_WITH_TABLE_INSTEAD)


@inlined
def dealer_dependent(table: Table, bet: int) -> bool:
    """Whether the settlement of a bet waits for the dealer's hand."""
    at = table.space.bets[bet]
    if at.kind >= PERFECT_PAIRS:
        return False
    if at.kind == INSURANCE:
        return not insurance_void(table, bet)
    if at.place == PLACE_VOID:
        return False
    if at.place == PLACE_SURRENDERED:
        card = upcard(table)
        return bool(card == NOT or may_begin_pontoon(card))
    waits = at.place == PLACE_LIVE or at.place == PLACE_SHORT or at.place == PLACE_UNKNOWN
    return bool(waits and table.space.head.void_round_at == NEVER)
