"""Soundness of the payout tables: for every hand that can win, exactly one row applies.

Every final hand that a player can reach is enumerated (`final_hands`), as are pairs, the
dealer's totals and the stakes at the edges of the bonus tiers. Each is held against the rows
as printed (`rules_replay.printed`), which know no order of precedence. A case that no row
covers is a gap; two rows that pay differently and of which no clause names the one that
gives way are an overlap; a row that no case reaches is unreachable. What is left is held
against what the engine pays. The hands of an irregularity (a short hand, adelaide-2008 106)
are paid by their own clause and left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from itertools import product
from typing import Generic, Literal, TypeAlias, TypeVar

from rules_replay import log
from rules_replay.cards import DECK, RANKS, SUITS, Card, Total, card, total
from rules_replay.engine import play
from rules_replay.engine.dealers_cards import is_dealer_pontoon, must_draw
from rules_replay.engine.laying_out import lay_out
from rules_replay.engine.payout import odds_text, pair_row
from rules_replay.engine.pieces import Bet
from rules_replay.engine.settlement import winning_row
from rules_replay.engine.standing import Place, Standing
from rules_replay.engine.table import Table, is_pontoon
from rules_replay.log import THOUSANDTHS, Amount, CardText, amount_text
from rules_replay.printed import OTHER, SITUATIONS, FinalHand, PrintedRow, Situation, printed_rows
from rules_replay.rulebook import Rulebook

FaultKind: TypeAlias = Literal["gap", "overlap", "unreachable", "disagreement"]
"""No row; two rows; no case; or another row than the engine's."""

Values: TypeAlias = tuple[int, ...]
Case = TypeVar("Case")

LARGEST_STAKE = 10_000 * THOUSANDTHS
"""Up to where the bonus tiers are looked at, in thousandths."""

ROW_READINGS = (
    "card_count_rows",
    "co_wagerer_not_doubling_odds",
    "co_wagerer_not_doubling_total",
    "double_cuts_box_odds",
    "fixed_aces",
)
"""The questions whose answer can change the row or the total of a winning hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is not sound: the rows it is about, how many cases show it, and one of them."""

    kind: FaultKind
    rows: str
    cases: int
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """Two rows that hold at once, and why no case is paid twice."""

    rows: str
    cases: int
    example: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSoundness:
    """One table of a rulebook under one set of readings. ``filled`` are rows that are not printed."""

    table: str
    readings: str
    cases: int
    rows: int
    filled: tuple[str, ...]
    resolved: tuple[Resolved, ...]
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Soundness:
    """Every table of a rulebook. ``longest`` is the most cards that a winning hand can have."""

    rulebook: str
    tables: tuple[TableSoundness, ...]
    longest: int

    @property
    def sound(self) -> bool:
        """True when no table has a fault."""
        return not any(table.faults for table in self.tables)


# --- what can be dealt ---------------------------------------------------------------------


def copies(value: int, decks: int) -> int:
    """How many cards of a point value the shoe has: four a deck, twelve of ten."""
    return decks * (12 if value == 10 else 4)


def _count(values: Values, fixed_aces: int = 0) -> tuple[int, bool]:
    points = sum(values)
    soft = values.count(1) > fixed_aces and points <= 11
    return (points + 10 if soft else points), soft


def _with(values: Values, value: int) -> Values:
    return tuple(sorted((*values, value)))


@cache
def _further(values: Values, decks: int) -> tuple[Values, ...]:
    """The hand with one more card, of every value that the shoe still has."""
    return tuple(_with(values, value) for value in range(1, 11) if values.count(value) < copies(value, decks))


@cache
def _reachable(decks: int, split: bool) -> tuple[tuple[Values, int], ...]:
    """Hands drawn card by card, never on 21, and not over 21; with the aces among the first two cards.

    A hand of a split begins with a card of the pair, which here is no ace.
    """
    first = range(2, 11) if split else range(1, 11)
    begun = {(_with((one,), two), (one, two).count(1)) for one in first for two in range(1, 11)}
    found = set(begun)
    while begun:
        begun = {
            (longer, aces)
            for values, aces in begun
            if _count(values)[0] < 21
            for longer in _further(values, decks)
            if sum(longer) <= 21
        } - found
        found |= begun
    return tuple(sorted(found))


