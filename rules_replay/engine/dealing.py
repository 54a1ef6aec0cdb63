"""The cards: the deck, the initial deal, turns, cards to hands that may not draw, interim payment."""

from __future__ import annotations

from itertools import takewhile

from rules_replay.engine.acts import Draw
from rules_replay.engine.bonus import Bonuses
from rules_replay.engine.given_up import surrender_without_effect
from rules_replay.engine.payout import suited_sevens
from rules_replay.engine.pieces import NEVER, Bet, Hand
from rules_replay.engine.report import Report
from rules_replay.engine.short_hands import (
    after_stand,
    finishes_short_hand,
    lacks_initial_card,
    may_have_refused,
    refused_card,
)
from rules_replay.engine.standing import Standing, won_before_double
from rules_replay.engine.table import Table, fixed_aces, gone_at
from rules_replay.engine.voiding import voiding
from rules_replay.log import MISDEALT


def check_deck(table: Table, report: Report) -> None:
    """Decks within range, and every card one of the 48 (act-2018 2.1, adelaide-2008 5 6)."""
    book = table.book
    least, most = book.whole("deck.minimum"), book.whole("deck.maximum")
    if _perfect_pairs_in_play(table):
        least = max(least, book.whole("deck.minimum_with_perfect_pairs"))
    if not least <= table.round.decks <= most:
        report.find(
            "deck.count-range",
            expected=f"{least} to {most} decks",
            recorded=f"{table.round.decks} decks",
        )
    for seq, drawn, box, no in table.foreign:
        promotional = drawn.rank == "JK" and book.word("deck.joker") == "promotional"
        report.find(
            "deck.foreign-card",
            seq=seq,
            hand=_place(table, box, no),
            severity="notice" if promotional else None,
            expected="the next card replaces a promotional joker" if promotional else "one of the 48 cards",
            recorded=drawn.text,
        )
    if table.unreadable:
        seq, box, no = table.unreadable[0]
        report.find(
            "record.unreadable-card",
            seq=seq,
            hand=_place(table, box, no),
            expected="a card that can be read",
            recorded=f"{len(table.unreadable)} that could not",
        )


def _perfect_pairs_in_play(table: Table) -> bool:
    wagered = any(bet.kind == "perfect_pairs" for bet in table.bets.values())
    return wagered or "perfect_pairs" in (table.round.offers or ())


def _place(table: Table, box: int, no: int) -> Hand:
    if box == 0:
        return table.dealer
    hands = table.boxes[box].hands if box in table.boxes else {}
    return hands.get(no) or Hand(box=box, no=no)


def check_initial_deal(table: Table, report: Report) -> None:
    """Once round the boxes, the dealer, once round again; no box left out, none dealt in."""
    for hand in table:
        if hand.superfluous and hand.cards:
            report.find(
                "deal.superfluous-hand",
                seq=hand.cards[0].seq,
                hand=hand,
                expected="no cards to a box without a main wager",
                recorded=f"{len(hand.cards)} dealt",
            )
    lacking = [
        hand for hand in (*table, table.dealer) if hand.lacks_initial_card and not _needs_no_card(table, hand)
    ]
    for hand in lacking:
        report.find(
            "deal.missing-card",
            seq=table.initial_closed_at,
            hand=hand,
            expected="one card" if hand is table.dealer else "two cards",
            recorded="play went on without",
        )
    if table.splits and not table.void:
        _check_split_hands(table, report)
    if table.reported("reconstructed") == NEVER:
        _check_order(table, report)


def _needs_no_card(table: Table, hand: Hand) -> bool:
    """No wager was on the box any more when the initial deal went on without it."""
    return hand.box != 0 and table.off_the_box(hand.box, None, table.initial_closed_at)


