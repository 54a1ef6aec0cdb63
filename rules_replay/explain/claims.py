"""What each event of a judged round was allowed or required by, were there no finding against it."""

from __future__ import annotations

from rules_replay import log
from rules_replay.cards import total
from rules_replay.engine.dealer import early_card_left
from rules_replay.engine.dealers_cards import must_draw
from rules_replay.engine.payout import faces_text
from rules_replay.engine.pieces import NEVER
from rules_replay.engine.placing import may_be_taken_back, reported_to_let_go
from rules_replay.engine.settlement import dealer_dependent
from rules_replay.engine.sides import jackpot_won, presses_for
from rules_replay.engine.table import Table, hand_total
from rules_replay.engine.windows import reopened_until
from rules_replay.explain.heading import sign_words
from rules_replay.explain.moments import hand_at
from rules_replay.explain.story import Claim
from rules_replay.explain.wording import count, legible, wagers_listed
from rules_replay.explain.working import Working
from rules_replay.log import SIDE_KINDS

_DOUBLE_WORDS = {
    "two_cards_or_three_plus": "may be doubled: under 21 and no split ace",
    "two_cards": "may be doubled: two cards under 21 and no split ace",
    "hard_nine_to_eleven": "may be doubled: two cards of hard 9, 10 or 11 and no split ace",
}
_WINDOW_WORDS = {
    "before_any_draw": "no further card had been dealt",
    "own_turn": "the hand was untouched and its turn had not passed",
}
_DEADLINE_WORDS = {
    "dealer_second_card": "before the dealer's second card",
    "next_card": "before any further card",
}


def claims_at(work: Working, seq: int) -> list[Claim]:
    """What an event was allowed or required by."""
    event = work.round.events[seq]
    before = work.tables[seq]
    match event:
        case log.Wager():
            return _wager_claims(work, event)
        case log.Deal(box=0):
            return _dealer_claims(work, before)
        case log.Deal():
            return _draw_claims(work, before, event)
        case log.Surrender():
            return _surrender_claims(work, seq, event)
        case log.Split():
            return _split_claims(work, seq)
        case log.Assign():
            return _assign_claims(work)
        case log.Double():
            return _double_claims(work, seq)
        case log.Stand():
            return _stand_claims(work, before, event)
        case log.Forfeit():
            return _forfeit_claims(work, seq)
        case log.Press():
            return _press_claims(work, seq, event)
        case log.Void():
            clause = work.book.outcome_clause(f"void_{event.scope}")
            text = f"a {event.scope} may be declared void"
            return [] if "(silent)" in clause else [Claim(codes=(), text=text, clause=clause)]
        case log.Withdraw():
            return _withdraw_claims(work, seq, event)
        case log.Settle(reverses=None):
            return _settle_claims(work, seq, event)
        case _:
            return []


def _claim(work: Working, text: str, code: str, *further: str) -> list[Claim]:
    """A claim that rests on a check; none where the rulebook has no clause for it."""
    clause = work.cited(work.book.clauses[code])
    return [Claim(codes=(code, *further), text=text, clause=clause, rests_on=code)] if clause else []


def _wager_claims(work: Working, event: log.Wager) -> list[Claim]:
    if event.kind == "insurance":
        return _insurance_claims(work, event)
    bet = work.table.bets[event.id]
    shared = len(work.mains(event.box)) > 1
    if event.kind == "split":
        text = f"equal to the original wager of {work.money(bet.root.placed.amount)}"
        by = _claim(work, "the player who controls the box splits too", "split.not-controller")
        return _claim(work, text, "split.stake") + (by if shared else [])
    if event.kind == "double" and bet.on is not None:
        text = f"no more than the {work.money(bet.on.placed.amount)} doubled"
        by = _claim(work, "the player who controls the box doubles too", "double.not-controller")
        return _claim(work, text, "double.stake") + (by if shared else [])
    if event.kind in SIDE_KINDS:
        return [
            *_claim(work, "offered under these rules at this table", "side-bet.not-offered"),
            *_claim(work, "a main wager lies on the box", "side-bet.without-main", "side-bet.not-offered"),
        ]
    claims = _claim(work, "placed before the first card", "wager.late")
    sign = sign_words(work.round.limits)
    if sign:
        claims += _claim(
            work, f"within the sign ({sign})", "wager.below-min", "wager.above-max", "wager.multiples"
        )
    return claims


