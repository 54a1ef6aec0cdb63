"""What is done to a lake, and what ``verify`` says; writes the table in ``docs/trust.md`` anew.

``python -m tests.record_tampering``
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from audit.dispositions import dispose
from audit.ingest.pipeline import ingest
from audit.ingest.wire import decode_line, encode_line
from audit.lake import Lake
from audit.law import load_law
from audit.layout import TABLES
from audit.ledger import LedgerName, anchor_text, as_line, record_digest
from audit.partitions import Choice
from audit.progress import Progress
from audit.run import run
from audit.signing import load_signer, load_verifier, make_keys
from audit.verification import Anchor, verify
from rules_replay.log import Amount, AnyEvent, Settle
from tests.commands import night, write_log

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "trust.md"
BEGIN, END = "<!-- tampering: begin -->\n", "<!-- tampering: end -->\n"

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PLACES = 16
"""Places of a file at which a bit is flipped, the first and the last byte among them."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A lake with its keys, what was noted down of it, and a copy of it from before the last run."""

    lake: Path
    before: Path
    keys: Path
    anchors: tuple[str, ...]


def build(folder: Path) -> Kept:
    """A signed lake of three ingests, two runs and a disposition, files in every table and the archive."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = folder / "keys"
    signer = load_signer(make_keys(keys).private)
    lake = Lake(folder / "lake", signer)
    law = load_law()

    def take_in(log: Path, *, supersede: bool = False) -> None:
        ingest(
            [log], lake, law.register, supersede=supersede, register_sha256=law.register_sha256, at=AT, jobs=1
        )

    def audit() -> None:
        run(lake, law, Choice(), jobs=1, at=AT, progress=Progress())

    rounds = [decode_line(line).round for line in night("act-2018").read_bytes().splitlines()[:16]]
    take_in(write_log(folder / "first.jsonl", rounds))
    audit()
    corrected = msgspec.structs.replace(rounds[0], events=tuple(map(_paid_more, rounds[0].events)))
    take_in(write_log(folder / "correction.jsonl", [corrected]), supersede=True)
    damaged = folder / "damaged.jsonl"
    damaged.write_bytes(
        encode_line(rounds[2]).replace(b"casino-canberra", b"casino-elsewhere") + b"\nnonsense\n"
    )
    take_in(damaged)
    before = folder / "before"
    shutil.copytree(lake.root, before)
    audit()
    findings = pq.read_table(sorted(lake.root.glob("findings/*/*/*.parquet"))[0], partitioning=None)
    dispose(lake, [findings["fingerprint"][0].as_py()], "explained", "A. Regulator", "seen", AT)
    heads = verify(lake, law, key=load_verifier(keys / "public-key.pem")).heads
    return Kept(lake.root, before, keys, tuple(anchor_text(name, head) for name, head in heads.items()))


def _paid_more(event: AnyEvent) -> AnyEvent:
    if not isinstance(event, Settle) or not event.paid:
        return event
    return msgspec.structs.replace(event, paid=Amount(event.paid + 1000))


@dataclass(frozen=True, slots=True)
class Tampering:
    """Something done to a lake: in words, as code, and how ``verify`` is called after it."""

    what: str
    how: Callable[[Path, Kept], object]
    with_key: bool = False
    with_anchors: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """What ``verify`` said after something was done."""

    problems: tuple[str, ...]
    notes: tuple[str, ...]


# --- files -----------------------------------------------------------------------------------


def first_of(lake: Path, table: str) -> Path:
    return sorted(lake.glob(f"{table}/**/*.parquet"))[0]


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def places_of(path: Path) -> Iterator[int]:
    last = path.stat().st_size - 1
    yield from (last * number // (PLACES - 1) for number in range(PLACES))


def _cut_short(lake: Path, _: Kept) -> None:
    path = first_of(lake, "settlements")
    path.write_bytes(path.read_bytes()[:-100])


def _without_a_row(lake: Path, _: Kept) -> None:
    path = first_of(lake, "findings")
    rows = pq.read_table(path, partitioning=None)
    pq.write_table(rows.slice(1), path)


def _linked_file(lake: Path, _: Kept) -> None:
    path = first_of(lake, "rounds")
    elsewhere = lake.parent / "elsewhere.parquet"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def _linked_ledger(lake: Path, _: Kept) -> None:
    path = Lake(lake).ledger_path("runs")
    elsewhere = lake.parent / "elsewhere.jsonl"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def _linked_folder(lake: Path, _: Kept) -> None:
    folder = first_of(lake, "findings").parent
    elsewhere = lake.parent / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere, target_is_directory=True)


def _older(lake: Path, kept: Kept) -> None:
    """The version of a file that the run before published."""
    for path in sorted(lake.glob("settlements/**/*.parquet")):
        old = kept.before / path.relative_to(lake)
        if old.is_file() and old.read_bytes() != path.read_bytes():
            shutil.copy(old, path)
            return
    raise AssertionError("the last run changed nothing")


def _foreign(lake: Path, _: Kept) -> None:
    pq.write_table(pa.table({"round_id": ["made up"]}), first_of(lake, "rounds").with_name("mine.parquet"))


def _everything_older(lake: Path, kept: Kept) -> None:
    shutil.rmtree(lake)
    shutil.copytree(kept.before, lake)


# --- ledgers ---------------------------------------------------------------------------------


Lines = list[bytes]


def lines_of(lake: Path, ledger: LedgerName) -> Lines:
    return Lake(lake).ledger_path(ledger).read_bytes().splitlines()


def put_lines(lake: Path, ledger: LedgerName, lines: Iterable[bytes]) -> None:
    Lake(lake).ledger_path(ledger).write_bytes(b"".join(line + b"\n" for line in lines))


def relined(ledger: LedgerName, change: Callable[[Lines], Lines]) -> Callable[[Path, Kept], None]:
    return lambda lake, _: put_lines(lake, ledger, change(lines_of(lake, ledger)))


def edited(line: bytes, **changes: Any) -> bytes:
    return as_line({**json.loads(line), **changes})


def sealed_again(line: bytes, **changes: Any) -> bytes:
    """A record altered, and its own SHA-256 computed again."""
    record = {**json.loads(line), **changes}
    return as_line({**record, "sha256": record_digest(record)})


def unsigned(line: bytes) -> bytes:
    return as_line({name: value for name, value in json.loads(line).items() if name != "signature"})


def _forged(lake: Path, _: Kept) -> None:
    """The whole ledger of dispositions written anew, without a signature."""
    (line,) = lines_of(lake, "dispositions")
    record = {
        name: value for name, value in json.loads(line).items() if name not in ("signature", "signed_by")
    }
    record |= {"by": "Somebody else"}
    put_lines(lake, "dispositions", [as_line({**record, "sha256": record_digest(record)})])


def _signed_by_another(lake: Path, _: Kept) -> None:
    """The last record altered and signed with a key of one's own."""
    signer = load_signer(make_keys(lake.parent / "own").private)
    (line,) = lines_of(lake, "dispositions")
    record = json.loads(line) | {"by": "Somebody else", "signed_by": signer.id}
    digest = record_digest(record)
    forged = {**record, "sha256": digest, "signature": signer.sign("record", digest)}
    put_lines(lake, "dispositions", [as_line(forged)])


