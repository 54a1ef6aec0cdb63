"""The nightly run: what it publishes, what it refuses, and that it changes nothing the second time."""

from __future__ import annotations

import json
import os
from datetime import UTC, date, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from audit.digests import file_digest
from audit.engines import Outcome, Work
from audit.engines.local import Local
from audit.errors import LakeBusy, NothingChosen
from audit.ingest.pipeline import ingest
from audit.lake import Lake
from audit.law import Law, load_law
from audit.layout import DERIVED, HISTORY, Partition
from audit.partitions import Choice, Failed, Plan, Replayed, replay_partition
from audit.progress import Progress
from audit.run import RunOutcome, control_totals, run
from rules_replay.auditor import Auditor
from rules_replay.log import Round
from rules_replay.results import RoundReplay
from tests.commands import copied, night, write_log
from tests.rounds import play

IN_ORDER = "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C | a wins 20"
FIRST = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LATER = datetime(2026, 1, 3, 3, 4, 5, tzinfo=UTC)


def stored(folder: Path, *logs: Path) -> Lake:
    """A lake with each log ingested by itself."""
    lake = Lake(folder)
    for log in logs:
        ingest([log], lake, load_law().register, at=FIRST)
    return lake


def audited(lake: Lake, at: datetime = FIRST, jobs: int = 1, **choice: Any) -> RunOutcome:
    return run(lake, load_law(), Choice(**choice), jobs=jobs, at=at)


def replays(
    lake: Lake, law: Law | None = None, jobs: int = 1, stream: StringIO | None = None, **choice: Any
) -> list[Outcome]:
    """The partitions chosen, replayed and not published."""
    with (
        lake.writing(),
        lake.staging() as folder,
        Local(jobs).crew(lake, folder, Progress(stream or StringIO())) as crew,
    ):
        plan = Plan(lake, lake.published(), Choice(**choice))
        return [*plan.failed, *crew.replay(Work.of(lake, plan.planned, law or load_law()))]


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): file_digest(path) for path in folder.rglob("*") if path.is_file()
    }


