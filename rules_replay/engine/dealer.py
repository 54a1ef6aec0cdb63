"""The dealer's hand: which cards had to come, which came, and what it is worth.

One card: a second is needed while any unsettled wager's outcome depends on it. From
two cards on: draw to hard 16 and soft 17 while a live hand remains, otherwise stop
(act-2018 13.1, nz-2000 14.3 14.4, rws-2017 3.18, adelaide-2008 75 76). A card beyond
that is left out of the settlement; a card that is missing leaves it as dealt.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from rules_replay.cards import Card, Total, total
from rules_replay.engine.acts import Draw
from rules_replay.engine.dealers_cards import (
    counting_cards,
    is_dealer_pontoon,
    late_first_card,
    must_draw,
)
from rules_replay.engine.given_up import did_not_double, forfeit_could_be_open
from rules_replay.engine.pieces import NEVER, Bet, Hand
from rules_replay.engine.report import Report
from rules_replay.engine.short_hands import finishes_short_hand, may_have_refused
from rules_replay.engine.standing import Standing, beaten_by_pontoon_alone
from rules_replay.engine.table import Table
from rules_replay.results import Basis

Need: TypeAlias = Literal["yes", "no", "open"]


class DealerHand(msgspec.Struct, frozen=True, kw_only=True):
    """What the dealer's hand counts for in the settlement.

    ``cards`` are those that count. ``unknown`` says why nothing that depends on the
    dealer can be fixed; ``finished`` is False while a card is still due.
    """

    cards: tuple[Card, ...]
    total: Total
    pontoon: bool
    unknown: str
    finished: bool
    basis: Basis

    @property
    def bust(self) -> bool:
        return self.total.bust


class Needs(msgspec.Struct, frozen=True, kw_only=True):
    """What is left for the dealer to decide: by a second card, and by the final total."""

    second: Need
    total: Need


def dealer_needs(table: Table, standings: dict[str, Standing]) -> Needs:
    """What depends on the dealer once every player's hand is complete."""
    live = _strongest([_live_need(table, bet, standings[bet.id]) for bet in table.on_hands])
    possible = pontoon_possible(table)
    second = _strongest(
        [live, *(_second_need(table, bet, standings, possible) for bet in table.bets.values())]
    )
    return Needs(second=second, total=live)


def _strongest(needs: Iterable[Need]) -> Need:
    found = set(needs)
    if "yes" in found:
        return "yes"
    return "open" if "open" in found else "no"


def _live_need(table: Table, bet: Bet, at: Standing) -> Need:
    if bet.kind == "double":
        return "no"
    # Given up when it was not open, yet settled as played: the dealer may have seen it either way.
    if at.place == "live" and (bet.surrendered_at is not None or bet.forfeited_at is not None):
        return "open"
    if beaten_by_pontoon_alone(table, at):
        return "no"
    # His total decides a short hand too (adelaide-2008 106).
    if at.place in ("live", "short") or _finished_after_dealer(table, bet, at):
        return "yes"
    if any(_given_up_after(moment, table.dealer_second_at) for moment in _undone(bet)):
        return "open"
    if _given_up_in_vain(table, bet, at):
        return "open"
    return "open" if at.place == "unknown" else "no"


def _finished_after_dealer(table: Table, bet: Bet, at: Standing) -> bool:
    """A short hand that was decided only once the dealer's had been concluded (adelaide-2008 106)."""
    if at.place not in ("twenty_one", "bust") or bet.hand.cards[-1].seq < table.dealer_second_at:
        return False
    return table.book.flag("draw.short_hand_options") and table.reported("short_hand", bet.box) < NEVER


def _given_up_after(moment: int | None, second_card: int) -> bool:
    """The bet was still in play when the dealer took a second card."""
    return moment is not None and moment > second_card


def _given_up_in_vain(table: Table, bet: Bet, at: Standing) -> bool:
    """Given up when it was not open: the table let the bet go, and the rules keep it in play.

    So neither the card that the dealer then takes nor the one he leaves is held against him.
    """
    if at.place == "surrendered":
        return _given_up_after(bet.surrendered_at, table.dealer_second_at)
    if at.place != "forfeited" or at.total.points >= 21:
        return False
    if bet.surrendered_at is not None:
        return True
    if bet.forfeited_at is not None and did_not_double(table, bet):
        return True
    late = _given_up_after(bet.forfeited_at, table.dealer_second_at)
    return late or not forfeit_could_be_open(bet.hand, bet.forfeited_at)


def _undone(bet: Bet) -> tuple[int | None, ...]:
    return (bet.void_at, bet.withdrawn_at, bet.hand.void_at)


