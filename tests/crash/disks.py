"""Disks that are full or read-only: real ones where the system lets a test mount, a stand-in elsewhere."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _mount(*arguments: str) -> bool:
    try:
        return subprocess.run(["mount", *arguments], capture_output=True).returncode == 0
    except OSError:
        return False


@contextmanager
def small_disk(folder: Path, kib: int) -> Iterator[str]:
    """Make a folder hold at most so many KiB; gives how.

    Where nothing can be mounted, no file may grow beyond a tenth of it.
    """
    folder.mkdir()
    if _mount("-t", "tmpfs", "-o", f"size={kib}k", "none", str(folder)):
        try:
            yield "a tmpfs of its own"
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
        return
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (kib * 1024 // 10, before[1]))
    try:
        yield "a limit on the size of files"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def read_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Make a folder and all in it read-only; gives how."""
    if _mount("--bind", str(folder), str(folder)):
        try:
            if _mount("-o", "remount,ro,bind", str(folder)):
                yield "a read-only mount"
                return
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
    if os.geteuid() != 0:
        folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
        modes = {path: path.stat().st_mode for path in (*folders, *folder.rglob("*"))}
        for path, mode in modes.items():
            path.chmod(mode & ~0o222)
        try:
            yield "permission bits"
        finally:
            for path, mode in modes.items():
                path.chmod(mode)
        return
    with monkeypatch.context() as patched:
        opened = os.open

        def refusing(path: str | Path, flags: int, mode: int = 0o777, **given: int) -> int:
            if flags & (os.O_WRONLY | os.O_RDWR) and Path(path).is_relative_to(folder):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
            return opened(path, flags, mode, **given)

        patched.setattr(os, "open", refusing)
        yield "a refusal put in the place of the system's"
