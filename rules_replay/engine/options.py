"""The player's options: surrender, split, double, forfeit. Was each one open when it was taken?"""

from __future__ import annotations

from collections.abc import Iterator

from rules_replay.cards import Card
from rules_replay.engine.acts import DoubleAct, ForfeitAct, Removal, SplitAct, SurrenderAct
from rules_replay.engine.given_up import after_next_card, did_not_double
from rules_replay.engine.pieces import NEVER, Bet, Box, Hand, Pile
from rules_replay.engine.report import Report
from rules_replay.engine.table import Table, hand_total, most_doubled
from rules_replay.engine.voiding import voiding
from rules_replay.engine.windows import first_card_not_shown, offered_late, surrender_too_late
from rules_replay.log import WagerKind, amount_text


def check_options(table: Table, report: Report) -> None:
    """Every option taken, by kind in the order of the log."""
    _check_surrenders(table, report)
    _check_splits(table, report)
    _check_doubles(table, report)
    for bet in table.bets.values():
        if bet.kind == "split":
            _check_split_stake(table, bet, report)
        elif bet.kind == "double":
            _check_double_stake(table, bet, report)
    _check_forfeits(table, report)


def _check_surrenders(table: Table, report: Report) -> None:
    codes: set[tuple[int, str]] = set()
    for act in table.surrenders:
        code = _surrender_offence(table, act)
        if code is None or (act.hand.box, code) in codes:
            continue
        codes.add((act.hand.box, code))
        report.find(
            code,
            seq=act.seq,
            hand=act.hand,
            bet=act.bet,
            expected=_SURRENDER_RULES[code],
            recorded=_surrender_moment(table, act, code),
        )
    if table.surrenders and table.book.reads("surrender_binds") == "box" and not table.void:
        for box in table.boxes.values():
            _check_surrender_binds(table, box, report)


_SURRENDER_RULES = {
    "surrender.after-split": "no surrender of a split hand",
    "surrender.upcard": "an ace, king, queen or jack as the dealer's first card",
    "surrender.timing": "surrender before the moment the rulebook ends it",
}


def _surrender_offence(table: Table, act: SurrenderAct) -> str | None:
    if act.of_split and not offered_late(table, act):
        return "surrender.after-split"
    upcard = table.upcard
    if upcard is None or table.dealer.cards[0].seq > act.seq:
        return None if first_card_not_shown(table) else "surrender.timing"
    if not upcard.may_begin_pontoon:
        return "surrender.upcard"
    return "surrender.timing" if surrender_too_late(table, act) else None


def _surrender_moment(table: Table, act: SurrenderAct, code: str) -> str:
    if code == "surrender.upcard":
        return f"the dealer shows {table.upcard}"
    if code == "surrender.after-split":
        return f"hand {act.hand.no} came from a split"
    return f"surrendered at event {act.seq} with {len(act.held)} cards"


def _check_surrender_binds(table: Table, box: Box, report: Report) -> None:
    """act-2018 9.2 9.5, nz-2000 9.6: all then on the box surrender, or nobody."""
    called_at = {id(act.hand): act.seq for act in table.surrenders if act.hand.box == box.no}
    bets = [
        bet
        for bet in box.mains
        if bet.seq < called_at.get(id(bet.hand), -1)
        and bet.void_at is None
        and bet.withdrawn_at is None
        and bet.hand.void_at is None
    ]
    gave_up = [bet for bet in bets if bet.surrendered_at is not None]
    if gave_up and len(gave_up) < len(bets):
        odd = next(bet for bet in bets if bet.surrendered_at is None)
        report.find(
            "surrender.all-players",
            seq=gave_up[0].surrendered_at,
            bet=odd if gave_up[0] is box.mains[0] else gave_up[0],
            expected="every wager on the box surrenders with the controlling player, or none",
            recorded=f"{len(gave_up)} of {len(bets)} surrendered",
        )


def _check_splits(table: Table, report: Report) -> None:
    barred = table.book.word("split.declined") == "barred"
    declined = _declined(table) if barred else {}
    seen: set[tuple[int, str]] = set()
    for act in table.splits:
        for code, expected, recorded in _split_faults(table, act, declined):
            if (id(act.hand), code) not in seen:
                seen.add((id(act.hand), code))
                report.find(code, seq=act.seq, hand=act.hand, expected=expected, recorded=recorded)
        _check_split_placed(table, act, report)
    for assign in table.assigns:
        _check_assign(table, assign.bet, assign.seq, assign.hand, report)


