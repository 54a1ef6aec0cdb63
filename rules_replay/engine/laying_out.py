"""A round laid out: every event applied in order, because it did happen.

Nothing is judged here and nothing repaired. What a rule needs to know about the moment of an event
(the cards then on the hand, how many hands the box then had) is kept with it as an act, so that the
rules in the other modules can look at any moment without replaying the round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from rules_replay import log
from rules_replay.engine.acts import AssignAct, DoubleAct, ForfeitAct, SplitAct, StandAct, SurrenderAct
from rules_replay.engine.initial_deal import burn, close_initial, deal, miss_initial_cards, participants
from rules_replay.engine.pieces import NEVER, Bet, Hand
from rules_replay.engine.table import Table, box_of, gone_at, hand_of, hands_in_order, is_complete
from rules_replay.results import Money
from rules_replay.rulebook import Rulebook


def lay_out(round_: log.Round, book: Rulebook, whole: log.Round | None = None) -> Table:
    """Apply every event of a round, which may be the beginning of a ``whole`` one, in order."""
    table = Table(round=round_, book=book, facts=round_.facts, events=(whole or round_).events)
    table.participants = participants(round_)
    for seq, event in enumerate(round_.events):
        _HAPPENS[type(event)](table, seq, event)
    _gather(table)
    return table


def _gather(table: Table) -> None:
    """What the rules look up again and again, now that every event has happened."""
    table.void = _round_void(table)
    table.hands = tuple(hands_in_order(table))
    for bet in table.bets.values():
        for seq, settle in bet.lines:
            if seq not in bet.reversed:
                bet.standing.setdefault(settle.line, []).append((seq, settle))
        bet.recorded = _recorded(bet.standing_lines("stake"))
        if bet.kind in ("main", "split", "double"):
            table.on_hands.append(bet)
            table.groups.setdefault(bet.root, []).append(bet)
        if bet.kind in ("main", "split"):
            table.riders.setdefault(bet.hand, []).append(bet)
        elif bet.kind == "insurance":
            table.insurance_bets.append(bet)
            table.insurance.setdefault(bet.on, []).append(bet)
        elif bet.kind in log.SIDE_KINDS:
            table.side_bets.append(bet)
    if table.dealer_second_at != NEVER or table.served_at != NEVER:
        close_initial(table, table.dealer_second_at)
    elif table.initial_closed_at == NEVER and not table.void:
        miss_initial_cards(table)


def _round_void(table: Table) -> bool:
    """The whole round is void: declared so, or by a foreign card where the rulebook says so."""
    if table.void_round_at < NEVER:
        return True
    return table.book.word("deck.foreign_card") == "round_void" and _foreign_card_in_progress(table)


def _foreign_card_in_progress(table: Table) -> bool:
    """Whether a foreign card was found before all was settled: one found after it is in no round.

    rws-2017 5.1.1, def:Round of play. It counts as in it where the order of settlements is not recorded.
    """
    if not table.foreign:
        return False
    settled_at = [seq for seq, each in enumerate(table.round.events) if isinstance(each, log.Settle)]
    unsettled = any(not bet.lines and gone_at(bet) == NEVER for bet in table.bets.values())
    if not settled_at or unsettled or "settle_order" not in table.facts:
        return True
    return table.foreign[0][0] < settled_at[-1]


def _recorded(lines: Sequence[tuple[int, log.Settle]]) -> tuple[Money, int] | None:
    """Several settlements of a line add up."""
    if not lines:
        return None
    results = {str(settle.result) for _, settle in lines}
    money = Money(
        result=" and ".join(sorted(results)),
        paid=sum(settle.paid or 0 for _, settle in lines),
        taken=sum(settle.taken or 0 for _, settle in lines),
    )
    return money, lines[-1][0]


def _close_bets(table: Table, seq: int, event: log.NoMoreBets) -> None:
    table.no_more_bets_at = min(table.no_more_bets_at, seq)


def _assign(table: Table, seq: int, event: log.Assign) -> None:
    bet = table.bets[event.wager]
    hand = hand_of(table, event.box, event.hand)
    if hand is not bet.hand and (is_complete(bet.hand) or _is_settled(bet)):
        bet.moved_late = True
    _ride(bet, hand)
    table.assigns.append(AssignAct(seq=seq, bet=bet, hand=bet.hand))


def _is_settled(bet: Bet) -> bool:
    return any(settle.line == "stake" and seq not in bet.reversed for seq, settle in bet.lines)


def _stand(table: Table, seq: int, event: log.Stand) -> None:
    close_initial(table, seq)
    hand = hand_of(table, event.box, event.hand)
    hand.stood_at = seq if hand.stood_at is None else hand.stood_at
    table.stands.append(StandAct(seq=seq, hand=hand, held=hand.pile))


def _forfeit(table: Table, seq: int, event: log.Forfeit) -> None:
    bet = table.bets[event.wager].base
    bet.forfeited_at = seq
    table.forfeits.append(
        ForfeitAct(seq=seq, bet=bet, held=bet.hand.pile, dealer_cards=len(table.dealer.cards))
    )


def _press(table: Table, seq: int, event: log.Press) -> None:
    table.presses.append((seq, event))


def _cut_card(table: Table, seq: int, event: log.CutCard) -> None:
    table.cut_card_at = min(table.cut_card_at, seq)


def _irregularity(table: Table, seq: int, event: log.Irregularity) -> None:
    table.irregularities.append((seq, event))


def _withdraw(table: Table, seq: int, event: log.Withdraw) -> None:
    table.bets[event.wager].withdrawn_at = seq


def _settle(table: Table, seq: int, event: log.Settle) -> None:
    bet = table.bets[event.wager]
    if event.reverses is None:
        bet.lines.append((seq, event))
    else:
        bet.reversed.add(event.reverses)


def _place(table: Table, seq: int, event: log.Wager) -> None:
    on = table.bets.get(event.on) if event.on is not None else None
    no = on.hand.no if event.kind in ("double", "insurance") and on is not None else event.hand
    bet = Bet(
        placed=event,
        id=event.id,
        kind=event.kind,
        player=event.player,
        box=event.box,
        seq=seq,
        on=on,
        hand=hand_of(table, event.box, 1 if event.kind in log.SIDE_KINDS else no),
    )
    table.bets[event.id] = bet
    if event.kind == "double" and on is not None and _shows_hand(table, event, on):
        _ride(on, hand_of(table, event.box, event.hand))
        bet.hand = on.hand
    _ride(bet, bet.hand)
    if event.kind == "double" and on is not None:
        bet.misplaced = _doubles_another(table, event, on)
    if event.kind == "double" and on is not None and not bet.misplaced:
        table.portions.setdefault(on.id, []).append(bet)
    if event.kind == "main":
        box_of(table, event.box).mains.append(bet)
    if event.kind == "double" and not bet.hand.doubled and not bet.misplaced:
        _double(table, seq, bet.hand)


def _doubles_another(table: Table, event: log.Wager, on: Bet) -> bool:
    """Whether a portion lies on a hand that was doubled and waits for its card, and its wager on another.

    That one was not doubled (act-2018 12.3, nz-2000 15.3(c), adelaide-2008 80).
    """
    if "decisions" not in table.facts or on.box != event.box or on.hand.doubled:
        return False
    named = table.boxes[on.box].hands.get(event.hand)
    return named is not None and named.doubled and len(named.cards) == named.cards_at_double


def _shows_hand(table: Table, event: log.Wager, on: Bet) -> bool:
    """Whether a doubled portion shows which hand a co-wagerer chose, decisions not being recorded.

    nz-2000 15.3(d), rws-2017 3.13.
    """
    if "decisions" in table.facts or table.book.word("split.co_wagerer_hand") != "any":
        return False
    box = table.boxes[on.box]
    return on.box == event.box and event.hand in box.hands and on in box.mains[1:]


def _ride(bet: Bet, hand: Hand) -> None:
    bet.hand = hand
    if bet.kind in ("main", "split"):
        hand.undecided.append(bet)


def _surrender(table: Table, seq: int, event: log.Surrender) -> None:
    """A hand that has its cards is given up; the initial deal may go on for the others.

    adelaide-2008 47(d) does not list it among what ends that deal, and act-2018 9 comes before 10.
    """
    hand = hand_of(table, event.box, event.hand)
    if len(hand.cards) < 2 or not table.dealer.cards:
        close_initial(table, seq)
    bet = table.bets.get(event.wager) if event.wager is not None else None
    table.surrenders.append(
        SurrenderAct(
            seq=seq,
            hand=hand,
            bet=bet,
            held=hand.pile,
            of_split=hand.of_split,
            elsewhere=bet is not None and bet.hand is not hand,
        )
    )
    for each in [bet] if bet is not None else hand.undecided:
        if each.surrendered_at is None and (each is bet or each.hand is hand):
            each.surrendered_at = seq
    if bet is None:
        hand.undecided.clear()


def _split(table: Table, seq: int, event: log.Split) -> None:
    close_initial(table, seq)
    table.subsequent_at = min(table.subsequent_at, seq)
    hand = hand_of(table, event.box, event.hand)
    new = hand_of(table, event.box, event.to)
    held = hand.pile
    table.splits.append(
        SplitAct(
            seq=seq,
            hand=hand,
            to=new,
            held=held,
            hands_after=len(table.boxes[event.box].hands),
        )
    )
    _cut_short(hand, seq)
    aces = held.size == held.aces == 2
    hand.split_aces = new.split_aces = aces or hand.split_aces
    hand.of_split = new.of_split = True
    new.split_from = hand.no
    new.overdealt = hand.overdealt
    if len(hand.cards) >= 2:
        new.take(hand.give_second())
    else:
        new.lacks_split_card = True


def _cut_short(hand: Hand, seq: int) -> None:
    """A hand from a split is played on: before its second card, which it is to have first, or not."""
    if hand.of_split and len(hand.cards) < 2 and hand.cut_short_at is None:
        hand.cut_short_at = seq


def _declare_double(table: Table, seq: int, event: log.Double) -> None:
    close_initial(table, seq)
    _double(table, seq, hand_of(table, event.box, event.hand))


def _double(table: Table, seq: int, hand: Hand) -> None:
    table.subsequent_at = min(table.subsequent_at, seq)
    again = hand.doubled and len(hand.cards) > hand.cards_at_double
    table.doubles.append(DoubleAct(seq=seq, hand=hand, held=hand.pile, again=again))
    # Without decisions a double stands where its wager was noted down, before its time or after it.
    if "decisions" in table.facts:
        _cut_short(hand, seq)
    if not hand.doubled:
        hand.doubled_at = seq
        hand.cards_at_double = len(hand.cards)


def _void(table: Table, seq: int, event: log.Void) -> None:
    if event.scope == "round":
        table.void_round_at = min(table.void_round_at, seq)
    elif event.scope == "hand" and event.box is not None:
        hand = hand_of(table, event.box, event.hand)
        hand.void_at = seq
    elif event.wager is not None and event.wager in table.bets:
        table.bets[event.wager].void_at = seq


_HAPPENS: Final[Mapping[type, Callable[[Table, int, Any], None]]] = {
    log.Wager: _place,
    log.NoMoreBets: _close_bets,
    log.Deal: deal,
    log.Burn: burn,
    log.Surrender: _surrender,
    log.Split: _split,
    log.Assign: _assign,
    log.Double: _declare_double,
    log.Stand: _stand,
    log.Forfeit: _forfeit,
    log.Press: _press,
    log.CutCard: _cut_card,
    log.Void: _void,
    log.Irregularity: _irregularity,
    log.Withdraw: _withdraw,
    log.Settle: _settle,
}
"""What each kind of event does to the table."""
