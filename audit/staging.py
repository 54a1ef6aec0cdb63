"""Parquet files written into a staging folder of a lake, durable and not yet published."""

from __future__ import annotations

import os
import tempfile
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from audit.digests import file_digest
from audit.errors import storage_error
from audit.layout import DATA_FILE, Partition, part_name

_BATCH_ROWS = 16_384
"""Rows that are handed on to the encoder of a column at a time."""

_PAGE_ROWS = 1_000_000
"""Rows of a page, instead of the 20,000 of Arrow: each page of a column is compressed and opened by
itself, and nobody looks for rows in one."""

_SOUGHT = {"hands": ["round_id"], "settlements": ["round_id", "delta"]}
"""Columns whose least and greatest values are kept; nobody looks for those of the others."""

_SELDOM = {"events": ["from", "reason", "scope", "code"]}
"""Columns of text that often hold nothing in a whole row group: a reader that knows may pass over them."""


@dataclass(frozen=True, slots=True)
class Staged:
    """A Parquet file written and made durable, not yet published."""

    table: str
    partition: Partition
    path: Path
    name: str
    sha256: str
    byte_count: int
    rows: int

    @property
    def place(self) -> str:
        """Where in the lake it belongs, relative to the lake."""
        return f"{self.table}/{self.partition.folder}/{self.name}"

    def as_json(self) -> dict[str, Any]:
        """The entry of the file in a ledger record."""
        return {"path": self.place, "sha256": self.sha256, "bytes": self.byte_count, "rows": self.rows}


def stage(
    folder: Path,
    table: str,
    partition: Partition,
    batches: Iterable[pa.Table],
    schema: pa.Schema,
    name: str | None = DATA_FILE,
    narrow: pa.Schema | None = None,
) -> Staged:
    """Write one Parquet file into a staging folder and make it durable.

    Each table of ``batches`` becomes a row group, so memory is bounded by the largest.
    The same rows give the same bytes. ``name`` is the file's name once published; None
    names it after the digest of its content. The tables may be ``narrow``: lists of texts
    and 64-bit amounts, which cost less to write and are read as ``schema`` all the same.
    Raises `StorageError`.
    """
    with Writing(folder, table, partition, schema, narrow) as writing:
        for batch in batches:
            writing.add(batch)
        return writing.staged(name)


class Writing:
    """A Parquet file under way in a staging folder, for callers that write several side by side.

    Raises `StorageError`, as `stage` does.
    """

    def __init__(
        self,
        folder: Path,
        table: str,
        partition: Partition,
        schema: pa.Schema,
        narrow: pa.Schema | None = None,
    ) -> None:
        self._table = table
        self._partition = partition
        self._rows = 0
        with self._storing():
            handle, path = tempfile.mkstemp(dir=folder, suffix=".parquet")
            os.close(handle)
            self._path = folder / Path(path).name
            self._writer = _writer(self._path, table, schema, narrow)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._storing():
            self._writer.close()

    def add(self, rows: pa.Table) -> None:
        """Write some rows as a row group."""
        with self._storing():
            self._writer.write_table(rows, row_group_size=max(rows.num_rows, 1))
        self._rows += rows.num_rows

    def staged(self, name: str | None = DATA_FILE) -> Staged:
        """The file, durable, once all rows are written."""
        with self._storing():
            self._writer.close()
            self._path.chmod(0o644)
            with self._path.open("rb") as file:
                os.fsync(file.fileno())
            digest = file_digest(self._path)
            size = self._path.stat().st_size
        return Staged(
            self._table, self._partition, self._path, name or part_name(digest), digest, size, self._rows
        )

    @contextmanager
    def _storing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise storage_error(error, f"write {self._table}", self._partition.folder) from None


def _writer(path: Path, table: str, schema: pa.Schema, narrow: pa.Schema | None) -> pq.ParquetWriter:
    if narrow is None:
        return pq.ParquetWriter(path, schema, compression="zstd", write_statistics=True)
    numbers = [each.name for each in narrow if not pa.types.is_dictionary(each.type)]
    writer = pq.ParquetWriter(
        path,
        narrow,
        compression="zstd",
        # Texts that a narrow schema leaves as they are do not repeat.
        use_dictionary=[each.name for each in narrow if each.type != pa.string()],
        write_batch_size=_BATCH_ROWS,
        max_rows_per_page=_PAGE_ROWS,
        write_statistics=_SOUGHT.get(table, numbers + _SELDOM.get(table, [])),
        store_decimal_as_integer=True,
        store_schema=False,
    )
    # What Arrow itself would write of the narrow one: types as they are read, and comments.
    writer.add_key_value_metadata({"ARROW:schema": b64encode(schema.serialize()).decode()})
    return writer
