"""What every test shares: one Hypothesis profile, the same examples on every run; and one compilation."""

import fcntl

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "pontoon",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("pontoon")


@pytest.fixture(scope="session")
def compiled_kernel(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The kernel, compiled by one process, while others that need it wait for what that one keeps."""
    from tests.kernel.parity import compile_kernel

    with (tmp_path_factory.getbasetemp().parent / "kernel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        compile_kernel()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the first test of the compiled kernel first and the others last, so that none waits for it idly."""
    compiled = [each for each in items if "compiled_kernel" in getattr(each, "fixturenames", ())]
    others = [each for each in items if each not in compiled]
    items[:] = [*compiled[:1], *others, *compiled[1:]]