def _may_double(rule: str, values: Values) -> bool:
    points, soft = _count(values)
    if points >= 21:
        return False
    match rule:
        case "two_cards":
            return len(values) == 2
        case "hard_nine_to_eleven":
            return len(values) == 2 and not soft and 9 <= points <= 11
    return True


@cache
def _doubled(decks: int, rule: str, fixed_aces: str) -> frozenset[tuple[Values, int, bool]]:
    """Doubled hands that are not over 21, with their total: every one that can be doubled, and one card."""
    found = set()
    for split in (False, True):
        for values, aces in _reachable(decks, split):
            if not _may_double(rule, values):
                continue
            # After a split the initial deal gave the hand one card, and that is no ace.
            fixed = {"none": 0, "initial_deal": 0 if split else aces}.get(fixed_aces, aces)
            for longer in _further(values, decks):
                points, soft = _count(longer, fixed)
                if points <= 21:
                    found.add((longer, points, soft))
    return frozenset(found)


def final_hands(book: Rulebook) -> tuple[FinalHand, ...]:
    """Every final hand that can win under a rulebook, cards regarded by point value.

    A hand that is not doubled draws until it has 12; split aces get one card each.
    """
    decks = book.whole("deck.maximum")
    found: set[tuple[Situation, Values, int, bool]] = set()
    not_doubled: tuple[tuple[Situation, bool], ...] = (
        ("unsplit", False),
        ("split", True),
        ("beside a doubled hand", True),
    )
    for situation, split in not_doubled:
        for values, _ in _reachable(decks, split):
            points, soft = _count(values)
            if points >= 12:
                found.add((situation, values, points, soft))
    for value in range(1, 11):
        aces = _with((1,), value)
        found.add(("split aces", aces, *_count(aces)))
    rule, fixed = book.word("double.on"), book.reads("fixed_aces")
    found |= {("doubled", *each) for each in _doubled(decks, rule, fixed)}
    own = "none" if book.reads("co_wagerer_not_doubling_total") == "own" else fixed
    found |= {("co-wagerer", *each) for each in _doubled(decks, rule, own)}
    return tuple(
        FinalHand(values=values, suits=suits, situation=situation, points=points, soft=soft)
        for situation, values, points, soft in sorted(found, key=_order)
        for suits in (_SUITED if len(values) == 3 else ("",))
    )


def _order(found: tuple[Situation, Values, int, bool]) -> tuple[int, Values, int, bool]:
    situation, values, points, soft = found
    return SITUATIONS.index(situation), values, points, soft


_SUITED: dict[str, tuple[str, ...]] = {
    "spades": ("SSS",),
    "one suit": ("HHH", "DDD", "CCC"),
    "mixed": tuple("".join(each) for each in product(SUITS, repeat=3) if len(set(each)) > 1),
}
"""How three cards can be suited, and every way of it."""


def _dealt(hand: FinalHand) -> Iterator[tuple[Card, ...]]:
    """The hand as cards: in every suiting where suits can matter, else in one of its kind."""
    ranks = ["A" if value == 1 else "K" if value == 10 else str(value) for value in hand.values]
    special = hand.values in ((6, 7, 8), (7, 7, 7))
    suitings = _SUITED[hand.suits] if hand.suits else ("SHDC" * len(ranks),)
    for suits in suitings if special else suitings[:1]:
        yield tuple(card(rank + suit) for rank, suit in zip(ranks, suits, strict=False))


# --- rows against cases --------------------------------------------------------------------


