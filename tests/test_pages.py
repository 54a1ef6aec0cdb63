"""Row groups read page by page: the same tables as Arrow reads, however they are stored."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.pages import Groups
from audit.pages.runs import PAGE, find_pages
from rules_replay.log import INSTANT, MONEY

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("seq", pa.int32(), nullable=False),
        pa.field("at", INSTANT),
        pa.field("word", pa.string()),
        pa.field("box", pa.int16()),
        pa.field("amount", MONEY),
        pa.field("many", pa.int64()),
        pa.field("none", pa.string()),
        pa.field("no_number", pa.int16()),
    ]
)
TEXTS = ("id", "word", "none")


def table(rows: int, texts: int, nulls: float, seed: int) -> pa.Table:
    """So many rows with so many different texts, every column but the first two empty in a share of them."""
    random = Random(seed)

    def some(values: list[Any]) -> list[Any]:
        return [None if random.random() < nulls else random.choice(values) for _ in range(rows)]

    ids = sorted(f"round-{random.randrange(texts)}" for _ in range(rows))
    columns = {
        "id": ids,
        "seq": list(range(rows)),
        "at": some([datetime(2019, 3, 1, 20, minute, tzinfo=UTC) for minute in range(60)]),
        "word": some([f"word {each}" + "é" * (each % 7) for each in range(texts)]),
        "box": some([-3, *range(1, 10)]),
        "amount": pa.array(some([-5, 0, 12_500, 10**15 - 1]), pa.int64())
        .cast(pa.decimal128(19, 0))
        .view(MONEY),
        "many": some(list(range(-texts, texts))),
        "none": [None] * rows,
        "no_number": [None] * rows,
    }
    return pa.table([pa.array(columns[each.name], each.type) for each in SCHEMA], schema=SCHEMA)


def written(path: Path, rows: pa.Table, **options: Any) -> Path:
    """A file of two row groups."""
    usual: dict[str, Any] = {"compression": "zstd", "store_decimal_as_integer": True}
    pq.write_table(rows, path, row_group_size=max(rows.num_rows * 2 // 3, 1), **usual | options)
    return path


def read(path: Path) -> tuple[pa.Table, bool]:
    """A file, and whether none of it was left to Arrow."""
    groups = Groups(path, TEXTS, least=0)
    try:
        by_pages = all(groups._columns(group) is not None for group in range(groups.count))
        whole = pa.concat_tables([groups.schema.empty_table(), *map(groups.read, range(groups.count))])
    finally:
        groups.close()
    whole.validate(full=True)
    return whole, by_pages


class TestAsArrowReadsThem:
    """What is read is what Arrow reads."""

    @pytest.mark.parametrize("nulls", [0.0, 0.02, 0.5, 0.98, 1.0])
    @pytest.mark.parametrize(("rows", "texts"), [(1, 1), (7, 2), (1000, 3), (5000, 300), (5000, 4000)])
    @pytest.mark.parametrize(
        "options",
        [{}, {"max_rows_per_page": 100}, {"compression": "none"}, {"data_page_size": 64}],
        ids=["usual", "short pages", "not compressed", "small pages"],
    )
    def test_every_column(
        self, tmp_path: Path, rows: int, texts: int, nulls: float, options: dict[str, Any]
    ) -> None:
        """Texts, numbers, instants and amounts, in runs and one by one, with and without empty cells."""
        path = written(tmp_path / "a.parquet", table(rows, texts, nulls, rows + texts), **options)
        found, by_pages = read(path)
        expected = pq.ParquetFile(path, read_dictionary=TEXTS).read()
        assert by_pages
        assert found.schema.equals(expected.schema, check_metadata=True)
        assert found.equals(expected)

    @pytest.mark.parametrize(
        "options",
        [
            {"use_dictionary": False},
            {"use_dictionary": ["word"]},
            {"dictionary_pagesize_limit": 256},
            {"data_page_version": "2.0"},
            {"compression": "snappy"},
            {"store_decimal_as_integer": False},
        ],
        ids=["no lists", "one list", "lists too long", "later pages", "Snappy", "amounts as bytes"],
    )
    def test_what_is_stored_otherwise_is_left_to_arrow(self, tmp_path: Path, options: dict[str, Any]) -> None:
        """Another program, or another version of this one, may have written it."""
        path = written(tmp_path / "a.parquet", table(3000, 500, 0.3, 1), **options)
        found, by_pages = read(path)
        assert not by_pages
        assert found.cast(SCHEMA).equals(pq.ParquetFile(path).read())

    def test_small_groups_are_left_to_arrow(self, tmp_path: Path) -> None:
        """A night of few rounds does without numba."""
        path = written(tmp_path / "a.parquet", table(600, 5, 0.3, 1))
        groups = Groups(path, TEXTS, least=401)
        assert groups._columns(0) is groups._columns(1) is None
        groups.close()

    def test_columns_of_lists_are_left_to_arrow(self, tmp_path: Path) -> None:
        """A row of them has several values."""
        rows = table(2, 2, 0.0, 1).append_column("offers", pa.array([["x", "y"], []]))
        found, by_pages = read(written(tmp_path / "a.parquet", rows))
        assert not by_pages
        assert found["offers"].to_pylist() == [["x", "y"], []]


class TestDamage:
    """Bytes that are not what they were: nothing beyond them is read."""

    @pytest.mark.parametrize("compression", ["zstd", "none"])
    def test_any_byte_changed_gives_a_table_or_an_error(self, tmp_path: Path, compression: str) -> None:
        """The evidence is compared with its digest first, so this is for what that does not keep out."""
        path = written(
            tmp_path / "a.parquet", table(400, 20, 0.3, 2), compression=compression, max_rows_per_page=50
        )
        sound = path.read_bytes()
        ends = pq.read_metadata(path).row_group(1).column(0).data_page_offset
        random = Random(3)
        for _ in range(300):
            damaged = bytearray(sound)
            for _ in range(random.choice((1, 1, 3))):
                damaged[random.randrange(4, ends)] = random.randrange(256)
            path.write_bytes(damaged)
            groups = Groups(path, TEXTS, least=0)
            try:
                groups._columns(0)
            except (OSError, ValueError):
                pass
            finally:
                groups.close()

    @pytest.mark.parametrize("size", range(0, 40, 3))
    def test_headers_of_any_bytes(self, size: int) -> None:
        """They are pages within the bytes, or not understood."""
        random = Random(size)
        for _ in range(500):
            chunk = np.frombuffer(random.randbytes(size), np.uint8)
            pages = np.zeros(8, PAGE).view(np.recarray)
            for page in pages[: max(find_pages(chunk, pages), 0)]:
                assert 0 <= page.start <= page.start + page.packed <= size
