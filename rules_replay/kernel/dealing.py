"""The cards: the deck, the initial deal, turns, cards to hands that may take none."""

from __future__ import annotations

from rules_replay.kernel.book import DECK_JOKER_PROMOTIONAL
from rules_replay.kernel.clauses import of_outcomes
from rules_replay.kernel.codes import (
    DEAL_MISSING_CARD,
    DEAL_ORDER,
    DEAL_SUPERFLUOUS_HAND,
    DEAL_TURN_ORDER,
    DECISIONS,
    DECK_COUNT_RANGE,
    DECK_FOREIGN_CARD,
    DRAW,
    DRAW_AFTER_BUST,
    DRAW_AFTER_STAND,
    DRAW_BELOW_12,
    DRAW_ON_21,
    FOREIGN,
    IRREGULARITY,
    JOKER_CARD,
    MAIN,
    MISDEALT,
    NEVER,
    NOT,
    NOTICE,
    ON_SPLIT_CARD,
    OTHER,
    PERFECT_PAIRS,
    PROCEDURE,
    RECONSTRUCTED,
    RECORD_UNREADABLE_CARD,
    SHOE_EXHAUSTED,
    SPLIT,
    SPLIT_ACES_EXTRA_CARD,
    STAKE,
    STAND_OFF,
    SURRENDER,
    UNREADABLE,
    WIN,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best, fixed_aces
from rules_replay.kernel.facts import captures
from rules_replay.kernel.given_up import surrender_without_effect
from rules_replay.kernel.reasons import SAID_NOTHING
from rules_replay.kernel.records import Table
from rules_replay.kernel.report import add, counts, find, find_box, find_hand, find_place
from rules_replay.kernel.short_hands import (
    after_stand,
    finishes_short_hand,
    lacks_initial_card,
    may_have_refused,
    refused_card,
)
from rules_replay.kernel.standing import won_before_double
from rules_replay.kernel.table import did, gone_at, on_hand, placed, reported
from rules_replay.kernel.voiding import voiding

_EXTRA_CARD = 1
_AFTER_BUST = 2
_ON_21 = 4
_AFTER_STAND = 8


@inlined
def check_deck(table: Table) -> None:
    """Decks within range, and every card one of the 48 (act-2018 2.1, adelaide-2008 5 6)."""
    book = table.book
    least = book.deck_minimum
    if _perfect_pairs_in_play(table):
        least = max(least, book.deck_minimum_with_perfect_pairs)
    if table.round.decks < least or table.round.decks > book.deck_maximum:
        find(table, DECK_COUNT_RANGE, NOT, NOT)
    _check_foreign(table)
    _check_readable(table)


@inlined
def _perfect_pairs_in_play(table: Table) -> bool:
    offers = table.round.offers
    if offers != NOT and (offers >> PERFECT_PAIRS) & 1:
        return True
    return placed(table, PERFECT_PAIRS)


@inlined
def _check_foreign(table: Table) -> None:
    """Each card that is none of the 48; a promotional joker is worth a notice."""
    if table.space.head.n_foreign == 0:
        return
    promotional = table.book.deck_joker == DECK_JOKER_PROMOTIONAL
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == FOREIGN:
            severity = NOTICE if promotional and act.card == JOKER_CARD else NOT
            _find_card(table, DECK_FOREIGN_CARD, number, severity)


@inlined
def _check_readable(table: Table) -> None:
    """The first card that could not be read stands for all of them."""
    if table.space.head.n_unreadable == 0:
        return
    for number in range(table.space.head.n_acts):
        if table.space.acts[number].kind == UNREADABLE:
            _find_card(table, RECORD_UNREADABLE_CARD, number, NOT)
            return


@compiled
def _find_card(table: Table, code: int, number: int, severity: int) -> None:
    """A finding about an odd card where it was dealt or burned; the dealer has but one hand."""
    act = table.space.acts[number]
    find_place(table, code, act.seq, act.box, 1 if act.box == 0 else act.no, severity)


@inlined
def check_initial_deal(table: Table) -> None:
    """Once round the boxes, the dealer, once round again; no box left out, none dealt in."""
    if table.space.head.misdealt:
        _check_misdealt(table)
    if did(table, SPLIT) and not table.space.head.round_void:
        _check_split_hands(table)
    if reported(table, RECONSTRUCTED, NOT) == NEVER:
        _check_order(table)


@inlined
def _check_misdealt(table: Table) -> None:
    """Hands that should not have been dealt, and hands that should have got a card."""
    for place in range(table.space.head.n_hands - 1):
        hand = table.space.order[place]
        if table.space.hands[hand].superfluous and table.space.hands[hand].n > 0:
            find_hand(table, DEAL_SUPERFLUOUS_HAND, table.space.hands[hand].first, hand, NOT)
    for place in range(table.space.head.n_hands - 1):
        _check_missing(table, table.space.order[place])
    _check_missing(table, 0)


@compiled
def _check_missing(table: Table, hand: int) -> None:
    if table.space.hands[hand].lacks_initial_card and not _needs_no_card(table, hand):
        find_hand(table, DEAL_MISSING_CARD, table.space.head.initial_closed_at, hand, NOT)


@compiled
def _needs_no_card(table: Table, hand: int) -> bool:
    """No wager was on the box any more when the initial deal went on without it."""
    if hand == 0:
        return False
    bet = table.space.boxes[table.space.box_at[table.space.hands[hand].box]].first_main
    if bet == NOT:
        return False
    while bet != NOT:
        if gone_at(table, bet) >= table.space.head.initial_closed_at:
            return False
        bet = table.space.bets[bet].next_main
    return True


@inlined
def _check_split_hands(table: Table) -> None:
    """A hand from a split has its second card before anything else is done with it, or settled on it."""
    for place in range(table.space.head.n_hands - 1):
        hand = table.space.order[place]
        at = table.space.hands[hand]
        if not at.of_split or at.void_at != NOT or at.disturbed_by != NOT:
            continue
        moment = int(at.cut_short_at) if at.cut_short_at != NOT else _settled_empty(table, hand)
        if moment == NOT or _went_wrong(table, int(at.box)) or not _wagered(table, hand, moment):
            continue
        if counts(table, DEAL_MISSING_CARD):
            found = add(table, DEAL_MISSING_CARD, moment)
            found.box = at.box
            found.hand = at.no
            found.clause = of_outcomes(ON_SPLIT_CARD)


@compiled
def _settled_empty(table: Table, hand: int) -> int:
    """Where in the log a wager won, lost or stood off on a hand without cards; `NOT` where none did."""
    if table.space.hands[hand].n > 0:
        return NOT
    moment = NEVER
    for bet in range(table.space.head.n_bets):
        line = table.space.bets[bet].first_line if on_hand(table, bet, hand) else NOT
        while line != NOT:
            event = table.space.events[line]
            if (
                event.line == STAKE
                and not table.space.links[line].undone
                and WIN <= event.result <= STAND_OFF
            ):
                moment = min(moment, int(line))
            line = table.space.links[line].next
    return NOT if moment == NEVER else int(moment)


@compiled
def _went_wrong(table: Table, box: int) -> bool:
    """Whether it was reported, for a box or for all, that cards went wrong or that the shoe had no more."""
    exhausted = min(reported(table, SHOE_EXHAUSTED, box), reported(table, SHOE_EXHAUSTED, 0)) < NEVER
    return exhausted or reported_misdealt(table, box)


@compiled
def reported_misdealt(table: Table, box: int) -> bool:
    """Whether the table reported that cards went wrong: for a box, the dealer or none.

    For the dealer any box may be named where hands were reconstructed, or nothing more is said.
    """
    for number in range(table.space.head.n_acts if table.space.head.n_irregularities else 0):
        act = table.space.acts[number]
        if act.kind != IRREGULARITY:
            continue
        code = int(table.space.events[act.seq].code)
        of_it = act.box <= 0 or act.box == box or (box == 0 and code in (OTHER, RECONSTRUCTED))
        if of_it and (MISDEALT >> code) & 1:
            return True
    return False


@compiled
def _wagered(table: Table, hand: int, moment: int) -> bool:
    """Whether a main or split wager was on a hand at a moment and not void or taken back."""
    for bet in range(table.space.head.n_bets):
        if on_hand(table, bet, hand) and gone_at(table, bet) >= moment:
            return True
    return False


@inlined
def _check_order(table: Table) -> None:
    wrong = out_of_order(table)
    if wrong != NOT:
        find_box(table, DEAL_ORDER, wrong, int(table.space.events[wrong].box), NOT)


@compiled
def out_of_order(table: Table) -> int:
    """Seq of the first card of the initial deal that was another box's, boxes left out and late ones aside;
    `NOT` where there is none.
    """
    turn = 0
    for place in range(table.space.head.n_initial):
        seq = table.space.initial[place]
        box = table.space.events[seq].box
        expected = _box_in_turn(table, turn)
        if expected != box and box != 0 and not _takes_part(table, box):
            continue
        while expected != NOT and expected != box and _lacks(table, expected):
            turn += 1
            expected = _box_in_turn(table, turn)
        if expected != box:
            return int(seq)
        turn += 1
    return NOT


@inlined
def _takes_part(table: Table, box: int) -> bool:
    for place in range(table.space.head.n_participants):
        if table.space.participants[place] == box:
            return True
    return False


@compiled
def _box_in_turn(table: Table, turn: int) -> int:
    """The box that a card of the initial deal goes to, 0 for the dealer; `NOT` once all have theirs."""
    boxes = table.space.head.n_participants
    if turn < boxes:
        return int(table.space.participants[turn])
    if turn == boxes:
        return 0
    if turn <= 2 * boxes:
        return int(table.space.participants[turn - boxes - 1])
    return NOT


@inlined
def _lacks(table: Table, box: int) -> bool:
    hand = table.space.hand_at[box, 1]
    return bool(hand != NOT and table.space.hands[hand].lacks_initial_card)


@inlined
def check_turns(table: Table) -> None:
    """Boxes in order, and the hands of a box each finished before the next."""
    if reported(table, RECONSTRUCTED, NOT) < NEVER:
        return
    current = NOT
    for move in range(table.space.head.n_moves):
        act = table.space.acts[table.space.moves[move]]
        hand = act.hand
        if act.kind == DRAW and table.space.links[act.seq].undone:
            continue
        if hand == current or table.space.hands[hand].superfluous:
            continue
        if finishes_short_hand(table, act.box, act.seq):
            continue
        if current != NOT:
            table.space.hands[current].turn_over = True
            if act.box < table.space.hands[current].box or table.space.hands[hand].turn_over:
                find_hand(table, DEAL_TURN_ORDER, act.seq, hand, NOT)
                return
        if _parent_unfinished(table, hand, act.seq):
            find_hand(table, DEAL_TURN_ORDER, act.seq, hand, NOT)
            return
        current = hand


@inlined
def _parent_unfinished(table: Table, hand: int, seq: int) -> bool:
    """A split hand takes cards only after the hand it was split from has its second card."""
    at = table.space.hands[hand]
    if at.split_from == NOT:
        return False
    later = False
    drawn = table.space.hands[table.space.hand_at[at.box, at.split_from]].first
    while drawn != NOT:
        if at.formed_at < drawn < seq:
            return False
        later = later or drawn > seq
        drawn = table.space.links[drawn].next
    return later


@inlined
def check_draws(table: Table) -> None:
    """Cards to hands that may take none, one finding a hand and code."""
    if not did(table, DRAW):
        return
    for move in range(table.space.head.n_moves):
        number = table.space.moves[move]
        act = table.space.acts[number]
        if act.kind != DRAW:
            continue
        hand = act.hand
        fault = offence(table, number)
        if fault == 0 or (table.space.hands[hand].draw_faults & fault) != 0:
            continue
        table.space.hands[hand].draw_faults |= fault
        # Where the card was burned off the hand again no hand changed.
        severity = PROCEDURE if table.space.links[act.seq].undone else NOT
        find_hand(table, _code_of(fault), act.seq, hand, severity)


@inlined
def _code_of(fault: int) -> int:
    if fault == _EXTRA_CARD:
        return SPLIT_ACES_EXTRA_CARD
    if fault == _AFTER_BUST:
        return DRAW_AFTER_BUST
    return DRAW_ON_21 if fault == _ON_21 else DRAW_AFTER_STAND


@compiled
def offence(table: Table, number: int) -> int:
    """What speaks against a further card, by its number among the acts; 0 where nothing does."""
    act = table.space.acts[number]
    at = table.space.hands[act.hand]
    # Without them neither the one card to a split ace nor that of a double can be asked for.
    decisions = captures(table, DECISIONS)
    if decisions and at.split_aces and act.n >= 2:
        return _EXTRA_CARD
    doubled = at.doubled_at != NOT and act.seq > at.doubled_at
    if decisions and doubled and (act.n > at.cards_at_double or won_before_double(table, act.hand)):
        return 0
    points = best(act.points, act.aces, fixed_aces(table, act.hand) if doubled else 0)
    if points > 21:
        return _AFTER_BUST
    if points == 21 and act.n >= 2 and act.unreadable == 0 and not _lacks_card(table, act.hand):
        return _ON_21
    # Its second card is due to a box whatever was said before it.
    initial = act.n < 2 and not at.of_split
    return _AFTER_STAND if not initial and _ended_before(table, act.hand, act.seq) else 0


@inlined
def _lacks_card(table: Table, hand: int) -> bool:
    """A card of the hand is not in the log: what lies there may come to 21 and the hand to less or more."""
    return table.space.hands[hand].lacks_split_card or lacks_initial_card(table, hand)


@inlined
def _ended_before(table: Table, hand: int, seq: int) -> bool:
    """The hand had stood, or every wager on it was surrendered."""
    if after_stand(table, hand, seq):
        return True
    if not did(table, SURRENDER):
        return False
    riders = 0
    for bet in range(table.space.head.n_bets):
        if on_hand(table, bet, hand):
            surrendered_at = table.space.bets[bet].surrendered_at
            if surrendered_at == NOT or surrendered_at >= seq or surrender_without_effect(table, bet):
                return False
            riders += 1
    return riders > 0


@inlined
def check_left_below_12(table: Table) -> None:
    """A hand left on less than 12, unless doubled, surrendered or refused an exposed card.

    One that lacks a card in the log may have had more.
    """
    if table.space.head.round_void:
        return
    for place in range(table.space.head.n_hands - 1):
        hand = table.space.order[place]
        at = table.space.hands[hand]
        if at.unreadable > 0 or at.foreign > 0 or best(at.points, at.aces, 0) >= 12:
            continue
        if not _plays_on(table, hand):
            continue
        if refused_card(table, at.box) or may_have_refused(table, at.box, NEVER) or _lacks_card(table, hand):
            continue
        if _left(table, hand):
            find_hand(table, DRAW_BELOW_12, at.last if at.stood_at == NOT else at.stood_at, hand, NOT)


@inlined
def _plays_on(table: Table, hand: int) -> bool:
    """A hand with its cards and a wager in play, to which a further card was open."""
    at = table.space.hands[hand]
    if at.doubled_at != NOT or at.superfluous or at.overdealt or at.void_at != NOT or at.n == 0:
        return False
    if at.n < 2 and not at.of_split:
        return False
    for bet in range(table.space.head.n_bets):
        if on_hand(table, bet, hand) and not _out_of_play(table, bet):
            return True
    return False


@inlined
def _out_of_play(table: Table, bet: int) -> bool:
    """Not in play any more, or not yet when the dealer had his second card."""
    at = table.space.bets[bet]
    if at.kind == MAIN and at.seq > table.space.head.dealer_second_at:
        return True
    why, _ = voiding(table, bet)
    return bool(at.surrendered_at != NOT or why != SAID_NOTHING)


@inlined
def turn_was_over(table: Table, hand: int, other: int) -> bool:
    """A card to a later box, or to another hand of the box once this one had its second card."""
    at = table.space.hands[hand]
    drawn_to = table.space.hands[other]
    if drawn_to.box != at.box:
        return bool(drawn_to.box > at.box)
    return bool(other != hand and at.n > 1)


@inlined
def _left(table: Table, hand: int) -> bool:
    """The table went on without the hand: it stood, another was dealt to, or it was settled."""
    at = table.space.hands[hand]
    if at.stood_at != NOT or at.last < table.space.head.dealer_second_at < NEVER:
        return True
    for number in range(table.space.head.n_acts - 1, -1, -1):
        act = table.space.acts[number]
        if act.seq <= at.last:
            break
        if act.kind == DRAW and turn_was_over(table, hand, act.hand):
            return True
    for bet in range(table.space.head.n_bets):
        if on_hand(table, bet, hand) and table.space.bets[bet].settled_at < NEVER:
            return True
    return False