def _check_split_hands(table: Table, report: Report) -> None:
    """A hand from a split has its second card before anything else is done with it, or settled on it.

    act-2018 11.5 11.6, nz-2000 13.3 13.4, rws-2017 3.13, adelaide-2008 66 67. One that was left on one
    card is below 12. The table may have said what went wrong.
    """
    for hand in table:
        if not hand.of_split or hand.void_at is not None or hand in table.disturbed:
            continue
        moment = hand.cut_short_at if hand.cut_short_at is not None else _settled_empty(table, hand)
        if moment is None or _went_wrong(table, hand.box):
            continue
        if all(gone_at(bet) < moment for bet in table.bets_on(hand)):
            continue
        report.find(
            "deal.missing-card",
            seq=moment,
            hand=hand,
            expected="a second card to the split hand",
            recorded="play went on without",
            clause=table.book.outcome_clause("split_card"),
        )


def _settled_empty(table: Table, hand: Hand) -> int | None:
    """Where in the log a wager won, lost or stood off on a hand without cards; None where none did."""
    if hand.cards:
        return None
    moments = [
        seq
        for bet in table.bets_on(hand)
        for seq, settle in bet.standing_lines("stake")
        if settle.result in ("win", "lose", "stand_off")
    ]
    return min(moments, default=None)


def _went_wrong(table: Table, box: int) -> bool:
    """Whether it was reported, for a box or for all, that cards went wrong or that the shoe had no more."""
    exhausted = any(
        event.code == "shoe_exhausted" and event.box in (None, 0, box) for _, event in table.irregularities
    )
    return exhausted or reported_misdealt(table, box)


def _check_order(table: Table, report: Report) -> None:
    wrong = out_of_order(table)
    if wrong is not None:
        seq, box, expected = wrong
        report.find(
            "deal.order",
            seq=seq,
            box=box,
            expected=f"a card to {_box_name(expected)}",
            recorded=f"a card to {_box_name(box)}",
        )


def out_of_order(table: Table) -> tuple[int, int, int | None] | None:
    """The first card of the initial deal that was another box's: its seq, its box, and whose turn it was.

    Boxes left out and late ones aside.
    """
    boxes = table.participants
    wanted = iter([*boxes, 0, *boxes])
    late_boxes = {box for _, box in table.initial_sequence} - {0, *boxes}
    dealt = [(seq, box) for seq, box in table.initial_sequence if box not in late_boxes]
    for seq, box in dealt:
        expected = next(wanted, None)
        while expected is not None and expected != box and _lacks(table, expected):
            expected = next(wanted, None)
        if expected != box:
            return seq, box, expected
    return None


def _lacks(table: Table, box: int) -> bool:
    return _place(table, box, 1).lacks_initial_card


def _box_name(box: int | None) -> str:
    if box is None:
        return "nobody: the initial deal was complete"
    return "the dealer" if box == 0 else f"box {box}"


def check_turns(table: Table, report: Report) -> None:
    """Boxes in order, and the hands of a box each finished before the next.

    A card that was burned off its hand again was nobody's turn.
    """
    if table.reported("reconstructed") < NEVER:
        return
    current: Hand | None = None
    left: set[int] = set()
    for seq, hand in table.moves:
        if hand.superfluous or hand is current or finishes_short_hand(table, hand.box, seq):
            continue
        if current is not None:
            left.add(id(current))
        if current is not None and (hand.box < current.box or id(hand) in left):
            report.find(
                "deal.turn-order",
                seq=seq,
                hand=hand,
                expected=f"box {current.box} and what comes after it",
                recorded=f"box {hand.box}, hand {hand.no}",
            )
            return
        if _parent_unfinished(table, hand, seq):
            report.find(
                "deal.turn-order",
                seq=seq,
                hand=hand,
                expected=f"a card to hand {hand.split_from} first",
                recorded=f"hand {hand.no}",
            )
            return
        current = hand


