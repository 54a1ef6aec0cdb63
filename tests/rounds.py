"""Rounds in a few words, for tests that a reader of the rulebooks can check.

A round is written as statements between bars::

    a 20@1 | b 50@2 by Bo | 1:8S 2:KH 0:QD 1:8H 2:6C | surrender 2
    | split 1 with a2 20 on a | 1:3D | double 1 with ad 20 on a | 1:9C | 1.2:KC | 0:8D | a wins 20

``a 20@1`` is a main wager of 20 on box 1; its player is called after the box unless named.
``1.2:KC`` is a card to the second hand of box 1; box 0 is the dealer. `STATEMENTS` has the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec

from rules_replay import engine
from rules_replay.auditor import Auditor
from rules_replay.log import Amount, Round, Settle, amount_text, decode_custom
from rules_replay.results import Finding, Money, RoundReplay
from rules_replay.rulebook import Rulebook, load_rulebook
from rules_replay.venues import load_register

PLACES: Mapping[str, tuple[str, str, str]] = {
    "nz-2000": ("skycity-auckland", "2010-03-05T20:14:05+13:00", "NZD"),
    "act-2005": ("casino-canberra", "2010-03-05T20:14:05+11:00", "AUD"),
    "adelaide-2008": ("skycity-adelaide", "2010-03-05T20:14:05+10:30", "AUD"),
    "rws-2017": ("resorts-world-sentosa", "2018-03-02T20:14:05+08:00", "SGD"),
    "act-2018": ("casino-canberra", "2019-03-01T20:14:05+11:00", "AUD"),
}
"""A venue and an evening at which each rulebook was in force, and the currency there."""

REGISTER = load_register()

OPEN = "open"
"""What `net` says where the log cannot fix an amount."""

Words = re.Match[str]


class _Log:
    """The round under construction, as the log's own JSON."""

    def __init__(self) -> None:
        self.head: dict[str, Any] = {}
        self.events: list[dict[str, Any]] = []
        self.players: dict[str, str] = {}
        self.hands: dict[int, int] = {}
        self.settled_at: dict[str, int] = {}

    def add(self, kind: str, /, **fields: Any) -> None:
        self.events.append({"e": kind} | {key: each for key, each in fields.items() if each is not None})

    def wager(self, words: Words) -> None:
        self.players[words["id"]] = words["player"] or f"P{words['box']}"
        self.add(
            "wager",
            id=words["id"],
            box=int(words["box"]),
            player=self.players[words["id"]],
            kind=words["kind"] or "main",
            amount=words["amount"],
            limit=words["limit"],
        )

    def insure(self, words: Words) -> None:
        box = next(event["box"] for event in self.events if event.get("id") == words["on"])
        self._further("insurance", words["id"], words["amount"], words["on"], (box, None), words["player"])

    def double_late(self, words: Words) -> None:
        on = next(event for event in self.events if event.get("id") == words["on"])
        self._further("double", words["id"], words["amount"], words["on"], (on["box"], on.get("hand")))

    def split_late(self, words: Words) -> None:
        place = _place(words["place"])
        self._further("split", words["id"], words["amount"], words["on"], (place["box"], place["hand"]))

    def _further(
        self,
        kind: str,
        wager: str,
        amount: str,
        on: str,
        place: tuple[int, int | None],
        player: str | None = None,
    ) -> None:
        self.players[wager] = player or self.players[on]
        self.add(
            "wager",
            id=wager,
            box=place[0],
            hand=place[1],
            player=self.players[wager],
            kind=kind,
            amount=amount,
            on=on,
        )

    def cards(self, words: Words) -> None:
        for each in words.string.split():
            place, _, card = each.partition(":")
            self.add("deal", **_place(place), card=card)

    def burn(self, words: Words) -> None:
        if words["place"] is None:
            self.add("burn", card=words["card"])
        else:
            self.add("burn", card=words["card"], **{"from": "hand"}, **_place(words["place"]))

    def split(self, words: Words) -> None:
        place = _place(words["place"])
        new = self.hands.get(place["box"], 1) + 1
        self.hands[place["box"]] = new
        self.add("split", **place, to=new)
        self._with(words["with"], "split", (place["box"], new))

    def double(self, words: Words) -> None:
        place = _place(words["place"])
        self.add("double", **place)
        self._with(words["with"], "double", (place["box"], place["hand"]))

    def _with(self, listed: str | None, kind: str, place: tuple[int, int]) -> None:
        for each in (listed or "").split(",") if listed else []:
            wager, amount, _, on = each.split()
            self._further(kind, wager, amount, on, place)

    def settle(self, words: Words) -> None:
        result, field = _RESULTS[words["verb"]]
        money = {"paid": "0", "taken": "0"}
        if field is not None:
            money[field] = words["amount"]
        self._settle(words["wager"], result, **money)

    def bonus(self, words: Words) -> None:
        self._settle(words["wager"], "win", line=words["line"], paid=words["amount"], taken="0")

    def _settle(self, wager: str, result: str, **fields: str) -> None:
        self.settled_at[wager] = len(self.events)
        self.add("settle", wager=wager, result=result, **fields)

    def undo(self, words: Words) -> None:
        self.add("settle", wager=words["wager"], reverses=self.settled_at[words["wager"]])

    def sign(self, words: Words) -> None:
        found = words["sign"].split()
        names = {"chip": "smallest_chip"}
        self.head["limits"] = {
            names.get(name, name): amount for name, amount in zip(found[::2], found[1::2], strict=True)
        }

    def without(self, words: Words) -> None:
        facts = ("decisions", "settle_order", "burns", "cut_card")
        self.head["records"] = [fact for fact in facts if fact not in words["facts"].split()]


