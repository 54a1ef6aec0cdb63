"""A read-only session reads the lake and can do nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from audit.catalog import ReadOnlySession, RefusedStatement, build_catalog, open_read_only
from tests.test_catalog_views import CANBERRA, write_lake

PART = f"rounds/venue={CANBERRA[0]}/gaming_date={CANBERRA[1]}/data.parquet"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_lake(tmp_path_factory.mktemp("it's a lake"))
    build_catalog(root)
    (root.parent / "secret.csv").write_text("a\n1\n")
    return root


@pytest.fixture
def session(lake: Path) -> Iterator[ReadOnlySession]:
    with open_read_only(lake / "audit.duckdb") as opened:
        yield opened


class TestReading:
    """What a session is for."""

    def test_views_macros_and_bare_files_of_the_lake(self, session: ReadOnlySession, lake: Path) -> None:
        assert session.execute("SELECT count(*) FROM rounds").fetchone() == (4,)
        assert session.execute("FROM findings_of_round(?)", ["CBR-3"]).fetchmany(9) != []
        path = str(lake / PART).replace("'", "''")
        assert session.execute(f"SELECT count(*) FROM read_parquet('{path}')").fetchall() == [(3,)]

    def test_columns_have_names(self, session: ReadOnlySession) -> None:
        session.execute("SELECT round_id, decks FROM rounds ORDER BY ALL LIMIT 1")
        assert session.column_names == ("round_id", "decks")
        assert session.fetchone() == ("CBR-1", 6)

    @pytest.mark.parametrize("query", ["DESCRIBE rounds", "SHOW TABLES", "SUMMARIZE hands", "VALUES (1)"])
    def test_looking_around(self, session: ReadOnlySession, query: str) -> None:
        assert session.execute(query).fetchall()

    def test_instants_are_shown_in_utc(self, session: ReadOnlySession) -> None:
        query = "SELECT started_at::VARCHAR FROM rounds WHERE round_id = 'CBR-2'"
        assert session.execute(query).fetchall() == [("2019-03-01 09:02:00+00",)]


class TestRefusals:
    """What it does not do, with the lake as it was afterwards."""

    @pytest.mark.parametrize(
        "query",
        [
            "COPY (SELECT 1) TO '{lake}/new.csv'",
            "COPY (SELECT 1) TO '{lake}/" + PART + "' (FORMAT parquet)",
            "EXPORT DATABASE '{lake}/copy'",
            "EXPLAIN ANALYZE COPY (SELECT 1) TO '{lake}/new.csv'",
            "PREPARE p AS COPY (SELECT 1) TO '{lake}/new.csv'",
            "ATTACH '{lake}/new.db'",
            "INSTALL httpfs",
            "LOAD httpfs",
            "SET allowed_directories = ['/']",
            "RESET lock_configuration",
            "PRAGMA database_list",
            "CALL checkpoint()",
            "CREATE TABLE mine (a INT)",
            "CREATE OR REPLACE TEMP VIEW rounds AS SELECT 1",
            "DROP VIEW rounds",
        ],
    )
    def test_anything_but_a_query(self, session: ReadOnlySession, lake: Path, query: str) -> None:
        before = _content(lake)
        with pytest.raises(RefusedStatement, match="only reads the lake"):
            session.execute(query.replace("{lake}", str(lake).replace("'", "''")))
        assert _content(lake) == before

    def test_more_or_less_than_one_statement(self, session: ReadOnlySession) -> None:
        for query in ("SELECT 1; DROP VIEW rounds", "", "-- nothing"):
            with pytest.raises(RefusedStatement, match="expected one query"):
                session.execute(query)

    @pytest.mark.parametrize(
        "query",
        [
            "FROM read_csv('{lake}/../secret.csv')",
            "FROM '{outside}/secret.csv'",
            "FROM read_text('/etc/hostname')",
            "FROM glob('/etc/*')",
            "FROM read_parquet('https://example.org/x.parquet')",
            "FROM enable_logging(storage = 'file', storage_path = '{lake}/log')",
        ],
    )
    def test_anything_outside_the_lake(self, session: ReadOnlySession, lake: Path, query: str) -> None:
        before = _content(lake)
        outside = str(lake.parent).replace("'", "''")
        inside = str(lake).replace("'", "''")
        with pytest.raises(duckdb.Error, match=r"(?i)disabled|locked|cannot"):
            session.execute(query.format(lake=inside, outside=outside))
        assert _content(lake) == before

    def test_a_python_object_is_not_a_table(self, session: ReadOnlySession) -> None:
        rows_of_mine = [1]
        with pytest.raises(duckdb.CatalogException, match="rows_of_mine"):
            session.execute("FROM rows_of_mine")
        assert rows_of_mine == [1]

    def test_a_lake_without_a_catalogue(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError, match="no catalogue here; run the audit"):
            open_read_only(tmp_path / "audit.duckdb")


def _content(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
