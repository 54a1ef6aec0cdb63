"""Where each bet on a hand stands before the dealer plays.

A hand that reached 21 has won and a hand over 21 has lost, whatever was dealt to it
afterwards; a card that the rules do not fix (after a stand, a second one after a
double, one that nobody could read) leaves the bet *unknown*, with the reason.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from rules_replay.cards import Card, Total, counted, total
from rules_replay.engine.dealers_cards import nothing_left_from
from rules_replay.engine.given_up import (
    annulled,
    could_surrender,
    forfeit_read_off,
    forfeit_refused,
    forfeited_by_surrender,
    may_have_forfeited,
    recorded_result,
    splits_too,
    surrender_open,
    surrender_read_off,
    surrender_refused,
)
from rules_replay.engine.pieces import NEVER, Bet, Hand
from rules_replay.engine.short_hands import after_stand, lacks_initial_card, owed_cards, reported_short
from rules_replay.engine.table import Table, fixed_aces, is_pontoon
from rules_replay.engine.voiding import beside_void_hand, voiding
from rules_replay.results import Basis

Place: TypeAlias = Literal[
    "void", "forfeited", "surrendered", "pontoon", "twenty_one", "bust", "live", "short", "unknown"
]
End: TypeAlias = Literal["under", "at_21", "past_21", "over"]
NOT_DOUBLED = "the hand of its wager was not doubled"
OVER_OR_21 = "the hand was over 21, unless a card that could not be read made it 21 before its last"
DECIDED = frozenset({"void", "forfeited", "pontoon", "twenty_one", "bust"})


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A bet before the dealer plays; ``cards`` are those that count for it.

    ``outcome`` names what made a void bet void, as the rulebook's outcomes do.
    """

    place: Place
    cards: tuple[Card, ...]
    total: Total
    reason: str = ""
    outcome: str = ""
    basis: Basis = "as_required"

    @property
    def decided(self) -> bool:
        return self.place in DECIDED


def reading_aces(table: Table, bet: Bet) -> int:
    """Aces held at one for this bet: a co-wagerer who did not double may count his own."""
    hand = bet.hand
    if not hand.doubled:
        return 0
    alone = table.double_of(bet.base) is None and bet.kind != "double"
    if alone and table.book.reads("co_wagerer_not_doubling_total") == "own":
        return 0
    return fixed_aces(table, hand, table.book.reads("fixed_aces"))


def standing(table: Table, bet: Bet) -> Standing:
    """Where a main, split or doubled bet stands."""
    base = bet.base
    hand = base.hand
    fixed = reading_aces(table, base)
    cards = table.counting.get((hand, fixed))
    if cards is None:
        cards = table.counting[hand, fixed] = _counting_cards(table, hand, fixed)
    held = total(cards, fixed)
    basis: Basis = "as_dealt" if hand.split_aces and len(cards) > 2 else "as_required"

    def at(place: Place, reason: str = "", outcome: str = "") -> Standing:
        return Standing(place=place, cards=cards, total=held, reason=reason, outcome=outcome, basis=basis)

    void = voiding(table, bet)
    if void is not None:
        return at("void", *void)
    if bet.misplaced:
        return at("unknown", NOT_DOUBLED)
    if base.moved_late:
        return at("unknown", "the wager was put on another hand after its own was complete")
    if beside_void_hand(table, base):
        return at("unknown", "another hand of the box was declared void")
    if _hangs_on_foreign_card(table, base):
        return at("unknown", "a card of the box does not belong to the deck")
    if hand.overdealt and not is_pontoon(hand, cards):
        return at("unknown", "a card too many came to the hand in the initial deal")
    if base.surrendered_at is not None and not surrender_refused(table, base):
        open_ = surrender_open(table, base)
        return at("surrendered") if open_ else at("unknown", "surrender was not open")
    if surrender_read_off(table, base):
        open_ = could_surrender(table, base)
        return at("surrendered") if open_ else at("unknown", "surrender was not open")
    if _hand_not_recorded(table, base):
        return at("unknown", "which hand of the box the wager was on is not recorded")
    unread = table.unreadable and any(not each.readable for each in cards)
    doubt = _doubt(table, bet, cards)
    if unread or doubt:
        ends = _ends(table, _before_any_fault(hand, cards))
        lost = "over" in ends and ends <= {"past_21", "over"} and not hand.superfluous
        lost = lost and not _may_be_burned(table, hand, cards) and hand not in table.disturbed
        # What of a double was more than the wager may go back or be taken (ruling 2).
        if lost and not (bet is not base and _double_doubt(table, base)):
            # Nobody who collected is taken to have dealt to a 21; nor is it known of who paid.
            paid = recorded_result(table, base) in ("win", "stand_off", "returned")
            return at("unknown", OVER_OR_21) if paid and "past_21" in ends else at("bust")
        given_up = base.forfeited_at is not None and not forfeit_refused(table, base, held)
        if given_up and not doubt and ends == {"under"}:
            return at("forfeited")
        return at("unknown", "a card of the hand could not be read" if unread else doubt)
    if held.bust:
        return at("bust")
    forfeited = base.forfeited_at is not None and not forfeit_refused(table, base, held)
    if forfeited or forfeited_by_surrender(table, base):
        return at("forfeited")
    if forfeit_read_off(table, base):
        return at("forfeited") if hand.doubled else at("unknown", NOT_DOUBLED)
    if may_have_forfeited(table, base):
        return at("unknown", "whether the wager was forfeited is not recorded")
    if held.points == 21 and not hand.doubled and is_pontoon(hand, cards):
        return at("pontoon")
    if held.points == 21 and not _held_21(table, base):
        return at("twenty_one")
    if held.points < 12 and owed_cards(table, hand):
        return at("short", "the hand was left below 12; the log cannot show the options it then had")
    return at("live")


