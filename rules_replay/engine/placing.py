"""Wagers as placed: in time, within the sign, not too many; insurance among them."""

from __future__ import annotations

from rules_replay.engine.dealers_cards import late_first_card
from rules_replay.engine.dealing import comes_after
from rules_replay.engine.payout import limit_of, pair_row
from rules_replay.engine.pieces import NEVER, Bet, Box, Hand
from rules_replay.engine.report import Report
from rules_replay.engine.short_hands import refused_card, was_complete
from rules_replay.engine.sides import initial_cards
from rules_replay.engine.table import Table, is_pontoon, taken_back_in_time
from rules_replay.engine.windows import (
    first_card_not_shown,
    first_decision_at,
    first_touch,
    next_boxes_turn,
    reopened_until,
)
from rules_replay.log import SIDE_KINDS, Limits, amount_text


def check_wagers(table: Table, report: Report) -> None:
    """Main and side wagers against the moment and the sign."""
    limits = table.round.limits or Limits()
    for bet in table.bets.values():
        if taken_back_in_time(table, bet):
            continue
        if bet.kind == "main" or bet.kind in SIDE_KINDS:
            _check_in_time(table, bet, report)
            _check_limits(table, bet, limits, report)
        elif bet.kind in ("double", "split") and not bet.misplaced:
            _check_option_in_time(table, bet, report)
    for box in table.boxes.values():
        _check_players(table, box, report)
        _check_box_total(table, box, limits, report)
        _check_second_main(table, box, report)


def _in_round(table: Table, box: Box) -> list[Bet]:
    """The main wagers of a box without those taken back before the first card."""
    return [bet for bet in box.mains if not taken_back_in_time(table, bet)]


def _check_in_time(table: Table, bet: Bet, report: Report) -> None:
    """A wager after the first card is late; between the call and the card it is a notice."""
    if bet.seq > table.first_card_at:
        report.find(
            "wager.late",
            seq=bet.seq,
            bet=bet,
            expected="placed before the first card",
            recorded=f"placed after it, at event {bet.seq}",
        )
    elif bet.seq > table.no_more_bets_at:
        report.find(
            "wager.late",
            seq=bet.seq,
            bet=bet,
            severity="notice",
            expected="placed before the call of no more bets",
            recorded="placed after the call and before the first card",
        )


def _check_option_in_time(table: Table, bet: Bet, report: Report) -> None:
    """What is placed to double or split comes with the option: it pays for the card that follows.

    act-2018 def:Double 4.3, nz-2000 12.3 13.2, rws-2017 3.13 3.14, adelaide-2008 62(a) 65. Nor is an option
    open any more once the dealer has drawn to his hand (act-2018 13.1(a), nz-2000 8.5, rws-2017 3.18,
    adelaide-2008 52).
    """
    taken_at = bet.hand.doubled_at
    if bet.kind == "split":
        taken_at = table.formed[bet.hand].seq if bet.hand in table.formed else None
    further = bet.seq if taken_at is None else table.next_kept_deal_after(taken_at)
    if further <= bet.seq:
        report.find(
            f"{bet.kind}.late",
            seq=bet.seq,
            bet=bet,
            expected=f"placed with the {bet.kind}, before a further card was dealt",
            recorded="no hand was split" if taken_at is None else f"placed after the card at event {further}",
        )
    elif (played_at := _dealer_played_at(table)) < bet.seq:
        report.find(
            f"{bet.kind}.late",
            seq=bet.seq,
            bet=bet,
            expected="placed before the dealer drew to his hand",
            recorded=f"placed after the dealer's third card at event {played_at}",
        )
    elif bet.kind == "split" and not _was_in_play(table, bet):
        report.find(
            "split.late",
            seq=bet.seq,
            bet=bet,
            expected="a wager of the same player in play when the hand was split",
            recorded="settled before",
        )