def _split_faults(
    table: Table, act: SplitAct, declined: dict[int, list[tuple[int, int]]]
) -> Iterator[tuple[str, str, str]]:
    """Why a split was not open: code, what was expected and what is recorded."""
    most = table.book.whole("split.hands_per_box")
    if len(act.held) > 2:
        yield "split.more-than-two-cards", "a hand of two cards", f"{len(act.held)} cards"
    elif len(act.held) == 2 and not _pair(table, act.cards):
        cards = " ".join(str(each) for each in act.cards)
        yield "split.unequal-value", "two cards of equal value", cards
    if act.hands_after > most:
        yield "split.too-many-hands", f"at most {most} hands from a box", f"{act.hands_after} hands"
    if _aces_again(table, act):
        yield "split.aces-resplit", "aces split once", "split again"
    if _declined_before(act, declined):
        yield "split.declined", "no split after declining one", "split later in the round"


def _check_split_placed(table: Table, act: SplitAct, report: Report) -> None:
    """A split needs a wager on the new hand; one that the log breaks off at may still get it."""
    placed = bool(table.joined("split", act.to))
    riders = table.bets_on(act.hand)
    if not placed and riders and act.seq + 1 < len(table.round.events):
        report.find(
            "split.stake",
            seq=act.seq,
            hand=act.to,
            bet=riders[0],
            expected=f"{amount_text(riders[0].root.placed.amount)} on the new hand",
            recorded="no wager",
        )


def _equal_value(cards: tuple[Card, ...]) -> bool:
    first, second = cards[:2]
    if not first.readable or not second.readable:
        return True
    return first.value == second.value


def _pair(table: Table, cards: tuple[Card, ...]) -> bool:
    """Two cards that may be split: of one value, or under one reading of one rank."""
    ranks = {each.rank for each in cards if each.readable}
    return _equal_value(cards) and (len(ranks) < 2 or table.book.reads("split_pair") == "equal_value")


def _aces_again(table: Table, act: SplitAct) -> bool:
    if not act.held or not _only_aces(act.held):
        return False
    earlier = [each for each in table.splits if each.seq < act.seq and each.hand.box == act.hand.box]
    return any(act.hand in (each.hand, each.to) and _only_aces(each.held) for each in earlier)


def _only_aces(held: Pile) -> bool:
    return held.aces == held.size


def _declined_before(act: SplitAct, declined: dict[int, list[tuple[int, int]]]) -> bool:
    """adelaide-2008 67(b) 68: a pair of the box that was drawn to, doubled or stood on earlier."""
    if not act.held:
        return False
    value = act.cards[0].value
    return any(seq < act.seq and value == of_pair for seq, of_pair in declined.get(act.hand.box, ()))


def _declined(table: Table) -> dict[int, list[tuple[int, int]]]:
    """Pairs, not of aces, that were drawn to, doubled or stood on: seq and value of a card, by box."""
    moments = [
        *((draw.seq, draw.hand.box, draw.before) for draw in table.draws),
        *((act.seq, act.hand.box, act.held) for acts in (table.doubles, table.stands) for act in acts),
    ]
    found: dict[int, list[tuple[int, int]]] = {}
    for seq, box, held in moments:
        cards = held.faces if len(held) == 2 and held.legible else ()
        if cards and _equal_value(cards) and cards[0].rank != "A":
            found.setdefault(box, []).append((seq, cards[0].value))
    return found


def _check_assign(table: Table, bet: Bet, seq: int, hand: Hand, report: Report) -> None:
    """act-2018 11.2(b), adelaide-2008 81: a wager that is not split rides on the first hand.

    Of a hand split again, where the wager was split before, that is the hand it lies on.
    """
    first = bet.placed.hand if bet.kind == "split" else 1
    if table.book.word("split.co_wagerer_hand") == "first" and hand.no != first:
        report.find(
            "split.later-hand",
            seq=seq,
            bet=bet,
            expected="the first of the hands formed",
            recorded=f"hand {hand.no}",
        )


