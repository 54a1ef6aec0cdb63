"""What every wager is due: result, payment, collection, with the clause and the arithmetic."""

from __future__ import annotations

from msgspec.structs import replace

from rules_replay.cards import total
from rules_replay.engine.dealer import DealerHand, insurance_fell, insurance_void
from rules_replay.engine.dealers_cards import late_first_card
from rules_replay.engine.payout import Row, Win, faces_text, odds_text, payout_row, win
from rules_replay.engine.pieces import NEVER, Bet
from rules_replay.engine.short_hands import may_have_refused
from rules_replay.engine.sides import side_due
from rules_replay.engine.standing import Standing, beaten_by_pontoon_alone
from rules_replay.engine.table import Table
from rules_replay.engine.terms import Due, Family, indeterminate, void_due
from rules_replay.engine.voiding import voiding
from rules_replay.log import SIDE_KINDS, amount_text
from rules_replay.results import Money


def stake_dues(table: Table, standings: dict[str, Standing], dealer: DealerHand) -> dict[str, Due]:
    """What the stake line of every wager is due, by wager id in the order of the log."""
    dues: dict[str, Due] = {}
    for bet in table.bets.values():
        if bet.kind in SIDE_KINDS:
            dues[bet.id] = side_due(table, bet)
        elif bet.kind == "insurance":
            dues[bet.id] = _insurance_due(table, bet, standings, dealer)
        else:
            dues[bet.id] = _hand_due(table, bet, standings[bet.id], dealer)
    if dealer.pontoon and not dealer.unknown:
        for box in table.boxes.values():
            for root in box.mains:
                _settle_against_pontoon(table, root, standings, dues)
    if table.book.reads("split_bust_takes") == "box":
        _take_boxes_of_bust_hands(table, standings, dues)
    return dues


def _take_boxes_of_bust_hands(table: Table, standings: dict[str, Standing], dues: dict[str, Due]) -> None:
    """One reading of nz-2000 14.2: a split hand over 21 takes every live wager on its box with it."""
    bust = {table.bets[wager].box for wager, at in standings.items() if at.place == "bust"}
    for wager, at in standings.items():
        bet = table.bets[wager]
        if at.place == "live" and bet.box in bust:
            dues[wager] = replace(
                _lost(table, bet, dues[wager].family, at, "lose_bust", "another hand of the box is over 21"),
                reading="split_bust_takes=box",
            )


def _family(table: Table, bet: Bet, at: Standing) -> Family:
    if at.place == "void":
        return "void"
    if at.place == "surrendered":
        return "surrender"
    if at.place == "forfeited":
        return "forfeit"
    return "double" if bet.base.hand.doubled else "hand"


def _hand_due(table: Table, bet: Bet, at: Standing, dealer: DealerHand) -> Due:
    """A main, split or doubled bet, a dealer's Pontoon against a live hand left aside."""
    family = _family(table, bet, at)
    book = table.book
    if at.place == "unknown":
        return indeterminate(bet, family, book.clause_of("settle.outcome"), at.reason)
    if at.place == "void":
        return void_due(table, bet, at.reason, at.outcome)
    if at.place == "forfeited":
        return _forfeit_due(table, bet)
    if at.place == "surrendered":
        return _surrender_due(table, bet, dealer)
    if at.place == "bust":
        if _equal_bust(table, at, dealer):
            return _stand_off(table, bet, family, at, dealer)
        return _lost(table, bet, family, at, "lose_bust", f"{_hand_text(at)} is over 21")
    if at.place == "pontoon":
        return _won(table, bet, family, at, "win_pontoon", "Pontoon wins at once")
    if at.place == "twenty_one" and _falls_to_pontoon(table, bet, dealer):
        why = f"{_hand_text(at)}, paid at once, and then the dealer made Pontoon"
        return _lost(table, bet, family, at, "lose_dealer_pontoon", why)
    if at.place == "twenty_one":
        return _won(table, bet, family, at, "win_21", "21 wins at once")
    if at.place == "short":
        return _short_hand_due(table, bet, at, dealer)
    if beaten_by_pontoon_alone(table, at) and dealer_made_pontoon(table, dealer) is False:
        return _won(table, bet, family, at, "win_21", "21 wins: the dealer has no Pontoon")
    if dealer.unknown:
        return indeterminate(bet, family, book.clause_of("settle.outcome"), dealer.unknown)
    return _against_dealer(table, bet, family, at, dealer)