def _second_need(table: Table, bet: Bet, standings: dict[str, Standing], possible: bool) -> Need:
    """Surrendered bets and insurance turn on whether the second card makes Pontoon.

    Without recorded decisions a lost bet may have been one that was surrendered first. Under
    one reading no card is drawn for them alone; under another a 21 that was paid turns on it.
    """
    if bet.kind != "insurance" and (bet.kind not in ("main", "split") or not possible):
        return "no"
    drawn_for = table.book.reads("second_card_for_surrender") == "drawn"
    if not drawn_for and bet.kind == "insurance":
        return "no"
    if bet.kind == "insurance":
        return _insurance_need(table, bet, standings)
    at = standings[bet.id]
    if at.place == "surrendered":
        return "yes" if drawn_for else "no"
    if beaten_by_pontoon_alone(table, at):
        return "yes"
    if at.place == "twenty_one" and not bet.hand.doubled:
        return "yes" if table.book.reads("twenty_one_paid") == "falls_to_pontoon" else "no"
    if at.place == "unknown" and bet.surrendered_at is not None:
        return "open"
    if at.place == "bust" and "decisions" not in table.facts:
        return "open"
    original_only = table.book.reads("doubled_bust_dealer_pontoon") == "original_only"
    if at.place == "bust" and bet.hand.doubled and original_only:
        return "yes"
    return "no"


def _insurance_need(table: Table, bet: Bet, standings: dict[str, Standing]) -> Need:
    if insurance_void(table, bet):
        return "no"
    insured = bet.on
    if insured is not None and insured.id in standings and insurance_fell(table, standings[insured.id]):
        return "no"
    lawful = (
        table.upcard is not None
        and table.upcard.rank == "A"
        and insured is not None
        and (bet.player == insured.player or table.book.word("insurance.third_party") != "barred")
    )
    return "yes" if lawful else "open"


def insurance_fell(table: Table, insured: Standing) -> bool:
    """Whether insurance does not outlive the hand insured.

    So it is under some readings of adelaide-2008 25, nz-2000 10.6 and rws-2017 3.9.
    """
    over = {
        "lives": (),
        "falls": ("bust", "surrendered", "pontoon", "twenty_one"),
        "lost_when_bust": ("bust", "surrendered", "pontoon", "twenty_one"),
        "falls_if_surrendered": ("surrendered",),
    }
    return insured.place in over[table.book.reads("insurance_life")]


def insurance_void(table: Table, bet: Bet) -> bool:
    """Insurance that is void: declared so, with its round, or with the hand (nz-2000 10.7)."""
    if table.void or bet.void_at is not None or bet.withdrawn_at is not None:
        return True
    insured = bet.on
    if insured is None or not table.book.flag("insurance.void_with_hand"):
        return False
    return any(moment is not None for moment in _undone(insured))


def pontoon_possible(table: Table) -> bool:
    """Whether the dealer's first card leaves room for a Pontoon."""
    upcard = table.upcard
    if upcard is None or late_first_card(table):
        return False
    return upcard.may_begin_pontoon


def play_dealer(table: Table, needs: Needs) -> DealerHand:
    """The dealer's hand as the settlement has to see it."""
    cards = table.dealer.faces
    counting = counting_cards(cards)
    held = total(counting)
    pontoon = is_dealer_pontoon(table, counting)
    unfinished = _card_due(counting, held, needs)
    return DealerHand(
        cards=counting,
        total=held,
        pontoon=pontoon,
        unknown=_unknown(table, counting),
        finished=not unfinished,
        basis="as_dealt" if unfinished else "as_required",
    )


def _card_due(cards: tuple[Card, ...], held: Total, needs: Needs) -> bool:
    if len(cards) < 2:
        return needs.second == "yes"
    return must_draw(held) and needs.total == "yes"


def card_may_be_due(dealer: DealerHand, needs: Needs) -> bool:
    """Whether a card is still due to the dealer, or may be as far as the players' hands are known."""
    if len(dealer.cards) < 2:
        return needs.second != "no"
    return must_draw(dealer.total) and needs.total != "no"


def _unknown(table: Table, cards: tuple[Card, ...]) -> str:
    if not cards:
        return "the dealer has no card"
    if any(not each.readable for each in cards):
        return "a card of the dealer could not be read"
    if any(each.foreign for each in cards):
        return "a card of the dealer does not belong to the deck"
    if table.dealer in table.disturbed:
        return "a card due to the dealer was burned"
    if table.dealer.lacks_initial_card and not late_first_card(table):
        return "the dealer lacked a first card in the initial deal"
    if early_card_left(table):
        return "the dealer's second card came early and was left in place"
    if len(cards) == 1:
        return "the dealer has one card"
    return ""


def early_card_left(table: Table) -> bool:
    """The dealer's second card came before the players were done, and counts."""
    return table.dealer_second_at < NEVER and came_early(table, table.dealer_second_at)


