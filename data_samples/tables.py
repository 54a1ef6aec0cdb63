"""Venues and tables: signs, shufflers, recorders, staff, seats, and the night's clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

from data_samples.law import Law
from data_samples.players import HABITS, Habit
from data_samples.schemes import Scheme
from rules_replay.log import Amount, Fact, Limits, Shuffler

BOXES = 7
OPENS = time(18, 0)
CLOSES = time(5, 0)
SHIFT = timedelta(minutes=40)
LAST_ROUNDS = 3
STAGGER = timedelta(minutes=150)
"""Between the first rounds of one table and the next, as the house fills up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A venue on one evening, by rulebook."""

    venue: str
    prefix: str
    zone: str
    currency: str
    evening: date
    shuffles_continuously: bool


HOUSES = {
    "act-2005": House(
        venue="casino-canberra",
        prefix="CBR",
        zone="Australia/Sydney",
        currency="AUD",
        evening=date(2011, 3, 12),
        shuffles_continuously=True,
    ),
    "act-2018": House(
        venue="casino-canberra",
        prefix="CBR",
        zone="Australia/Sydney",
        currency="AUD",
        evening=date(2023, 9, 30),
        shuffles_continuously=True,
    ),
    "nz-2000": House(
        venue="skycity-auckland",
        prefix="AKL",
        zone="Pacific/Auckland",
        currency="NZD",
        evening=date(2014, 4, 5),
        shuffles_continuously=False,
    ),
    "rws-2017": House(
        venue="resorts-world-sentosa",
        prefix="RWS",
        zone="Asia/Singapore",
        currency="SGD",
        evening=date(2019, 9, 14),
        shuffles_continuously=False,
    ),
    "adelaide-2008": House(
        venue="skycity-adelaide",
        prefix="ADL",
        zone="Australia/Adelaide",
        currency="AUD",
        evening=date(2012, 10, 6),
        shuffles_continuously=True,
    ),
}
"""The night of act-2018, nz-2000 and adelaide-2008 is one on which the clocks change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """The sign at a table, in whole units of the currency, and what is on offer there."""

    minimum: int
    maximum: int
    multiples: int | None
    smallest_chip: str | None
    side: tuple[int, int] | None
    box_maximum: int | None = None

    def limits(self) -> Limits:
        """The sign as the log carries it."""
        return Limits(
            min=_units(self.minimum),
            max=_units(self.maximum),
            box_max=_units(self.box_maximum),
            multiples=_units(self.multiples),
            side_min=_units(self.side[0] if self.side else None),
            side_max=_units(self.side[1] if self.side else None),
            smallest_chip=Amount.parse(self.smallest_chip) if self.smallest_chip else None,
        )

    @property
    def step(self) -> int:
        """Stakes are multiples of this, posted or not."""
        return self.multiples or self.minimum


def _units(value: int | None) -> Amount | None:
    return None if value is None else Amount(value * 1000)


SIGNS = (
    Sign(minimum=5, maximum=500, multiples=5, smallest_chip="2.5", side=(5, 50)),
    Sign(minimum=10, maximum=1000, multiples=10, smallest_chip="5", side=(10, 100), box_maximum=2500),
    Sign(minimum=25, maximum=2000, multiples=None, smallest_chip=None, side=(5, 200)),
    Sign(minimum=5, maximum=250, multiples=None, smallest_chip="5", side=None),
    Sign(minimum=50, maximum=5000, multiples=50, smallest_chip="25", side=(25, 500), box_maximum=15000),
)

RECORDERS: tuple[tuple[Fact, ...] | None, ...] = (
    None,
    ("decisions", "settle_order", "burns", "cut_card"),
    ("decisions", "burns", "cut_card"),
    ("decisions", "settle_order"),
    ("settle_order", "burns", "cut_card"),
)
"""What a table's recorder captures: everything, said or unsaid, or less."""


