"""The line of a round in the file that it came from, if that file can still be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from audit.errors import SourceFailed, UsageProblem
from audit.ingest.readers import find_sources, open_source

_CANNOT_TELL = "its file was not given; --source FILE names it"


@dataclass(frozen=True, slots=True)
class SourceLine:
    """The bytes of a line with its line feed, or why they are not known."""

    line: bytes | None
    absent_because: str | None = None


def source_line(
    given: Path | None, recorded_name: str, sha256: str, number: int, mapping: str | None = None
) -> SourceLine:
    """The line of a round in its source, which must have the SHA-256 that ingest recorded.

    ``mapping`` is the one by which the file of a vendor was read. Without ``given`` the file is
    looked for under the name that ingest recorded, from the folder that the command runs in.
    Raises `UsageProblem` where ``given`` is another file.
    """
    if mapping is not None:
        return SourceLine(None, f"it was a record of a vendor's file, read by the mapping {mapping}")
    path = given or Path(recorded_name)
    if given is None and not path.is_file():
        return SourceLine(None, _CANNOT_TELL)
    sources, missing = find_sources([path])
    try:
        if missing:
            raise missing[0]
        with open_source(sources[0]) as opened:
            if opened.sha256 != sha256:
                if given is None:
                    return SourceLine(None, _CANNOT_TELL)
                raise UsageProblem(
                    f"{path}: not the file that was ingested as {recorded_name}; its SHA-256 is another"
                )
            if sources[0].events is not None:
                return SourceLine(None, "it was rows of a CSV pair, not a line")
            for line in opened.lines():
                if line.number == number:
                    return SourceLine(line.data + b"\n")
    except SourceFailed as failure:
        raise UsageProblem(str(failure)) from None
    raise UsageProblem(f"{path}: has no line {number}")