# --- the report ------------------------------------------------------------------------------


def _report_edited(lake: Path, _: Kept) -> None:
    page = lake / "report" / "report.html"
    page.write_text(page.read_text(encoding="utf-8").replace("breach", "notice", 1), encoding="utf-8")


def _flipped(table: str) -> Callable[[Path, Kept], None]:
    return lambda lake, _: flip(first_of(lake, table), 0)


TAMPERINGS: tuple[Tampering, ...] = (
    Tampering("nothing", lambda lake, kept: None),
    *(
        Tampering(f"`{table}`: one bit of a file, at any of {PLACES} places", _flipped(table))
        for table in (*TABLES, "archive")
    ),
    Tampering("a file cut short", _cut_short),
    Tampering("a finding taken out of its file", _without_a_row),
    Tampering("a file removed", lambda lake, _: first_of(lake, "settlements").unlink()),
    Tampering("a file added", _foreign),
    Tampering("an older version of a file put back", _older),
    Tampering("a file moved elsewhere, a link in its place", _linked_file),
    Tampering("a folder moved elsewhere, a link in its place", _linked_folder),
    Tampering("a ledger moved elsewhere, a link in its place", _linked_ledger),
    Tampering(
        "a line of a ledger edited",
        relined("ingests", lambda rows: [rows[0], edited(rows[1], files=[]), rows[2]]),
    ),
    Tampering(
        "a blank put into a line",
        relined("ingests", lambda rows: [rows[0].replace(b'"n":', b'"n": '), *rows[1:]]),
    ),
    Tampering("two lines swapped", relined("ingests", lambda rows: [rows[1], rows[0], rows[2]])),
    Tampering("a line taken out", relined("ingests", lambda rows: [rows[0], rows[2]])),
    Tampering("a line twice", relined("ingests", lambda rows: [rows[0], rows[0], *rows[1:]])),
    Tampering(
        "a line edited, its SHA-256 computed again",
        relined("ingests", lambda rows: [rows[0], sealed_again(rows[1], files=[]), rows[2]]),
    ),
    Tampering("the last ingest taken out", relined("ingests", lambda rows: rows[:-1])),
    Tampering(
        "the last run edited, its SHA-256 computed again",
        relined("runs", lambda rows: [*rows[:-1], sealed_again(rows[-1], exit_code=0)]),
    ),
    Tampering("the ledger of runs removed", lambda lake, _: Lake(lake).ledger_path("runs").unlink()),
    Tampering("a file of the report edited", _report_edited),
    Tampering("a signature taken off", relined("runs", lambda rows: [unsigned(rows[0]), rows[1]])),
    Tampering("the newest record of all taken out", relined("dispositions", lambda rows: rows[:-1])),
    Tampering(
        "the same, `verify --expect`", relined("dispositions", lambda rows: rows[:-1]), with_anchors=True
    ),
    Tampering("the whole lake set back to a copy from before the last run", _everything_older),
    Tampering("the same, `verify --expect`", _everything_older, with_anchors=True),
    Tampering("the newest record of all written anew, unsigned", _forged),
    Tampering("the same, `verify --key`", _forged, with_key=True),
    Tampering("the newest record of all written anew, signed with another key", _signed_by_another),
    Tampering("the same, `verify --key`", _signed_by_another, with_key=True),
)
NOT_FOUND = (
    "nothing",
    "the newest record of all taken out",
    "the whole lake set back to a copy from before the last run",
    "the newest record of all written anew, unsigned",
    "the newest record of all written anew, signed with another key",
)
"""What leaves no trace in the lake itself."""


