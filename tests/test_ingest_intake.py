"""The lines of any kind of log: each given once with its place, the rest counted and told."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from audit.errors import UsageProblem
from audit.ingest import wire
from audit.ingest.intake import Intake, Kind, Placed, Rejected, line_by_line, taken
from audit.progress import Progress


class Slip(msgspec.Struct, frozen=True):
    """A log of a kind that nobody keeps."""

    venue: str
    slip_id: str
    says: str = ""
    other: tuple[str, ...] = ()


def decoded(line: bytes) -> Slip:
    try:
        return msgspec.json.decode(line, type=Slip)
    except msgspec.MsgspecError as error:
        raise wire.Rejected("", f"not a slip: {error}") from None


SLIPS: Kind[Slip] = Kind(
    name="slip",
    read=line_by_line(decoded, "slips"),
    identity=lambda slip: (slip.venue, slip.slip_id),
    digest=lambda slip: slip.says,
    unknown=lambda slip: slip.other,
)


def slip(slip_id: str, says: str = "", venue: str = "V", other: tuple[str, ...] = ()) -> bytes:
    return msgspec.json.encode(Slip(venue, slip_id, says, other)) + b"\n"


def given(*arguments: Path | str) -> tuple[list[Placed[Slip] | Rejected], Intake]:
    intake = Intake()
    return list(taken(arguments, SLIPS, intake)), intake


def test_each_item_is_given_once_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"\xef\xbb\xbf" + slip("1") + slip("2", other=("x", "x", "y")))
    (tmp_path / "b.jsonl").write_bytes(slip("1") + slip("1", venue="W"))
    items, intake = given(tmp_path)
    assert [(each.where, each.item.slip_id) for each in items if isinstance(each, Placed)] == [
        ("a.jsonl:1", "1"),
        ("a.jsonl:2", "2"),
        ("b.jsonl:2", "1"),
    ]
    assert (intake.files, intake.lines, intake.duplicates, intake.complete) == (2, 4, 1, True)
    assert intake.unknown == {"x": 2, "y": 1}


def test_other_content_under_one_id_is_rejected_with_both_places(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(slip("1", "yes") + slip("1", "no"))
    (_, found), intake = given(tmp_path / "a.jsonl")
    told = "a.jsonl:2: slip_id: slip 1 came before with other content, from a.jsonl line 1"
    assert found == Rejected(told, "line")
    assert (intake.rejected, intake.complete) == ({"line": 1}, False)


def test_a_bad_line_and_one_too_long_do_not_stop_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "MAX_LINE", 100)
    (tmp_path / "a.jsonl").write_bytes(b"{\n" + slip("1", "x" * 200) + slip("2"))
    (bad, long, good), intake = given(tmp_path / "a.jsonl")
    assert isinstance(bad, Rejected)
    assert bad.message.startswith("a.jsonl:1: not a slip")
    assert isinstance(long, Rejected)
    assert "expected at most 100" in long.message
    assert isinstance(good, Placed)
    assert intake.rejected == {"line": 2}


def test_a_file_that_cannot_be_read_is_rejected_and_the_others_are_taken(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    (tmp_path / "b.jsonl").write_bytes(slip("1"))
    for name in ("rounds.csv", "events.csv"):
        (tmp_path / name).write_text("round_id,seq,e\n", encoding="utf-8")
    items, intake = given(tmp_path, tmp_path / "absent.jsonl")
    assert intake.rejected == {"file": 3}
    messages = " ".join(each.message for each in items if isinstance(each, Rejected))
    assert "expected slips as JSON Lines" in messages
    assert "absent.jsonl" in messages
    assert sum(isinstance(each, Placed) for each in items) == 1


def test_no_input_at_all_is_a_usage_problem(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"absent\.jsonl"):
        given(tmp_path / "absent.jsonl")


def test_progress_is_told_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.progress.PATIENCE", 0.0)
    monkeypatch.setattr("audit.progress.EVERY", 0.0)
    said: list[str] = []
    progress = Progress()
    monkeypatch.setattr(progress, "say", lambda text, *_, **__: said.append(text))
    (tmp_path / "a.jsonl").write_bytes(slip("1") + slip("1"))
    list(taken([tmp_path / "a.jsonl"], SLIPS, Intake(), progress))
    assert said == ["a.jsonl: 1", "a.jsonl: 2"]
