"""Side wagers: pairs on the first two cards, and the Pandemonium jackpot."""

from __future__ import annotations

from rules_replay.cards import Card
from rules_replay.engine.payout import faces_text, odds_text, pair_row, win
from rules_replay.engine.pieces import NEVER, Bet, Hand
from rules_replay.engine.report import Report
from rules_replay.engine.table import Table, is_pontoon, taken_back_in_time
from rules_replay.engine.terms import Due, Family, indeterminate, void_due
from rules_replay.log import Press, amount_text
from rules_replay.results import Money


def family_of(bet: Bet) -> Family:
    """Which settle code a side wager falls under."""
    return "jackpot" if bet.kind == "pandemonium" else "pairs"


def on_offer(table: Table, bet: Bet) -> bool:
    """Whether the rulebook has the wager and the table offers it (act-2018 18.1)."""
    offered = _offered_kinds(table)
    if bet.kind not in offered or not table.book.flag("side.one_kind_a_table"):
        return bet.kind in offered
    # Of those taken back before the first card none was played.
    kinds = (each.kind for each in table.side_bets if not taken_back_in_time(table, each))
    return bet.kind == next((kind for kind in kinds if kind in offered), bet.kind)


def _offered_kinds(table: Table) -> set[str]:
    offers = table.round.offers
    return {kind for kind in table.book.side_kinds() if offers is None or kind in offers}


def has_main(table: Table, bet: Bet) -> bool:
    """Whether the main wager that a side wager needs lies on its box (act-2018 18.8, adelaide-2008 95)."""
    box = table.boxes.get(bet.box)
    needs = table.book.reads("side_bet_needs")
    if needs == "anyone":
        return box is not None and bool(box.mains)
    if needs == "anywhere":
        return any(bet.player in players for players in table.players.values())
    return bet.player in table.players.get(bet.box, ())


def initial_cards(table: Table, box: int, moment: int = NEVER) -> tuple[Card, ...]:
    """The first two cards dealt to a box before a moment, wherever a split has moved them since."""
    hands = table.boxes[box].hands if box in table.boxes else {}
    drawn = [each for hand in hands.values() for each in hand.cards if each.initial and each.seq < moment]
    if not drawn and 1 in hands and hands[1].superfluous:
        # A box with a side wager alone, where the rulebook does not void it (rws-2017 3.6 3.7).
        drawn = [each for each in hands[1].cards[:2] if each.seq < moment]
    return tuple(each.card for each in sorted(drawn, key=lambda each: each.seq))


def side_due(table: Table, bet: Bet) -> Due:
    """What a side wager is due."""
    void = side_void(table, bet)
    if void is not None:
        return void_due(table, bet, *void)
    cards = initial_cards(table, bet.box)
    family = family_of(bet)
    if not _known(cards) or _redealt(table, bet.box):
        clause = table.book.clause_of(f"settle.{family}")
        return indeterminate(bet, family, clause, "the first two cards of the box are not known")
    return _jackpot_due(table, bet, cards) if family == "jackpot" else _pairs_due(table, bet, cards)


def _known(cards: tuple[Card, ...]) -> bool:
    return len(cards) >= 2 and all(each.readable and not each.foreign for each in cards)


def _redealt(table: Table, box: int) -> bool:
    """Whether one of the first two cards came in place of one that the box was to have."""
    return any(hand.box == box and removal.drawn.initial for hand, removal in table.disturbed.items())


def side_void(table: Table, bet: Bet) -> tuple[str, str] | None:
    """Why a side wager is void and by which outcome; None where it is not (act-2018 18.20)."""
    if table.void:
        return "the round is void", "void_round"
    if bet.void_at is not None or bet.withdrawn_at is not None:
        return "the wager is void", "void_wager"
    if not on_offer(table, bet):
        return "the wager is not on offer", "void_wager"
    if not has_main(table, bet) and table.book.flag("side.void_without_main"):
        return "there is no main wager with it", "void_wager"
    # Incomplete, the initial deal ended with the first card or decision after it (adelaide-2008 47(d)).
    done_at = min(table.initial_done_at, table.initial_closed_at)
    hand = table.boxes[bet.box].hands.get(1) if bet.box in table.boxes else None
    if hand is not None and hand.void_at is not None and hand.void_at < done_at:
        return "the hand was voided before the initial deal was complete", "void_hand"
    needs = table.book.reads("side_bet_needs")
    player = bet.player if needs == "own" else None
    if needs != "anywhere" and table.off_the_box(bet.box, player, done_at):
        return "its main wager was void before the initial deal was complete", "void_wager"
    return None