def _dealer_played_at(table: Table) -> int:
    """When the dealer had his third card. A second one alone may have come early (ruling 12)."""
    return table.dealer.cards[2].seq if len(table.dealer.cards) > 2 else NEVER


def _was_in_play(table: Table, bet: Bet) -> bool:
    """Whether a wager that a split wager belongs to was still in play on the box when the hand was split.

    act-2018 def:Split 11.2, nz-2000 15.3(d), rws-2017 3.13, adelaide-2008 81. When it was settled is known
    only where the order of settlements is recorded.
    """
    placed_on = table.ridden(bet, bet.seq)
    if placed_on not in table.formed:
        return True
    in_order = "settle_order" in table.facts
    return any(
        each.seq < table.formed[placed_on].seq < (each.settled_at if in_order else NEVER)
        for each in table.group(bet.root)
        if each is not bet and each.kind in ("main", "split")
    )


def _check_limits(table: Table, bet: Bet, limits: Limits, report: Report) -> None:
    side = bet.kind in SIDE_KINDS
    least = limits.side_min if side else limits.min
    most = limits.side_max if side else limit_of(table, bet)
    amount = bet.placed.amount
    if least is not None and amount < least:
        report.find(
            "wager.below-min",
            seq=bet.seq,
            bet=bet,
            expected=f"at least {amount_text(least)}",
            recorded=amount_text(amount),
        )
    if most is not None and amount > most:
        report.find(
            "wager.above-max",
            seq=bet.seq,
            bet=bet,
            expected=f"at most {amount_text(most)}",
            recorded=amount_text(amount),
        )
    if not side and limits.multiples and amount % limits.multiples:
        report.find(
            "wager.multiples",
            seq=bet.seq,
            bet=bet,
            expected=f"a multiple of {amount_text(limits.multiples)}",
            recorded=amount_text(amount),
        )


def _check_players(table: Table, box: Box, report: Report) -> None:
    most = table.book.whole("wager.players_per_box")
    mains = _in_round(table, box)
    players = list(dict.fromkeys(bet.player for bet in mains))
    if most and len(players) > most:
        extra = next(bet for bet in mains if bet.player == players[most])
        report.find(
            "wager.players-per-box",
            seq=extra.seq,
            bet=extra,
            expected=f"at most {most} players on a box",
            recorded=f"{len(players)} players",
        )


def _check_box_total(table: Table, box: Box, limits: Limits, report: Report) -> None:
    if limits.box_max is None:
        return
    leave_out = table.book.flag("wager.box_maximum_leaves_out_personal_limits")
    mains = _in_round(table, box)
    counted = [bet for bet in mains if not (leave_out and bet.placed.limit is not None)]
    placed = sum(bet.placed.amount for bet in counted)
    if placed > limits.box_max:
        report.find(
            "wager.box-total",
            seq=counted[-1].seq,
            bet=counted[-1],
            expected=f"at most {amount_text(limits.box_max)} on the box",
            recorded=f"{amount_text(placed)} on the box",
        )


def check_box_numbers(table: Table, report: Report) -> None:
    """A table has so many boxes (nz-2000 3.1, adelaide-2008 3): the first event at a further one."""
    most = table.book.whole("wager.boxes")
    if not most:
        return
    for seq, event in enumerate(table.round.events):
        box = getattr(event, "box", None)
        if box is not None and box > most:
            report.find(
                "deal.box-range",
                seq=seq,
                box=box,
                expected=f"at most {most} boxes",
                recorded=f"box {box}",
            )
            return


def _check_second_main(table: Table, box: Box, report: Report) -> None:
    """One player, one main wager a box, where the rulebook says so (adelaide-2008 12)."""
    if not table.book.flag("wager.one_main_per_player"):
        return
    seen: set[str] = set()
    for bet in _in_round(table, box):
        if bet.player in seen:
            report.find(
                "wager.second-main",
                seq=bet.seq,
                bet=bet,
                expected="one main wager a player on a box",
                recorded="a further one",
            )
        seen.add(bet.player)


