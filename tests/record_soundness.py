"""Writes ``docs/soundness.md`` anew: ``python -m tests.record_soundness``."""

from __future__ import annotations

from pathlib import Path

from audit.commands.lint import lint, soundness_page

PAGE = Path(__file__).parents[1] / "docs" / "soundness.md"


def main() -> None:
    """Write the page."""
    PAGE.write_text(soundness_page(lint(())), encoding="utf-8")


if __name__ == "__main__":
    main()
