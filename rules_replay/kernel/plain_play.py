"""The events of a plain round followed one after another, and refused as soon as it is none.

A hand has the number of its box, and that of another hand of a box is greater by so many boxes.
"""

from __future__ import annotations

from typing import Any, Final

from rules_replay.kernel.book import (
    FORFEIT_NOT_DOUBLING_ALLOWED,
    INSURANCE_INCREMENT_NONE,
    INSURANCE_THIRD_PARTY_BARRED,
    READS_DOUBLE_CUTS_BOX_ODDS_BOX,
    READS_DOUBLED_SPLIT_ODDS_TABLE,
    READS_FIXED_ACES_NONE,
    READS_INSURANCE_CAP_TOTAL,
    READS_INSURANCE_LIFE_LIVES,
    READS_INSURANCE_SPARES_MAIN_NO,
    READS_INSURANCE_WINDOW_BEFORE_ANY_DECISION,
    READS_INSURANCE_WINDOW_OWN_TURN,
    READS_JACKPOT_PRESS_EACH_PLAYER,
    READS_LATER_ACES_ALL_AT_ONE,
    READS_LATER_ACES_FREE,
    READS_PERSONAL_LIMIT_BOX,
    READS_PONTOON_BARS_INSURANCE_PLAYER,
    READS_SPLIT_BUST_TAKES_BOX,
    READS_SPLIT_ODDS_EVEN,
    READS_SPLIT_PAIR_EQUAL_VALUE,
    READS_SURRENDER_BINDS_BOX,
    READS_SURRENDER_WINDOW_OWN_TURN,
    SPLIT_CO_WAGERER_HAND_ANY,
    SPLIT_DECLINED_BARRED,
)
from rules_replay.kernel.codes import (
    ACE,
    CARDS_OF_A_DECK,
    CUT_CARD,
    DEAL,
    DECISIONS,
    DOUBLE,
    DOUBLE_BET,
    FORFEIT,
    FORFEITED,
    INSURANCE,
    MAIN,
    NEVER,
    NO_MORE_BETS,
    NOT,
    PERFECT_PAIRS,
    PRESS,
    SETTLE,
    SPLIT,
    SPLIT_BET,
    STAKE,
    STAND,
    SURRENDER,
    SURRENDERED,
    WAGER,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best, may_begin_pontoon, rank, value
from rules_replay.kernel.facts import are_pontoon, captures
from rules_replay.kernel.options import double_open
from rules_replay.kernel.records import (
    BOXES,
    PLAIN_BETS,
    PLAIN_DRAWS,
    PLAIN_SPLITS,
    Ints,
    Records,
    Table,
)
from rules_replay.kernel.sides import multiplier_known

_FIRST_HAND: Final = 256
"""The ``place`` of an event less its box, for the first hand of a box."""
_TO_DRAW: Final = (1 << 21) - 1
_TO_DRAW_WITH_ACE: Final = _TO_DRAW & ~(1 << 11)
_DEALER_TO_DRAW: Final = (1 << 17) - 1
_DEALER_TO_DRAW_WITH_ACE: Final = _DEALER_TO_DRAW & ~(0b1111 << 8)
"""A bit for each number of points, aces at one, with which a hand may have another card: up to 20, with an
ace all but 11, which are 21; the dealer's up to 16, with an ace all but 8 to 11, which are 18 to 21."""
_REFUSED: Final = -2
"""No hand, because the round is not plain."""


@inlined
def play_plainly(table: Table, events: Records, local: Ints) -> bool:
    """Follow the events; whether all of them are those of a plain round."""
    plain = table.space.plain
    plain.serial += 1
    plain.n_boxes = 0
    plain.n_hands = 1
    plain.n_cards = 0
    plain.sides = 0
    plain.called = False
    plain.unlimited = False
    plain.doubled = False
    plain.insured = False
    plain.split = False
    plain.surrendered = False
    plain.blind = not captures(table, DECISIONS)
    plain.cut_after = NOT
    plain.surrendered_at = NEVER
    plain.pressed_last = 0
    _seat(table, 0)
    seq = _take_wagers(table, events, local)
    if seq == NOT or plain.n_boxes == 0:
        return False
    seq = _take_initial_deal(table, events, seq)
    return seq != NOT and _take_play(table, events, local, seq)


@compiled
def _seat(table: Table, hand: int) -> None:
    """An empty hand."""
    at = table.space.plain.hands[hand]
    at.serial = table.space.plain.serial
    at.low = 0
    at.high = 0
    at.highest = 0
    at.counted = 0
    at.marks = 0
    at.staked = 0
    at.multiplier = 0
    at.n_mains = 0
    at.portions = 0
    at.forfeits = 0
    at.surrenders = 0
    at.left = 0
    at.last_draw = 0
    for kind in range(len(at.sides)):
        at.sides[kind] = 0
    at.first_main = NOT
    at.n_hands = 1
    at.split_from = NOT


@compiled
def _take_wagers(table: Table, events: Records, local: Ints) -> int:
    """The wagers before the first card, and the call that ends them; returns what comes next, or `NOT`."""
    plain = table.space.plain
    first = int(table.round.first)
    count = int(table.round.count)
    boxes = BOXES - 1 if table.book.wager_boxes == 0 else int(table.book.wager_boxes)
    seq = 0
    while seq < count and events[first + seq].kind == WAGER:
        event = events[first + seq]
        box = int(event.box)
        if seq == PLAIN_BETS or not 1 <= box <= boxes or event.hand != 1:
            return NOT
        if event.wager == NOT or local[event.wager] != NOT:
            return NOT
        if event.wager_kind == MAIN:
            if not _main_in_order(table, events, event, box):
                return NOT
        elif not _side_in_order(table, event, box):
            return NOT
        _new_bet(table, event, seq, box, local)
        seq += 1
    if plain.sides != 0 and not _sides_on_offer(table):
        return NOT
    if seq < count and events[first + seq].kind == NO_MORE_BETS:
        plain.called = True
        seq += 1
    return seq


@compiled
def _new_bet(table: Table, event: Any, seq: int, hand: int, local: Ints) -> None:
    plain = table.space.plain
    local[event.wager] = plain.n_bets
    bet = plain.bets[plain.n_bets]
    plain.n_bets += 1
    bet.seq = seq
    bet.kind = event.wager_kind
    bet.box = event.box
    bet.hand = hand
    bet.on = NOT
    bet.settled_at = NEVER
    bet.portions = 0
    bet.insured = False
    bet.forfeited = False
    bet.surrendered = False


@inlined
def _open_box(table: Table, box: int) -> None:
    """A box with its first main wager, put among the others in order."""
    plain = table.space.plain
    _seat(table, box)
    place = int(plain.n_boxes)
    while place > 0 and plain.order[place - 1] > box:
        plain.order[place] = plain.order[place - 1]
        place -= 1
    plain.order[place] = box
    plain.n_boxes += 1
    plain.n_hands += 1


@inlined
def _main_in_order(table: Table, events: Records, event: Any, box: int) -> bool:
    """Whether a main wager is within the sign, and not one too many on its box."""
    plain = table.space.plain
    sign = table.round
    book = table.book
    amount = int(event.amount)
    most = int(sign.limit_max)
    if event.limit != NOT:
        if book.reads_personal_limit == READS_PERSONAL_LIMIT_BOX:
            return False
        most = int(event.limit)
    if most == NOT:
        plain.unlimited = True
    elif amount > most:
        return False
    if amount < sign.limit_min or (sign.limit_multiples > 0 and amount % sign.limit_multiples != 0):
        return False
    at = plain.hands[box]
    if at.serial != plain.serial:
        _open_box(table, box)
        at.staked = amount
        at.n_mains = 1
        at.first_main = plain.n_bets
        return bool(sign.limit_box_max == NOT or amount <= sign.limit_box_max)
    at.staked += amount
    at.n_mains += 1
    if sign.limit_box_max != NOT and at.staked > sign.limit_box_max:
        return False
    if book.wager_players_per_box != 0 and at.n_mains > book.wager_players_per_box:
        return False
    return not (book.wager_one_main_per_player != 0 and has_main_on(table, events, box, int(event.player)))


@compiled
def has_main_on(table: Table, events: Records, box: int, player: int) -> bool:
    """Whether a player has a main wager on a box, among those taken so far."""
    plain = table.space.plain
    for main in range(plain.hands[box].first_main, plain.n_bets):
        at = plain.bets[main]
        if at.kind == MAIN and at.box == box and events[table.round.first + at.seq].player == player:
            return True
    return False


@inlined
def _side_in_order(table: Table, event: Any, box: int) -> bool:
    """Whether a side wager is on offer, within the sign, and on a box in play."""
    plain = table.space.plain
    sign = table.round
    book = table.book
    at = plain.hands[box]
    kind = int(event.wager_kind)
    amount = int(event.amount)
    if kind < PERFECT_PAIRS or at.serial != plain.serial:
        return False
    if amount < sign.limit_side_min or (sign.limit_side_max != NOT and amount > sign.limit_side_max):
        return False
    plain.sides |= 1 << kind
    at.sides[kind - PERFECT_PAIRS] += 1
    return bool(book.side_per_box == 0 or at.sides[kind - PERFECT_PAIRS] <= book.side_per_box)


@inlined
def _sides_on_offer(table: Table) -> bool:
    """Whether the kinds of side wager that were placed are on offer, and together."""
    sign = table.round
    book = table.book
    sides = int(table.space.plain.sides)
    offered = int(book.side_kinds) if sign.offers == NOT else int(book.side_kinds & sign.offers)
    if (sides >> PERFECT_PAIRS) & 1 and sign.decks < book.deck_minimum_with_perfect_pairs:
        return False
    return sides & ~offered == 0 and (book.side_one_kind_a_table == 0 or sides & (sides - 1) == 0)


@compiled
def _take_initial_deal(table: Table, events: Records, seq: int) -> int:
    """Once round the boxes, the dealer, once round again; returns what comes next, or `NOT`."""
    plain = table.space.plain
    boxes = int(plain.n_boxes)
    cards = 2 * boxes + 1
    if seq + cards > table.round.count:
        return NOT
    plain.order[boxes] = 0
    for place in range(boxes + 1):
        at = plain.hands[plain.order[place]]
        seq = _past_cut_card(table, events, seq, place, cards)
        card = _card_dealt(table, events, seq, int(plain.order[place]))
        if card == NOT:
            return NOT
        at.low = card
        at.counted = table.book.counted[card]
        seq += 1
    for place in range(boxes):
        at = plain.hands[plain.order[place]]
        seq = _past_cut_card(table, events, seq, boxes + 1 + place, cards)
        card = _card_dealt(table, events, seq, int(plain.order[place]))
        if card == NOT:
            return NOT
        at.low |= card << 8
        at.counted += table.book.counted[card]
        seq += 1
    return seq


@inlined
def _past_cut_card(table: Table, events: Records, seq: int, after: int, cards: int) -> int:
    """What comes next in the initial deal, after some of its ``cards``, but for the cutting card."""
    plain = table.space.plain
    if events[table.round.first + seq].kind != CUT_CARD or after == 0 or plain.cut_after != NOT:
        return seq
    plain.cut_after = after
    return seq + 1 if seq + 1 + cards - after <= table.round.count else seq


@inlined
def _card_dealt(table: Table, events: Records, seq: int, box: int) -> int:
    """The card that an event deals to the first hand of a box, `NOT` for none."""
    event = events[table.round.first + seq]
    card = int(event.card)
    dealt = event.kind == DEAL and event.place == _FIRST_HAND + box and 0 <= card < CARDS_OF_A_DECK
    return card if dealt else NOT


@inlined
def _lay(table: Table, hand: int, card: int) -> None:
    """Lay a card to a hand."""
    at = table.space.plain.hands[hand]
    at.cards[at.n] = card
    at.counted += table.book.counted[card]


@compiled
def card_of(hand: Any, place: int) -> int:
    """One of the first eight cards of a hand, by its place from 0."""
    return int(hand.low >> 8 * place) & 255


@compiled
def _hand_of(event: Any) -> int:
    """The number of the hand that an event is about, `NOT` for one that there is no room for."""
    box = int(event.box)
    no = int(event.hand)
    return box + BOXES * (no - 1) if 0 <= box < BOXES and 1 <= no <= PLAIN_SPLITS else NOT


@compiled
def _hand_at_play(table: Table, event: Any) -> int:
    """The number of the hand in play that an event is about, `NOT` for none.

    After the dealer's second card that is his own alone.
    """
    plain = table.space.plain
    hand = _hand_of(event)
    if hand == NOT or plain.hands[hand].serial != plain.serial or (hand > 0 and plain.hands[0].n > 1):
        return NOT
    return hand


@compiled
def _moves_in_turn(table: Table, hand: int, before: int) -> bool:
    """Whether a hand may go on after another one (`NOT`: after none) went on."""
    plain = table.space.plain
    at = plain.hands[hand]
    if hand == before:
        return True
    if before != NOT:
        plain.hands[before].turn_over = True
        if hand > 0 and before % BOXES > hand % BOXES:
            return False
    return bool(not at.turn_over and (at.split_from == NOT or plain.hands[at.split_from].n > 1))


@compiled
def _take_play(table: Table, events: Records, local: Ints, seq: int) -> bool:
    """Draws, stands and doubles of the boxes in turn, then the dealer's cards; settlements at any time."""
    plain = table.space.plain
    first = int(table.round.first)
    count = int(table.round.count)
    serial = int(plain.serial)
    blind = bool(plain.blind)
    if count - seq > PLAIN_DRAWS:
        return False
    draws = 0
    moved = NOT
    turn = 0
    while seq < count:
        event = events[first + seq]
        kind = event.kind
        if kind == DEAL:
            box = int(event.box)
            no = int(event.hand)
            card = int(event.card)
            if not 0 <= box < BOXES or not 1 <= no <= PLAIN_SPLITS or not 0 <= card < CARDS_OF_A_DECK:
                return False
            hand = box + BOXES * (no - 1)
            at = plain.hands[hand]
            its_turn = box if hand > 0 else BOXES
            if at.serial != serial or its_turn < turn or not _may_draw(at, hand):
                return False
            if at.marks != 0 and not _draw_marked(table, hand, moved):
                return False
            _lay(table, hand, card)
            plain.drawn_at[draws] = seq
            draws += 1
            at.last_draw = draws
            moved = hand
            turn = its_turn
        elif kind == SETTLE:
            if event.wager == NOT or local[event.wager] == NOT:
                return False
            bet = plain.bets[local[event.wager]]
            if bet.settled_at != NEVER or event.line != STAKE or event.reverses != NOT:
                return False
            bet.settled_at = seq
            if blind and not _read_off(table, bet, int(event.result)):
                return False
        elif kind == STAND:
            hand = _hand_at_play(table, event)
            if hand == NOT:
                return False
            plain.hands[hand].stood = True
            plain.hands[hand].closed = True
        elif kind == CUT_CARD:
            if plain.cut_after != NOT:
                return False
            plain.cut_after = 2 * int(plain.n_boxes) + 1 + draws
        else:
            moved = _take_option(table, events, event, seq, moved, draws, local)
            if moved == _REFUSED:
                return False
            turn = 0 if moved == NOT else BOXES if moved == 0 else moved % BOXES
        seq += 1
    _note_draws(table, draws)
    return True


@compiled
def _take_option(
    table: Table, events: Records, event: Any, seq: int, moved: int, draws: int, local: Ints
) -> int:
    """Anything but a card, a stand or a settlement; returns the hand that moved last, or `_REFUSED`."""
    plain = table.space.plain
    kind = event.kind
    if kind == WAGER:
        if not _take_later_wager(table, events, event, seq, moved, local):
            return _REFUSED
        return int(plain.bets[plain.n_bets - 1].hand) if event.wager_kind == DOUBLE_BET else moved
    if kind == FORFEIT:
        return moved if _forfeit(table, event, draws, local) else _REFUSED
    if kind == PRESS:
        return moved if _press(table, event) else _REFUSED
    hand = _hand_at_play(table, event)
    if hand == NOT:
        return _REFUSED
    if kind == DOUBLE:
        return hand if _double(table, hand, moved) else _REFUSED
    if kind == SPLIT:
        return hand if _split(table, event, hand, moved) else _REFUSED
    if kind == SURRENDER and _surrender(table, event, hand, seq, moved, local):
        return moved
    return _REFUSED


@inlined
def _may_draw(at: Any, hand: int) -> bool:
    """Whether a hand may have another card by its total: under 21, the dealer's under 17 or a soft 18."""
    if at.aces > 0:
        totals = _TO_DRAW_WITH_ACE if hand > 0 else _DEALER_TO_DRAW_WITH_ACE
    else:
        totals = _TO_DRAW if hand > 0 else _DEALER_TO_DRAW
    return bool((totals >> int(at.points)) & 1)


@compiled
def _draw_marked(table: Table, hand: int, moved: int) -> bool:
    """A card to a hand that was split, doubled or stood."""
    at = table.space.plain.hands[hand]
    if at.closed or not _moves_in_turn(table, hand, moved):
        return False
    at.closed = at.doubled or at.split_aces
    return True


@inlined
def _note_draws(table: Table, draws: int) -> None:
    """The moments of the cards after the initial deal; the dealer's are the last of them."""
    plain = table.space.plain
    plain.drawn_at[draws] = NEVER
    plain.drawn_at[draws + 1] = NEVER
    plain.n_cards = 2 * plain.n_boxes + 1 + draws
    dealers = draws - int(plain.hands[0].n) + 1
    plain.followed_at = plain.drawn_at[0]
    plain.second_at = plain.drawn_at[dealers]
    plain.third_at = plain.drawn_at[dealers + 1]
    plain.dealt_last = plain.drawn_at[draws - 1] if dealers < draws else NOT


@compiled
def _take_later_wager(table: Table, events: Records, event: Any, seq: int, moved: int, local: Ints) -> bool:
    """A wager on another one, of the same box."""
    plain = table.space.plain
    if event.wager == NOT or local[event.wager] != NOT or plain.n_bets == PLAIN_BETS:
        return False
    if event.on == NOT or local[event.on] == NOT or plain.hands[0].n > 1:
        return False
    on = local[event.on]
    under = plain.bets[on]
    hand = int(under.hand)
    if under.kind > SPLIT_BET or under.box != event.box:
        return False
    if event.wager_kind == DOUBLE_BET:
        done = _take_portion(table, events, event, on, moved)
    elif event.wager_kind == SPLIT_BET:
        hand = _hand_of(event)
        done = hand != NOT and _take_split_bet(table, events, event, on, hand)
    else:
        done = moved == NOT and event.wager_kind == INSURANCE and _take_insurance(table, events, event, on)
    if not done:
        return False
    _new_bet(table, event, seq, hand, local)
    plain.bets[plain.n_bets - 1].on = on
    return True


@compiled
def _double(table: Table, hand: int, moved: int) -> bool:
    """Double a hand in its turn, if that is open."""
    at = table.space.plain.hands[hand]
    if (
        hand == 0
        or at.doubled
        or at.closed
        or at.split_aces
        or at.left > 0
        or not _moves_in_turn(table, hand, moved)
    ):
        return False
    at.doubled = True
    at.cards_at_double = at.n
    at.aces_at_double = at.aces
    table.space.plain.doubled = True
    return at.n > 1 and double_open(table, at.n, at.points, at.aces)


@inlined
def _take_portion(table: Table, events: Records, event: Any, on: int, moved: int) -> bool:
    """A wager that doubles another one, once, before the card that follows."""
    plain = table.space.plain
    under = plain.bets[on]
    at = plain.hands[under.hand]
    if not at.doubled and (_awaits_card(table, _hand_of(event)) or not _double(table, under.hand, moved)):
        return False
    if under.portions > 0 or not _moves_in_turn(table, under.hand, moved):
        return False
    under.portions += 1
    at.portions += 1
    stake = events[table.round.first + under.seq].amount
    step = table.round.limit_multiples
    least = min(step, stake) if table.book.double_minimum_increment != 0 and step != NOT else 0
    return bool(at.n == at.cards_at_double and least <= event.amount <= stake)


@inlined
def _awaits_card(table: Table, hand: int) -> bool:
    """Whether a hand was doubled and has not had its card."""
    if hand == NOT or table.space.plain.hands[hand].serial != table.space.plain.serial:
        return False
    at = table.space.plain.hands[hand]
    return bool(at.doubled and at.n == at.cards_at_double)


@compiled
def _split(table: Table, event: Any, hand: int, moved: int) -> bool:
    """Split a pair in its turn, if that is open."""
    plain = table.space.plain
    book = table.book
    at = plain.hands[hand]
    box = plain.hands[int(event.box)]
    new = int(box.n_hands)
    if hand == 0 or at.n != 2 or at.doubled or at.closed or at.split_aces or at.left > 0:
        return False
    if book.split_declined == SPLIT_DECLINED_BARRED and (box.n_mains > 1 or _declined(table, int(event.box))):
        return False
    # Which hand a co-wagerer chose who did not split, decisions alone show (nz-2000 15.3(d)).
    if plain.blind and box.n_mains > 1 and book.split_co_wagerer_hand == SPLIT_CO_WAGERER_HAND_ANY:
        return False
    if event.to != new + 1 or new >= PLAIN_SPLITS or new >= book.split_hands_per_box:
        return False
    if not _splits_alike(table):
        return False
    one, two = card_of(at, 0), card_of(at, 1)
    if value(one) != value(two) or not _moves_in_turn(table, hand, moved):
        return False
    if rank(one) != rank(two) and book.reads_split_pair != READS_SPLIT_PAIR_EQUAL_VALUE:
        return False
    if not at.of_split:
        at.second = two
    plain.split = True
    plain.n_hands += 1
    box.n_hands += 1
    to = int(event.box) + BOXES * new
    _seat(table, to)
    at.low = 0
    at.counted = 0
    _lay(table, hand, one)
    _lay(table, to, two)
    at.of_split = True
    at.split_aces = rank(one) == ACE
    other = plain.hands[to]
    other.of_split = True
    other.split_aces = at.split_aces
    other.split_from = hand
    return True


@inlined
def _declined(table: Table, box: int) -> bool:
    """Whether a hand of a box was played on with a pair as its first two cards, which it might have split."""
    for no in range(table.space.plain.hands[box].n_hands):
        at = table.space.plain.hands[box + BOXES * no]
        if value(card_of(at, 0)) == value(card_of(at, 1)) and (at.n > 2 or at.stood or at.doubled):
            return True
    return False


@inlined
def _splits_alike(table: Table) -> bool:
    """Whether the readings in force leave split hands to themselves."""
    book = table.book
    odds = book.reads_split_odds == READS_SPLIT_ODDS_EVEN
    odds = odds or book.reads_doubled_split_odds == READS_DOUBLED_SPLIT_ODDS_TABLE
    odds = odds or book.reads_double_cuts_box_odds == READS_DOUBLE_CUTS_BOX_ODDS_BOX
    return bool(not odds and book.reads_split_bust_takes != READS_SPLIT_BUST_TAKES_BOX)


@inlined
def _take_split_bet(table: Table, events: Records, event: Any, on: int, hand: int) -> bool:
    """A wager on a hand that was just split off, no card having come since, as much as its player's main one.

    Whoever decides for the box places the first; the others may.
    """
    plain = table.space.plain
    at = plain.hands[hand]
    box = plain.hands[int(event.box)]
    if at.serial != plain.serial or at.split_from == NOT or at.n != 1 or plain.hands[at.split_from].n != 1:
        return False
    if plain.bets[on].settled_at != NEVER:
        return False
    main = int(box.first_main)
    if box.n_mains > 1:
        if plain.bets[on].kind != MAIN or (at.n_mains == 0 and on != main):
            return False
        if _rides_on(table, on, hand) or not _rides_on(table, on, at.split_from):
            return False
        main = on
    elif at.n_mains > 0:
        return False
    if at.n_mains == 0:
        at.first_main = plain.n_bets
    at.n_mains += 1
    return bool(event.amount == events[table.round.first + plain.bets[main].seq].amount)


@compiled
def _rides_on(table: Table, main: int, hand: int) -> bool:
    """Whether a main wager, or a split wager on it, is on a hand."""
    plain = table.space.plain
    for bet in range(main, plain.n_bets):
        at = plain.bets[bet]
        if at.hand == hand and (bet == main or (at.kind == SPLIT_BET and at.on == main)):
            return True
    return False


@inlined
def _take_insurance(table: Table, events: Records, event: Any, at: int) -> bool:
    """An insurance of a main wager against an ace, once, before any further card."""
    plain = table.space.plain
    book = table.book
    if book.reads_insurance_window == READS_INSURANCE_WINDOW_OWN_TURN:
        return False
    if book.reads_insurance_cap == READS_INSURANCE_CAP_TOTAL:
        return False
    if book.reads_pontoon_bars_insurance == READS_PONTOON_BARS_INSURANCE_PLAYER:
        return False
    if book.reads_insurance_life != READS_INSURANCE_LIFE_LIVES:
        return False
    if book.reads_insurance_spares_main != READS_INSURANCE_SPARES_MAIN_NO:
        return False
    on = plain.bets[at]
    insured = events[table.round.first + on.seq]
    if on.insured or 2 * event.amount > insured.amount:
        return False
    if event.player != insured.player and book.insurance_third_party == INSURANCE_THIRD_PARTY_BARRED:
        return False
    if book.reads_insurance_window == READS_INSURANCE_WINDOW_BEFORE_ANY_DECISION and _anyone_stood(table):
        return False
    if event.player != insured.player and not _plays(table, events, event.player):
        return False
    on.insured = True
    plain.insured = True
    chip = int(table.round.limit_smallest_chip)
    if book.insurance_increment != INSURANCE_INCREMENT_NONE and chip > 0 and 2 * event.amount % chip != 0:
        return False
    return rank(card_of(plain.hands[0], 0)) == ACE and not began_with_pontoon(table, on.box)


@inlined
def _plays(table: Table, events: Records, player: int) -> bool:
    """Whether a player has a main wager in the round."""
    plain = table.space.plain
    for bet in range(plain.n_bets):
        at = plain.bets[bet]
        if at.kind == MAIN and events[table.round.first + at.seq].player == player:
            return True
    return False


@inlined
def _anyone_stood(table: Table) -> bool:
    """Whether a hand had stood before any was dealt a further card or split."""
    plain = table.space.plain
    for hand in range(1, BOXES):
        if plain.hands[hand].serial == plain.serial and plain.hands[hand].stood:
            return True
    return False


@compiled
def began_with_pontoon(table: Table, box: int) -> bool:
    """Whether the first two cards of a box are Pontoon."""
    one, two = first_two(table, box)
    return are_pontoon(one, two)


@compiled
def first_two(table: Table, box: int) -> tuple[int, int]:
    """The first two cards of a box, which may have been split since."""
    at = table.space.plain.hands[box]
    return card_of(at, 0), int(at.second) if at.of_split else card_of(at, 1)


@compiled
def _surrender(table: Table, event: Any, hand: int, seq: int, moved: int, local: Ints) -> bool:
    """Surrender the two cards of a box, or one of several wagers on them, if that is open."""
    plain = table.space.plain
    at = plain.hands[hand]
    if hand == 0 or at.of_split or at.last_draw > 0 or at.doubled or at.closed:
        return False
    if moved != NOT:
        own_turn = table.book.reads_surrender_window == READS_SURRENDER_WINDOW_OWN_TURN
        if not own_turn or moved % BOXES >= hand:
            return False
    plain.surrendered = True
    plain.surrendered_at = min(plain.surrendered_at, seq)
    if event.wager != NOT and at.n_mains > 1:
        return _surrender_alone(table, hand, int(local[event.wager])) and _may_surrender(table, hand)
    if event.wager != NOT and local[event.wager] != at.first_main:
        return False
    at.surrendered = True
    at.closed = True
    return _may_surrender(table, hand)


@inlined
def _surrender_alone(table: Table, hand: int, bet: int) -> bool:
    """One of several at a box surrenders and the others play on, if the rulebook is read so."""
    if bet == NOT or table.book.reads_surrender_binds == READS_SURRENDER_BINDS_BOX:
        return False
    at = table.space.plain.bets[bet]
    if at.kind != MAIN or at.hand != hand or at.surrendered:
        return False
    at.surrendered = True
    table.space.plain.hands[hand].n_mains -= 1
    table.space.plain.hands[hand].left += 1
    return True


@compiled
def _may_surrender(table: Table, hand: int) -> bool:
    """Whether surrender is open for a hand of two cards, against the dealer's first."""
    plain = table.space.plain
    at = plain.hands[hand]
    return may_begin_pontoon(card_of(plain.hands[0], 0)) and best(at.points, at.aces, 0) != 21


@compiled
def _read_off(table: Table, bet: Any, result: int) -> bool:
    """Give up a wager as its settlement shows where no decisions are recorded (ruling 15), if it may be.

    What is given up so has no moment: nothing is said of when it was.
    """
    plain = table.space.plain
    at = plain.hands[bet.hand]
    if result == SURRENDERED:
        given_up = at.surrendered and at.surrenders == 0
        if (
            bet.kind != MAIN
            or at.of_split
            or at.last_draw > 0
            or at.doubled
            or at.stood
            or at.left > 0
            or given_up
        ):
            return False
        at.surrenders += 1
        at.surrendered = True
        at.closed = True
        plain.surrendered = True
        return _may_surrender(table, bet.hand)
    if result == FORFEITED and not bet.forfeited:
        return _give_up(table, bet)
    return True


@compiled
def _press(table: Table, event: Any) -> bool:
    """Press the button once for a box with Pontoon, from the dealer's left (rws-2017 3.8.1)."""
    plain = table.space.plain
    box = int(event.box)
    if table.book.reads_jackpot_press == READS_JACKPOT_PRESS_EACH_PLAYER or event.wager != NOT:
        return False
    if box <= plain.pressed_last or box >= BOXES or plain.hands[0].n > 1:
        return False
    at = plain.hands[box]
    if at.serial != plain.serial or not began_with_pontoon(table, box):
        return False
    plain.pressed_last = box
    at.multiplier = event.multiplier
    return multiplier_known(table, at.multiplier)


@compiled
def _forfeit(table: Table, event: Any, draws: int, local: Ints) -> bool:
    """Give up a main or split wager after the card that followed the double of its hand, if that is open."""
    plain = table.space.plain
    if event.wager == NOT or local[event.wager] == NOT or plain.hands[0].n > 1:
        return False
    bet = plain.bets[local[event.wager]]
    if bet.kind == DOUBLE_BET:
        bet = plain.bets[bet.on]
    if bet.portions == 0 and table.book.forfeit_not_doubling != FORFEIT_NOT_DOUBLING_ALLOWED:
        return False
    return _give_up(table, bet) and plain.hands[bet.hand].last_draw == draws


@compiled
def _give_up(table: Table, bet: Any) -> bool:
    """Give up a main or split wager, if its hand is doubled, has its card and neither won nor lost by it."""
    at = table.space.plain.hands[bet.hand]
    if bet.kind > SPLIT_BET or bet.forfeited or not at.doubled:
        return False
    bet.forfeited = True
    at.forfeits += 1
    total = best(at.points, at.aces, aces_held(table, bet.hand))
    return bool(at.n > at.cards_at_double and total <= 20)


@compiled
def aces_held(table: Table, hand: int) -> int:
    """How many aces of a doubled hand are held at one; only one not split may have a reading on its deal."""
    at = table.space.plain.hands[hand]
    if at.aces == 0 or table.book.reads_fixed_aces == READS_FIXED_ACES_NONE:
        return 0
    later = table.book.reads_later_aces
    if later == READS_LATER_ACES_ALL_AT_ONE:
        return int(at.aces)
    if later != READS_LATER_ACES_FREE:
        return int(at.aces_at_double)
    return int(rank(card_of(at, 0)) == ACE) + int(rank(card_of(at, 1)) == ACE)
