"""Checking a case with nothing but its folder and this program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from audit.case.contents import (
    CASE,
    FORMAT,
    INGEST,
    REGISTER,
    ROUND,
    RULEBOOKS,
    RUN,
    SHOE,
    SOURCE,
    Matter,
    books_of,
    derived,
)
from audit.case.seal import Sealed, read_sealed, sha256_of
from audit.exit_codes import DONE, FOUND, INCOMPLETE
from audit.ingest.wire import Rejected, content_digest, decode_line
from audit.ledger import record_digest
from audit.signing import Verifier
from audit.version import code_digest, code_version
from rules_replay.errors import ReplayFailed, RulebookError
from rules_replay.log import Round
from rules_replay.rulebook import parse_rulebook
from rules_replay.venues import parse_register

Outcome: TypeAlias = Literal["same", "differs", "cannot tell"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was compared, and what came of it."""

    what: str
    outcome: Outcome
    why: str = ""

    @property
    def words(self) -> str:
        """The check in a line."""
        return f"{self.what}: {self.outcome}" + (f", {self.why}" if self.why else "")


@dataclass(frozen=True, slots=True)
class Rechecked:
    """What came of a case. ``seal`` is the SHA-256 of its manifest as it was found."""

    seal: str
    signed_by: str | None
    same_code: bool
    checks: tuple[Check, ...]

    @property
    def exit_code(self) -> int:
        """0 where all is the same, 1 where something differs, 3 where that cannot be told."""
        outcomes = {check.outcome for check in self.checks}
        if "differs" in outcomes:
            return FOUND
        return INCOMPLETE if "cannot tell" in outcomes else DONE

    def as_json(self) -> dict[str, Any]:
        """The outcome ready for JSON."""
        return {
            "exit_code": self.exit_code,
            "seal": self.seal,
            "signed_by": self.signed_by,
            "same_code": self.same_code,
            "checks": [{"what": each.what, "outcome": each.outcome, "why": each.why} for each in self.checks],
        }


def recheck(folder: Path, key: Verifier | None = None) -> Rechecked:
    """Compare a case with its manifest, replay its round and compare what is derived from it.

    With ``key`` the seal has to be signed with it. Raises `UsageProblem` where there is no case.
    """
    sealed = read_sealed(folder, key)
    of_seal = [Check("manifest, seal and signature", "differs", each) for each in sealed.problems]
    if not of_seal:
        of_seal = [Check("manifest and seal" if key is None else "manifest, seal and signature", "same")]
    about = _about(sealed)
    same_code = about is not None and about.get("code_sha256") == code_digest()
    checks = (*of_seal, *(_replayed(sealed, about, same_code) if about is not None else (_no_case(),)))
    return Rechecked(sealed.seal, sealed.signed_by, same_code, checks)


def _about(sealed: Sealed) -> dict[str, Any] | None:
    try:
        about = json.loads(sealed.files[CASE])
    except (KeyError, ValueError, RecursionError):
        return None
    return about if isinstance(about, dict) and about.get("format") == FORMAT else None


def _no_case() -> Check:
    return Check(
        CASE, "cannot tell", f"not a case of the form {FORMAT}, which is the one that this program knows"
    )


def _replayed(sealed: Sealed, about: dict[str, Any], same_code: bool) -> Iterator[Check]:
    try:
        matter = _matter(sealed, about)
        found = derived(matter, matter.replayed())
    except (Rejected, RulebookError, ReplayFailed, KeyError, ValueError, TypeError, AttributeError) as error:
        yield _apart("replay", same_code, f"the round could not be replayed: {error}")
        return
    yield _rests_on(sealed, matter, about)
    yield from _source(sealed, matter)
    for name, content in sorted(found.items()):
        if sealed.files.get(name) == content:
            yield Check(name, "same")
        else:
            yield _apart(name, same_code, "this program writes something else")


def _apart(what: str, same_code: bool, why: str) -> Check:
    """What other code comes to otherwise proves nothing about the case."""
    if same_code:
        return Check(what, "differs", why)
    return Check(
        what, "cannot tell", f"{why}, but it is other code (here {code_version()}) than made the case"
    )


def _matter(sealed: Sealed, about: dict[str, Any]) -> Matter:
    register = parse_register(sealed.files[REGISTER].decode(), REGISTER)
    round_ = _round(sealed.files[ROUND].removesuffix(b"\n"))
    shoe = tuple(_round(line) for line in sealed.files[SHOE].split(b"\n") if line)
    names = books_of(register, (round_, *shoe))
    texts = {name: f"{RULEBOOKS}/{name}.toml" for name in names}
    return Matter(
        round=round_,
        shoe=shoe,
        register=register,
        rulebooks={name: parse_rulebook(sealed.files[path].decode(), path) for name, path in texts.items()},
        readings={str(name): str(answer) for name, answer in about["readings_chosen"].items()},
    )


def _round(line: bytes) -> Round:
    return decode_line(line).round


def _rests_on(sealed: Sealed, matter: Matter, about: dict[str, Any]) -> Check:
    """Whether law and ledger records of the folder are those that the case names."""
    what = "rulebooks, register and ledger records"
    try:
        run, ingest = (json.loads(sealed.files[name]) for name in (RUN, INGEST))
        books = {name: book.digest for name, book in sorted(matter.rulebooks.items())}
        compared = {
            "the rulebooks": (books, about["rulebooks"]),
            "the rulebooks of the run": (books, {name: run["rulebooks"].get(name) for name in books}),
            "the register": (sha256_of(sealed.files[REGISTER]), about["register_sha256"]),
            "the register of the run": (run["register_sha256"], about["register_sha256"]),
            "the record of the run": (f"runs:{run['n']}:{record_digest(run)}", about["run"]["record"]),
            "the record of the ingest": (
                f"ingests:{ingest['n']}:{record_digest(ingest)}",
                about["ingest"]["record"],
            ),
            "the part": (about["ingest"]["part"] in {each["path"] for each in ingest["published"]}, True),
        }
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError):
        return Check(what, "differs", "missing or not what they are called")
    other = [name for name, (found, told) in compared.items() if found != told]
    return (
        Check(what, "differs", f"{', '.join(other)}: not what {CASE} says") if other else Check(what, "same")
    )


def _source(sealed: Sealed, matter: Matter) -> Iterator[Check]:
    """Whether the line of the source still reads as the round."""
    if SOURCE not in sealed.files:
        return
    try:
        read = decode_line(sealed.files[SOURCE].removeprefix(b"\xef\xbb\xbf").removesuffix(b"\n")).round
    except Rejected as error:
        yield Check(SOURCE, "differs", f"not a round: {error}")
        return
    # A lake keeps what came with another offset in UTC.
    if content_digest(read) == content_digest(matter.round):
        yield Check(SOURCE, "same")
    else:
        yield Check(SOURCE, "differs", f"another round than {ROUND}")