def say(kept: Kept, lake: Path, *, with_key: bool = False, with_anchors: bool = False) -> Said:
    """What ``verify`` says of a lake."""
    found = verify(
        Lake(lake),
        load_law(),
        key=load_verifier(kept.keys / "public-key.pem") if with_key else None,
        expected=[Anchor.parse(each) for each in kept.anchors] if with_anchors else (),
    )
    return Said(found.problems, found.notes)


def tampered(kept: Kept, folder: Path, each: Tampering) -> Said:
    """What ``verify`` says of a copy of the lake after something was done to it."""
    folder.mkdir(parents=True, exist_ok=True)
    lake = Path(shutil.copytree(kept.lake, folder / "lake"))
    each.how(lake, kept)
    return say(kept, lake, with_key=each.with_key, with_anchors=each.with_anchors)


# --- the program itself ----------------------------------------------------------------------


PROGRAM: Mapping[str, tuple[str, str, str]] = {
    "a rulebook edited: other odds": ("rules_replay/rulebooks/act_2018.toml", '"3:2"', '"2:1"'),
    "a rulebook edited: a blank line": ("rules_replay/rulebooks/act_2018.toml", "\n\n", "\n\n\n"),
    "the venue register edited": ("rules_replay/venues.toml", "\n\n", "\n\n\n"),
    "the program edited": ("audit/clock.py", '"""The instant', '"""An instant'),
}
"""What is edited of a copy of the program: the file, and the text that is replaced by another."""


def said_by_copy(kept: Kept, folder: Path, path: str, old: str, new: str) -> tuple[int, Said]:
    """Exit code and words of ``verify`` as an edited copy of the program has them."""
    for package in ("audit", "expectations", "rules_replay"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "requirements.lock", folder)
    target = folder / path
    text = target.read_text(encoding="utf-8")
    assert old in text
    target.write_text(text.replace(old, new, 1), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "audit.cli", "verify", "--lake", str(kept.lake), "--json"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
        capture_output=True,
        text=True,
    )
    told = json.loads(done.stdout)
    return done.returncode, Said(tuple(told["problems"]), tuple(told["notes"]))


# --- the table -------------------------------------------------------------------------------


_DIGESTS = re.compile(r"[0-9a-f]{12,64}")


def words(said: Said) -> str:
    """What was said as a cell of the table, digests left out."""
    listed = list(said.problems)
    more = f"; and {len(listed) - 2} more" if len(listed) > 2 else ""
    notes = [f"*{each}*" for each in said.notes if "signed; " not in each]
    return "; ".join(_DIGESTS.sub("…", each) for each in (*listed[:2], *notes)) + more or "intact"


class Once:
    """What ``verify`` says after everything that is done to a lake, each done once in a folder of its own."""

    def __init__(self, kept: Kept, folder: Path) -> None:
        self.kept = kept
        self.folder = folder
        self._said: dict[Tampering, Said] = {}
        self._by_copy: dict[str, tuple[int, Said]] = {}

    def tampered(self, each: Tampering) -> Said:
        """As `tampered` has it."""
        if each not in self._said:
            self._said[each] = tampered(self.kept, self.folder / str(len(self._said)), each)
        return self._said[each]

    def by_copy(self, what: str) -> tuple[int, Said]:
        """As `said_by_copy` has it of a change of the program."""
        if what not in self._by_copy:
            folder = self.folder / f"program-{len(self._by_copy)}"
            self._by_copy[what] = said_by_copy(self.kept, folder, *PROGRAM[what])
        return self._by_copy[what]


def rows(once: Once) -> Iterator[tuple[str, str]]:
    """Every row of the table."""
    for each in TAMPERINGS:
        yield each.what, words(once.tampered(each))
    for what in PROGRAM:
        yield what, words(once.by_copy(what)[1])


def table(found: Iterable[tuple[str, str]]) -> str:
    """The table of the page."""
    lines = ["| what was done | what `verify` says |", "|---|---|"]
    lines += [f"| {what} | {said.replace('__', chr(92) + '_' + chr(92) + '_')} |" for what, said in found]
    return "\n".join(lines) + "\n"


def with_table(page: str, made: str) -> str:
    """A page with the table between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{made}{END}{after}"


def main() -> None:
    """Write the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = table(rows(Once(build(folder / "kept"), folder / "tampered")))
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    main()