def check_withdrawals(table: Table, report: Report) -> None:
    """A wager taken back though nothing in the log lets the player is worth a look.

    After the dealer's second card, or once its cards have decided it, it is one that its player saw lost or
    may have; over 21 it is lost whatever was reported (act-2018 4.3, nz-2000 5.5(b) 5.6 5.7, rws-2017 5.2,
    adelaide-2008 16).
    """
    for bet in table.bets.values():
        if bet.withdrawn_at is None:
            continue
        bust = _was_bust(bet, bet.withdrawn_at)
        if not bust and may_be_taken_back(table, bet, bet.withdrawn_at):
            continue
        earlier = any(seq < bet.withdrawn_at for seq, _ in table.irregularities)
        known = bust or bet.withdrawn_at > table.dealer_second_at or _was_lost(table, bet, bet.withdrawn_at)
        report.find(
            "wager.withdrawn",
            seq=bet.withdrawn_at,
            bet=bet,
            severity=None if known else "notice",
            expected="an irregularity that lets the player take the wager back",
            recorded="none of those reported does" if earlier else "none reported",
        )


def _was_bust(bet: Bet, moment: int) -> bool:
    """Whether the cards of a wager's hand were over 21 by a moment, however its aces count."""
    if bet.kind not in ("main", "split", "double"):
        return False
    return sum(drawn.card.value for drawn in bet.base.hand.cards if drawn.seq < moment) > 21


def _was_lost(table: Table, bet: Bet, moment: int) -> bool:
    """Whether the first two cards of its box had lost a side wager by a moment, or a double had had its card.

    A doubled portion goes back by a forfeit alone then (act-2018 12.6, nz-2000 5.6 12.8).
    """
    if bet.kind == "double":
        hand = bet.base.hand
        its_card = hand.cards[hand.cards_at_double :] if hand.doubled else []
        return bool(its_card) and its_card[0].seq < moment and bet.base.forfeited_at is None
    if bet.kind not in table.book.side_kinds():
        return False
    cards = initial_cards(table, bet.box, moment)
    if len(cards) < 2 or any(not each.readable or each.foreign for each in cards):
        return False
    if bet.kind == "pandemonium":
        return not is_pontoon(table.boxes[bet.box].hands[1], cards)
    return pair_row(table, bet.kind, (cards[0], cards[1])) is None


def may_be_taken_back(table: Table, bet: Bet, moment: int) -> bool:
    """Whether an irregularity lets the player take a wager back: reported before, or seen in the cards."""
    return reported_to_let_go(table, bet, moment) or _left_short(table, bet.base.hand, moment)


def reported_to_let_go(table: Table, bet: Bet, moment: int) -> bool:
    """Whether a report before a moment, for a wager's box, the dealer's or none, may let it be taken back.

    What is reported as ``other`` may be anything. Where the dealer missed his first card, players may leave
    when he has it, or play on to the end (adelaide-2008 105(d)(ii)).
    """
    codes = {"other", *table.book.wager_back_after()} if table.irregularities else set()
    if late_first_card(table) and moment > table.dealer_second_at:
        codes.discard("missed_first_card")
    if _had_its_cards(table, bet, moment):
        codes.discard("short_hand")
    return any(
        seq < moment and event.box in (None, 0, bet.box) and event.code in codes
        for seq, event in table.irregularities
    )


def _had_its_cards(table: Table, bet: Bet, moment: int) -> bool:
    """Whether the hand of a wager was not short by a moment, or its player had drawn to it since the report.

    He may draw or withdraw, not both (adelaide-2008 105(b) 105(c) 106(b)).
    """
    if bet.kind not in ("main", "split", "double") or not table.book.flag("draw.short_hand_options"):
        return False
    hand = bet.base.hand
    surrendered = bet.base.surrendered_at is not None and bet.base.surrendered_at < moment
    reported = table.reported("short_hand", hand.box)
    drawn = any(reported < each.seq < moment for each in hand.cards)
    return surrendered or drawn or was_complete(hand, moment)


