"""Rates against the house's own: who stands out, and beside whom it goes away."""

from __future__ import annotations

from random import Random

import polars as pl
from polars.testing import assert_frame_equal

from audit.surveil.rates import occasions, rate_answers
from audit.surveil.result import Result
from tests.surveil_frames import exposure_of, flows_of, rounds_of

ROUNDS = 4000


def asked(hit: dict[int, int], dealers: list[str], tables: list[str], players: list[str]) -> list[Result]:
    """What is said of rounds in some of which an amount was overpaid."""
    rounds = rounds_of(ROUNDS, dealer=dealers, table=tables)
    over = [hit.get(number, 0) for number in range(ROUNDS)]
    flows = flows_of(rounds, player=players, over=over, found=[int(each > 0) for each in over])
    codes = pl.DataFrame({"r": sorted(hit), "code": ["settle.taken"] * len(hit)})
    exposure = exposure_of(rounds, flows=flows, codes=codes)
    for whole, parts in zip(occasions(exposure), occasions(exposure, batch=999), strict=True):
        # How many rounds are put together at a time makes no difference.
        for one, other in ((whole.cells, parts.cells), (whole.marks, parts.marks)):
            assert_frame_equal(one, other, check_row_order=False)
    return [each for answer in rate_answers(exposure, 0.01) for each in answer.results]


def house(rng: Random) -> tuple[list[str], list[str], list[str]]:
    """Dealers, tables and players by chance."""
    dealers = [f"D{rng.randint(1, 8)}" for _ in range(ROUNDS)]
    tables = [f"P{rng.randint(1, 4)}" for _ in range(ROUNDS)]
    players = [f"player {rng.randint(1, 12)}" for _ in range(ROUNDS)]
    return dealers, tables, players


def named(results: list[Result], question: str) -> set[tuple[str, str]]:
    return {
        (each.kind, each.subject)
        for each in results
        if each.question == question and each.verdict == "unusual"
    }


def test_mistakes_by_chance_are_nobodys() -> None:
    rng = Random(1)
    places = house(rng)
    hit = {number: 10_000 for number in range(ROUNDS) if rng.random() < 0.02}
    found = asked(hit, *places)
    assert named(found, "overpaid") == named(found, "findings") == set()


def test_an_overpaying_pair_is_found_with_the_exact_amount() -> None:
    rng = Random(2)
    dealers, tables, players = house(rng)
    hit = {number: 10_000 for number in range(ROUNDS) if rng.random() < 0.01}
    for number in range(ROUNDS):
        if (dealers[number], players[number]) == ("D3", "player 5") and rng.random() < 0.5:
            hit[number] = 12_500
    found = asked(hit, dealers, tables, players)
    assert ("pair", "D3 and player 5") in named(found, "overpaid")
    pair = next(each for each in found if each.subject == "D3 and player 5" and each.question == "overpaid")
    assert pair.overpaid == sum(
        amount for number, amount in hit.items() if (dealers[number], players[number]) == ("D3", "player 5")
    )
    assert "no intent" in pair.limits


def test_a_table_with_its_own_dealers_is_told_from_them() -> None:
    """All dealers make the mistake at one table: it goes with the table."""
    rng = Random(3)
    dealers, tables, players = house(rng)
    hit = {number: 1000 for number in range(ROUNDS) if tables[number] == "P2" and rng.random() < 0.2}
    found = asked(hit, dealers, tables, players)
    assert named(found, "overpaid") >= {("table", "P2")}
    table = next(
        each for each in found if (each.question, each.kind, each.subject) == ("overpaid", "table", "P2")
    )
    assert table.limits.startswith("It stays unusual among the rounds of the same dealers.")


def test_a_dealer_who_only_deals_at_that_table_is_not_blamed_for_it() -> None:
    rng = Random(4)
    dealers, tables, players = house(rng)
    dealers = [
        "D9" if table == "P2" and rng.random() < 0.5 else name
        for name, table in zip(dealers, tables, strict=True)
    ]
    hit = {number: 1000 for number in range(ROUNDS) if tables[number] == "P2" and rng.random() < 0.2}
    found = asked(hit, dealers, tables, players)
    dealer = next(
        each for each in found if (each.question, each.kind, each.subject) == ("overpaid", "dealer", "D9")
    )
    assert dealer.verdict == "unusual"
    assert dealer.limits.startswith(
        "The other dealers at the same tables have as many: it goes with the table."
    )


def test_few_rounds_are_not_evaluable_and_say_how_many_it_takes() -> None:
    rng = Random(5)
    dealers, tables, players = house(rng)
    dealers[:5] = ["D0"] * 5
    hit = {number: 1000 for number in range(ROUNDS) if rng.random() < 0.05}
    found = asked(hit, dealers, tables, players)
    dealer = next(
        each for each in found if (each.question, each.kind, each.subject) == ("overpaid", "dealer", "D0")
    )
    assert dealer.verdict == "not evaluable"
    assert dealer.needed is not None
    assert dealer.needed > 50