def _equal_bust(table: Table, at: Standing, dealer: DealerHand) -> bool:
    """Under one reading of nz-2000 5.1(e) and adelaide-2008 11 equal totals over 21 stand off.

    The dealer draws no card for it: what is over 21 is collected at once where he need not draw.
    """
    equal = not dealer.unknown and dealer.bust and dealer.total.points == at.total.points
    return equal and table.book.reads("bust_on_dealers_total") == "stand_off"


def _falls_to_pontoon(table: Table, bet: Bet, dealer: DealerHand) -> bool:
    """Under one reading of act-2018 14.1(g) an undoubled 21 that was paid loses in the end."""
    reading = table.book.reads("twenty_one_paid")
    made = dealer.pontoon and not dealer.unknown
    return reading == "falls_to_pontoon" and not bet.base.hand.doubled and made


def _forfeit_due(table: Table, bet: Bet) -> Due:
    clause = table.book.outcome_clause("forfeit")
    if bet.kind == "double":
        money, reason = Money(result="returned"), "forfeited: the doubled portion is withdrawn"
    else:
        money = Money(result="forfeit", taken=bet.effective)
        reason = f"forfeited after doubling: {amount_text(bet.effective)} is lost"
    return Due(bet=bet, family="forfeit", expected=money, odds=None, clause=clause, reason=reason)


def _surrender_due(table: Table, bet: Bet, dealer: DealerHand) -> Due:
    """Half, or the whole stake where the dealer makes Pontoon (act-2018 9.3 9.4)."""
    book = table.book
    pontoon = dealer_made_pontoon(table, dealer)
    if bet.kind == "double":
        return indeterminate(
            bet, "surrender", book.clause_of("settle.surrender"), "a surrendered hand was doubled"
        )
    if pontoon is None and not _no_second_card_due(table, dealer):
        return indeterminate(bet, "surrender", book.clause_of("settle.surrender"), dealer.unknown)
    if pontoon:
        return Due(
            bet=bet,
            family="surrender",
            expected=Money(result="lose", taken=bet.effective),
            odds=None,
            clause=book.outcome_clause("surrender_annulled"),
            reason=f"the dealer's Pontoon annuls the surrender: {amount_text(bet.effective)} is lost",
        )
    half, arithmetic = _half_taken(table, bet.effective)
    if half is None:
        return indeterminate(bet, "surrender", book.clause_of("settle.surrender"), arithmetic)
    return Due(
        bet=bet,
        family="surrender",
        expected=Money(result="surrender", taken=half),
        odds=None,
        clause=book.outcome_clause("surrender_half"),
        reason=f"surrendered: {arithmetic}",
    )


def _half_taken(table: Table, stake: int) -> tuple[int | None, str]:
    """Half of a surrendered stake; exact but for the readings that round what goes back to a chip."""
    if stake % 2:
        return None, f"half of {amount_text(stake)} is no whole thousandth"
    half = stake // 2
    limits = table.round.limits
    chip = limits.smallest_chip if limits is not None else None
    reading = table.book.reads("amounts")
    if reading in ("chip_down", "chip_up") and chip and half % chip:
        back = half - half % chip + (chip if reading == "chip_up" else 0)
        return stake - back, f"half of {amount_text(stake)}, {amount_text(back)} in chips goes back"
    return half, f"half of {amount_text(stake)} is {amount_text(half)}"


def _no_second_card_due(table: Table, dealer: DealerHand) -> bool:
    """Under one reading of act-2018 13.1(b) and adelaide-2008 76 no card is drawn for surrenders alone."""
    spared = table.book.reads("second_card_for_surrender") == "not_drawn"
    return spared and dealer.finished and len(table.dealer.cards) == 1


def dealer_made_pontoon(table: Table, dealer: DealerHand) -> bool | None:
    """Whether the dealer's first two cards are Pontoon; None where the log cannot show it."""
    cards = table.dealer.faces
    upcard = table.upcard
    if upcard is None or late_first_card(table):
        return None if upcard is None else False
    if not upcard.may_begin_pontoon and not upcard.foreign:
        return False
    if len(cards) < 2 or any(not each.readable or each.foreign for each in cards[:2]):
        return None
    if dealer.unknown and all(each.readable and not each.foreign for each in cards):
        return None
    return {cards[0].rank == "A", cards[1].rank == "A"} == {True, False} and any(
        each.picture for each in cards[:2]
    )


