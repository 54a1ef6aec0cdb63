"""Files found, opened and cut into lines: every form gives the same rounds."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from hypothesis import given

from audit.errors import SourceFailed
from audit.ingest import lines, wire
from audit.ingest.readers import Read, Refused, Source, find_sources, open_source, read_rounds
from audit.ingest.sources import lakes_among
from rules_replay.log import Round
from tests.test_ingest_rounds import BARE, plain_rounds

BROKEN = Path(__file__).parent / "broken"


def plain(number: int, **changes: Any) -> dict[str, Any]:
    """A small round of its own."""
    events = [
        {"e": "wager", "id": "a", "box": 1, "player": "P1", "kind": "main", "amount": "25"},
        {"e": "deal", "box": 1, "card": "8S"},
        {"e": "settle", "wager": "a", "result": "lose", "paid": "0", "taken": "25"},
    ]
    return BARE | {"round_id": f"R-{number}", "round_no": number, "events": events} | changes


def json_lines(rounds: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(msgspec.json.encode(each) + b"\n" for each in rounds)


def only_source(*arguments: str | Path) -> Source:
    sources, failed = find_sources(arguments)
    assert not failed
    (source,) = sources
    return source


def read_all(path: Path) -> list[Read | Refused]:
    return list(read_rounds(only_source(path)))


def rounds_in(items: Iterable[Read | Refused]) -> list[Round]:
    return [item.round for item in items if isinstance(item, Read)]


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "gzip of two members": lambda data: gzip.compress(data[:100]) + gzip.compress(data[100:]),
    "zstd": zstandard.compress,
    "zstd of two frames": lambda data: zstandard.compress(data[:100]) + zstandard.compress(data[100:]),
}


class TestPacking:
    """A file is unpacked by what it holds, not by its name."""

    @pytest.mark.parametrize("packing", PACKINGS)
    def test_every_packing_gives_the_same_rounds(self, tmp_path: Path, packing: str) -> None:
        data = json_lines(plain(number) for number in range(1, 6))
        path = tmp_path / "night.jsonl"
        path.write_bytes(PACKINGS[packing](data))
        assert [each.round_no for each in rounds_in(read_all(path))] == [1, 2, 3, 4, 5]

    @pytest.mark.parametrize("packing", PACKINGS)
    def test_standard_input_is_read_like_a_file(self, monkeypatch: pytest.MonkeyPatch, packing: str) -> None:
        data = PACKINGS[packing](json_lines(plain(number) for number in range(1, 6)))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        items = list(read_rounds(only_source("-")))
        assert [each.round_no for each in rounds_in(items)] == [1, 2, 3, 4, 5]
        assert {each.file for each in items} == {"-"}

    def test_a_named_pipe_is_read_like_a_file(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe.jsonl"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(json_lines([plain(1)]),))
        writer.start()
        assert [each.round_no for each in rounds_in(read_all(pipe))] == [1]
        writer.join()


class TestWholeFileRefused:
    """A file that cannot be read to its end gives no rounds at all, and one clear line."""

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("empty.jsonl", "the file is empty"),
            ("empty.jsonl.gz", "the file is empty"),
            ("truncated.jsonl.gz", "the gzip data ends too early; none of it was taken"),
            ("truncated.jsonl.zst", "the zstd data ends too early; none of it was taken"),
            ("damaged.jsonl.gz", "the gzip data is damaged"),
            ("csv-without-column-names", "no column 'round_id'"),
            ("csv-column-twice", "column 'table' stands twice"),
            ("csv-event-without-round-id", "line 5: no round_id; the event may belong to any round"),
            ("csv-event-quote-left-open", "line 2: not CSV"),
        ],
    )
    def test_it_gives_one_clear_line_and_no_rounds(self, name: str, words: str) -> None:
        source = only_source(BROKEN / name)
        given: list[Read | Refused] = []
        with pytest.raises(SourceFailed, match=words) as caught:
            given.extend(read_rounds(source))
        assert given == []
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("first", "words"),
        [
            (b"format;round_id;venue\n", "commas between; found 'format;round_id;venue'"),
            ("format,round_id,venue\n".encode("utf-16"), "the file begins as UTF-16 text; expected UTF-8"),
        ],
        ids=["semicolons", "UTF-16"],
    )
    def test_what_stands_for_the_names_of_the_columns_is_told(
        self, tmp_path: Path, first: bytes, words: str
    ) -> None:
        (tmp_path / "rounds.csv").write_bytes(first)
        (tmp_path / "events.csv").write_bytes(b"round_id,seq,e\n")
        with pytest.raises(SourceFailed, match=words):
            list(read_rounds(only_source(tmp_path)))

    def test_a_file_that_grows_while_it_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "night.jsonl"
        path.write_bytes(json_lines([plain(1)]))
        with open_source(only_source(path)) as opened:
            with path.open("ab") as file:
                file.write(json_lines([plain(2)]))
            with pytest.raises(SourceFailed, match="changed while it was read"):
                list(opened)

    def test_a_missing_file(self, tmp_path: Path) -> None:
        sources, (failure,) = find_sources([tmp_path / "none.jsonl"])
        assert sources == []
        assert "no such file" in str(failure)

    def test_a_file_gone_before_it_is_opened(self, tmp_path: Path) -> None:
        with pytest.raises(SourceFailed, match=r"night\.jsonl: no such file"):
            list(read_rounds(Source("night.jsonl", tmp_path / "night.jsonl")))

    def test_a_device_is_no_log(self) -> None:
        with pytest.raises(SourceFailed, match="neither a file nor a pipe"):
            list(read_rounds(Source("null", Path(os.devnull))))

    def test_a_file_without_permission(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "night.jsonl"
        path.write_bytes(json_lines([plain(1)]))

        def refuse(*_: object) -> None:
            raise PermissionError(13, "Permission denied", str(path))

        source = only_source(path)
        monkeypatch.setattr(Path, "open", refuse)
        with pytest.raises(SourceFailed, match=r"night\.jsonl: permission denied; give this user access"):
            list(read_rounds(source))


class TestFinding:
    """Files, folders, patterns: each input once, in a fixed order."""

    def test_a_folder_is_searched_through_and_sorted(self, tmp_path: Path) -> None:
        for name in ("b.jsonl", "a/z.ndjson.gz", "a/y.json.zst", "notes.txt", "c/rounds.csv", "c/events.csv"):
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"x")
        sources, failed = find_sources([tmp_path])
        assert failed == []
        assert [each.name for each in sources] == ["a/y.json.zst", "a/z.ndjson.gz", "b.jsonl", "c/rounds.csv"]

    def test_a_folder_that_may_not_be_opened_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "a.jsonl").write_bytes(b"x")
        closed = tmp_path / "closed"
        closed.mkdir()
        scandir = os.scandir

        def guarded(path: Any) -> Any:
            if Path(path) == closed:
                raise PermissionError(13, "Permission denied", str(path))
            return scandir(path)

        monkeypatch.setattr(os, "scandir", guarded)
        sources, (failure,) = find_sources([tmp_path])
        assert [each.name for each in sources] == ["a.jsonl"]
        assert f"{closed}: permission denied" in str(failure)

    def test_a_linked_folder_is_named_unless_it_is_searched_anyway(self, tmp_path: Path) -> None:
        folder, other = tmp_path / "logs", tmp_path / "other"
        for path in (folder / "march" / "a.jsonl", other / "b.jsonl"):
            path.parent.mkdir(parents=True)
            path.write_bytes(b"x")
        (folder / "current").symlink_to("march")
        (folder / "around").symlink_to(folder)
        (folder / "elsewhere").symlink_to(other)
        sources, (failure,) = find_sources([folder])
        assert [each.name for each in sources] == ["march/a.jsonl"]
        assert str(failure).startswith(f"{folder / 'elsewhere'}: a link to a folder, which is not followed")
        assert find_sources([folder / "elsewhere"])[1] == []

    def test_lakes_are_passed_over(self, tmp_path: Path) -> None:
        ledgers = [f"{lake}/ledger/ingests.jsonl" for lake in ("lake", "deep/lake")]
        for name in ("a.jsonl", "deep/b.jsonl", *ledgers):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"x")
        (tmp_path / "lake" / "report").mkdir()
        (tmp_path / "lake" / "report" / "summary.json").write_bytes(b"x")
        for arguments in ([tmp_path], [f"{tmp_path}/*"], [tmp_path, tmp_path / "deep"]):
            sources, failed = find_sources(arguments)
            assert (failed, {each.path for each in sources}) == (
                [],
                {tmp_path / "a.jsonl", tmp_path / "deep" / "b.jsonl"},
            )
            assert set(lakes_among(arguments)) == {tmp_path / "lake", tmp_path / "deep" / "lake"}
        sources, (failure,) = find_sources([tmp_path / "lake"])
        assert (sources, lakes_among([tmp_path / "lake"])) == ([], [])
        assert f"`pontoon-audit run --lake {tmp_path / 'lake'}` audits what it holds" in str(failure)

    def test_a_folder_without_logs_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").write_bytes(b"x")
        assert "no round logs in this folder" in str(find_sources([tmp_path])[1][0])

    def test_patterns_go_into_folders(self, tmp_path: Path) -> None:
        for name in ("one/a.jsonl", "two/deep/b.jsonl", "two/c.txt"):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"x")
        sources, failed = find_sources([f"{tmp_path}/**/*.jsonl", f"{tmp_path}/t*"])
        assert failed == []
        assert [each.name for each in sources] == ["a.jsonl", "b.jsonl"]

    def test_a_pattern_that_matches_nothing_is_named(self, tmp_path: Path) -> None:
        assert "no file matches this pattern" in str(find_sources([f"{tmp_path}/*.jsonl"])[1][0])

    def test_a_file_whose_name_looks_like_a_pattern(self, tmp_path: Path) -> None:
        (tmp_path / "night[1].jsonl").write_bytes(json_lines([plain(1)]))
        assert len(read_all(tmp_path / "night[1].jsonl")) == 1

    def test_a_file_named_twice_is_read_once(self, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        path.write_bytes(b"x")
        assert only_source(path, tmp_path, f"{tmp_path}/*").name == "a.jsonl"

    def test_either_half_of_a_csv_pair_finds_the_other(self, tmp_path: Path) -> None:
        for name in ("night-rounds.csv.gz", "night-events.csv"):
            (tmp_path / name).write_bytes(b"x")
        for half in ("night-rounds.csv.gz", "night-events.csv"):
            source = only_source(tmp_path / half)
            assert source.name == "night-rounds.csv.gz"
            assert source.events == tmp_path / "night-events.csv"
        assert only_source(f"{tmp_path}/*.csv*").name == "night-rounds.csv.gz"

    def test_a_csv_half_alone_is_named(self) -> None:
        assert "its other half events.csv is missing" in str(
            find_sources([BROKEN / "csv-other-half-missing"])[1][0]
        )

    def test_a_csv_of_another_name_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "staff.csv").write_bytes(b"x")
        assert "two files with 'rounds' and 'events'" in str(find_sources([tmp_path / "staff.csv"])[1][0])


class TestLines:
    """Every line has its number, its byte offset and its bytes."""

    def test_places_are_those_in_the_unpacked_file(self, tmp_path: Path) -> None:
        data = json_lines([plain(1)]) + b"nonsense\r\n\n" + json_lines([plain(2)]).rstrip()
        path = tmp_path / "night.jsonl.gz"
        path.write_bytes(gzip.compress(data))
        items = read_all(path)
        assert [item.line for item in items] == [1, 2, 3, 4]
        assert [data[item.offset : item.offset + len(item.raw)] for item in items] == [
            item.raw for item in items
        ]
        assert [type(item) for item in items] == [Read, Refused, Refused, Read]
        assert items[1].raw == b"nonsense\r"

    def test_a_byte_order_mark_is_no_content(self, tmp_path: Path) -> None:
        path = tmp_path / "night.jsonl"
        path.write_bytes(b"\xef\xbb\xbf" + json_lines([plain(1)]))
        (item,) = read_all(path)
        assert isinstance(item, Read)
        assert item.raw.startswith(b"\xef\xbb\xbf{")

    def test_lines_longer_than_what_is_read_at_a_time(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lines, "CHUNK", 7)
        path = tmp_path / "night.jsonl"
        path.write_bytes(json_lines(plain(number) for number in range(1, 4)))
        assert [each.round_no for each in rounds_in(read_all(path))] == [1, 2, 3]

    @pytest.mark.parametrize("ending", [b"", b"\n"])
    def test_a_line_of_50_megabytes_is_refused_and_the_rest_read(self, tmp_path: Path, ending: bytes) -> None:
        path = tmp_path / "night.jsonl"
        size = 50 * 1024 * 1024
        with path.open("wb") as file:
            file.write(json_lines([plain(1)]) + b'{"round_id":"LONG","pad":"' + b"x" * (size - 28) + b'"}\n')
            file.write(json_lines([plain(2)]).rstrip() + ending)
        first, long, last = read_all(path)
        assert isinstance(long, Refused)
        assert long.byte_count == size
        assert len(long.raw) == wire.KEPT_OF_LONG_LINE
        assert "expected at most 8,388,608" in long.reason
        assert isinstance(first, Read)
        assert isinstance(last, Read)
        assert last.line == 3
        assert last.offset == first.offset + len(first.raw) + 1 + size + 1

    def test_the_longest_line_allowed_is_read(self, tmp_path: Path) -> None:
        line = msgspec.json.encode(plain(1))
        path = tmp_path / "night.jsonl"
        path.write_bytes(
            line + b" " * (wire.MAX_LINE - len(line)) + b"\n" + line + b" " * (wire.MAX_LINE + 1 - len(line))
        )
        first, second = read_all(path)
        assert isinstance(first, Read)
        assert isinstance(second, Refused)

    def test_a_message_says_where_and_what(self) -> None:
        (item,) = read_all(BROKEN / "unknown-result.jsonl")
        assert isinstance(item, Refused)
        assert item.message.startswith("unknown-result.jsonl:1: events[6].result: unknown result 'won'")


def write_csv(folder: Path, rounds: list[dict[str, Any]]) -> None:
    """The CSV pair that says what the JSON objects say."""
    rows: list[dict[str, Any]] = []
    event_rows: list[dict[str, Any]] = []
    for each in rounds:
        row = {name: _cell(value) for name, value in each.items() if name not in ("events", "limits")}
        row |= {f"limits.{name}": value for name, value in each.get("limits", {}).items()}
        rows.append(row)
        event_rows += [
            {"round_id": each["round_id"], "seq": seq} | {name: _cell(cell) for name, cell in event.items()}
            for seq, event in enumerate(each["events"])
        ]
    for name, table in (("rounds.csv", rows), ("events.csv", event_rows)):
        columns = list(dict.fromkeys(column for row in table for column in row))
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(table)


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, bool | list) else value


class TestCsvPair:
    """The two-file form says the same as JSON Lines."""

    @given(plain_rounds())
    def test_any_round_reads_the_same_as_from_json(
        self, tmp_path_factory: pytest.TempPathFactory, drawn: dict[str, Any]
    ) -> None:
        if not drawn["events"]:
            drawn = drawn | {"events": [{"e": "cut_card"}]}
        folder = tmp_path_factory.mktemp("pair")
        write_csv(folder, [drawn])
        (item,) = read_all(folder)
        assert isinstance(item, Read), item
        expected = wire.decode_line(msgspec.json.encode(drawn)).round
        assert wire.content_digest(item.round) == wire.content_digest(expected)
        assert item.extra is None

    def test_neither_file_need_be_sorted(self, tmp_path: Path) -> None:
        rounds = [plain(number) for number in range(1, 6)]
        write_csv(tmp_path, rounds)
        head, *rows = (tmp_path / "events.csv").read_text().splitlines(keepends=True)
        (tmp_path / "events.csv").write_text(head + "".join(reversed(rows)))
        assert rounds_in(read_all(tmp_path)) == [
            wire.decode_line(msgspec.json.encode(each)).round for each in rounds
        ]

    def test_other_columns_are_kept_by_path(self, tmp_path: Path) -> None:
        one = plain(1)
        one["pit"] = "North"
        one["events"][1]["gesture"] = "tap"
        one["events"][2]["card"] = "8S"
        write_csv(tmp_path, [one])
        (item,) = read_all(tmp_path)
        assert isinstance(item, Read)
        assert item.extra == '{"events[1].gesture":"tap","events[2].card":"8S","pit":"North"}'

    def test_lists_and_limits_have_two_spellings(self, tmp_path: Path) -> None:
        head = "format,round_id,venue,table,shoe,round_no,started_at,decks,currency,records,offers"
        row = "pontoon-round/1,{},v,t,s,1,2019-03-01T20:14:05Z,6,AUD"
        (tmp_path / "rounds.csv").write_text(
            f"{head},limit_min,limits\n"
            f'{row.format("R-1")},decisions;burns,"[""pair""]",5,\n'
            f'{row.format("R-2")},"[""decisions"",""burns""]",pair,,"{{""min"":""5""}}"\n'
        )
        (tmp_path / "events.csv").write_text("round_id,seq,e\nR-1,0,cut_card\nR-2,0,cut_card\n")
        first, second = rounds_in(read_all(tmp_path))
        assert msgspec.structs.replace(first, round_id="R-2") == second
        assert first.records == ("decisions", "burns")
        assert first.limits is not None
        assert first.limits.min == 5000

    def test_the_line_and_the_bytes_are_those_of_both_files(self, tmp_path: Path) -> None:
        two = plain(2)
        two["events"][2]["result"] = "won"
        write_csv(tmp_path, [plain(1), two])
        _, item = read_all(tmp_path)
        assert isinstance(item, Refused)
        assert (item.file, item.line, item.field) == ("rounds.csv", 3, "events[2].result")
        rounds = (tmp_path / "rounds.csv").read_bytes().split(b"\n")
        events = (tmp_path / "events.csv").read_bytes().split(b"\n")
        assert item.raw == b"\n".join([rounds[2], *events[4:7]])
        assert item.venue == "casino-canberra"

    @pytest.mark.parametrize(
        ("name", "field", "words"),
        [
            ("csv-gap-in-seq", "seq", "no event has seq 1"),
            ("csv-seq-twice", "seq", "two events have seq 1, the second at line 5"),
            ("csv-seq-not-a-number", "seq", "got 'first' in the event at line 2"),
            ("csv-short-row", "", "expected 9 cells as in the first line, got 8"),
            ("csv-short-event-row", "", "in the event at line 3: expected 13 cells"),
            ("csv-quote-left-open", "", "not CSV"),
            ("csv-not-utf8", "", "not UTF-8: byte 0xe9"),
            ("csv-nul-byte", "", "NUL character"),
            ("csv-time-as-number", "started_at", "with its offset"),
            ("csv-event-of-no-round", "round_id", "rounds.csv has no round of this id, but events.csv has 3"),
            ("csv-round-without-events", "events", "has no event of this round"),
        ],
    )
    def test_a_broken_row_is_refused_with_its_reason(self, name: str, field: str, words: str) -> None:
        refused = [item for item in read_all(BROKEN / name) if isinstance(item, Refused)]
        assert refused[0].field == field
        assert words in refused[0].reason

    def test_every_broken_pair_kept_is_asserted_on(self) -> None:
        text = Path(__file__).read_text()
        kept = [path.name for path in BROKEN.iterdir() if not path.name.endswith(".jsonl")]
        assert len(kept) >= 20
        assert [name for name in kept if f'"{name}"' not in text] == []
