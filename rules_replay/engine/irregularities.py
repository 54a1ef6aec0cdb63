"""What follows an irregularity that the table itself reported: the consequence the rulebook orders."""

from __future__ import annotations

from collections.abc import Iterator

from rules_replay.engine.dealer import DealerHand
from rules_replay.engine.dealing import out_of_order
from rules_replay.engine.pieces import NEVER, Hand
from rules_replay.engine.report import Report
from rules_replay.engine.table import Table
from rules_replay.log import Irregularity

MISDEALS = frozenset({"missed_first_card", "short_hand", "superfluous_hand"})
"""Reports of a card that went to the wrong place or to none."""


def check_consequences(table: Table, dealer: DealerHand, report: Report) -> None:
    """Each report against what was done after it."""
    for seq, event in table.irregularities:
        if event.code in MISDEALS:
            _check_put_right(table, seq, event, report)
        if event.code == "superfluous_hand":
            _check_burned(table, seq, event, report)
        elif event.code == "absent_player" and event.box:
            _check_absent(table, seq, event, report)
    if not table.void:
        _check_short_hands(table, dealer, report)


def _check_put_right(table: Table, seq: int, event: Irregularity, report: Report) -> None:
    """act-2018 15.4, nz-2000 16.5, rws-2017 5.1.2, adelaide-2008 105(a) 109."""
    book = table.book
    if seq > _ends_reconstruction(table):
        return
    voided = _hand_voided(table, event) and book.flag("irregularity.hand_may_be_void")
    withdrawn = any(bet.withdrawn_at is not None and bet.box == event.box for bet in table.bets.values())
    if table.void or voided or withdrawn or table.reported("reconstructed") < NEVER:
        return
    if _lies_as_due(table):
        return
    report.find(
        "irregularity.unresolved",
        seq=seq,
        box=event.box,
        expected="the hands reconstructed, or the round declared void",
        recorded="neither is recorded",
    )


def _lies_as_due(table: Table) -> bool:
    """Whether the initial deal came out complete and in order, with no card on a box due none."""
    superfluous = any(hand.superfluous and hand.cards for hand in table)
    return table.initial_complete and not superfluous and out_of_order(table) is None


def _ends_reconstruction(table: Table) -> int:
    """Until when a misdeal has to be undone; later, other rules say how the round goes on."""
    until = table.book.word("irregularity.put_right")
    if until == "initial_deal":
        return _initial_deal_ended(table)
    return _play_began(table) if until == "before_play" else NEVER


def _initial_deal_ended(table: Table) -> int:
    """Seq of the last card of the initial deal (adelaide-2008 105(b) takes over from 105(a))."""
    return max((seq for seq, _ in table.initial_sequence), default=NEVER)


def _play_began(table: Table) -> int:
    """The first decision, card or settlement after the initial deal (rws-2017 5.1.2)."""
    settled = [seq for bet in table.bets.values() for seq, _ in bet.lines]
    decided = [act.seq for acts in (table.stands, table.surrenders) for act in acts]
    return min([table.subsequent_at, table.dealer_second_at, *settled, *decided])


def _hand_voided(table: Table, event: Irregularity) -> bool:
    return any(_is_void(table, hand) for hand in table if event.box in (None, 0, hand.box))


def _is_void(table: Table, hand: Hand) -> bool:
    """A hand declared void, or each of the wagers on it: they go with it (nz-2000 16.5)."""
    bets = table.bets_on(hand)
    return hand.void_at is not None or (bool(bets) and all(bet.void_at is not None for bet in bets))


def _check_burned(table: Table, seq: int, event: Irregularity, report: Report) -> None:
    """adelaide-2008 109: once the initial deal is over, the cards of the hand are burned."""
    if seq < _initial_deal_ended(table):
        return
    for hand in table:
        if hand.superfluous and hand.cards and event.box in (None, hand.box):
            report.find(
                "irregularity.superfluous-unburned",
                seq=seq,
                hand=hand,
                expected="the cards of the superfluous hand burned",
                recorded=f"{len(hand.cards)} left on it",
            )


def _check_absent(table: Table, seq: int, event: Irregularity, report: Report) -> None:
    """act-2018 15.7, nz-2000 16.6, adelaide-2008 50(a)(i).

    Another player on the box may have taken the decisions over: then it is a notice.
    """
    done = min(_done_for_absent(table, seq, event), default=None)
    if done is None or event.box is None:
        return
    players = {bet.player for bet in table.boxes[event.box].mains}
    report.find(
        "irregularity.absent-player",
        seq=done[0],
        box=event.box,
        severity="notice" if len(players) > 1 else None,
        expected="cards until the hand has 12 or more, and no option",
        recorded=done[1],
    )


def _done_for_absent(table: Table, seq: int, event: Irregularity) -> Iterator[tuple[int, str]]:
    def is_his(hand: Hand, at: int) -> bool:
        return at > seq and hand.box == event.box and event.hand in (None, hand.no)

    for draw in table.draws:
        counted = draw.before.total()
        if is_his(draw.hand, draw.seq) and draw.before.legible and 12 <= counted.points < 21:
            yield draw.seq, f"a card on {counted}"
    options = (("split", table.splits), ("double", table.doubles), ("surrender", table.surrenders))
    for name, acts in options:
        yield from ((act.seq, f"a {name}") for act in acts if is_his(act.hand, act.seq))
    for bet in table.insurance_bets:
        if is_his(bet.hand, bet.seq) and bet.on is not None and bet.player == bet.on.player:
            yield bet.seq, "insurance"


def _check_short_hands(table: Table, dealer: DealerHand, report: Report) -> None:
    """adelaide-2008 106: short hands found after the dealer's second card are finished last, in order."""
    reported: dict[int | None, int] = {}
    for seq, event in table.irregularities:
        if event.code == "short_hand":
            reported.setdefault(event.box or None, seq)
    if not reported:
        return
    last_box = 0
    seen: set[int] = set()
    for draw in table.draws:
        if draw.seq < table.dealer_second_at:
            continue
        box = draw.hand.box
        # A report that names no box is about the hands which then have too few cards.
        of_table = reported.get(None, NEVER) if draw.before.total().points < 12 else NEVER
        if draw.seq < min(reported.get(box, NEVER), of_table) or box in seen:
            continue
        fault = _short_hand_fault(table, dealer, draw.seq, box < last_box)
        last_box = box
        if fault:
            seen.add(box)
            report.find(
                "irregularity.short-hand",
                seq=draw.seq,
                hand=draw.hand,
                expected="a card only once the dealer stands, and in turn",
                recorded=fault,
            )


def _short_hand_fault(table: Table, dealer: DealerHand, seq: int, out_of_turn: bool) -> str:
    if dealer.cards and table.dealer.cards[len(dealer.cards) - 1].seq > seq:
        return "a card before the dealer's hand was finished"
    if dealer.bust or dealer.pontoon:
        return f"a card though the dealer {'went over 21' if dealer.bust else 'made Pontoon'}"
    return "a card after one to a later box" if out_of_turn else ""
