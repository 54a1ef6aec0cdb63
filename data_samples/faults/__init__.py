"""The catalogue of faults: every mistake the croupier can put into a night, by label."""

from __future__ import annotations

from data_samples.faults import choices, extras, moments, outcomes, play, record, wagers
from data_samples.faults.kinds import Fault

CATALOGUE: tuple[Fault, ...] = (
    *outcomes.FAULTS,
    *choices.FAULTS,
    *extras.FAULTS,
    *play.FAULTS,
    *wagers.FAULTS,
    *record.FAULTS,
    *moments.FAULTS,
)
"""Every fault. A fault's docstring says in one sentence what goes wrong."""


def by_label() -> dict[str, Fault]:
    """The catalogue by label."""
    return {fault.label: fault for fault in CATALOGUE}