def _lost(table: Table, bet: Bet, family: Family, at: Standing, outcome: str, why: str) -> Due:
    return Due(
        bet=bet,
        family=family,
        expected=Money(result="lose", taken=bet.effective),
        odds=None,
        clause=table.book.outcome_clause(outcome),
        reason=f"{why}: {amount_text(bet.effective)} is lost",
        basis=at.basis,
    )


def winning_row(table: Table, bet: Bet, at: Standing) -> tuple[Row, str | None]:
    """The payout row of a winning bet, and the reading it rests on."""
    book = table.book
    base = bet.base
    if base.hand.doubled:
        even = _even(table, "doubled_odds", "doubled hand")
        if bet.kind == "double" or table.double_of(base) is not None:
            if base.hand.of_split and book.reads("doubled_split_odds") == "table":
                return payout_row(table, at.cards, at.total, pontoon=False), "doubled_split_odds=table"
            return even, None
        if book.reads("co_wagerer_not_doubling_odds") == "even":
            return _even(table, "co_wagerer_odds", "hand doubled by the box"), None
    elif book.reads("double_cuts_box_odds") == "box" and _box_doubled(table, bet.box):
        return _even(table, "doubled_odds", "doubled hand"), "double_cuts_box_odds=box"
    elif base.hand.of_split and book.reads("split_odds") == "even":
        return _even(table, "payout_other", "split hand"), "split_odds=even"
    return payout_row(table, at.cards, at.total, pontoon=at.place == "pontoon"), None


def _even(table: Table, outcome: str, name: str) -> Row:
    return Row(odds=table.book.odds("payout.doubled"), outcome=outcome, name=name)


def _box_doubled(table: Table, box: int) -> bool:
    return any(hand.doubled for hand in table.boxes[box].hands.values())


def _won(table: Table, bet: Bet, family: Family, at: Standing, outcome: str, why: str) -> Due:
    row, reading = winning_row(table, bet, at)
    paid = win(table, bet.effective, row.odds)
    clause = table.book.outcome_clause(outcome, row.outcome)
    return _win_due(bet, family, paid, row, clause, f"{why} ({_hand_text(at)}), {row.name}", at, reading)


def _win_due(
    bet: Bet, family: Family, paid: Win, row: Row, clause: str, why: str, at: Standing, reading: str | None
) -> Due:
    if paid.paid is None:
        return indeterminate(bet, family, clause, f"{why}: {paid.arithmetic}")
    return Due(
        bet=bet,
        family=family,
        expected=Money(result="win", paid=paid.paid),
        odds=odds_text(row.odds),
        clause=clause,
        reason=f"{why}: {paid.arithmetic}",
        basis=at.basis,
        reading=reading,
    )


def _hand_text(at: Standing) -> str:
    return f"{faces_text(at.cards)}, {at.total}"


def _against_dealer(table: Table, bet: Bet, family: Family, at: Standing, dealer: DealerHand) -> Due:
    """A live hand against a dealer without Pontoon: higher wins, lower loses, equal stands off."""
    at = at if dealer.basis == "as_required" else replace(at, basis="as_dealt")
    dealer_text = f"dealer {dealer.total}"
    if dealer.bust:
        return _won(table, bet, family, at, "win_dealer_bust", f"{dealer_text} is over 21")
    if at.total.points > dealer.total.points:
        return _won(table, bet, family, at, "win_higher", f"higher than {dealer_text}")
    if at.total.points < dealer.total.points:
        return _lost(table, bet, family, at, "lose_lower", f"{_hand_text(at)}, lower than {dealer_text}")
    return _stand_off(table, bet, family, at, dealer)


def _stand_off(table: Table, bet: Bet, family: Family, at: Standing, dealer: DealerHand) -> Due:
    return Due(
        bet=bet,
        family=family,
        expected=Money(result="stand_off"),
        odds=None,
        clause=table.book.outcome_clause("stand_off"),
        reason=f"{_hand_text(at)}, equal to dealer {dealer.total}: the stake goes back",
        basis=at.basis,
    )


