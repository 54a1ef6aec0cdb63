"""How grave a finding is. The command line says it in its help, and so imports this alone."""

from __future__ import annotations

from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["breach", "procedure", "ambiguous", "indeterminate", "notice"]
SEVERITIES: tuple[Severity, ...] = ("breach", "procedure", "ambiguous", "indeterminate", "notice")
"""Gravest first."""


def at_or_above(severity: Severity, threshold: Severity) -> bool:
    """True when ``severity`` is at least as grave as ``threshold``."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(threshold)