def _place(text: str) -> dict[str, int]:
    box, _, hand = text.partition(".")
    return {"box": int(box), "hand": int(hand or 1)}


_RESULTS = {
    "wins": ("win", "paid"),
    "loses": ("lose", "taken"),
    "surrenders": ("surrender", "taken"),
    "forfeits": ("forfeit", "taken"),
    "ties": ("stand_off", None),
    "returned": ("returned", None),
    "voided": ("void", None),
}

_AMOUNT = r"(?P<amount>\d+(\.\d+)?)"
_PLACE = r"(?P<place>\d+(\.\d+)?)"

STATEMENTS: Mapping[str, Callable[[_Log, Words], None]] = {
    rf"(?P<id>\w+) {_AMOUNT}@(?P<box>\d+)( (?P<kind>perfect_pairs|pair|pandemonium))?"
    r"( by (?P<player>\w+))?( limit (?P<limit>\S+))?": _Log.wager,
    rf"(?P<id>\w+) {_AMOUNT} insures (?P<on>\w+)( by (?P<player>\w+))?": _Log.insure,
    rf"(?P<id>\w+) {_AMOUNT} doubles (?P<on>\w+)": _Log.double_late,
    rf"(?P<id>\w+) {_AMOUNT} splits (?P<on>\w+) to {_PLACE}": _Log.split_late,
    r"\d+(\.\d+)?:\S+( +\d+(\.\d+)?:\S+)*": _Log.cards,
    r"burn ((?P<place>\d+(\.\d+)?):)?(?P<card>\S+)": _Log.burn,
    rf"split {_PLACE}( with (?P<with>.+))?": _Log.split,
    rf"double {_PLACE}( with (?P<with>.+))?": _Log.double,
    rf"surrender {_PLACE}( only (?P<wager>\w+))?": lambda log, words: log.add(
        "surrender", **_place(words["place"]), wager=words["wager"]
    ),
    rf"stand {_PLACE}": lambda log, words: log.add("stand", **_place(words["place"])),
    rf"assign (?P<wager>\w+) {_PLACE}": lambda log, words: log.add(
        "assign", wager=words["wager"], **_place(words["place"])
    ),
    r"forfeit (?P<wager>\w+)": lambda log, words: log.add("forfeit", wager=words["wager"]),
    r"press (?P<box>\d+) (?P<multiplier>\d+)( for (?P<wager>\w+))?": lambda log, words: log.add(
        "press", box=int(words["box"]), wager=words["wager"], multiplier=int(words["multiplier"])
    ),
    r"no more bets": lambda log, _: log.add("no_more_bets"),
    r"cut card": lambda log, _: log.add("cut_card"),
    r"void round": lambda log, _: log.add("void", scope="round"),
    rf"void hand {_PLACE}": lambda log, words: log.add("void", scope="hand", **_place(words["place"])),
    r"void wager (?P<wager>\w+)": lambda log, words: log.add("void", scope="wager", wager=words["wager"]),
    r"irregularity (?P<code>\w+)( (?P<box>\d+))?": lambda log, words: log.add(
        "irregularity", code=words["code"], box=int(words["box"]) if words["box"] else None
    ),
    r"withdraw (?P<wager>\w+)": lambda log, words: log.add("withdraw", wager=words["wager"]),
    rf"(?P<wager>\w+) (?P<verb>wins|loses|surrenders|forfeits) {_AMOUNT}": _Log.settle,
    r"(?P<wager>\w+) (?P<verb>ties|returned|voided)": _Log.settle,
    rf"(?P<wager>\w+) gets (?P<line>super_bonus|bonus) {_AMOUNT}": _Log.bonus,
    r"undo (?P<wager>\w+)": _Log.undo,
    r"sign (?P<sign>.+)": _Log.sign,
    r"without (?P<facts>.+)": _Log.without,
    r"offers( (?P<offers>.+))?": lambda log, words: log.head.update(offers=(words["offers"] or "").split()),
    r"decks (?P<decks>\d+)": lambda log, words: log.head.update(decks=int(words["decks"])),
    r"claims (?P<rulebook>\S+)": lambda log, words: log.head.update(rulebook=words["rulebook"]),
    r"shuffler (?P<shuffler>\w+)": lambda log, words: log.head.update(shuffler=words["shuffler"]),
    r"last rounds": lambda log, _: log.head.update(last_rounds=True),
    r"round (?P<round_no>\d+)": lambda log, words: log.head.update(round_no=int(words["round_no"])),
    r"at (?P<started_at>\S+)": lambda log, words: log.head.update(started_at=words["started_at"]),
}
"""Every statement by its pattern. ``by`` names a player, ``with`` the wagers of a split or
double, ``undo`` reverses the last settlement of a wager, ``sign`` lists the table's limits,
``without`` the facts that the recorder does not capture.
"""

