"""The bench: what it watches, sums up and writes, and that its references do the work they stand for."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from audit.lake import Lake
from audit.law import load_law
from audit.partitions import Choice
from audit.run import run
from data_samples.bulk import Original, deal_original
from tests.bench import measures
from tests.bench.__main__ import NUMBERS, PAGE, another, summed_up
from tests.bench.lake import write_lake, write_log
from tests.bench.page import count, growth, mib, page, ratio, seconds
from tests.bench.parts import Stopwatch
from tests.bench.plain import RULEBOOK, agreement, in_duckdb, in_polars
from tests.bench.watch import Watched, watch

ROUNDS = 120
AT = datetime(2026, 1, 1, tzinfo=UTC)


def watched(time: float, memory: int = 0, **answer: Any) -> Watched:
    return Watched(seconds=time, processor=time, largest=memory, together=memory, answer=answer)


class TestWatch:
    """A command is watched from outside."""

    def test_memory_is_that_of_the_largest_process(self) -> None:
        hungry = "held = bytearray(200 * 1024 * 1024); print('{\"held\": 200}')"
        found = watch(["-c", hungry])
        assert found.answer == {"held": 200}
        assert 200 * 1024**2 < found.largest < 300 * 1024**2

    @pytest.mark.slow
    def test_processes_are_added_up(self) -> None:
        child = "import time; held = bytearray(100 * 1024 * 1024); time.sleep(2)"
        parent = (
            "import subprocess, sys; "
            f"two = [subprocess.Popen([sys.executable, '-c', {child!r}]) for _ in range(2)]; "
            "[each.wait() for each in two]"
        )
        found = watch(["-c", parent])
        assert found.largest < 150 * 1024**2
        assert found.together > 200 * 1024**2

    def test_a_command_that_fails_says_what_it_printed(self) -> None:
        with pytest.raises(RuntimeError, match="exit 3\nno lake here"):
            watch(["-c", "import sys; print('no lake here', file=sys.stderr); sys.exit(3)"])


class TestRepetitions:
    """A measure is repeated while that is affordable; the fastest counts."""

    def test_a_short_measure_runs_three_times(self) -> None:
        runs = [watched(1.0) for _ in range(3)]
        assert [another(runs[:number]) for number in range(4)] == [True, True, True, False]

    def test_a_long_one_runs_once(self) -> None:
        assert not another([watched(151.0)])

    def test_times_are_those_of_the_fastest_and_memory_the_most(self) -> None:
        found = summed_up([watched(3.0, 10, seconds=1.5), watched(4.0, 30, seconds=1.0)])
        assert found == {
            "seconds": 1.0,
            "wall": 4.0,
            "processor": 4.0,
            "largest": 30,
            "together": 30,
            "repeats": 2,
        }


class TestPage:
    """Numbers as people read them."""

    def test_numbers(self) -> None:
        assert [count(1234567), count(123456.7), count(99.5)] == ["1,234,567", "123,000", "100"]
        assert [seconds(0.12345), seconds(1.2345), seconds(12.345), seconds(123.45)] == [
            "0.123 s",
            "1.23 s",
            "12.3 s",
            "123 s",
        ]
        assert [mib(1), mib(1024**2), mib(1024**3)] == ["1 MiB", "1 MiB", "1,024 MiB"]
        assert [ratio(1.0, 2.0), ratio(3.0, 2.0), ratio(30.0, 2.0)] == ["0.50", "1.5", "15.0"]

    def test_growth_is_from_the_first_step_to_the_last(self) -> None:
        steps = [{"rounds": each, "run": {"seconds": each / 8}} for each in (10, 100, 1000)]
        assert growth(steps, "run") == "100 times the rounds in 100 times the time"

    def test_the_page_kept_is_that_of_the_numbers_kept(self) -> None:
        assert PAGE.read_text(encoding="utf-8") == page(json.loads(NUMBERS.read_bytes()))


@pytest.fixture(scope="module")
def original() -> Original:
    return deal_original(RULEBOOK, ROUNDS // 2, rate=0.05)


@pytest.fixture(scope="module")
def lake(original: Original, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(tmp_path_factory.mktemp("bench") / "lake")
    write_lake(lake.root, {RULEBOOK: original}, ROUNDS, jobs=1, at=AT)
    run(lake, load_law(), Choice(), jobs=1, at=AT)
    return lake


def files(lake: Lake, table: str) -> list[Path]:
    return [path for partition in lake.partitions() for path in lake.files(table, partition)]


@pytest.mark.slow
@pytest.mark.parametrize("settle", [in_duckdb, in_polars])
class TestPlainSettlement:
    """The simplest hands come out as in the engine."""

    def test_only_rounds_with_a_finding_come_out_otherwise(
        self, settle: Any, lake: Lake, tmp_path: Path
    ) -> None:
        settle(files(lake, "events"), tmp_path / "answers")
        found = agreement(tmp_path / "answers", files(lake, "settlements"), files(lake, "findings"))
        assert found.settled > ROUNDS
        assert found.unexplained == 0

    def test_a_wrong_answer_is_noticed(self, settle: Any, lake: Lake, tmp_path: Path) -> None:
        settle(files(lake, "events"), tmp_path / "answers")
        answers = pq.read_table(tmp_path / "answers")
        wrong = answers.set_column(2, "result", pa.array(["void"] * answers.num_rows))
        pq.write_table(wrong, tmp_path / "answers")
        found = agreement(tmp_path / "answers", files(lake, "settlements"), files(lake, "findings"))
        assert found.otherwise == found.settled
        assert 0 < found.unexplained < found.settled

    def test_most_hands_are_among_the_simplest(self, settle: Any, lake: Lake, tmp_path: Path) -> None:
        settle(files(lake, "events"), tmp_path / "answers")
        kinds = pa.concat_tables(
            [pq.read_table(path, columns=["kind"]) for path in files(lake, "settlements")]
        )
        mains = pc.sum(pc.equal(kinds["kind"], "main")).as_py()
        assert pq.read_metadata(tmp_path / "answers").num_rows > mains / 2


@pytest.mark.slow
class TestMeasures:
    """Each does the work that it stands for."""

    def test_the_scan_reads_every_event(self, lake: Lake) -> None:
        found = measures.scan(str(lake.root))
        events = sum(pq.read_metadata(path).num_rows for path in files(lake, "events"))
        assert found["events"] == events

    def test_duckdbs_reading_has_every_event(self, lake: Lake, original: Original, tmp_path: Path) -> None:
        log = tmp_path / "log.jsonl"
        write_log(log, {RULEBOOK: original}, ROUNDS)
        with duckdb.connect() as base:
            measures.copy_log(base, str(log), str(tmp_path))
            read = base.execute(
                "SELECT round_id, seq, e, box, wager, amount, card, paid FROM read_parquet(?) ORDER BY ALL",
                [str(tmp_path / "events.parquet")],
            ).fetchall()
            stored = base.execute(
                "SELECT round_id, seq, e, box, CASE WHEN e <> 'wager' THEN wager END, amount, card, paid "
                "FROM read_parquet(?) ORDER BY ALL",
                [[str(path) for path in files(lake, "events")]],
            ).fetchall()
        assert read == stored

    def test_a_run_tells_its_stages(self, lake: Lake) -> None:
        found = measures.run_lake(str(lake.root))
        assert found["rounds"] == ROUNDS
        assert found["partitions"] == 2
        assert found["findings"] > 0
        assert 0 < found["replay"] + found["validation"] + found["report"] < found["seconds"]

    @pytest.mark.usefixtures("compiled_kernel")
    def test_the_kernel_judges_at_least_as_many_rounds_as_asked(self, lake: Lake) -> None:
        assert measures.kernel(str(lake.root), "50")["rounds"] >= 50

    def test_the_readable_engine_replays_as_many_rounds_as_asked(self, lake: Lake) -> None:
        assert measures.readable(str(lake.root), "50")["rounds"] == 50

    @pytest.mark.usefixtures("compiled_kernel")
    def test_the_parts_of_a_replay_add_up(self, lake: Lake) -> None:
        found = measures.parts(str(lake.root), "50")
        assert found["rounds"] == ROUNDS // 2
        assert min(found["parts"].values()) > 0
        assert sum(found["parts"].values()) + found["rest"] == pytest.approx(
            1e6 * found["seconds"] / found["rounds"]
        )
        assert min(found["bytes"].values()) > 0
        assert found["bytes"]["encoded"] < found["bytes"]["columns"]


class TestStopwatch:
    """Time counts for the innermost part, and only as long as somebody watches."""

    def test_what_an_inner_part_takes_is_not_counted_for_the_outer(self) -> None:
        watch = Stopwatch()
        inner = watch.timed("inner", lambda: sum(range(2_000_000)))
        watch.timed("outer", lambda: [inner() for _ in range(3)])()
        assert watch.spent["inner"] > 10 * watch.spent["outer"] > 0

    def test_functions_are_put_back(self) -> None:
        before = json.dumps
        watch = Stopwatch()
        with watch.watching({"json": ("json:dumps",)}):
            json.dumps([*range(1000)])
        assert json.dumps is before
        assert watch.spent["json"] > 0
