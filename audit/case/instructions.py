"""The page of a case for whoever checks it: what is in it and what to do, in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from audit.results import count

_WHAT: Final = {
    "README.txt": "this page",
    "case.json": "what the case is about, and the SHA-256 of all that it rests on",
    "round.json": "the round as recorded, in canonical form",
    "shoe.jsonl": "the earlier rounds of its shoe, which checks of the shoe need",
    "source.jsonl": "the line of the round log as it came in, byte for byte",
    "venues.toml": "the venue register: which rulebook was in force where and when",
    "hands.json": "the hands as they ended",
    "settlements.json": "what every wager was due, beside what was recorded",
    "findings.json": "the differences, each with its clause",
    "explanation.txt": "the round told step by step",
    "explanation.json": "the same for machines",
    "ledger/ingest.jsonl": "the ledger record under which the round was taken in",
    "ledger/run.jsonl": "the ledger record of the audit that published the findings",
    "ledger/dispositions.jsonl": "the ledger records of what people made of its findings",
}

_PAGE: Final = """\
{title}
{underline}

Venue {venue}, table {table}, shoe {shoe}, gaming date {gaming_date}.
{about}

HOW TO CHECK IT

1. Have the seal from somebody else than whoever gave you this folder: a letter, a court file.
   It is the SHA-256 of MANIFEST.json, which any computer can compute:

       sha256sum MANIFEST.json

   MANIFEST.json has the SHA-256 of every other file, and those can be compared one by one.
   If SEAL.json has a signature, it is an Ed25519 signature on two lines, "pontoon-audit case"
   and the seal, each ended by a line feed.

2. Install pontoon-audit, best the version that made this folder ({code_version}), and let it do
   the work:

       pontoon-audit recheck FOLDER
       pontoon-audit recheck FOLDER --key PUBLIC.pem      (if it was signed)

   It compares every file with the manifest, replays the round from round.json, shoe.jsonl, the
   rulebook and the register of this folder, writes findings, settlements, hands and explanation
   again, and compares them byte by byte. Exit code 0: the same. 1: something differs, and it
   says what. 3: it could not be judged by the version of the program that you have.

3. Read explanation.txt. Every figure in it can be followed by hand with the clause it names.
   {source}

WHAT THE FOLDER CANNOT SHOW

That the round was dealt as it was recorded. And that these findings are all there are: it is
about one round.

FILES

{files}
"""


def instructions(case: Mapping[str, Any], files: Iterable[str]) -> bytes:
    """The page of a case with these files, as UTF-8 text."""
    title = f"The case of round {case['round_id']}"
    listed = {
        name: _WHAT.get(name, "the rulebook, with the clause of every figure") for name in sorted(files)
    }
    width = max(map(len, listed))
    source = case["source"]
    where = f"line {source['line']} of {source['file']} (SHA-256 {source['sha256']})"
    return _PAGE.format(
        title=title,
        underline="=" * len(title),
        about=_about(case),
        source=(
            f"The round came from {where}.\n   "
            + (
                f"That line is not in this folder: {source['absent_because']}."
                if source["line_sha256"] is None
                else "That line is source.jsonl."
            )
        ),
        files="\n".join(f"  {name:<{width}}  {what}" for name, what in listed.items()),
        **{name: case[name] for name in ("venue", "table", "shoe", "gaming_date", "code_version")},
    ).encode()


def _about(case: Mapping[str, Any]) -> str:
    finding = case["finding"]
    if finding is None:
        return f"{count(case['findings'], 'finding')}."
    return (
        f"It is about the finding {finding['code']} ({finding['severity']}), "
        f"fingerprint {finding['fingerprint']}."
    )
