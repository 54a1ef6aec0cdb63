"""What may be published: what the ledgers of a lake vouch for, and ledgers that only grew.

A working copy lies where others on the machine may write to it, and cleaners of caches may remove
from it. What they did there must not become a snapshot.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from audit.errors import LakeError
from audit.lake import Lake
from audit.layout import ARCHIVE, TABLES
from audit.ledger import LEDGERS
from audit.remote.snapshot import Entry

_OF_RECORD = tuple(f"{name}/" for name in (*TABLES, ARCHIVE))


def require_vouched(
    root: Path, before: Mapping[str, Entry], after: Mapping[str, str], gone: set[str]
) -> None:
    """Raise `LakeError` where a lake may not follow the snapshot ``before``.

    ``after`` has the SHA-256 of the files that are new or altered, by place; ``gone`` are those that
    are there no more.
    """
    for name in LEDGERS:
        place = f"ledger/{name}.jsonl"
        if place in gone or (place in before and place in after and not _grown(root / place, before[place])):
            raise _refused(root / place, "a record of it is gone or altered")
    if not gone and not any(map(_of_record, after)):
        return
    known = Lake(root).published()
    for place in sorted(filter(_of_record, after)):
        if known.get(place) != after[place]:
            raise _refused(root / place, "not what the ledger says of it")
    for place in sorted(gone & known.keys()):
        raise _refused(root / place, "gone, and not by what was done now")


def _of_record(place: str) -> bool:
    return place.startswith(_OF_RECORD)


def _grown(ledger: Path, before: Entry) -> bool:
    with ledger.open("rb") as file:
        return hashlib.sha256(file.read(before.bytes)).hexdigest() == before.sha256


def _refused(path: Path, what: str) -> LakeError:
    return LakeError(f"{path}: {what}; nothing was published, run again: the working copy is then made anew")