def _left_short(table: Table, hand: Hand, moment: int) -> bool:
    """Whether a hand was left with too few cards by a moment, where its players may then withdraw.

    adelaide-2008 105(b), 105(c), 106(b), 107, 108. Who refused a card is not short of it (103).
    """
    if not table.book.flag("draw.short_hand_options"):
        return False
    if hand.lacks_initial_card and table.initial_sequence and table.initial_sequence[-1][0] < moment:
        return True
    if hand.doubled or not hand.cards or not hand.pile.legible or hand.pile.total().points >= 12:
        return False
    return not refused_card(table, hand) and _passed(table, hand, moment)


def _passed(table: Table, hand: Hand, moment: int) -> bool:
    """Whether a hand had stood by a moment, or the deal had come to a later one or to the dealer."""
    last = hand.cards[-1].seq
    if hand.stood_at is not None and hand.stood_at < moment:
        return True
    moves = [(act.seq, act.hand) for acts in (table.draws, table.stands) for act in acts]
    later = any(last < seq < moment and comes_after(other, hand) for seq, other in moves)
    return later or last < table.dealer_second_at < moment


def check_insurance(table: Table, report: Report) -> None:
    """Insurance: open, by whom, how much."""
    for bet in table.insurance_bets:
        _check_insurance_open(table, bet, report)
        _check_insurance_owner(table, bet, report)
        _check_insurance_step(table, bet, report)
    _check_insurance_half(table, report)


def _shown_instead_of_ace(table: Table, bet: Bet) -> str:
    """What the dealer showed when insurance was placed; empty where it was an ace, or may have been one."""
    upcard = table.upcard
    if upcard is None or bet.seq < table.dealer.cards[0].seq:
        return "" if first_card_not_shown(table) else "no first card yet"
    return f"the dealer shows {upcard}" if upcard.readable and upcard.rank != "A" else ""


def _insurance_closed_at(table: Table, box: int) -> int:
    reading = table.book.reads("insurance_window")
    if reading == "own_turn":
        return min(first_touch(table, box), next_boxes_turn(table, box))
    return first_decision_at(table) if reading == "before_any_decision" else table.first_further_at


def _check_insurance_open(table: Table, bet: Bet, report: Report) -> None:
    shown = _shown_instead_of_ace(table, bet)
    if shown:
        report.find(
            "insurance.no-ace",
            seq=bet.seq,
            bet=bet,
            expected="an ace as the dealer's first card",
            recorded=shown,
        )
        return
    if late_first_card(table):
        report.find(
            "insurance.late",
            seq=bet.seq,
            bet=bet,
            expected="no insurance after the dealer's first card was missed and came late",
            recorded=f"{amount_text(bet.placed.amount)} placed",
            clause=table.book.term_clause("irregularity.late_first_card_no_pontoon"),
        )
        return
    reopened = reopened_until(table, bet.box, bet.seq)
    closed_at = min(_insurance_closed_at(table, bet.box), table.dealer_played_on_at)
    if bet.seq > closed_at and not bet.seq < reopened:
        report.find(
            "insurance.late",
            seq=bet.seq,
            bet=bet,
            expected="placed before the subsequent deal",
            recorded=f"placed after a card, a stand or an option at event {closed_at}",
        )


def _pontoon_bars(table: Table, bet: Bet, insured: Bet) -> bool:
    """Whether a Pontoon bars an insurance wager: that of the hand insured, or any of the player's."""
    reading = table.book.reads("pontoon_bars_insurance")
    boxes = {insured.box}
    if reading == "player":
        boxes |= {box for box, players in table.players.items() if bet.player in players}
    if reading == "nobody" or (reading == "owner" and bet.player != insured.player):
        return False
    return any(
        is_pontoon(Hand(box=box, no=1), initial_cards(table, box)) and not _came_later(table, box, bet)
        for box in boxes
    )


