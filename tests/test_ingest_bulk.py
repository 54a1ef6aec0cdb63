"""Compiled reading, several processes and the list of stored rounds: quicker, and nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.ingest import pipeline, wire
from audit.ingest.batch import Batch, batch_of_lines, get_ready
from audit.ingest.bulk import bulk_of
from audit.ingest.crew import Crew, WorkerLost
from audit.ingest.known import StoredKeys
from audit.ingest.lines import Cuts, Lines, batches
from audit.ingest.pipeline import IngestReport, ingest
from audit.lake import Lake
from rules_replay.venues import load_register
from tests.test_ingest_pipeline import contents, put, stored
from tests.test_ingest_readers import BROKEN, json_lines, plain, write_csv
from tests.test_ingest_rounds import plain_rounds

pytestmark = pytest.mark.slow

REGISTER = load_register()
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def laid_out(folder: Path, data: bytes, *, bulk: bool) -> tuple[Batch, list[dict[str, Any]], list[Any]]:
    """A batch of lines, its rounds in their order with their events, and what was refused."""
    path = folder / ("bulk" if bulk else "singly")
    batch = batch_of_lines(Lines("f", data, 1, 0), "s", REGISTER, path, bulk)
    rows = []
    for layer in batch.layers:
        rounds, events = layer.tables()
        logged = iter(events.table(rounds["round_id"].combine_chunks()).to_pylist())
        rows += [row | {"events": list(islice(logged, row["event_count"]))} for row in rounds.to_pylist()]
    rows.sort(key=lambda row: row["source_line"])
    return batch, rows, sorted((each.line, each.field, each.reason) for _, each in batch.refused)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    return lambda: tmp_path_factory.mktemp("laid")


def same_either_way(folder: Path, data: bytes) -> None:
    one, rows, refused = laid_out(folder, data, bulk=True)
    other, other_rows, other_refused = laid_out(folder, data, bulk=False)
    assert rows == other_rows
    assert refused == other_refused
    for name in ("keys", "digests", "round_ids"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    for name in one.rows.keys() - {"layer", "row", "currency"}:
        assert one.rows[name].tolist() == other.rows[name].tolist()
    assert one.unknown == other.unknown
    assert one.total == other.total


def damaged(line: bytes, chance: random.Random) -> bytes:
    """A line with one byte or one word of it changed, doubled or gone."""
    place = chance.randrange(len(line))
    kind = chance.randrange(4)
    if kind == 0:
        return line[:place] + line[place + 1 :]
    if kind == 1:
        return (
            line[:place] + chance.choice((b"0", b"9", b'"', b" ", b",", b"}", b"\\", b"null")) + line[place:]
        )
    keys = [b'"hand":', b'"box":', b'"to":', b'"wager":', b'"on":', b'"amount":', b'"line":', b'"card":']
    key = chance.choice(keys)
    if kind == 2:
        return line.replace(key, chance.choice(keys), 1)
    return line.replace(key, key + chance.choice((b"1,", b'"a",', b"null,", b"")) + key, 1)


class TestSame:
    """Lines read in bulk give the rounds, digests, totals and refusals that `wire` gives."""

    @given(st.lists(plain_rounds(), min_size=1, max_size=4, unique_by=lambda each: each["round_id"]))
    def test_rounds_of_every_legal_shape(
        self, folder: Callable[[], Path], plains: list[dict[str, Any]]
    ) -> None:
        same_either_way(folder(), b"\n".join(msgspec.json.encode(each) for each in plains))

    @given(plain_rounds(), st.integers(0, 2**32))
    def test_lines_damaged_anywhere(self, folder: Callable[[], Path], one: dict[str, Any], seed: int) -> None:
        chance = random.Random(seed)
        line = msgspec.json.encode(one)
        lines = [damaged(line, chance) for _ in range(20)]
        same_either_way(folder(), b"\n".join(each.replace(b"\n", b" ") for each in lines))

    def test_every_broken_input(self, tmp_path: Path) -> None:
        for number, path in enumerate(sorted(BROKEN.glob("*.jsonl"))):
            place = tmp_path / str(number)
            place.mkdir()
            data = path.read_bytes()
            if data:
                same_either_way(place, data)

    @pytest.mark.parametrize(
        "change",
        [
            {"pit": "North"},
            {"dealer": None},
            {"dealer": "Māori \\u0041"},
            {"dealer": 'O"Neill \\'},
            {"dealer": "\u0000"},
            {"dealer": "D\ud800"},
            {"supervisor": ""},
            {"venue": ""},
            {"venue": "v" * 201},
            {"venue": "__HIVE_DEFAULT_PARTITION__"},
            {"currency": "aud"},
            {"decks": 6.0},
            {"round_no": 0},
            {"round_no": 2**31},
            {"round_id": "a b"},
            {"round_id": "x" * 65},
            {"offers": ["pair"], "records": ["decisions", "nothing"]},
            {"ended_at": None, "rulebook": None, "offers": None, "records": None, "limits": None},
            {"started_at": "2019-03-01T20:14:05.120-00:00"},
            {"started_at": "2019-03-01T20:14:05.000+11:00"},
            {"started_at": "2019-03-01t20:14:05z"},
            {"started_at": "2019-03-01T20:14:05+1100"},
            {"ended_at": "2019-03-01T20:14:05-0930"},
            {"events": [{"e": "no_more_bets", "at": "2019-03-01T20:14:05+0000"}]},
            {"format": "pontoon-round/2"},
            {"limits": {"min": "5.00", "max": None}},
            {"limits": {"min": 5}},
            {"pit": ["a]", {"b": "}"}], "notes": 'x, "y"'},
            {"events": [{"e": "no_more_bets", "at": None}]},
            {"events": [{"e": "deal", "box": None, "card": "8S"}]},
            {"events": [{"e": "deal", "box": 1, "hand": None, "card": "8S"}]},
            {"events": [{"e": "irregularity", "code": "other", "box": 1, "hand": None}]},
            {"limits": {"min": "5.00", "colour": "red"}},
            {"limits": {}},
            {"last_rounds": False, "shuffler": "manual"},
            {"started_at": "2019-03-01T09:14:05Z"},
            {"ended_at": "2019-03-01T20:15:05.25+11:00"},
            {"events": []},
            {"events": [{"e": "no_more_bets", "at": "2019-03-01T20:15:05.25+11:00"}]},
            {"events": [{"e": "no_more_bets", "at": "2020-02-29T23:59:59-11:30"}]},
            {"events": [{"e": "no_more_bets", "at": "2019-02-29T20:15:05+11:00"}]},
            {"events": [{"e": "no_more_bets", "at": "0001-02-20T20:15:05+11:00"}]},
            {"events": [{"e": "burn", "card": "8S", "from": "shoe", "reason": ""}]},
            {"events": [{"e": "burn", "card": "8S", "from": "hand"}]},
            {"events": [{"e": "press", "box": 1, "multiplier": 10**9}]},
            {"events": [{"e": "press", "box": 1, "multiplier": 10**9 + 1}]},
            {"events": [{"e": "deal", "box": 100, "card": "8S"}]},
            {"events": [{"e": "stand", "box": 0}]},
            {"events": [{"e": "deal", "box": 1, "hand": 2, "card": "8S"}]},
            {"events": [{"e": "split", "box": 1, "to": 2}, {"e": "split", "box": 1, "to": 2}]},
            {"events": [{"e": "split", "box": 1, "hand": 1, "to": 1}]},
            {"events": [{"e": "stand", "box": 1}, {"e": "deal", "box": 1, "card": "8S"}]},
            {"events": [{"e": "deal", "box": 1, "card": "8S"}, {"e": "stand", "box": 1}]},
            {"events": [{"e": "deal", "box": 1, "card": "8S"}, {"e": "stand", "box": 2}]},
            {"events": [{"e": "deal", "box": 62, "card": "8S"}, {"e": "double", "box": 62}]},
            {"events": [{"e": "deal", "box": 63, "card": "8S"}, {"e": "double", "box": 63}]},
            {"events": [{"e": "deal", "box": 99, "card": "8S"}, {"e": "double", "box": 35}]},
            {
                "events": [
                    {"e": "deal", "box": 0, "card": "8S"},
                    {"e": "burn", "card": "8S", "from": "hand", "box": 0},
                ]
            },
            {"events": [{"e": "burn", "card": "8S", "from": "hand", "box": 0}]},
            {"events": [{"e": "void", "scope": "hand", "box": 3}]},
            {
                "events": [
                    {"e": "irregularity", "code": "other", "box": 3, "hand": 1},
                    {"e": "stand", "box": 3},
                ]
            },
            {"events": [{"e": "void", "scope": "wager"}]},
            {"events": [{"e": "void", "scope": "hand"}]},
            {"events": [{"e": "settle", "wager": "a", "result": "lose", "paid": "0", "taken": "1"}]},
        ],
        ids=str,
    )
    def test_a_line_among_others(self, tmp_path: Path, change: dict[str, Any]) -> None:
        lines = [plain(1), plain(2) | change, plain(3)]
        data = b"\n".join(json.dumps(each).encode() for each in lines)
        same_either_way(tmp_path, data)

    def test_amounts_whose_sum_no_machine_number_holds(self, tmp_path: Path) -> None:
        wager = {"e": "wager", "box": 1, "player": "P", "kind": "main", "amount": "999999999999.999"}
        line = plain(1) | {"events": [wager | {"id": str(number)} for number in range(10_000)]}
        path = tmp_path / "x"
        batch = batch_of_lines(Lines("f", json.dumps(line).encode(), 1, 0), "s", REGISTER, path, True)
        assert batch.rows["stakes"].tolist() == [(10**15 - 1) * 10_000]
        assert batch.total.of("AUD").stakes == (10**15 - 1) * 10_000


class TestUsual:
    """The lines that recorders write are read in bulk, so that their number costs little."""

    @pytest.mark.parametrize(
        "change",
        [
            {},
            {"pit": "North"},
            {"dealer": "Māori", "ended_at": None},
            {"started_at": "2019-03-01T09:14:05Z"},
            {"events": [{"e": "no_more_bets", "at": None}]},
        ],
        ids=str,
    )
    @pytest.mark.parametrize("spaced", [True, False])
    def test_taken(self, change: dict[str, Any], spaced: bool) -> None:
        line = json.dumps(plain(1) | change, separators=(", ", ": ") if spaced else (",", ":")).encode()
        lines = Lines("f", line, 1, 0)
        read, others = bulk_of(lines, *lines.spans())
        assert read.places.tolist() == [0]
        assert others == []

    @pytest.mark.parametrize("text", [b"\xff", b"nonsense", b"{}", b'{"events":[]}', b"[]", b""], ids=str)
    def test_left_to_others(self, text: bytes) -> None:
        good = json_lines([plain(1)])
        data = good + text + b"\n" + good
        lines = Lines("f", data, 1, 0)
        read, others = bulk_of(lines, *lines.spans())
        assert (read.places.tolist(), others) == ([0, 2], [1])


class TestSpellings:
    """An event that is known again by its bytes is the one that was read."""

    @staticmethod
    def lines(*events: list[dict[str, Any]]) -> bytes:
        rounds = [plain(number, events=some) for number, some in enumerate(events, 1)]
        return b"".join(msgspec.json.encode(each) + b"\n" for each in rounds)

    def test_braces_in_texts_end_no_event(self, tmp_path: Path) -> None:
        void: dict[str, Any] = {"e": "void", "scope": "round", "reason": "a } b"}
        some = [void, void | {"reason": "a } c"}, void | {"reason": "a }"}, {"e": "no_more_bets"}, void]
        same_either_way(tmp_path, self.lines(some, some[::-1]))

    def test_what_an_event_needs_is_asked_in_every_round(self, tmp_path: Path) -> None:
        wager: dict[str, Any] = {
            "e": "wager",
            "id": "w1",
            "box": 1,
            "player": "P",
            "kind": "main",
            "amount": "5",
        }
        half = wager | {"id": "w2", "kind": "split", "on": "w1", "hand": 2}
        split: dict[str, Any] = {"e": "split", "box": 1, "to": 2}
        second: dict[str, Any] = {"e": "stand", "box": 1, "hand": 2}
        settle: dict[str, Any] = {"e": "settle", "wager": "w1", "result": "lose", "paid": "0", "taken": "5"}
        stand: dict[str, Any] = {"e": "stand", "box": 1}
        every = [wager, split, half, second, settle, stand]
        data = self.lines(
            every,
            [settle],
            every,
            [second],
            [wager, half],
            [wager, split, split],
            every,
            [wager, wager],
            [stand],
        )
        same_either_way(tmp_path, data)
        lines = Lines("f", data, 1, 0)
        read, others = bulk_of(lines, *lines.spans())
        assert (read.places.tolist(), others) == ([0, 2, 6], [1, 3, 4, 5, 7, 8])
        assert read.events.counts.tolist() == [6, 6, 6]
        assert len(read.events.cells["e"]) == 6

    @pytest.mark.parametrize("repeated", [0, 1], ids=["each one new", "every other one known"])
    def test_more_than_are_looked_up(self, tmp_path: Path, repeated: int) -> None:
        def some(first: int) -> list[dict[str, Any]]:
            instants = (f"2019-03-01T20:14:05.{number:06}Z" for number in range(first, first + 5_000))
            new = [{"e": "no_more_bets", "at": each} for each in instants]
            known: list[dict[str, Any]] = [{"e": "stand", "box": 1}] * repeated
            dealt: list[dict[str, Any]] = [{"e": "deal", "box": 1, "card": "8S"}] * repeated
            return [*dealt, *(each for one in new for each in (one, *known))]

        same_either_way(tmp_path, self.lines(*map(some, (1, 5_001, 10_001, 15_001, 2_501))))


class TestBatches:
    """A stream is cut at line feeds, by its bytes alone."""

    @given(st.lists(st.integers(0, 40), max_size=12), st.integers(1, 50), st.booleans())
    def test_nothing_is_lost(self, sizes: list[int], size: int, ended: bool) -> None:
        data = b"\n".join(b"x" * each for each in sizes) + (b"\n" if ended else b"")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("audit.ingest.lines.BATCH_BYTES", size)
            found = list(batches("f", Stream(data)))
        assert b"".join(each.data for each in found) == data
        expected = data.split(b"\n")[: None if data and not data.endswith(b"\n") else -1]
        lines = [line for each in found for line in each.each()]
        assert [line.data for line in lines] == expected
        assert [line.number for line in lines] == list(range(1, len(expected) + 1))
        for line in lines:
            assert data[line.offset : line.offset + line.size] == line.data

    @given(
        st.lists(st.integers(0, 40), max_size=12), st.integers(1, 50), st.integers(1, 60), st.integers(20, 60)
    )
    def test_a_file_is_cut_in_the_same_places_as_it_goes_by(
        self, sizes: list[int], size: int, chunk: int, longest: int
    ) -> None:
        data = b"\n".join(b"x" * each for each in sizes)
        cuts = Cuts()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("audit.ingest.lines.BATCH_BYTES", size)
            patch.setattr(wire, "MAX_LINE", longest)
            found = list(batches("f", Stream(data)))
            for place in range(0, len(data), chunk):
                cuts.add(data[place : place + chunk])
            cut = cuts.found()
        if cut is None:
            assert any(each > longest for each in sizes)
        else:
            assert cut == [(each.number, each.offset, len(each.data)) for each in found]

    def test_an_overlong_line_is_cut_short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(wire, "MAX_LINE", 20)
        monkeypatch.setattr(wire, "KEPT_OF_LONG_LINE", 5)
        monkeypatch.setattr("audit.ingest.lines.BATCH_BYTES", 8)
        found = [
            line for each in batches("f", Stream(b"ab\n" + b"y" * 100 + b"\ncd")) for line in each.each()
        ]
        assert [(line.data, line.number, line.offset, line.size) for line in found] == [
            (b"ab", 1, 0, 2),
            (b"yyyyy", 2, 3, 100),
            (b"cd", 3, 104, 2),
        ]


class Stream(BytesIO):
    """Bytes that come a few at a time, as from a decompressor."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size or 3, 3))


