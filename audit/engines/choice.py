"""Which engine the options of a command stand for."""

from __future__ import annotations

import re
from typing import Literal

from audit.engines import Engine
from audit.engines.local import Local, processors
from audit.errors import UsageProblem

_SUCH_AS = {"dask": "tcp://10.0.0.7:8786", "spark": "spark://10.0.0.7:7077, yarn or local[4]"}
_MASTER = re.compile(r"local$|local\[[\d*]+\]$|spark://.|k8s://.|yarn$")


def chosen_engine(name: Literal["local", "dask", "spark"], scheduler: str | None, jobs: int | None) -> Engine:
    """The engine of this name. Raises `UsageProblem` for options that do not belong to it."""
    if name == "local":
        if scheduler is not None:
            raise UsageProblem("--scheduler names that of a cluster; give --engine dask or spark with it")
        return Local(jobs or processors())
    if scheduler is None:
        raise UsageProblem(f"--engine {name} needs --scheduler, such as {_SUCH_AS[name]}")
    if jobs is not None:
        raise UsageProblem(
            f"--jobs is for this machine; with --engine {name} there are as many as the cluster has"
        )
    # They take a second to import, and are extras.
    if name == "dask":
        from audit.engines.dask import Dask

        return Dask(scheduler)
    if not _MASTER.match(scheduler):
        raise UsageProblem(f"--scheduler {scheduler}: expected a master of Spark, such as {_SUCH_AS[name]}")
    from audit.engines.spark import Spark

    return Spark(scheduler)