@dataclass(slots=True)
class _Ledger(Generic[Case]):
    """What the cases of one table show of its rows."""

    table: str
    rows: Sequence[PrintedRow]
    cases: int = 0
    reached: set[str] = field(default_factory=set)
    faults: dict[tuple[FaultKind, str], list[Case]] = field(default_factory=dict)
    resolved: dict[tuple[str, str], list[Case]] = field(default_factory=dict)
    differing: dict[str, list[str]] = field(default_factory=dict)

    @property
    def named(self) -> list[PrintedRow]:
        """The rows with a condition of their own; what is left falls to the other ones."""
        return [row for row in self.rows if row.ranks != OTHER]

    def applying(self, case: Case, holding: list[PrintedRow]) -> list[PrintedRow]:
        """Of the named rows that hold for a case, those that give way to no other that holds."""
        self.cases += 1
        holding = holding or [row for row in self.rows if row.ranks == OTHER]
        if not holding:
            self.fault("gap", "no row", case)
        if len(holding) > 1:
            self._compare(holding, case)
        names = {row.row for row in holding}
        applying = [row for row in holding if not row.yields_to & names]
        if holding and not applying:
            self.fault("gap", "every row gives way to another", case)
        self.reached.update(row.row for row in applying)
        return applying

    def _compare(self, holding: list[PrintedRow], case: Case) -> None:
        for place, one in enumerate(holding):
            for other in holding[place + 1 :]:
                names = f"{one.printed} / {other.printed}"
                if other.row in one.yields_to:
                    because = one.because
                elif one.row in other.yields_to:
                    because = other.because
                elif one.pays and one.pays == other.pays:
                    because = f"both pay {one.pays}"
                else:
                    self.fault("overlap", names, case)
                    continue
                self.resolved.setdefault((names, because), []).append(case)

    def fault(self, kind: FaultKind, rows: str, case: Case) -> None:
        """Note a case that shows a fault."""
        self.faults.setdefault((kind, rows), []).append(case)

    def differs(self, rows: str, case: Case, found: str) -> None:
        """Note a case in which the engine does something else."""
        self.differing.setdefault(rows, []).append(f"{case}: {found}")

    def agree(self, case: Case, applying: Sequence[PrintedRow], found: str, name: str = "") -> None:
        """Hold the rows that apply against the odds, and the row if it is named, that the engine pays."""
        pays = {row.pays for row in applying}
        named = not name.startswith("payout_") or name in {row.row for row in applying}
        if applying and (pays != {found} or not named):
            printed = " / ".join(f"{row.printed}: {row.pays or 'nothing'}" for row in applying)
            self.differs(printed, case, f"the engine pays {found or 'nothing'} {name}".strip())

    def close(self, readings: str = "") -> TableSoundness:
        """What the table came to."""
        faults = [
            Fault(kind=kind, rows=rows, cases=len(cases), example=str(cases[0]))
            for (kind, rows), cases in self.faults.items()
        ]
        faults += [
            Fault(kind="disagreement", rows=rows, cases=len(told), example=told[0])
            for rows, told in self.differing.items()
        ]
        names = dict.fromkeys(row.row for row in self.rows)
        faults += [
            Fault(
                kind="unreachable",
                rows=next(row.printed for row in self.rows if row.row == name),
                cases=0,
            )
            for name in names
            if name not in self.reached
        ]
        return TableSoundness(
            table=self.table,
            readings=readings,
            cases=self.cases,
            rows=sum(not row.silent for row in self.rows),
            filled=tuple(f"{row.printed}: {row.because}" for row in self.rows if row.silent),
            resolved=tuple(
                Resolved(rows=rows, cases=len(cases), example=str(cases[0]), because=because)
                for (rows, because), cases in self.resolved.items()
            ),
            faults=tuple(faults),
        )


def check_soundness(book: Rulebook, rows: Iterable[PrintedRow] | None = None) -> Soundness:
    """Hold every table of a rulebook against every case; under each answer listed to what can change it.

    ``rows`` replaces the rows that are shipped for the rulebook.
    """
    printed = tuple(printed_rows(book.id) if rows is None else rows)
    tables = [check_hands(each, printed, name) for name, each in _readings(book)]
    due = {"insurance", "dealer", *book.side_kinds(), *(row.table for row in printed)}
    due |= {"super_bonus"} if "bonus.high_from" in book.terms else set()
    tables += [check_table(book, table, printed) for table in _OTHER_TABLES if table in due]
    return Soundness(
        rulebook=book.id,
        tables=tuple(tables),
        longest=max(len(hand.values) for hand in final_hands(book)),
    )


def _readings(book: Rulebook) -> Iterator[tuple[str, Rulebook]]:
    """The rulebook as it is, and with one question at a time answered otherwise."""
    yield "as in force", book
    for question in ROW_READINGS:
        reading = book.readings[question]
        for answer in (reading.default, *reading.alternatives):
            if answer != reading.value:
                yield f"{question}={answer}", book.with_readings({question: answer})


