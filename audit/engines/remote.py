"""A partition replayed on another machine that sees the same lake: what goes there, what comes back.

Each attempt writes into a folder of its own, and only what the attempt that reported wrote is
published, so it does no harm that one is cut short or made twice. The other machine must be what this
one is: it is held against the code and the libraries here before it works, and the evidence that it
sees against the ledger.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from audit.digests import digest_at, file_digest
from audit.engines import Outcome, Work
from audit.errors import AuditError, UsageProblem
from audit.lake import Lake
from audit.law import Law
from audit.partitions import REPLAYED_FROM, Failed, Planned, attempt
from audit.progress import Advance
from audit.provenance import provenance
from audit.staging import Staged
from rules_replay.kernel.kept import is_compiled

ATTEMPTS = 4
"""How often a partition is begun whose worker is lost over it."""

_BEACON = "beacon"
_WORDS = {
    "python": "Python",
    "code_version": "version",
    "code_sha256": "code and rulebooks (SHA-256)",
    "packages_sha256": "libraries (SHA-256)",
}


class WorkerDiffers(UsageProblem):
    """A worker is not what this program is here, and its results would not be those of a run here."""


class ClusterLost(AuditError):
    """The scheduler or all workers are gone; nothing was published. Whoever keeps the cluster acts."""


Made = Mapping[str, str | None]
"""What makes results, by its key in `_WORDS`."""


def made_here() -> Made:
    """What makes results in this process: Python, code with rulebooks, and libraries."""
    found = provenance()
    both = {**found, **found["environment"]}
    return {key: both[key] for key in _WORDS}


def differences(worker: Made, here: Made) -> str:
    """In which things a worker differs, in words; empty where in none."""
    return ", ".join(
        f"{words} {_shortly(worker.get(key))}, here {_shortly(here[key])}"
        for key, words in _WORDS.items()
        if worker.get(key) != here[key]
    )


def _shortly(value: str | None) -> str:
    return "unknown" if value is None else value[:12]


# --- whether a worker can work ---------------------------------------------------------------


def lay_out(folder: Path) -> str:
    """Write a token for workers to find in a staging folder, and return it."""
    token = os.urandom(16).hex()
    (folder / _BEACON).write_text(token, encoding="ascii")
    return token


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a worker sees: the token, where it wrote it again, and whether its kernel is compiled."""

    token: str | None
    wrote: str | None
    compiled: bool


def look(folder: Path) -> Seen:
    """On a worker: read the token of a staging folder, and write it there again."""
    token = wrote = None
    try:
        token = (folder / _BEACON).read_text(encoding="ascii")
        own = Path(tempfile.mkdtemp(dir=folder, prefix="look-"))
        (own / _BEACON).write_text(token, encoding="ascii")
        wrote = own.name
    except (OSError, ValueError):
        pass
    return Seen(token=token, wrote=wrote, compiled=is_compiled())


def answer(folder: Path) -> tuple[str, Made, Seen]:
    """On a worker: the name of its machine, what it is, and what it sees."""
    return socket.gethostname(), made_here(), look(folder)


def unlike(worker: Made) -> str | None:
    """Why a worker is the wrong one for what runs here, after its name; None if it is the right one."""
    found = differences(worker, made_here())
    return f"is not what runs here: {found}; install the same there, best from one image" if found else None


def apart(seen: Seen, folder: Path, token: str) -> str | None:
    """Why a worker is not at the lake that ``folder`` stages for, after its name; None if it is."""
    lake = folder.parents[1]
    if seen.token != token:
        return f"does not see the lake in {lake}; mount it there under the same path"
    own = folder / str(seen.wrote)
    taken = folder / f"{own.name}.taken"
    try:
        # As its results are going to be taken.
        (own / _BEACON).rename(taken)
        if taken.read_text(encoding="ascii") == token:
            shutil.rmtree(own)
            return None
    except (OSError, ValueError):
        pass
    return f"cannot write in {lake} so that this process may take it; run both as the same user"


