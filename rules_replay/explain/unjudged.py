"""A round that no held rulebook governs: told as recorded, and nothing is judged."""

from __future__ import annotations

from typing import get_args

from rules_replay import log
from rules_replay.explain.data import Ground, HandTold, WagerTold, settlement
from rules_replay.explain.moments import Laid
from rules_replay.explain.record import Record
from rules_replay.explain.story import Claim, Story
from rules_replay.log import Round, amount_text
from rules_replay.results import Money, RoundReplay


class Unjudged(Story):
    """A round with its recorded cards and amounts."""

    def __init__(self, round_: Round, replay: RoundReplay) -> None:
        super().__init__(Record(round_), replay)

    def moments(self) -> list[Laid]:
        moments = [Laid({})]
        for event in self.record.round.events:
            moments.append(moments[-1].after(event))
        return moments

    def phase(self, seq: int) -> str:
        return "What happened"

    def remarks(self, seq: int) -> list[Ground]:
        if seq in self.record.undone_at:
            return [Ground(text=f"undone at event {self.record.undone_at[seq]}")]
        return []

    def claims(self, seq: int) -> list[Claim]:
        return []

    def hands(self) -> tuple[HandTold, ...]:
        last = self.moments()[-1]
        return tuple(
            HandTold(
                box=box,
                hand=hand,
                where=self.record.where(box, hand),
                cards=tuple(each.text for each in cards),
                total=last.total(box, hand),
                ended="",
                players=self.record.players(box, hand),
                remarks=(),
            )
            for (box, hand), cards in sorted(last.hands.items())
            if cards
        )

    def wagers(self) -> tuple[WagerTold, ...]:
        return tuple(
            told
            for event in self.record.placed.values()
            for line in get_args(log.Line)
            if (told := self._wager(event, line)) is not None
        )

    def _wager(self, event: log.Wager, line: str) -> WagerTold | None:
        lines = self.record.standing_lines(event.id, line)
        if line != "stake" and not lines:
            return None
        results = dict.fromkeys(str(settle.result) for _, settle in lines)
        recorded = Money(
            result=" and ".join(results),
            paid=sum(settle.paid or 0 for _, settle in lines),
            taken=sum(settle.taken or 0 for _, settle in lines),
        )
        return WagerTold(
            wager=event.id,
            line=line,
            kind=event.kind,
            player=event.player,
            box=event.box,
            hand=event.hand,
            where=self.record.where(event.box, event.hand),
            stake=amount_text(event.amount),
            effective_stake=amount_text(event.amount),
            judged=False,
            due=None,
            recorded=settlement(recorded) if lines else None,
            difference=None,
            because="",
            clause="",
            odds=None,
            basis="",
            reading=None,
            corrected=any(
                seq in self.record.undone_at and settle.wager == event.id
                for seq, settle in self.record.settled.items()
            ),
            findings=(),
        )
