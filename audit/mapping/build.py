"""A record of a vendor to a round of the log, or the reason why not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from audit.ingest import wire
from audit.mapping.errors import Unmapped, shown
from audit.mapping.lineage import place_moved_cards, settle_keys
from audit.mapping.model import LogMapping, expressions_of
from audit.mapping.order import in_recorded_order, in_rules_order
from audit.mapping.pieces import Context, PieceReader, Pieces
from rules_replay.log import FORMAT, Round, amount_text

_TEXTS = ("table", "currency", "dealer", "supervisor", "rulebook")


class Builder:
    """Makes rounds under one mapping. The same record gives the same round."""

    def __init__(self, mapping: LogMapping) -> None:
        self._document = mapping.document
        self._reader = PieceReader(mapping.document)
        self._texts = dict(expressions_of(mapping.document))
        self.left_out = 0

    def round_of(self, rows: Sequence[Any]) -> Round:
        """The round of a record, or of the rows that are one; raises `wire.Rejected`."""
        contexts: list[Context] = []
        record = rows[0] if self._document.rows == "round" else {"rows": list(rows)}
        for key, row in enumerate(rows):
            contexts.append({"key": key, "item": row, "up": None, "record": record})
        fields: dict[str, Any] = {}
        try:
            self._expect(rows)
            self._add_fields(fields, rows)
            void = any(self._reader.truth("round.void", row) for row in rows)
            fields["events"] = self._events(contexts, void=void)
        except Unmapped as unmapped:
            raise wire.sketched(wire.Rejected(unmapped.place, self._reason(unmapped)), fields) from None
        except RecursionError:
            raise wire.Rejected("", "nested too deep; expected at most a few levels") from None
        return wire.decode_fields(fields)

    def _reason(self, unmapped: Unmapped) -> str:
        text = self._texts.get(unmapped.place)
        return f"{text}: {unmapped.reason}" if isinstance(text, str) else unmapped.reason

    # --- the round itself ---

    def _expect(self, rows: Sequence[Any]) -> None:
        for number, expected in enumerate(self._document.expect):
            place = f"expect[{number}].value"
            for row in rows:
                found = self._reader.text(place, row)
                if found not in expected.words:
                    words = ", ".join(expected.words)
                    raise Unmapped(place, f"found {shown(found)}; this mapping is for {words}")

    def _add_fields(self, fields: dict[str, Any], rows: Sequence[Any]) -> None:
        reader, document = self._reader, self._document
        fields["format"] = FORMAT
        fields["round_id"] = self._one("round.round_id", rows, reader.given)
        fields["venue"] = self._one("round.venue", rows, lambda at, row: reader.word(at, "venue", row))
        fields["started_at"] = self._one("round.started_at", rows, reader.instant)
        for name in ("venue", "started_at"):
            if fields[name] is None:
                raise Unmapped(f"round.{name}", "found nothing; the round log requires it")
        optional = {name: self._one(f"round.{name}", rows, reader.text) for name in _TEXTS}
        optional["ended_at"] = self._one("round.ended_at", rows, reader.instant)
        optional["shuffler"] = self._one(
            "round.shuffler", rows, lambda at, row: reader.word(at, "shuffler", row)
        )
        fields |= {name: value for name, value in optional.items() if value is not None}
        for name in ("table", "currency"):
            if name not in fields:
                raise Unmapped(f"round.{name}", "found nothing; the round log requires it")
        fields["decks"] = self._one("round.decks", rows, reader.whole)
        if document.round.shoe is None:
            fields["shoe"], fields["round_no"] = fields["round_id"], 1
        else:
            fields["shoe"] = self._one("round.shoe", rows, reader.given)
            fields["round_no"] = self._one("round.round_no", rows, reader.whole)
        if self._one("round.last_rounds", rows, reader.truth):
            fields["last_rounds"] = True
        if document.round.offers is not None:
            fields["offers"] = document.round.offers
        fields["records"] = document.records
        limits = self._limits(rows)
        if limits:
            fields["limits"] = limits

    def _one(self, place: str, rows: Sequence[Any], read: Any) -> Any:
        """A value on which the rows of a round agree."""
        found = read(place, rows[0])
        for row in rows[1:]:
            other = read(place, row)
            if other != found:
                raise Unmapped(place, f"rows of one round disagree: found {shown(found)} and {shown(other)}")
        return found

    def _limits(self, rows: Sequence[Any]) -> dict[str, str]:
        limits = self._document.limits
        if limits is None:
            return {}
        found: dict[str, str] = {}
        for name in limits.__struct_fields__:
            place = f"limits.{name}"
            if self._one(place, rows, self._reader.value) not in (None, ""):
                found[name] = amount_text(self._one(place, rows, self._reader.amount))
        return found

    # --- its events ---

    def _events(self, contexts: Sequence[Context], *, void: bool) -> list[dict[str, Any]]:
        pieces = self._reader.pieces(contexts)
        if not void:
            _refuse_empty(pieces)
        settle_keys(pieces)
        place_moved_cards(pieces, self._document.splits.moved_card, self._document.order.by)
        ordered = in_rules_order if self._document.order.by == "rules" else in_recorded_order
        made = ordered(pieces, decisions=bool(self._document.actions), void=void)
        made.all_dealt()
        made.give_suits()
        self.left_out += pieces.left_out
        return made.events


def _refuse_empty(pieces: Pieces) -> None:
    """Refuse what a vendor's change of fields leaves of a round, before it accuses anybody."""
    for name, found in (("cards", pieces.cards), ("wagers", pieces.wagers)):
        if not found:
            raise Unmapped(name, f"the record has no {name}, as far as the mapping leads to them")