def _check_split_stake(table: Table, bet: Bet, report: Report) -> None:
    root = bet.root
    covering = table.covering(bet)
    together = sum(each.placed.amount for each in covering)
    if bet is covering[-1] and together not in (root.placed.amount, root.effective):
        report.find(
            "split.stake",
            seq=bet.seq,
            bet=bet,
            expected=f"{amount_text(root.placed.amount)}, as the original wager",
            recorded=amount_text(together),
        )
    act = table.formed.get(bet.hand)
    controller = table.controller(table.boxes[bet.box], bet.seq)
    if act is None or controller is None:
        return
    if not _takes_part(table, controller, "split", bet.hand):
        report.find(
            "split.not-controller",
            seq=bet.seq,
            bet=bet,
            expected="a split by the player who controls the box",
            recorded=f"split by {bet.player} alone",
        )
    if table.book.word("split.declined") == "barred" and _stayed_out(table, bet, act):
        report.find(
            "split.declined",
            seq=bet.seq,
            bet=bet,
            severity="notice",
            expected="no split after staying out of an earlier one",
            recorded=f"{bet.player} split later in the round",
        )


def _takes_part(table: Table, controller: Bet, kind: WagerKind, hand: Hand) -> bool:
    """Whether the player who controls a box has a split or doubled bet on a hand, for any wager of his."""
    return any(root.player == controller.player for root in table.joined(kind, hand))


def _stayed_out(table: Table, bet: Bet, act: SplitAct) -> bool:
    """Whether the player let an earlier split of the box go by (adelaide-2008 67(b) 68 81)."""
    if act.hand.box != bet.box:
        return False
    earlier = [each for each in table.splits if each.hand is act.hand and each.seq < act.seq]
    joined = {each.hand.no for each in table.group(bet.root) if each.kind == "split"}
    return any(each.to.no not in joined for each in earlier)


def _check_doubles(table: Table, report: Report) -> None:
    seen: set[int] = set()
    for act in table.doubles:
        reason = double_objection(table, act)
        if reason and id(act.hand) not in seen:
            seen.add(id(act.hand))
            report.find(
                "double.hand",
                seq=act.seq,
                hand=act.hand,
                expected=_DOUBLE_RULES[table.book.word("double.on")],
                recorded=reason,
            )
    for hand in table:
        if hand.doubled:
            _check_double_placed(table, hand, report)
            _check_one_card(table, hand, report)


_DOUBLE_RULES = {
    "two_cards_or_three_plus": "any hand under 21, split aces excepted",
    "two_cards": "the first two cards under 21, split aces excepted",
    "hard_nine_to_eleven": "two cards of hard 9, 10 or 11, split aces excepted",
}


def double_objection(table: Table, act: DoubleAct) -> str:
    """Why a hand may not be doubled; empty where it may."""
    cards = act.held
    counted = cards.total()
    if act.again:
        return "doubled before"
    if act.hand.split_aces:
        return "a split ace"
    if not cards.legible or len(cards) < 2:
        return ""
    if counted.points >= 21:
        return f"{counted}"
    rule = table.book.word("double.on")
    if rule != "two_cards_or_three_plus" and len(cards) != 2:
        return f"{len(cards)} cards"
    if rule == "hard_nine_to_eleven" and (counted.soft or counted.points not in (9, 10, 11)):
        return f"{counted}"
    return ""


def _check_double_placed(table: Table, hand: Hand, report: Report) -> None:
    """A double needs an additional wager by somebody on the hand."""
    riders = table.bets_on(hand)
    placed = any(table.double_of(bet) is not None for bet in riders)
    if hand.doubled_at is None or placed or not riders or hand.doubled_at + 1 >= len(table.round.events):
        return
    report.find(
        "double.stake",
        seq=hand.doubled_at,
        bet=riders[0],
        expected=f"an additional wager of at most {amount_text(riders[0].placed.amount)}",
        recorded="no wager",
    )


def _check_one_card(table: Table, hand: Hand, report: Report) -> None:
    if hand.void_at is not None or table.void:
        return
    taken = len(hand.cards) - hand.cards_at_double
    if taken == 0 and (_unfinished(table, hand) or _left_off(table, hand)):
        return
    if taken != 1:
        report.find(
            "double.one-card",
            seq=hand.cards[-1].seq if hand.cards else hand.doubled_at,
            hand=hand,
            expected="exactly one card after doubling",
            recorded=f"{taken} cards",
        )
        return
    # As with other cards that were not open to a hand, one that was burned off it again changed nothing.
    further = next((each for each in table.removals if each.hand is hand and _is_further(each)), None)
    if further is not None:
        report.find(
            "double.one-card",
            seq=further.drawn.seq,
            hand=hand,
            severity="procedure",
            expected="exactly one card after doubling",
            recorded=f"{further.drawn.card} dealt as another and burned",
        )