def _short_hand_due(table: Table, bet: Bet, at: Standing, dealer: DealerHand) -> Due:
    """adelaide-2008 106: a dealer over 21 pays a short hand, a dealer's Pontoon stands off.

    That beats a hand which refused an exposed card, as this one may have (103).
    """
    outcome_clause = table.book.outcome_clause
    if not dealer.unknown and dealer.bust:
        row, reading = winning_row(table, bet, at)
        paid = win(table, bet.effective, row.odds)
        clause = outcome_clause("short_dealer_bust")
        return _win_due(bet, "hand", paid, row, clause, "the dealer is over 21", at, reading)
    if not dealer.unknown and dealer.pontoon and not may_have_refused(table, bet.hand.box):
        return Due(
            bet=bet,
            family="hand",
            expected=Money(result="stand_off"),
            odds=None,
            clause=outcome_clause("short_stands_off"),
            reason="a short hand stands off against the dealer's Pontoon",
        )
    return indeterminate(bet, "hand", outcome_clause("short_open"), at.reason)


def _insurance_due(table: Table, bet: Bet, standings: dict[str, Standing], dealer: DealerHand) -> Due:
    """Insurance wins 2 to 1 when the dealer makes Pontoon and loses otherwise.

    Placed without an ace it is open on a Pontoon where that has an ace for its second card, on which
    insurance loses (act-2018 7.5, nz-2000 10.1, adelaide-2008 25), and not where it is against any Pontoon
    (rws-2017 3.9). Some rulebooks have the second card alone decide (`_by_second_card`).
    """
    book = table.book
    if insurance_void(table, bet):
        return void_due(table, bet, "the wager is void", "void_wager")
    insured = bet.on
    if insured is not None and insured.id in standings:
        fallen = _fallen(table, bet, standings[insured.id])
        if fallen is not None:
            return fallen
    pontoon = dealer_made_pontoon(table, dealer)
    if pontoon is None and _no_second_card_due(table, dealer):
        return Due(
            bet=bet,
            family="insurance",
            expected=Money(result="returned"),
            odds=None,
            clause=book.cite(book.readings["second_card_for_surrender"].clause),
            reason="no hand is left, the dealer takes no second card and the insurance goes back",
            reading="second_card_for_surrender=not_drawn",
        )
    if pontoon is None:
        reason = dealer.unknown or "the dealer's second card is not known"
        return indeterminate(bet, "insurance", book.clause_of("settle.insurance"), reason)
    without_ace = table.upcard is not None and table.upcard.rank != "A"
    if pontoon and without_ace and not book.flag("insurance.by_pontoon"):
        reason = "the dealer's Pontoon does not begin with an ace"
        return indeterminate(bet, "insurance", book.clause_of("settle.insurance"), reason)
    won, why_open = (pontoon, "") if pontoon else _by_second_card(table, dealer)
    if why_open:
        return indeterminate(bet, "insurance", book.clause_of("settle.insurance"), why_open)
    if not won:
        return Due(
            bet=bet,
            family="insurance",
            expected=Money(result="lose", taken=bet.effective),
            odds=None,
            clause=book.outcome_clause("insurance_lose"),
            reason=f"the dealer has no Pontoon: {amount_text(bet.effective)} is lost",
        )
    how = "the dealer made Pontoon" if pontoon else "the dealer's second card wins it"
    odds = book.odds("payout.insurance")
    paid = win(table, bet.effective, odds)
    clause = book.outcome_clause("insurance_win")
    if paid.paid is None:
        return indeterminate(bet, "insurance", clause, paid.arithmetic)
    return Due(
        bet=bet,
        family="insurance",
        expected=Money(result="win", paid=paid.paid),
        odds=odds_text(odds),
        clause=clause,
        reason=f"{how}: {paid.arithmetic}",
    )


def _by_second_card(table: Table, dealer: DealerHand) -> tuple[bool, str]:
    """Whether the dealer's second card wins insurance though he has no Pontoon, or why that is open.

    A king, queen or jack after an ace that came late is 21 and wins it (adelaide-2008 25, 105(d)(iii)). After
    another card it would (nz-2000 10.1), and the clause begins with an ace.
    """
    if not table.book.flag("insurance.by_second_card"):
        return False, ""
    cards = table.dealer.faces
    ace = table.upcard is not None and table.upcard.rank == "A"
    if len(cards) < 2:
        return False, "the dealer's second card is not known" if ace else ""
    if not cards[1].readable or (ace and dealer.unknown):
        return False, dealer.unknown or "the dealer's second card is not known"
    if not cards[1].picture or ace:
        return cards[1].picture, ""
    return False, "the dealer's second card would win it, and his first is no ace"


