"""Where each bet on a hand stands before the dealer plays.

A hand that reached 21 has won and a hand over 21 has lost, whatever was dealt to it
afterwards; a card that the rules do not fix (after a stand, a second one after a
double, one that nobody could read) leaves the bet *unknown*, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from rules_replay.cards import Card, Total, counted, total
from rules_replay.engine.table import NEVER, Bet, Hand, Table, fixed_aces, hand_total
from rules_replay.engine.windows import surrender_too_late
from rules_replay.log import Irregularity
from rules_replay.results import Basis

Place: TypeAlias = Literal[
    "void", "forfeited", "surrendered", "pontoon", "twenty_one", "bust", "live", "short", "unknown"
]
End: TypeAlias = Literal["under", "at_21", "past_21", "over"]
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


def is_pontoon(hand: Hand, cards: tuple[Card, ...]) -> bool:
    """An ace and a picture, or a foreign ten, as the first two cards, not after a split (act-2018 11.7)."""
    if hand.of_split or len(cards) != 2:
        return False
    ranks = {each.rank for each in cards}
    return "A" in ranks and any(each.picture or each.rank == "10" for each in cards)


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
        cards = table.counting[hand, fixed] = _counting_cards(hand, fixed)
    held = total(cards, fixed)
    basis: Basis = "as_dealt" if hand.split_aces and len(cards) > 2 else "as_required"

    def at(place: Place, reason: str = "", outcome: str = "") -> Standing:
        return Standing(place=place, cards=cards, total=held, reason=reason, outcome=outcome, basis=basis)

    void = voiding(table, bet)
    if void is not None:
        return at("void", *void)
    if base.moved_late:
        return at("unknown", "the wager was put on another hand after its own was complete")
    if _beside_void_hand(table, base):
        return at("unknown", "another hand of the box was declared void")
    if _hangs_on_foreign_card(table, base):
        return at("unknown", "a card of the box does not belong to the deck")
    if base.surrendered_at is not None and not _surrender_refused(table, base):
        open_ = surrender_open(table, base)
        return at("surrendered") if open_ else at("unknown", "surrender was not open")
    if _surrender_read_off(table, base):
        open_ = _could_surrender(table, base)
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
            paid = _recorded_result(table, base) in ("win", "stand_off", "returned")
            return at("unknown", OVER_OR_21) if paid and "past_21" in ends else at("bust")
        given_up = base.forfeited_at is not None and not _forfeit_refused(table, base, held)
        if given_up and not doubt and ends == {"under"}:
            return at("forfeited")
        return at("unknown", "a card of the hand could not be read" if unread else doubt)
    if held.bust:
        return at("bust")
    forfeited = base.forfeited_at is not None and not _forfeit_refused(table, base, held)
    if forfeited or _forfeited_by_surrender(table, base) or _forfeit_read_off(table, base):
        return at("forfeited")
    if held.points == 21 and not hand.doubled and is_pontoon(hand, cards):
        return at("pontoon")
    if held.points == 21 and not _held_21(table, base):
        return at("twenty_one")
    if held.points < 12 and _owed_cards(table, hand):
        return at("short", "the hand was left below 12; the log cannot show the options it then had")
    return at("live")


def _owed_cards(table: Table, hand: Hand) -> bool:
    """A hand left short of the cards due to it, whose options the log cannot show (adelaide-2008 105 106).

    One that refused an exposed card stands on what it has (103).
    """
    options = table.book.flag("draw.short_hand_options")
    return options and not hand.doubled and not refused_card(table, hand)


def _reported_short(table: Table, hand: Hand) -> bool:
    """Whether it is the table, and not the log, that left a hand with one card (adelaide-2008 106)."""
    return _owed_cards(table, hand) and table.reported("short_hand", hand.box) < NEVER


def refused_card(table: Table, hand: Hand) -> bool:
    """A player who refuses an exposed card takes no more (nz-2000 16.4, adelaide-2008 103)."""
    return any(event.box == hand.box for _, event in _refused_cards(table, hand.box))


def may_have_refused(table: Table, box: int, moment: int = NEVER) -> bool:
    """Whether an exposed card reported before a moment may be one that the player of a box refused.

    The report may name his box, the dealer's or none. He takes no more cards, and what the players refuse
    becomes the dealer's card, his second (nz-2000 16.4, adelaide-2008 103).
    """
    return any(seq < moment for seq, _ in _refused_cards(table, box))


def _refused_cards(table: Table, box: int) -> Iterator[tuple[int, Irregularity]]:
    """The reports of an exposed card that a box may have refused, where the rulebook lets it.

    It went to another: to a later box or to the dealer, unless the report names this one. Once the dealer's
    hand has two cards, nothing comes that players could have taken.
    """
    if not table.irregularities or not table.book.flag("irregularity.refused_card_to_dealer"):
        return
    for seq, event in table.irregularities:
        if event.code != "exposed_card" or event.box not in (None, 0, box):
            continue
        next_card = table.next_deal_after(seq)
        taken_by = 0 if next_card == NEVER else table.deal_at(next_card).box
        refused = taken_by != box if event.box == box else not 0 < taken_by <= box
        if refused and seq < table.dealer_second_at:
            yield seq, event


def _held_21(table: Table, base: Bet) -> bool:
    """Under one reading of rws-2017 3.15 a doubled 21 waits for the dealer."""
    return table.double_of(base) is not None and table.book.reads("doubled_21") != "wins_at_once"


def beaten_by_pontoon_alone(table: Table, at: Standing) -> bool:
    """A doubled 21 that is held, under the reading by which it beats whatever total the dealer makes."""
    return at.place == "live" and at.total.points == 21 and table.book.reads("doubled_21") == "held_beats_21"


def _counting_cards(hand: Hand, fixed: int) -> tuple[Card, ...]:
    """The cards up to the one that decided the hand: 21 wins at once, over 21 loses at once.

    A doubled hand is decided by its one further card.
    """
    faces = hand.faces
    if hand.doubled:
        after_double = faces[: hand.cards_at_double + 1]
        return after_double if total(after_double, fixed).points >= 21 else faces
    return _decided(faces[:-1], fixed) or faces


def _decided(faces: tuple[Card, ...], fixed: int) -> tuple[Card, ...]:
    """The first of some cards, two at least, that come to 21 or more; none where they do not."""
    points = aces = 0
    for count, face in enumerate(faces, 1):
        points += face.value
        aces += face.rank == "A"
        if count >= 2 and counted(points, aces, fixed).points >= 21:
            return faces[:count]
    return ()


def voiding(table: Table, bet: Bet) -> tuple[str, str] | None:
    """Why a bet is void and by which outcome; None where it is not (act-2018 def:Void, nz-2000 16.5)."""
    if table.void:
        return "the round is void", "void_round"
    base = bet.base
    root = bet.root
    for each in (bet, base, root):
        if each.void_at is not None:
            return "the wager was declared void", "void_wager"
        if each.withdrawn_at is not None:
            return "the wager was withdrawn", "void_wager"
    if base.hand.void_at is not None:
        return "the hand was declared void", "void_hand"
    if bet.kind != "main" and root.hand.void_at is not None and not _beside_void_hand(table, base):
        return "the hand was declared void", "void_hand"
    box = table.boxes.get(bet.box)
    first = box.mains[0] if box and box.mains else None
    if first is not None and first.withdrawn_at is not None and _binds_the_hand(table, bet.box):
        return "the player controlling the hand withdrew", "void_hand"
    return None


def _beside_void_hand(table: Table, base: Bet) -> bool:
    """A split wager on another hand than the void one of the main wager, where single hands may be void.

    nz-2000 16.5 makes the wagers on the void hand void; ruling 10 lets the split wager go with the main one.
    Neither settlement is wrong.
    """
    apart = base.kind == "split" and base.hand.void_at is None and base.root.hand.void_at is not None
    return apart and table.book.flag("irregularity.hand_may_be_void")


def _binds_the_hand(table: Table, box: int) -> bool:
    """Whether the controlling player who withdraws takes the others on the hand with him.

    So he does for a hand with too few cards, reported or seen (adelaide-2008 107), not for one that refused
    an exposed card (103); after a dealer's first card that came late each player may go or stay
    (105(d)(ii)).
    """
    if not table.book.flag("draw.short_hand_options"):
        return False
    if table.reported_for("short_hand", box) < NEVER:
        return True
    if late_first_card(table):
        return False
    return table.reported("short_hand", box) < NEVER or any(
        hand.lacks_initial_card
        or (hand.pile.legible and total(hand.faces).points < 12 and not refused_card(table, hand))
        for hand in table
        if hand.box == box
    )


def late_first_card(table: Table) -> bool:
    """The dealer lacked a card of the initial deal, as was reported, and so makes no Pontoon.

    adelaide-2008 105(d). Noticed before, the hands are reconstructed (105(a)).
    """
    missed = table.dealer.lacks_initial_card and table.reported("missed_first_card", 0) < NEVER
    return missed and table.book.flag("irregularity.late_first_card_no_pontoon")


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
    return not _splits_too(table, base) and all(act.bet is not base for act in table.assigns)


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
    if lacks_initial_card(table, hand) and not _reported_short(table, hand):
        return "the hand lacked a card of the initial deal"
    if hand.of_split and len(cards) < 2 and not _owed_cards(table, hand):
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


def after_stand(table: Table, hand: Hand, seq: int) -> bool:
    """A card after a stand, but for one to a hand that failed to draw to 12 and was reported short since.

    Such a hand still has the option of drawing (adelaide-2008 50(a) 105 106).
    """
    if hand.stood_at is None or seq < hand.stood_at:
        return False
    if not table.book.flag("draw.short_hand_options"):
        return True
    stood_on = total(tuple(drawn.card for drawn in hand.cards if drawn.seq < hand.stood_at))
    return stood_on.points >= 12 or not hand.stood_at < table.reported("short_hand", hand.box) < seq


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
    return _annulled(table) or any(each.foreign or not each.readable for each in table.dealer.faces)


def lacks_initial_card(table: Table, hand: Hand) -> bool:
    """A hand with too few cards of the initial deal, but for one reported and given its card since."""
    return hand.lacks_initial_card and not _short_hand_cured(table, hand)


def _short_hand_cured(table: Table, hand: Hand) -> bool:
    reported = table.reported("short_hand", hand.box) < NEVER
    return reported and table.book.flag("draw.short_hand_options") and len(hand.cards) >= 2


def _double_doubt(table: Table, base: Bet) -> str:
    more = base.id in table.portions and base.id in table.doubled_for_more
    return "doubled for more than the original wager" if more else ""


def surrender_open(table: Table, base: Bet) -> bool:
    """Whether surrender could ever be open for this bet: an unsplit hand under 21, the right first card."""
    upcard = table.upcard
    if upcard is None or not upcard.may_begin_pontoon:
        return False
    return base.surrendered_at not in table.surrenders_never_open


def _could_surrender(table: Table, base: Bet) -> bool:
    """The same of a surrender read off a settlement, taken as one of the hand's first two cards.

    Where each player decides for himself, others on the box may have split them (adelaide-2008 71).
    """
    upcard = table.upcard
    if upcard is None or not upcard.may_begin_pontoon:
        return False
    hand = base.hand
    if not hand.of_split:
        return total(hand.faces[:2]).points != 21
    if base.kind != "main" or _splits_too(table, base) or table.book.reads("surrender_binds") == "box":
        return False
    held = next(act.held for act in table.splits if act.hand.box == hand.box)
    return len(held) == 2 and held.total().points != 21


def _splits_too(table: Table, base: Bet) -> bool:
    """Whether the player of a main wager placed a split wager besides."""
    return any(bet.kind == "split" and bet.root is base for bet in table.bets.values())


def forfeit_could_be_open(hand: Hand, moment: int | None) -> bool:
    """Whether a hand was doubled and had its card when a wager on it was forfeited, if that is known."""
    if not hand.doubled or moment is None:
        return hand.doubled
    of_double = hand.cards[hand.cards_at_double :]
    return bool(of_double) and of_double[0].seq < moment


def did_not_double(table: Table, base: Bet) -> bool:
    """Whether a wager has no doubled portion to withdraw, others on its hand having one, and so no forfeit.

    nz-2000 12.8, rws-2017 3.14, adelaide-2008 64(b); act-2018 12.6 gives it to any player on the hand. Where
    nobody's portion is in the log, that is what the log lacks.
    """
    if table.book.word("forfeit.not_doubling", "allowed") == "allowed" or table.double_of(base) is not None:
        return False
    return any(table.double_of(each) is not None for each in table.bets_on(base.hand))


def after_next_card(table: Table, hand: Hand, moment: int) -> bool:
    """Whether a card had come to anyone since the double's, where a forfeit is open only until then.

    One burned off its hand again has not come (nz-2000 12.8, 16.5).
    """
    if hand.doubled_at is None or table.book.word("forfeit.deadline") != "next_card":
        return False
    of_double = [draw.seq for draw in table.kept_draws if draw.hand is hand and draw.seq > hand.doubled_at]
    return table.next_kept_deal_after(min(of_double, default=moment)) < moment


def _surrender_refused(table: Table, base: Bet) -> bool:
    """A surrender too late, or of a hand that split or doubled on, settled as though there were none.

    The hand is then played as any other (act-2018 9.1 10.1, nz-2000 9.3, rws-2017 3.10, adelaide-2008 49 70);
    one never open to surrender stays open.
    """
    late = surrendered_too_late(table, base) or _played_on(table, base)
    return late and surrender_open(table, base) and _not_given_up(table, base)


def _not_given_up(table: Table, base: Bet) -> bool:
    """Whether a wager was settled as one that was not surrendered.

    In full it is lost to a dealer's Pontoon either way (act-2018 9.3, nz-2000 9.4, rws-2017 3.10.1,
    adelaide-2008 72): then only a further card shows that the hand was played.
    """
    lines = base.standing_lines("stake")
    if not lines:
        return False
    settle = lines[-1][1]
    if settle.result in ("win", "stand_off", "returned"):
        return True
    drew_on = bool(base.hand.cards) and base.hand.cards[-1].seq > (base.surrendered_at or 0)
    in_full = settle.result in ("lose", "forfeit") and settle.taken == base.effective
    return in_full and (drew_on or not _annulled(table))


def _annulled(table: Table) -> bool:
    """Whether the dealer's first two cards are a Pontoon."""
    return is_pontoon(table.dealer, table.dealer.faces[:2]) and not late_first_card(table)


