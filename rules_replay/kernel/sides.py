"""Side wagers: pairs on the first two cards, and the Pandemonium jackpot."""

from __future__ import annotations

from rules_replay.kernel.book import (
    READS_JACKPOT_PAYS_IN_ALL,
    READS_JACKPOT_PRESS_EACH_PLAYER,
    READS_PAIRS_PAYOUT_EACH_WAGER,
    READS_PAIRS_PAYOUT_HIGHEST_RETURNED,
    READS_SIDE_BET_NEEDS_ANYONE,
    READS_SIDE_BET_NEEDS_OWN,
)
from rules_replay.kernel.clauses import ON_PAIRS_PAYOUT, answer, of_check, of_outcomes, of_reading
from rules_replay.kernel.codes import (
    FAMILY_JACKPOT,
    FAMILY_PAIRS,
    KING,
    NEVER,
    NOT,
    ON_JACKPOT_LOSE,
    ON_JACKPOT_WIN,
    ON_PAIRS_LOSE,
    ON_PAIRS_WIN,
    ON_VOID_HAND,
    ON_VOID_ROUND,
    ON_VOID_WAGER,
    PANDEMONIUM,
    PERFECT_PAIRS,
    PRESS,
    SETTLE_JACKPOT,
    SETTLE_PAIRS,
    WIN,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import rank
from rules_replay.kernel.facts import box_has_pontoon, has_main, initial_cards, on_offer
from rules_replay.kernel.payout import pair_row, win
from rules_replay.kernel.reasons import (
    ARITHMETIC,
    CARDS_UNKNOWN,
    HAND_VOIDED_EARLY,
    JACKPOT_WON,
    MAIN_VOIDED_EARLY,
    NO_MAIN_WAGER,
    NO_PAIR,
    NO_PONTOON,
    NO_PRESS,
    NO_SUCH_MULTIPLIER,
    NOT_ON_OFFER,
    PAIR_OUTDONE_LOST,
    PAIR_OUTDONE_RETURNED,
    PAIR_WON,
    PRESSES_DIFFER,
    RIVAL_UNKNOWN,
    ROUND_VOID,
    SAID_NOTHING,
    WAGER_VOID,
    story,
)
from rules_replay.kernel.records import Table
from rules_replay.kernel.table import gone_at
from rules_replay.kernel.terms import fix, give_back, leave_open, lose, pay, void


@inlined
def settle_side(table: Table, bet: int) -> None:
    """Find what a side wager is due."""
    at = table.space.bets[bet]
    why, outcome = side_void(table, bet)
    if why != SAID_NOTHING:
        void(table, bet, why, outcome)
        return
    count, one, two = initial_cards(table, at.box, NEVER)
    jackpot = at.kind == PANDEMONIUM
    if count < 2 or rank(one) > KING or rank(two) > KING or _redealt(table, at.box):
        family = FAMILY_JACKPOT if jackpot else FAMILY_PAIRS
        clause = of_check(SETTLE_JACKPOT if jackpot else SETTLE_PAIRS)
        leave_open(table, bet, family, clause, CARDS_UNKNOWN)
    elif jackpot:
        _settle_jackpot(table, bet)
    else:
        _settle_pairs(table, bet, one, two)


@compiled
def _redealt(table: Table, box: int) -> bool:
    """Whether one of the first two cards came in place of one that the box was to have."""
    for hand in range(1, table.space.head.n_hands):
        at = table.space.hands[hand]
        if at.box == box and at.disturbed_by != NOT:
            if table.space.links[table.space.acts[at.disturbed_by].to].initial:
                return True
    return False


@compiled
def side_void(table: Table, bet: int) -> tuple[int, int]:
    """Why a side wager is void and by which outcome; `SAID_NOTHING` where it is not."""
    if table.space.head.round_void:
        return ROUND_VOID, ON_VOID_ROUND
    at = table.space.bets[bet]
    if at.void_at != NOT or at.withdrawn_at != NOT:
        return WAGER_VOID, ON_VOID_WAGER
    if not on_offer(table, bet):
        return NOT_ON_OFFER, ON_VOID_WAGER
    if table.book.side_void_without_main != 0 and not has_main(table, bet):
        return NO_MAIN_WAGER, ON_VOID_WAGER
    hand = table.space.hand_at[at.box, 1]
    # Incomplete, the initial deal ended with the first card or decision after it (adelaide-2008 47(d)).
    done_at = min(table.space.head.initial_done_at, table.space.head.initial_closed_at)
    if hand != NOT and table.space.hands[hand].void_at != NOT and table.space.hands[hand].void_at < done_at:
        return HAND_VOIDED_EARLY, ON_VOID_HAND
    if _main_gone(table, bet, done_at):
        return MAIN_VOIDED_EARLY, ON_VOID_WAGER
    return SAID_NOTHING, NOT


@compiled
def _main_gone(table: Table, bet: int, moment: int) -> bool:
    """Whether every main wager on its box that a side wager rests on was void before a moment."""
    needs = table.book.reads_side_bet_needs
    box = table.space.box_at[table.space.bets[bet].box]
    main = NOT if box == NOT else table.space.boxes[box].first_main
    found = False
    while main != NOT:
        own = table.space.bets[main].player == table.space.bets[bet].player
        if needs == READS_SIDE_BET_NEEDS_ANYONE or (needs == READS_SIDE_BET_NEEDS_OWN and own):
            if gone_at(table, main) >= moment:
                return False
            found = True
        main = table.space.bets[main].next_main
    return found


@inlined
def _settle_pairs(table: Table, bet: int, one: int, two: int) -> None:
    at = table.space.bets[bet]
    over, under, row = pair_row(table, at.kind, one, two)
    if row == NOT:
        lose(table, bet, FAMILY_PAIRS, of_outcomes(ON_PAIRS_LOSE), NO_PAIR)
        return
    pay(table, bet, FAMILY_PAIRS, over, under, of_outcomes(ON_PAIRS_WIN), PAIR_WON, row)
    if not at.fixed:
        at.story = story(ARITHMETIC, 0, at.story >> 16)
    if table.book.reads_pairs_payout == READS_PAIRS_PAYOUT_EACH_WAGER or at.kind != PERFECT_PAIRS:
        return
    if _rival_unknown(table, bet):
        leave_open(table, bet, FAMILY_PAIRS, of_outcomes(ON_PAIRS_WIN), RIVAL_UNKNOWN)
    elif _outdone(table, bet, at.due_paid):
        _settle_outdone(table, bet)


@compiled
def _is_rival(table: Table, other: int, bet: int) -> bool:
    """Whether a wager is another Perfect Pairs wager of the player that is not void."""
    at, their = table.space.bets[bet], table.space.bets[other]
    if other == bet or their.kind != at.kind or their.player != at.player:
        return False
    why, _ = side_void(table, other)
    return bool(why == SAID_NOTHING)


@inlined
def _rival_unknown(table: Table, bet: int) -> bool:
    """Whether the cards of another of the player's wagers, which may be paid instead, are not known."""
    for other in range(table.space.head.n_bets):
        if _is_rival(table, other, bet):
            box = table.space.bets[other].box
            count, one, two = initial_cards(table, box, NEVER)
            if count < 2 or rank(one) > KING or rank(two) > KING or _redealt(table, box):
                return True
    return False


@inlined
def _outdone(table: Table, bet: int, paid: int) -> bool:
    """Whether another Perfect Pairs wager of the player is paid instead of this one.

    Of equal ones the wager placed first is paid (one reading of act-2018 18.10).
    """
    for other in range(table.space.head.n_bets):
        if not _is_rival(table, other, bet):
            continue
        their = table.space.bets[other]
        _, one, two = initial_cards(table, their.box, NEVER)
        over, under, row = pair_row(table, their.kind, one, two)
        theirs = 0 if row == NOT else max(0, win(table, their.effective, over, under)[0])
        if theirs > paid or (theirs == paid and their.seq < table.space.bets[bet].seq):
            return True
    return False


@inlined
def _settle_outdone(table: Table, bet: int) -> None:
    reading = table.book.reads_pairs_payout
    clause = of_reading(ON_PAIRS_PAYOUT)
    if reading == READS_PAIRS_PAYOUT_HIGHEST_RETURNED:
        give_back(table, bet, FAMILY_PAIRS, clause, PAIR_OUTDONE_RETURNED)
    else:
        lose(table, bet, FAMILY_PAIRS, clause, PAIR_OUTDONE_LOST)
    table.space.bets[bet].reading = answer(ON_PAIRS_PAYOUT, int(reading))


@compiled
def speaks_for(table: Table, number: int, bet: int) -> bool:
    """Whether an act is a press of the jackpot button that speaks for a wager (rws-2017 3.8.1).

    A press for another wager on its box does, where nothing else was pressed for it.
    """
    if table.space.acts[number].kind != PRESS or not _made_for(table, number, bet, True):
        return False
    if _made_for(table, number, bet, False):
        return True
    for other in range(table.space.head.n_acts):
        if table.space.acts[other].kind == PRESS and _made_for(table, other, bet, False):
            return False
    return True


@compiled
def _made_for(table: Table, number: int, bet: int, whole_box: bool) -> bool:
    """Whether a press names a wager or its box, or any wager there; or one that it speaks for as well."""
    if _names(table, number, bet, whole_box):
        return True
    if table.book.reads_jackpot_press != READS_JACKPOT_PRESS_EACH_PLAYER:
        return False
    at = table.space.bets[bet]
    for other in range(table.space.head.n_bets):
        their = table.space.bets[other]
        same = their.kind == at.kind and their.player == at.player
        if same and _names(table, number, other, whole_box):
            return True
    return False


@compiled
def _names(table: Table, number: int, bet: int, whole_box: bool) -> bool:
    press = table.space.acts[number]
    if press.bet == NOT or (whole_box and press.bet != bet):
        return bool(press.box == table.space.bets[bet].box)
    return bool(press.bet == bet)


@compiled
def multiplier_known(table: Table, multiplier: int) -> bool:
    """Whether the meter has a multiplier."""
    found = False
    for place in range(table.book.multipliers):
        found = found or table.book.jackpot_multipliers[place] == multiplier
    return bool(found)


@inlined
def _settle_jackpot(table: Table, bet: int) -> None:
    """A Pandemonium wager wins when its box receives a Pontoon."""
    at = table.space.bets[bet]
    if not box_has_pontoon(table, at.box):
        lose(table, bet, FAMILY_JACKPOT, of_outcomes(ON_JACKPOT_LOSE), NO_PONTOON)
        return
    clause = of_outcomes(ON_JACKPOT_WIN)
    multiplier, differ = _multiplier_shown(table, bet)
    if multiplier == NOT or differ:
        leave_open(table, bet, FAMILY_JACKPOT, clause, PRESSES_DIFFER if differ else NO_PRESS)
        return
    at.told[0] = multiplier
    if not multiplier_known(table, multiplier):
        leave_open(table, bet, FAMILY_JACKPOT, clause, NO_SUCH_MULTIPLIER)
        return
    over = multiplier - 1 if table.book.reads_jackpot_pays == READS_JACKPOT_PAYS_IN_ALL else multiplier
    fix(table, bet, FAMILY_JACKPOT, WIN, 0, clause, JACKPOT_WON)
    at.due_paid = at.effective * over
    at.odds[0] = over
    at.odds[1] = 1
    at.told[1] = at.due_paid


@inlined
def _multiplier_shown(table: Table, bet: int) -> tuple[int, bool]:
    """The multiplier that was pressed for a wager, and whether another was pressed too.

    Where a player presses once for all his boxes, the box at which he first did so counts (rws-2017 3.8.1).
    """
    shown, first_box = NOT, NOT
    once = table.book.reads_jackpot_press == READS_JACKPOT_PRESS_EACH_PLAYER
    for number in range(table.space.head.n_acts):
        if speaks_for(table, number, bet):
            if first_box == NOT:
                first_box = int(table.space.acts[number].box)
            if once and table.space.acts[number].box != first_box:
                continue
            multiplier = table.space.events[table.space.acts[number].seq].multiplier
            if shown != NOT and multiplier != shown:
                return shown, True
            shown = multiplier
    return shown, False