def _insurance_claims(work: Working, event: log.Wager) -> list[Claim]:
    bet = work.table.bets[event.id]
    upcard = work.table.upcard
    if bet.on is None or upcard is None or not upcard.readable:
        return []
    insured = bet.on
    in_time = "before the subsequent deal"
    if bet.seq < reopened_until(work.table, event.box, bet.seq):
        in_time = "it had not been offered before"
    claims = [
        *_claim(work, f"the dealer shows {faces_text((upcard,))}", "insurance.no-ace"),
        *_claim(work, in_time, "insurance.late", "insurance.no-ace"),
        *_claim(
            work,
            f"no more than half of {work.money(insured.effective)}",
            "insurance.over-half",
            "insurance.third-party",
        ),
    ]
    if event.player != insured.player:
        text = f"others may insure a wager that its owner, {insured.player}, does not"
        claims += _claim(work, text, "insurance.third-party")
    return claims


def _draw_claims(work: Working, before: Table, event: log.Deal) -> list[Claim]:
    hand = hand_at(before, event.box, event.hand)
    if hand is None or before.initial_closed_at == NEVER or hand.superfluous:
        return []
    if hand.doubled and len(hand.cards) == hand.cards_at_double:
        return _claim(work, "the one card of a double", "double.one-card")
    if hand.doubled or len(hand.cards) < 2 or not legible(hand.faces):
        return []
    counted = hand_total(before, hand)
    if counted.points >= 21:
        return []
    return _claim(
        work,
        f"{counted} may take a card",
        "draw.on-21",
        "draw.after-bust",
        "draw.after-stand",
        "split.aces-extra-card",
        "deal.turn-order",
    )


def _surrender_claims(work: Working, seq: int, event: log.Surrender) -> list[Claim]:
    upcard = work.table.upcard
    if upcard is None or not upcard.readable:
        return []
    shows = f"the dealer shows {faces_text((upcard,))}, and an ace, king, queen or jack opens surrender"
    window = _WINDOW_WORDS[work.book.reads("surrender_window")]
    if seq < reopened_until(work.table, event.box, seq):
        window = "it had not been offered before, and the hand was untouched"
    offences = ("surrender.upcard", "surrender.timing", "surrender.after-split")
    claims = [
        *_claim(work, shows, *offences),
        *_claim(work, window, "surrender.timing", *offences),
        *_claim(work, "the hand was not split", "surrender.after-split"),
    ]
    if len(work.mains(event.box)) > 1 and work.book.reads("surrender_binds") == "box":
        claims += _claim(work, "it binds every wager on the box", "surrender.all-players")
    return claims


def _split_claims(work: Working, seq: int) -> list[Claim]:
    act = next(act for act in work.table.splits if act.seq == seq)
    claims = []
    if len(act.cards) == 2 and legible(act.cards):
        text = f"{faces_text(act.cards)}: two cards of equal value"
        claims += _claim(work, text, "split.unequal-value", "split.more-than-two-cards")
    most = work.book.whole("split.hands_per_box")
    claims += _claim(
        work, f"{count(act.hands_after, 'hand')} of at most {most} from a box", "split.too-many-hands"
    )
    if len(act.cards) == 2 and all(each.rank == "A" for each in act.cards):
        claims += _claim(work, "aces are split for the first time", "split.aces-resplit")
    if work.book.word("split.declined") == "barred":
        claims += _claim(work, "no split was declined before", "split.declined")
    return claims


def _assign_claims(work: Working) -> list[Claim]:
    first = work.book.word("split.co_wagerer_hand") == "first"
    rides = "the first hand" if first else "the hand its player chooses"
    clause = work.cited(work.book.terms["split.co_wagerer_hand"].clause)
    text = f"a wager that is not split rides on {rides}"
    return [Claim(codes=("split.later-hand",), text=text, clause=clause)]


