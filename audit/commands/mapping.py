"""``mapping``: which there are, what one says, and what it makes of a sample."""

from __future__ import annotations

from audit.mapping.model import LogMapping, load_mapping


def chosen(named: str | None) -> LogMapping | None:
    """The mapping that an option names, None without one."""
    return None if named is None else load_mapping(named)
