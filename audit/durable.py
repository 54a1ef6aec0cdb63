"""Writes that are there after the power has failed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def write_durably(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, and stays."""
    aside = path.with_name(f"{path.name}.writing")
    with aside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)
    sync(path.parent)


def sync_folders(folders: Iterable[Path], root: Path) -> None:
    """Make the entries of folders and of those above them, up to ``root``, durable."""
    above = {each for folder in folders for each in (folder, *folder.parents) if each.is_relative_to(root)}
    for folder in sorted(above):
        sync(folder)


def sync(folder: Path) -> None:
    """Make the entries of one folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