def _held_21(table: Table, base: Bet) -> bool:
    """Under one reading of rws-2017 3.15 a doubled 21 waits for the dealer."""
    return table.double_of(base) is not None and table.book.reads("doubled_21") != "wins_at_once"


def beaten_by_pontoon_alone(table: Table, at: Standing) -> bool:
    """A doubled 21 that is held, under the reading by which it beats whatever total the dealer makes."""
    return at.place == "live" and at.total.points == 21 and table.book.reads("doubled_21") == "held_beats_21"


def _counting_cards(table: Table, hand: Hand, fixed: int) -> tuple[Card, ...]:
    """The cards up to the one that decided the hand: 21 wins at once, over 21 loses at once.

    A doubled hand is decided by its one further card.
    """
    faces = _until_concluded(table, hand)
    if hand.doubled:
        after_double = faces[: hand.cards_at_double + 1]
        return after_double if total(after_double, fixed).points >= 21 else faces
    return _decided(faces[:-1], fixed) or faces


def _until_concluded(table: Table, hand: Hand) -> tuple[Card, ...]:
    """The cards without those dealt to a hand reported short once the dealer was over 21 or had Pontoon.

    One below 12 is then paid or stands off, and no further card is drawn (adelaide-2008 106(a) 106(c)). Nor
    is one due to any other, but after a stand on 12 or more it leaves the hand open.
    """
    faces = hand.faces
    if not reported_short(table, hand):
        return faces
    concluded_at = nothing_left_from(table)
    before = tuple(drawn.card for drawn in hand.cards if drawn.seq < concluded_at)
    legible = all(each.readable for each in before)
    stood = hand.stood_at is not None and hand.stood_at < concluded_at and total(before).points >= 12
    return before if legible and not stood else faces


def _decided(faces: tuple[Card, ...], fixed: int) -> tuple[Card, ...]:
    """The first of some cards, two at least, that come to 21 or more; none where they do not."""
    points = aces = 0
    for count, face in enumerate(faces, 1):
        points += face.value
        aces += face.rank == "A"
        if count >= 2 and counted(points, aces, fixed).points >= 21:
            return faces[:count]
    return ()


