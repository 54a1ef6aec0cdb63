"""``snapshots``: what is kept of a lake on object storage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from audit.cli.app import at_hand, for_people, group
from audit.cli.options import Json
from audit.exit_codes import DONE

snapshots = group("snapshots", "What is kept of a lake on object storage.")

RemoteLake = Annotated[Path, typer.Option("--lake", metavar="URL", help="The lake: s3://BUCKET/PREFIX.")]


@snapshots.command("list")
@for_people
def snapshots_list(remote: RemoteLake, as_json: Json = False) -> int:
    """The snapshots that are kept of a lake, oldest first; each publication made one."""
    from audit.commands.show import show_json
    from audit.commands.snapshots import listed, show_listed

    (show_json if as_json else show_listed)(listed(remote, at_hand.endpoint))
    return DONE


@snapshots.command("prune")
@for_people
def snapshots_prune(
    remote: RemoteLake,
    older_than: Annotated[
        int,
        typer.Option("--older-than", min=1, metavar="DAYS", help="Remove what was replaced so long ago."),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Remove nothing; tell what would go.")] = False,
    as_json: Json = False,
) -> int:
    """Remove old snapshots of a lake, and objects of none: those of a command that was killed.

    The newest snapshot stays whatever its age, and an object that is less than a day old.
    """
    from audit.commands.show import show_json
    from audit.commands.snapshots import prune, show_pruned

    (show_json if as_json else show_pruned)(prune(remote, older_than, at_hand.endpoint, dry_run=dry_run))
    return DONE