def _is_further(removal: Removal) -> bool:
    """Whether the card burned off a doubled hand lay on the one card of the double."""
    hand = removal.hand
    since = hand.doubled_at is not None and removal.drawn.seq > hand.doubled_at
    return since and len(removal.below) > hand.cards_at_double


def _unfinished(table: Table, hand: Hand) -> bool:
    """The log stops before the card could come."""
    doubled_at = hand.doubled_at or 0
    return table.last_deal_at < doubled_at and not any(bet.settled_at < NEVER for bet in table.bets_on(hand))


def _left_off(table: Table, hand: Hand) -> bool:
    """Nobody was left on a doubled hand for its card to be dealt to: each wager was given up since, or void.

    That a wager was given up then may be a fault; the card that did not come is none (ruling 2).
    """
    riders = table.bets_on(hand)
    return bool(riders) and all(_given_up_since(hand, bet) or voiding(table, bet) for bet in riders)


def _given_up_since(hand: Hand, bet: Bet) -> bool:
    doubled_at = hand.doubled_at or 0
    return any(
        moment is not None and moment > doubled_at for moment in (bet.surrendered_at, bet.forfeited_at)
    )


def _check_double_stake(table: Table, bet: Bet, report: Report) -> None:
    base = bet.on
    if base is None:
        return
    if bet.misplaced:
        report.find(
            "double.hand",
            seq=bet.seq,
            bet=bet,
            expected="a portion for a wager on the hand that is doubled",
            recorded=f"for wager {base.id} on hand {base.hand.no}",
        )
        return
    limits = table.round.limits
    step = limits.multiples if limits is not None else None
    too_small = (
        table.book.flag("double.minimum_increment")
        and step is not None
        and bet.placed.amount < min(step, base.placed.amount)
    )
    if table.added[bet] > most_doubled(base) or too_small:
        least = f", at least {amount_text(step)}" if too_small and step is not None else ""
        report.find(
            "double.stake",
            seq=bet.seq,
            bet=bet,
            expected=f"at most {amount_text(most_doubled(base))}{least}",
            recorded=amount_text(bet.placed.amount if too_small else table.added[bet]),
        )
    controller = table.controller(table.boxes[bet.box], bet.seq)
    if controller is not None and not _takes_part(table, controller, "double", bet.hand):
        report.find(
            "double.not-controller",
            seq=bet.seq,
            bet=bet,
            expected="a double by the player who controls the box",
            recorded=f"doubled by {bet.player} alone",
        )


def _check_forfeits(table: Table, report: Report) -> None:
    for act in table.forfeits:
        reason, lenient = forfeit_objection(table, act)
        if not reason:
            continue
        report.find(
            "forfeit.eligibility",
            seq=act.seq,
            bet=act.bet,
            severity="notice" if lenient else None,
            expected="a doubled hand, not above the limit, in time",
            recorded=reason,
        )


def forfeit_objection(table: Table, act: ForfeitAct) -> tuple[str, bool]:
    """Why a bet may not be forfeited, and whether that is no more than a notice.

    So it is under one reading where only a total of 21 speaks against it, and an input error where a player
    who did not double gives up his stake for nothing (adelaide-2008 64(b)).
    """
    hand = act.bet.hand
    if not hand.doubled or hand.doubled_at is None or act.seq < hand.doubled_at:
        return "the hand was not doubled", False
    if did_not_double(table, act.bet):
        return f"no portion of {act.bet.player} doubles the wager", True
    if len(act.held) <= hand.cards_at_double:
        return "the card of the double had not come", False
    if act.seq > table.dealer_second_at:
        return "after the dealer's second card", False
    if after_next_card(table, hand, act.seq):
        return "after a further card", False
    counted = hand_total(table, hand, act.held)
    if counted.bust:
        return f"the hand is over 21: {counted}", False
    if counted.points == 21 and act.held.legible:
        return f"the hand has {counted}", table.book.reads("forfeit_limit") == "21"
    return "", False