def _pairs_due(table: Table, bet: Bet, cards: tuple[Card, ...]) -> Due:
    row = pair_row(table, bet.kind, cards)
    book = table.book
    if row is None:
        return _lost(table, bet, "pairs_lose", f"{faces_text(cards)} is no pair")
    paid = win(table, bet.effective, row.odds)
    clause = book.outcome_clause("pairs_win")
    if bet.kind == "perfect_pairs" and _rival_unknown(table, bet):
        why = "the first two cards of another box of the player are not known"
        return indeterminate(bet, "pairs", clause, why)
    if bet.kind == "perfect_pairs" and _higher_pair(table, bet, paid.paid or 0):
        return _outdone(table, bet)
    if paid.paid is None:
        return indeterminate(bet, "pairs", clause, paid.arithmetic)
    return Due(
        bet=bet,
        family="pairs",
        expected=Money(result="win", paid=paid.paid),
        odds=odds_text(row.odds),
        clause=clause,
        reason=f"{faces_text(cards)}, {row.name}: {paid.arithmetic}",
    )


def _rivals(table: Table, bet: Bet) -> list[tuple[Bet, tuple[Card, ...]]]:
    """The player's other Perfect Pairs wagers with the cards they rest on, void ones left out.

    Only where the highest payout is read as one for each player (act-2018 18.10).
    """
    if table.book.reads("pairs_payout") == "each_wager":
        return []
    return [
        (other, initial_cards(table, other.box))
        for other in table.side_bets
        if other is not bet
        and (other.kind, other.player) == (bet.kind, bet.player)
        and side_void(table, other) is None
    ]


def _rival_unknown(table: Table, bet: Bet) -> bool:
    """Whether the cards of another of the player's wagers, which may be paid instead, are not known."""
    return any(not _known(cards) or _redealt(table, other.box) for other, cards in _rivals(table, bet))


def _higher_pair(table: Table, bet: Bet, paid: int) -> bool:
    """Whether another wager of the player is paid instead of this one; of equal ones the first is paid."""
    for other, cards in _rivals(table, bet):
        row = pair_row(table, other.kind, cards)
        theirs = 0 if row is None else win(table, other.effective, row.odds).paid or 0
        if theirs > paid or (theirs == paid and other.seq < bet.seq):
            return True
    return False


def _outdone(table: Table, bet: Bet) -> Due:
    reading = table.book.reads("pairs_payout")
    returned = reading == "highest_returned"
    return Due(
        bet=bet,
        family="pairs",
        expected=Money(result="returned") if returned else Money(result="lose", taken=bet.effective),
        odds=None,
        clause=table.book.cite(table.book.readings["pairs_payout"].clause),
        reason="only the player's highest Perfect Pairs payout is paid"
        + (": this wager goes back" if returned else f": {amount_text(bet.effective)} is lost"),
        reading=f"pairs_payout={reading}",
    )


def _lost(table: Table, bet: Bet, outcome: str, why: str) -> Due:
    return Due(
        bet=bet,
        family=family_of(bet),
        expected=Money(result="lose", taken=bet.effective),
        odds=None,
        clause=table.book.outcome_clause(outcome),
        reason=f"{why}: {amount_text(bet.effective)} is lost",
    )


def presses_for(table: Table, bet: Bet) -> list[tuple[int, Press]]:
    """Presses of the jackpot button that speak for a wager (rws-2017 3.8.1).

    One for another wager speaks for all on its box, where there is none for this one.
    """
    spoken_for = [bet]
    if table.book.reads("jackpot_press") == "each_player":
        spoken_for = [each for each in table.side_bets if (each.kind, each.player) == (bet.kind, bet.player)]
    wagers, boxes = {each.id for each in spoken_for}, {each.box for each in spoken_for}
    at_the_boxes = [(seq, press) for seq, press in table.presses if press.box in boxes]
    own = [
        (seq, press)
        for seq, press in table.presses
        if press.wager in wagers or (press.wager is None and press.box in boxes)
    ]
    return own or at_the_boxes


def jackpot_won(table: Table, bet: Bet) -> bool:
    """A Pandemonium wager wins when its box receives a Pontoon."""
    cards = initial_cards(table, bet.box)
    return is_pontoon(Hand(box=bet.box, no=1), cards)


def _multipliers(table: Table, bet: Bet) -> set[int]:
    """The multipliers pressed for a wager.

    Where a player presses once for all his boxes, the box at which he first did so counts (rws-2017 3.8.1).
    """
    presses = [press for _, press in presses_for(table, bet)]
    once = table.book.reads("jackpot_press") == "each_player"
    return {press.multiplier for press in presses if not once or press.box == presses[0].box}


