"""What only a run of rounds shows: the composition of a shoe, a missed shuffle, a missing round,
the place of the cutting card, and more. Rounds of a shoe come in their order.

A player's further wager under the minimum is not looked for here: it hangs on names, and any
round with such a wager goes to the readable engine as it is.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rules_replay.kernel.book import SHOE_SHUFFLE_NOT_STATED
from rules_replay.kernel.codes import (
    BREACH,
    BURN,
    BURNS,
    CARDS_OF_A_DECK,
    CONTINUOUS,
    CUT_CARD,
    CUT_CARDS,
    DEAL,
    DECK_COMPOSITION,
    DECK_COUNT_CHANGED,
    IRREGULARITY,
    MAIN,
    MISDEALT,
    NEVER,
    NONE_OF,
    NOT,
    NOTICE,
    PROCEDURE,
    RECONSTRUCTED,
    SHOE_BURN_UNEXPLAINED,
    SHOE_CONTINUOUS_SHUFFLER,
    SHOE_CUT_CARD_MISSING,
    SHOE_CUT_CARD_UNUSED,
    SHOE_CUT_POSITION,
    SHOE_EXHAUSTED,
    SHOE_LAST_ROUNDS,
    SHOE_ROUND_GAP,
    SHOE_SHUFFLE_DUE,
    SILENT_ON,
)
from rules_replay.kernel.compiled import compiled, entry, inlined
from rules_replay.kernel.facts import captures
from rules_replay.kernel.records import Letters, Table
from rules_replay.kernel.report import add
from rules_replay.kernel.table import happened

SHOE: Final = np.dtype(
    [
        ("copies", np.int32, (CARDS_OF_A_DECK,)),
        ("reported", np.int64),
        ("cut_card_round", np.int32),
        ("cut_unseen", np.bool_),
        ("last_round", np.int32),
        ("decks", np.int32),
        ("final_rounds", np.int32),
        ("continuous", np.int32),
        ("continuous_noted", np.bool_),
        ("whole", np.bool_),
        ("cut", np.bool_),
        ("out", np.int32),
        ("stack_decks", np.int32),
        ("stack_last_round", np.int32),
    ],
    align=True,
)
"""One shoe so far: copies of each card seen and (a bit each) the cards already reported; where the
cutting card came out, and whether in some round it would not have been recorded; whether a continuous
shuffler dealt its first round, 1 or 0 (`NOT`: there was none); and, from ``whole`` on, the stack of cards
out of it."""

FINAL_ROUNDS: Final = 3
"""Rounds that may be announced as the last (act-2018 5.5, adelaide-2008 54 121)."""


@entry
def new_shoe(shoe: Any) -> None:
    """A shoe from which nothing has come yet."""
    shoe.copies[:] = 0
    shoe.reported = 0
    shoe.cut_card_round = NOT
    shoe.cut_unseen = False
    shoe.last_round = NOT
    shoe.decks = NOT
    shoe.final_rounds = 0
    shoe.continuous = NOT
    shoe.continuous_noted = False
    shoe.whole = True
    shoe.cut = False
    shoe.out = 0
    shoe.stack_decks = 0
    shoe.stack_last_round = 0


@compiled
def check_shoe(table: Table, shoe: Any) -> None:
    """Take a laid-out round into its shoe, and find what the shoe now shows about it.

    Without a rulebook in force the cards are counted and nothing is found.
    """
    governed = table.round.book != NOT
    _note_shuffler(table, shoe)
    if governed:
        _round_gap(table, shoe)
        _shuffle_due(table, shoe)
        _shuffler(table, shoe)
        _decks_changed(table, shoe)
        _final_rounds(table, shoe)
        _unexplained_burns(table)
    _composition(table, shoe, governed)
    _cutting_card(table, shoe, governed)
    _note_cut_card(table, shoe)
    shoe.last_round = max(shoe.last_round, table.round.round_no)


@inlined
def _note_shuffler(table: Table, shoe: Any) -> None:
    if shoe.continuous == NOT:
        shoe.continuous = int(table.round.shuffler == CONTINUOUS)


@inlined
def _goes_back(table: Table, shoe: Any) -> bool:
    """Whether the cards of a round go back into the machine that dealt the shoe from its first round on."""
    return bool(table.round.shuffler == CONTINUOUS and shoe.continuous != 0)


@inlined
def follows_in_order(table: Table, shoe: Any) -> bool:
    """Whether a round may go into its shoe by `take_plain`: nothing is found there but by its cards."""
    round_ = table.round
    if round_.last_rounds:
        return False
    if round_.shuffler == CONTINUOUS:
        if shoe.continuous == 0:
            return False
        if table.book.says[SHOE_CONTINUOUS_SHUFFLER] != NONE_OF and not shoe.continuous_noted:
            return False
    elif shoe.cut_card_round != NOT and shoe.cut_card_round < round_.round_no:
        return False
    if shoe.last_round != NOT and round_.round_no > shoe.last_round + 1:
        return False
    return bool(shoe.decks == NOT or shoe.decks == round_.decks)


@inlined
def take_plain(table: Table, shoe: Any, cards: Letters, start: int, stop: int, cut_after: int) -> bool:
    """Take a round into its shoe of which all cards were dealt to hands, from ``start`` to ``stop``.

    The cutting card came out after ``cut_after`` of them (`NOT`: it did not). False, and the shoe as it
    was, where anything would be found.
    """
    round_ = table.round
    decks = shoe.stack_decks if shoe.stack_decks != 0 else round_.decks
    continuous = round_.shuffler == CONTINUOUS
    known = round_.decks == decks and not continuous and captures(table, BURNS) and captures(table, CUT_CARDS)
    whole = shoe.whole and known and round_.round_no == shoe.stack_last_round + 1
    if cut_after != NOT and continuous:
        return False
    if cut_after != NOT and whole and not shoe.cut and _misplaced(table, shoe.out + cut_after) != NOT:
        return False
    if continuous:
        shoe.copies[:] = 0
    decks_left = 0
    for place in range(start, stop):
        card = cards[place]
        copies = shoe.copies[card] + 1
        shoe.copies[card] = copies
        decks_left |= round_.decks - copies
    if decks_left < 0:
        for place in range(start, stop):
            shoe.copies[cards[place]] -= 1
        return False
    _note_shuffler(table, shoe)
    shoe.whole = whole
    shoe.stack_decks = decks
    shoe.stack_last_round = round_.round_no
    shoe.out += stop - start
    shoe.decks = round_.decks
    shoe.final_rounds = 0
    shoe.last_round = max(shoe.last_round, round_.round_no)
    shoe.cut_unseen = shoe.cut_unseen or not captures(table, CUT_CARDS)
    if cut_after != NOT:
        shoe.cut = True
        if shoe.cut_card_round == NOT:
            shoe.cut_card_round = round_.round_no
    return True


@compiled
def _find(table: Table, code: int, seq: int, severity: int) -> Any:
    found = add(table, code, seq)
    found.severity = severity
    return found


@inlined
def _round_gap(table: Table, shoe: Any) -> None:
    if shoe.last_round != NOT and table.round.round_no > shoe.last_round + 1:
        _find(table, SHOE_ROUND_GAP, NOT, NOTICE)


@inlined
def _shuffle_due(table: Table, shoe: Any) -> None:
    """act-2018 5.4 5.5, nz-2000 8.7 8.8, adelaide-2008 54 55; automated shoes have no cutting card."""
    round_ = table.round
    if _goes_back(table, shoe) or table.book.shoe_shuffle == SHOE_SHUFFLE_NOT_STATED:
        return
    if round_.last_rounds and table.book.shoe_last_rounds_excuse != 0:
        return
    if not captures(table, CUT_CARDS):
        return
    if shoe.cut_card_round != NOT and shoe.cut_card_round < round_.round_no:
        _find(table, SHOE_SHUFFLE_DUE, NOT, PROCEDURE)
        return
    first_cut = _cut_card_before_first_card(table) if happened(table, CUT_CARD) else NOT
    if first_cut != NOT:
        _find(table, SHOE_SHUFFLE_DUE, first_cut, PROCEDURE)


@inlined
def _cut_card_before_first_card(table: Table) -> int:
    for seq in range(table.round.count):
        event = table.space.events[seq]
        if event.kind == CUT_CARD:
            return seq
        if _leaves_shoe(table, seq):
            return NOT
    return NOT


@compiled
def _leaves_shoe(table: Table, seq: int) -> bool:
    """Whether a card left the shoe with this event."""
    event = table.space.events[seq]
    return bool(event.kind == DEAL or (event.kind == BURN and not event.off_hand))


@inlined
def _shuffler(table: Table, shoe: Any) -> None:
    """What a continuous shuffler rules out (adelaide-2008 41, act-2018 19.1), and whether it may be used."""
    if table.round.shuffler != CONTINUOUS:
        return
    if table.book.says[SHOE_CONTINUOUS_SHUFFLER] != NONE_OF and not shoe.continuous_noted:
        shoe.continuous_noted = True
        _find(table, SHOE_CONTINUOUS_SHUFFLER, NOT, NOTICE)
    if table.book.says[SHOE_CUT_CARD_UNUSED] == NONE_OF or not captures(table, CUT_CARDS):
        return
    cut = _first(table, CUT_CARD)
    if cut != NOT:
        _find(table, SHOE_CUT_CARD_UNUSED, cut, NOTICE)


@inlined
def _first(table: Table, kind: int) -> int:
    """Seq of the first event of a kind."""
    for seq in range(table.round.count):
        if table.space.events[seq].kind == kind:
            return seq
    return NOT


@inlined
def _decks_changed(table: Table, shoe: Any) -> None:
    """The decks are settled before the shoe is made up (act-2018 2.3(a)); elsewhere it is a notice."""
    before = shoe.decks
    shoe.decks = table.round.decks
    if before != NOT and before != table.round.decks:
        silent = table.book.says[DECK_COUNT_CHANGED] == SILENT_ON
        _find(table, DECK_COUNT_CHANGED, NOT, NOTICE if silent else PROCEDURE)


@inlined
def _final_rounds(table: Table, shoe: Any) -> None:
    shoe.final_rounds = shoe.final_rounds + 1 if table.round.last_rounds else 0
    if shoe.final_rounds > FINAL_ROUNDS and table.book.says[SHOE_LAST_ROUNDS] != NONE_OF:
        _find(table, SHOE_LAST_ROUNDS, NOT, PROCEDURE)


@inlined
def _unexplained_burns(table: Table) -> None:
    """One card may be put away before a shoe's first round (nz-2000 8.1); any other has its reason."""
    if table.book.says[SHOE_BURN_UNEXPLAINED] == NONE_OF or not captures(table, BURNS):
        return
    if table.space.head.n_irregularities > 0 or not table.space.head.burned:
        return
    dealt = 0 if table.space.head.first_card_at == NEVER else table.space.head.first_card_at
    first = True
    for seq in range(table.round.count):
        event = table.space.events[seq]
        if event.kind != BURN or event.off_hand or event.explained:
            continue
        allowed = first and table.round.round_no == 1 and seq < dealt
        first = False
        if not allowed:
            _find(table, SHOE_BURN_UNEXPLAINED, seq, NOTICE)