def _came_later(table: Table, box: int, bet: Bet) -> bool:
    """Whether the Pontoon of a box was complete only after a wager was placed, if moments are recorded."""
    dealt = [each.seq for hand in table.boxes[box].hands.values() for each in hand.cards if each.initial]
    return "decisions" in table.facts and max(dealt, default=-1) > bet.seq


def _check_insurance_owner(table: Table, bet: Bet, report: Report) -> None:
    insured = bet.on
    if insured is None:
        return
    # A Pontoon bars from insuring against an ace (act-2018 7.1, nz-2000 10.2, adelaide-2008 59).
    without_ace = "decisions" in table.facts and _shown_instead_of_ace(table, bet)
    if not without_ace and _pontoon_bars(table, bet, insured):
        barred = table.book.word("insurance.pontoon_holder") == "barred"
        report.find(
            "insurance.pontoon-holder",
            seq=bet.seq,
            bet=bet,
            severity="breach" if barred else "notice",
            expected="no insurance on a Pontoon",
            recorded=f"{amount_text(bet.placed.amount)} placed",
        )
    others = bet.player != insured.player
    # Who insures another's wager has one of his own in the round (act-2018 7.2).
    if others and not (third_party_allowed(table, insured) and bet.player in table.playing):
        report.find(
            "insurance.third-party",
            seq=bet.seq,
            bet=bet,
            expected="insurance by the owner, or by others where the rulebook lets them and he declines",
            recorded=f"{bet.player} insures the wager of {insured.player}",
        )


def third_party_allowed(table: Table, insured: Bet) -> bool:
    """Others may insure a wager whose owner placed no insurance at all (act-2018 7.2)."""
    if table.book.word("insurance.third_party") == "barred":
        return False
    return insured not in table.insured_by_owner


def _check_insurance_step(table: Table, bet: Bet, report: Report) -> None:
    limits = table.round.limits
    chip = limits.smallest_chip if limits is not None else None
    rule = table.book.word("insurance.increment")
    if rule == "none" or not chip or (2 * bet.placed.amount) % chip == 0:
        return
    expected = f"a multiple of half of {amount_text(chip)}"
    if rule == "payable":
        expected = f"an amount whose double the chip of {amount_text(chip)} can pay"
    report.find(
        "insurance.increment",
        seq=bet.seq,
        bet=bet,
        expected=expected,
        recorded=amount_text(bet.placed.amount),
    )


def _check_insurance_half(table: Table, report: Report) -> None:
    """All insurance on one wager together is at most half of its stake (cut to the maximum).

    Under one reading a player's own insurance is measured against all his original wagers. What was
    declared void or taken back leaves room for more.
    """
    placed: dict[str, int] = {}
    by_total = table.book.reads("insurance_cap") == "total"
    for bet in table.insurance_bets:
        if bet.on is None:
            continue
        insured = bet.on.root
        own = bet.player == insured.player
        if not own and not third_party_allowed(table, insured):
            continue
        together, base = insured.id, insured.effective
        if own and by_total:
            together, base = f"all of {bet.player}", _originals(table, bet.player)
        with_it = placed.get(together, 0) + bet.placed.amount
        if bet.void_at is None and bet.withdrawn_at is None:
            placed[together] = with_it
        if 2 * with_it > base:
            report.find(
                "insurance.over-half",
                seq=bet.seq,
                bet=bet,
                expected=f"at most half of {amount_text(base)}",
                recorded=amount_text(with_it),
            )


def _originals(table: Table, player: str) -> int:
    """The main wagers of a player on all boxes, each cut to the maximum."""
    return sum(main.effective for box in table.boxes.values() for main in box.mains if main.player == player)
