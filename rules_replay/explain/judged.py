"""A round under the rulebook in force: its phases and its hands."""

from __future__ import annotations

from rules_replay.cards import card
from rules_replay.engine.payout import faces_text
from rules_replay.engine.pieces import NEVER
from rules_replay.explain.claims import claims_at
from rules_replay.explain.data import Ground, HandTold, WagerTold
from rules_replay.explain.moments import AtTable, hand_at
from rules_replay.explain.remarks import remarks_at
from rules_replay.explain.story import Claim, Story
from rules_replay.explain.wagers import wager_told
from rules_replay.explain.wording import total_words
from rules_replay.explain.working import Working
from rules_replay.log import Round
from rules_replay.results import HandRow, RoundReplay
from rules_replay.rulebook import Rulebook

_ENDED_WORDS = {
    "pontoon": "Pontoon",
    "open": "no further card",
    "bust": "over 21",
    "21": "decided at 21",
    "one card": "split ace, one card only",
}


class Judged(Story):
    """A round with what the rules allowed and required."""

    def __init__(self, round_: Round, replay: RoundReplay, book: Rulebook) -> None:
        self.work = Working(round_, replay, book)
        super().__init__(self.work, replay)

    def moments(self) -> list[AtTable]:
        return [AtTable(table) for table in self.work.tables]

    def remarks(self, seq: int) -> list[Ground]:
        return remarks_at(self.work, seq)

    def claims(self, seq: int) -> list[Claim]:
        return claims_at(self.work, seq)

    def wagers(self) -> tuple[WagerTold, ...]:
        return tuple(wager_told(self.work, row) for row in self.replay.settlements)

    def phase(self, seq: int) -> str:
        table = self.work.table
        dealt = table.initial_done_at if table.initial_complete else table.initial_closed_at - 1
        if seq < table.first_card_at:
            return "Before the first card"
        if seq <= dealt:
            return "The initial deal"
        settling = min((each for each in self.record.settled if each > table.last_deal_at), default=NEVER)
        if seq >= settling:
            return "Settlement"
        return "The dealer's turn" if seq >= table.dealer_second_at else "The players' turns"

    def hands(self) -> tuple[HandTold, ...]:
        return tuple(
            HandTold(
                box=row.box,
                hand=row.hand,
                where=self.record.where(row.box, row.hand),
                cards=row.cards,
                total=self._final_total(row),
                ended=self._ended(row),
                players=self.record.players(row.box, row.hand),
                remarks=tuple(self._hand_remarks(row)),
            )
            for row in self.replay.hands
        )

    def _final_total(self, row: HandRow) -> str:
        counted = f"{'soft' if row.soft else 'hard'} {row.total}"
        return total_words([card(each) for each in row.cards], counted)

    def _ended(self, row: HandRow) -> str:
        if row.box == 0 and len(row.cards) == 1:
            return "one card only" if row.ended == "open" else "no second card needed"
        return _ENDED_WORDS.get(row.ended, row.ended)

    def _hand_remarks(self, row: HandRow) -> list[str]:
        hand = hand_at(self.work.table, row.box, row.hand)
        if hand is None:
            return []
        if row.box == 0:
            counting = self.work.played.dealer
            if len(counting.cards) == len(row.cards):
                return []
            return [f"counts as {faces_text(counting.cards)}, {counting.total}: the rest is left out"]
        remarks = [f"split from hand {row.split_from}"] if row.split_from is not None else []
        for bet in self.work.table.bets_on(hand):
            at = self.work.played.standings[bet.id]
            if len(at.cards) != len(row.cards):
                remarks.append(f"wager {bet.id} counts {faces_text(at.cards)}, {at.total}")
            elif (at.total.points, at.total.soft) != (row.total, row.soft):
                remarks.append(f"{at.total} for {bet.player}, who did not double (wager {bet.id})")
        return remarks