@inlined
def _composition(table: Table, shoe: Any, governed: bool) -> None:
    if _goes_back(table, shoe):
        shoe.copies[:] = 0
    if happened(table, IRREGULARITY):
        _composition_put_right(table, shoe, governed)
        return
    for place in range(table.space.head.left_shoe):
        _take_out(table, shoe, int(table.space.left[place]), governed)


@compiled
def _take_out(table: Table, shoe: Any, seq: int, governed: bool) -> None:
    """Count a card that left the shoe."""
    card = table.space.events[seq].card
    if card < CARDS_OF_A_DECK:
        shoe.copies[card] += 1
        if shoe.copies[card] > table.round.decks:
            _report_copy(table, shoe, seq, governed)


@inlined
def _composition_put_right(table: Table, shoe: Any, governed: bool) -> None:
    """Count the cards of a round in which something may have been put right, event by event."""
    misdealt = _was_misdealt(table)
    for seq in range(table.round.count):
        event = table.space.events[seq]
        card = event.card
        if _leaves_shoe(table, seq):
            _take_out(table, shoe, seq, governed)
        elif misdealt and event.kind == BURN:
            if card < CARDS_OF_A_DECK and _dealt_again(table, seq):
                shoe.copies[card] -= 1
        elif event.kind == IRREGULARITY and event.code == SHOE_EXHAUSTED:
            _only_cards_on_the_table(table, shoe, seq)