def _fallen(table: Table, bet: Bet, insured: Standing) -> Due | None:
    """What insurance is due that does not outlive the hand insured; None where it lives."""
    book = table.book
    if not insurance_fell(table, insured):
        return None
    lost = book.reads("insurance_life") == "lost_when_bust" and insured.place == "bust"
    return Due(
        bet=bet,
        family="insurance",
        expected=Money(result="lose", taken=bet.effective) if lost else Money(result="returned"),
        odds=None,
        clause=book.cite(book.readings["insurance_life"].clause),
        reason="the insurance falls with the hand insured"
        + (f": {amount_text(bet.effective)} is lost" if lost else ""),
    )


def _settle_against_pontoon(
    table: Table, root: Bet, standings: dict[str, Standing], dues: dict[str, Due]
) -> None:
    """Replace the dues of one player's live bets on a box by what the dealer's Pontoon takes."""
    group = table.group(root)
    live = [bet for bet in group if standings[bet.id].place == "live"]
    _return_doubles_of_bust_hands(table, group, standings, dues)
    if not live:
        return
    if _doubt_matters(table, root, group, standings):
        for bet in live:
            dues[bet.id] = indeterminate(
                bet,
                dues[bet.id].family,
                dues[bet.id].clause,
                "another hand of the player on the box cannot be fixed",
            )
        return
    if _spared(table, root):
        for bet in live:
            dues[bet.id] = _pontoon_due(table, bet, dues[bet.id].family, {}, {})
        return
    taken, otherwise = _collection(table, root, group, live, standings)
    _return_busts_above_original(table, root, group, standings, dues)
    for bet in live:
        dues[bet.id] = _pontoon_due(table, bet, dues[bet.id].family, taken, otherwise)


def _spared(table: Table, root: Bet) -> bool:
    """Under one reading of rws-2017 3.9 the wager that its player insured does not lose."""
    if table.book.reads("insurance_spares_main") == "no":
        return False
    placed = table.insurance.get(root, ())
    return any(bet.player == root.player and not insurance_void(table, bet) for bet in placed)


def _return_busts_above_original(
    table: Table, root: Bet, group: list[Bet], standings: dict[str, Standing], dues: dict[str, Due]
) -> None:
    """Under one reading of act-2018 11.9 hands over 21 give up one original wager together, no more."""
    if table.book.reads("bust_above_original") == "lost" or not _is_split(table, root):
        return
    bust = [bet for bet in group if standings[bet.id].place == "bust"]
    for wager, taken in _take(bust, root.effective).items():
        dues[wager] = replace(
            dues[wager],
            expected=_loss(taken),
            clause=table.book.outcome_clause("split_dealer_pontoon"),
            reason="the dealer made Pontoon: only the original wager is collected",
            reading="bust_above_original=returned",
        )


def _return_doubles_of_bust_hands(
    table: Table, group: list[Bet], standings: dict[str, Standing], dues: dict[str, Due]
) -> None:
    if table.book.reads("doubled_bust_dealer_pontoon") != "original_only":
        return
    for bet in group:
        if bet.kind == "double" and standings[bet.id].place == "bust":
            dues[bet.id] = replace(
                dues[bet.id],
                expected=Money(result="returned"),
                clause=table.book.outcome_clause("doubled_dealer_pontoon"),
                reason="the dealer made Pontoon: only the original wager is collected",
                reading="doubled_bust_dealer_pontoon=original_only",
            )


def _doubt_matters(table: Table, root: Bet, group: list[Bet], standings: dict[str, Standing]) -> bool:
    split_reading = table.book.reads("dealer_pontoon_split")
    unknown = [bet for bet in group if standings[bet.id].place == "unknown"]
    if not unknown or split_reading == "all":
        return False
    if split_reading != "original_stack":
        return True
    return standings[root.id].place == "unknown" and _could_be_21(standings[root.id])


def _could_be_21(at: Standing) -> bool:
    """Whether an unfixed hand might have won as a 21."""
    odd = any(not each.readable or each.foreign for each in at.cards)
    return odd or total(at.cards).points == 21


