"""Until when insurance and surrender are open."""

from __future__ import annotations

from rules_replay.engine.acts import SurrenderAct
from rules_replay.engine.dealers_cards import late_first_card
from rules_replay.engine.pieces import NEVER
from rules_replay.engine.table import Table


def first_card_not_shown(table: Table) -> bool:
    """The dealer's first card is all that the initial deal lacks, and the table did not report it missed.

    It may have lain there: what turned on it is not shown (act-2018 6.2, nz-2000 8.2 16.5, rws-2017 3.6).
    """
    alone = table.dealer.lacks_initial_card and not any(hand.lacks_initial_card for hand in table)
    return alone and table.reported("missed_first_card") == NEVER


def reopened_until(table: Table, box: int, seq: int) -> int:
    """Until when a forgotten option stays open; 0 where it was not reopened (nz-2000 16.11 16.12)."""
    if not table.book.flag("irregularity.options_reopen"):
        return 0
    return table.dealer_second_at if table.reported("option_not_offered", box) < seq else 0


def first_touch(table: Table, box: int) -> int:
    """Seq of the first card, split, double or stand on a box after the initial deal."""
    return table.first_of(box, table.kept_draws, table.splits, table.doubles, table.stands)


def first_decision_at(table: Table) -> int:
    """Seq of the first card, split, double or stand at the table after the initial deal (act-2018 10.1)."""
    decided = (act.seq for acts in (table.splits, table.doubles, table.stands) for act in acts)
    return min(table.first_further_at, min(decided, default=NEVER))


def next_boxes_turn(table: Table, box: int) -> int:
    """Seq at which the turn passed to a later box."""
    moments = (
        table.first_of(later, table.kept_draws, table.splits, table.doubles)
        for later in table.boxes
        if later > box
    )
    return min(moments, default=NEVER)


def offered_late(table: Table, act: SurrenderAct) -> bool:
    """An option that was forgotten, open until the box's own next card, whatever was said (nz-2000 16.12)."""
    reopened = act.seq < reopened_until(table, act.hand.box, act.seq)
    return reopened and table.first_of(act.hand.box, table.kept_draws) > act.seq


def surrender_too_late(table: Table, act: SurrenderAct) -> bool:
    """act-2018 9.1, nz-2000 def:Surrender 16.12, rws-2017 3.10, adelaide-2008 49 70.

    With the dealer's first card late, players may leave for nothing or play on (adelaide-2008 105(d)(ii)).
    """
    if late_first_card(table):
        return True
    if act.seq > table.dealer_played_on_at or len(act.held) > 2 or act.held.total().points == 21:
        return True
    if act.seq < reopened_until(table, act.hand.box, act.seq):
        return not offered_late(table, act)
    if table.book.reads("surrender_window") == "own_turn":
        return act.seq > min(first_touch(table, act.hand.box), next_boxes_turn(table, act.hand.box))
    return act.seq > min(table.first_further_at, table.first_of(act.hand.box, table.splits, table.doubles))
