"""Rounds to try the engine on: lawful ones, spoiled ones, and ones that make no sense.

Every round here is one that ingest would store: no event names a wager or hand that no
earlier event made. All choices come from one function, so that the same generators serve
Hypothesis (which shrinks what fails) and a seeded random walk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_args

import msgspec
from hypothesis import strategies as st

from audit.ingest.wire import Rejected, check_round
from rules_replay import log
from rules_replay.cards import DECK, LEGAL_TEXTS, card, total
from rules_replay.log import Amount, Round
from rules_replay.rulebook import Rulebook, load_rulebook, rulebook_ids
from tests.rounds import round_of, settled

T = TypeVar("T")
Choose = Callable[[Sequence[T]], T]

DECKS = 8
STACKS = (
    DECK,
    tuple(each for each in DECK if each[0] in "AKQJ8"),
    tuple(each for each in DECK if each[0] in "A23456"),
    tuple(each for each in DECK if each[0] in "678"),
)
"""Cards to deal from: the whole deck, and three that make Pontoons, long hands and sevens common."""

AMOUNTS = ("5", "10", "12.50", "25", "33", "100", "250")


# --- lawful rounds ------------------------------------------------------------------


@dataclass
class _Stake:
    """A main or split wager on a hand, and what became of it."""

    id: str
    player: str
    amount: str
    hand: int
    doubled: bool = False
    forfeited: bool = False
    surrendered: bool = False


@dataclass
class _Hand:
    cards: list[str] = field(default_factory=list)
    split_aces: bool = False
    doubled: bool = False


@dataclass
class _Box:
    no: int
    hands: dict[int, _Hand]
    stakes: list[_Stake]
    declined: bool = False


class _Table:
    """A dealer who keeps to the rules and players who take any option that is open."""

    def __init__(self, rulebook: str, choose: Choose[Any]) -> None:
        self.rulebook = rulebook
        self.book = load_rulebook(rulebook)
        self.choose = choose
        self.events: list[dict[str, Any]] = []
        self.boxes: list[_Box] = []
        self.dealer: list[str] = []
        self.insured = False
        self._seen: Counter[str] = Counter()
        self._stack = choose(STACKS)
        self._placed = 0

    def play(self) -> Round:
        """One round without its settlements."""
        self._place_wagers()
        for box in self.boxes:
            self._deal(box, 1)
        self._deal_dealer()
        for box in self.boxes:
            self._deal(box, 1)
        self._press()
        self._insure()
        self._surrender()
        for box in self.boxes:
            if not box.stakes[0].surrendered and self._points(box, 1) != 21:
                self._play_hand(box, 1)
        self._play_dealer()
        return round_of(self.rulebook, self.events, decks=DECKS)

    def _add(self, kind: str, /, **fields: Any) -> None:
        self.events.append({"e": kind} | fields)

    def _wager(self, box: int, player: str, kind: str, amount: str, **fields: Any) -> str:
        self._placed += 1
        wager = f"w{self._placed}"
        self._add("wager", id=wager, box=box, player=player, kind=kind, amount=amount, **fields)
        return wager

    def _place_wagers(self) -> None:
        side = self.choose((None, *self.book.side_kinds()))
        for no in self.choose(((1,), (2,), (1, 2), (1, 3), (1, 2, 3))):
            stakes = []
            for seat in range(self.choose((1, 1, 2, 3))):
                player, amount = f"P{no}{'abc'[seat]}", self.choose(AMOUNTS)
                stakes.append(_Stake(self._wager(no, player, "main", amount), player, amount, 1))
            if side is not None and self.choose((True, False)):
                self._wager(no, stakes[0].player, side, "5")
            self.boxes.append(_Box(no, {1: _Hand()}, stakes))

    def _draw(self) -> str:
        drawn = str(self.choose(self._stack))
        while self._seen[drawn] == DECKS:
            drawn = DECK[(DECK.index(drawn) + 1) % len(DECK)]
        self._seen[drawn] += 1
        return drawn

    def _deal(self, box: _Box, hand: int) -> None:
        drawn = self._draw()
        box.hands[hand].cards.append(drawn)
        self._add("deal", box=box.no, hand=hand, card=drawn)

    def _deal_dealer(self) -> None:
        self.dealer.append(self._draw())
        self._add("deal", box=0, card=self.dealer[-1])

    def _fixed(self, box: _Box, no: int, *, alone: bool) -> int:
        hand = box.hands[no]
        reading = self.book.reads("fixed_aces")
        own = alone and self.book.reads("co_wagerer_not_doubling_total") == "own"
        if not hand.doubled or reading == "none" or own:
            return 0
        if reading == "initial_deal":
            held = hand.cards[:2] if len(box.hands) == 1 else hand.cards[:1]
        else:
            held = hand.cards[:2]
        return sum(each[0] == "A" for each in held)

    def _points(self, box: _Box, no: int, *, alone: bool = False) -> int:
        cards = (card(each) for each in box.hands[no].cards)
        return total(cards, self._fixed(box, no, alone=alone)).points

    def _press(self) -> None:
        jackpots = {event["box"] for event in self.events if event.get("kind") == "pandemonium"}
        for box in self.boxes:
            if box.no in jackpots and self._points(box, 1) == 21:
                self._add("press", box=box.no, multiplier=self.choose(self.book.multipliers()))

    def _insure(self) -> None:
        if self.dealer[0][0] != "A":
            return
        for box in self.boxes:
            for stake in box.stakes:
                if self._points(box, 1) != 21 and self.choose((True, False, False)):
                    half = log.amount_text(Amount.parse(stake.amount) // 2)
                    self._wager(box.no, stake.player, "insurance", half, on=stake.id)
                    self.insured = True

    def _surrender(self) -> None:
        if self.dealer[0][0] not in "AKQJ":
            return
        for box in self.boxes:
            if self._points(box, 1) != 21 and self.choose((True, False, False)):
                self._add("surrender", box=box.no, hand=1)
                for stake in box.stakes:
                    stake.surrendered = True

    def _play_hand(self, box: _Box, no: int) -> None:
        hand = box.hands[no]
        if len(hand.cards) == 1:
            self._deal(box, no)
        while self._points(box, no) < 21 and not hand.split_aces:
            option = self.choose(self._options(box, no))
            if option == "stand":
                self._add("stand", box=box.no, hand=no)
                return
            if option == "double":
                self._double(box, no)
                return
            if option == "split":
                self._split(box, no)
                return
            self._deal(box, no)

    def _options(self, box: _Box, no: int) -> list[str]:
        cards = [card(each) for each in box.hands[no].cards]
        counted = total(cards)
        options = ["card"] if counted.points < 12 else ["card", "stand"]
        pair = len(cards) == 2 and cards[0].value == cards[1].value
        room = len(box.hands) < self.book.whole("split.hands_per_box")
        if pair and room and not box.declined:
            options += ["split", "split"]
            box.declined = self.book.word("split.declined") == "barred"
        rule = self.book.word("double.on")
        hard_9_to_11 = not counted.soft and 9 <= counted.points <= 11
        if (len(cards) == 2 or rule == "two_cards_or_three_plus") and (
            rule != "hard_nine_to_eleven" or hard_9_to_11
        ):
            options.append("double")
        return options

    def _split(self, box: _Box, no: int) -> None:
        box.declined = False
        hand, new = box.hands[no], len(box.hands) + 1
        aces = all(each[0] == "A" for each in hand.cards)
        box.hands[new] = _Hand([hand.cards.pop()], split_aces=aces)
        hand.split_aces = aces
        self._add("split", box=box.no, hand=no, to=new)
        stayed_out = {each.player for each in box.stakes} - self._split_so_far(box, no)
        for stake in [each for each in box.stakes if each.hand == no]:
            controls = stake.player == box.stakes[0].player
            if controls or (stake.player not in stayed_out and self.choose((True, False))):
                root = next(each for each in box.stakes if each.player == stake.player)
                wager = self._wager(box.no, stake.player, "split", root.amount, hand=new, on=root.id)
                box.stakes.append(_Stake(wager, stake.player, root.amount, new))
        self._play_hand(box, no)
        self._play_hand(box, new)

    def _split_so_far(self, box: _Box, no: int) -> set[str]:
        """Players who split whenever the box was split; all of them before the first split."""
        hands = len(box.hands) - 1
        counts = Counter(each.player for each in box.stakes)
        return {player for player, count in counts.items() if count == hands}

    def _double(self, box: _Box, no: int) -> None:
        box.hands[no].doubled = True
        self._add("double", box=box.no, hand=no)
        mine = [each for each in box.stakes if each.hand == no]
        for stake in mine:
            if stake is mine[0] or self.choose((True, False)):
                stake.doubled = True
                self._wager(box.no, stake.player, "double", stake.amount, hand=no, on=stake.id)
        self._deal(box, no)
        for stake in mine:
            if stake.doubled and self._points(box, no) < 21 and self.choose((True, False, False)):
                stake.forfeited = True
                self._add("forfeit", wager=stake.id)

    def _play_dealer(self) -> None:
        live = any(self._live(box, stake) for box in self.boxes for stake in box.stakes)
        given_up = any(stake.surrendered for box in self.boxes for stake in box.stakes)
        if live or self.insured or given_up:
            self._deal_dealer()
        while live and self._dealer_draws():
            self._deal_dealer()

    def _dealer_draws(self) -> bool:
        counted = total(card(each) for each in self.dealer)
        return counted.points < (18 if counted.soft else 17)

    def _live(self, box: _Box, stake: _Stake) -> bool:
        if stake.surrendered or stake.forfeited:
            return False
        return self._points(box, stake.hand, alone=not stake.doubled) < 21


def lawful(rulebook: str, choose: Choose[Any]) -> Round:
    """A round that keeps to every rule, its wagers not yet settled."""
    return _Table(rulebook, choose).play()


# --- spoiled and senseless rounds ---------------------------------------------------


def spoiled(rulebook: str, choose: Choose[Any]) -> Round:
    """A lawful round, settled as due, in which events were dropped, doubled, moved or changed."""
    whole = settled(lawful(rulebook, choose), load_rulebook(rulebook))
    events = list(whole.events)
    for _ in range(choose((1, 1, 2, 3))):
        changed = _spoil(events, choose)
        if _storable(whole, changed):
            events = changed
    facts = choose((log.FACTS, log.FACTS, (), ("burns", "cut_card"), ("decisions",)))
    return msgspec.structs.replace(whole, events=tuple(events), records=facts)


def _spoil(events: list[Any], choose: Choose[Any]) -> list[Any]:
    place = choose(range(len(events)))
    other = choose(range(len(events)))
    event = events[place]
    fault = choose(("drop", "double", "swap", "change", "change", "burn"))
    if fault == "drop":
        return events[:place] + events[place + 1 :]
    if fault == "double":
        return [*events[: other + 1], event, *events[other + 1 :]]
    if fault == "swap":
        spoiled_ = list(events)
        spoiled_[place], spoiled_[other] = spoiled_[other], spoiled_[place]
        return spoiled_
    if fault == "burn" and isinstance(event, log.Deal):
        burned = log.Burn(card=event.card, source="hand", box=event.box, hand=event.hand)
        return [*events[: place + 1], burned, *events[place + 1 :]]
    return [*events[:place], _changed(event, choose), *events[place + 1 :]]


def _changed(event: Any, choose: Choose[Any]) -> Any:
    match event:
        case log.Deal():
            return msgspec.structs.replace(event, card=log.CardText(choose(sorted(LEGAL_TEXTS))))
        case log.Wager():
            return msgspec.structs.replace(event, amount=Amount.parse(choose(AMOUNTS)))
        case log.Settle():
            paid, taken = (Amount.parse(choose(("0", *AMOUNTS))) for _ in range(2))
            return msgspec.structs.replace(event, result=choose(get_args(log.Result)), paid=paid, taken=taken)
        case log.Stand() | log.Surrender() | log.Double():
            return msgspec.structs.replace(event, box=choose((1, 2, 3)))
    return event


def _storable(round_: Round, events: Sequence[Any]) -> bool:
    try:
        check_round(msgspec.structs.replace(round_, events=tuple(events)))
    except Rejected:
        return False
    return True


def senseless(rulebook: str, choose: Choose[Any]) -> Round:
    """Events of any kind in any order: cards before wagers, insurance on a pair, doubles without a card."""
    makers = _Senseless(choose)
    for _ in range(choose(range(26))):
        makers.add()
    limits = choose(({}, {"limits": {"min": "10", "max": "50", "multiples": "5", "smallest_chip": "5"}}))
    facts = choose(({}, {"records": ["burns"]}))
    round_ = round_of(rulebook, makers.events, **limits, **facts)
    check_round(round_)
    return round_


class _Senseless:
    def __init__(self, choose: Choose[Any]) -> None:
        self.choose = choose
        self.events: list[dict[str, Any]] = []
        self.wagers: list[str] = []
        self.hands = [(box, 1) for box in (1, 2, 3)]
        self.made: list[tuple[int, int]] = []
        self.settled: dict[int, str] = {}

    def add(self) -> None:
        """One more event that names nothing unknown."""
        kinds = ("deal",) * 6 + ("wager",) * 4 + tuple(log.EVENT_KINDS)
        if not self.wagers:
            kinds = tuple(each for each in kinds if each not in ("assign", "forfeit", "withdraw", "settle"))
        if not any(box for box, _ in self.made):
            kinds = tuple(each for each in kinds if each not in ("split", "double", "stand", "surrender"))
        kind = self.choose(kinds)
        self.events.append({"e": kind} | self._fields(kind))

    def _fields(self, kind: str) -> dict[str, Any]:
        boxed = [each for each in self.made if each[0]]
        on_a_hand = kind in ("split", "double", "stand", "surrender", "assign")
        box, hand = self.choose(boxed if on_a_hand else self.hands)
        place = {"box": box, "hand": hand}
        match kind:
            case "deal":
                dealt = self._or_dealer(place)
                self._make(dealt["box"], dealt.get("hand", 1))
                return dealt | {"card": self.choose(sorted(LEGAL_TEXTS))}
            case "wager":
                self._make(box, hand)
                return self._wager(box, hand)
            case "burn":
                return self._burn()
            case "split":
                new = max(no for of, no in self.hands if of == box) + 1
                self.hands.append((box, new))
                self._make(box, new)
                return place | {"to": new}
            case "stand" | "double":
                return place
            case "surrender":
                return place | self._maybe_wager()
            case "assign":
                return place | {"wager": self.choose(self.wagers)}
            case "forfeit" | "withdraw":
                return {"wager": self.choose(self.wagers)}
            case "press":
                return {"box": box, "multiplier": self.choose((0, 2, 7, 100))} | self._maybe_wager()
            case "void":
                return self._void(boxed)
            case "irregularity":
                return dict(self.choose(({}, place))) | {"code": self.choose(get_args(log.IrregularityCode))}
            case "settle":
                return self._settle()
        return {}

    def _make(self, box: int, hand: int) -> None:
        if (box, hand) not in self.made:
            self.made.append((box, hand))

    def _burn(self) -> dict[str, Any]:
        card = {"card": self.choose(DECK)}
        if not self.made or self.choose((False, True)):
            return card | {"from": "shoe"}
        box, hand = self.choose(self.made)
        return card | {"from": "hand", "box": box, "hand": hand}

    def _or_dealer(self, place: dict[str, int]) -> dict[str, int]:
        return dict(self.choose((place, place, {"box": 0})))

    def _maybe_wager(self) -> dict[str, str]:
        wager = self.choose((None, *self.wagers))
        return {} if wager is None else {"wager": wager}

    def _wager(self, box: int, hand: int) -> dict[str, Any]:
        wager = f"w{len(self.wagers) + 1}"
        kinds = get_args(log.WagerKind)
        on_another = ("split", "double", "insurance")
        kind = self.choose(kinds if self.wagers else [each for each in kinds if each not in on_another])
        fields = {"id": wager, "box": box, "hand": hand, "player": self.choose("ABC"), "kind": kind}
        if kind in on_another:
            fields["on"] = self.choose(self.wagers)
        self.wagers.append(wager)
        return fields | {"amount": self.choose(("0", "0.001", *AMOUNTS)), "limit": self.choose((None, "20"))}

    def _void(self, hands: list[tuple[int, int]]) -> dict[str, Any]:
        scopes: list[dict[str, Any]] = [{"scope": "round"}]
        if hands:
            box, hand = self.choose(hands)
            scopes.append({"scope": "hand", "box": box, "hand": hand})
        if self.wagers:
            scopes.append({"scope": "wager", "wager": self.choose(self.wagers)})
        return dict(self.choose(scopes))

    def _settle(self) -> dict[str, Any]:
        undone = self.choose((None, *self.settled))
        if undone is not None:
            return {"wager": self.settled.pop(undone), "reverses": undone}
        wager = self.choose(self.wagers)
        self.settled[len(self.events)] = wager
        return {
            "wager": wager,
            "line": self.choose(get_args(log.Line)),
            "result": self.choose(get_args(log.Result)),
            "paid": self.choose(("0", *AMOUNTS)),
            "taken": self.choose(("0", *AMOUNTS)),
        }


def unsettled(round_: Round) -> Round:
    """The round without its settlements."""
    kept = tuple(event for event in round_.events if not isinstance(event, log.Settle))
    return msgspec.structs.replace(round_, events=kept)


# --- strategies ---------------------------------------------------------------------

Maker = Callable[[str, Choose[Any]], Round]


def _of(maker: Maker) -> st.SearchStrategy[tuple[Rulebook, Round]]:
    @st.composite
    def make(draw: st.DrawFn) -> tuple[Rulebook, Round]:
        rulebook = draw(st.sampled_from(rulebook_ids()))
        return load_rulebook(rulebook), maker(rulebook, lambda listed: draw(st.sampled_from(listed)))

    return make()


lawful_rounds = _of(lawful)
spoiled_rounds = _of(spoiled)
senseless_rounds = _of(senseless)
any_rounds = st.one_of(lawful_rounds, spoiled_rounds, senseless_rounds)
"""Pairs of a rulebook and a round under it."""


def effective_burns(round_: Round) -> int:
    """How many cards were taken off a hand that held one."""
    held: Counter[tuple[int, int]] = Counter()
    burned = 0
    for event in round_.events:
        match event:
            case log.Deal():
                held[event.box, event.hand] += 1
            case log.Burn(source="hand") if held[event.box or 0, event.hand]:
                held[event.box or 0, event.hand] -= 1
                burned += 1
            case log.Split() if held[event.box, event.hand] >= 2:
                held[event.box, event.hand] -= 1
                held[event.box, event.to] += 1
    return burned