def _bearers(live: list[Bet]) -> list[Bet]:
    """Who bears the one original wager: the main, else the lowest split hand, else a double."""
    order = {"main": 0, "split": 1, "double": 2}
    return sorted(live, key=lambda bet: (order[bet.kind], bet.base.hand.no))


def _collection(
    table: Table, root: Bet, group: list[Bet], live: list[Bet], standings: dict[str, Standing]
) -> tuple[dict[str, int], dict[str, int]]:
    """What the dealer's Pontoon takes from each live bet, and what it may take instead.

    The second answer differs only where a ruling leaves the first open.
    """
    book = table.book
    double_reading = book.reads("dealer_pontoon_double")
    split_reading = book.reads("dealer_pontoon_split")
    was_split = any(bet.kind == "split" for bet in group)
    per_hand = double_reading == "original_per_hand" and any(bet.kind == "double" for bet in live)
    if was_split and (split_reading == "all" or per_hand):
        taken = {bet.id: bet.effective for bet in live if bet.kind != "double"}
        sure = taken
    else:
        out_of_play = (
            book.reads("original_won_as_21") == "out_of_play" and standings[root.id].place == "twenty_one"
        )
        due, otherwise = _original_due(root, group, standings, split_reading if was_split else "")
        if was_split and out_of_play:
            due = otherwise = 0
        taken, sure = _take(live, due), _take(live, otherwise)
    if double_reading == "all":
        doubles = {bet.id: bet.effective for bet in live if bet.kind == "double"}
        taken, sure = {**taken, **doubles}, {**sure, **doubles}
    return taken, sure


def _original_due(
    root: Bet, group: list[Bet], standings: dict[str, Standing], reading: str
) -> tuple[int, int]:
    """How much of one original wager is still to be collected, and the other possible answer."""
    original = root.effective
    if reading == "original_cap":
        bust = sum(bet.effective for bet in group if standings[bet.id].place == "bust")
        given_up = sum(
            bet.effective for bet in group if standings[bet.id].place == "forfeited" and bet.kind != "double"
        )
        return max(0, original - bust - given_up), max(0, original - bust)
    if reading == "original_stack":
        place = standings[root.id].place
        due = original if place in ("live", "twenty_one") else 0
        return due, due
    return original, original


def _take(live: list[Bet], due: int) -> dict[str, int]:
    taken: dict[str, int] = {}
    for bet in _bearers(live):
        taken[bet.id] = min(due, bet.effective)
        due -= taken[bet.id]
    return taken


def _pontoon_due(
    table: Table, bet: Bet, family: Family, taken: dict[str, int], otherwise: dict[str, int]
) -> Due:
    amount = taken.get(bet.id, 0)
    other = otherwise.get(bet.id, 0)
    kind = "split_dealer_pontoon" if bet.root is not bet or _is_split(table, bet) else None
    outcomes = [
        "lose_dealer_pontoon",
        *(["doubled_dealer_pontoon"] if bet.base.hand.doubled else []),
        *([kind] if kind else []),
    ]
    clause = table.book.outcome_clause(*outcomes)
    if taken != otherwise:
        return indeterminate(
            bet,
            family,
            clause,
            f"a forfeited stake may or may not count towards the one original wager: "
            f"{amount_text(amount)} or {amount_text(other)} of this is lost",
            acceptable=(_loss(amount), _loss(other)),
        )
    if amount:
        reason = f"the dealer made Pontoon: {amount_text(amount)} is lost"
    else:
        reason = "the dealer made Pontoon: no more than the original wager is collected, this goes back"
    return Due(bet=bet, family=family, expected=_loss(amount), odds=None, clause=clause, reason=reason)


def _is_split(table: Table, bet: Bet) -> bool:
    return bet.root in table.split_roots


def _loss(amount: int) -> Money:
    return Money(result="lose", taken=amount) if amount else Money(result="returned")


def dealer_dependent(table: Table, bet: Bet, at: Standing | None) -> bool:
    """Whether the settlement of a bet waits for the dealer's hand."""
    if bet.kind in SIDE_KINDS:
        return False
    if bet.kind == "insurance":
        return not insurance_void(table, bet)
    if at is None or voiding(table, bet) is not None:
        return False
    if at.place == "surrendered":
        upcard = table.upcard
        return upcard is None or upcard.may_begin_pontoon
    return at.place in ("live", "short", "unknown") and table.void_round_at == NEVER
