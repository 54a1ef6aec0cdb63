"""Lakes to kill commands on, and the commands, with what they make of a lake when nothing kills them."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

import msgspec

from audit.digests import file_digest
from audit.lake import Lake
from audit.ledger import LedgerName
from tests.commands import night
from tests.crash.driver import Driven, perform
from tests.crash.readers import Seen, seen

INSTANT = "1767323045"
PART_BYTES = 15_000
"""Small enough that a dozen rounds of a gaming date make several parts."""

NOT_COMPARED = frozenset({"audit.duckdb", ".lock", ".rounds"})
"""Derived from the lake, and bound to its folder."""


def started(driven: Driven) -> BaseProcess:
    """A command in a process that was forked from one with all imports done."""
    os.environ["SOURCE_DATE_EPOCH"] = INSTANT
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.crash.preload"])
    process = context.Process(target=perform, args=(driven,))
    process.start()
    return process


def ended(driven: Driven) -> int:
    """The exit code of a command."""
    process = started(driven)
    process.join()
    code = process.exitcode
    assert code is not None
    return code


def bytes_of(lake: Path) -> dict[str, str]:
    """The digest of every file of a lake that two equal lakes have alike."""
    return {
        path.relative_to(lake).as_posix(): file_digest(path)
        for path in sorted(lake.rglob("*"))
        if path.is_file() and path.relative_to(lake).parts[0] not in NOT_COMPARED
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A command on a lake: the lake before, and what it is to become.

    ``after`` has by the number of records in the ledger that the command writes to the bytes of the
    lake after as many of them, and what comes of the command given again is added when it is first asked
    for; ``old`` and ``new`` are what readers see. ``seconds`` is how long the command takes. Not
    ``validated``, no run of it is.
    """

    name: str
    arguments: tuple[str, ...]
    ledger: LedgerName
    validated: bool
    lake: Path
    before: Path
    bytes_before: dict[str, str]
    records: int
    code: int
    seconds: float
    after: dict[int, dict[str, str]]
    old: Seen
    new: Seen

    def driven(self, **given: object) -> Driven:
        """The command, with what is done to it."""
        made = {"arguments": self.arguments, "lake": self.lake, "validated": self.validated}
        return Driven(part_bytes=PART_BYTES, **{**made, **given})  # type: ignore[arg-type]

    def restore(self) -> None:
        """Make the lake what it was before."""
        shutil.rmtree(self.lake, ignore_errors=True)
        shutil.copytree(self.before, self.lake)

    def bytes_after(self, records: int) -> dict[str, str]:
        """The digests of the lake after so many records."""
        if records not in self.after:
            self.restore()
            for _ in range(2):
                assert ended(self.driven()) == self.code
                self.after.setdefault(self.written(), bytes_of(self.lake))
        return self.after[records]

    def written(self) -> int:
        """Records in the ledger that the command writes to."""
        return len([*Lake(self.lake).records(self.ledger)])


