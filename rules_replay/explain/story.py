"""Telling a round: its hands, its wagers, and every event with what is said of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rules_replay import log
from rules_replay.explain.data import Ground, HandTold, Step, WagerTold
from rules_replay.explain.heading import clock_time
from rules_replay.explain.moments import Moment
from rules_replay.explain.record import Record
from rules_replay.explain.sentences import event_told
from rules_replay.explain.wording import lack
from rules_replay.results import Finding, RoundReplay

_DECISIONS = (
    log.Surrender,
    log.Split,
    log.Assign,
    log.Double,
    log.Stand,
    log.Forfeit,
    log.Press,
    log.Void,
    log.Withdraw,
    log.Settle,
)
_ONCE_A_ROUND = frozenset(
    {"deal.turn-order", "dealer.early-second-card", "dealer.needless-draw", "dealer.over-draw"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Why an event was in order, as long as no finding of ``codes`` says otherwise.

    ``rests_on`` is the check that must have been made for the claim to hold.
    """

    codes: tuple[str, ...]
    text: str
    clause: str
    rests_on: str | None = None


class _Place(NamedTuple):
    """What an event or a finding is about."""

    box: int | None
    hand: int
    wager: str | None


class Story(ABC):
    """A round told beside its replay; how depends on whether a rulebook is held for it."""

    def __init__(self, record: Record, replay: RoundReplay) -> None:
        self.record = record
        self.replay = replay

    @abstractmethod
    def hands(self) -> tuple[HandTold, ...]:
        """The hands at the end."""

    @abstractmethod
    def wagers(self) -> tuple[WagerTold, ...]:
        """Every line of every wager."""

    @abstractmethod
    def moments(self) -> Sequence[Moment]:
        """The cards before the first event and after each."""

    @abstractmethod
    def phase(self, seq: int) -> str:
        """The part of the round that an event belongs to."""

    @abstractmethod
    def remarks(self, seq: int) -> list[Ground]:
        """What happened by an event, beyond the event itself."""

    @abstractmethod
    def claims(self, seq: int) -> list[Claim]:
        """What an event was allowed or required by, were there no finding against it."""

    def steps(self) -> tuple[Step, ...]:
        """Every event in order."""
        moments = self.moments()
        return tuple(
            self._step(seq, event, moments[seq], moments[seq + 1])
            for seq, event in enumerate(self.record.round.events)
        )

    def _step(self, seq: int, event: log.AnyEvent, before: Moment, after: Moment) -> Step:
        place = _place(self.record, event)
        box, hand, wager = place
        of_hand = isinstance(event, log.Deal | log.Burn | log.Split | log.Double | log.Stand | log.Surrender)
        cards = after.cards(box, hand) if of_hand and box is not None else ()
        dealt = isinstance(event, log.Deal) and len(cards) > len(before.cards(event.box, event.hand))
        objections = tuple(
            number for number, finding in enumerate(self.replay.findings, 1) if finding.seq == seq
        )
        grounds, unchecked, against = self._weighed(seq, place)
        return Step(
            seq=seq,
            event=log.event_kind(event),
            phase=self.phase(seq),
            at=clock_time(self.record.round, event.at),
            box=box,
            hand=hand if box is not None else None,
            wager=wager,
            where=self.record.where(box, hand) if box is not None else "",
            text=event_told(self.record, event, after),
            card=str(event.card) if isinstance(event, log.Deal) and dealt else None,
            cards=tuple(each.text for each in cards),
            total=after.total(box, hand) if cards and box is not None else None,
            decision=_is_decision(event),
            remarks=(*self.remarks(seq), *unchecked),
            grounds=grounds,
            objections=objections,
            see=tuple(number for number in against if number not in objections),
        )

    def _weighed(
        self, seq: int, place: _Place
    ) -> tuple[tuple[Ground, ...], tuple[Ground, ...], tuple[int, ...]]:
        """The claims that hold, those that could not be checked, and the findings against the others."""
        unchecked = {row.code: row.missing for row in self.replay.coverage if row.verdict == "not_evaluable"}
        grounds: list[Ground] = []
        findings: list[int] = []
        missing: list[str | None] = []
        for claim in self.claims(seq):
            against = [
                number
                for number, finding in enumerate(self.replay.findings, 1)
                if finding.code in claim.codes and _covers(finding, seq, place)
            ]
            findings += against
            if claim.rests_on in unchecked:
                missing.append(unchecked[claim.rests_on])
            elif not against:
                grounds.append(Ground(text=claim.text, clause=claim.clause))
        not_checked = tuple(Ground(text=f"not checked: {lack(fact)}") for fact in dict.fromkeys(missing))
        return tuple(grounds), not_checked, tuple(dict.fromkeys(findings))


def _is_decision(event: log.AnyEvent) -> bool:
    """Whether someone chose the event, so that what allowed it is worth telling at level 2."""
    if isinstance(event, log.Wager):
        return event.kind != "main"
    return isinstance(event, _DECISIONS) or (isinstance(event, log.Deal) and event.box == 0)


def _place(record: Record, event: log.AnyEvent) -> _Place:
    """Box, hand and wager of an event, those of its wager where it names only that."""
    if isinstance(event, log.Wager):
        return _Place(event.box, event.hand, event.id)
    wager = getattr(event, "wager", None)
    box = getattr(event, "box", None)
    hand = getattr(event, "hand", None)
    if box is None and wager in record.placed:
        box, hand = record.placed[wager].box, record.placed[wager].hand
    if isinstance(event, log.Burn) and event.source == "hand":
        box = box or 0
    return _Place(box, hand or 1, wager)


def _covers(finding: Finding, seq: int, place: _Place) -> bool:
    """Whether a finding, made at an event or earlier, speaks of this event too.

    The engine makes a finding of a kind once a hand, a box or a round.
    """
    if finding.seq is None or finding.seq > seq:
        return False
    if finding.seq == seq or finding.code in _ONCE_A_ROUND:
        return True
    if finding.code.startswith("surrender."):
        return finding.box == place.box
    return (
        finding.box == place.box
        and finding.hand in (None, place.hand)
        and finding.wager in (None, place.wager)
    )
