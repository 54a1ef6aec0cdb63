"""What is damaged in a lake: its chains followed, its files held against what the ledgers say of them.

`audit.verification` goes on to what else the records say: the law, signatures, the report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from audit.digests import digest_at, file_digest
from audit.errors import LakeError
from audit.layout import ARCHIVE, SURVEILLANCE, TABLES, place_of
from audit.ledger import Ledger, LedgerName
from audit.publication import in_between

NOT_OURS = "ledger: a record is chained and not of the form that this program writes; something else made it"


@dataclass(frozen=True, slots=True)
class Verification:
    """What `Lake.verify` looked at and what it found; no problem means intact.

    ``sound`` has for each ledger its records before the first broken link, which ``broken``
    names, and ``damaged`` what is wrong with files.
    """

    sound: Mapping[LedgerName, int]
    files: int
    broken: Mapping[LedgerName, str]
    damaged: tuple[str, ...]
    unfinished: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything that is wrong, a line each."""
        return (*self.unfinished, *self.broken.values(), *self.damaged)

    @property
    def records(self) -> int:
        """The sound records of all ledgers."""
        return sum(self.sound.values())

    @property
    def intact(self) -> bool:
        """True when nothing was found."""
        return not self.problems


def published_files(ledgers: Iterable[Ledger]) -> dict[str, str]:
    """Every file the ledgers name and its SHA-256, the latest record winning."""
    files: dict[str, str] = {}
    for ledger in ledgers:
        for record in ledger.records():
            for file in record.get("retired", []):
                files.pop(file["path"], None)
                files[file["archived"]] = file["sha256"]
            files.update((file["path"], file["sha256"]) for file in record["published"])
    return files


def verification_of(root: Path, ledgers: Mapping[LedgerName, Ledger]) -> Verification:
    """What `Lake.verify` does, with writers kept out."""
    cut_off, soon = in_between(root)
    unfinished = (
        (".staging: a publication was cut off; the next ingest or run finishes or undoes it",)
        if cut_off
        else ()
    )
    sound: dict[LedgerName, int] = {}
    broken: dict[LedgerName, str] = {}
    for name, ledger in ledgers.items():
        chain = ledger.follow()
        sound[name] = chain.sound
        if chain.problem is not None:
            broken[name] = chain.problem
    try:
        known = published_files(ledgers.values())
    except (LakeError, KeyError, TypeError, AttributeError):
        return Verification(sound, 0, broken, () if broken else (NOT_OURS,), unfinished)
    present = {
        place_of(path, root)
        for table in (*TABLES, SURVEILLANCE, f"{ARCHIVE}/*")
        # Of the two only the first goes through linked folders, and only the second to any depth.
        for pattern in ("*/*/*.parquet", "**/*.parquet")
        for path in root.glob(f"{table}/{pattern}")
    }
    explained = {place for place, digest in soon.items() if _is_either(root, place, known.get(place), digest)}
    damaged = damaged_files(
        root,
        {place: digest for place, digest in known.items() if place not in explained},
        present - explained,
    )
    files = [place_of(ledger.path, root) for ledger in ledgers.values()]
    linked = [_linked(place) for place in files if _is_linked(root, place)]
    return Verification(sound, len(known), broken, (*linked, *damaged), unfinished)


def damaged_files(root: Path, known: Mapping[str, str], present: set[str]) -> list[str]:
    """What is wrong with files, one line each: those the ledgers have, ``known``, and those there."""
    problems = []
    for place in sorted(known.keys() | present):
        if place not in present:
            problems.append(f"{place}: published, and now missing")
        elif place not in known:
            problems.append(f"{place}: in the lake, and in no ledger")
        elif _is_linked(root, place):
            problems.append(_linked(place))
        elif not _has(root, place, known[place]):
            problems.append(f"{place}: differs from the SHA-256 in the ledger; it was altered or damaged")
    return problems


def _is_either(root: Path, place: str, *digests: str | None) -> bool:
    """Whether a place has a file of one of these SHA-256; None stands for no file."""
    return not _is_linked(root, place) and digest_at(root / place) in digests


def _is_linked(root: Path, place: str) -> bool:
    path = root / place
    return any(
        each.is_symlink() for each in (path, *path.parents) if each.is_relative_to(root / place.split("/")[0])
    )


def _has(root: Path, place: str, digest: str) -> bool:
    path = root / place
    return path.is_file() and file_digest(path) == digest


def _linked(place: str) -> str:
    return f"{place}: a symbolic link stands for it; what it leads to can be exchanged"
