"""Nights on disk: same call, same bytes, and the nights that come with the project."""

from __future__ import annotations

import errno
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest

import data_samples.write
from data_samples.__main__ import main
from data_samples.croupier import Truth, deal_night
from data_samples.faults import by_label
from data_samples.write import (
    NIGHTS_ROUNDS,
    bundled_night,
    read_truth,
    truth_beside,
    write_bundled,
    write_night,
)
from rules_replay.log import Round, decode_custom
from rules_replay.rulebook import rulebook_ids
from tests.test_samples_faults import disagreements

BOOKS = pytest.mark.parametrize("rulebook", rulebook_ids())

_ROUND = msgspec.json.Decoder(Round, dec_hook=lambda kind, found: decode_custom(kind, found))


def rounds_in(path: Path) -> list[Round]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [_ROUND.decode(line) for line in data.splitlines()]


def with_truth(path: Path) -> list[tuple[Round, Truth | None]]:
    truths = {truth.round_id: truth for truth in read_truth(truth_beside(path))}
    return [(round_, truths.get(round_.round_id)) for round_ in rounds_in(path)]


class TestWriting:
    """A night is written as the round log asks, with the truth beside it."""

    def test_what_is_written_is_what_was_dealt(self, tmp_path: Path) -> None:
        path = tmp_path / "night.jsonl"
        written = write_night(path, "nz-2000", 7, 60, faults="all", rate=0.5)
        night = list(deal_night("nz-2000", 7, 60, faults="all", rate=0.5))
        assert rounds_in(path) == [round_ for round_, _ in night]
        assert read_truth(written.truth) == [truth for _, truth in night if truth]
        assert (written.rounds, written.faulty) == (60, len(read_truth(written.truth)))

    def test_one_round_is_one_line_of_plain_json(self, tmp_path: Path) -> None:
        path = tmp_path / "night.jsonl"
        write_night(path, "act-2018", 7, 5)
        for line in path.read_text(encoding="utf-8").splitlines():
            found = json.loads(line)
            assert found["format"] == "pontoon-round/1"
            assert all(isinstance(e["amount"], str) for e in found["events"] if e["e"] == "wager")

    def test_the_same_call_writes_the_same_bytes(self, tmp_path: Path) -> None:
        for name in ("one", "two"):
            write_night(tmp_path / f"{name}.jsonl.gz", "rws-2017", 8, 40, faults="all", rate=0.5)
        assert (tmp_path / "one.jsonl.gz").read_bytes() == (tmp_path / "two.jsonl.gz").read_bytes()
        assert (tmp_path / "one.truth").read_bytes() == (tmp_path / "two.truth").read_bytes()

    def test_a_compressed_night_names_no_time_and_no_file(self, tmp_path: Path) -> None:
        path = tmp_path / "night.jsonl.gz"
        write_night(path, "act-2018", 7, 5)
        header = path.read_bytes()[:10]
        assert header[3] == 0
        assert header[4:8] == bytes(4)

    def test_a_night_is_packed_as_its_name_says(self, tmp_path: Path) -> None:
        path = tmp_path / "night.jsonl.zst"
        write_night(path, "act-2018", 7, 5)
        plain = pa.input_stream(str(path), compression="zstd").read()
        write_night(tmp_path / "night.jsonl", "act-2018", 7, 5)
        assert plain == (tmp_path / "night.jsonl").read_bytes()

    @pytest.mark.parametrize("name", ["night.jsonl", "night.jsonl.gz", "night.jsonl.zst"])
    def test_the_truth_lies_beside_the_log(self, name: str) -> None:
        assert truth_beside(Path("logs") / name) == Path("logs") / "night.truth"

    @pytest.mark.parametrize("name", ["night.jsonl", "night.jsonl.gz"])
    def test_what_was_cut_off_leaves_what_was_there(
        self, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def cut_off(*arguments: object, **choices: object) -> Iterator[tuple[Round, Truth | None]]:
            yield from dealt
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        write_night(tmp_path / name, "act-2018", 7, 5)
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        dealt = list(deal_night("act-2018", 8, 5))
        monkeypatch.setattr(data_samples.write, "deal_night", cut_off)
        with pytest.raises(OSError, match=f"No space left on device: '{tmp_path / name}'"):
            write_night(tmp_path / name, "act-2018", 8, 6)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before

    def test_a_pipe_stays_one(self, tmp_path: Path) -> None:
        path = tmp_path / "night.jsonl"
        os.mkfifo(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            write_night(path, "act-2018", 7, 1)
            assert os.read(reader, 100_000).endswith(b"\n")
        finally:
            os.close(reader)
        assert path.is_fifo()

    def test_a_clean_night_has_an_empty_truth(self, tmp_path: Path) -> None:
        written = write_night(tmp_path / "night.jsonl", "act-2005", 7, 10)
        assert written.truth.read_bytes() == b""


@BOOKS
class TestBundledNight:
    """A gaming night comes with the project for every rulebook, faults labelled."""

    def test_has_about_a_thousand_rounds_and_one_fault_in_twenty(self, rulebook: str) -> None:
        night = with_truth(bundled_night(rulebook))
        faulty = [truth for _, truth in night if truth]
        assert len(night) == NIGHTS_ROUNDS
        assert 30 <= len(faulty) <= 80
        assert {truth.fault for truth in faulty} <= set(by_label())
        assert len(read_truth(truth_beside(bundled_night(rulebook)))) == len(faulty)

    @pytest.mark.slow
    def test_every_fault_is_found_and_nothing_else_above_notice(self, rulebook: str) -> None:
        assert disagreements(with_truth(bundled_night(rulebook))) == []

    @pytest.mark.slow
    def test_is_what_the_command_deals(self, rulebook: str, tmp_path: Path) -> None:
        fresh = write_bundled(tmp_path, rulebook)
        assert rounds_in(fresh.path) == rounds_in(bundled_night(rulebook))
        assert fresh.truth.read_bytes() == truth_beside(bundled_night(rulebook)).read_bytes()


def test_bundled_nights_are_small() -> None:
    folder = bundled_night("act-2018").parent
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1_500_000


def test_the_command_takes_one_folder_at_most(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["one", "two"]) == 2
    assert "one folder at most" in capsys.readouterr().err
