"""Situations that a fault needs, brought about by a stacked stretch of the shoe."""

from __future__ import annotations

from data_samples.plan import Bet, Plan, SideKind
from data_samples.players import HABITS
from data_samples.tables import newcomer


def hand(plan: Plan, cards: str, dealer: str = "") -> int:
    """A box that draws up to the last of ``cards`` and stands (or has 21, or is over)."""
    box = plan.any_box()
    plan.deal(box, cards)
    plan.decide(box, "hit " * (len(cards.split()) - 2) + "stand")
    plan.deal(0, dealer)
    return box


def drawn(plan: Plan, cards: str, dealer: str = "") -> int:
    """A box that draws to the last of ``cards`` and has no decision after it."""
    box = plan.any_box()
    plan.deal(box, cards)
    plan.decide(box, "hit " * (len(cards.split()) - 2))
    plan.deal(0, dealer)
    return box


def doubled(plan: Plan, cards: str, dealer: str = "", *, box: int | None = None) -> int:
    """A box that doubles on its first two cards."""
    number = plan.any_box() if box is None else box
    plan.deal(number, cards)
    plan.decide(number, "double")
    plan.deal(0, dealer)
    return number


def split_eights(plan: Plan, dealer: str = "", *, box: int | None = None) -> int:
    """A box that splits eights and stands on 18 twice."""
    number = plan.any_box() if box is None else box
    plan.deal(number, "8 8 X")
    plan.deal(number, "X", hand=2)
    plan.decide(number, "split stand")
    plan.decide(number, "stand", hand=2)
    plan.deal(0, dealer)
    return number


def alone(plan: Plan, box: int) -> None:
    """Leave only the controlling player on a box."""
    plan.box(box).mains[1:] = []
    player = plan.box(box).controller
    plan.box(box).sides[:] = [bet for bet in plan.box(box).sides if bet.player == player]


def two_players(plan: Plan) -> int:
    """A box with one co-wagerer and no other."""
    box = plan.box(accompanied(plan))
    box.mains[2:] = []
    staying = {bet.player for bet in box.mains}
    box.sides[:] = [bet for bet in box.sides if bet.player in staying]
    return box.number


def accompanied(plan: Plan) -> int:
    """A box with a co-wagerer, one brought to the table if there is none."""
    shared = [box.number for box in plan.boxes if len(box.mains) > 1]
    if shared:
        return plan.rng.choice(shared)
    box = plan.any_box()
    join(plan, box)
    return box


def join(plan: Plan, box: int, amount: int | None = None) -> str:
    """Another player puts a main wager on a box."""
    player = stranger(plan, box)
    stake = amount or plan.table.sign.minimum * 1000
    plan.box(box).mains.append(Bet(player=player, kind="main", amount=stake))
    return player


def stranger(plan: Plan, box: int) -> str:
    """A player who was not at the table, plays by the book and is known to a box."""
    player, _ = newcomer(plan.table, plan.rng)
    plan.box(box).habits[player] = HABITS[0]
    return player


def side(plan: Plan, box: int, kind: SideKind, player: str | None = None) -> None:
    """A side wager on a box, the controlling player's unless another is named."""
    low = (plan.table.sign.side or (plan.table.sign.minimum, 0))[0]
    stake = max(low, plan.table.sign.multiples or 0) * 1000
    owner = player or plan.box(box).controller
    plan.box(box).sides.append(Bet(player=owner, kind=kind, amount=stake))


def has_side(plan: Plan, kind: SideKind, box: int) -> bool:
    """Make sure of a side wager that the table offers; False where it does not."""
    if kind not in plan.table.offers:
        return False
    if not any(bet.kind == kind for bet in plan.box(box).sides):
        side(plan, box, kind)
    return True
