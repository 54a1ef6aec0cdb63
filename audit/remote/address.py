"""Telling a lake on object storage from a folder, in what ``--lake`` was given."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from audit.errors import UsageProblem

CACHE_VARIABLE: Final = "PONTOON_AUDIT_CACHE"
"""Environment variable that names the folder of working copies where --cache does not."""

S3: Final = "s3://"
FILE: Final = "file://"


_ADDRESS: Final = re.compile("([a-z0-9]+):(/.*)?")


def remote_url(lake: Path) -> str | None:
    """The address of a lake on object storage, such as ``s3://bucket/prefix``; None for a folder.

    A `Path` made of an address has lost one of its slashes. Raises `UsageProblem` for an address
    of a kind on which a publication would not be atomic.
    """
    found = _ADDRESS.fullmatch(str(lake))
    if found is None or (found[2] is None and found[1] not in ("s3", "file")):
        return None
    scheme, rest = found[1], (found[2] or "").strip("/")
    if scheme == "s3" and rest:
        return S3 + rest
    if scheme == "file" and rest:
        return f"{FILE}/{rest}"
    raise UsageProblem(
        f"{scheme}://{rest}: expected a folder, s3://BUCKET/PREFIX or file:///FOLDER; of other stores it is "
        "not known that they can make an object only where there is none"
    )


def folder_of(url: str) -> Path:
    """The folder that a ``file://`` address names."""
    return Path(unquote(url.removeprefix(FILE)))
