"""Which engine the options of a command stand for."""

from __future__ import annotations

from typing import Literal

from audit.engines import Engine
from audit.engines.local import Local, processors
from audit.errors import UsageProblem


def chosen_engine(name: Literal["local", "dask"], scheduler: str | None, jobs: int | None) -> Engine:
    """The engine of this name. Raises `UsageProblem` for options that do not belong to it."""
    if name == "local":
        if scheduler is not None:
            raise UsageProblem("--scheduler names that of a cluster; give --engine dask with it")
        return Local(jobs or processors())
    if scheduler is None:
        raise UsageProblem("--engine dask needs --scheduler, such as tcp://10.0.0.7:8786")
    if jobs is not None:
        raise UsageProblem(
            "--jobs is for this machine; with --engine dask there are as many as the cluster has"
        )
    # It takes a second to import, and is an extra.
    from audit.engines.dask import Dask

    return Dask(scheduler)
