"""``pontoon-audit``: one thin function a command.

`app` is the program, `options` what several commands have in common, `lakes` what they ask of
theirs; the other modules hold the commands. What a command needs is imported when it runs, so
that help comes at once.
"""

from __future__ import annotations

import os
import sys

# Help lists the commands in the order of these modules.
# isort: off
from audit.cli import checking, night, investigating, evidence, samples
from audit.cli import mapping, review, rules, snapshots

# isort: on
from audit.cli.app import app, tell
from audit.failures import failure
from audit.stopping import end_on_sigterm

__all__ = [
    "app",
    "checking",
    "evidence",
    "investigating",
    "main",
    "mapping",
    "night",
    "review",
    "rules",
    "samples",
    "snapshots",
]


def main() -> None:
    """The entry point of ``pontoon-audit``."""
    from audit.premises import private_umask

    end_on_sigterm()
    try:
        _stand_in()
        private_umask()
        app(prog_name="pontoon-audit")
    except KeyboardInterrupt as error:
        message, code = failure(error)
        tell(message, code)
        sys.exit(code)


def _stand_in() -> None:
    """Have the null device in place of standard streams that are closed.

    Without it the next file that is opened takes their numbers, and gets what is printed.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
