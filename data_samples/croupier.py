"""A gaming night: tables that open at six in the evening, round after round.

Everything is drawn from one seed. The same call gives the same rounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, date, timedelta
from random import Random
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

import msgspec

from data_samples.faults import CATALOGUE
from data_samples.faults.kinds import Case, Fault
from data_samples.faults.outcomes import WrongMoney
from data_samples.law import law_of
from data_samples.plan import Bet, Expected, Plan
from data_samples.play import UnableToStack, play_round
from data_samples.schemes import LEFT, PEEKED, REGULAR, Scheme
from data_samples.seating import seat_bets
from data_samples.settle import settled
from data_samples.shoe import Shoe
from data_samples.state import Draft
from data_samples.tables import BOXES, HOUSES, LAST_ROUNDS, Table, change_seats, open_table, opening
from rules_replay.checks import catalogue
from rules_replay.engine import replay_round
from rules_replay.log import (
    AnyEvent,
    Burn,
    CutCard,
    Deal,
    Double,
    Forfeit,
    Irregularity,
    Round,
    Stand,
    Surrender,
)
from rules_replay.rulebook import Rulebook, load_rulebook
from rules_replay.venues import load_register

Faults: TypeAlias = Literal["none", "all", "realistic"]

ROUNDS_A_TABLE = 350
"""About what one table deals between opening and closing."""

PATIENCE = 12
"""Rounds a fault waits for its situation to come up by itself before the shoe is stacked for it."""

GIVES_UP = 30
"""Rounds after which a fault that found no place goes to the back of the queue."""

CO_WAGERERS = 2
"""Most players behind the one in control, where the rulebook states no number."""

LAST_CALL = timedelta(minutes=4)


class Truth(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with one round: the fault put in, and the findings it must lead to."""

    round_id: str
    fault: str
    expected: tuple[Expected, ...]


SEED_LENGTH = 20
"""Characters of a seed with which ids of rounds stay within the 64 of a round log."""


