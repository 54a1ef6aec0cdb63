"""The checks of a house book, one function a code: what each finds, and which facts it lacked.

A check gives None for a subject that its clause does not reach; it is then not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from rules_replay.book.checks import boxes, irregular, players, shoes, tables
from rules_replay.book.house import House
from rules_replay.book.law import Edition
from rules_replay.ledger import Outcome

BookCheck: TypeAlias = Callable[[Any, Edition, House], Outcome | None]
"""What the subject holds, the edition in force for it, and the house it belongs to."""

CHECKS: Mapping[str, BookCheck] = {
    "book.table-approval": tables.table_approved,
    "book.side-approval": tables.layout_approved,
    "book.hours": tables.within_the_hours,
    "book.cards-checked": tables.cards_checked,
    "book.limit-notice": tables.changes_of_the_sign_told,
    "book.limit-change": tables.notice_before_new_limits,
    "book.card-change": tables.replacements_checked,
    "book.closure": tables.notice_before_closing,
    "book.restriction": players.restricted_by_the_book,
    "book.restricted-stake": players.restricted_stakes,
    "book.late-entry": players.late_entry_used,
    "book.late-entry-reach": players.late_entry_reaches,
    "book.late-entry-stake": players.late_stakes,
    "book.cut": shoes.cut_in_turn,
    "book.void-ground": irregular.void_on_a_ground,
    "book.loading": shoes.loaded_by_the_dealer,
    "book.loading-burns": shoes.burned_after_loading,
    "book.fault-round": shoes.faulty_round_finished,
    "book.fault-cards": shoes.cards_after_a_fault,
    "book.fault-cut": shoes.cutting_card_after_a_fault,
    "book.dealer-change": irregular.dealers_change_between_rounds,
    "book.incident": irregular.incident_approved,
    "book.reconstruction": irregular.rebuilt_under_supervision,
    "book.refused-card": irregular.no_card_after_a_refusal,
    "book.refused-by-all": irregular.refused_card_to_the_dealer,
    "book.box-control": boxes.right_player_decides,
    "book.insurance-order": boxes.insurers_in_order,
}
"""In catalogue order."""
