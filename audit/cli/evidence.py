"""Evidence: ``verify``, ``keygen``, ``disposition``, ``dispositions``, ``export``, ``recheck``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from audit.cli.app import app, at_hand, for_people
from audit.cli.lakes import refuse_file, signed, there
from audit.cli.options import KEY_VARIABLE, Json, LakeDir, Made, PublicKey, ReportDir, Sign, Venues
from audit.exit_codes import DONE, FOUND


@app.command()
@for_people
def verify(
    lake: LakeDir,
    key: PublicKey = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            "--expect", metavar="LEDGER:LINE:SHA256", help="A record that has to be there; repeatable."
        ),
    ] = None,
    head: Annotated[
        bool,
        typer.Option("--head", help="Print the newest record of each ledger, to be noted down elsewhere."),
    ] = False,
    venues: Venues = None,
    report_dir: ReportDir = None,
    as_json: Json = False,
) -> int:
    """Hold everything in a lake against its ledgers.

    The hash chains of the ledgers and the SHA-256 of every published file and of the report are
    computed again, and the rulebooks and the venue register compared with those that the newest
    run of each date rests on; the exit code is 1 where one differs. Other code or libraries are
    noted. What was noted down of `--head` finds a lake that was set back to an earlier state.
    """
    from audit.commands.evidence import show_verified
    from audit.commands.show import show_json
    from audit.lake import Lake
    from audit.law import load_law
    from audit.signing import load_verifier
    from audit.verification import Anchor
    from audit.verification import verify as verify_lake

    refuse_file(report_dir)
    found = verify_lake(
        Lake(there(lake)),
        load_law(venues),
        key=None if key is None else load_verifier(key),
        expected=[Anchor.parse(each) for each in expect or ()],
        report_dir=report_dir,
    )
    if at_hand.copy is not None:
        from audit.remote.checking import with_objects

        found = with_objects(found, at_hand.copy)
    if as_json:
        show_json(found.as_json())
    else:
        show_verified(found, head)
    return DONE if found.intact else FOUND


@app.command()
@for_people
def keygen(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the two key files.")],
    as_json: Json = False,
) -> int:
    """Make a key to sign with: a private key file for its owner only, and a public one for all."""
    from audit.commands.evidence import show_keys
    from audit.commands.show import show_json
    from audit.signing import make_keys

    keys = make_keys(folder)
    if as_json:
        show_json({"private": str(keys.private), "public": str(keys.public), "id": keys.id})
    else:
        show_keys(keys, KEY_VARIABLE)
    return DONE


@app.command()
@for_people
def disposition(
    fingerprints: Annotated[
        list[str],
        typer.Argument(metavar="FINGERPRINT...", help="Of a finding, or as much of it as fits no other."),
    ],
    lake: LakeDir,
    status: Annotated[Made, typer.Option("--status", help="What was made of it; open takes it back.")],
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who looked into it.")],
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Why, in one line.")],
    sign: Sign = None,
    as_json: Json = False,
) -> int:
    """Record what somebody made of findings.

    It is added to a ledger, never altered, and binds to the finding in every later run.
    """
    from audit.clock import now
    from audit.commands.dispositions import show_disposed
    from audit.commands.show import show_json
    from audit.dispositions import dispose

    record = dispose(signed(there(lake), sign), fingerprints, status.value, by, note, now())
    if as_json:
        show_json(record)
    else:
        show_disposed(record)
    return DONE


@app.command()
@for_people
def dispositions(lake: LakeDir, as_json: Json = False) -> int:
    """List what people made of findings, oldest first, and which of it stands."""
    from audit.commands.dispositions import listed, show_dispositions
    from audit.commands.show import show_json
    from audit.lake import Lake

    found = listed(Lake(there(lake)))
    if as_json:
        show_json({"dispositions": found})
    else:
        show_dispositions(found)
    return DONE


@app.command()
@for_people
def export(
    lake: LakeDir,
    case: Annotated[
        str,
        typer.Option(
            "--case", metavar="ROUND|FINDING", help="Id of a round, ROUND#ORDINAL, or a fingerprint."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="New folder for the case.")],
    venue: Annotated[
        str | None, typer.Option("--venue", metavar="VENUE", help="Its venue, where several have the id.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--source", metavar="FILE", help="The log it came from, for its line.")
    ] = None,
    venues: Venues = None,
    sign: Sign = None,
    as_json: Json = False,
) -> int:
    """Put one round and all that its findings rest on into a sealed folder.

    Whoever gets it can check it with `recheck` alone. The same round gives the same bytes.
    """
    from audit.case.gather import gather, subject_of
    from audit.case.seal import write_sealed
    from audit.commands.evidence import exported, show_exported
    from audit.commands.show import show_json
    from audit.lake import Lake
    from audit.law import register_text
    from audit.signing import load_signer

    signer = None if sign is None else load_signer(sign)
    of_lake = Lake(there(lake))
    found = gather(of_lake, subject_of(of_lake, case, venue), register_text(venues), source)
    made = exported(found, out, write_sealed(out, found.files, signer), signer)
    (show_json if as_json else show_exported)(made)
    return DONE


@app.command()
@for_people
def recheck(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder that `export` made.")],
    key: PublicKey = None,
    as_json: Json = False,
) -> int:
    """Check a case: its seal, and whether its round still comes to the same bytes.

    Nothing but the folder is needed. Exit code 0 where all is the same, 1 where something
    differs, 3 where this version of the program cannot tell.
    """
    from audit.case.recheck import recheck as recheck_case
    from audit.commands.evidence import show_rechecked
    from audit.commands.show import show_json
    from audit.signing import load_verifier

    found = recheck_case(folder, None if key is None else load_verifier(key))
    if as_json:
        show_json(found.as_json())
    else:
        show_rechecked(found)
    return found.exit_code