def _double_claims(work: Working, seq: int) -> list[Claim]:
    act = next((act for act in work.table.doubles if act.seq == seq), None)
    if act is None or len(act.cards) < 2 or not legible(act.cards):
        return []
    return _claim(
        work,
        f"{total(act.cards)} on {count(len(act.cards), 'card')} {_DOUBLE_WORDS[work.book.word('double.on')]}",
        "double.hand",
    )


def _stand_claims(work: Working, before: Table, event: log.Stand) -> list[Claim]:
    hand = hand_at(before, event.box, event.hand)
    if hand is None or hand.doubled or not legible(hand.faces):
        return []
    counted = hand_total(before, hand)
    if counted.points < 12:
        return []
    return _claim(work, f"{counted} may stand: it is 12 or more", "draw.below-12")


def _forfeit_claims(work: Working, seq: int) -> list[Claim]:
    act = next(act for act in work.table.forfeits if act.seq == seq)
    hand = act.bet.hand
    if not hand.doubled or not legible(act.cards):
        return []
    deadline = _DEADLINE_WORDS[work.book.word("forfeit.deadline")]
    limit = work.book.reads("forfeit_limit")
    counted = hand_total(work.table, hand, act.held)
    text = f"a doubled hand of {counted}, not over {limit}, {deadline}"
    return _claim(work, text, "forfeit.eligibility")


def _withdraw_claims(work: Working, seq: int, event: log.Withdraw) -> list[Claim]:
    bet = work.table.bets[event.wager]
    if not may_be_taken_back(work.table, bet, seq):
        return []
    text = "a hand was left with too few cards, and a player may take a wager on it back"
    if reported_to_let_go(work.table, bet, seq):
        text = "an irregularity was reported, after which a player may take a wager back"
    return _claim(work, text, "wager.withdrawn")


def _press_claims(work: Working, seq: int, event: log.Press) -> list[Claim]:
    won = [
        bet
        for bet in work.table.side_bets
        if bet.kind == "pandemonium"
        and presses_for(work.table, bet) == [(seq, event)]
        and bet.box in work.table.boxes
        and jackpot_won(work.table, bet)
    ]
    if not won:
        return []
    return [
        *_claim(work, "a Pandemonium wager on a Pontoon: one press", "jackpot.press"),
        *_claim(work, f"the meter has {event.multiplier}", "jackpot.multiplier"),
    ]


def _dealer_claims(work: Working, before: Table) -> list[Claim]:
    """Why a card to the dealer had to come, or might."""
    cards = before.dealer.faces
    needs = work.played.needs
    if not cards or early_card_left(work.table) or not legible(cards):
        return []
    if len(cards) >= 2 and not must_draw(total(cards)):
        return []
    if len(cards) == 1:
        need, question, why = needs.second, "dealer_second_card_idle", _waiting(work)
    else:
        need, question = needs.total, "dealer_plays_on_idle"
        why = f"{total(cards)}: the dealer draws to hard 16 and soft 17"
    clause = work.book.outcome_clause("dealer_draw")
    if need == "open":
        why = "a hand that may still be live waits"
    elif need == "no":
        if work.book.reads(question) != "allowed":
            return []
        why = "nothing waited for it, and it may be drawn all the same"
        clause = work.cited(work.book.readings[question].clause)
    codes = ("dealer.early-second-card", "dealer.needless-draw", "dealer.over-draw")
    rests_on = "dealer.under-draw" if need == "yes" else None
    return [Claim(codes=codes, text=why, clause=clause, rests_on=rests_on)]


def _waiting(work: Working) -> str:
    standings = work.played.standings
    waiting = [
        bet.id
        for bet in work.table.bets.values()
        if bet.kind != "double" and dealer_dependent(work.table, bet, standings.get(bet.id))
    ]
    if not waiting:
        return "a wager waits for the dealer's second card"
    verb = "waits" if len(waiting) == 1 else "wait"
    return f"{wagers_listed(waiting)} {verb} for the dealer's second card"


def _settle_claims(work: Working, seq: int, event: log.Settle) -> list[Claim]:
    row = work.line_closed_by(seq, event)
    if row is None or row.recorded != row.expected:
        return []
    return [Claim(codes=(), text="as due", clause=row.clause)]