@compiled
def _report_copy(table: Table, shoe: Any, seq: int, governed: bool) -> None:
    """One more copy of a card than the decks have, found once a shoe."""
    event = table.space.events[seq]
    mark = np.int64(1) << event.card
    if shoe.reported & mark:
        return
    shoe.reported |= mark
    if governed:
        found = _find(table, DECK_COMPOSITION, seq, BREACH)
        found.box = event.box
        found.hand = event.hand if event.box != NOT else NOT


@inlined
def _was_misdealt(table: Table) -> bool:
    """Whether the table reported an irregularity of the cards."""
    if table.space.head.n_irregularities == 0:
        return False
    for seq in range(table.round.count):
        event = table.space.events[seq]
        if event.kind == IRREGULARITY and (MISDEALT >> int(event.code)) & 1:
            return True
    return False


@compiled
def _dealt_again(table: Table, burned: int) -> bool:
    """Whether a card taken off a hand is dealt after that as the next card (nz-2000 16.2 16.4)."""
    for seq in range(burned + 1, table.round.count):
        event = table.space.events[seq]
        if event.kind == DEAL and event.card == table.space.events[burned].card:
            return True
    return False


@inlined
def _only_cards_on_the_table(table: Table, shoe: Any, until: int) -> None:
    """Cards out of the shoe in this round so far: the only ones a reshuffled rack lacks."""
    shoe.copies[:] = 0
    for seq in range(until):
        if _leaves_shoe(table, seq) and table.space.events[seq].card < CARDS_OF_A_DECK:
            shoe.copies[table.space.events[seq].card] += 1


