"""SHA-256 of files and of folders."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_digest(files: Mapping[str, str]) -> str:
    """SHA-256 of a folder: of the places in it and the SHA-256 of its files."""
    lines = "".join(f"{digest} {place}\n" for place, digest in sorted(files.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def files_in(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file of a folder, by its place in it."""
    return {
        each.relative_to(folder).as_posix(): file_digest(each) for each in folder.rglob("*") if each.is_file()
    }


def digest_at(path: Path) -> str | None:
    """SHA-256 of the file or folder there; None where there is neither."""
    if path.is_dir():
        return folder_digest(files_in(path))
    return file_digest(path) if path.is_file() else None
