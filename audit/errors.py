"""Errors of the pipeline, split by who acts next.

Each message is one line: what happened, where, and what to do.
"""

from __future__ import annotations

import errno
from pathlib import Path


class AuditError(Exception):
    """Base of every error that the command line prints as one line."""


class SourceFailed(AuditError):
    """An input file cannot be used as a whole; its owner acts. The other files go on."""

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(f"{source}: {reason}")
        self.source = source
        self.reason = reason

    def __reduce__(self) -> tuple[type[SourceFailed], tuple[str, str]]:
        return (SourceFailed, (self.source, self.reason))


class LakeError(AuditError):
    """The lake is missing, damaged or not one."""


class LakeBusy(LakeError):
    """Another process is writing to the lake."""


class StorageError(AuditError):
    """The operating system refused to read or write; nothing partial was published."""


class Imbalance(AuditError):
    """Control totals in and out differ; nothing was published. The developer acts."""


_ADVICE = {
    errno.ENOSPC: "the disk is full; free some space and run again",
    errno.EDQUOT: "the disk quota is used up; free some space and run again",
    errno.EFBIG: "the file would exceed the size allowed to this process; raise the limit and run again",
    errno.EACCES: "permission denied; give this user access and run again",
    errno.EPERM: "permission denied; give this user access and run again",
    errno.EROFS: "the file system is read-only; mount it writable and run again",
    errno.EMFILE: "too many open files; raise the limit and run again",
    errno.ENOENT: "no such file or folder; check the name",
    errno.ENOTDIR: "not a folder; check the name",
    errno.EISDIR: "a folder, expected a file; name a file",
    errno.ENAMETOOLONG: "the name is too long for the file system",
    errno.ELOOP: "too many symbolic links",
    errno.EIO: "the disk reported an input/output error; check the disk",
}


def os_reason(error: OSError) -> str:
    """What the operating system said, in plain words and with what to do about it."""
    if error.errno in _ADVICE:
        return _ADVICE[error.errno]
    return " ".join((error.strerror or str(error) or type(error).__name__).split())


def storage_error(error: OSError, doing: str, where: Path | str) -> StorageError:
    """The one-line error for a refused read or write; ``doing`` completes "could not"."""
    return StorageError(f"{where}: could not {doing}: {os_reason(error)}")


class NothingChosen(LakeError):
    """Nothing is stored under the dates and venues asked for; the user acts."""


class NothingChanged(AuditError):
    """Every partition chosen stands on the evidence, law and code that it was audited on last."""

    def __init__(self, partitions: int) -> None:
        noun = "partition" if partitions == 1 else "partitions"
        super().__init__(
            f"Nothing has changed: {partitions:,} {noun} would come out the same, and none was audited again."
        )
        self.partitions = partitions


class UsageProblem(AuditError):
    """The command cannot be done as it was given; the user acts."""