# --- hands ---------------------------------------------------------------------------------


def check_hands(
    book: Rulebook, printed: Iterable[PrintedRow], readings: str = "as in force"
) -> TableSoundness:
    """Hold the table for hands against every final hand, under the readings that the rulebook has.

    ``readings`` is what the result calls them.
    """
    rows = [row for row in printed if row.table == "hand" and row.stands(book)]
    ledger = _Ledger[FinalHand]("hand", rows)
    named = ledger.named
    wagers = {situation: _wager(book, situation) for situation in _WAGERS}
    for hand in final_hands(book):
        applying = ledger.applying(hand, [row for row in named if row.holds(hand)])
        table, bet = wagers[hand.situation]
        for cards in _dealt(hand):
            paid, _ = winning_row(table, bet, _standing(bet, cards, hand))
            ledger.agree(hand, applying, odds_text(paid.odds), paid.outcome)
    return ledger.close(readings)


def _standing(bet: Bet, cards: tuple[Card, ...], hand: FinalHand) -> Standing:
    place: Place = "twenty_one" if hand.points == 21 else "live"
    if is_pontoon(bet.hand, cards) and not bet.hand.doubled:
        place = "pontoon"
    return Standing(place=place, cards=cards, total=Total(hand.points, hand.soft))


_WAGERS: dict[Situation, tuple[str, str]] = {
    "unsplit": ("8", ""),
    "split": ("8", "split"),
    "split aces": ("A", "split"),
    "doubled": ("8", "double"),
    "co-wagerer": ("8", "double"),
    "beside a doubled hand": ("8", "split double"),
}
"""For each situation the rank of the two cards dealt, and what was then done with them."""


def _wager(book: Rulebook, situation: Situation) -> tuple[Table, Bet]:
    """A table laid out with a wager in a situation."""
    rank, acts = _WAGERS[situation]
    events: list[log.AnyEvent] = [
        _main("a", 1),
        _main("b", 1),
        log.Deal(box=1, card=CardText(f"{rank}S")),
        log.Deal(box=0, card=CardText("7C")),
        log.Deal(box=1, card=CardText(f"{rank}H")),
    ]
    if "split" in acts:
        events += [log.Split(box=1, hand=1, to=2), _additional("s", "split", hand=2)]
    if "double" in acts:
        events += [log.Double(box=1, hand=1), _additional("d", "double", hand=1)]
    table = lay_out(_round(events), book)
    name = {"co-wagerer": "b", "split": "s", "split aces": "s", "beside a doubled hand": "s"}.get(
        situation, "a"
    )
    return table, table.bets[name]


def _main(name: str, stake: int) -> log.Wager:
    return log.Wager(id=name, box=1, player=name, kind="main", amount=Amount(stake))


def _additional(name: str, kind: Literal["split", "double"], hand: int) -> log.Wager:
    return log.Wager(id=name, box=1, hand=hand, player="a", kind=kind, amount=Amount(1), on="a")


def _round(events: Sequence[log.AnyEvent]) -> log.Round:
    return log.Round(
        format="pontoon-round/1",
        round_id="soundness",
        venue="-",
        table="-",
        shoe="-",
        round_no=1,
        started_at=datetime(2000, 1, 1, tzinfo=UTC),
        decks=8,
        currency="XXX",
        events=tuple(events),
    )


# --- the other tables ----------------------------------------------------------------------


def check_table(book: Rulebook, table: str, printed: Iterable[PrintedRow]) -> TableSoundness:
    """Hold one of the other tables against every case: pairs, insurance, multipliers, tiers, the dealer."""
    return _OTHER_TABLES[table](book, _Ledger(table, [row for row in printed if row.table == table]))


def _pairs(book: Rulebook, ledger: _Ledger[str]) -> TableSoundness:
    """Two cards in every order; the same card twice comes from two decks."""
    table = lay_out(_round([]), book)
    for first, second in product(map(card, DECK), repeat=2):
        case = f"{first} {second}"
        applying = ledger.applying(case, [row for row in ledger.named if row.holds_pair(first, second)])
        paid = pair_row(table, ledger.table, (first, second))
        ledger.agree(case, applying, "" if paid is None else odds_text(paid.odds))
    return ledger.close()


