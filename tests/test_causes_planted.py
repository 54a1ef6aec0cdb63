"""Causes planted in a dealt night, found by a run as just these causes, beside slips left alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rules_replay.log import Round
from tests.commands import Ran, pontoon, write_log
from tests.planted import (
    dealt,
    keeps_a_card,
    spoiled,
    stands_on_soft_17,
    wrong_button,
    wrong_sign,
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unvalidated")]


def busiest(rounds: list[Round], table: str) -> str:
    """The dealer who dealt most at a table."""
    dealers = Counter(each.dealer for each in rounds if each.table == table)
    return str(dealers.most_common(1)[0][0])


@pytest.fixture(scope="module")
def night() -> list[Round]:
    return dealt(5, 1_300, rate=0.03)


@pytest.fixture(scope="module")
def lake(
    night: list[Round], tmp_path_factory: pytest.TempPathFactory, unvalidated: object
) -> tuple[Path, Ran]:
    """A button at P02 from some hour, a wrong sign at P04, a dealer at P03 who burns nothing."""
    since = sorted(each.started_at for each in night if each.table == "P02")[100]
    keeper = busiest(night, "P03")
    rounds = spoiled(night, lambda each: each.table == "P02" and each.started_at >= since, wrong_button)
    rounds = spoiled(rounds, lambda each: each.table == "P03" and each.dealer == keeper, keeps_a_card)
    rounds = spoiled(rounds, lambda each: each.table == "P04", wrong_sign)
    folder = tmp_path_factory.mktemp("planted")
    pontoon("ingest", write_log(folder / "night.jsonl", rounds), "--lake", folder / "lake")
    return folder / "lake", pontoon("run", "--lake", folder / "lake")


def causes(lake: Path) -> dict[str, Any]:
    ran = pontoon("causes", "--lake", lake, "--json")
    assert ran.code == 0, ran.err
    found: dict[str, Any] = ran.object
    return found


def test_each_planted_cause_comes_out_as_one(lake: tuple[Path, Ran], night: list[Round]) -> None:
    """What was planted and nothing else; the wrong sign cuts stakes, so insurance is over half as well."""
    found = {(each["manner"], *each["place"].items()): each for each in causes(lake[0])["several"]}
    assert found.keys() == {
        ("a win at 3:2 paid at 1:1", ("table", "P02")),
        ("a wager above the maximum on the sign settled in full", ("table", "P04")),
        ("a card taken by the dealer on hard 17 and not burned", ("dealer", busiest(night, "P03"))),
        ("more than half the wager it insures", ("table", "P04")),
    }
    patterns = {each["manner"]: each["pattern"] for each in found.values()}
    assert patterns.pop("more than half the wager it insures") == "unknown"
    assert set(patterns.values()) == {"every"}
    assert all(each["rounds"] >= 4 for each in found.values())


def test_slips_put_in_beside_them_stay_alone(lake: tuple[Path, Ran]) -> None:
    assert causes(lake[0])["single"] >= 20


def test_the_run_closes_with_them_and_the_catalogue_has_them(lake: tuple[Path, Ran]) -> None:
    root, ran = lake
    assert "Cause: " in ran.out
    assert "rounds, table P02, one cause: a win at 3:2 paid at 1:1, every such wager between" in ran.out
    query = "SELECT cause, findings FROM causes WHERE pattern <> 'single'"
    for cause, findings in pontoon("query", "--lake", root, "--json", query).object["rows"]:
        of_cause = f"SELECT count(*) FROM findings_of_cause('{cause}')"
        assert pontoon("query", "--lake", root, "--json", of_cause).object["rows"] == [[findings]]


def test_a_dealer_who_stands_on_soft_17(night: list[Round], tmp_path: Path) -> None:
    """At two tables, so that there are others to compare with; both dealers come out by name."""
    dealers = [busiest(night, table) for table in ("P01", "P02")]
    rounds = spoiled(night, lambda each: each.dealer in dealers, stands_on_soft_17)
    pontoon("ingest", write_log(tmp_path / "night.jsonl", rounds), "--lake", tmp_path / "lake")
    pontoon("run", "--lake", tmp_path / "lake")
    found = [each for each in causes(tmp_path / "lake")["several"] if each["check"] == "dealer.under-draw"]
    assert found
    assert {each["manner"] for each in found} == {"the dealer stopped at soft 17"}
    assert {tuple(each["dealers"]) for each in found} <= {(dealer,) for dealer in dealers}
    assert {each["pattern"] for each in found} == {"every"}
