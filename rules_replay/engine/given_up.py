"""Bets given up: surrenders and forfeits that hold, that were refused, or that only the settlement shows."""

from __future__ import annotations

from rules_replay.cards import Total, total
from rules_replay.engine.dealers_cards import late_first_card
from rules_replay.engine.pieces import NEVER, Bet, Hand
from rules_replay.engine.short_hands import owed_cards, reported_short
from rules_replay.engine.table import Table, hand_total, is_pontoon
from rules_replay.engine.windows import surrender_too_late


def surrender_open(table: Table, base: Bet) -> bool:
    """Whether surrender could ever be open for this bet: an unsplit hand under 21, the right first card."""
    upcard = table.upcard
    if upcard is None or not upcard.may_begin_pontoon:
        return False
    return base.surrendered_at not in table.surrenders_never_open


def could_surrender(table: Table, base: Bet) -> bool:
    """The same of a surrender read off a settlement, taken as one of the hand's first two cards.

    Where each player decides for himself, others on the box may have split them (adelaide-2008 71).
    """
    upcard = table.upcard
    if upcard is None or not upcard.may_begin_pontoon:
        return False
    hand = base.hand
    if not hand.of_split:
        return total(hand.faces[:2]).points != 21 and not _drew_on(table, hand)
    if base.kind != "main" or splits_too(table, base) or table.book.reads("surrender_binds") == "box":
        return False
    held = next(act.held for act in table.splits if act.hand.box == hand.box)
    return len(held) == 2 and held.total().points != 21


def _drew_on(table: Table, hand: Hand) -> bool:
    """Whether a hand that all on it are settled as having surrendered has more cards than it then had.

    None comes to it after a surrender, and none is open after a card (act-2018 9.2 10.1, nz-2000 9.3,
    rws-2017 3.10, adelaide-2008 71): which of the two it was the log does not say.
    """
    if len(hand.cards) <= 2:
        return False
    if table.book.reads("surrender_binds") == "box":
        return True
    return all(recorded_result(table, each) == "surrender" for each in table.bets_on(hand))


def splits_too(table: Table, base: Bet) -> bool:
    """Whether the player of a main wager placed a split wager besides."""
    return any(bet.kind == "split" and bet.root is base for bet in table.bets.values())


def surrender_refused(table: Table, base: Bet) -> bool:
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
    return in_full and (drew_on or not annulled(table))


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


def surrender_read_off(table: Table, base: Bet) -> bool:
    """Whether a bet was settled as one surrendered, where decisions are not recorded."""
    if "decisions" in table.facts or base.forfeited_at is not None:
        return False
    result = recorded_result(table, base)
    return result == "surrender" or (result == "lose" and _lost_by_surrender(table, base))


def _lost_by_surrender(table: Table, base: Bet) -> bool:
    """Whether only a surrender nobody recorded, annulled by the dealer's Pontoon, has a wager lost in full.

    The others on its hand played on and came to 21 or more, or a hand of two cards below 12 would stand off
    (rws-2017 3.10.1, adelaide-2008 71 72 73 106(c)). Over 21 it is lost either way, and was not surrendered
    unless it is seen to have waited for the dealer.
    """
    hand = base.hand
    if not annulled(table) or not could_surrender(table, base) or table.doubled_portions(base):
        return False
    seq, settle = base.standing_lines("stake")[-1]
    if settle.taken != base.effective:
        return False
    if hand.pile.total().points < 12:
        return len(hand.cards) == 2 and owed_cards(table, hand) and not reported_short(table, hand)
    alone = len(table.bets_on(hand)) < 2 or table.book.reads("surrender_binds") == "box"
    if alone or hand_total(table, hand).points < 21:
        return False
    waited = "settle_order" in table.facts and seq > table.dealer_second_at
    return waited or hand_total(table, hand).points == 21


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


def forfeit_refused(table: Table, base: Bet, held: Total) -> bool:
    """A forfeit that was not open, of a wager settled as though there were none.

    It was paid or stood off, or its doubled portion was lost with it. A hand with 21 is paid at once and has
    nothing left to forfeit (act-2018 10.2(b) 12.6, nz-2000 9.2 12.8, rws-2017 3.14, adelaide-2008 60 64(a));
    nor has who did not double (64(b)): but where he got his wager back, it was kept by neither, unless the
    hand stood off.
    """
    moment = base.forfeited_at
    if moment is None or not _settled_as_played(table, base):
        return False
    stood_off = held.points == table.dealer.pile.total().points
    if did_not_double(table, base) and (stood_off or recorded_result(table, base) != "returned"):
        return True
    late = moment > table.dealer_second_at or after_next_card(table, base.hand, moment)
    return late or held.points == 21 or not forfeit_could_be_open(base.hand, moment)


def forfeited_by_surrender(table: Table, base: Bet) -> bool:
    """A hand given up after its double by a surrender, which came too late, and settled as forfeited.

    After a double a wager is given up by forfeiting it (act-2018 12.6, nz-2000 12.8, rws-2017 3.14,
    adelaide-2008 64(a)).
    """
    given_up = base.surrendered_at is not None and recorded_result(table, base) == "forfeit"
    return given_up and forfeit_could_be_open(base.hand, base.surrendered_at)


def forfeit_read_off(table: Table, base: Bet) -> bool:
    """Whether a bet was settled as one forfeited, where decisions are not recorded."""
    if "decisions" in table.facts:
        return False
    return recorded_result(table, base) == "forfeit"


def may_have_forfeited(table: Table, base: Bet) -> bool:
    """Whether a bet was lost and its doubled portion went back, where decisions are not recorded.

    That is what a forfeit comes to by another word (act-2018 12.6, nz-2000 12.8, rws-2017 3.14,
    adelaide-2008 64(a)), and a portion that should have been taken; to a dealer's Pontoon it may go back.
    """
    if "decisions" in table.facts or recorded_result(table, base) != "lose" or annulled(table):
        return False
    portions = table.doubled_portions(base)
    return bool(portions) and all(recorded_result(table, each) == "returned" for each in portions)


def _settled_as_played(table: Table, base: Bet) -> bool:
    if recorded_result(table, base) in ("win", "stand_off", "returned"):
        return True
    return any(recorded_result(table, each) == "lose" for each in table.doubled_portions(base))


def recorded_result(table: Table, base: Bet) -> str | None:
    """The result that stands recorded for the stake of a bet."""
    lines = base.standing_lines("stake")
    return lines[-1][1].result if lines else None


def annulled(table: Table) -> bool:
    """Whether the dealer's first two cards are a Pontoon."""
    return is_pontoon(table.dealer, table.dealer.faces[:2]) and not late_first_card(table)