@inlined
def _note_cut_card(table: Table, shoe: Any) -> None:
    """Remember when the cutting card came out; a rack shuffled in mid-round has a new one (nz-2000 16.7)."""
    shoe.cut_unseen = shoe.cut_unseen or not captures(table, CUT_CARDS)
    if not happened(table, CUT_CARD) and not happened(table, IRREGULARITY):
        return
    for seq in range(table.round.count):
        event = table.space.events[seq]
        if event.kind == IRREGULARITY and event.code == SHOE_EXHAUSTED:
            shoe.cut_card_round = NOT
        elif event.kind == CUT_CARD and shoe.cut_card_round == NOT:
            shoe.cut_card_round = table.round.round_no


@inlined
def _cutting_card(table: Table, shoe: Any, governed: bool) -> None:
    """Where in the shoe the cutting card lay, and whether there was one."""
    round_ = table.round
    if shoe.stack_decks == 0:
        shoe.stack_decks = round_.decks
    known = round_.decks == shoe.stack_decks and round_.shuffler != CONTINUOUS
    known = known and captures(table, BURNS) and captures(table, CUT_CARDS)
    if round_.round_no != shoe.stack_last_round + 1 or not known:
        shoe.whole = False
    if shoe.whole and _lacks_cards(table):
        shoe.whole = False
    shoe.stack_last_round = round_.round_no
    if happened(table, CUT_CARD) or happened(table, IRREGULARITY):
        _find_cut(table, shoe, governed)
    else:
        shoe.out += table.space.head.left_shoe


@inlined
def _find_cut(table: Table, shoe: Any, governed: bool) -> None:
    """Follow the cards of a round out of the shoe, up to the cutting card or the end of the rack."""
    ran_out_at = NOT
    left = 0
    before = NOT
    first_cut = NOT
    for seq in range(table.round.count):
        event = table.space.events[seq]
        if event.kind == IRREGULARITY and (event.code == SHOE_EXHAUSTED or event.code == RECONSTRUCTED):
            if event.code == SHOE_EXHAUSTED and shoe.whole and not shoe.cut:
                ran_out_at = seq
                left = shoe.stack_decks * CARDS_OF_A_DECK - shoe.out
            shoe.whole = False
        elif event.kind == CUT_CARD:
            if first_cut == NOT:
                first_cut = seq
            if not shoe.cut:
                shoe.cut = True
                before = shoe.out if shoe.whole else NOT
        elif _leaves_shoe(table, seq):
            shoe.out += 1
    if governed:
        _position(table, before, first_cut)
        if ran_out_at != NOT and table.book.says[SHOE_CUT_CARD_MISSING] != NONE_OF:
            behind = max(table.book.shoe_cutting_card_decks_behind * CARDS_OF_A_DECK, 1)
            _find(table, SHOE_CUT_CARD_MISSING, ran_out_at, PROCEDURE if left < behind else NOTICE)


@inlined
def _position(table: Table, before: int, cut: int) -> None:
    if before == NOT or before == 0:
        return
    severity = _misplaced(table, before)
    if severity != NOT:
        _find(table, SHOE_CUT_POSITION, cut, severity)


@compiled
def _misplaced(table: Table, before: int) -> int:
    """What a cutting card behind so many cards is, `NOT` if in its place (act-2018 5.3, nz-2000 7.6,
    adelaide-2008 38(a)).
    """
    book = table.book
    if book.says[SHOE_CUT_POSITION] == NONE_OF:
        return NOT
    behind = table.round.decks * CARDS_OF_A_DECK - before
    most = table.round.decks * CARDS_OF_A_DECK // 2
    if behind > most:
        return NOTICE
    return PROCEDURE if behind < book.shoe_cutting_card_decks_behind * CARDS_OF_A_DECK else NOT


@inlined
def _lacks_cards(table: Table) -> bool:
    """A box without its two cards, or a record that breaks off: more may have come out than is written."""
    unsettled = False
    for number in range(table.space.head.n_bets):
        bet = table.space.bets[number]
        if bet.kind != MAIN:
            continue
        if table.space.dealt[bet.box] < 2:
            return True
        unsettled = unsettled or (bet.first_line == NOT and not bet.corrected)
    return bool(unsettled and table.space.head.last_settled_at < max(table.space.head.last_deal_at, 0))