_PATTERNS = [(re.compile(pattern), act) for pattern, act in STATEMENTS.items()]


def play(rulebook: str, text: str, /, **head: Any) -> Round:
    """The round that ``text`` tells, at a venue and time where the rulebook was in force.

    ``head`` replaces fields of the round itself. Raises ``ValueError`` for a statement that
    no pattern fits and ``msgspec.ValidationError`` for a round that no log may hold.
    """
    log = _Log()
    for statement in re.split(r"[|\n]", text):
        if statement.strip():
            _apply(log, " ".join(statement.split()))
    return round_of(rulebook, log.events, **(log.head | head))


def round_of(rulebook: str, events: list[dict[str, Any]], /, **head: Any) -> Round:
    """A round of these events at a venue and time where the rulebook was in force, with 6 decks."""
    venue, started_at, currency = PLACES[rulebook]
    fields = {
        "format": "pontoon-round/1",
        "round_id": "round",
        "venue": venue,
        "table": "P01",
        "shoe": "P01-1",
        "round_no": 1,
        "started_at": started_at,
        "decks": 6,
        "currency": currency,
        "events": events,
    }
    return msgspec.convert(fields | head, Round, dec_hook=decode_custom)


def _apply(log: _Log, statement: str) -> None:
    for pattern, act in _PATTERNS:
        words = pattern.fullmatch(statement)
        if words is not None:
            act(log, words)
            return
    raise ValueError(f"no such statement: {statement!r}")


@cache
def _book(rulebook: str, readings: tuple[tuple[str, str], ...]) -> Rulebook:
    return load_rulebook(rulebook).with_readings(dict(readings))


def book(rulebook: str, **readings: str) -> Rulebook:
    """A rulebook, under its default readings but for those named."""
    return _book(rulebook, tuple(sorted(readings.items())))


def replay(rulebook: str, text: str, **readings: str) -> RoundReplay:
    """What the engine says of a round told in words."""
    return engine.replay_round(play(rulebook, text), book(rulebook, **readings))


def verdicts(rulebook: str, told: str | Round, **readings: str) -> dict[str, str]:
    """By check that applies ``passed``, ``failed``, or what it lacks."""
    round_ = play(rulebook, told) if isinstance(told, str) else told
    rows = engine.replay_round(round_, book(rulebook, **readings)).coverage
    return {row.code: row.missing or row.verdict for row in rows}


def due(rulebook: str, text: str, **readings: str) -> dict[str, str]:
    """What each wager line is due, in words: ``{"a": "win 37.5", "b": "lose 20"}``.

    A bonus line is listed as ``a/super_bonus``; an amount the log cannot fix is `OPEN`.
    """
    return {
        row.wager if row.line == "stake" else f"{row.wager}/{row.line}": _money(row.expected)
        for row in replay(rulebook, text, **readings).settlements
    }