class Stage:
    """A folder in which scenarios are made, each on a lake of the same path; ``validated`` or not."""

    def __init__(self, folder: Path, *, validated: bool = True) -> None:
        self.folder = folder
        self._validated = validated
        self.lake = folder / "lake"
        self._logs = _logs(folder)
        self._made: dict[tuple[str, bool], Scenario] = {}
        on_lake = ("--lake", str(self.lake))
        run = ("run", *on_lake, "--fail-on", "never")
        self._surveil = ("surveil", *on_lake)
        self._do("ingest", str(self._logs["first"]), *on_lake)
        self._do(*run, "--jobs", "1")
        audited = self._keep("audited")
        self._do("ingest", str(self._logs["more"]), *on_lake)
        more = self._keep("more")
        self._commands: dict[str, tuple[Path, tuple[str, ...], LedgerName]] = {
            "ingest": (audited, ("ingest", str(self._logs["more"]), *on_lake), "ingests"),
            "supersede": (more, ("ingest", str(self._logs["other"]), *on_lake, "--supersede"), "ingests"),
            "run": (more, (*run, "--jobs", "1"), "runs"),
            "run-jobs": (more, (*run, "--jobs", "2"), "runs"),
        }

    def scenario(self, name: str, *, validated: bool | None = None) -> Scenario:
        """The scenario of a name, made when it is first asked for; ``validated`` like the others if None."""
        key = name, self._validated if validated is None else validated
        if name == "surveil" and name not in self._commands:
            self._commands[name] = (self._surveyed(), self._surveil, "surveillance")
        if key not in self._made:
            self._made[key] = self._scenario(name, key[1], *self._commands[name])
        return self._made[key]

    def _surveyed(self) -> Path:
        """The audited lake, asked everything at another level than it is asked at next."""
        shutil.rmtree(self.lake)
        shutil.copytree(self.folder / "audited", self.lake)
        self._do(*self._surveil, "--level", "0.05")
        return self._keep("surveyed")

    def _do(self, *arguments: str, validated: bool | None = None) -> int:
        errors = self.folder / "errors"
        code = ended(
            Driven(
                arguments=arguments,
                lake=self.lake,
                part_bytes=PART_BYTES,
                validated=self._validated if validated is None else validated,
                errors=errors,
            )
        )
        assert code == 0, f"{' '.join(arguments)}: exit code {code}: {errors.read_text()}"
        return code

    def _keep(self, name: str) -> Path:
        return Path(shutil.copytree(self.lake, self.folder / name))

    def _scenario(
        self, name: str, validated: bool, before: Path, arguments: tuple[str, ...], ledger: LedgerName
    ) -> Scenario:
        shutil.rmtree(self.lake)
        shutil.copytree(before, self.lake)
        made = {
            "name": name,
            "arguments": arguments,
            "ledger": ledger,
            "validated": validated,
            "lake": self.lake,
            "before": before,
            "bytes_before": bytes_of(self.lake),
            "old": seen(self.lake),
        }
        scenario = Scenario(**made, records=0, code=0, seconds=0, after={}, new=Seen({}, {}))  # type: ignore[arg-type]
        records = scenario.written()
        begun = time.monotonic()
        code = self._do(*arguments, validated=validated)
        seconds = time.monotonic() - begun
        new = seen(self.lake)
        after = {scenario.written(): bytes_of(self.lake)}
        return Scenario(**made, records=records, code=code, seconds=seconds, after=after, new=new)  # type: ignore[arg-type]


def _logs(folder: Path) -> dict[str, Path]:
    """Three logs: the first, later rounds of the same and of other gaming dates, and other content."""
    # One round in four: less to replay, and parts so much smaller that there are as many to put in place.
    nights = {
        name: night(name).read_bytes().splitlines()[::4] for name in ("act-2018", "nz-2000", "rws-2017")
    }
    first = [*nights["act-2018"][::2], *nights["nz-2000"][::2]]
    more = [*nights["act-2018"][1::2], *nights["nz-2000"][1::2], *nights["rws-2017"]]
    other = [_changed(line) for line in (*first[:3], *first[-3:], *more[:9:2])]
    found = {}
    for name, lines in {"first": first, "more": more, "other": other}.items():
        found[name] = folder / f"{name}.jsonl"
        found[name].write_bytes(b"\n".join(lines) + b"\n")
    return found


def _changed(line: bytes) -> bytes:
    """A round with other content: another dealer, and another player on the first wager."""
    round_ = msgspec.json.decode(line)
    first, *others = round_["events"]
    return msgspec.json.encode(
        {**round_, "dealer": "D-other", "events": [{**first, "player": "P-other"}, *others]}
    )


def changed_log(path: Path, log: Path) -> Path:
    """A log of every fifth round of another, each with other content."""
    path.write_bytes(b"".join(_changed(line) + b"\n" for line in log.read_bytes().splitlines()[::5]))
    return path
