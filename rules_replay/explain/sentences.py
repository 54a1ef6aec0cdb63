"""Each event of a log as a sentence."""

from __future__ import annotations

from rules_replay import log
from rules_replay.engine.payout import faces_text
from rules_replay.explain.data import Settlement, settlement
from rules_replay.explain.moments import Moment
from rules_replay.explain.record import Record
from rules_replay.explain.wording import KIND_WORDS, LINE_WORDS, card_sign, sentence
from rules_replay.results import Money

_IRREGULARITY_WORDS = {
    "exposed_card": "an exposed card",
    "card_burned_in_error": "a card burned in error",
    "missed_first_card": "the dealer's first card was missed",
    "short_hand": "a hand was dealt too few cards",
    "superfluous_hand": "a hand was dealt without a wager",
    "absent_player": "a player is absent",
    "shoe_exhausted": "the shoe ran out",
    "reconstructed": "the hands were reconstructed",
    "option_not_offered": "an option was not offered",
    "other": "an irregularity of another kind",
}


def event_told(record: Record, event: log.AnyEvent, after: Moment) -> str:
    """An event as a sentence."""
    match event:
        case log.Wager():
            return _wager_told(record, event)
        case log.NoMoreBets():
            return "No more bets."
        case log.Deal():
            return f"{sentence(record.where(event.box, event.hand))} receives {card_sign(event.card)}."
        case log.Burn():
            return _burn_told(record, event, after)
        case log.Surrender():
            what = f"wager {event.wager}" if event.wager is not None else "the hand"
            who = sentence(record.where(event.box, event.hand))
            return f"{who} surrenders {what} on {after.total(event.box, event.hand)}."
        case log.Split():
            return f"Box {event.box} splits hand {event.hand}: its second card goes to hand {event.to}."
        case log.Assign():
            who = record.placed[event.wager].player
            return f"{who} lets wager {event.wager} ride on {record.where(event.box, event.hand)}."
        case log.Double():
            return f"{sentence(record.where(event.box, event.hand))} doubles."
        case log.Stand():
            where = sentence(record.where(event.box, event.hand))
            return f"{where} stands on {after.total(event.box, event.hand)}."
        case log.Forfeit():
            who = record.placed[event.wager].player
            return f"{who} forfeits wager {event.wager} and takes the doubled portion back."
        case log.Press():
            of = f" for wager {event.wager}" if event.wager is not None else ""
            return f"Box {event.box} presses the button{of}: the meter shows {event.multiplier}."
        case log.CutCard():
            return "The cutting card comes out."
        case log.Void():
            return _void_told(record, event)
        case log.Irregularity():
            at = f" at {record.the(event.box, event.hand or 1)}" if event.box is not None else ""
            return f"The table reports{at}: {_IRREGULARITY_WORDS[event.code]}."
        case log.Withdraw():
            return f"{record.placed[event.wager].player} takes wager {event.wager} back."
        case log.Settle():
            return _settle_told(record, event)


def _wager_told(record: Record, event: log.Wager) -> str:
    amount = record.money(event.amount)
    limit = f", with a personal maximum of {record.money(event.limit)}" if event.limit is not None else ""
    where = record.where(event.box, event.hand)
    match event.kind:
        case "main":
            told = f"{event.player} wagers {amount} on box {event.box}"
        case "split":
            told = f"{event.player} places {amount} on {where} to follow wager {event.on}"
        case "double":
            told = f"{event.player} adds {amount} to wager {event.on}"
        case "insurance":
            told = f"{event.player} insures wager {event.on} for {amount}"
        case _:
            told = f"{event.player} wagers {amount} on {KIND_WORDS[event.kind]}, box {event.box}"
    return f"{told}{limit} (wager {event.id})."


def _burn_told(record: Record, event: log.Burn, after: Moment) -> str:
    why = f" ({event.reason})" if event.reason else ""
    sign = card_sign(event.card)
    if event.source == "shoe":
        return f"{sign} is burned from the shoe{why}."
    hand = record.the(event.box or 0, event.hand)
    left = after.cards(event.box or 0, event.hand)
    rest = f"{faces_text(left)}, {after.total(event.box or 0, event.hand)}" if left else "no card"
    return f"{sign} is taken off the hand of {hand} and burned{why}: {rest} is left."


def _void_told(record: Record, event: log.Void) -> str:
    why = f" ({event.reason})" if event.reason else ""
    what = "the round"
    if event.scope == "hand":
        what = f"the hand of {record.the(event.box or 0, event.hand)}"
    elif event.scope == "wager":
        what = f"wager {event.wager}"
    return f"The casino declares {what} void{why}."


def _settle_told(record: Record, event: log.Settle) -> str:
    if event.reverses is not None:
        undone = record.settled.get(event.reverses)
        was = f" ({_recorded(undone)})" if undone is not None and undone.result is not None else ""
        return f"The settlement of wager {event.wager} at event {event.reverses} is undone{was}."
    line = f" the {LINE_WORDS[event.line]} on" if event.line != "stake" else ""
    return f"The dealer settles{line} wager {event.wager}: {_recorded(event)}."


def _recorded(event: log.Settle) -> Settlement | None:
    return settlement(Money(result=str(event.result), paid=event.paid or 0, taken=event.taken or 0))