def _insurance(book: Rulebook, ledger: _Ledger[str]) -> TableSoundness:
    """The dealer's second card behind an ace."""
    table = lay_out(_round([]), book)
    for rank in RANKS:
        applying = ledger.applying(f"A {rank}", [row for row in ledger.named if row.holds_rank(rank)])
        won = is_dealer_pontoon(table, (card("AS"), card(f"{rank}S")))
        ledger.agree(f"A {rank}", applying, odds_text(book.odds("payout.insurance")) if won else "")
    return ledger.close()


def _pandemonium(book: Rulebook, ledger: _Ledger[str]) -> TableSoundness:
    """Every multiplier of the meter, pressed after a Pontoon."""
    shown = {row.total for row in ledger.rows} | {str(each) for each in book.multipliers()}
    for multiplier in sorted(shown, key=int):
        applying = ledger.applying(multiplier, [row for row in ledger.rows if row.total == multiplier])
        events: list[log.AnyEvent] = [
            _main("a", THOUSANDTHS),
            log.Wager(id="p", box=1, player="a", kind="pandemonium", amount=Amount(THOUSANDTHS)),
            log.Deal(box=1, card=CardText("AS")),
            log.Deal(box=0, card=CardText("7C")),
            log.Deal(box=1, card=CardText("KS")),
            log.Press(box=1, wager="p", multiplier=int(multiplier)),
        ]
        ledger.agree(multiplier, applying, play(_round(events), book).dues["p"].odds or "")
    return ledger.close()


def _super_bonus(book: Rulebook, ledger: _Ledger[str]) -> TableSoundness:
    """The stakes at which a tier can begin or end, each with its neighbours a thousandth away."""
    edges = {1, LARGEST_STAKE, *(edge for row in ledger.rows for edge in row.edges())}
    edges |= {book.whole("bonus.lowest_stake"), book.whole("bonus.high_from")}
    stakes = {edge + step for edge in edges for step in (-1, 0, 1)}
    for stake in sorted(each for each in stakes if 0 < each <= LARGEST_STAKE):
        case = amount_text(stake)
        applying = ledger.applying(case, [row for row in ledger.rows if row.holds_stake(stake)])
        cards = [(1, "7H"), (0, "7C"), (1, "7H"), (1, "7H")]
        dealt = [log.Deal(box=box, card=CardText(text)) for box, text in cards]
        paid = play(_round([_main("a", stake), *dealt]), book).bonuses.super_bonus.get("a", 0)
        ledger.agree(case, applying, amount_text(paid))
    return ledger.close()


def _dealer(book: Rulebook, ledger: _Ledger[str]) -> TableSoundness:
    """Every hand that the dealer's own draws lead to: does its total draw, stand or bust?"""
    decks = book.whole("deck.maximum")
    begun = {_with((one,), two) for one, two in product(range(1, 11), repeat=2)}
    found: set[Values] = set()
    while begun:
        found |= begun
        longer: set[Values] = set()
        for values in sorted(begun):
            points, soft = _count(values)
            case = " ".join(map(str, _faces(values)))
            applying = ledger.applying(case, [row for row in ledger.rows if row.holds_total(points, soft)])
            verdict = "bust" if points > 21 else "draw" if must_draw(total(_faces(values))) else "stand"
            if applying and {row.row for row in applying} != {verdict}:
                ledger.differs(" / ".join(row.printed for row in applying), case, f"the engine: {verdict}")
            if verdict == "draw":
                longer.update(_further(values, decks))
        begun = longer - found
    return ledger.close()


def _faces(values: Values) -> tuple[Card, ...]:
    return tuple(card(("A" if value == 1 else "K" if value == 10 else str(value)) + "S") for value in values)


_OTHER_TABLES: dict[str, Callable[[Rulebook, _Ledger[str]], TableSoundness]] = {
    "perfect_pairs": _pairs,
    "pair": _pairs,
    "insurance": _insurance,
    "pandemonium": _pandemonium,
    "super_bonus": _super_bonus,
    "dealer": _dealer,
}