def _money(money: Money | None) -> str:
    if money is None:
        return OPEN
    amount = money.paid or money.taken
    return f"{money.result} {amount_text(amount)}" if amount else money.result


def net(rulebook: str, text: str, *, of: str | None = None, **readings: str) -> str:
    """What the round brings a player (or everybody) net of stakes: ``"37.5"``, ``"-20"``, or `OPEN`."""
    rows = [row for row in replay(rulebook, text, **readings).settlements if of in (None, row.player)]
    if any(row.expected is None for row in rows):
        return OPEN
    return amount_text(sum(row.expected.net for row in rows if row.expected is not None))


def settled(round_: Round, rules: Rulebook) -> Round:
    """The same round with every wager that has no settlement yet settled as it is due.

    Pontoons, 21s, hands over 21 and side wagers are settled before the next card, insurance
    that lost before the dealer's third, the rest at the end and insurance that won last of all.
    What cannot be fixed goes back.
    """
    played = engine.play(round_, rules)
    rows = engine.replay_round(round_, rules).settlements
    added: dict[int, list[Settle]] = {}
    for row in sorted(rows, key=lambda row: row.kind == "insurance"):
        if row.recorded is not None or (row.line != "stake" and row.expected is None):
            continue
        money = row.expected or Money(result="returned")
        place = _settles_after(played, row.wager, row.line, len(round_.events) - 1)
        added.setdefault(place, []).append(
            Settle(
                wager=row.wager,
                line=row.line,  # type: ignore[arg-type]
                result=money.result,  # type: ignore[arg-type]
                paid=Amount(money.paid),
                taken=Amount(money.taken),
            )
        )
    return msgspec.structs.replace(round_, events=_with_settlements(round_, added))


def _settles_after(played: engine.Played, wager: str, line: str, last: int) -> int:
    """The event after which the rules settle a line of a wager."""
    table = played.table
    bet = table.bets[wager]
    done = table.initial_done_at if table.initial_complete else last
    if bet.kind in ("perfect_pairs", "pair", "pandemonium"):
        presses = [seq for seq, press in table.presses if press.box == bet.box]
        return max([done, bet.seq, *presses])
    if bet.kind == "insurance":
        second = table.dealer.cards[1].seq if len(table.dealer.cards) > 1 else last
        return last if played.dealer.pontoon else max(second, bet.seq)
    at = played.standings.get(wager)
    if at is None or at.place not in ("pontoon", "twenty_one", "bust"):
        return last
    if line == "bonus":
        return last
    return max(done, bet.seq, bet.base.hand.cards[len(at.cards) - 1].seq)


def _with_settlements(round_: Round, added: Mapping[int, list[Settle]]) -> tuple[Any, ...]:
    events: list[Any] = []
    moved: dict[int, int] = {}
    for seq, event in enumerate(round_.events):
        moved[seq] = len(events)
        if isinstance(event, Settle) and event.reverses is not None:
            event = msgspec.structs.replace(event, reverses=moved[event.reverses])
        events += [event, *added.get(seq, [])]
    return tuple(events)


def found(rulebook: str, text: str, **readings: str) -> list[str]:
    """Codes found in a round, notices left out; wagers not settled in the text are settled as due."""
    return [each.code for each in findings(rulebook, text, **readings) if each.severity != "notice"]


def noticed(rulebook: str, text: str, **readings: str) -> list[str]:
    """Codes of the notices in a round."""
    return [each.code for each in findings(rulebook, text, **readings) if each.severity == "notice"]


def findings(rulebook: str, text: str, **readings: str) -> tuple[Finding, ...]:
    """Everything found in a round; wagers not settled in the text are settled as due."""
    rules = book(rulebook, **readings)
    return engine.replay_round(settled(play(rulebook, text), rules), rules).findings


def audited(rulebook: str, *texts: str) -> tuple[Finding, ...]:
    """Findings of the auditor on rounds of one shoe, in order, settled as due where not told."""
    auditor = Auditor(REGISTER)
    listed: list[Finding] = []
    for number, text in enumerate(texts, start=1):
        told = play(rulebook, text, round_id=f"round-{number}")
        if "round " not in text:
            told = msgspec.structs.replace(told, round_no=number)
        listed += auditor.audit(settled(told, book(rulebook))).findings
    return tuple(listed)
