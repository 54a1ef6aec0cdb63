"""From a record without settlements to one that is settled as the rulebook requires.

Amounts come from the readable engine. Where it leaves a wager open, because the table
did something that the rules do not settle, the dealer goes by a plain comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import msgspec

from data_samples.law import Law
from data_samples.plan import DEALER
from data_samples.state import Draft, Mark, Stake
from rules_replay.cards import total
from rules_replay.engine import replay_round
from rules_replay.log import Amount, AnyEvent, Line, Press, Result, Round, Settle
from rules_replay.results import Money
from rules_replay.rulebook import Rulebook


def settled(round_: Round, draft: Draft, book: Rulebook, law: Law) -> Round:
    """The round with the events of the draft and a settlement for every wager."""
    unsettled = msgspec.structs.replace(round_, events=draft.events(), records=None)
    replay = replay_round(unsettled, book, covered=False)
    due = {}
    for row in replay.settlements:
        money = row.expected or compared(draft, draft.stakes[row.wager], law)
        due[(row.wager, row.line)] = settle_event(row.wager, row.line, money)
    events = list(_in_order(draft, due))
    if "settle_order" not in round_.facts:
        events.sort(key=lambda event: isinstance(event, Settle))
    return msgspec.structs.replace(round_, events=tuple(events))


def _in_order(draft: Draft, due: dict[tuple[str, str], Settle]) -> Iterator[AnyEvent]:
    """Each settlement at its mark, what is left at the end of the round, winning insurance last."""
    left = dict(due)
    for item in draft.items:
        if not isinstance(item, Mark):
            yield item
        elif (item.wager, "stake") in left:
            yield left.pop((item.wager, "stake"))
    if not draft.cut_off:
        yield from sorted(left.values(), key=lambda event: draft.stakes[event.wager].kind == "insurance")


def settle_event(wager: str, line: str, money: Money) -> Settle:
    """One settlement as the log writes it."""
    return Settle(
        wager=wager,
        line=cast(Line, line),
        result=cast(Result, money.result),
        paid=Amount(money.paid),
        taken=Amount(money.taken),
    )


def compared(draft: Draft, stake: Stake, law: Law) -> Money:
    """What a dealer does without a rule: the hands compared, even money, half for a surrender."""
    if stake.kind == "pandemonium":
        shown = [item.multiplier for item in draft.items if isinstance(item, Press) and item.box == stake.box]
        return Money(result="win", paid=stake.amount * shown[-1]) if shown else _lost(stake)
    if stake.kind not in ("main", "split", "double"):
        return _lost(stake)
    if stake.surrendered:
        return Money(result="surrender", taken=stake.amount // 2)
    points = draft.hands[(stake.box, stake.hand)].total(law).points
    dealer = total(draft.hands[DEALER].cards).points if DEALER in draft.hands else 0
    if points > 21 or points < dealer <= 21:
        return _lost(stake)
    if points == dealer:
        return Money(result="stand_off")
    return Money(result="win", paid=stake.amount)


def _lost(stake: Stake) -> Money:
    return Money(result="lose", taken=stake.amount)
