"""The fast path of the croupier: evenings under another date, and the lake made of them."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

import msgspec
import pytest

from audit.lake import Lake
from audit.law import load_law
from audit.partitions import Choice
from audit.run import run
from data_samples.bulk import Original, deal_original, evenings, main, shares
from rules_replay.auditor import Auditor
from rules_replay.log import Round, decode_custom
from rules_replay.rulebook import rulebook_ids
from rules_replay.venues import load_register
from tests.bench.lake import write_lake

DECODER = msgspec.json.Decoder(Round, dec_hook=decode_custom)
AT = datetime(2026, 1, 1, tzinfo=UTC)
FEW = 60


@cache
def original(rulebook: str, rate: float = 0.0) -> Original:
    return deal_original(rulebook, FEW, rate=rate)


def dealt(rulebook: str, rounds: int, rate: float = 0.0) -> list[Round]:
    return [
        DECODER.decode(line)
        for evening in evenings(original(rulebook, rate), rounds)
        for line in evening.lines().splitlines()
    ]


@pytest.mark.parametrize("rulebook", rulebook_ids())
class TestEvenings:
    """An evening is the original under another date, and as lawful."""

    def test_no_id_comes_twice(self, rulebook: str) -> None:
        rounds = dealt(rulebook, 5 * FEW)
        assert len({each.round_id for each in rounds}) == 5 * FEW

    def test_the_rounds_of_a_shoe_are_in_order(self, rulebook: str) -> None:
        shoes = defaultdict(list)
        for each in dealt(rulebook, 3 * FEW):
            shoes[each.table, each.shoe].append((each.round_no, each.started_at))
        assert all(sorted(shoe) == shoe for shoe in shoes.values())
        assert all(shoe[0][0] == 1 for shoe in shoes.values())

    def test_every_evening_has_a_gaming_date_of_its_own(self, rulebook: str) -> None:
        register = load_register()
        days: dict[date, int] = defaultdict(int)
        for each in dealt(rulebook, 8 * FEW + 7):
            days[register.gaming_date(each.venue, each.started_at)] += 1
        assert sorted(days.values()) == [7, *[FEW] * 8]

    def test_the_offset_is_that_of_the_zone(self, rulebook: str) -> None:
        register = load_register()
        for evening in evenings(original(rulebook), 250 * FEW):
            (line,) = original(rulebook).lines[:1]
            started = DECODER.decode(evening.stamped(line)).started_at
            zone = register.venues[evening.original.house.venue].zone
            assert started.utcoffset() == started.astimezone(zone).utcoffset()

    def test_nothing_is_found_where_no_fault_was_put_in(self, rulebook: str) -> None:
        auditor = Auditor(load_register())
        for round_ in dealt(rulebook, 2 * FEW):
            replayed = auditor.audit(round_)
            assert replayed.rulebook == rulebook
            assert replayed.findings == ()

    def test_faults_are_put_in_where_asked_for(self, rulebook: str) -> None:
        auditor = Auditor(load_register())
        assert any(auditor.audit(round_).findings for round_ in dealt(rulebook, FEW, rate=0.5))

    def test_fewer_rounds_are_the_beginning_of_more(self, rulebook: str) -> None:
        assert deal_original(rulebook, 20, rate=0.0).lines == original(rulebook).lines[:20]


def test_more_rounds_than_the_rulebook_was_in_force_for_are_refused() -> None:
    with pytest.raises(ValueError, match="casino-canberra played by act-2005 until 2017-05-19 only"):
        for _ in evenings(original("act-2005"), 10_000 * FEW):
            pass


def test_rounds_are_parted_evenly_among_the_rulebooks() -> None:
    assert list(shares(12).values()) == [3, 3, 2, 2, 2]


def test_the_command_writes_so_many_rounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    for path in (first, second):
        assert main([str(path), "--rounds", "53"]) == 0
    assert len({DECODER.decode(line).round_id for line in first.read_bytes().splitlines()}) == 53
    assert first.read_bytes() == second.read_bytes()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(tmp_path_factory.mktemp("bulk") / "lake")
    books = {name: original(name, 0.05) for name in ("act-2018", "rws-2017")}
    write_lake(lake.root, books, 5 * FEW, jobs=1, at=AT)
    return lake


class TestLake:
    """The lake of many evenings is one ingest of their logs, and fit for a run."""

    def test_every_evening_is_a_log_and_a_partition(self, large: Lake) -> None:
        (record,) = large.records("ingests")
        assert [each["lines"] for each in record["files"]] == [FEW, FEW, 30, FEW, FEW, 30]
        assert [each.gaming_date for each in large.partitions()] == [
            evening.day
            for name, rounds in shares(5 * FEW, ("act-2018", "rws-2017")).items()
            for evening in evenings(original(name, 0.05), rounds)
        ]

    def test_it_is_intact(self, large: Lake) -> None:
        assert large.verify().intact

    @pytest.mark.slow
    def test_a_run_accepts_it(self, large: Lake) -> None:
        outcome = run(large, load_law(), Choice(), jobs=1, at=AT)
        assert not outcome.failed
        assert outcome.record["counts"]["rounds"] == 5 * FEW
        assert outcome.record["control_totals"] == "compared"
        assert outcome.validation is not None
        assert all(suite.outcome == "passed" for suite in outcome.validation.suites if suite.name != "checks")