def deal_night(
    rulebook_id: str,
    seed: int,
    rounds: int,
    *,
    faults: Faults = "none",
    rate: float = 0.05,
    tables: int | None = None,
    evening: date | None = None,
    labels: frozenset[str] | None = None,
    boxes: int = BOXES,
    scheme: Scheme | None = None,
) -> Iterator[tuple[Round, Truth | None]]:
    """Deal so many rounds under a rulebook, in order of time, each with its truth.

    ``faults``: none at all; ``all`` takes the labels of the catalogue in turn;
    ``realistic`` draws them by how often such mistakes are made. ``rate`` is the share
    of rounds in which one is sought. ``labels`` narrows the catalogue. At most so many
    ``boxes`` are taken at a table, and one of the tables may have a ``scheme``. Raises ``KeyError``
    for an unknown rulebook, ``ValueError`` for an unknown label, for an evening on which the venue did not
    play by the rulebook, where the calendar ends before the last round, and for a ``seed`` too long for
    the ids of rounds, which hold it.
    """
    if len(str(seed)) > SEED_LENGTH:
        raise ValueError(f"a seed has at most {SEED_LENGTH} digits, as ids of rounds hold it")
    book = load_rulebook(rulebook_id)
    open_tables = tables or max(4, -(-rounds // ROUNDS_A_TABLE))
    night = _Night(book, seed, open_tables, evening, boxes=boxes, scheme=scheme)
    queue = _Queue(night.possible(labels), faults, rate, night.rng)
    for _ in range(rounds):
        try:
            round_, truths = night.next_round(queue)
        except OverflowError:
            raise ValueError(
                f"from {night.evening} on the calendar ends before the last round; name an earlier evening"
            ) from None
        yield round_, truths[0] if truths else None


class Slips:
    """Mistakes in settling by the share of their opportunities in which they are made.

    ``shares`` go by the label of a fault that settles one line with other money
    than is due. ``opportunities`` counts the lines on which each could be made and ``made``
    those on which it was. Raises ``ValueError`` for any other label.
    """

    def __init__(self, shares: Mapping[str, float]) -> None:
        slips = {fault.label: fault for fault in CATALOGUE if isinstance(fault, WrongMoney)}
        unknown = shares.keys() - slips.keys()
        if unknown:
            raise ValueError(f"no mistake in settling one line is called {', '.join(sorted(unknown))}")
        self._slips = [(slips[label], share) for label, share in shares.items()]
        self.opportunities: Counter[str] = Counter()
        self.made: Counter[str] = Counter()

    def make(self, case: Case) -> tuple[Round, list[Truth]]:
        """Spoil a round that is settled as required, at most once a line."""
        truths: list[Truth] = []
        wrong: set[tuple[str, str]] = set()
        for fault, share in self._slips:
            for row in fault.opportunities(case):
                self.opportunities[fault.label] += 1
                if case.rng.random() >= share or (row.wager, row.line) in wrong:
                    continue
                self.made[fault.label] += 1
                wrong.add((row.wager, row.line))
                spoiled = fault.slip(case, row)
                case = replace(case, round=spoiled.round)
                truths.append(
                    Truth(round_id=case.round.round_id, fault=fault.label, expected=spoiled.expected)
                )
        return case.round, truths


def deal_slips(
    rulebook_id: str, seed: int, slips: Slips, *, rate: float, tables: int, scheme: Scheme | None = None
) -> Iterator[tuple[Round, tuple[Truth, ...]]]:
    """Deal without end, with mistakes by their opportunities and every other fault in turn.

    A round has the one fault that is due at ``rate`` (as ``all`` of `deal_night`), or what
    slips come up in it, or nothing. Rounds whose recorder writes no decisions have none. One of the
    tables may have a ``scheme``.
    """
    book = load_rulebook(rulebook_id)
    night = _Night(book, seed, tables, None, slips, scheme=scheme)
    queue = _Queue(night.possible(None), "all", rate, night.rng)
    while True:
        yield night.next_round(queue)


class _Queue:
    """Which fault is due."""

    def __init__(self, faults: list[Fault], mode: Faults, rate: float, rng: Random) -> None:
        self._faults = faults
        self._mode = mode
        self._rate = rate
        self._rng = rng
        self._waiting: list[Fault] = []
        self.age = 0
        self.pending: Fault | None = None

    def look(self) -> Fault | None:
        """The fault that this round should carry, if any."""
        if self.pending is not None and self.age >= GIVES_UP:
            self._waiting.append(self.pending)
            self.pending = None
        if self.pending is None and self._mode != "none" and self._faults:
            if self._rng.random() < self._rate:
                self.pending = self._next()
                self.age = 0
        self.age += 1
        return self.pending

    def _next(self) -> Fault:
        if self._mode == "realistic":
            return self._rng.choices(self._faults, weights=[fault.common**2 for fault in self._faults])[0]
        if not self._waiting:
            self._waiting = self._rng.sample(self._faults, len(self._faults))
        return self._waiting.pop(0)

    def done(self) -> None:
        """The pending fault is in."""
        self.pending = None


class _Night:
    def __init__(
        self,
        book: Rulebook,
        seed: int,
        tables: int,
        evening: date | None,
        slips: Slips | None = None,
        boxes: int = BOXES,
        scheme: Scheme | None = None,
    ) -> None:
        self.book = book
        self.scheme = scheme
        self.boxes = boxes
        self.slips = slips
        self.law = law_of(book)
        self.seed = seed
        self.house = HOUSES[book.id]
        self.zone = ZoneInfo(self.house.zone)
        self.rng = Random(f"{book.id} {seed}")  # nosec B311
        self.evening = evening or self.house.evening
        self._check_evening()
        self.tables = [self._open(number) for number in range(1, tables + 1)]
        self.shoes: dict[str, Shoe] = {}
        for table in self.tables:
            self.shoes[table.name] = self._new_shoe(table)
        self.recorded: dict[str, Counter[str]] = {table.name: Counter() for table in self.tables}
        self.overdue: dict[str, Fault] = {}

    def _check_evening(self) -> None:
        window = load_register().window_at(self.house.venue, opening(self.house, self.evening))
        if window is None or window.rulebook != self.book.id:
            raise ValueError(
                f"{self.house.venue} did not play by {self.book.id} on {self.evening}: "
                f"the venue register has {'no rulebook' if window is None else window.rulebook} in force"
            )

    def possible(self, labels: frozenset[str] | None) -> list[Fault]:
        """Faults that can occur under the rulebook, of those wanted."""
        unknown = (labels or frozenset()) - {fault.label for fault in CATALOGUE}
        if unknown:
            raise ValueError(f"no fault is called {', '.join(sorted(unknown))}; see data_samples.faults")
        return [
            fault
            for fault in CATALOGUE
            if fault.possible(self.law) and (labels is None or fault.label in labels)
        ]

    def _open(self, number: int) -> Table:
        opened = opening(self.house, self.evening)
        table = open_table(number, self.law, self.house, opened, self.rng, self.boxes)
        if self.scheme is not None and table.name == self.scheme.table:
            table.scheme = self.scheme
        return table

    def _new_shoe(self, table: Table) -> Shoe:
        table.shoe_no += 1
        table.round_no = 0
        continuous = table.shuffler == "continuous"
        if table.scheme is None or not table.scheme.on(table):
            return Shoe(table.decks, self.rng, continuous=continuous)
        kept: list[str] = []
        if table.scheme.keeps and table.name in self.shoes:
            kept = self.shoes[table.name].order[: table.scheme.keeps]
        return Shoe(table.decks, self.rng, continuous=continuous, lacks=table.scheme.lacks, kept=kept)

    def next_round(self, queue: _Queue) -> tuple[Round, tuple[Truth, ...]]:
        """The next round of the house, at the table that is soonest ready."""
        table = min(self.tables, key=lambda each: (each.clock, each.name))
        self._prepare(table)
        fault = self._fault_for(table, queue)
        plan = self._plan(table)
        round_, truth = self._deal(plan, fault, stacked=queue.age > PATIENCE)
        if truth is not None and fault is queue.pending:
            queue.done()
        truths = [] if truth is None else [truth]
        favoured = False
        if table.scheme is not None and table.scheme.favours and table.scheme.by_first_dealer(table):
            honest, round_ = round_, _favoured(self._case(round_, plan), table.scheme.favours)
            favoured = round_ is not honest
        if self.slips is not None and not truths and not favoured and "decisions" in round_.facts:
            round_, truths = self.slips.make(self._case(round_, plan))
        self._close(table, round_, queue)
        return round_, tuple(truths)

    def _fault_for(self, table: Table, queue: _Queue) -> Fault | None:
        """The fault due at this table; none where the recorder would hide half of what happens."""
        if table.name in self.overdue:
            return self.overdue[table.name]
        if "decisions" not in table.facts():
            return None
        fault = queue.look()
        return fault if fault is not None and self._evaluable(fault, table) else None

    def _evaluable(self, fault: Fault, table: Table) -> bool:
        needs = catalogue()[fault.code].needs
        return needs is None or needs in table.facts()

    def _prepare(self, table: Table) -> None:
        """Announce the last rounds, shuffle where the cutting card comes first, seat the players."""
        if table.rounds_to_close is None and table.closes - table.clock < LAST_CALL:
            table.rounds_to_close = LAST_ROUNDS
        if self.shoes[table.name].cut_card_next:
            self._shuffle(table)
        change_seats(table, self.law.players_per_box or CO_WAGERERS + 1, self.rng)
        if table.scheme is not None:
            table.scheme.seat(table)

    def _shuffle(self, table: Table) -> None:
        self.shoes[table.name] = self._new_shoe(table)
        self.recorded[table.name] = Counter()
        self.overdue.pop(table.name, None)

    def _plan(self, table: Table) -> Plan:
        plan = Plan(
            law=self.law,
            table=table,
            boxes=seat_bets(table, self.rng),
            rng=self.rng,
            shoe=self.shoes[table.name],
            recorded=self.recorded[table.name],
            shuffle_overdue=table.name in self.overdue,
        )
        if table.scheme is not None and table.scheme.peeks and table.scheme.on(table):
            self._raise_on_a_win(plan, table.scheme.peeks)
        return plan

    def _raise_on_a_win(self, plan: Plan, times: int) -> None:
        """Now and then multiply the regular's stake in a round that he is going to win."""
        box = plan.box(1)
        if self.rng.random() >= PEEKED:
            return
        seen = deepcopy(plan)
        draft = play_round(seen)
        ahead = settled(self._round(seen, draft), draft, self.book, self.law)
        replay = replay_round(ahead, self.book, covered=False)
        if sum(row.recorded.net for row in replay.settlements if row.player == REGULAR and row.recorded) > 0:
            first, *others = box.mains
            box.mains = [Bet(player=first.player, kind="main", amount=first.amount * times), *others]

    def _deal(self, plan: Plan, fault: Fault | None, *, stacked: bool) -> tuple[Round, Truth | None]:
        plan, draft = self._play(plan, fault if fault and (fault.scripted or stacked) else None)
        found = None
        if fault is not None and (plan.staged or not fault.scripted):
            found = fault.rewrite(draft, plan)
        round_ = settled(self._round(plan, draft), draft, self.book, self.law)
        if fault is not None and found is None and not fault.scripted:
            spoiled = fault.spoil(self._case(round_, plan))
            if spoiled is not None:
                round_, found = spoiled.round, spoiled.expected
        round_ = _as_recorded(round_)
        if fault is None or found is None:
            return round_, None
        return round_, Truth(round_id=round_.round_id, fault=fault.label, expected=found)

    def _play(self, plan: Plan, fault: Fault | None) -> tuple[Plan, Draft]:
        """Play as staged for a fault where the table and the shoe allow it, else as it comes."""
        if fault is not None:
            staged = plan.copy()
            if fault.stage(staged):
                staged.staged = True
                try:
                    return staged, play_round(staged)
                except UnableToStack:
                    pass
        return plan, play_round(plan)

    def _case(self, round_: Round, plan: Plan) -> Case:
        replay = replay_round(round_, self.book, covered=False)
        return Case(round=round_, replay=replay, law=self.law, plan=plan, rng=self.rng)

    def _round(self, plan: Plan, draft: Draft) -> Round:
        table = plan.table
        table.round_no += 2 if plan.script.skip_number else 1
        day = f"{table.opened.astimezone(self.zone):%Y%m%d}"
        shoe = f"{self.house.prefix}-{table.name}-{day}-{self.seed}"
        if table.shuffler != "continuous":
            shoe = f"{shoe}-{table.shoe_no:02d}"
        started = table.clock.astimezone(self.zone)
        ended = (table.clock + _duration(draft, self.rng)).astimezone(self.zone)
        return Round(
            format="pontoon-round/1",
            round_id=f"{shoe}-{table.round_no:03d}",
            venue=self.house.venue,
            table=table.name,
            shoe=shoe,
            round_no=table.round_no,
            started_at=started,
            ended_at=ended,
            rulebook=self.book.id if table.claims_rulebook else None,
            decks=table.decks,
            shuffler=table.shuffler,
            currency=self.house.currency,
            dealer=table.dealer,
            supervisor=table.supervisor,
            limits=table.sign.limits(),
            offers=table.offers,
            records=table.records,
            last_rounds=table.rounds_to_close is not None,
            events=(),
        )

    def _close(self, table: Table, round_: Round, queue: _Queue) -> None:
        """Clear the table: count what was recorded, shuffle where it is due, move the clock on."""
        ended = round_.ended_at or round_.started_at
        table.clock = ended.astimezone(UTC) + timedelta(seconds=self.rng.randint(10, 20))
        table.dealt += 1
        self._count_cards(table, round_)
        if table.rounds_to_close is not None:
            table.rounds_to_close -= 1
        if table.rounds_to_close == 0:
            self._reopen(table)
            return
        shoe = self.shoes[table.name]
        if shoe.continuous:
            shoe.shuffle()
            self.recorded[table.name].clear()
        elif shoe.cut_card_out:
            self._after_cut_card(table, queue)

    def _count_cards(self, table: Table, round_: Round) -> None:
        """Cards that the record shows out of the shoe, from the start where its rack was put back."""
        for event in round_.events:
            if isinstance(event, Irregularity) and event.code == "shoe_exhausted":
                self.recorded[table.name].clear()
            elif isinstance(event, Deal | Burn):
                self.recorded[table.name][event.card] += 1

    def _reopen(self, table: Table) -> None:
        """The table is closed; it opens on the following evening with a new shoe."""
        evening = table.opened.astimezone(self.zone).date() + timedelta(days=1)
        table.opened = table.clock = opening(self.house, evening)
        table.rounds_to_close = None
        self._shuffle(table)

    def _after_cut_card(self, table: Table, queue: _Queue) -> None:
        """Shuffle, or let one more round be dealt where that is the fault that is due."""
        fault = queue.pending
        if fault is not None and fault.delays_shuffle and self._can_delay(table):
            self.overdue[table.name] = fault
            queue.done()
            return
        self._shuffle(table)
        table.clock += timedelta(seconds=30 if table.shuffler == "automatic" else 150)

    def _can_delay(self, table: Table) -> bool:
        closing = table.rounds_to_close is not None
        recorded = {"decisions", "cut_card"} <= table.facts()
        return recorded and not closing and table.name not in self.overdue


def _favoured(case: Case, share: float) -> Round:
    """The round with a share of the regular's losses left on the table and of his ties paid."""
    for fault in CATALOGUE:
        if isinstance(fault, WrongMoney) and fault.label in LEFT:
            for row in fault.opportunities(case):
                if row.player == REGULAR and case.rng.random() < share:
                    return fault.slip(case, row).round
    return case.round


def _duration(draft: Draft, rng: Random) -> timedelta:
    """Two seconds a card and some for wagers and settlement: mostly 35 to 70 seconds."""
    cards = sum(isinstance(item, Deal) for item in draft.items)
    return timedelta(seconds=22 + 3 * len(draft.stakes) // 2 + 3 * cards // 2 + rng.randint(0, 8))


NOT_KEPT: dict[str, tuple[type, ...]] = {
    "decisions": (Surrender, Double, Stand, Forfeit),
    "burns": (Burn,),
    "cut_card": (CutCard,),
}
"""Events that a recorder without the fact does not write."""


def _as_recorded(round_: Round) -> Round:
    """The round without what this table's recorder does not capture."""
    left_out = tuple(kind for fact, kinds in NOT_KEPT.items() if fact not in round_.facts for kind in kinds)
    events: tuple[AnyEvent, ...] = tuple(e for e in round_.events if not isinstance(e, left_out))
    return msgspec.structs.replace(round_, events=events)
