"""Rounds in, Arrow out: rows, order, coverage and totals of one run of rounds."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from itertools import chain

import msgspec
import pyarrow as pa
import pytest

from rules_replay.auditor import Auditor
from rules_replay.errors import ReplayFailed
from rules_replay.log import COVERAGE, FINDINGS, HANDS, SETTLEMENTS, Round, decode_custom
from rules_replay.replay import Batch, Replay, Tally
from rules_replay.results import RoundReplay
from rules_replay.venues import load_register
from tests.commands import night
from tests.rounds import play

DECODER = msgspec.json.Decoder(Round, dec_hook=decode_custom)
NIGHT = tuple(DECODER.decode(line) for line in night("act-2018").read_bytes().splitlines())
UNDERPAID = "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C | a wins 12.5"


def replayed(rounds: tuple[Round, ...], batch: int = 2048) -> tuple[Replay, list[Batch]]:
    replay = Replay(Auditor(load_register()))
    return replay, list(replay.batches(rounds, batch))


class TestTables:
    """The rows are those of the engine, in the order in which the rounds came."""

    def test_the_tables_have_their_schemas(self) -> None:
        replay, (batch,) = replayed(NIGHT)
        found = (batch.hands, batch.settlements, batch.findings, replay.coverage())
        for table, schema in zip(found, (HANDS, SETTLEMENTS, FINDINGS, COVERAGE), strict=True):
            assert table.schema.equals(schema, check_metadata=True)
            table.validate(full=True)

    def test_no_row_of_the_engine_is_lost_and_none_added(self) -> None:
        _, (batch,) = replayed(NIGHT)
        auditor = Auditor(load_register())
        singly = [auditor.audit(round_) for round_ in NIGHT]
        for table, name in (
            (batch.hands, "hands"),
            (batch.settlements, "settlements"),
            (batch.findings, "findings"),
        ):
            ids = chain.from_iterable([each.round_id] * len(getattr(each, name)) for each in singly)
            assert table["round_id"].to_pylist() == list(ids)

    def test_money_is_exact(self) -> None:
        _, (batch,) = replayed((play("act-2018", UNDERPAID),))
        (row,) = batch.settlements.to_pylist()
        assert (row["expected_paid"], row["recorded_paid"], row["delta"]) == (
            Decimal("20.000"),
            Decimal("12.500"),
            Decimal("-7.500"),
        )

    def test_a_wager_that_the_log_cannot_fix_has_no_amounts(self) -> None:
        _, (batch,) = replayed((play("act-2018", UNDERPAID.replace("QH", "??")),))
        (row,) = batch.settlements.to_pylist()
        assert (row["status"], row["expected_result"], row["expected_paid"], row["delta"]) == (
            "indeterminate",
            None,
            None,
            None,
        )

    def test_the_batch_makes_no_difference(self) -> None:
        whole, (batch,) = replayed(NIGHT)
        small, batches = replayed(NIGHT, 7)
        for name in ("hands", "settlements", "findings"):
            together = pa.concat_tables([getattr(each, name) for each in batches])
            assert together.equals(getattr(batch, name))
        assert small.coverage().equals(whole.coverage())
        assert small.tally == whole.tally

    def test_no_rounds_give_empty_tables(self) -> None:
        replay, batches = replayed(())
        assert (batches, replay.coverage().num_rows) == ([], 0)

    def test_a_round_that_cannot_be_replayed_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(self: Auditor, round_: Round) -> RoundReplay:
            raise IndexError("no such card")

        monkeypatch.setattr(Auditor, "audit", fails)
        with pytest.raises(
            ReplayFailed, match=f"round {NIGHT[0].round_id} could not be replayed .IndexError"
        ):
            replayed(NIGHT)


class TestCoverage:
    """Each check: rounds evaluated are passed and failed; missing evidence stands apart."""

    def test_the_sums_hold(self) -> None:
        rows = replayed(NIGHT)[0].coverage().to_pylist()
        assert rows
        for row in rows:
            assert row["evaluated"] == row["passed"] + row["failed"]
            assert (row["reason"] is None) == (row["not_evaluable"] == 0)
        keys = [(row["code"], row["rulebook"], row["reason"]) for row in rows]
        assert len(keys) == len(set(keys))

    def test_failed_rounds_are_the_rounds_with_a_finding(self) -> None:
        replay, (batch,) = replayed(NIGHT)
        found = set(
            zip(batch.findings["code"].to_pylist(), batch.findings["round_id"].to_pylist(), strict=True)
        )
        failed = {row["code"]: row["failed"] for row in replay.coverage().to_pylist() if row["failed"]}
        assert failed == Counter(code for code, _ in found)

    def test_a_check_without_its_fact_names_it(self) -> None:
        text = "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C | a wins 20 | without decisions"
        rows = replayed((play("act-2018", text),))[0].coverage().to_pylist()
        missing = {row["code"] for row in rows if row["reason"] == "decisions"}
        assert "draw.left-below-12" in missing or "draw.below-12" in missing
        assert all(row["evaluated"] == 0 for row in rows if row["reason"] == "decisions")


class TestTally:
    """Counts and money; ambiguous findings move no money."""

    def test_money_of_breaches_by_currency(self) -> None:
        rounds = (
            play("act-2018", UNDERPAID, round_id="R1"),
            play("act-2018", UNDERPAID.replace("12.5", "25"), round_id="R2", round_no=2),
            play("nz-2000", UNDERPAID, round_id="R3"),
        )
        tally = replayed(rounds)[0].tally
        money = {currency: (moved.overpaid, moved.underpaid) for currency, moved in tally.money.items()}
        assert money == {"AUD": (5000, 7500), "NZD": (0, 7500)}
        assert tally.findings["breach"] == 3
        assert tally.rulebooks == {"act-2018": 2, "nz-2000": 1}

    def test_tallies_add_up(self) -> None:
        parts = [replayed(NIGHT[:20])[0].tally, replayed(NIGHT[20:])[0].tally]
        total = Tally()
        for part in parts:
            total.add(part)
        assert total.rounds == len(NIGHT)
        assert total.findings.total() == sum(part.findings.total() for part in parts)
        assert total.checks.total() == sum(part.checks.total() for part in parts)
