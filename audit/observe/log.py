"""What the program says on standard error: lines for people, or one JSON object a line for machines.

Everything that is said there passes through `say` or `note`, bars on a terminal and prompts of
``query`` apart. A JSON object has ``time`` (UTC), ``level``, ``event``, ``message``, and fields of
its event.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias

from audit.errors import UsageProblem
from rules_replay.words import visible

Level: TypeAlias = Literal["info", "warning", "error"]

FORMS: Final = ("text", "json")
FORM_VARIABLE: Final = "PONTOON_AUDIT_LOG_FORMAT"
"""Environment variable with the form, where the command line gives none."""

_LEVELS: Final = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_log = logging.getLogger("pontoon_audit")
_in_json = False


def speak(form: str | None) -> None:
    """Say everything from now on in a form of `FORMS`; None leaves it to the environment.

    In JSON the warnings of libraries are told too. Raises `UsageProblem` for another form.
    """
    global _in_json
    chosen = form or os.environ.get(FORM_VARIABLE) or FORMS[0]
    if chosen not in FORMS:
        raise UsageProblem(f"{FORM_VARIABLE}={chosen}: expected one of {', '.join(FORMS)}")
    _in_json = chosen == "json"
    handler = _StandardError()
    handler.setFormatter(_Json() if _in_json else _Text())
    _log.setLevel(logging.INFO)
    _log.propagate = False
    warned = logging.getLogger("py.warnings")
    for logger in (_log, warned):
        for before in [each for each in logger.handlers if isinstance(each, _StandardError)]:
            logger.removeHandler(before)
    _log.addHandler(handler)
    if _in_json:
        warned.addHandler(handler)
    warned.propagate = not _in_json
    logging.captureWarnings(_in_json)


def in_json() -> bool:
    """Whether machines are spoken to."""
    return _in_json


def say(text: str, event: str = "message", level: Level = "info", **fields: Any) -> None:
    """Say one line, at once; ``fields`` go with it in JSON only."""
    if not _log.handlers:
        speak("text")
    _log.log(_LEVELS[level], "%s", text, extra={"event": event, "fields": fields})


def note(text: str, event: str, level: Level = "info", **fields: Any) -> None:
    """Say in JSON what people are told elsewhere: by a bar, or on standard output."""
    if _in_json:
        say(text, event, level, **fields)


def say_rejected(message: str) -> None:
    """Say that something of the input could not be used; the message begins with its place."""
    said = message if _in_json else visible(message)
    say(said, "input.rejected", "warning", **place_in(message))


def say_summary(lines: Iterable[str]) -> None:
    """Say what people are told at the end where standard output is for machines."""
    for line in lines:
        say(line, "summary")


_PLACE = re.compile(r"(?P<file>.+?):(?P<line>[0-9]+): ")


def place_in(message: str) -> dict[str, Any]:
    """The file and line with which a message begins (``night.jsonl:12: …``); nothing where it has none."""
    found = _PLACE.match(message)
    return {"file": found["file"], "line": int(found["line"])} if found else {}


class _StandardError(logging.Handler):
    """Writes to whatever is standard error at that moment; a failure is the caller's."""

    def emit(self, record: logging.LogRecord) -> None:
        print(self.format(record), file=sys.stderr, flush=True)


class _Text(logging.Formatter):
    """A record in lines for people; no name of a file and no text of a log acts on their terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return "\n".join(map(visible, record.getMessage().split("\n")))


class _Json(logging.Formatter):
    """A record as one line of ASCII, so that no locale and no text of a log can break it."""

    def format(self, record: logging.LogRecord) -> str:
        instant = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        told = {
            "time": instant.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": getattr(record, "event", "library.warning"),
            "message": record.getMessage(),
            **{name: value for name, value in getattr(record, "fields", {}).items() if value is not None},
        }
        return json.dumps(told, default=str)
