"""From a log to what is unusual: ingest, run, surveil, and everything that is published."""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import Decimal
from html import unescape
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from audit.catalog import open_read_only
from audit.lake import Lake
from audit.law import load_law
from audit.partitions import Choice
from audit.surveil.publish import publish_surveillance
from audit.surveil.table import QUESTIONS, SURVEILLANCE
from audit.surveil.views import surveillance_views
from data_samples.schemes import REGULAR, Scheme
from tests.commands import copied, pontoon
from tests.surveil_weeks import AT, asked, lake_of, unusual

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unvalidated")]


@pytest.fixture(scope="module")
def favoured(tmp_path_factory: pytest.TempPathFactory, unvalidated: object) -> Path:
    """A lake of an evening in which a dealer lets a player off half of his losses."""
    folder = tmp_path_factory.mktemp("favoured")
    return lake_of(folder, 1, scheme=Scheme(favours=0.5), rounds=700, tables=2).root


@pytest.fixture(scope="module")
def surveyed(favoured: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, asked everything."""
    lake = copied(favoured, tmp_path_factory.mktemp("surveyed") / "lake")
    assert pontoon("surveil", "--lake", lake).code == 0
    return lake


class TestTheCommand:
    """What people and machines get."""

    def test_people_are_told_the_pair_and_no_guilt(self, surveyed: Path) -> None:
        ran = pontoon("surveil", "--lake", surveyed)
        assert re.search(r"overpaid .* pair D\d\d and regular", ran.out)
        assert "None of it says why, or that anybody did wrong." in ran.out

    def test_a_machine_gets_it_as_one_object(self, surveyed: Path) -> None:
        found = pontoon("surveil", "--lake", surveyed, "--json").object
        assert set(found["counts"]) == set(QUESTIONS)
        pair = next(each for each in found["unusual"] if each["subject_kind"] == "pair")
        assert pair["subject"].endswith(REGULAR)
        assert float(pair["q"]) < 1e-6

    def test_every_result_is_a_line_or_a_row(self, surveyed: Path) -> None:
        lines = pontoon("surveil", "--lake", surveyed, "--format", "jsonl").out.splitlines()
        rows = list(
            csv.DictReader(io.StringIO(pontoon("surveil", "--lake", surveyed, "--format", "csv").out))
        )
        assert len(lines) == len(rows) == pq.read_metadata(surveyed / "surveillance/data.parquet").num_rows
        assert [json.loads(line)["subject"] for line in lines] == [row["subject"] for row in rows]
        assert set(rows[0]) == set(SURVEILLANCE.names)

    def test_exit_codes(self, surveyed: Path, tmp_path: Path) -> None:
        assert pontoon("surveil", "--lake", surveyed, "--fail-on", "unusual").code == 1
        assert pontoon("surveil", "--lake", surveyed, "--since", "2031-01-01").code == 2
        assert pontoon("surveil", "--lake", tmp_path).code == 2
        assert pontoon("surveil", "--lake", surveyed, "--level", "0.9").code == 2


class TestWhatIsPublished:
    """One table, one page, one record, and views on them."""

    def test_money_is_exact(self, surveyed: Path) -> None:
        rows = pq.read_table(surveyed / "surveillance/data.parquet").to_pylist()
        table = next(
            each
            for each in rows
            if (each["question"], each["subject_kind"]) == ("overpaid", "table")
            and each["verdict"] == "unusual"
        )
        ((paid,),) = (
            duckdb.connect()
            .execute(
                f"SELECT sum(delta) FROM read_parquet('{surveyed}/findings/*/*/*.parquet') f "
                f"JOIN read_parquet('{surveyed}/rounds/*/*/*.parquet') r USING (round_id) "
                f"WHERE delta > 0 AND severity = 'breach' AND r.\"table\" = '{table['subject']}'"
            )
            .fetchall()
        )
        assert table["overpaid"] == paid
        assert isinstance(paid, Decimal)

    def test_the_same_lake_gives_the_same_bytes(self, favoured: Path, tmp_path: Path) -> None:
        files = []
        for name in ("one", "other"):
            lake = copied(favoured, tmp_path / name)
            publish_surveillance(Lake(lake), load_law(), Choice(), 0.01, at=AT)
            places = ("surveillance/data.parquet", "report/surveillance.html", "ledger/surveillance.jsonl")
            files.append([(lake / place).read_bytes() for place in places])
        assert files[0] == files[1]

    def test_the_page_stands_alone_with_a_picture_for_each_question(self, surveyed: Path) -> None:
        page = (surveyed / "report/surveillance.html").read_text(encoding="utf-8")
        assert "<script" not in page
        assert not re.search(r"(?:src|href)=\"(?!#|report\.html)", page)
        assert "default-src 'none'" in unescape(page)
        for question in QUESTIONS:
            section = page.partition(f'<section id="{question}">')[2].partition("</section>")[0]
            assert '<svg class="picture"' in section, question
        assert "Unusual is no verdict." in page

    def test_the_views(self, surveyed: Path) -> None:
        with open_read_only(surveyed / "audit.duckdb") as session:
            found = session.execute(
                "SELECT subject FROM surveillance_rates WHERE verdict = 'unusual' AND subject_kind = 'player'"
            ).fetchall()
            assert (REGULAR,) in found
            for view in surveillance_views():
                session.execute(f"SELECT count(*) FROM {view.name}")
            comments = session.execute(
                "SELECT count(*) FROM duckdb_columns() "
                "WHERE table_name = 'surveillance' AND comment IS NOT NULL"
            ).fetchone()
        assert comments == (len(SURVEILLANCE.names),)

    def test_before_the_first_time_the_views_are_empty(self, favoured: Path) -> None:
        with open_read_only(favoured / "audit.duckdb") as session:
            assert session.execute("SELECT * FROM surveillance").fetchall() == []

    @pytest.mark.parametrize("place", ["surveillance/data.parquet", "report/surveillance.html"])
    def test_verify_holds_them_against_the_record(self, surveyed: Path, tmp_path: Path, place: str) -> None:
        lake = copied(surveyed, tmp_path / "lake")
        assert pontoon("verify", "--lake", lake).code == 0
        (lake / place).write_bytes((lake / place).read_bytes() + b" ")
        ran = pontoon("verify", "--lake", lake)
        assert ran.code == 1
        assert place in ran.out

    @pytest.mark.usefixtures("validated")
    def test_a_later_run_leaves_them(self, surveyed: Path, tmp_path: Path) -> None:
        lake = copied(surveyed, tmp_path / "lake")
        assert pontoon("run", "--lake", lake, "--fail-on", "never").code == 0
        assert pontoon("verify", "--lake", lake).code == 0
        assert (lake / "report/surveillance.html").is_file()

    def test_an_altered_lake_is_not_asked(self, favoured: Path, tmp_path: Path) -> None:
        lake = copied(favoured, tmp_path / "lake")
        path = next(lake.glob("settlements/*/*/*.parquet"))
        path.write_bytes(path.read_bytes() + b" ")
        ran = pontoon("surveil", "--lake", lake)
        assert ran.code == 3
        assert "no rate of it could be trusted" in ran.err

    def test_a_dismissed_finding_is_no_mark_against_anybody(self, surveyed: Path, tmp_path: Path) -> None:
        lake = copied(surveyed, tmp_path / "lake")
        names = [
            name
            for path in lake.glob("findings/*/*/*.parquet")
            for name in pq.read_table(path, partitioning=None)["fingerprint"].to_pylist()
        ]
        made = ("--status", "false-positive", "--by", "J. Smith", "--note", "recorder")
        assert pontoon("disposition", *names, "--lake", lake, *made).code == 0
        assert not unusual(asked(Lake(lake)), "overpaid", "findings")


class TestPublishedCases:
    """A dealer and a table with rules of their own, out of a lake."""

    def test_a_dealer_who_skips_his_own_first_card(self, tmp_path: Path) -> None:
        found = asked(lake_of(tmp_path, 2, scheme=Scheme(skips_first_card=True), rounds=600, tables=2))
        dealers = [
            each
            for each in unusual(found, "findings")
            if (each.kind, each.detail) == ("dealer", "deal.order")
        ]
        assert len(dealers) == 1
        assert dealers[0].limits.startswith("It stays unusual among the rounds of the same tables.")

    def test_a_table_that_stands_on_soft_17(self, tmp_path: Path) -> None:
        scheme = Scheme(stands_on_soft_17=True, lasts=780)
        found = asked(lake_of(tmp_path, 2, scheme=scheme, rounds=1600, tables=2))
        hits = [each for each in unusual(found, "findings") if each.detail == "dealer.under-draw"]
        assert ("table", "P01") in {(each.kind, each.subject) for each in hits}
        dealers = [each for each in hits if each.kind == "dealer"]
        assert all("it goes with the table" in each.limits for each in dealers)