def _parent_unfinished(table: Table, hand: Hand, seq: int) -> bool:
    """A split hand takes cards only after the hand it was split from has its second card."""
    if hand.split_from is None:
        return False
    parent = table.boxes[hand.box].hands[hand.split_from]
    formed = table.formed[hand].seq
    return not any(formed < drawn.seq < seq for drawn in parent.cards) and any(
        drawn.seq > seq for drawn in parent.cards
    )


def check_draws(table: Table, report: Report) -> None:
    """Cards to hands that may take none, one finding a hand and code.

    Where the card was burned off the hand again the rule was broken and no hand changed.
    """
    seen: set[tuple[int, str]] = set()
    for draw in table.draws:
        code = offence(table, draw)
        if code is None or (id(draw.hand), code) in seen:
            continue
        seen.add((id(draw.hand), code))
        counted = _total_before(table, draw)
        report.find(
            code,
            seq=draw.seq,
            hand=draw.hand,
            severity="procedure" if draw.seq in table.taken_back else None,
            expected=_DRAW_RULES[code],
            recorded=f"a card dealt on {counted}",
        )


_DRAW_RULES = {
    "split.aces-extra-card": "one card to each split ace",
    "draw.after-bust": "no card to a hand over 21",
    "draw.on-21": "no card to a hand with 21",
    "draw.after-stand": "no card to a hand that stood or surrendered",
}


def _total_before(table: Table, draw: Draw) -> str:
    doubled = draw.hand.doubled_at is not None and draw.seq > draw.hand.doubled_at
    aces = fixed_aces(table, draw.hand, table.book.reads("fixed_aces")) if doubled else 0
    return str(draw.before.total(aces))


def reported_misdealt(table: Table, box: int) -> bool:
    """Whether the table reported that cards went wrong: for a box, the dealer or none.

    For the dealer any box may be named where hands were reconstructed, or nothing more is said.
    """
    return any(
        event.code in MISDEALT
        and (event.box in (None, 0, box) or (box == 0 and event.code in ("other", "reconstructed")))
        for _, event in table.irregularities
    )


def offence(table: Table, draw: Draw) -> str | None:
    """The code of what speaks against a further card, None where nothing does."""
    hand, before = draw.hand, draw.before
    # Without them neither the one card to a split ace nor that of a double can be asked for.
    decisions = "decisions" in table.facts
    if decisions and hand.split_aces and len(before) >= 2:
        return "split.aces-extra-card"
    doubled = hand.doubled_at is not None and draw.seq > hand.doubled_at
    if decisions and doubled and (len(before) > hand.cards_at_double or won_before_double(hand)):
        return None
    aces = fixed_aces(table, hand, table.book.reads("fixed_aces")) if doubled else 0
    counted = before.total(aces)
    if counted.bust:
        return "draw.after-bust"
    if counted.points == 21 and len(before) >= 2 and before.legible and not _lacks_card(table, hand):
        return "draw.on-21"
    # Its second card is due to a box whatever was said before it (act-2018 6.2, nz-2000 8.2, rws-2017 3.6).
    if _ended_before(table, draw) and (len(before) >= 2 or hand.of_split):
        return "draw.after-stand"
    return None


def _lacks_card(table: Table, hand: Hand) -> bool:
    """A card of the hand is not in the log: what lies there may come to 21 and the hand to less or more."""
    return hand.lacks_split_card or lacks_initial_card(table, hand)


def _ended_before(table: Table, draw: Draw) -> bool:
    hand = draw.hand
    if after_stand(table, hand, draw.seq):
        return True
    bets = table.bets_on(hand)
    return bool(bets) and all(
        bet.surrendered_at is not None
        and bet.surrendered_at < draw.seq
        and not surrender_without_effect(table, bet)
        for bet in bets
    )


