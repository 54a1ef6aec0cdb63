"""Bets given up: surrenders and forfeits that hold, that were refused, or that only the settlement shows."""

from __future__ import annotations

from rules_replay.kernel.book import (
    FORFEIT_DEADLINE_NEXT_CARD,
    FORFEIT_NOT_DOUBLING_ALLOWED,
    READS_SURRENDER_BINDS_BOX,
)
from rules_replay.kernel.codes import (
    ACE,
    DEAL,
    DECISIONS,
    DOUBLE,
    DRAW,
    FORFEITED,
    LOSE,
    MAIN,
    NOT,
    RETURNED,
    SETTLE_ORDER,
    SPLIT,
    SPLIT_BET,
    STAND_OFF,
    SURRENDER,
    SURRENDERED,
    WIN,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best, fixed_aces, may_begin_pontoon, rank, value
from rules_replay.kernel.facts import are_pontoon, captures, late_first_card, upcard
from rules_replay.kernel.records import Table
from rules_replay.kernel.short_hands import owed_cards, reported_short
from rules_replay.kernel.table import last_stake_line, on_hand
from rules_replay.kernel.windows import surrender_too_late


@compiled
def surrender_open(table: Table, base: int) -> bool:
    """Whether surrender could ever be open for this bet: an unsplit hand under 21, the right first card."""
    card = upcard(table)
    if card == NOT or not may_begin_pontoon(card):
        return False
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == SURRENDER and act.seq == table.space.bets[base].surrendered_at:
            fixed = not act.of_split and not act.elsewhere
            return bool(fixed and best(act.points, act.aces, 0) < 21)
    return False


@compiled
def _first_cards(table: Table, hand: int, most: int) -> int:
    """What so many first cards of a hand come to."""
    points = 0
    aces = 0
    seq = table.space.hands[hand].first
    while seq != NOT and most > 0:
        card = int(table.space.events[seq].card)
        points += value(card)
        aces += rank(card) == ACE
        most -= 1
        seq = table.space.links[seq].next
    return best(points, aces, 0)


@compiled
def may_have_surrendered(table: Table, base: int) -> bool:
    """Whether surrender was open for the first two cards of a hand, where only its settlement tells of it.

    Where each player decides for himself, others on the box may have split them (adelaide-2008 71).
    """
    card = upcard(table)
    if card == NOT or not may_begin_pontoon(card):
        return False
    at = table.space.bets[base]
    if not table.space.hands[at.hand].of_split:
        return _first_cards(table, int(at.hand), 2) != 21 and not _drew_on(table, int(at.hand))
    if at.kind != MAIN or splits_too(table, base):
        return False
    if table.book.reads_surrender_binds == READS_SURRENDER_BINDS_BOX:
        return False
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == SPLIT and act.box == table.space.hands[at.hand].box:
            return bool(act.n == 2 and best(act.points, act.aces, 0) != 21)
    return False


@compiled
def _drew_on(table: Table, hand: int) -> bool:
    """Whether a hand that all on it are settled as having surrendered has more cards than it then had.

    None comes to it after a surrender, and none is open after a card (act-2018 9.2 10.1, nz-2000 9.3,
    rws-2017 3.10, adelaide-2008 71): which of the two it was the log does not say.
    """
    if table.space.hands[hand].n <= 2:
        return False
    if table.book.reads_surrender_binds == READS_SURRENDER_BINDS_BOX:
        return True
    for bet in range(table.space.head.n_bets):
        if on_hand(table, bet, hand) and last_result(table, bet) != SURRENDERED:
            return False
    return True


@compiled
def splits_too(table: Table, base: int) -> bool:
    """Whether the player of a main wager placed a split wager besides."""
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind == SPLIT_BET and at.root == base:
            return True
    return False


@inlined
def surrender_refused(table: Table, base: int) -> bool:
    """A surrender too late, or of a hand that split or doubled on, settled as though there were none.

    The hand is then played as any other (act-2018 9.1 10.1, nz-2000 9.3, rws-2017 3.10, adelaide-2008 49 70).
    """
    if not _not_given_up(table, base) or not surrender_open(table, base):
        return False
    return surrendered_too_late(table, base) or _played_on(table, base)


@compiled
def _not_given_up(table: Table, base: int) -> bool:
    """Whether a wager was settled as one that was not surrendered.

    A dealer's Pontoon takes it in full either way: then only a further card shows that the hand was played.
    """
    last = last_stake_line(table, base)
    if last == NOT:
        return False
    settle = table.space.events[last]
    if settle.result not in (LOSE, FORFEITED):
        return settle.result in (WIN, STAND_OFF, RETURNED)
    at = table.space.bets[base]
    drew_on = table.space.hands[at.hand].last > at.surrendered_at
    return bool(settle.taken == at.effective and (drew_on or not annulled(table)))


@compiled
def surrender_without_effect(table: Table, base: int) -> bool:
    """A surrender that came too late and that the table did not give: the hand went on as it might."""
    if not _not_given_up(table, base) or not surrendered_too_late(table, base):
        return False
    return bool(surrender_open(table, base))


@compiled
def _played_on(table: Table, base: int) -> bool:
    """All on the hand had surrendered, and then it was split or doubled: one fault (ruling 2)."""
    at = table.space.bets[base]
    for number in range(table.space.head.n_bets):
        its = table.space.bets[number]
        stays = its.surrendered_at == NOT and its.void_at == NOT and its.withdrawn_at == NOT
        if stays and its.kind <= SPLIT_BET and its.hand == at.hand:
            return False
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind in (SPLIT, DOUBLE) and act.hand == at.hand and act.seq > at.surrendered_at:
            return True
    return False


@compiled
def surrendered_too_late(table: Table, base: int) -> bool:
    """Whether the surrender of a bet came after the moment at which the rulebook, as it is read, ends it."""
    surrendered_at = table.space.bets[base].surrendered_at
    for number in range(table.space.head.n_acts if surrendered_at != NOT else 0):
        act = table.space.acts[number]
        if act.kind == SURRENDER and act.seq == surrendered_at:
            return surrender_too_late(table, number)
    return False


@compiled
def read_off(table: Table, base: int, result: int) -> bool:
    """Where decisions are not recorded: whether the stake was last settled with this result."""
    if captures(table, DECISIONS):
        return False
    last = last_stake_line(table, base)
    return bool(last != NOT and table.space.events[last].result == result)


@compiled
def may_have_forfeited(table: Table, base: int) -> bool:
    """Whether a bet was lost and its doubled portion went back, where decisions are not recorded.

    That is what a forfeit comes to by another word (act-2018 12.6, nz-2000 12.8, rws-2017 3.14,
    adelaide-2008 64(a)), and a portion that should have been taken; to a dealer's Pontoon it may go back.
    """
    portion = table.space.bets[base].first_portion
    if portion == NOT or not read_off(table, base, LOSE) or annulled(table):
        return False
    while portion != NOT:
        if last_result(table, portion) != RETURNED:
            return False
        portion = table.space.bets[portion].next_portion
    return True


@compiled
def lost_by_surrender(table: Table, base: int) -> bool:
    """Whether only a surrender nobody recorded, annulled by the dealer's Pontoon, has a wager lost in full.

    The others on its hand played on and came to 21 or more, or a hand of two cards below 12 would stand off
    (rws-2017 3.10.1, adelaide-2008 71 72 73 106(c)). Over 21 it is lost either way, and was not surrendered
    unless it is seen to have waited for the dealer.
    """
    if not read_off(table, base, LOSE) or not annulled(table):
        return False
    bet = table.space.bets[base]
    last = last_stake_line(table, base)
    if table.space.events[last].taken != bet.effective or bet.first_portion != NOT:
        return False
    hand = int(bet.hand)
    if not may_have_surrendered(table, base):
        return False
    at = table.space.hands[hand]
    if best(at.points, at.aces, 0) < 12:
        owed = at.n == 2 and owed_cards(table, hand, at.doubled_at != NOT)
        return bool(owed and not reported_short(table, hand))
    if table.book.reads_surrender_binds == READS_SURRENDER_BINDS_BOX:
        return False
    riders = 0
    for other in range(table.space.head.n_bets):
        riders += on_hand(table, other, hand)
    total = best(at.points, at.aces, fixed_aces(table, hand))
    waited = captures(table, SETTLE_ORDER) and last > table.space.head.dealer_second_at
    return bool(riders > 1 and (total == 21 or (total > 21 and waited)))


@compiled
def did_not_double(table: Table, base: int) -> bool:
    """Whether a wager has no doubled portion to withdraw, others on its hand having one, and so no forfeit.

    nz-2000 12.8, rws-2017 3.14, adelaide-2008 64(b); act-2018 12.6 gives it to any player on the hand.
    """
    if table.book.forfeit_not_doubling == FORFEIT_NOT_DOUBLING_ALLOWED:
        return False
    if table.space.bets[base].first_portion != NOT:
        return False
    hand = table.space.bets[base].hand
    for bet in range(table.space.head.n_bets):
        if on_hand(table, bet, hand) and table.space.bets[bet].first_portion != NOT:
            return True
    return False


@compiled
def forfeited_undoubled(table: Table, bet: int) -> bool:
    """Whether a wager was forfeited before its hand had been doubled and given its card."""
    at = table.space.bets[bet]
    if at.forfeited_at == NOT:
        return bool(table.space.hands[at.hand].doubled_at == NOT)
    return not doubled_with_card(table, bet, at.forfeited_at)


@compiled
def doubled_with_card(table: Table, bet: int, moment: int) -> bool:
    """Whether the hand of a wager was doubled, and had its card at a moment."""
    its = table.space.hands[table.space.bets[bet].hand]
    if its.doubled_at == NOT:
        return False
    seq = its.first
    for _ in range(its.cards_at_double):
        if seq != NOT:
            seq = table.space.links[seq].next
    return bool(seq != NOT and seq < moment)


@compiled
def after_next_card(table: Table, hand: int, moment: int) -> bool:
    """Whether a card had come to anyone since the double's, where a forfeit is open only until then; one
    burned off its hand again has not come (nz-2000 12.8, 16.5).
    """
    doubled_at = table.space.hands[hand].doubled_at
    if doubled_at == NOT or table.book.forfeit_deadline != FORFEIT_DEADLINE_NEXT_CARD:
        return False
    card_at = moment
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == DRAW and act.hand == hand and act.seq > doubled_at:
            if not table.space.links[act.seq].undone:
                card_at = int(act.seq)
                break
    for seq in range(card_at + 1, moment):
        if table.space.events[seq].kind == DEAL and not table.space.links[seq].undone:
            return True
    return False


@inlined
def forfeit_refused(table: Table, base: int, points: int) -> bool:
    """A forfeit that was not open, of a wager settled as though there were none.

    It was paid or stood off, or its doubled portion was lost with it. A hand with 21 is paid at once and has
    nothing left to forfeit (act-2018 10.2(b) 12.6, nz-2000 9.2 12.8, rws-2017 3.14, adelaide-2008 60 64(a));
    nor has who did not double (64(b)): but where he got his wager back, it was kept by neither, unless the
    hand stood off.
    """
    result = last_result(table, base)
    if result not in (WIN, STAND_OFF, RETURNED) and not _double_lost(table, base):
        return False
    moment = int(table.space.bets[base].forfeited_at)
    late = moment > table.space.head.dealer_second_at
    late = late or after_next_card(table, int(table.space.bets[base].hand), moment)
    if late or points == 21 or forfeited_undoubled(table, base):
        return True
    dealer = table.space.hands[0]
    stood_off = points == best(dealer.points, dealer.aces, 0)
    return bool(did_not_double(table, base) and (stood_off or result != RETURNED))


@compiled
def forfeited_by_surrender(table: Table, base: int) -> bool:
    """A hand given up after its double by a surrender, which came too late, and settled as forfeited."""
    surrendered_at = table.space.bets[base].surrendered_at
    if surrendered_at == NOT or last_result(table, base) != FORFEITED:
        return False
    return doubled_with_card(table, base, surrendered_at)


@compiled
def _double_lost(table: Table, base: int) -> bool:
    """Whether a doubled portion of a wager is recorded as lost."""
    portion = table.space.bets[base].first_portion
    while portion != NOT:
        if last_result(table, portion) == LOSE:
            return True
        portion = table.space.bets[portion].next_portion
    return False


@compiled
def last_result(table: Table, bet: int) -> int:
    """The result that stands recorded for the stake of a bet, or `NOT`."""
    last = last_stake_line(table, bet)
    return NOT if last == NOT else int(table.space.events[last].result)


@compiled
def annulled(table: Table) -> bool:
    """Whether the dealer's first two cards are a Pontoon."""
    dealer = table.space.hands[0]
    if dealer.n < 2 or late_first_card(table):
        return False
    second = table.space.events[table.space.links[dealer.first].next].card
    return are_pontoon(table.space.events[dealer.first].card, second)
