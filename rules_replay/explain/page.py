"""Lines of text for a terminal: wrapped, harmless, in colour or plain ASCII on request."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from itertools import zip_longest

from rules_replay.words import visible

_PAINT = {"bold": "1", "breach": "31", "caution": "33", "good": "32"}
_RED_CARD = re.compile(r"(?:10|[A2-9JQK])[♥♦]")
_ASCII = str.maketrans("♠♥♦♣┌┐└┘─│✓✗·", "SHDC++++-|+!-")


def wrap(text: str, width: int) -> list[str]:
    """Visible text in lines; a code with a hyphen is never cut at it."""
    return textwrap.wrap(visible(text), width, break_on_hyphens=False) or [""]


class Page:
    """Lines of a given width; every text that comes in is made visible first.

    A style is one of ``bold``, ``breach``, ``caution``, ``good``, or empty.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[tuple[str, str]] = []

    def blank(self) -> None:
        """An empty line, unless the last one is."""
        if self.lines and self.lines[-1][0]:
            self.lines.append(("", ""))

    def head(self, text: str) -> None:
        """The title of a section."""
        self.blank()
        self.para(text, style="bold")

    def para(self, text: str, indent: int = 0, lead: str = "", style: str = "") -> None:
        """A paragraph, wrapped; ``lead`` stands before its first line and indents the rest."""
        lead = " " * indent + visible(lead)
        for line in wrap(text, max(self.width - len(lead), 20)):
            self.lines.append(((lead + line).rstrip(), style))
            lead = " " * len(lead)

    def fixed(self, text: str) -> None:
        """A line whose spaces count; wrapped only where it is too long."""
        line = visible(text).rstrip()
        if len(line) <= self.width:
            self.lines.append((line, ""))
        else:
            self.para(line.lstrip(), indent=len(line) - len(line.lstrip()))

    def row(self, cells: Sequence[str], widths: Sequence[int], right: int, style: str = "") -> None:
        """A row of a table, each cell wrapped in its column; column ``right`` is right-aligned."""
        columns = [wrap(cell, size) for cell, size in zip(cells, widths, strict=True)]
        for texts in zip_longest(*columns, fillvalue=""):
            parts = [
                text.rjust(size) if place == right else text.ljust(size)
                for place, (text, size) in enumerate(zip(texts, widths, strict=True))
            ]
            self.lines.append((("  " + "  ".join(parts)).rstrip(), style))

    def text(self, colour: bool, ascii_only: bool) -> str:
        """All lines, coloured for a terminal or brought into ASCII where asked."""
        lines = [self._painted(line, style) if colour else line for line, style in self.lines]
        text = "\n".join(lines) + "\n"
        if ascii_only:
            text = text.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")
        return text

    def _painted(self, line: str, style: str) -> str:
        if style:
            return f"\x1b[{_PAINT[style]}m{line}\x1b[0m"
        return _RED_CARD.sub(lambda found: f"\x1b[31m{found[0]}\x1b[0m", line)
