"""What the hands of a plain round came to, and its wagers are due: written down where each was settled so."""

from __future__ import annotations

from typing import Any

from rules_replay.kernel.book import (
    READS_AMOUNTS_EXACT,
    READS_CO_WAGERER_NOT_DOUBLING_ODDS_EVEN,
    READS_CO_WAGERER_NOT_DOUBLING_TOTAL_OWN,
    READS_DEALER_PLAYS_ON_IDLE_FORBIDDEN,
    READS_DEALER_PONTOON_DOUBLE_ALL,
    READS_DEALER_SECOND_CARD_IDLE_FORBIDDEN,
    READS_FIXED_ACES_INITIAL_DEAL,
    READS_JACKPOT_PAYS_IN_ALL,
    READS_MIXED_SUITS_ALL_DIFFERENT,
    READS_PAIRS_PAYOUT_EACH_WAGER,
    READS_SIDE_BET_NEEDS_ANYONE,
    READS_SUPER_BONUS_EXCLUDED_BY_NEVER_PAID,
)
from rules_replay.kernel.clauses import first_outcome, of_outcomes, of_outcomes2, of_outcomes3
from rules_replay.kernel.codes import (
    AS_REQUIRED,
    DOUBLE_BET,
    FORFEITED,
    INSURANCE,
    INSURANCE_LOST_UNCOLLECTED,
    INSURANCE_WON_PAID_EARLY,
    LOSE,
    NEVER,
    NOT,
    ON_CO_WAGERER_ODDS,
    ON_DOUBLED_DEALER_PONTOON,
    ON_FORFEIT,
    ON_INSURANCE_LOSE,
    ON_INSURANCE_WIN,
    ON_JACKPOT_LOSE,
    ON_JACKPOT_WIN,
    ON_LOSE_DEALER_PONTOON,
    ON_PAIRS_LOSE,
    ON_PAIRS_WIN,
    ON_SPLIT_DEALER_PONTOON,
    ON_SURRENDER_ANNULLED,
    ON_SURRENDER_HALF,
    PANDEMONIUM,
    RETURNED,
    SEVEN,
    SIDE_BET_SETTLED_LATE,
    STAKE,
    SURRENDER_BEFORE_INTERIM,
    SURRENDER_HALF_EARLY,
    SURRENDERED,
    WIN,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best, is_soft, rank, suit
from rules_replay.kernel.dealers_cards import must_draw
from rules_replay.kernel.dues import (
    DEALER_PONTOON,
    EARNS,
    EARNS_678,
    EARNS_777,
    EARNS_DOUBLED,
    EARNS_OTHER,
)
from rules_replay.kernel.hands import (
    ENDED_BUST,
    ENDED_DOUBLED,
    ENDED_PONTOON,
    ENDED_STOOD,
    ENDED_SURRENDERED,
)
from rules_replay.kernel.payout import SPADES, THREE_SEVENS, half_taken, pair_row, row_of_cards, special, win
from rules_replay.kernel.plain_play import aces_held, began_with_pontoon, card_of, first_two, has_main_on
from rules_replay.kernel.reasons import (
    BACK_DESPITE_PONTOON,
    FORFEITED_DOUBLE,
    FORFEITED_STAKE,
    INSURANCE_LOST,
    INSURANCE_WON,
    JACKPOT_WON,
    NO_PAIR,
    NO_PONTOON,
    PAIR_WON,
    ROW_DOUBLED_BY_BOX,
    SUM_EXACT,
    SURRENDER_ANNULLED,
    story,
)
from rules_replay.kernel.records import BOXES, TOTALS, Letters, Records, Table
from rules_replay.kernel.report import counts
from rules_replay.kernel.words import WORD, write_word


@inlined
def decide_hands(table: Table, number: int, hands: Records, hand: int, cards: Letters, card: int) -> bool:
    """What each hand came to and its main wagers are due; writes down hands and their cards."""
    plain = table.space.plain
    dealer = plain.hands[0]
    total = best(dealer.points, dealer.aces, 0)
    dealer.total = total
    dealer.soft = is_soft(dealer.points, dealer.aces, 0)
    plain.dealer_pontoon = is_pontoon(dealer, total)
    plain.live = 0
    bonus = rank(card_of(dealer, 0)) == SEVEN
    if table.book.reads_super_bonus_excluded_by == READS_SUPER_BONUS_EXCLUDED_BY_NEVER_PAID:
        bonus = False
    ended = ENDED_PONTOON if plain.dealer_pontoon else ENDED_BUST if total > 21 else ENDED_STOOD
    card = _write_hand(table, number, 0, 0, ended, hands[hand], cards, card)
    dealers = DEALER_PONTOON if plain.dealer_pontoon else int(total)
    for place in range(plain.n_boxes):
        box = int(plain.order[place])
        for no in range(plain.hands[box].n_hands):
            ended = _decide_hand(table, box + BOXES * no, dealers, bonus)
            if ended == NOT:
                return False
            hand += 1
            card = _write_hand(table, number, box, no, ended, hands[hand], cards, card)
    if plain.live == 0:
        return _may_stop_or_go_on(table)
    return bool(dealer.n >= 2 and not must_draw(total, dealer.soft))


@compiled
def is_pontoon(hand: Any, total: int) -> bool:
    """Whether a hand that was not split is Pontoon: two cards that make 21 are an ace and a picture."""
    return bool(hand.n == 2 and total == 21)


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
def _decide_hand(table: Table, hand: int, dealers: int, bonus: bool) -> int:
    """How a player's hand ended and what is due on it; `NOT` where it is none of a plain round."""
    plain = table.space.plain
    at = plain.hands[hand]
    n = int(at.n)
    fixed = 0
    earns = int(table.book.earns_by_cards[n])
    if n < 2 or at.n_mains == 0:
        return NOT
    apart = int(at.forfeits) | int(at.left) | int(at.surrendered)
    if dealers == DEALER_PONTOON:
        apart |= int(at.of_split) | int(at.doubled)
    if at.doubled:
        if n != at.cards_at_double + 1 or not (at.portions == at.n_mains or _may_stay_out(table, hand)):
            return NOT
        if at.of_split and table.book.reads_fixed_aces == READS_FIXED_ACES_INITIAL_DEAL and at.aces > 0:
            return NOT
        fixed = aces_held(table, hand)
        apart |= int(at.portions != at.n_mains)
        earns = EARNS_DOUBLED
    total = best(at.points, at.aces, fixed)
    at.total = total
    at.soft = is_soft(at.points, at.aces, fixed)
    at.apart = apart != 0
    if at.surrendered:
        return NOT if at.surrenders > 0 and at.surrenders < at.n_mains else ENDED_SURRENDERED
    if total < 12 and not at.doubled:
        return NOT
    if total == 21 and n == 3:
        if bonus and rank(card_of(at, 0)) == SEVEN and rank(card_of(at, 1)) == SEVEN:
            return NOT
        if not at.doubled:
            earns = _special_row(table, at)
    # Sums and products here in place of questions whose answers cannot be foreseen.
    pontoon = int(total == 21) & int(n == 2) & int(not at.of_split)
    place = (int(table.book.came_to[TOTALS * dealers + total]) + pontoon) * EARNS + earns
    at.due = place
    due = table.book.dues[place]
    followed_at = int(plain.drawn_at[at.last_draw])
    at.settled_before = followed_at | NEVER * int(table.round.facts & due.needs != due.needs)
    if pontoon and plain.surrendered:
        before_surrender = _deadline(table, SURRENDER_BEFORE_INTERIM, plain.surrendered_at)
        at.settled_before = min(at.settled_before, before_surrender)
    if apart != 0:
        if due.waits and at.forfeits > 0 and at.forfeits == at.n_mains:
            return ENDED_DOUBLED
        if total == 21 and at.left > 0:
            return _ended(table, at)
        if due.waits and at.of_split and dealers == DEALER_PONTOON:
            return NOT
    plain.live += int(due.waits)
    return int(due.ended) + int(due.waits) * _ended(table, at)


@compiled
def _special_row(table: Table, at: Any) -> int:
    """The row that the three cards of a hand with 21 earn."""
    kind, suits = special(card_of(at, 0), card_of(at, 1), card_of(at, 2))
    if kind == NOT or (suits == 2 and table.book.reads_mixed_suits == READS_MIXED_SUITS_ALL_DIFFERENT):
        return EARNS_OTHER
    row = EARNS_777 if kind == THREE_SEVENS else EARNS_678
    if suits > 1:
        return row
    return row + 2 if suit(card_of(at, 0)) == SPADES else row + 1


@compiled
def _ended(table: Table, at: Any) -> int:
    """How a hand ended by what was done with it, as is told where not all wagers on it came to the same."""
    return int(table.book.ended_by[4 * int(at.doubled) + 2 * int(at.split_aces) + int(at.stood)])


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
    if at.n > 2 * WORD:
        write_word(at.highest, cards, card + 2 * WORD)
    return card + int(at.n)


# --- what was settled ------------------------------------------------------------------


@inlined
def settle_wagers(table: Table, events: Records, number: int, rows: Records, n: int) -> bool:
    """Write down what every wager was due; whether each was settled so, and in time."""
    plain = table.space.plain
    first = int(table.round.first)
    chips = table.book.reads_amounts != READS_AMOUNTS_EXACT and table.round.limit_smallest_chip > 0
    plain.waited_until = NOT
    plain.insurance_paid_at = NEVER
    for bet in range(int(plain.n_bets)):
        its = plain.bets[bet]
        wager = events[first + its.seq]
        if its.settled_at == NEVER:
            return False
        row = rows[n + bet]
        stake = int(wager.amount)
        if its.kind > DOUBLE_BET:
            result, paid, taken = _settle_beside(table, events, its, wager, row)
        elif plain.hands[its.hand].apart:
            result, paid, taken = _settle_apart(table, its, stake, chips, row)
        else:
            result, paid, taken = _settle_hand(table, its, stake, chips, row)
        line = events[first + its.settled_at]
        done = result != NOT and line.result == result
        done = done and max(line.paid, 0) == paid and max(line.taken, 0) == taken
        if not done:
            return False
        row.stake = stake
        row.effective = stake
        row.due_paid = paid
        row.due_taken = taken
        row.paid = paid
        row.taken = taken
        row.round_at = number
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
    return bool(plain.insurance_paid_at > plain.waited_until or not counts(table, INSURANCE_WON_PAID_EARLY))


@inlined
def _settle_hand(table: Table, its: Any, stake: int, chips: bool, row: Any) -> tuple[int, int, int]:
    """A main, split or doubled wager: result, payment and what is taken; `NOT` where it is not settled so.

    ``chips``: what they can pay is to be asked.
    """
    plain = table.space.plain
    at = plain.hands[its.hand]
    due = table.book.dues[at.due]
    _fill_hand(at, row)
    over, shown, clause, reason = int(due.odds[0]), due.odds[1], due.clause, due.story
    row.odds[0] = over
    row.odds[1] = shown
    row.clause = clause
    row.story = reason
    plain.waited_until = max(plain.waited_until, int(its.settled_at) * int(due.waits))
    # Who won cannot be foreseen, so that one sum is done for all: at odds of nothing to one for losers.
    paid = stake * over
    exact, cut = paid, 0
    if chips or due.under != 1:
        paid, exact, cut, arithmetic = win(table, stake, over, int(due.under))
        if arithmetic != SUM_EXACT:
            row.story = int(reason) & 0xFFFF | story(0, 0, arithmetic)
    taken = stake * int(due.taken)
    row.told[0] = exact + taken
    row.told[1] = paid + taken
    row.told[2] = cut
    if paid == NOT or its.settled_at >= at.settled_before:
        return NOT, 0, 0
    return int(due.result), paid, taken


@compiled
def _fill_hand(at: Any, row: Any) -> None:
    row.cards_at = at.cards_at
    row.counting = at.n
    row.points = at.total
    row.soft = at.soft


@compiled
def _settle_apart(table: Table, its: Any, stake: int, chips: bool, row: Any) -> tuple[int, int, int]:
    """The same on a hand on which not all wagers are due the same."""
    plain = table.space.plain
    at = plain.hands[its.hand]
    _fill_hand(at, row)
    if at.forfeits > 0 and _is_forfeited(table, its):
        return _settle_forfeited(its, stake, row)
    if at.surrendered or (its.surrendered and at.left > 0):
        return _settle_surrendered(table, its, stake, row)
    result, paid, taken = _settle_hand(table, its, stake, chips, row)
    if at.doubled and its.portions == 0 and result != NOT:
        if result == WIN and its.kind != DOUBLE_BET:
            return _settle_not_doubled(table, its, stake, row)
        waits = table.book.dues[at.due].waits
        if plain.dealer_pontoon and waits and its.kind == DOUBLE_BET:
            row.clause = of_outcomes3(
                ON_LOSE_DEALER_PONTOON, ON_DOUBLED_DEALER_PONTOON, ON_SPLIT_DEALER_PONTOON
            )
            if table.book.reads_dealer_pontoon_double != READS_DEALER_PONTOON_DOUBLE_ALL:
                row.story = BACK_DESPITE_PONTOON
                return RETURNED, 0, 0
    return result, paid, taken


@compiled
def _is_forfeited(table: Table, its: Any) -> bool:
    """Whether a wager, or the one that it doubles, was given up."""
    under = table.space.plain.bets[its.on] if its.kind == DOUBLE_BET else its
    return bool(under.forfeited)


@inlined
def _settle_forfeited(its: Any, stake: int, row: Any) -> tuple[int, int, int]:
    """A wager given up is lost, and what doubled it goes back, whenever that is done."""
    row.odds[0] = 0
    row.odds[1] = 0
    row.clause = of_outcomes(ON_FORFEIT)
    if its.kind == DOUBLE_BET:
        row.story = FORFEITED_DOUBLE
        return RETURNED, 0, 0
    row.story = FORFEITED_STAKE
    return FORFEITED, 0, stake


@inlined
def _settle_surrendered(table: Table, its: Any, stake: int, row: Any) -> tuple[int, int, int]:
    """A wager surrendered: half of it, or all where the dealer makes Pontoon, once he is done."""
    plain = table.space.plain
    if counts(table, SURRENDER_HALF_EARLY) and its.settled_at <= plain.dealt_last:
        return NOT, 0, 0
    plain.waited_until = max(plain.waited_until, its.settled_at)
    row.odds[0] = 0
    row.odds[1] = 0
    if plain.dealer_pontoon:
        row.clause = of_outcomes(ON_SURRENDER_ANNULLED)
        row.story = SURRENDER_ANNULLED
        return LOSE, 0, stake
    row.clause = of_outcomes(ON_SURRENDER_HALF)
    half, row.told[0], row.story = half_taken(table, stake)
    return SURRENDERED if half != NOT else NOT, 0, half


@inlined
def _settle_not_doubled(table: Table, its: Any, stake: int, row: Any) -> tuple[int, int, int]:
    """A wager wins that its player did not double on a hand that others doubled."""
    book = table.book
    at = table.space.plain.hands[its.hand]
    due = book.dues[at.due]
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
    row.clause = of_outcomes2(first_outcome(due.clause), on_row)
    return _won(table, stake, row, over, under, story(int(due.story) & 255, name, 0))


@compiled
def _settle_beside(table: Table, events: Records, its: Any, wager: Any, row: Any) -> tuple[int, int, int]:
    """A wager beside the hands: an insurance or a side wager."""
    row.counting = 0
    row.points = 0
    row.soft = False
    if its.kind == INSURANCE:
        return _settle_insurance(table, its, int(wager.amount), row)
    return _settle_side(table, events, its, wager, row)


@inlined
def _settle_insurance(table: Table, its: Any, stake: int, row: Any) -> tuple[int, int, int]:
    """Lost before the dealer's third card, or paid after all wagers that waited for him."""
    plain = table.space.plain
    row.cards_at = 0
    if plain.dealer_pontoon:
        odds = table.book.payout_insurance
        row.odds[0] = odds[0]
        row.odds[1] = odds[1]
        row.clause = of_outcomes(ON_INSURANCE_WIN)
        plain.insurance_paid_at = min(plain.insurance_paid_at, its.settled_at)
        return _won(table, stake, row, odds[0], odds[1], INSURANCE_WON)
    _lost(row, ON_INSURANCE_LOSE, INSURANCE_LOST)
    if counts(table, INSURANCE_LOST_UNCOLLECTED) and not plain.second_at < its.settled_at < plain.third_at:
        return NOT, 0, 0
    return LOSE, 0, stake


@compiled
def _lost(row: Any, outcome: int, sentence: int) -> None:
    row.odds[0] = 0
    row.odds[1] = 0
    row.clause = of_outcomes(outcome)
    row.story = sentence


@inlined
def _settle_side(table: Table, events: Records, its: Any, wager: Any, row: Any) -> tuple[int, int, int]:
    plain = table.space.plain
    stake = int(wager.amount)
    if its.settled_at >= _deadline(table, SIDE_BET_SETTLED_LATE, plain.followed_at):
        return NOT, 0, 0
    if table.book.reads_side_bet_needs != READS_SIDE_BET_NEEDS_ANYONE:
        if not has_main_on(table, events, its.box, int(wager.player)):
            return NOT, 0, 0
    one, two = first_two(table, its.box)
    row.one = one
    row.two = two
    row.cards_at = plain.hands[its.box].cards_at
    if its.kind == PANDEMONIUM:
        if began_with_pontoon(table, its.box):
            return _settle_jackpot(table, its, stake, row)
        _lost(row, ON_JACKPOT_LOSE, NO_PONTOON)
        return LOSE, 0, stake
    over, under, name = pair_row(table, its.kind, one, two)
    if name == NOT:
        _lost(row, ON_PAIRS_LOSE, NO_PAIR)
        return LOSE, 0, stake
    row.odds[0] = over
    row.odds[1] = under
    row.clause = of_outcomes(ON_PAIRS_WIN)
    if table.book.reads_pairs_payout != READS_PAIRS_PAYOUT_EACH_WAGER:
        return NOT, 0, 0
    return _won(table, stake, row, over, under, story(PAIR_WON, name, 0))


@inlined
def _settle_jackpot(table: Table, its: Any, stake: int, row: Any) -> tuple[int, int, int]:
    """The jackpot of a box with Pontoon pays by the multiplier that was pressed for it, if one was."""
    plain = table.space.plain
    multiplier = int(plain.hands[its.box].multiplier)
    over = multiplier - 1 if table.book.reads_jackpot_pays == READS_JACKPOT_PAYS_IN_ALL else multiplier
    paid = stake * over
    row.odds[0] = over
    row.odds[1] = 1
    row.clause = of_outcomes(ON_JACKPOT_WIN)
    row.story = JACKPOT_WON
    row.told[0] = multiplier
    row.told[1] = paid
    return WIN if multiplier > 0 else NOT, paid, 0


@compiled
def _won(table: Table, stake: int, row: Any, over: int, under: int, reason: int) -> tuple[int, int, int]:
    paid, exact, cut, arithmetic = win(table, stake, over, under)
    row.told[0] = exact
    row.told[1] = paid
    row.told[2] = cut
    row.story = reason | story(0, 0, arithmetic)
    return WIN if paid != NOT else NOT, paid, 0