def early_second_card_at(table: Table) -> int | None:
    """Seq of a dealer's second card, left or burned, that came before the players' hands were complete."""
    second = table.first_second_at
    return second if second < NEVER and came_early(table, second) else None


def came_early(table: Table, second: int) -> bool:
    """Whether players had cards or went on after a second card; a surrender does so once it is burned."""
    if any(
        seq > second and not finishes_short_hand(table, box, seq)
        for seq, box in reversed(table.initial_sequence)
    ):
        return True
    return (
        any(act.seq > second and _was_its_turn(table, act, second) for act in table.draws)
        or any(
            act.seq > second
            and not _had_stood(act.hand, second)
            and not table.placed_after(act.hand, second)
            and not finishes_short_hand(table, act.hand.box, act.seq)
            for acts in (table.splits, table.doubles)
            for act in acts
        )
        # A stand said again of a hand that had stood decides nothing, nor one of who refused that very card.
        or any(
            act.seq > second
            and act.seq == act.hand.stood_at
            and not table.placed_after(act.hand, second)
            and not may_have_refused(table, act.hand.box, second)
            and not finishes_short_hand(table, act.hand.box, act.seq)
            for act in table.stands
        )
        or any(second < act.seq < table.dealer_second_at for act in table.surrenders)
    )


def _had_stood(hand: Hand, moment: int) -> bool:
    return hand.stood_at is not None and hand.stood_at < moment


def _was_its_turn(table: Table, draw: Draw, second: int) -> bool:
    """Whether a card after a second one of the dealer's shows that the hand was not complete before.

    Not where it had stood by then, come to 21 or more, or had the one card of its double or to a split ace:
    it took a card that was not open to it. Nor where nobody had a wager on it yet.
    """
    hand, before = draw.hand, draw.before
    counted = before.total()
    decided = counted.bust or (counted.points == 21 and before.legible and len(before) >= 2)
    doubled = hand.doubled_at is not None and hand.doubled_at < second and len(before) > hand.cards_at_double
    ace = hand.split_aces and len(before) >= 2
    over = _had_stood(hand, second) or decided or doubled or ace
    return not (over or table.placed_after(hand, second) or finishes_short_hand(table, hand.box, draw.seq))


def check_dealer(table: Table, needs: Needs, played: DealerHand, incomplete: bool, report: Report) -> None:
    """The dealer's draw against what was required; each code at most once a round."""
    dealer = table.dealer
    early = early_second_card_at(table)
    if early is not None:
        report.find(
            "dealer.early-second-card",
            seq=early,
            hand=dealer,
            expected="the second card once every player's hand is complete",
            recorded="a player's card or decision came after it",
        )
    faces = dealer.faces
    if any(each.foreign for each in faces) or early_card_left(table):
        return
    if dealer in table.disturbed:
        return
    if not faces or (dealer.lacks_initial_card and not late_first_card(table)):
        return
    _check_stop(table, needs, played, incomplete, report)
    _check_needless(table, needs, report)


def _check_stop(table: Table, needs: Needs, played: DealerHand, incomplete: bool, report: Report) -> None:
    dealer = table.dealer
    faces = dealer.faces
    legible = all(each.readable for each in played.cards)
    if legible and not played.finished and not incomplete:
        last = dealer.cards[-1].seq
        expected = "a second card" if len(faces) == 1 else "a card on hard 16 or less and soft 17 or less"
        report.find(
            "dealer.under-draw",
            seq=last,
            hand=dealer,
            expected=expected,
            recorded=f"stopped at {played.total}",
            clause=table.book.outcome_clause("dealer_draw"),
            basis="as_dealt",
        )
    idle_card_is_needless = table.book.reads("dealer_plays_on_idle") == "forbidden"
    if needs.total == "no" and idle_card_is_needless:
        return
    count = len(played.cards)
    if count < len(faces):
        report.find(
            "dealer.over-draw",
            seq=dealer.cards[count].seq,
            hand=dealer,
            expected=f"no card on {played.total}, or the card burned",
            recorded=f"{faces[count]} dealt and left on the hand",
        )


def _check_needless(table: Table, needs: Needs, report: Report) -> None:
    dealer = table.dealer
    first_needless = None
    if len(dealer.cards) >= 2 and needs.second == "no":
        if table.book.reads("dealer_second_card_idle") == "forbidden":
            first_needless = dealer.cards[1]
    if first_needless is None and len(dealer.cards) >= 3 and needs.total == "no":
        if table.book.reads("dealer_plays_on_idle") == "forbidden":
            first_needless = dealer.cards[2]
    if first_needless is None:
        return
    report.find(
        "dealer.needless-draw",
        seq=first_needless.seq,
        hand=dealer,
        expected="no card: nothing was left to decide",
        recorded=f"{first_needless.card} dealt to the dealer",
    )