def surrender_without_effect(table: Table, base: Bet) -> bool:
    """A surrender that came too late and that the table did not give: what came next was open to the hand."""
    late = surrendered_too_late(table, base)
    return late and surrender_open(table, base) and _not_given_up(table, base)


def _played_on(table: Table, base: Bet) -> bool:
    """All on the hand had surrendered, and then it was split or doubled: one fault (ruling 2)."""
    for each in table.riders.get(base.hand, ()):
        if each.surrendered_at is None and each.void_at is None and each.withdrawn_at is None:
            return False
    given_up_at = NEVER if base.surrendered_at is None else base.surrendered_at
    split_on = any(act.hand is base.hand and act.seq > given_up_at for act in table.splits)
    return split_on or any(act.hand is base.hand and act.seq > given_up_at for act in table.doubles)


def surrendered_too_late(table: Table, base: Bet) -> bool:
    """Whether the surrender of a bet came after the moment at which the rulebook, as it is read, ends it."""
    return any(act.seq == base.surrendered_at and surrender_too_late(table, act) for act in table.surrenders)


def _forfeit_refused(table: Table, base: Bet, held: Total) -> bool:
    """A forfeit that was not open, of a wager settled as though there were none.

    It was paid or stood off, or its doubled portion was lost with it. A hand with 21 is paid at once and has
    nothing left to forfeit (act-2018 10.2(b) 12.6, nz-2000 9.2 12.8, rws-2017 3.14, adelaide-2008 60 64(a));
    nor has who did not double (64(b)).
    """
    moment = base.forfeited_at
    if moment is None or not _settled_as_played(table, base):
        return False
    if did_not_double(table, base):
        return True
    late = moment > table.dealer_second_at or after_next_card(table, base.hand, moment)
    return late or held.points == 21 or not forfeit_could_be_open(base.hand, moment)


