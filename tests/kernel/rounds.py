"""Rounds on which the two engines have to agree, from lawful to nonsensical.

Every round here is one that ingest would store. `lawful_rounds`, `faulty_rounds` and
`reckless_rounds` are walks from a seed, for numbers of rounds; `nonsensical_rounds` is a
Hypothesis strategy, for what it can shrink. Rounds of a shoe follow one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count, islice
from random import Random
from typing import Any, TypeAlias, get_args

import msgspec
from hypothesis import strategies as st

from data_samples.croupier import deal_night
from rules_replay import log
from rules_replay.cards import DECK
from rules_replay.log import Amount, AnyEvent, CardText, Limits, Round
from rules_replay.rulebook import load_rulebook, rulebook_ids
from tests.rounds import settled
from tests.strategies import Choose, lawful, senseless

Traced: TypeAlias = tuple[int | None, AnyEvent]
"""An event and its seq in the round that it was taken from, None for a new one."""

POOL = 240
"""Rounds dealt in earnest, of which reckless ones are made."""

CARDS = tuple(
    CardText(card)
    for card in (
        *DECK,
        *("AS", "AH", "KS", "QH", "JD", "6S", "7S", "8S", "7S", "7S", "7H", "5C") * 4,
        *("10S", "TH", "10D", "JK", "JK", "??", "??", "??"),
    )
)
"""Cards put in place of others: any, and more often those on which a rule turns."""

AMOUNTS = tuple(
    Amount.parse(text)
    for text in (
        *("0", "0.001", "1", "2.50", "5", "7", "10", "12.50", "25", "33", "50", "100", "250", "10000"),
        "999999999999.999",
    )
)
"""Amounts put in place of others, from nothing to the most that a log may hold."""

_SOME = tuple(Amount.parse(text) for text in ("0", "0.001", "2.50", "5", "10", "25", "100"))
_CODES = get_args(log.IrregularityCode)
_CODES_OF_OPTIONS: tuple[log.IrregularityCode, ...] = (
    "option_not_offered",
    "option_not_offered",
    "missed_first_card",
    "short_hand",
)
_RESULTS = get_args(log.Result)
_KINDS = get_args(log.WagerKind)
_SIDES: tuple[log.WagerKind, ...] = ("perfect_pairs", "pair", "pandemonium")
_ON_ANOTHER = ("split", "double", "insurance")
_OTHER_KINDS = tuple(kind for kind in log.EVENT_KINDS if kind not in ("deal", "settle", "wager"))


def lawful_rounds(rulebook: str, seed: int, rounds: int) -> Iterator[Round]:
    """So many rounds dealt and settled as the rulebook wants them."""
    return (round_ for round_, _ in deal_night(rulebook, seed, rounds))


def faulty_rounds(rulebook: str, seed: int, rounds: int) -> Iterator[Round]:
    """So many rounds, in most of them one of the croupier's faults, one kind after another."""
    return (round_ for round_, _ in deal_night(rulebook, seed, rounds, faults="all", rate=0.8))


def reckless_rounds(rulebook: str, seed: int, rounds: int) -> Iterator[Round]:
    """So many rounds in which events were dropped, doubled, moved, changed and put in at random."""
    rng = Random(f"{rulebook} {seed}")
    return islice(_spoil_again_and_again(_pool(rulebook, seed), rng), rounds)


def _spoil_again_and_again(pool: Sequence[Round], rng: Random) -> Iterator[Round]:
    for turn in count():
        for number, round_ in enumerate(pool):
            spoiled = reckless(round_, rng)
            yield msgspec.structs.replace(
                spoiled, round_id=f"reckless-{turn}-{number}", shoe=f"{round_.shoe} {turn}"
            )