@dataclass(slots=True, kw_only=True)
class Seat:
    """One box and who plays it: the controlling player first, with up to two behind him."""

    box: int
    players: list[tuple[str, Habit]] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Table:
    """One table through the night."""

    name: str
    house: House
    sign: Sign
    decks: int
    shuffler: Shuffler
    offers: tuple[str, ...]
    records: tuple[Fact, ...] | None
    claims_rulebook: bool
    announces: bool
    supervisor: str
    dealers: tuple[str, ...]
    seats: list[Seat]
    most_boxes: int
    takes_second_card_idle: bool
    collects_busts_at_once: bool
    clock: datetime
    opened: datetime
    shoe_no: int = 0
    round_no: int = 0
    rounds_to_close: int | None = None
    players_seen: int = 0
    dealt: int = 0
    scheme: Scheme | None = None

    @property
    def closes(self) -> datetime:
        """Five in the morning by the venue's clock."""
        zone = ZoneInfo(self.house.zone)
        morning = self.opened.astimezone(zone).date() + timedelta(days=1)
        return datetime.combine(morning, CLOSES, tzinfo=zone).astimezone(UTC)

    @property
    def dealer(self) -> str:
        """Dealers take turns of forty minutes."""
        return self.dealers[int((self.clock - self.opened) / SHIFT) % len(self.dealers)]

    def facts(self) -> frozenset[str]:
        everything: tuple[Fact, ...] = ("decisions", "settle_order", "burns", "cut_card")
        return frozenset(everything if self.records is None else self.records)


def opening(house: House, evening: date) -> datetime:
    """The instant at which the tables of an evening open."""
    return datetime.combine(evening, OPENS, tzinfo=ZoneInfo(house.zone)).astimezone(UTC)


def open_table(
    number: int, law: Law, house: House, opened: datetime, rng: Random, boxes: int = BOXES
) -> Table:
    """Set up one table; the first few of a night differ in everything that may differ.

    At most so many ``boxes`` are ever taken at once.
    """
    sign = SIGNS[(number - 1) % len(SIGNS)]
    offers = _offers(number, law, sign)
    low, high = law.decks
    if offers and "perfect_pairs" in offers:
        low = max(low, law.decks_with_perfect_pairs)
    started = opened + STAGGER * ((number - 1) % 4) + timedelta(seconds=rng.randint(0, 600))
    return Table(
        name=f"P{number:02d}",
        house=house,
        sign=sign,
        decks=rng.randint(low, high),
        shuffler=_shuffler(number, house),
        offers=offers,
        records=RECORDERS[(number - 1) % len(RECORDERS)],
        claims_rulebook=number % 2 == 1,
        announces=number % 3 != 0,
        supervisor=f"S{rng.randint(1, 9):02d}",
        dealers=tuple(f"D{each:02d}" for each in rng.sample(range(1, 60), 4)),
        seats=[Seat(box=box) for box in range(1, BOXES + 1)],
        most_boxes=min(rng.randint(3, BOXES), boxes),
        takes_second_card_idle=number % 2 == 0,
        collects_busts_at_once=number % 3 != 2,
        clock=started,
        opened=opened,
    )


def _offers(number: int, law: Law, sign: Sign) -> tuple[str, ...]:
    if sign.side is None or not law.side_kinds:
        return ()
    if law.one_side_kind:
        return (law.side_kinds[(number - 1) % len(law.side_kinds)],)
    return law.side_kinds


def _shuffler(number: int, house: House) -> Shuffler:
    """Every fourth table has a continuous shuffler where the house has one."""
    if number % 4 == 0 and house.shuffles_continuously:
        return "continuous"
    return "manual" if number % 2 else "automatic"


def newcomer(table: Table, rng: Random) -> tuple[str, Habit]:
    """A player who was not at this table before."""
    table.players_seen += 1
    return f"{table.name}-{table.players_seen:03d}", rng.choice(HABITS)


def change_seats(table: Table, players_per_box: int, rng: Random) -> None:
    """Players come and go between rounds; at least one box stays taken."""
    for seat in table.seats:
        if seat.players and rng.random() < 0.03:
            seat.players.clear()
        elif 0 < len(seat.players) < players_per_box and rng.random() < 0.02:
            seat.players.append(newcomer(table, rng))
        elif len(seat.players) > 1 and rng.random() < 0.08:
            seat.players.pop()
    for seat in rng.sample(table.seats, len(table.seats)):
        taken = sum(bool(each.players) for each in table.seats)
        if not seat.players and taken < table.most_boxes and rng.random() < (0.08 if taken else 1.0):
            _sit(table, seat, rng)


def _sit(table: Table, seat: Seat, rng: Random) -> None:
    player = newcomer(table, rng)
    seat.players.append(player)
    following = [each for each in table.seats if each.box > seat.box and not each.players]
    for extra in following[: player[1].boxes - 1]:
        extra.players.append(player)