def _before_any_fault(hand: Hand, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """The cards without those that came after a stand, as a second one after a double, or by doubling a 21.

    Such a card was not the hand's to take: it makes nobody lose (act-2018 9.2, 10.1(d), 10.2, 12.3).
    """
    stood_at = NEVER if hand.stood_at is None else hand.stood_at
    most = hand.cards_at_double + (not won_before_double(hand)) if hand.doubled else len(cards)
    both = zip(hand.cards, cards[:most], strict=False)
    return tuple(face for drawn, face in both if drawn.seq < stood_at)


def _ends(table: Table, cards: tuple[Card, ...]) -> set[End]:
    """Where a hand may have ended, whatever the cards were that could not be read.

    With 21 it has won, whatever came after (act-2018 10.2(b)): it is then past it. A promotional joker is no
    card of the hand (adelaide-2008 6).
    """
    unread = range(0 if table.book.word("deck.joker") == "promotional" else 1, 11)
    ends: set[End] = set()
    under = {(0, False)}
    for place, each in enumerate(cards, 1):
        values = (each.value,) if each.readable else unread
        after = {(points + value, ace or value == 1) for points, ace in under for value in values}
        reached = {(points, ace) for points, ace in after if counted(points, ace, 0).points == 21}
        under = {(points, ace) for points, ace in after - reached if points < 21}
        if reached:
            ends.add("at_21" if place == len(cards) else "past_21")
        ends |= {"over"} if len(after) > len(reached) + len(under) else set()
    return ends | ({"under"} if under else set())


def _hand_not_recorded(table: Table, base: Bet) -> bool:
    """Whether a co-wagerer who did not split had the choice of a hand, and decisions are not recorded.

    nz-2000 15.3(d), rws-2017 3.13; elsewhere he stays with the first hand.
    """
    if "decisions" in table.facts or base.kind != "main" or not table.splits:
        return False
    if table.book.word("split.co_wagerer_hand") != "any" or base in table.boxes[base.box].mains[:1]:
        return False
    if not any(act.hand.box == base.box for act in table.splits) or table.doubled_portions(base):
        return False
    return not splits_too(table, base) and all(act.bet is not base for act in table.assigns)


def _doubt(table: Table, bet: Bet, cards: tuple[Card, ...]) -> str:
    """Why the log cannot fix what the hand under a bet became, or the bet's share in it; empty where it can.

    Cards that could not be read are left aside. Only what was placed to double shares in the doubt how much
    of it counts (ruling 2).
    """
    hand = bet.base.hand
    if hand in table.disturbed:
        return "a card due to the hand was burned"
    if hand.superfluous or not cards:
        return "the hand was not dealt in the initial deal"
    if lacks_initial_card(table, hand) and not reported_short(table, hand):
        return "the hand lacked a card of the initial deal"
    if hand.of_split and len(cards) < 2 and not owed_cards(table, hand):
        return "the split hand has no second card"
    if hand.lacks_split_card:
        return "a hand of one card was split"
    if hand.doubled and hand.cards_at_double < 2:
        return "a hand of one card was doubled"
    if hand.doubled and len(cards) - hand.cards_at_double != 1:
        return "a doubled hand takes exactly one card"
    if hand.doubled and hand.split_aces:
        return "a split ace was doubled and given a further card"
    if won_before_double(hand):
        return "a hand with 21 was doubled"
    if _may_be_burned(table, hand, cards):
        return "a card too many for a split ace may have been burned"
    if any(after_stand(table, hand, drawn.seq) for drawn in hand.cards[: len(cards)]):
        return "a card was dealt to a hand that had stood"
    return "" if bet is bet.base else _double_doubt(table, bet.base)


def _may_be_burned(table: Table, hand: Hand, cards: tuple[Card, ...]) -> bool:
    """Whether a split ace has a card too many that may be off the hand again, burns not being captured."""
    return hand.split_aces and len(cards) > 2 and "burns" not in table.facts


def won_before_double(hand: Hand) -> bool:
    """Whether a hand had come to Pontoon or 21 before it was doubled, and had won.

    act-2018 8.1 10.2(b), nz-2000 9.1 9.2, rws-2017 3.14, adelaide-2008 60.
    """
    held = _decided(hand.faces[: hand.cards_at_double], 0) if hand.doubled else ()
    return all(each.readable for each in held) and total(held).points == 21


def _hangs_on_foreign_card(table: Table, base: Bet) -> bool:
    """A foreign card decides what its box did next: whether it could split, draw or stand.

    A hand of the box that was complete by then does not hang on it (ruling 11), unless the dealer may have
    Pontoon: of all wagers of a player on the box that takes the original one.
    """
    box = base.hand.box
    if not table.foreign or box not in table.foreign_at:
        return False
    return _dealer_may_have_pontoon(table) or not table.done_before(base, table.foreign_at[box])


def _dealer_may_have_pontoon(table: Table) -> bool:
    return annulled(table) or any(each.foreign or not each.readable for each in table.dealer.faces)


def _double_doubt(table: Table, base: Bet) -> str:
    more = base.id in table.portions and base.id in table.doubled_for_more
    return "doubled for more than the original wager" if more else ""