def night(inbox: Path) -> Path:
    """A log of two gaming dates with a duplicate, a conflict, refused lines and unknown fields."""
    rounds: list[dict[str, Any] | bytes] = [
        plain(number, started_at=f"2019-03-0{1 + number % 2}T20:00:00+11:00", table=f"P{number % 3}")
        for number in range(60, 0, -1)
    ]
    rounds += [plain(7, started_at="2019-03-02T20:00:00+11:00", table="P1"), plain(8, decks=8), b"nonsense\n"]
    rounds += [plain(61, pit="North"), plain(62, dealer=None)]
    return put(inbox, "night.jsonl", *rounds)


class TestSameBytes:
    """However many processes read, and by whatever code, the same is published."""

    def test_one_process_or_two(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        inbox = tmp_path / "inbox"
        inbox.mkdir()
        path = night(inbox)
        monkeypatch.setattr("audit.ingest.lines.BATCH_BYTES", 4_000)
        reports: list[IngestReport] = []
        found: list[dict[str, bytes]] = []
        for name, little, jobs in (("little", 10**9, None), ("one", 0, 1), ("two", 0, 2)):
            monkeypatch.setattr(pipeline, "LITTLE_BYTES", little)
            lake = Lake(tmp_path / name)
            reports.append(ingest([path], lake, REGISTER, at=AT, jobs=jobs))
            found.append(contents(lake))
        assert found[0] == found[1] == found[2]
        assert reports[0].as_json() == reports[1].as_json() == reports[2].as_json()
        counts = [reports[0].count(name) for name in ("stored", "duplicates", "conflicts", "quarantined")]
        assert counts == [62, 1, 1, 2]

    def test_a_line_too_long_to_be_cut_out(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pipeline, "LITTLE_BYTES", 0)
        long = b"x" * (wire.MAX_LINE + 1) + b"\n"
        path = put(tmp_path, "long.jsonl", plain(1), long, plain(2))
        lakes = [Lake(tmp_path / str(jobs)) for jobs in (1, 2)]
        reports = [ingest([path], lake, REGISTER, at=AT, jobs=jobs) for jobs, lake in enumerate(lakes, 1)]
        assert reports[0].as_json() == reports[1].as_json()
        assert contents(lakes[0]) == contents(lakes[1])
        assert (reports[0].count("stored"), reports[0].count("quarantined")) == (2, 1)

    def test_a_process_that_is_killed_publishes_nothing(self) -> None:
        with Crew(2) as crew, pytest.raises(WorkerLost, match="nothing was published, run again"):
            crew.give(_kill).result()


def _kill() -> None:
    import os

    os._exit(1)


class TestReady:
    """A process that gets ready loads all that reading takes, and nothing that it does not."""

    def test_it_gets_ready(self) -> None:
        with Crew(2) as crew:
            crew.prepare(get_ready)
            crew.give(get_ready).result()
            assert crew.give(_left_out).result() == set()

    def test_a_process_that_is_killed_before_publishes_nothing(self) -> None:
        with Crew(2) as crew:
            crew.prepare(_kill)
            given = crew.give(_left_out)
            with pytest.raises(WorkerLost, match="nothing was published, run again"):
                given.result()


def _left_out() -> set[str]:
    import sys

    return {"cffi", "pandas", "scipy"} & {*sys.modules}


class TestStoredKeys:
    """The list of stored rounds follows the parts, and can be lost."""

    @pytest.fixture
    def lake(self, tmp_path: Path) -> Lake:
        lake = Lake(tmp_path / "lake")
        ingest([put(tmp_path, "a.jsonl", plain(1), plain(2))], lake, REGISTER, at=AT)
        return lake

    def again(self, lake: Lake) -> IngestReport:
        log = put(lake.root.parent, "b.jsonl", plain(2), plain(3))
        return ingest([log], lake, REGISTER, at=AT)

    def test_it_knows_what_was_stored_since(self, lake: Lake) -> None:
        assert self.again(lake).count("duplicates") == 1
        log = put(lake.root.parent, "c.jsonl", plain(1), plain(2), plain(3))
        assert ingest([log], lake, REGISTER, at=AT).count("duplicates") == 3

    @pytest.mark.parametrize("name", ["index.json", "1"])
    @pytest.mark.parametrize("content", [None, b"", b"no index", b"{}"])
    def test_lost_or_damaged_it_is_made_anew(self, lake: Lake, name: str, content: bytes | None) -> None:
        self.again(lake)
        path = lake.root / StoredKeys.NAME / name
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        log = put(lake.root.parent, "c.jsonl", plain(2), plain(1))
        assert ingest([log], lake, REGISTER, at=AT).count("duplicates") == 2

    def test_one_flipped_bit_is_noticed(self, lake: Lake) -> None:
        self.again(lake)
        [path] = [each for each in (lake.root / StoredKeys.NAME).iterdir() if each.name != "index.json"]
        content = bytearray(path.read_bytes())
        content[3] ^= 1
        path.write_bytes(content)
        log = put(lake.root.parent, "c.jsonl", plain(1), plain(2), plain(3))
        assert ingest([log], lake, REGISTER, at=AT).count("duplicates") == 3

    def test_a_superseded_round_is_forgotten_where_it_was(self, lake: Lake) -> None:
        log = put(lake.root.parent, "b.jsonl", plain(2, decks=8))
        ingest([log], lake, REGISTER, supersede=True, at=AT)
        report = ingest([put(lake.root.parent, "c.jsonl", plain(2), plain(1))], lake, REGISTER, at=AT)
        assert (report.count("conflicts"), report.count("duplicates")) == (1, 1)
        assert sorted(each.decks for each in stored(lake)) == [6, 8]


def test_a_csv_pair_is_laid_out_like_its_json(tmp_path: Path) -> None:
    rounds = [plain(number) for number in range(1, 8)]
    (tmp_path / "csv").mkdir()
    write_csv(tmp_path / "csv", rounds)
    one, two = Lake(tmp_path / "one"), Lake(tmp_path / "two")
    ingest([tmp_path / "csv"], one, REGISTER, at=AT)
    ingest([put(tmp_path, "a.jsonl", *rounds)], two, REGISTER, at=AT)
    assert stored(one) == stored(two)
