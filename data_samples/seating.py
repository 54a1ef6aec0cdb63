"""What the players at a table stake on the next round, within the sign."""

from __future__ import annotations

from random import Random
from typing import cast

from data_samples.plan import Bet, BoxPlan, SideKind
from data_samples.players import Habit
from data_samples.tables import Seat, Sign, Table

THOUSAND = 1000


def seat_bets(table: Table, rng: Random) -> list[BoxPlan]:
    """One plan for each box taken, clockwise from the dealer's left."""
    return [_box(seat, table, rng) for seat in table.seats if seat.players]


def _box(seat: Seat, table: Table, rng: Random) -> BoxPlan:
    mains: list[Bet] = []
    sides: list[Bet] = []
    for player, habit in seat.players:
        main = _main(player, habit, table.sign, rng)
        if mains and _over_box_maximum([*mains, main], table.sign):
            continue
        mains.append(main)
        for kind in table.offers:
            if rng.random() < habit.sides:
                sides.append(_side(player, cast(SideKind, kind), table.sign, rng))
    return BoxPlan(number=seat.box, mains=mains, sides=sides, habits=dict(seat.players))


def _main(player: str, habit: Habit, sign: Sign, rng: Random) -> Bet:
    """The usual stake, now and then doubled or halved; a high roller may have a limit of his own."""
    if sign.box_maximum is None and habit.stake >= 40 and rng.random() < 0.1:
        amount = 2 * sign.maximum * THOUSAND
        return Bet(player=player, kind="main", amount=amount, limit=amount)
    units = max(1, habit.stake * rng.choice((1, 2, 2, 2, 2, 3, 4)) // 2)
    amount = min(units * sign.minimum, sign.maximum)
    return Bet(player=player, kind="main", amount=amount * THOUSAND)


def _side(player: str, kind: SideKind, sign: Sign, rng: Random) -> Bet:
    low, high = sign.side or (0, 0)
    step = sign.multiples or low
    units = max(low, step) * rng.choice((1, 1, 1, 2))
    return Bet(player=player, kind=kind, amount=min(units, high) * THOUSAND)


def _over_box_maximum(mains: list[Bet], sign: Sign) -> bool:
    return sign.box_maximum is not None and sum(bet.amount for bet in mains) > sign.box_maximum * THOUSAND
