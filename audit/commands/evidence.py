"""``verify``, ``keygen``, ``export`` and ``recheck`` as people see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from audit.case.gather import Case
from audit.case.recheck import Rechecked
from audit.commands.show import show_lines
from audit.exit_codes import DONE, FOUND
from audit.ledger import anchor_text
from audit.results import count
from audit.signing import KeyPair, Signer
from audit.verification import Verified


def show_verified(found: Verified, heads: bool) -> None:
    """Problems, notes and the verdict, a line each; with ``heads`` the newest record of each ledger."""
    looked_at = f"{count(found.records, 'ledger record')}, {count(found.files, 'file')}"
    verdict = "intact" if found.intact else count(len(found.problems), "problem")
    show_lines((*found.problems, *(f"Note: {each}." for each in found.notes)))
    if heads:
        show_lines(anchor_text(name, head) for name, head in found.heads.items())
    show_lines((f"{looked_at}: {verdict}.",))


def show_keys(keys: KeyPair, variable: str) -> None:
    """Where the keys are and what to do with them; ``variable`` of the environment names one to sign with."""
    show_lines(_about(keys, variable))


def _about(keys: KeyPair, variable: str) -> Iterator[str]:
    yield f"Private key: {keys.private} (keep it where only whoever signs can read it)"
    yield f"Public key: {keys.public} (give it to whoever verifies)"
    yield f"Key id: {keys.id}"
    yield f"Sign with `--sign {keys.private}`, or set {variable}."


def exported(case: Case, folder: Path, seal: str, signer: Signer | None) -> dict[str, Any]:
    """What `export` made, ready for JSON."""
    return {
        "folder": str(folder),
        "seal": seal,
        "signed_by": None if signer is None else signer.id,
        "files": sorted(case.files),
        **{name: case.subject[name] for name in ("venue", "gaming_date", "round_id", "finding", "source")},
    }


def show_exported(made: Mapping[str, Any]) -> None:
    """Where the case is, its seal, and what is not in it."""
    lines = [f"{made['folder']}: round {made['round_id']}, {count(len(made['files']), 'file')}."]
    absent = made["source"].get("absent_because")
    lines += [f"Without the line of the source: {absent}."] if absent else []
    lines += [f"Seal: {made['seal']}"]
    lines += [f"Signed with the key {made['signed_by']}."] if made["signed_by"] else []
    show_lines((*lines, f"Whoever gets it runs: pontoon-audit recheck {made['folder']}"))


_VERDICTS = {DONE: "the same", FOUND: "not the same"}


def show_rechecked(found: Rechecked) -> None:
    """A line for each thing compared, and the verdict."""
    lines = [each.words for each in found.checks]
    lines += [] if found.same_code else ["Note: this is other code than made the case."]
    lines += [f"Seal: {found.seal}"]
    verdict = _VERDICTS.get(found.exit_code, "cannot be told with this version of the program")
    show_lines((*lines, f"The case: {verdict}."))
