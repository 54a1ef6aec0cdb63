"""The rounds of the odds, settled by the simulator and by the readable engine."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime
from random import Random
from typing import Literal

import numpy as np
import pytest

from data_samples.odds import simulate
from data_samples.odds.rules import STAKE, Rules, rules_of
from data_samples.odds.simulate import Played, game_of, play_rounds
from data_samples.odds.strategy import (
    DOUBLE,
    FORFEIT,
    HIT,
    PAIRS,
    PLAY,
    SPLIT,
    STAND,
    SURRENDER,
    Strategy,
    basic_strategy,
    best_total,
    may_double,
)
from rules_replay.cards import RANKS
from rules_replay.engine import replay_round
from rules_replay.log import (
    Amount,
    AnyEvent,
    CardText,
    Deal,
    Double,
    Forfeit,
    Round,
    Split,
    Stand,
    Surrender,
    Wager,
)
from rules_replay.results import RoundReplay
from rules_replay.rulebook import Rulebook, load_rulebook, rulebook_ids
from tests.rounds import PLACES

pytestmark = pytest.mark.slow

MONEY_READINGS = (
    "dealer_pontoon_split",
    "dealer_pontoon_double",
    "doubled_bust_dealer_pontoon",
    "doubled_21",
    "fixed_aces",
    "card_count_rows",
    "super_bonus_with_table",
    "super_bonus_excluded_by",
)
"""The questions whose answers change what one player alone on a box wins."""

UNSETTLED = {"settle.missing", "record.incomplete", "bonus.super", "bonus.other-wagers"}
"""What the engine has to say of a round whose settlements were left out on purpose."""


def card_text(card: int) -> CardText:
    return CardText(RANKS[card // 4 - 1] + "SHDC"[card % 4])


def events_of(played: Played) -> list[AnyEvent]:
    """The events of one player on one box, 10 units on it, without settlements."""
    events: list[AnyEvent] = [Wager(id="h1", box=1, player="P", kind="main", amount=Amount(STAKE))]
    for kind, hand, what in played.steps:
        if kind == simulate.DEAL_:
            box = 0 if hand == 0 else 1
            events.append(Deal(box=box, hand=max(hand, 1), card=card_text(what)))
        elif kind == simulate.SPLIT_:
            events.append(Split(box=1, hand=hand, to=what))
            events.append(_further("split", f"h{what}", what, "h1"))
        elif kind == simulate.DOUBLE_:
            events.append(Double(box=1, hand=hand))
            events.append(_further("double", f"d{hand}", hand, f"h{hand}"))
        elif kind == simulate.STAND_:
            events.append(Stand(box=1, hand=hand))
        elif kind == simulate.FORFEIT_:
            events.append(Forfeit(wager=f"h{hand}"))
        else:
            events.append(Surrender(box=1, hand=hand))
    return events


def _further(kind: Literal["split", "double"], wager: str, hand: int, on: str) -> Wager:
    return Wager(id=wager, box=1, hand=hand, player="P", kind=kind, amount=Amount(STAKE), on=on)


def round_of(book: Rulebook, played: Played, number: int) -> Round:
    venue, moment, currency = PLACES[book.id]
    return Round(
        format="pontoon-round/1",
        round_id=f"O-{number}",
        venue=venue,
        table="T",
        shoe="S",
        round_no=number,
        started_at=datetime.fromisoformat(moment),
        decks=8,
        currency=currency,
        events=tuple(events_of(played)),
    )


def required_net(replay: RoundReplay) -> int | None:
    """Net that the engine requires, the bonus for other wagers left out; None where it leaves it open."""
    rows = [row for row in replay.settlements if row.line != "bonus"]
    if any(row.expected is None for row in rows):
        return None
    return sum(row.expected.net for row in rows if row.expected is not None)


def variants() -> list[Rulebook]:
    """Every rulebook, and every rulebook under each other answer to a question about money."""
    books = []
    for each in rulebook_ids():
        book = load_rulebook(each)
        books.append(book)
        for question in MONEY_READINGS:
            books.extend(
                book.with_readings({question: other}) for other in book.readings[question].alternatives
            )
    return books


def chosen(book: Rulebook) -> list[str]:
    """The answers of a rulebook that are not its defaults."""
    return [f"{each.id}={each.value}" for each in book.readings.values() if each.value != each.default]


def variant_name(book: Rulebook) -> str:
    return " ".join([book.id, *chosen(book)])


def dealer_pontoon(played: Played) -> bool:
    """Whether the dealer's two cards are an ace and a picture."""
    ranks = [what // 4 for kind, hand, what in played.steps if kind == simulate.DEAL_ and hand == 0]
    return len(ranks) == 2 and min(ranks) == 1 and max(ranks) >= 10


def compare(book: Rulebook, rounds: list[Played], unit: int) -> Counter[str]:
    """Replay rounds and count: agreed, open, and what the options taken were."""
    seen: Counter[str] = Counter()
    for number, played in enumerate(rounds, start=1):
        replay = replay_round(round_of(book, played, number), book)
        objections = [f for f in replay.findings if f.code not in UNSETTLED]
        assert not objections, (variant_name(book), events_of(played), objections)
        net = required_net(replay)
        if net is None:
            seen["open"] += 1
            continue
        mine = (played.net + played.super_bonus) * STAKE
        assert net * unit == mine, (variant_name(book), events_of(played), net, mine / unit)
        seen["agreed"] += 1
        seen["super"] += played.super_bonus > 0
        kinds = {step[0] for step in played.steps}
        seen.update(str(kind) for kind in kinds)
        if dealer_pontoon(played):
            seen["split against Pontoon"] += simulate.SPLIT_ in kinds
            seen["double against Pontoon"] += simulate.DOUBLE_ in kinds
            seen["surrender against Pontoon"] += simulate.SURRENDER_ in kinds
    return seen


def wild_strategy(rules: Rules) -> Strategy:
    """Any lawful decision as likely as another, pairs mostly split, the same for every rule set."""
    rng = Random(8)
    plan = basic_strategy(rules)
    play, doubled, opening = plan.play.copy(), plan.doubled.copy(), plan.opening.copy()
    for sheet, up, cards, points, flags in np.ndindex(3, 11, 8, 21, 4):
        total = best_total(points, flags != 0)
        lawful = [HIT, *([STAND] if total >= 12 else [])]
        if cards >= 2 and may_double(rules, cards, points, flags):
            lawful.append(DOUBLE)
        play[sheet, up, cards, points, flags] = rng.choice(lawful)
    for sheet, up, points, ace in np.ndindex(3, 11, 21, 2):
        forfeits = best_total(points, bool(ace)) <= rules.forfeit_limit
        doubled[sheet, up, points, ace] = rng.choice([STAND, STAND, FORFEIT]) if forfeits else STAND
    for up, points, flags in np.ndindex(11, 22, 4):
        gives_up = up in (1, 10) and rng.random() < 0.2
        opening[up, points, flags] = SURRENDER if gives_up else PLAY
        opening[up, points + PAIRS, flags] = SPLIT if rng.random() < 0.8 else PLAY
    return replace(plan, play=play, doubled=doubled, opening=opening)


class TestSameSettlement:
    """The simulator and the readable engine share no code and settle the same rounds alike."""

    @pytest.mark.parametrize("book", [load_rulebook(each) for each in rulebook_ids()], ids=variant_name)
    def test_every_round_has_the_net_that_the_engine_requires(self, book: Rulebook) -> None:
        rules = rules_of(book, 8)
        game = game_of(rules, basic_strategy(rules))
        seen = compare(book, play_rounds(game, 1500, seed=20), game.unit)
        assert seen["agreed"] >= 1495
        assert seen[str(simulate.SPLIT_)] > 15
        assert seen[str(simulate.DOUBLE_)] > 100
        assert seen[str(simulate.FORFEIT_)] > 2

    @pytest.mark.parametrize("book", variants(), ids=variant_name)
    def test_wild_play_against_pontoons_agrees_under_every_reading(self, book: Rulebook) -> None:
        """A shoe rich in aces, eights, nines and pictures, and a player to whom nothing is too silly."""
        rules = rules_of(book, 8)
        game = game_of(rules, wild_strategy(rules))
        shoe = np.array([rank * 4 + suit for rank in (1, 1, 2, 3, 8, 9, 10, 11) for suit in range(4)] * 12)
        # Under another answer most rounds come out as under the default, which has more of them.
        rounds = 1000 if chosen(book) else 1500
        seen = compare(book, play_rounds(game, rounds, seed=21, shoe=shoe), game.unit)
        assert seen["split against Pontoon"] > rounds // 300
        assert seen["double against Pontoon"] >= rounds // 750
        assert seen["surrender against Pontoon"] > 2
        assert seen[str(simulate.FORFEIT_)] > 5
        assert seen["open"] <= 30

    @pytest.mark.parametrize("book", variants(), ids=variant_name)
    def test_sevens_against_a_seven_agree_on_the_super_bonus(self, book: Rulebook) -> None:
        rules = rules_of(book, 8)
        game = game_of(rules, basic_strategy(rules))
        shoe = np.array([28] * 60 + [29] * 20 + [32] * 10)
        rounds = 80 if chosen(book) else 300
        seen = compare(book, play_rounds(game, rounds, seed=3, shoe=shoe), game.unit)
        assert (seen["super"] > 0) == (rules.super_bonus > 0)
