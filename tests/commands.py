"""Running ``pontoon-audit`` within the tests, and logs to run it on."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
from typer.main import get_command
from typer.testing import CliRunner

from audit.cli import app
from audit.ingest.wire import encode_line
from rules_replay.log import Round, encode_custom

CASES = Path(__file__).parent / "cases"
GOLDEN = CASES / "golden.jsonl"
BROKEN = Path(__file__).parent / "broken"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command gave: its exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def object(self) -> Any:
        """Standard output as the one JSON object it must be."""
        return json.loads(self.out)


@cache
def _program() -> Any:
    return get_command(app)


def pontoon(*arguments: str | Path, stdin: str | bytes | None = None) -> Ran:
    """Run a command in this process.

    It starts one for each processor only where told so by ``--jobs``: the tests have the processors
    busy, and to import everything once more takes longer than to replay what the tests have.
    """
    with (
        patch("audit.engines.choice.processors", return_value=1),
        # Typer would put all commands together anew for each.
        patch("typer.testing._get_command", return_value=_program()),
    ):
        result = CliRunner().invoke(
            app, [str(each) for each in arguments], input=stdin, prog_name="pontoon-audit"
        )
    return Ran(result.exit_code, result.stdout, result.stderr)


def write_log(path: Path, rounds: Iterable[Round]) -> Path:
    """A log of some rounds."""
    path.write_bytes(b"".join(encode_line(round_) + b"\n" for round_ in rounds))
    return path


def encoded(item: msgspec.Struct) -> bytes:
    """An entry of a house book, or a tournament, as one line without the line feed."""
    return msgspec.json.encode(item, enc_hook=encode_custom)


def night(rulebook: str) -> Path:
    """The slice of a simulated night under a rulebook; it holds faults."""
    return CASES / "nights" / f"{rulebook}.jsonl"


def copied(lake: Path, target: Path) -> Path:
    """A copy of a lake, to be altered."""
    return Path(shutil.copytree(lake, target))
