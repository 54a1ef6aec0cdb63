"""What a scheme does at its table, round by round, and nowhere else."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

import pytest

from data_samples.croupier import deal_night
from data_samples.schemes import REGULAR, Scheme
from data_samples.shoe import Shoe
from rules_replay.auditor import Auditor
from rules_replay.log import Deal, Round, Wager
from rules_replay.results import RoundReplay
from rules_replay.venues import load_register

ROUNDS = 240


def night(scheme: Scheme | None) -> list[Round]:
    return [round_ for round_, _ in deal_night("act-2018", 1, ROUNDS, tables=2, scheme=scheme)]


@cache
def dealt(scheme: Scheme) -> list[tuple[Round, RoundReplay]]:
    auditor = Auditor(load_register())
    return [(round_, auditor.audit(round_)) for round_ in night(scheme)]


def codes(rounds: list[tuple[Round, RoundReplay]]) -> Counter[tuple[str, str]]:
    return Counter((round_.table, finding.code) for round_, replay in rounds for finding in replay.findings)


def test_a_scheme_that_does_nothing_changes_nothing() -> None:
    assert night(Scheme()) == night(None)


def test_a_missing_card_is_in_no_shoe() -> None:
    shoe = Shoe(3, Random(1), lacks=("KS", "KS"))
    assert Counter(shoe.draw() for _ in range(142))["KS"] == 1
    rounds = dealt(Scheme(lacks=("KS",)))
    seen: Counter[str] = Counter()
    for round_, _ in rounds:
        if round_.table == "P01":
            seen.update(
                round_.shoe for event in round_.events if isinstance(event, Deal) and event.card == "KS"
            )
    decks = {round_.decks for round_, _ in rounds if round_.table == "P01"}
    assert max(seen.values()) == max(decks) - 1
    assert not codes(rounds)


def test_kept_cards_come_again_in_their_order() -> None:
    first = Shoe(3, Random(1))
    order = [first.draw() for _ in range(60)]
    second = Shoe(3, Random(2), kept=order[:30])
    again = " ".join(second.draw() for _ in range(144))
    assert " ".join(order[:30]) in again
    rest = [first.draw() for _ in range(84)]
    assert sorted(again.split()) == sorted([*order, *rest])
    assert not codes(dealt(Scheme(keeps=30)))


def test_a_favoured_player_keeps_what_he_lost() -> None:
    rounds = dealt(Scheme(favours=0.5))
    found = [(round_, finding) for round_, replay in rounds for finding in replay.findings]
    assert found
    assert {finding.player for _, finding in found} == {REGULAR}
    assert len({round_.dealer for round_, _ in found}) == 1
    assert all(finding.delta is not None and finding.delta > 0 for _, finding in found)


def test_who_peeks_raises_his_stake_in_rounds_that_he_wins() -> None:
    stakes = Counter(
        event.amount
        for round_, _ in dealt(Scheme(peeks=10))
        for event in round_.events
        if isinstance(event, Wager) and (event.player, event.kind) == (REGULAR, "main")
    )
    usual = stakes.most_common(1)[0][0]
    raised = [
        sum(row.recorded.net for row in replay.settlements if row.player == REGULAR and row.recorded)
        for round_, replay in dealt(Scheme(peeks=10))
        for event in round_.events
        if isinstance(event, Wager)
        and (event.player, event.kind) == (REGULAR, "main")
        and event.amount >= 5 * usual
    ]
    assert len(raised) >= 5
    assert sum(net > 0 for net in raised) >= 0.8 * len(raised), "a raised stake may be insured"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "code"),
    [
        (Scheme(skips_first_card=True), "deal.order"),
        (Scheme(stands_on_soft_17=True), "dealer.under-draw"),
    ],
)
def test_rules_of_ones_own_are_findings_and_nothing_else(scheme: Scheme, code: str) -> None:
    found = codes(dealt(scheme))
    assert set(found) == {("P01", code)}
    assert found["P01", code] >= 3


def test_it_ends_after_so_many_rounds() -> None:
    rounds = dealt(Scheme(skips_first_card=True, lasts=20))
    at_table = [replay for round_, replay in rounds if round_.table == "P01"]
    assert any(replay.findings for replay in at_table[:20])
    assert not any(replay.findings for replay in at_table[20:])