@cache
def _pool(rulebook: str, seed: int) -> tuple[Round, ...]:
    """Rounds to spoil: the croupier's, and those of players who take every option there is."""
    rng = Random(f"pool {rulebook} {seed}")
    book = load_rulebook(rulebook)
    eager = (settled(lawful(rulebook, rng.choice), book) for _ in range(POOL // 2))
    numbered = (msgspec.structs.replace(each, round_no=no) for no, each in enumerate(eager, start=1))
    return (*faulty_rounds(rulebook, seed, POOL // 2), *numbered)


def reckless(round_: Round, rng: Random) -> Round:
    """The round after some mischief, its events still such that each names only what was before it."""
    mischief = _Mischief(round_, rng)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 8, 13))):
        mischief.do()
    spoiled = msgspec.structs.replace(round_, events=resolved(mischief.events))
    return _another_head(spoiled, rng) if rng.random() < 0.3 else spoiled


def resolved(traced: Iterable[Traced]) -> tuple[AnyEvent, ...]:
    """The events without those that name a wager, hand or settlement which no earlier one made.

    A reversal names the settlement undone by its seq in the original round.
    """
    known = _Known()
    for seq, event in traced:
        known.add(seq, event)
    return tuple(known.events)


class _Known:
    """The wagers, hands and settlements made so far; ``settled`` goes by seq in the original round."""

    def __init__(self) -> None:
        self.events: list[AnyEvent] = []
        self.wagers: set[str] = set()
        self.hands: set[tuple[int, int]] = set()
        self.settled: dict[int, tuple[int, str]] = {}

    def add(self, seq: int | None, event: AnyEvent) -> None:
        """Take an event that names nothing unknown."""
        if isinstance(event, log.Settle):
            self._settle(seq, event)
        elif self._resolves(event):
            self.events.append(event)

    def _resolves(self, event: Any) -> bool:
        kind = type(event)
        if kind is log.Deal:
            return self._makes(event)
        if kind is log.Stand or kind is log.Double:
            return self._hand(event.box, event.hand)
        if kind is log.Wager:
            return self._place(event)
        if kind is log.Split:
            return self._split(event)
        if kind is log.Surrender or kind is log.Assign:
            return self._hand(event.box, event.hand) and self._wager(event.wager)
        if kind is log.Forfeit or kind is log.Withdraw or kind is log.Press:
            return self._wager(event.wager)
        if kind is log.Burn:
            return event.source == "shoe" or (event.box is not None and self._hand(event.box, event.hand))
        if kind is log.Void:
            return self._void(event)
        if kind is log.Irregularity:
            early = event.box is None or event.hand in (None, 1)
            return early or self._hand(event.box, event.hand)
        return True

    def _hand(self, box: int, hand: int) -> bool:
        return (box, hand) in self.hands

    def _makes(self, event: log.Deal | log.Wager) -> bool:
        """Whether a card or a wager can come to the hand; hand 1 of a box begins with either."""
        if event.hand == 1:
            self.hands.add((event.box, 1))
        return self._hand(event.box, event.hand)

    def _wager(self, wager: str | None) -> bool:
        return wager is None or wager in self.wagers

    def _place(self, event: log.Wager) -> bool:
        lacks = event.on is None and event.kind in _ON_ANOTHER
        if event.id in self.wagers or lacks or not self._wager(event.on):
            return False
        if self._makes(event):
            self.wagers.add(event.id)
            return True
        return False

    def _split(self, event: log.Split) -> bool:
        made = event.to == 1 or (event.box, event.to) in self.hands
        if made or not self._hand(event.box, event.hand):
            return False
        self.hands.add((event.box, event.to))
        return True

    def _void(self, event: log.Void) -> bool:
        if event.scope == "hand" and (event.box is None or not self._hand(event.box, event.hand)):
            return False
        return self._wager(event.wager) and (event.scope != "wager" or event.wager is not None)

    def _settle(self, seq: int | None, event: log.Settle) -> None:
        if event.wager not in self.wagers:
            return
        if event.reverses is not None:
            undone, wager = self.settled.pop(event.reverses, (0, ""))
            if wager == event.wager:
                self.events.append(msgspec.structs.replace(event, reverses=undone))
            return
        if seq is not None:
            self.settled[seq] = (len(self.events), event.wager)
        self.events.append(event)


class _Mischief:
    """The events of a round while they are being spoiled."""

    def __init__(self, round_: Round, rng: Random) -> None:
        self.rng = rng
        self.events: list[Traced] = list(enumerate(round_.events))
        self.wagers = [event for event in round_.events if isinstance(event, log.Wager)]
        self.boxes = sorted({wager.box for wager in self.wagers}) or [1]
        self.new = 0

    def do(self) -> None:
        """One more thing that should not have happened."""
        if not self.events:
            self._put_in()
            return
        self.rng.choice(_MISCHIEF)(self)

    def _drop(self) -> None:
        del self.events[self._place()]

    def _double(self) -> None:
        _, event = self.events[self._place()]
        self.events.insert(self._place(), (None, self._renamed(event)))

    def _swap(self) -> None:
        one, other = self._place(), self._place()
        self.events[one], self.events[other] = self.events[other], self.events[one]

    def _move(self) -> None:
        event = self.events.pop(self._place())
        self.events.insert(self.rng.randrange(len(self.events) + 1), event)

    def _break_off(self) -> None:
        del self.events[self._place() :]

    def _change(self) -> None:
        place = self._place()
        seq, event = self.events[place]
        self.events[place] = (seq, self._changed(event))

    def _change_card(self) -> None:
        dealt = [place for place, (_, event) in enumerate(self.events) if type(event) is log.Deal]
        if dealt:
            place = self.rng.choice(dealt)
            seq, event = self.events[place]
            self.events[place] = (seq, self._changed(event))

    def _put_in(self) -> None:
        place = self.rng.randrange(len(self.events) + 1)
        self.events.insert(place, (None, self._made()))

    def _deal_again(self) -> None:
        """A card more to the hand that was just dealt to."""
        place = self._place()
        _, event = self.events[place]
        if isinstance(event, log.Deal):
            another = msgspec.structs.replace(event, card=self.rng.choice(CARDS))
            self.events.insert(place + 1, (None, another))

    def _burn_last(self) -> None:
        """A card comes off the hand that it was just dealt to."""
        place = self._place()
        _, event = self.events[place]
        if isinstance(event, log.Deal):
            burn = log.Burn(card=event.card, source="hand", box=event.box, hand=event.hand)
            self.events.insert(place + 1, (None, burn))

    def _undo(self) -> None:
        """A settlement is undone, now or later, or before it came."""
        settled_ = [
            (place, seq, event.wager)
            for place, (seq, event) in enumerate(self.events)
            if seq is not None and type(event) is log.Settle and event.reverses is None
        ]
        if settled_:
            place, seq, wager = self.rng.choice(settled_)
            undoing = log.Settle(wager=self.rng.choice((wager, wager, self._wager())), reverses=seq)
            self.events.insert(self.rng.choice((place + 1, self._place())), (None, undoing))

    def _late_option(self) -> None:
        """The table reports something, and a player surrenders or insures afterwards."""
        rng = self.rng
        at = rng.choice(self.wagers) if self.wagers else None
        box = self._box() if at is None else at.box
        self._show_dealers_card()
        place = self._place()
        code = rng.choice(_CODES_OF_OPTIONS)
        reported = log.Irregularity(code=code, box=rng.choice((None, box, box)))
        late: AnyEvent = log.Surrender(box=box)
        if at is not None and rng.random() < 0.6:
            late = log.Wager(
                id=self._fresh(),
                box=box,
                player=rng.choice((at.player, at.player, self._player())),
                kind="insurance",
                amount=Amount(at.amount // 2),
                on=at.id,
            )
        self.events.insert(place, (None, reported))
        self.events.insert(rng.randrange(place, len(self.events)) + 1, (None, late))

    def _show_dealers_card(self) -> None:
        """The dealer's first card becomes one on which surrender or insurance is open."""
        for place, (seq, event) in enumerate(self.events):
            if isinstance(event, log.Deal) and event.box == 0:
                card = CardText(self.rng.choice(("AS", "AH", "KD")))
                self.events[place] = (seq, msgspec.structs.replace(event, card=card))
                return

    def _side_wager(self) -> None:
        """A side wager on a box before the first card, and the button pressed for it later."""
        rng = self.rng
        at = rng.choice(self.wagers) if self.wagers else None
        if at is None:
            return
        placed = log.Wager(
            id=self._fresh(),
            box=at.box,
            player=rng.choice((at.player, at.player, self._player())),
            kind=rng.choice(_SIDES),
            amount=rng.choice(_SOME),
        )
        self.events.insert(rng.choice((0, 1, self._place())), (None, placed))
        self.wagers.append(placed)
        for _ in range(rng.choice((0, 1, 1, 2))):
            pressed = log.Press(
                box=at.box,
                wager=rng.choice((None, None, placed.id, self._wager())),
                multiplier=rng.choice((2, 3, 7, 100)),
            )
            self.events.insert(self._place() + 1, (None, pressed))

    def _deal_pontoon(self) -> None:
        """A box receives an ace and a picture as its first two cards."""
        box = self._box()
        places = [
            place
            for place, (_, event) in enumerate(self.events)
            if isinstance(event, log.Deal) and event.box == box
        ]
        for place, card in zip(places, self.rng.sample(("AS", "KS"), 2), strict=False):
            seq, event = self.events[place]
            self.events[place] = (seq, msgspec.structs.replace(event, card=CardText(card)))

    def _place(self) -> int:
        return self.rng.randrange(len(self.events))

    def _fresh(self) -> str:
        self.new += 1
        return f"new{self.new}"

    def _renamed(self, event: AnyEvent) -> AnyEvent:
        """An event that may stand beside its original."""
        if isinstance(event, log.Wager):
            return msgspec.structs.replace(event, id=self._fresh())
        if isinstance(event, log.Split):
            return msgspec.structs.replace(event, to=self.rng.randint(2, 6))
        return event

    def _changed(self, event: AnyEvent) -> AnyEvent:
        rng = self.rng
        match event:
            case log.Deal() | log.Burn():
                if rng.random() < 0.8:
                    return msgspec.structs.replace(event, card=rng.choice(CARDS))
                return msgspec.structs.replace(event, box=self._box_or_dealer(), hand=self._hand())
            case log.Wager():
                return self._changed_wager(event)
            case log.Settle() if event.reverses is None:
                return self._changed_settlement(event)
            case log.Surrender():
                wager = rng.choice((None, self._wager()))
                return msgspec.structs.replace(event, box=self._box(), hand=self._hand(), wager=wager)
            case log.Stand() | log.Double() | log.Assign() | log.Split():
                return msgspec.structs.replace(event, box=self._box(), hand=self._hand())
            case log.Press():
                return msgspec.structs.replace(event, multiplier=rng.choice((0, 2, 7, 100, 10**9)))
            case log.Irregularity():
                return msgspec.structs.replace(event, code=rng.choice(_CODES))
            case log.Forfeit() | log.Withdraw():
                return msgspec.structs.replace(event, wager=self._wager())
        return event

    def _changed_wager(self, event: log.Wager) -> log.Wager:
        rng = self.rng
        match rng.randrange(6):
            case 0 | 1:
                return msgspec.structs.replace(event, amount=rng.choice(AMOUNTS))
            case 2:
                return msgspec.structs.replace(event, limit=rng.choice(_SOME))
            case 3:
                return msgspec.structs.replace(event, player=self._player())
            case 4:
                return msgspec.structs.replace(event, box=self._box(), hand=self._hand())
        return msgspec.structs.replace(event, kind=rng.choice(_KINDS), on=event.on or self._wager())

    def _changed_settlement(self, event: log.Settle) -> log.Settle:
        rng = self.rng
        match rng.randrange(4):
            case 0:
                return msgspec.structs.replace(event, result=rng.choice(_RESULTS))
            case 1:
                return msgspec.structs.replace(event, paid=rng.choice(AMOUNTS))
            case 2:
                return msgspec.structs.replace(event, taken=rng.choice(AMOUNTS))
        return msgspec.structs.replace(event, line=rng.choice(get_args(log.Line)), taken=rng.choice(_SOME))

    def _made(self) -> AnyEvent:
        """A new event of any kind."""
        kind = self.rng.choice(("deal", "deal", "settle", "wager", "wager", "wager", *_OTHER_KINDS))
        return _MAKERS[kind](self)

    def _box(self) -> int:
        return self.rng.choice((*self.boxes, *self.boxes, self.boxes[-1] + 1, self.rng.randint(1, 12)))

    def _box_or_dealer(self) -> int:
        return self.rng.choice((0, self._box()))

    def _hand(self) -> int:
        return self.rng.choice((1, 1, 1, 1, 2, 2, 3))

    def _wager(self) -> str:
        return self.rng.choice(self.wagers).id if self.wagers else "nobody's"

    def _player(self) -> str:
        return self.rng.choice(self.wagers).player if self.wagers else "P1"

    def _new_wager(self) -> log.Wager:
        rng = self.rng
        kind = rng.choice(("main", *_KINDS, "insurance"))
        at = rng.choice(self.wagers) if self.wagers and rng.random() < 0.7 else None
        made = log.Wager(
            id=self._fresh(),
            box=self._box() if at is None else at.box,
            hand=self._hand(),
            player=self._player() if at is None else at.player,
            kind=kind,
            amount=rng.choice(AMOUNTS) if at is None or rng.random() < 0.4 else Amount(at.amount // 2),
            on=(self._wager() if at is None else at.id) if kind in _ON_ANOTHER else None,
            limit=rng.choice((None, None, *_SOME)),
        )
        if rng.random() < 0.5:
            self.wagers.append(made)
        return made

    def _new_settlement(self) -> log.Settle:
        return log.Settle(
            wager=self._wager(),
            line=self.rng.choice(get_args(log.Line)),
            result=self.rng.choice(_RESULTS),
            paid=self.rng.choice(_SOME),
            taken=self.rng.choice(_SOME),
        )

    def _new_void(self) -> log.Void:
        scope = self.rng.choice(("round", "hand", "hand", "wager", "wager"))
        if scope == "hand":
            return log.Void(scope="hand", box=self._box(), hand=self._hand())
        return log.Void(scope="wager", wager=self._wager()) if scope == "wager" else log.Void(scope="round")

    def _new_irregularity(self) -> log.Irregularity:
        box = self.rng.choice((None, self._box_or_dealer(), self._box()))
        return log.Irregularity(
            code=self.rng.choice(_CODES), box=box, hand=self.rng.choice((None, 1, self._hand()))
        )

    def _new_burn(self) -> log.Burn:
        rng = self.rng
        if rng.random() < 0.6:
            return log.Burn(
                card=rng.choice(CARDS), source="hand", box=self._box_or_dealer(), hand=self._hand()
            )
        return log.Burn(
            card=rng.choice(CARDS),
            box=rng.choice((None, self._box_or_dealer())),
            hand=self._hand(),
            reason=rng.choice((None, "", "dropped")),
        )


_MISCHIEF = (
    _Mischief._drop,
    _Mischief._double,
    _Mischief._swap,
    _Mischief._move,
    _Mischief._move,
    _Mischief._change,
    _Mischief._change,
    _Mischief._change_card,
    _Mischief._change_card,
    _Mischief._change_card,
    _Mischief._put_in,
    _Mischief._put_in,
    _Mischief._put_in,
    _Mischief._put_in,
    _Mischief._deal_again,
    _Mischief._burn_last,
    _Mischief._undo,
    _Mischief._late_option,
    _Mischief._side_wager,
    _Mischief._deal_pontoon,
    _Mischief._break_off,
)

_MAKERS: Mapping[str, Callable[[_Mischief], AnyEvent]] = {
    "wager": _Mischief._new_wager,
    "no_more_bets": lambda _: log.NoMoreBets(),
    "deal": lambda m: log.Deal(box=m._box_or_dealer(), hand=m._hand(), card=m.rng.choice(CARDS)),
    "burn": _Mischief._new_burn,
    "surrender": lambda m: log.Surrender(
        box=m._box(), hand=m._hand(), wager=m.rng.choice((None, m._wager()))
    ),
    "split": lambda m: log.Split(box=m._box(), hand=m._hand(), to=m.rng.randint(2, 6)),
    "assign": lambda m: log.Assign(wager=m._wager(), box=m._box(), hand=m._hand()),
    "double": lambda m: log.Double(box=m._box(), hand=m._hand()),
    "stand": lambda m: log.Stand(box=m._box(), hand=m._hand()),
    "forfeit": lambda m: log.Forfeit(wager=m._wager()),
    "press": lambda m: log.Press(
        box=m._box(), wager=m.rng.choice((None, m._wager())), multiplier=m.rng.choice((0, 2, 3, 7, 100))
    ),
    "cut_card": lambda _: log.CutCard(),
    "void": _Mischief._new_void,
    "irregularity": _Mischief._new_irregularity,
    "withdraw": lambda m: log.Withdraw(wager=m._wager()),
    "settle": _Mischief._new_settlement,
}


def _another_head(round_: Round, rng: Random) -> Round:
    """The round as another table would have written it."""
    facts = tuple(fact for fact in log.FACTS if rng.random() < 0.6)
    return msgspec.structs.replace(
        round_,
        decks=rng.choice((round_.decks, round_.decks, 0, 1, 4, 6, 8, 9)),
        shuffler=rng.choice((round_.shuffler, *get_args(log.Shuffler))),
        records=rng.choice((None, round_.records, facts)),
        offers=rng.choice((None, (), tuple(side for side in _SIDES if rng.random() < 0.5), ("roulette",))),
        limits=rng.choice((None, round_.limits, _another_sign(rng))),
        last_rounds=rng.random() < 0.1,
        rulebook=rng.choice((None, round_.rulebook, *rulebook_ids(), "unknown-1999")),
    )


def _another_sign(rng: Random) -> Limits:
    """A sign on which at least something stands."""
    names = Limits.__struct_fields__
    said = {name: rng.choice(_SOME) for name in names if rng.random() < 0.5}
    return Limits(**(said or {"min": Amount(0)}))


def nonsensical(rulebook: str, choose: Choose[Any]) -> Round:
    """What may have begun as a round, and events of any kind in any order."""
    base = lawful(rulebook, choose)
    begun = base.events[: choose(range(len(base.events) + 1))]
    further = senseless(rulebook, choose)
    events: list[Traced] = [(None, event) for event in begun]
    for traced in enumerate(further.events):
        events.insert(choose((len(events), len(events), *range(len(events) + 1))), traced)
    return msgspec.structs.replace(further, events=resolved(events))


@st.composite
def _nonsensical(draw: st.DrawFn) -> Round:
    rulebook = draw(st.sampled_from(rulebook_ids()))
    return nonsensical(rulebook, lambda listed: draw(st.sampled_from(listed)))


nonsensical_rounds = _nonsensical()
"""Rounds that the decoder accepts and no table could deal."""
