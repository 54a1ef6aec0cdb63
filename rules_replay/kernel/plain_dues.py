"""What the hands of a plain round came to, and its wagers are due: written down where each was settled so."""

from __future__ import annotations

from typing import Any

from rules_replay.kernel.book import (
    INTERIM_DOUBLED_21_EXEMPT,
    READS_CO_WAGERER_NOT_DOUBLING_ODDS_EVEN,
    READS_CO_WAGERER_NOT_DOUBLING_TOTAL_OWN,
    READS_DEALER_PLAYS_ON_IDLE_FORBIDDEN,
    READS_DEALER_PONTOON_DOUBLE_ALL,
    READS_DEALER_SECOND_CARD_IDLE_FORBIDDEN,
    READS_FIXED_ACES_INITIAL_DEAL,
    READS_JACKPOT_PAYS_IN_ALL,
    READS_PAIRS_PAYOUT_EACH_WAGER,
    READS_SIDE_BET_NEEDS_ANYONE,
    READS_SUPER_BONUS_EXCLUDED_BY_NEVER_PAID,
)
from rules_replay.kernel.clauses import of_outcomes, of_outcomes2, of_outcomes3
from rules_replay.kernel.codes import (
    ACE,
    AS_REQUIRED,
    DOUBLE_BET,
    FORFEITED,
    INSURANCE,
    INSURANCE_LOST_UNCOLLECTED,
    INSURANCE_WON_PAID_EARLY,
    INTERIM_BUST_UNCOLLECTED,
    INTERIM_PONTOON_UNPAID,
    INTERIM_TWENTY_ONE_UNPAID,
    LOSE,
    NEVER,
    NOT,
    ON_CO_WAGERER_ODDS,
    ON_DOUBLED_DEALER_PONTOON,
    ON_DOUBLED_ODDS,
    ON_FORFEIT,
    ON_INSURANCE_LOSE,
    ON_INSURANCE_WIN,
    ON_JACKPOT_LOSE,
    ON_JACKPOT_WIN,
    ON_LOSE_BUST,
    ON_LOSE_DEALER_PONTOON,
    ON_LOSE_LOWER,
    ON_PAIRS_LOSE,
    ON_PAIRS_WIN,
    ON_SPLIT_DEALER_PONTOON,
    ON_STAND_OFF,
    ON_SURRENDER_ANNULLED,
    ON_SURRENDER_HALF,
    ON_WIN_21,
    ON_WIN_DEALER_BUST,
    ON_WIN_HIGHER,
    ON_WIN_PONTOON,
    PANDEMONIUM,
    RETURNED,
    SEVEN,
    SIDE_BET_SETTLED_LATE,
    STAKE,
    STAND_OFF,
    SURRENDER_BEFORE_INTERIM,
    SURRENDER_HALF_EARLY,
    SURRENDERED,
    WIN,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best, is_soft, picture, rank
from rules_replay.kernel.dealer import must_draw
from rules_replay.kernel.facts import are_pontoon
from rules_replay.kernel.hands import (
    ENDED_BUST,
    ENDED_DOUBLED,
    ENDED_ONE_CARD,
    ENDED_OPEN,
    ENDED_PONTOON,
    ENDED_STOOD,
    ENDED_SURRENDERED,
    ENDED_TWENTY_ONE,
)
from rules_replay.kernel.payout import half_taken, pair_row, row_of_cards, win
from rules_replay.kernel.plain_play import aces_held, began_with_pontoon, card_of, first_two, has_main_on
from rules_replay.kernel.reasons import (
    BACK_DESPITE_PONTOON,
    BUST,
    DEALER_BUST,
    FORFEITED_DOUBLE,
    FORFEITED_STAKE,
    HIGHER,
    INSURANCE_LOST,
    INSURANCE_WON,
    JACKPOT_WON,
    LOST_TO_PONTOON,
    LOWER,
    NO_PAIR,
    NO_PONTOON,
    PAIR_WON,
    PONTOON_AT_ONCE,
    ROW_DOUBLED,
    ROW_DOUBLED_BY_BOX,
    SAID_NOTHING,
    STOOD_OFF,
    SURRENDER_ANNULLED,
    TWENTY_ONE_AT_ONCE,
    story,
)
from rules_replay.kernel.records import BOXES, Ints, Letters, Records, Table
from rules_replay.kernel.report import counts
from rules_replay.kernel.words import WORD, write_word


@compiled
def decide_hands(table: Table, number: int, hands: Records, hand: int, cards: Letters, card: int) -> bool:
    """What each hand came to and its main wagers are due; writes down hands and their cards."""
    plain = table.space.plain
    dealer = plain.hands[0]
    dealer.total = best(dealer.points, dealer.aces, 0)
    dealer.soft = is_soft(dealer.points, dealer.aces, 0)
    one, two = card_of(dealer, 0), card_of(dealer, 1)
    ace_and_picture = (rank(one) == ACE and picture(two)) or (rank(two) == ACE and picture(one))
    plain.dealer_pontoon = dealer.n >= 2 and ace_and_picture
    plain.live = 0
    bonus = rank(one) == SEVEN
    if table.book.reads_super_bonus_excluded_by == READS_SUPER_BONUS_EXCLUDED_BY_NEVER_PAID:
        bonus = False
    ended = ENDED_PONTOON if plain.dealer_pontoon else ENDED_BUST if dealer.total > 21 else ENDED_STOOD
    card = _write_hand(table, number, 0, 0, ended, hands[hand], cards, card)
    for place in range(plain.n_boxes):
        box = int(plain.order[place])
        for no in range(plain.hands[box].n_hands):
            ended = _decide_hand(table, box + BOXES * no, bonus)
            if ended == NOT:
                return False
            hand += 1
            card = _write_hand(table, number, box, no, ended, hands[hand], cards, card)
    if plain.live == 0:
        return _may_stop_or_go_on(table)
    return bool(dealer.n >= 2 and not must_draw(dealer.total, dealer.soft))


@inlined
def _may_stop_or_go_on(table: Table) -> bool:
    """Whether the dealer has the cards that he needs and may have, where nobody needs his total."""
    plain = table.space.plain
    book = table.book
    cards = int(plain.hands[0].n)
    needed = 2 if plain.insured or plain.surrendered else 1
    if cards <= needed:
        return cards == needed
    if needed == 1 and book.reads_dealer_second_card_idle == READS_DEALER_SECOND_CARD_IDLE_FORBIDDEN:
        return False
    return bool(cards == 2 or book.reads_dealer_plays_on_idle != READS_DEALER_PLAYS_ON_IDLE_FORBIDDEN)


@inlined
def _decide_hand(table: Table, hand: int, bonus: bool) -> int:
    """How a player's hand ended and what is due on it; `NOT` where it is none of a plain round."""
    plain = table.space.plain
    at = plain.hands[hand]
    n = int(at.n)
    fixed = 0
    if n < 2 or at.n_mains == 0:
        return NOT
    if at.doubled:
        if n != at.cards_at_double + 1 or not (at.portions == at.n_mains or _may_stay_out(table, hand)):
            return NOT
        if at.of_split and table.book.reads_fixed_aces == READS_FIXED_ACES_INITIAL_DEAL and at.aces > 0:
            return NOT
        fixed = aces_held(table, hand)
    total = best(at.points, at.aces, fixed)
    at.total = total
    at.soft = is_soft(at.points, at.aces, fixed)
    followed_at = int(at.followed_at if at.drawn else plain.followed_at)
    at.settled_before = NEVER
    at.settled_after = NOT
    at.waits = False
    if at.surrendered:
        if at.surrenders > 0 and at.surrenders < at.n_mains:
            return NOT
        _decide_surrendered(table, hand)
        return ENDED_SURRENDERED
    if total > 21:
        at.settled_before = _deadline(table, INTERIM_BUST_UNCOLLECTED, followed_at)
        _due(at, LOSE, of_outcomes(ON_LOSE_BUST), BUST)
        return ENDED_BUST
    pontoon = n == 2 and not at.of_split and are_pontoon(card_of(at, 0), card_of(at, 1))
    if pontoon or total == 21:
        if bonus and n == 3 and rank(card_of(at, 0)) == SEVEN and rank(card_of(at, 1)) == SEVEN:
            return NOT
        if pontoon:
            before_surrender = _deadline(table, SURRENDER_BEFORE_INTERIM, plain.surrendered_at)
            at.settled_before = min(_deadline(table, INTERIM_PONTOON_UNPAID, followed_at), before_surrender)
            _due_win(table, hand, ON_WIN_PONTOON, PONTOON_AT_ONCE, True)
            return ENDED_PONTOON
        if not at.doubled or table.book.interim_doubled_21 != INTERIM_DOUBLED_21_EXEMPT:
            at.settled_before = _deadline(table, INTERIM_TWENTY_ONE_UNPAID, followed_at)
        _due_win(table, hand, ON_WIN_21, TWENTY_ONE_AT_ONCE, False)
        return ENDED_TWENTY_ONE if at.left == 0 else _ended(at)
    if total < 12 and not at.doubled:
        return NOT
    if at.forfeits > 0 and at.forfeits == at.n_mains:
        return ENDED_DOUBLED
    plain.live += 1
    at.waits = True
    return _ended(at) if _decide_live(table, hand, total) else NOT


@compiled
def _ended(at: Any) -> int:
    """How a hand ended by what was done with it, as is told where not all wagers on it came to the same."""
    if at.doubled:
        return ENDED_DOUBLED
    if at.split_aces:
        return ENDED_ONE_CARD
    return ENDED_STOOD if at.stood else ENDED_OPEN


@inlined
def _may_stay_out(table: Table, hand: int) -> bool:
    """Whether one at a box may leave his wager undoubled where others double, and is due no other total."""
    plain = table.space.plain
    at = plain.hands[hand]
    if plain.bets[at.first_main].portions == 0:
        return False
    own = table.book.reads_co_wagerer_not_doubling_total == READS_CO_WAGERER_NOT_DOUBLING_TOTAL_OWN
    return not (own and at.aces > 0)


@compiled
def _deadline(table: Table, code: int, moment: int) -> int:
    """A moment by which something is to be done, if a check can find that it was not."""
    return moment if counts(table, code) else NEVER


@inlined
def _decide_surrendered(table: Table, hand: int) -> None:
    """Half the stake, or all where the dealer makes Pontoon, once his hand is complete."""
    plain = table.space.plain
    at = plain.hands[hand]
    if counts(table, SURRENDER_HALF_EARLY):
        at.settled_after = plain.dealt_last
    at.waits = True
    if plain.dealer_pontoon:
        _due(at, LOSE, of_outcomes(ON_SURRENDER_ANNULLED), SURRENDER_ANNULLED)
    else:
        _due(at, SURRENDERED, of_outcomes(ON_SURRENDER_HALF), SAID_NOTHING)


@inlined
def _decide_live(table: Table, hand: int, total: int) -> bool:
    """A live hand against the dealer's, which is of no moment where the dealer should have played on."""
    plain = table.space.plain
    at = plain.hands[hand]
    dealers = plain.hands[0].total
    if plain.dealer_pontoon:
        clause = of_outcomes(ON_LOSE_DEALER_PONTOON)
        if at.doubled:
            clause = of_outcomes2(ON_LOSE_DEALER_PONTOON, ON_DOUBLED_DEALER_PONTOON)
        _due(at, LOSE, clause, LOST_TO_PONTOON)
        return not at.of_split
    if dealers > 21:
        _due_win(table, hand, ON_WIN_DEALER_BUST, DEALER_BUST, False)
    elif total > dealers:
        _due_win(table, hand, ON_WIN_HIGHER, HIGHER, False)
    elif total < dealers:
        _due(at, LOSE, of_outcomes(ON_LOSE_LOWER), LOWER)
    else:
        _due(at, STAND_OFF, of_outcomes(ON_STAND_OFF), STOOD_OFF)
    return True


@compiled
def _due(at: Any, result: int, clause: int, sentence: int) -> None:
    at.result = result
    at.taken = result == LOSE
    at.clause = clause
    at.story = sentence
    at.over = 0
    at.under = 0


@compiled
def _due_win(table: Table, hand: int, outcome: int, sentence: int, pontoon: bool) -> None:
    """The main wagers on a hand win, at the odds of the row that it earns."""
    at = table.space.plain.hands[hand]
    book = table.book
    if at.doubled:
        over, under, on_row, name = (
            book.payout_doubled[0],
            book.payout_doubled[1],
            ON_DOUBLED_ODDS,
            ROW_DOUBLED,
        )
    else:
        one, two, three = card_of(at, 0), card_of(at, 1), card_of(at, 2)
        over, under, on_row, name = row_of_cards(table, at.n, at.total, pontoon, one, two, three)
    at.result = WIN
    at.taken = False
    at.outcome = outcome
    at.clause = of_outcomes2(outcome, on_row)
    at.story = story(sentence, name, 0)
    at.over = over
    at.under = under


@compiled
def _write_hand(
    table: Table, number: int, box: int, no: int, ended: int, row: Any, cards: Letters, card: int
) -> int:
    """Fill the row of a hand of a box, numbered from 0, and write its cards; returns the place after them."""
    at = table.space.plain.hands[box + BOXES * no]
    row.round_at = number
    row.box = box
    row.no = no + 1
    row.n = at.n
    row.total = at.total
    row.soft = at.soft
    row.doubled = at.doubled
    row.split_from = NOT if at.split_from == NOT else at.split_from // BOXES + 1
    row.ended = ended
    at.no = no + 1
    at.cards_at = card
    write_word(at.low, cards, card)
    if at.n > WORD:
        write_word(at.high, cards, card + WORD)
    return card + int(at.n)


# --- what was settled ------------------------------------------------------------------


@compiled
def settle_wagers(table: Table, events: Records, number: int, rows: Records, n: int, local: Ints) -> bool:
    """Write down what every wager was due; whether each was settled so, and in time. Forgets their names."""
    plain = table.space.plain
    first = int(table.round.first)
    done = True
    plain.waited_until = NOT
    plain.insurance_paid_at = NEVER
    for bet in range(int(plain.n_bets)):
        its = plain.bets[bet]
        wager = events[first + its.seq]
        local[wager.wager] = NOT
        done = done and its.settled_at != NEVER
        if not done:
            continue
        line = events[first + its.settled_at]
        row = rows[n + bet]
        row.round_at = number
        if its.kind <= DOUBLE_BET:
            done = _settle_hand(table, its, wager, line, row)
        elif its.kind == INSURANCE:
            done = _settle_insurance(table, its, wager, line, row)
        else:
            done = _settle_side(table, events, its, wager, line, row)
    if not done:
        return False
    return bool(plain.insurance_paid_at > plain.waited_until or not counts(table, INSURANCE_WON_PAID_EARLY))


@inlined
def _settle_hand(table: Table, its: Any, wager: Any, line: Any, row: Any) -> bool:
    plain = table.space.plain
    at = plain.hands[its.hand]
    stake = int(wager.amount)
    row.cards_at = at.cards_at
    row.counting = at.n
    row.points = at.total
    row.soft = at.soft
    if at.forfeits > 0 and _is_forfeited(table, its):
        return _settle_forfeited(table, its, wager, line, row)
    if at.left > 0 and its.surrendered:
        return _settle_surrendered(table, its, wager, line, row)
    if not at.settled_after < its.settled_at < at.settled_before:
        return False
    if at.waits:
        plain.waited_until = max(plain.waited_until, its.settled_at)
    row.odds[0] = at.over
    row.odds[1] = at.under
    row.clause = at.clause
    if at.result == SURRENDERED:
        half, row.told[0], row.story = half_taken(table, stake)
        return half != NOT and _as_due(table, its, wager, line, row, SURRENDERED, 0, half)
    if at.doubled and its.portions == 0:
        if at.result == WIN and its.kind != DOUBLE_BET:
            return _settle_not_doubled(table, its, wager, line, row)
        if plain.dealer_pontoon and at.waits and its.kind == DOUBLE_BET:
            row.clause = of_outcomes3(
                ON_LOSE_DEALER_PONTOON, ON_DOUBLED_DEALER_PONTOON, ON_SPLIT_DEALER_PONTOON
            )
            if table.book.reads_dealer_pontoon_double != READS_DEALER_PONTOON_DOUBLE_ALL:
                row.story = BACK_DESPITE_PONTOON
                return _as_due(table, its, wager, line, row, RETURNED, 0, 0)
    # Who won cannot be foreseen, so that one sum is done for all: at odds of nothing to one for losers.
    paid, exact, cut, arithmetic = win(table, stake, at.over, max(at.under, 1))
    taken = stake * int(at.taken)
    row.told[0] = exact + taken
    row.told[1] = paid + taken
    row.told[2] = cut
    row.story = at.story | story(0, 0, arithmetic * int(at.result == WIN))
    return paid != NOT and _as_due(table, its, wager, line, row, int(at.result), paid, taken)


@compiled
def _is_forfeited(table: Table, its: Any) -> bool:
    """Whether a wager, or the one that it doubles, was given up."""
    under = table.space.plain.bets[its.on] if its.kind == DOUBLE_BET else its
    return bool(under.forfeited)


@compiled
def _settle_forfeited(table: Table, its: Any, wager: Any, line: Any, row: Any) -> bool:
    """A wager given up is lost, and what doubled it goes back, whenever that is done."""
    row.odds[0] = 0
    row.odds[1] = 0
    row.clause = of_outcomes(ON_FORFEIT)
    if its.kind == DOUBLE_BET:
        row.story = FORFEITED_DOUBLE
        return _as_due(table, its, wager, line, row, RETURNED, 0, 0)
    row.story = FORFEITED_STAKE
    return _as_due(table, its, wager, line, row, FORFEITED, 0, int(wager.amount))


@compiled
def _settle_surrendered(table: Table, its: Any, wager: Any, line: Any, row: Any) -> bool:
    """A wager surrendered alone: half of it, or all where the dealer makes Pontoon, once he is done."""
    plain = table.space.plain
    if counts(table, SURRENDER_HALF_EARLY) and its.settled_at <= plain.dealt_last:
        return False
    plain.waited_until = max(plain.waited_until, its.settled_at)
    row.odds[0] = 0
    row.odds[1] = 0
    if plain.dealer_pontoon:
        row.clause = of_outcomes(ON_SURRENDER_ANNULLED)
        row.story = SURRENDER_ANNULLED
        return _as_due(table, its, wager, line, row, LOSE, 0, int(wager.amount))
    row.clause = of_outcomes(ON_SURRENDER_HALF)
    half, row.told[0], row.story = half_taken(table, int(wager.amount))
    return half != NOT and _as_due(table, its, wager, line, row, SURRENDERED, 0, half)


@compiled
def _settle_not_doubled(table: Table, its: Any, wager: Any, line: Any, row: Any) -> bool:
    """A wager wins that its player did not double on a hand that others doubled."""
    book = table.book
    at = table.space.plain.hands[its.hand]
    over, under, on_row, name = (
        book.payout_doubled[0],
        book.payout_doubled[1],
        ON_CO_WAGERER_ODDS,
        ROW_DOUBLED_BY_BOX,
    )
    if book.reads_co_wagerer_not_doubling_odds != READS_CO_WAGERER_NOT_DOUBLING_ODDS_EVEN:
        one, two, three = card_of(at, 0), card_of(at, 1), card_of(at, 2)
        over, under, on_row, name = row_of_cards(table, at.n, at.total, False, one, two, three)
    row.odds[0] = over
    row.odds[1] = under
    row.clause = of_outcomes2(at.outcome, on_row)
    return _won(table, its, wager, line, row, over, under, story(at.story & 255, name, 0))


@compiled
def _settle_insurance(table: Table, its: Any, wager: Any, line: Any, row: Any) -> bool:
    """Lost before the dealer's third card, or paid after all wagers that waited for him."""
    plain = table.space.plain
    stake = int(wager.amount)
    row.cards_at = 0
    row.counting = 0
    row.points = 0
    row.soft = False
    if plain.dealer_pontoon:
        odds = table.book.payout_insurance
        row.odds[0] = odds[0]
        row.odds[1] = odds[1]
        row.clause = of_outcomes(ON_INSURANCE_WIN)
        plain.insurance_paid_at = min(plain.insurance_paid_at, its.settled_at)
        return _won(table, its, wager, line, row, odds[0], odds[1], INSURANCE_WON)
    row.odds[0] = 0
    row.odds[1] = 0
    row.clause = of_outcomes(ON_INSURANCE_LOSE)
    row.story = INSURANCE_LOST
    if counts(table, INSURANCE_LOST_UNCOLLECTED) and not plain.second_at < its.settled_at < plain.third_at:
        return False
    return _as_due(table, its, wager, line, row, LOSE, 0, stake)


@compiled
def _settle_side(table: Table, events: Records, its: Any, wager: Any, line: Any, row: Any) -> bool:
    plain = table.space.plain
    at = plain.hands[its.box]
    if its.settled_at >= _deadline(table, SIDE_BET_SETTLED_LATE, plain.followed_at):
        return False
    if table.book.reads_side_bet_needs != READS_SIDE_BET_NEEDS_ANYONE:
        if not has_main_on(table, events, its.box, int(wager.player)):
            return False
    one, two = first_two(table, its.box)
    row.one = one
    row.two = two
    row.cards_at = at.cards_at
    row.counting = 0
    row.points = 0
    row.soft = False
    if its.kind == PANDEMONIUM:
        if began_with_pontoon(table, its.box):
            return _settle_jackpot(table, its, wager, line, row)
        row.odds[0] = 0
        row.odds[1] = 0
        row.clause = of_outcomes(ON_JACKPOT_LOSE)
        row.story = NO_PONTOON
        return _as_due(table, its, wager, line, row, LOSE, 0, int(wager.amount))
    over, under, name = pair_row(table, its.kind, one, two)
    if name == NOT:
        row.odds[0] = 0
        row.odds[1] = 0
        row.clause = of_outcomes(ON_PAIRS_LOSE)
        row.story = NO_PAIR
        return _as_due(table, its, wager, line, row, LOSE, 0, int(wager.amount))
    if table.book.reads_pairs_payout != READS_PAIRS_PAYOUT_EACH_WAGER:
        return False
    row.odds[0] = over
    row.odds[1] = under
    row.clause = of_outcomes(ON_PAIRS_WIN)
    return _won(table, its, wager, line, row, over, under, story(PAIR_WON, name, 0))


@inlined
def _settle_jackpot(table: Table, its: Any, wager: Any, line: Any, row: Any) -> bool:
    """The jackpot of a box with Pontoon pays by the multiplier that was pressed for it, if one was."""
    plain = table.space.plain
    multiplier = int(plain.hands[its.box].multiplier)
    over = multiplier - 1 if table.book.reads_jackpot_pays == READS_JACKPOT_PAYS_IN_ALL else multiplier
    paid = int(wager.amount) * over
    row.odds[0] = over
    row.odds[1] = 1
    row.clause = of_outcomes(ON_JACKPOT_WIN)
    row.story = JACKPOT_WON
    row.told[0] = multiplier
    row.told[1] = paid
    return multiplier > 0 and _as_due(table, its, wager, line, row, WIN, paid, 0)


@compiled
def _won(table: Table, its: Any, wager: Any, line: Any, row: Any, over: int, under: int, reason: int) -> bool:
    paid, exact, cut, arithmetic = win(table, int(wager.amount), over, under)
    row.told[0] = exact
    row.told[1] = paid
    row.told[2] = cut
    row.story = reason | story(0, 0, arithmetic)
    return paid != NOT and _as_due(table, its, wager, line, row, WIN, paid, 0)


@compiled
def _as_due(
    table: Table, its: Any, wager: Any, line: Any, row: Any, result: int, paid: int, taken: int
) -> bool:
    """Fill the rest of a row; whether the wager was settled as it is due."""
    plain = table.space.plain
    row.stake = wager.amount
    row.effective = wager.amount
    row.due_paid = paid
    row.due_taken = taken
    row.paid = paid
    row.taken = taken
    row.name = wager.wager
    row.player = wager.player
    row.dealer_points = plain.hands[0].total
    row.dealer_soft = plain.hands[0].soft
    row.kind = its.kind
    row.box = its.box
    row.hand = plain.hands[its.hand].no
    row.due_result = result
    row.results = 1 << result
    # The same for every row, in the order in which they lie, so that they are written as one.
    row.reading = NOT
    row.line = STAKE
    row.basis = AS_REQUIRED
    row.fixed = True
    row.settled = True
    row.corrected = False
    row.entitled = False
    return bool(line.result == result and max(line.paid, 0) == paid and max(line.taken, 0) == taken)