def _forfeited_by_surrender(table: Table, base: Bet) -> bool:
    """A hand given up after its double by a surrender, which came too late, and settled as forfeited.

    After a double a wager is given up by forfeiting it (act-2018 12.6, nz-2000 12.8, rws-2017 3.14,
    adelaide-2008 64(a)).
    """
    given_up = base.surrendered_at is not None and _recorded_result(table, base) == "forfeit"
    return given_up and forfeit_could_be_open(base.hand, base.surrendered_at)


def _settled_as_played(table: Table, base: Bet) -> bool:
    if _recorded_result(table, base) in ("win", "stand_off", "returned"):
        return True
    return any(_recorded_result(table, each) == "lose" for each in table.doubled_portions(base))


def _recorded_result(table: Table, base: Bet) -> str | None:
    lines = base.standing_lines("stake")
    return lines[-1][1].result if lines else None


def _surrender_read_off(table: Table, base: Bet) -> bool:
    if "decisions" in table.facts or base.forfeited_at is not None:
        return False
    result = _recorded_result(table, base)
    return result == "surrender" or (result == "lose" and _lost_by_surrender(table, base))


def _lost_by_surrender(table: Table, base: Bet) -> bool:
    """Whether only a surrender nobody recorded, annulled by the dealer's Pontoon, has a wager lost in full.

    The others on its hand played on and came to 21 or more, or a hand of two cards below 12 would stand off
    (rws-2017 3.10.1, adelaide-2008 71 72 73 106(c)). Over 21 it is lost either way, and was not surrendered
    unless it is seen to have waited for the dealer.
    """
    hand = base.hand
    if not _annulled(table) or not _could_surrender(table, base) or table.doubled_portions(base):
        return False
    seq, settle = base.standing_lines("stake")[-1]
    if settle.taken != base.effective:
        return False
    if hand.pile.total().points < 12:
        return len(hand.cards) == 2 and _owed_cards(table, hand) and not _reported_short(table, hand)
    alone = len(table.bets_on(hand)) < 2 or table.book.reads("surrender_binds") == "box"
    if alone or hand_total(table, hand).points < 21:
        return False
    waited = "settle_order" in table.facts and seq > table.dealer_second_at
    return waited or hand_total(table, hand).points == 21


def _forfeit_read_off(table: Table, base: Bet) -> bool:
    if "decisions" in table.facts:
        return False
    return _recorded_result(table, base) == "forfeit"
