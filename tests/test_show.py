"""Tables on standard output: whatever stands in them is there to be read."""

from __future__ import annotations

import sys
from collections import Counter

import pytest
from rich.text import Text

from audit.commands.show import UNBROKEN, WIDTH, show_table

FINGERPRINT = "a6f509f5e6" * 2
"""Short enough to stand on one line."""


def printed(columns: int, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """A table of so many columns, whose last has a long text: its lines."""
    show_table(["code"] * columns + ["reason"], [[FINGERPRINT] * columns + ["a long reason " * 20]])
    return capsys.readouterr().out.splitlines()


class TestNoTerminal:
    """A table is as wide as its short texts need it."""

    @pytest.mark.parametrize("columns", [1, 6, 12])
    def test_short_texts_are_whole(self, columns: int, capsys: pytest.CaptureFixture[str]) -> None:
        lines = printed(columns, capsys)
        assert sum(line.count(FINGERPRINT) for line in lines) == columns
        assert sum(line.count("reason") for line in lines) == 21

    def test_it_is_no_wider_than_it_has_to_be(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert max(map(len, printed(4, capsys))) == WIDTH
        assert max(map(len, printed(12, capsys))) <= 12 * (len(FINGERPRINT) + 3) + UNBROKEN + 4


class TestTerminal:
    """A table is no wider than the terminal, and nothing is cut off."""

    @pytest.mark.parametrize("width", [60, 80, 200])
    def test_what_does_not_fit_is_folded(
        self, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("TERM", "xterm")
        lines = [Text.from_ansi(line).plain for line in printed(6, capsys)]
        assert max(map(len, lines)) <= width
        # The heading may be folded as well; the bar below it has no letters.
        letters = Counter("".join(lines))
        wanted = Counter("code" * 6 + "reason" + FINGERPRINT * 6 + "a long reason " * 20)
        assert {each: letters[each] for each in wanted if each != " "} == wanted - Counter({" ": 10**6})