def rows(lake: Lake, table: str) -> list[dict[str, Any]]:
    return [
        row
        for partition in lake.partitions(table)
        for path in lake.files(table, partition)
        for row in pq.read_table(path, partitioning=None).to_pylist()
    ]


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Two rulebooks, four partitions, audited once."""
    lake = stored(tmp_path_factory.mktemp("nights") / "lake", night("act-2018"), night("nz-2000"))
    audited(lake)
    return lake


class TestPublication:
    """Tables, report, catalogue and one record, all from one replay."""

    def test_every_partition_gets_its_four_tables(self, nights: Lake) -> None:
        for table in DERIVED:
            assert nights.partitions(table) == nights.partitions("rounds")
        assert nights.verify().intact

    def test_the_record_names_inputs_outputs_and_law(self, nights: Lake) -> None:
        (record,) = nights.records("runs")
        assert record["counts"]["rounds"] == len(rows(nights, "rounds")) == 120
        assert sum(record["counts"]["findings"].values()) == len(rows(nights, "findings"))
        assert {each["path"]: each["sha256"] for each in record["inputs"]} == {
            path: digest
            for path, digest in nights.published().items()
            if path.startswith(("rounds", "events"))
        }
        assert {each["path"].partition("/")[0] for each in record["published"]} == {*DERIVED, *HISTORY}
        assert record["rulebooks"].keys() == {"act-2018", "nz-2000"}
        assert record["money"].keys() == {"AUD", "NZD"}
        assert [each["answers"]["forfeit_limit"] for each in record["readings"]] == ["21", "21"]
        assert record["validation"]["outcome"] == "passed"
        assert record["control_totals"] == "compared"
        assert record["run_id"].startswith("0001-")

    def test_the_report_is_the_one_recorded(self, nights: Lake) -> None:
        (record,) = nights.records("runs")
        report = nights.root / "report"
        assert record["report"] == {name: file_digest(report / name) for name in record["report"]}
        assert record["run_id"] in (report / "report.html").read_text(encoding="utf-8")
        assert (report / "validation" / "index.html").is_file()
        assert (nights.root / "audit.duckdb").is_file()

    def test_nothing_names_the_folder_of_the_lake(self, nights: Lake) -> None:
        for path in (nights.root / "ledger").iterdir():
            assert str(nights.root) not in path.read_text(encoding="utf-8")
        for path in (nights.root / "report").rglob("*.html"):
            assert str(nights.root) not in path.read_text(encoding="utf-8")

    def test_nothing_is_left_in_staging(self, nights: Lake) -> None:
        assert list((nights.root / ".staging").iterdir()) == []


@pytest.mark.slow
class TestRunningAgain:
    """The same input under the same law gives the same bytes, whatever the number of processes."""

    def test_only_the_ledger_and_the_run_header_change(self, nights: Lake, tmp_path: Path) -> None:
        lake = Lake(copied(nights.root, tmp_path / "lake"))
        before = digests(lake.root)
        audited(lake, LATER, jobs=2)
        after = digests(lake.root)
        differing = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        # A catalogue names its lake, and this one was copied to another place.
        own = {"ledger/runs.jsonl", "report/report.html", "report/summary.json", "audit.duckdb"}
        assert {name for name in differing if not name.startswith("report/validation/")} == own
        first, second = (
            json.loads((each.root / "report" / "summary.json").read_text(encoding="utf-8"))
            for each in (nights, lake)
        )
        assert first.pop("run") != second.pop("run")
        assert first == second
        assert lake.verify().intact
        ids = [record["run_id"] for record in lake.records("runs")]
        assert [each[:5] for each in ids] == ["0001-", "0002-"]
        assert ids[0][5:] == ids[1][5:]


@pytest.mark.slow
class TestRefusal:
    """Evidence that no longer matches the ledger is not replayed; the other partitions are."""

    def test_a_tampered_partition_fails_and_the_others_go_on(self, nights: Lake, tmp_path: Path) -> None:
        lake = Lake(copied(nights.root, tmp_path / "lake"))
        victim, *others = lake.partitions()
        kept = {name: digest for name, digest in digests(lake.root).items() if victim.folder in name}
        (path,) = lake.files("events", victim)
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)

        outcome = audited(lake, LATER)
        assert outcome.exit_code == 3
        assert [each.partition for each in outcome.failed] == [victim]
        assert "differs from the SHA-256 in the ledger" in outcome.failed[0].reason
        assert [each.partition for each in outcome.replayed] == others
        now = digests(lake.root)
        assert {name for name in kept if now[name] != kept[name]} == {path.relative_to(lake.root).as_posix()}
        page = (lake.root / "report" / "report.html").read_text(encoding="utf-8")
        assert f"Incomplete: casino-canberra {victim.gaming_date} could not be replayed" in page

    def test_a_file_that_is_in_no_ledger_is_not_trusted(self, nights: Lake, tmp_path: Path) -> None:
        lake = Lake(copied(nights.root, tmp_path / "lake"))
        (path,) = lake.files("rounds", lake.partitions()[0])
        path.with_name("part-0000000000000000.parquet").write_bytes(path.read_bytes())
        plan = Plan(lake, lake.published(), Choice())
        assert [each.partition for each in plan.failed] == [lake.partitions()[0]]
        assert "in no ledger" in plan.failed[0].reason

    def test_when_nothing_can_be_replayed_the_old_results_stay(self, nights: Lake, tmp_path: Path) -> None:
        lake = Lake(copied(nights.root, tmp_path / "lake"))
        before = digests(lake.root / "report") | digests(lake.root / "findings")
        for partition in lake.partitions():
            for path in lake.files("events", partition):
                path.unlink()
        outcome = audited(lake, LATER)
        assert (outcome.exit_code, outcome.replayed, outcome.report_dir) == (3, (), None)
        assert digests(lake.root / "report") | digests(lake.root / "findings") == before
        assert [each["outcome"] for each in outcome.record["partitions"]] == ["failed"] * 4

    def test_an_engine_that_fails_fails_its_partition(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rounds = [
            play("act-2018", IN_ORDER, round_id="bad"),
            play("act-2018", IN_ORDER, round_id="good", started_at="2019-03-05T20:00:00+11:00"),
        ]
        lake = stored(tmp_path / "lake", write_log(tmp_path / "log.jsonl", rounds))
        sound = Auditor.audit

        def fails(self: Auditor, round_: Round) -> RoundReplay:
            if round_.round_id == "bad":
                raise ZeroDivisionError("odds")
            return sound(self, round_)

        monkeypatch.setattr(Auditor, "audit", fails)
        failed, replayed = replays(lake)
        assert isinstance(failed, Failed)
        assert "round bad could not be replayed (ZeroDivisionError: odds)" in failed.reason
        assert isinstance(replayed, Replayed)
        assert replayed.partition == Partition("casino-canberra", date(2019, 3, 5))

    def test_a_lake_in_use_is_left_alone(self, nights: Lake) -> None:
        with nights.writing(), pytest.raises(LakeBusy):
            audited(Lake(nights.root))


class Deadly(Law):
    """A law under which the process dies."""

    __slots__ = ()

    def auditor(self) -> Auditor:
        os._exit(9)


class TestProcesses:
    """Partitions are replayed in processes of their own; one that is killed fails its partition."""

    @pytest.mark.slow
    def test_a_killed_process_is_told_of(self, nights: Lake) -> None:
        law = load_law()
        deadly = Deadly(register=law.register, register_sha256=law.register_sha256)
        found = replays(nights, deadly, 2, venues=("casino-canberra",))
        assert {each.partition for each in found} == set(nights.partitions(venue="casino-canberra"))
        assert all(isinstance(each, Failed) and "was killed" in each.reason for each in found)

    def test_progress_is_told_now_and_then(self, nights: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("audit.progress.PATIENCE", 0)
        stream = StringIO()
        replays(nights, stream=stream, venues=("skycity-auckland",))
        assert stream.getvalue().startswith("Replaying 2 partitions: ")


class TestChoice:
    """Dates and venues; both days included."""

    def test_only_the_chosen_partition_is_replayed(self, nights: Lake) -> None:
        day = nights.partitions(venue="casino-canberra")[0].gaming_date
        found = replays(nights, since=day, until=day, venues=("casino-canberra",))
        assert [each.partition for each in found] == [Partition("casino-canberra", day)]

    def test_nothing_under_the_choice_tells_what_there_is(self, nights: Lake) -> None:
        with pytest.raises(
            NothingChosen, match="the lake holds casino-canberra, skycity-auckland from 2000-"
        ):
            audited(nights, venues=("elsewhere",))

    @pytest.mark.parametrize(
        ("choice", "words"),
        [
            (Choice(), "everything"),
            (Choice(since=date(2019, 3, 1), until=date(2019, 3, 1)), "gaming date 2019-03-01"),
            (Choice(venues=("a", "b"), since=date(2019, 3, 1)), "venue a or b, since 2019-03-01"),
        ],
    )
    def test_in_words(self, choice: Choice, words: str) -> None:
        assert choice.words == words


class TestShoesOverTheTurnOfTheDay:
    """A shoe that began on the gaming date before is judged as a whole."""

    def deal(self, round_no: int, at: str, cards: str = IN_ORDER, **head: Any) -> Round:
        return play(
            "act-2018", cards, round_id=f"R{round_no}-{at[8:10]}", round_no=round_no, started_at=at, **head
        )

    def codes(self, tmp_path: Path, *rounds: Round) -> list[str]:
        """Findings of the last gaming date, when it is audited by itself."""
        lake = stored(tmp_path / "lake", write_log(tmp_path / "log.jsonl", rounds))
        with lake.writing(), lake.staging() as folder:
            plan = Plan(lake, lake.published(), Choice(since=lake.partitions()[-1].gaming_date))
            (planned,) = plan.planned
            done = replay_partition(lake, folder, planned, load_law(), lambda rounds: None)
            (findings,) = (each.path for each in done.staged if each.table == "findings")
            found = pq.read_table(findings, partitioning=None)["code"].to_pylist()
        return [str(code) for code in found]

    def test_a_missing_round_is_seen(self, tmp_path: Path) -> None:
        before = self.deal(1, "2019-03-02T05:50:00+11:00")
        after = self.deal(4, "2019-03-02T06:10:00+11:00")
        assert self.codes(tmp_path, before, after) == ["shoe.round-gap"]

    def test_no_round_is_missed_that_the_day_before_has(self, tmp_path: Path) -> None:
        before = self.deal(1, "2019-03-02T05:50:00+11:00")
        after = self.deal(2, "2019-03-02T06:10:00+11:00")
        assert self.codes(tmp_path, before, after) == []

    def test_a_card_too_many_is_counted_over_both_days(self, tmp_path: Path) -> None:
        before = self.deal(1, "2019-03-02T05:50:00+11:00", decks=1)
        after = self.deal(2, "2019-03-02T06:10:00+11:00", decks=1)
        assert "deck.composition" in self.codes(tmp_path, before, after)

    def test_a_shoe_of_the_same_name_that_began_anew_is_another(self, tmp_path: Path) -> None:
        before = self.deal(9, "2019-03-02T05:50:00+11:00", decks=1)
        after = self.deal(1, "2019-03-02T06:10:00+11:00", decks=1)
        assert "deck.composition" not in self.codes(tmp_path, before, after)

    def test_the_shoe_is_followed_back_over_days(self, tmp_path: Path) -> None:
        rounds = [self.deal(n, f"2019-03-0{n}T20:00:00+11:00") for n in (1, 2, 3)]
        lake = stored(tmp_path / "lake", write_log(tmp_path / "log.jsonl", rounds))
        plan = Plan(lake, lake.published(), Choice(since=date(2019, 3, 3)))
        (planned,) = plan.planned
        assert [each.gaming_date for each in planned.before] == [date(2019, 3, 1), date(2019, 3, 2)]

    def test_tampering_with_the_day_before_is_noticed(self, tmp_path: Path) -> None:
        rounds = [self.deal(n, f"2019-03-0{n}T20:00:00+11:00") for n in (1, 2)]
        lake = stored(tmp_path / "lake", write_log(tmp_path / "log.jsonl", rounds))
        (path,) = lake.files("rounds", lake.partitions()[0])
        path.write_bytes(path.read_bytes()[:-1] + b"?")
        plan = Plan(lake, lake.published(), Choice(since=date(2019, 3, 2)))
        assert plan.planned == []
        assert plan.failed[0].reason.startswith("shoes run on from the gaming date before")


class TestControlTotals:
    """Totals of the ingest ledger, only where they are of exactly the partitions chosen."""

    def test_two_ingests_add_up(self, nights: Lake) -> None:
        totals = control_totals(nights, nights.partitions())
        assert totals is not None
        assert {currency: each.rounds for currency, each in totals.items()} == {"AUD": 60, "NZD": 60}

    def test_an_ingest_of_other_partitions_is_left_out(self, nights: Lake) -> None:
        totals = control_totals(nights, nights.partitions(venue="skycity-auckland"))
        assert totals is not None
        assert totals.keys() == {"NZD"}

    def test_half_an_ingest_cannot_be_compared(self, nights: Lake) -> None:
        assert control_totals(nights, nights.partitions()[:1]) is None

    def test_nor_can_one_with_rounds_superseded(self, tmp_path: Path) -> None:
        log = tmp_path / "log.jsonl"
        lake = stored(tmp_path / "lake", write_log(log, [play("act-2018", IN_ORDER)]))
        other = write_log(
            tmp_path / "other.jsonl", [play("act-2018", IN_ORDER.replace("wins 20", "wins 10"))]
        )
        ingest([other], lake, load_law().register, supersede=True, at=FIRST)
        assert control_totals(lake, lake.partitions()) is None


@pytest.mark.slow
class TestQuarantine:
    """Lines in quarantine make a run incomplete, in a choice by date those of that date alone."""

    @pytest.fixture
    def lake(self, tmp_path: Path) -> Lake:
        log = write_log(tmp_path / "log.jsonl", [play("act-2018", IN_ORDER)])
        log.write_bytes(log.read_bytes() + b"no json\n")
        return stored(tmp_path / "lake", log)

    def test_without_a_choice(self, lake: Lake) -> None:
        outcome = audited(lake)
        assert (outcome.exit_code, outcome.quarantined) == (3, 1)
        summary = json.loads((lake.root / "report" / "summary.json").read_text(encoding="utf-8"))
        assert summary["totals"]["quarantined_lines"] == 1

    def test_a_date_leaves_out_those_without_one(self, lake: Lake) -> None:
        outcome = audited(lake, since=date(2019, 3, 1), until=date(2019, 3, 1))
        assert (outcome.exit_code, outcome.quarantined) == (0, 0)
