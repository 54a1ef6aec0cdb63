"""Look for input that a target cannot take: ``python -m tests.fuzz TARGET ... --seconds N``, N for each.

Starts from the kept corpus. Input that brings a target down is written to ``--found``
(a folder, ``build/fuzz`` unless given) and the exit code is not 0. For each target the last lines
on standard error say how many inputs were tried.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NoReturn

import atheris

import rules_replay.kernel

# Compiled functions are made from their bytecode, which must be left as it is.
with atheris.instrument_imports(
    include=["audit", "rules_replay"],
    exclude=[
        *(f"rules_replay.kernel.{each.name}" for each in iter_modules(rules_replay.kernel.__path__)),
        *(f"audit.ingest.scan_{each}" for each in ("events", "format", "lines", "references", "values")),
    ],
):
    from tests.fuzz.targets import CORPUS, TARGETS

from audit.ingest import wire
from rules_replay import rulebook
from rules_replay.book import log as book_log
from rules_replay.tournament import log as tournament_log
from tests.commands import BROKEN

LONGEST = 4096
"""Bytes of an input, unless a kept one is longer."""

SLOWEST = 30
"""Seconds after which an input counts as one that hangs."""

MEMORY = 3000
"""Megabytes at which an input counts as one that exhausts memory."""


def words() -> str:
    """The dictionary for the mutations: every field and word of the formats, one a line."""
    found = {name for names in wire.EVENT_FIELDS.values() for name in names}
    found |= wire.ROUND_FIELDS | set(wire.EVENT_FIELDS) | set(book_log.KINDS) | set(rulebook.rulebook_ids())
    found |= {book_log.FORMAT, tournament_log.FORMAT, "null", "true", "JK", "??", "10S", "AS", "limits.min"}
    return "".join(f'"{word}"\n' for word in sorted(found))


def main() -> None:
    """Fuzz the targets one after another, each in a process of its own that ends with its fuzzing."""
    options = argparse.ArgumentParser(prog="python -m tests.fuzz")
    options.add_argument("targets", nargs="+", choices=sorted(TARGETS), metavar="target")
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--found", type=Path, default=Path("build/fuzz"))
    chosen = options.parse_args()
    chosen.found.mkdir(parents=True, exist_ok=True)
    fallen = []
    for target in chosen.targets:
        with tempfile.TemporaryDirectory() as folder:
            # Forked, it has all imports made and instrumented, which takes longer than a short search.
            process = os.fork()
            if process == 0:
                search(target, chosen.seconds, chosen.found, Path(folder))
            if os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) != 0:
                fallen.append(target)
    if fallen:
        sys.exit(f"brought down: {', '.join(fallen)}")


def search(target: str, seconds: int, found: Path, folder: Path) -> NoReturn:
    """Fuzz one target for so long, with a folder for what is needed meanwhile; the process ends with it."""
    kept = CORPUS / target
    longest = max([LONGEST, *(path.stat().st_size for path in kept.iterdir())])
    dictionary = folder / "words"
    dictionary.write_text(words())
    grown = folder / "grown"
    grown.mkdir()
    arguments: list[Any] = [
        sys.argv[0],
        f"-max_total_time={seconds}",
        f"-max_len={longest}",
        f"-timeout={SLOWEST}",
        f"-rss_limit_mb={MEMORY}",
        f"-artifact_prefix={found}/{target}-",
        f"-dict={dictionary}",
        "-print_final_stats=1",
        "-verbosity=1",
        str(grown),
        str(kept),
        *([str(BROKEN)] if target in ("line", "lines") else []),
    ]
    # What is compiled is compiled now: it would count as an input that hangs.
    TARGETS[target](b"")
    atheris.Setup(arguments, TARGETS[target])
    atheris.Fuzz()
    raise AssertionError("the fuzzing ends the process")


if __name__ == "__main__":
    main()
