"""The comparison of millions of rounds: what it keeps, what it does not take on trust, what it writes."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import feather

from tests import record_parity
from tests.record_parity import Block, blocks, kernel_code, main, readable_code

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("compiled_kernel")]

FEW = 40


def _changed(kept: Path) -> None:
    """Another stake on every line of what the readable engine is said to have said."""
    table = feather.read_table(kept)
    place = table.schema.get_field_index("stake")
    field = table.schema.field(place)
    other = pa.array([Decimal("0.010")] * table.num_rows, field.type)
    feather.write_feather(table.set_column(place, field, other), kept)


def test_what_was_dealt_and_said_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    block = Block(tmp_path, "nz-2000", 0, FEW)
    found, counts = block.differences()
    assert found == []
    assert counts["rounds"] == FEW
    assert counts["events"] > 10 * FEW

    def never(*_: object, **__: object) -> None:
        raise AssertionError("dealt or replayed again")

    monkeypatch.setattr(record_parity, "deal_night", never)
    monkeypatch.setattr(record_parity, "by_engine", never)
    assert block.differences() == ([], counts)


def test_another_readable_engine_replays_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    block = Block(tmp_path, "nz-2000", 0, FEW)
    block.differences()
    with monkeypatch.context() as patched:
        patched.setattr(record_parity, "readable_code", lambda: "another")
        assert block.differences()[0] == []
    assert len([*tmp_path.glob("nz-2000/*/said-*")]) == 2


def test_a_difference_is_told_and_no_page_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "parity.md"
    asked = [str(tmp_path), "--rounds", str(FEW), "--workers", "1", "--page", str(page)]
    asked += ["--rulebooks", "nz-2000"]
    assert main(asked) == 0
    text = page.read_text(encoding="utf-8")
    assert f"| nz-2000 | {FEW} |" in text
    assert readable_code() in text
    assert kernel_code() in text

    page.unlink()
    (kept,) = tmp_path.glob("nz-2000/*/said-*/settlements.arrow")
    _changed(kept)
    assert main(asked) == 1
    assert "settlements: {'stake'" in capfd.readouterr().err
    assert not page.exists()


def test_blocks_come_to_the_rounds_asked_for(tmp_path: Path) -> None:
    asked = [*blocks(tmp_path, ("act-2005", "nz-2000"), 2 * record_parity.BLOCK + 1)]
    assert [each.rulebook for each in asked[:3]] == ["act-2005", "nz-2000", "act-2005"]
    assert [each.rounds for each in asked if each.rulebook == "nz-2000"] == [
        record_parity.BLOCK,
        record_parity.BLOCK,
        1,
    ]