# --- what goes there -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A partition to replay somewhere else.

    ``folder`` is its own in the staging folder of the run; ``evidence`` has by place in the lake the
    SHA-256 of the files that it is replayed from, and ``made`` what the worker has to be.
    """

    root: Path
    folder: Path
    planned: Planned
    law: Law
    evidence: Mapping[str, str]
    made: Made

    def replay(self, advance: Advance = lambda rounds: None) -> Outcome:
        """Make one attempt. Raises `WorkerDiffers`."""
        if found := differences(made_here(), self.made):
            raise WorkerDiffers(found)
        lake, partition = Lake(self.root), self.planned.partition
        try:
            own = Path(tempfile.mkdtemp(dir=self.folder))
            for each in (partition, *self.planned.before):
                # Another machine may see an older state of a folder than the one that planned.
                if problems := lake.damaged(each, REPLAYED_FROM, self.evidence):
                    return Failed(partition=partition, reason=f"as a worker saw it, {problems[0]}")
        except OSError as error:
            return Failed(partition=partition, reason=f"{type(error).__name__}: {error}")
        return _held(attempt(lake, own, self.planned, self.law, advance))


def _held(outcome: Outcome) -> Outcome:
    """An outcome with the digest of what was kept aside, to be held against where it arrives."""
    if isinstance(outcome, Failed) or outcome.behind is None:
        return outcome
    return replace(outcome, behind_sha256=_digest(outcome.behind))


def _digest(folder: Path) -> str | None:
    try:
        return digest_at(folder)
    except OSError:
        return None


def tasks_of(work: Work, lake: Lake, folder: Path) -> list[Task]:
    """The tasks that work comes to, the largest first, so that no long one is begun last.

    The folder of each is made.
    """
    known: dict[str, dict[str, str]] = {}
    for path, digest in lake.published().items():
        known.setdefault(path.rpartition("/")[0], {})[path] = digest
    made = made_here()
    largest_first = sorted(work.plan, key=lambda each: (-work.sizes[each.partition], each.partition.order))
    tasks = [
        Task(
            root=lake.root.absolute(),
            folder=folder.absolute() / f"task-{number}",
            planned=planned,
            law=work.law,
            evidence={
                path: digest
                for each in (planned.partition, *planned.before)
                for table in REPLAYED_FROM
                for path, digest in known.get(f"{table}/{each.folder}", {}).items()
            },
            made=made,
        )
        for number, planned in enumerate(largest_first)
    ]
    for each in tasks:
        each.folder.mkdir()
    return tasks


# --- what comes back -------------------------------------------------------------------------


def lost(task: Task) -> Failed:
    """A partition whose workers were lost, one after another."""
    return Failed(
        partition=task.planned.partition,
        reason=f"{ATTEMPTS} workers were lost over it, perhaps for want of memory; run again",
    )


def received(task: Task, outcome: Outcome, root: Path) -> Outcome:
    """What a task gave, its files held against what the worker said of them.

    ``root`` is the lake as this process names it.
    """
    if isinstance(outcome, Failed):
        return outcome
    staged = [replace(each, path=root / each.path.relative_to(task.root)) for each in outcome.staged]
    problems = [each for each in staged if not _is_whole(each)]
    if problems:
        return Failed(
            partition=outcome.partition,
            reason=f"{problems[0].place}: not here as the worker wrote it; check the shared file system",
        )
    behind = None if outcome.behind is None else root / outcome.behind.relative_to(task.root)
    if behind is not None and (outcome.behind_sha256 is None or _digest(behind) != outcome.behind_sha256):
        # The report finds in the tables what was kept aside, only later.
        behind = None
    return replace(outcome, staged=tuple(staged), behind=behind)


def _is_whole(staged: Staged) -> bool:
    try:
        return (
            not staged.path.is_symlink()
            and staged.path.stat().st_size == staged.byte_count
            and file_digest(staged.path) == staged.sha256
        )
    except OSError:
        return False
