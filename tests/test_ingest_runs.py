"""Keys in sorted runs: what was added is found, however it was merged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.ingest import runs as runs_module
from audit.ingest.columns import NARROW_EVENTS, events_in
from audit.ingest.compiled import SOURCES, ingest_folder
from audit.ingest.runs import Runs, keys_of
from audit.layout import Partition
from audit.staging import stage
from rules_replay.log import EVENTS

KEYS = st.tuples(st.sampled_from([0, 1, 2**63, 2**64 - 1]), st.integers(0, 2))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    return lambda: tmp_path_factory.mktemp("runs")


@given(st.lists(st.lists(KEYS, max_size=6), max_size=6), st.lists(KEYS, max_size=6))
def test_every_number_of_a_key_is_found(
    folder: Callable[[], Path],
    added: list[list[tuple[int, int]]],
    sought: list[tuple[int, int]],
) -> None:
    place = folder()
    found, number, expected = Runs(place), 0, []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs_module, "_MERGED_ROWS", 3)
        for some in added:
            numbers = np.arange(number, number + len(some))
            for path in found.add(np.array(some, np.uint64).reshape(-1, 2), numbers):
                path.unlink()
            expected += list(zip(some, numbers.tolist(), strict=True))
            number += len(some)
    wanted = sorted((at, each) for at, key in enumerate(sought) for known, each in expected if known == key)
    keys = np.array(sought, np.uint64).reshape(-1, 2)
    assert sorted(found.find(keys)) == wanted
    assert sorted(Runs(place, found.names).find(keys)) == wanted
    assert sorted(path.name for path in place.iterdir()) == sorted(found.names)


def test_there_are_few_runs(tmp_path: Path) -> None:
    found = Runs(tmp_path)
    chance = np.random.default_rng(1)
    for _ in range(64):
        found.add(chance.integers(0, 2**63, (10, 2)).astype(np.uint64), np.zeros(10, np.int64))
    assert len(found) == 640
    assert len(found.names) <= 7


def test_keys_are_compared_from_their_first_byte() -> None:
    data = np.frombuffer(bytes(range(16)), np.uint8).reshape(1, 16)
    assert keys_of(data).tolist() == [[0x0001020304050607, 0x08090A0B0C0D0E0F]]


def test_narrow_events_are_read_as_the_format_has_them(tmp_path: Path) -> None:
    table = events_in([]).narrow(pa.array([], pa.string()))
    made = stage(tmp_path, "events", Partition("v", None), [table], EVENTS, narrow=NARROW_EVENTS)
    assert pq.read_schema(made.path).equals(EVENTS, check_metadata=True)


def test_compiled_functions_are_kept_by_their_sources() -> None:
    folder = Path(runs_module.__file__).parent
    compiled = {
        path.name for path in folder.glob("*.py") if "audit.ingest.compiled import" in path.read_text()
    }
    assert compiled < set(SOURCES)
    assert ingest_folder().name.startswith("ingest-")