def _jackpot_due(table: Table, bet: Bet, cards: tuple[Card, ...]) -> Due:
    book = table.book
    clause = book.outcome_clause("jackpot_win")
    if not jackpot_won(table, bet):
        return _lost(table, bet, "jackpot_lose", f"{faces_text(cards)} is no Pontoon")
    shown = _multipliers(table, bet)
    if len(shown) != 1:
        why = "no multiplier was pressed" if not shown else "more than one multiplier was pressed"
        return indeterminate(bet, "jackpot", clause, why)
    multiplier = shown.pop()
    if multiplier not in book.multipliers():
        return indeterminate(bet, "jackpot", clause, f"the meter has no {multiplier}")
    in_all = book.reads("jackpot_pays") == "in_all"
    paid = bet.effective * (multiplier - in_all)
    return Due(
        bet=bet,
        family="jackpot",
        expected=Money(result="win", paid=paid),
        odds=f"{multiplier - in_all}:1",
        clause=clause,
        reason=f"Pontoon, multiplier {multiplier}: {amount_text(bet.effective)} pays {amount_text(paid)}",
    )


def check_side_bets(table: Table, incomplete: bool, report: Report) -> None:
    """Side wagers: on offer, with their main wager, not too many, settled in time, pressed once."""
    placed: dict[tuple[int, str], int] = {}
    most = table.book.whole("side.per_box")
    for bet in table.side_bets:
        if taken_back_in_time(table, bet):
            continue
        if not on_offer(table, bet):
            report.find(
                "side-bet.not-offered",
                seq=bet.seq,
                bet=bet,
                expected="a wager that the rulebook and the table offer",
                recorded=f"{bet.kind} of {amount_text(bet.placed.amount)}",
            )
            continue
        if not has_main(table, bet):
            report.find(
                "side-bet.without-main",
                seq=bet.seq,
                bet=bet,
                expected="a main wager on the box",
                recorded=f"{bet.kind} of {amount_text(bet.placed.amount)} alone",
            )
        placed[bet.box, bet.kind] = placed.get((bet.box, bet.kind), 0) + 1
        if most and placed[bet.box, bet.kind] > most:
            report.find(
                "side-bet.too-many",
                seq=bet.seq,
                bet=bet,
                expected=f"at most {most} on a box",
                recorded=f"number {placed[bet.box, bet.kind]}",
            )
        # A void one is neither paid nor removed.
        if side_void(table, bet) is not None or _had_no_moment(table, bet):
            continue
        # The deal to a box without a main wager may go on after that of the others is complete.
        if table.boxes[bet.box].mains:
            _check_moment(table, bet, report)
        if bet.kind == "pandemonium":
            _check_press(table, bet, incomplete, report)


def _had_no_moment(table: Table, bet: Bet) -> bool:
    """A wager that lacks its main wager where the rulebook does not say what becomes of it.

    Given back it was treated as void, and on a box that has no cards it neither wins nor loses. Those that do
    are paid and removed in time (adelaide-2008 98, rws-2017 3.7 3.8).
    """
    if has_main(table, bet):
        return False
    given_back = bool(bet.lines) and bet.lines[0][1].result in ("void", "returned")
    return given_back or not initial_cards(table, bet.box)


def _check_moment(table: Table, bet: Bet, report: Report) -> None:
    """Side wagers are settled before the round goes on (act-2018 18.11, rws-2017 3.7, adelaide-2008 98)."""
    if not table.initial_complete or not bet.lines:
        return
    first_settled = bet.lines[0][0]
    if first_settled < table.initial_done_at:
        report.find(
            "side-bet.settled-late",
            seq=first_settled,
            bet=bet,
            expected="settled once the initial deal is complete",
            recorded=f"its last card came at event {table.initial_done_at}",
        )
    further = table.next_deal_after(max(table.initial_done_at, bet.seq))
    if further < first_settled and further != NEVER:
        report.find(
            "side-bet.settled-late",
            seq=first_settled,
            bet=bet,
            expected="settled once the initial deal is complete, before a further card",
            recorded=f"a card was dealt first, at event {further}",
        )


def _check_press(table: Table, bet: Bet, incomplete: bool, report: Report) -> None:
    """The button is pressed once before play goes on; a log that breaks off first does not show it."""
    cards = initial_cards(table, bet.box)
    if len(cards) < 2 or not jackpot_won(table, bet):
        return
    presses = presses_for(table, bet)
    breaks_off = incomplete and not bet.lines and table.next_deal_after(table.initial_done_at) == NEVER
    if len(presses) != 1 and not (breaks_off and not presses):
        report.find(
            "jackpot.press",
            seq=presses[-1][0] if presses else bet.seq,
            bet=bet,
            expected="the button pressed once",
            recorded=f"pressed {len(presses)} times" if presses else "not pressed",
        )
    for seq, press in presses:
        if press.multiplier not in table.book.multipliers():
            report.find(
                "jackpot.multiplier",
                seq=seq,
                bet=bet,
                expected="one of " + ", ".join(str(each) for each in table.book.multipliers()),
                recorded=str(press.multiplier),
            )
            return
