"""What every test shares: profiles of Hypothesis, the same examples on every run; and one compilation."""

import fcntl
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "pontoon",
    derandomize=True,
    max_examples=50,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("brief", settings.get_profile("pontoon"), max_examples=25)
settings.load_profile("pontoon")


@pytest.fixture(scope="session")
def compiled_kernel(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The kernel, compiled by one process, while others that need it wait for what that one keeps."""
    from tests.kernel.parity import compile_kernel

    with (tmp_path_factory.getbasetemp().parent / "kernel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        compile_kernel()


@pytest.fixture(scope="module")
def unvalidated() -> Iterator[Callable[..., Any]]:
    """Nights that nobody validates, in a module about something else; gives what validates them."""
    from audit.run import _Night
    from tests.unvalidated import passed

    validates = _Night._validate
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Night, "_validate", passed)
        yield validates


@pytest.fixture
def validated(unvalidated: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nights that are validated all the same, for one test of such a module."""
    monkeypatch.setattr("audit.run._Night._validate", unvalidated)


LONGEST = (
    *("kernel/test_parity.py", "test_crash_kills.py", "test_ingest_bulk.py", "test_odds_engine.py"),
    *("test_engine_dask.py", "test_surveil_lake.py", "test_remote_s3.py", "fuzz/test_targets.py"),
    *("test_crash_signals.py", "test_findings_over_time.py", "test_samples.py", "test_reproducible.py"),
    *(
        "kernel/test_plain.py",
        "test_expectations_validate.py",
        "test_remote_kills.py",
        "test_run_by_kernel.py",
    ),
    *("test_crash_disk.py", "test_expectations_census.py", "test_odds_simulation.py", "test_hostile.py"),
    *("test_run_night.py", "test_observe_operations.py", "test_remote_lake.py", "test_samples_faults.py"),
    *("test_dispositions.py", "test_tampering.py", "test_cli_review.py", "test_croupier.py"),
    *("test_observe_outputs.py", "kernel/test_places.py", "test_case.py", "test_run_changed.py"),
    *("test_mapping_lake.py", "test_corpus.py", "test_mapping_samples.py", "test_soundness.py"),
    *("test_causes_planted.py", "test_report_browser.py", "test_cli_lake.py", "test_explain.py"),
    *("test_properties.py", "test_ingest_pipeline.py", "test_catalog_views.py", "test_odds_strategy.py"),
)
"""The files whose tests take longest, those that compile before all others.

A worker has a file to itself. A long one begun late would run alone at the end; one that compiles, begun
late, would have others wait for what it compiles.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first."""
    here = Path(__file__).parent
    places = {here / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


def pytest_collection_finish() -> None:
    """Leave thousands of tests and all modules out of every later search for garbage."""
    gc.collect()
    gc.freeze()