def check_left_below_12(table: Table, report: Report) -> None:
    """A hand left on less than 12, unless doubled, surrendered or refused an exposed card.

    One that lacks a card in the log may have had more.
    """
    if table.void:
        return
    for hand in table:
        if hand.doubled or hand.superfluous or hand.overdealt or hand.void_at is not None or not hand.cards:
            continue
        if len(hand.cards) < 2 and not hand.of_split:
            continue
        counted = hand.pile.total()
        if counted.points >= 12 or not hand.pile.legible or any(each.foreign for each in hand.faces):
            continue
        bets = table.bets_on(hand)
        if not bets or all(_out_of_play(table, bet) for bet in bets) or refused_card(table, hand):
            continue
        if may_have_refused(table, hand.box) or _lacks_card(table, hand):
            continue
        if _left(table, hand):
            report.find(
                "draw.below-12",
                seq=hand.stood_at if hand.stood_at is not None else hand.cards[-1].seq,
                hand=hand,
                expected="a card until the hand has 12 or more",
                recorded=f"left on {counted}",
            )


def _out_of_play(table: Table, bet: Bet) -> bool:
    """Not in play any more, or not yet: after the dealer's second card a main wager is late, and no more."""
    late = bet.kind == "main" and bet.seq > table.dealer_second_at
    return late or bet.surrendered_at is not None or voiding(table, bet) is not None


def _left(table: Table, hand: Hand) -> bool:
    """The table went on without the hand: it stood, another was dealt to, or it was settled."""
    if hand.stood_at is not None:
        return True
    last = hand.cards[-1].seq
    if table.dealer_second_at < NEVER and table.dealer_second_at > last:
        return True
    later = takewhile(lambda draw: draw.seq > last, reversed(table.draws))
    if any(comes_after(draw.hand, hand) for draw in later):
        return True
    return any(bet.settled_at < NEVER for bet in table.bets_on(hand))


def comes_after(other: Hand, hand: Hand) -> bool:
    """Whether a card to another hand shows that this one was left, and not only that its turn is to come."""
    if other.box == hand.box:
        return other is not hand and len(hand.cards) > 1
    return other.box > hand.box


def check_interim(table: Table, standings: dict[str, Standing], paid: Bonuses, report: Report) -> None:
    """Pontoon and 21 are settled before any further card is dealt.

    Some rulebooks have a hand that wins a Super Bonus, or may, stay on the table (act-2018 10.2(b),
    nz-2000 9.2).
    """
    if table.void:
        return
    may_stay = table.book.flag("interim.super_bonus_excepted")
    won = {table.bets[wager].hand for wager in paid.super_bonus}
    for bet in table.on_hands:
        at = standings[bet.id]
        if at.place not in ("pontoon", "twenty_one") or bet.settled_at == NEVER:
            continue
        wins = bet.base.hand in won or (bet.id in paid.unknown and suited_sevens(at.cards))
        if at.place == "pontoon" or not (may_stay and wins):
            _check_paid_at_once(table, bet, at, report)


def _check_paid_at_once(table: Table, bet: Bet, at: Standing, report: Report) -> None:
    """That a doubled 21 is paid at once is open in nz-2000 (9.2, 12.5), not for who did not double (12.6)."""
    doubled_rule = table.book.word("interim.doubled_21")
    doubled = bet.hand.doubled
    if doubled and doubled_rule == "exempt":
        return
    at_even_money = doubled and bool(table.doubled_portions(bet.base))
    reached = bet.base.hand.cards[len(at.cards) - 1].seq
    if table.initial_sequence:
        reached = max(reached, table.initial_sequence[-1][0])
    further = table.next_deal_after(max(reached, bet.seq))
    if further == NEVER or bet.settled_at < further:
        return
    report.find(
        "interim.pontoon-unpaid" if at.place == "pontoon" else "interim.twenty-one-unpaid",
        seq=further,
        bet=bet,
        severity="notice" if at_even_money and doubled_rule == "notice" else None,
        expected="settled before a further card was dealt",
        recorded=f"settled at event {bet.settled_at}, a card was dealt at event {further}",
    )
