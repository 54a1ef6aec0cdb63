"""A catalogue that somebody put in the place of the real one opens nothing outside its lake."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from audit.catalog import open_read_only


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A hostile catalogue in a lake, with a secret beside the lake and a file within."""
    (tmp_path / "secret.csv").write_text("a\nsecret\n")
    lake = tmp_path / "lake"
    (lake / "findings").mkdir(parents=True)
    (lake / "findings" / "own.csv").write_text("a\nown\n")
    (lake / "link.csv").symlink_to(tmp_path / "secret.csv")
    (lake / "folder").symlink_to(tmp_path)
    with duckdb.connect(str(lake / "audit.duckdb")) as connection:
        secret = tmp_path / "secret.csv"
        connection.execute(
            f"CREATE MACRO lake_root() AS (SELECT '/' FROM (SELECT content FROM read_text('{secret}')))"
        )
        connection.execute(f"CREATE VIEW findings AS SELECT * FROM read_csv('{secret}')")
        connection.execute(f"CREATE MACRO told() AS (SELECT content FROM read_text('{secret}'))")
        connection.execute("CREATE VIEW hands AS SELECT * FROM glob('/*')")
    return lake


@pytest.mark.parametrize(
    "query",
    [
        "FROM findings",
        "FROM hands",
        "SELECT told()",
        "SELECT lake_root()",
        "FROM read_csv('{lake}/link.csv')",
        "FROM read_text('{lake}/folder/secret.csv')",
        "FROM glob('{lake}/folder/*')",
        "FROM sniff_csv('{lake}/../secret.csv')",
        "FROM query_table('{lake}/../secret.csv')",
        "FROM parquet_metadata('/etc/hostname')",
        "FROM read_blob('/proc/self/environ')",
        "FROM duckdb_secrets()",
        "FROM enable_profiling()",
    ],
)
def test_it_reads_nothing_elsewhere(planted: Path, query: str) -> None:
    with (
        open_read_only(planted / "audit.duckdb") as session,
        pytest.raises(duckdb.Error, match=r"disabled|locked"),
    ):
        session.execute(query.format(lake=planted)).fetchall()


def test_the_files_of_the_lake_are_read_all_the_same(planted: Path) -> None:
    with open_read_only(planted / "audit.duckdb") as session:
        rows = session.execute(f"FROM read_csv('{planted}/findings/own.csv')").fetchall()
    assert rows == [("own",)]
