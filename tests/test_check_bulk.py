"""A large check goes through the kernel and says what a small one says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit import check
from audit.check import Check, Checked
from audit.ingest.intake import Rejected
from audit.law import load_law
from rules_replay.errors import EnginesDisagree
from rules_replay.rulebook import rulebook_ids
from tests.commands import BROKEN, GOLDEN, night


def _said(arguments: Sequence[Path], monkeypatch: pytest.MonkeyPatch, *, bulk: bool) -> tuple[list[Any], Any]:
    """What a check gives, one entry an item, and all that its summary holds."""
    monkeypatch.setattr(check, "BULK_FROM", 0 if bulk else float("inf"))
    checked = Check(load_law())
    items = [
        (each.read.file, each.read.line, replace(each.replay, hands=(), coverage=()))
        if isinstance(each, Checked)
        else each
        for each in checked.items(arguments)
    ]
    summary = checked.summary
    return items, (summary.as_json(), summary.codes, summary.tally)


@pytest.fixture
def mixed(tmp_path: Path) -> list[Path]:
    """Nights of every rulebook dealt into one file turn by turn, with repeats, beside broken lines."""
    nights = [night(each).read_bytes().splitlines() for each in rulebook_ids()]
    lines = [line for some in zip(*nights, strict=True) for line in some]
    log = tmp_path / "mixed.jsonl"
    log.write_bytes(b"\n".join([*lines, *lines[:3], b'{"format":"pontoon-round/1"}']) + b"\n")
    return [log, GOLDEN, BROKEN / "cut-off.jsonl"]


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel")
class TestBulk:
    """The kernel judges, and nobody can tell."""

    def test_it_says_the_same_in_the_same_order(
        self, mixed: list[Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        items, summary = _said(mixed, monkeypatch, bulk=False)
        in_bulk, of_bulk = _said(mixed, monkeypatch, bulk=True)
        assert len(items) > 360
        assert in_bulk == items
        assert of_bulk == summary

    def test_of_rounds_out_of_order_as_well(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        log = tmp_path / "night.jsonl"
        lines = night("act-2018").read_bytes().splitlines()
        log.write_bytes(b"\n".join(lines[::-1]) + b"\n")
        items, summary = _said([log], monkeypatch, bulk=False)
        in_bulk, of_bulk = _said([log], monkeypatch, bulk=True)
        assert in_bulk == items
        assert of_bulk == summary
        straight, of_straight = _said([night("act-2018")], monkeypatch, bulk=False)
        assert sorted(each[2].round_id for each in items) == sorted(each[2].round_id for each in straight)
        assert of_straight == summary

    def test_rounds_on_which_the_engines_differ_are_rejected_together(
        self, mixed: list[Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from rules_replay.fast import FastReplay

        batch = FastReplay.batch

        def disagreeing(self: FastReplay, rounds: Any, events: Any) -> Any:
            found = batch(self, rounds, events)
            if rounds["round_id"][0].as_py().startswith("adelaide"):
                raise EnginesDisagree(rounds["round_id"][0].as_py(), "its findings", 1)
            return found

        monkeypatch.setattr(FastReplay, "batch", disagreeing)
        monkeypatch.setattr(check, "BULK_FROM", 0)
        checked = Check(load_law())
        items = list(checked.items(mixed[:1]))
        (said,) = [each.message for each in _rejected(items) if each.what == "round"]
        assert said.startswith("mixed.jsonl:3: from here 60 rounds of skycity-adelaide not audited: ")
        assert sum(isinstance(each, Checked) for each in items) == 240
        assert checked.summary.rejected == {"round": 60, "line": 1}
        assert checked.summary.lines == 240 + 60 + 3 + 1


def _rejected(items: Sequence[check.Item]) -> Iterator[Rejected]:
    return (each for each in items if not isinstance(each, Checked))


class TestWhatIsLarge:
    """Whether the kernel pays is told from the size of the files before the first line is read."""

    def test_files_count_by_their_size_and_packed_ones_for_more(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_bytes(bytes(2_000_000))
        (tmp_path / "b.jsonl.gz").write_bytes(bytes(1_000_000))
        assert check.megabytes([tmp_path / "a.jsonl"]) == 2
        assert check.megabytes([tmp_path]) == 2 + check.UNPACKED

    def test_standard_input_and_what_is_not_there_count_for_nothing(self, tmp_path: Path) -> None:
        assert check.megabytes(["-", tmp_path / "none.jsonl"]) == 0

    def test_a_link_that_leads_nowhere_counts_for_nothing_and_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere.jsonl")
        assert check.megabytes([tmp_path / "gone.jsonl"]) == 0
        checked = Check(load_law())
        items = list(checked.items([tmp_path / "gone.jsonl", night("act-2018")]))
        assert [each.what for each in _rejected(items)] == ["file"]
        assert len(items) == 1 + 60

    def test_the_samples_are_small(self) -> None:
        assert check.megabytes([night(each) for each in rulebook_ids()]) < check.BULK_FROM
