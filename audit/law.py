"""The law of a command: the venue register, and the readings chosen on the command line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from audit.errors import UsageProblem, os_reason
from rules_replay.auditor import Auditor
from rules_replay.rulebook import READINGS
from rules_replay.venues import Register, parse_register, shipped_register_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """The venue register with the SHA-256 of its file, and the readings chosen for this run."""

    register: Register
    register_sha256: str
    readings: Mapping[str, str] = field(default_factory=dict)

    def auditor(self) -> Auditor:
        """A fresh auditor under this law."""
        return Auditor(self.register, self.readings)


def load_law(
    venues: Path | None = None,
    readings: Iterable[str] = (),
    known: Mapping[str, tuple[str, ...]] = READINGS,
) -> Law:
    """The shipped register, or that of a file, and readings written ``ID=VALUE``.

    ``known`` are the questions that the command can answer, those of the round log unless
    given. Raises `UsageProblem` for a file that cannot be read and for an unknown reading,
    `RulebookError` for a register that is wrong or names a rulebook that is not held.
    """
    chosen = _chosen(readings, known)
    text = register_text(venues)
    return Law(
        register=parse_register(text, "venues.toml" if venues is None else venues.name),
        register_sha256=hashlib.sha256(text.encode()).hexdigest(),
        readings=chosen,
    )


def register_text(venues: Path | None = None) -> str:
    """The text of the shipped register, or that of a file; `UsageProblem` where it cannot be read."""
    if venues is None:
        return shipped_register_text()
    try:
        return venues.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageProblem(f"{venues}: {os_reason(error)}") from None
    except UnicodeDecodeError:
        raise UsageProblem(f"{venues}: not UTF-8; a venue register is TOML text") from None


def _chosen(readings: Iterable[str], known: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for each in readings:
        question, equals, answer = each.partition("=")
        if not equals:
            raise UsageProblem(f"--reading {each}: expected ID=VALUE, such as {_example(known)}")
        if question not in known:
            raise UsageProblem(f"--reading {question}: unknown; known are {', '.join(sorted(known))}")
        if answer not in known[question]:
            expected = ", ".join(known[question])
            raise UsageProblem(f"--reading {question}: expected one of {expected}, got {answer!r}")
        if chosen.setdefault(question, answer) != answer:
            raise UsageProblem(f"--reading {question}: given twice with different answers")
    return chosen


def _example(known: Mapping[str, tuple[str, ...]]) -> str:
    question = "forfeit_limit" if "forfeit_limit" in known else min(known)
    return f"{question}={known[question][-1]}"
