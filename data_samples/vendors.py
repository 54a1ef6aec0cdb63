"""Rounds as two invented vendors would have written them, for the mappings that read such files.

``live_document`` is a live table's replay document: JSON, seats with hands keyed by number, cards
keyed by order, amounts in cents, times in milliseconds. ``hand_rows`` is a table of hands: one row
a player's hand, ranks without suits, a stake and a net result. Each gives None for a round that
its vendor has no words for. ``python -m data_samples.vendors [FOLDER]`` writes the samples, each
with the truth about its faulty rounds beside it. Same program, same bytes.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import msgspec

from data_samples.croupier import Truth, deal_night
from data_samples.write import truth_object
from rules_replay.log import (
    Amount,
    CutCard,
    Deal,
    Double,
    Forfeit,
    NoMoreBets,
    Round,
    Settle,
    Split,
    Stand,
    Surrender,
    Wager,
    amount_text,
)

SEED = 2026
SECOND = 1000

LIVE_FAULTS = frozenset(
    {
        "tie-paid",
        "five-card-21-even",
        "doubled-loser-short",
        "surrender-free",
        "card-after-bust",
        "dealer-stood-on-16",
        "double-two-cards",
        "split-ace-third-card",
    }
)
HAND_FAULTS = frozenset(
    {"tie-paid", "winner-taken", "loser-short", "pontoon-even", "dealer-stood-on-16", "card-after-bust"}
)

_TYPES = {
    "main": "MainBet",
    "split": "SplitBet",
    "double": "DoubleBet",
    "insurance": "InsuranceBet",
    "perfect_pairs": "PerfectPairsBet",
    "pair": "PairBet",
}
_LINES = {"super_bonus": "SuperBonus", "bonus": "TableBonus"}
_EASY = (Wager, NoMoreBets, Deal, Split, Double, Stand, Surrender, Forfeit, CutCard, Settle)

Row: TypeAlias = dict[str, str]
Money: TypeAlias = Counter[str]


class _Told:
    """A round gone through once: the cards of each hand, what was decided on it, its wagers."""

    def __init__(self, round_: Round) -> None:
        self.wagers = {each.id: each for each in round_.events if isinstance(each, Wager)}
        self.placed: dict[str, int] = {}
        self.cards: dict[tuple[int, int], list[tuple[int, str]]] = {}
        self.parents: dict[tuple[int, int], int] = {}
        self.decisions: list[tuple[int, tuple[int, int], str]] = []
        self.net: Money = Counter()
        self.settled: set[str] = set()
        self.bonuses: list[tuple[str, str, int]] = []
        self.plain = "decisions" in round_.facts and all(isinstance(each, _EASY) for each in round_.events)
        for seq, event in enumerate(round_.events):
            self._take(seq, event)

    def _take(self, seq: int, event: Any) -> None:
        match event:
            case Wager():
                self.placed[event.id] = seq
            case Deal():
                mine = self.cards.setdefault((event.box, event.hand), [])
                if len(mine) > 1 and event.box:
                    self._decided(seq, event, "Hit")
                mine.append((seq, event.card))
            case Split():
                self._decided(seq, event, "Split")
                moved = self.cards[event.box, event.hand].pop(1)
                self.cards[event.box, event.to] = [moved]
                self.parents[event.box, event.to] = event.hand
            case Double() | Stand() | Surrender():
                self.plain &= not (isinstance(event, Surrender) and event.wager is not None)
                self._decided(seq, event, type(event).__name__)
            case Forfeit():
                wager = self.wagers[event.wager]
                self._decided(seq, wager, "GiveUp")
            case Settle():
                self._settled(event)

    def _decided(self, seq: int, event: Any, word: str) -> None:
        self.decisions.append((seq, (event.box, event.hand), word))

    def _settled(self, event: Settle) -> None:
        self.plain &= event.reverses is None
        if event.line != "stake":
            self.bonuses.append((event.wager, event.line, int(event.paid or 0)))
            return
        self.plain &= event.wager not in self.settled
        self.settled.add(event.wager)
        self.net[event.wager] = int(event.paid or 0) - int(event.taken or 0)

    @property
    def whole(self) -> bool:
        """Every wager is settled once, nothing was decided by one of several on a hand."""
        riders = Counter((each.box, each.hand) for each in self.wagers.values() if each.kind == "main")
        alone = all(number == 1 for number in riders.values())
        return self.plain and self.settled == set(self.wagers) and alone

    def said(self, hand: tuple[int, int], word: str) -> bool:
        """Whether that was decided on a hand."""
        return any(at == hand and found == word for _, at, found in self.decisions)


def live_document(round_: Round, number: int | None = None) -> dict[str, Any] | None:
    """A round as the live table's replay document; ``number`` is its place in the shoe if not its own."""
    told = _Told(round_)
    start = int(round_.started_at.timestamp()) * SECOND
    if not told.whole or any(each.kind not in _TYPES for each in told.wagers.values()):
        return None
    moved = [*(int(each.amount) for each in told.wagers.values()), *told.net.values()]
    if any(each % 10 for each in moved) or any(len(cards) == 0 for cards in told.cards.values()):
        return None

    def at(seq: int) -> int:
        return start + SECOND * seq

    def cards_of(hand: tuple[int, int]) -> dict[str, Any]:
        return {
            str(place): {"code": f"{card[-1]}_{card[:-1]}", "dealtAt": at(seq)}
            for place, (seq, card) in enumerate(told.cards.get(hand, []), 1)
        }

    seats: dict[str, Any] = {}
    for hand in sorted({each for each in told.cards if each[0]}):
        box, no = hand
        seat = seats.setdefault(str(box), {"player": _controller(told, box), "hands": {}})
        mine = [(seq, word) for seq, where, word in told.decisions if where == hand]
        parent = told.parents.get(hand)
        seat["hands"][str(no)] = {
            "key": _key(box, no),
            "parentKey": None if parent is None else _key(box, parent),
            "cards": cards_of(hand),
            "cancelledCards": {},
            "actions": {
                str(place): {"action": word, "at": at(seq)} for place, (seq, word) in enumerate(mine, 1)
            },
            "cancelledActions": {},
            "result": _result(told, hand),
        }
    players: dict[str, Any] = {}
    for wager in told.wagers.values():
        players.setdefault(wager.player, {"bets": []})["bets"].append(
            {
                "seat": wager.box,
                "hand": _key(wager.box, wager.hand),
                "type": _TYPES[wager.kind],
                "stake": int(wager.amount) // 10,
                "payoff": (int(wager.amount) + told.net[wager.id]) // 10,
                "status": "Settled",
                "placedAt": at(told.placed[wager.id]),
                "personalLimit": None if wager.limit is None else int(wager.limit) // 10,
            }
        )
    for name, line, paid in told.bonuses:
        wager = told.wagers[name]
        players[wager.player]["bets"].append(
            {
                "seat": wager.box,
                "hand": _key(wager.box, wager.hand),
                "type": _LINES[line],
                "stake": 0,
                "payoff": paid // 10,
                "status": "Settled",
                "placedAt": at(told.placed[wager.id]),
                "personalLimit": None,
            }
        )
    return {
        "gameId": round_.round_id,
        "gameType": "pontoon",
        "status": "Resolved",
        "startedAt": start,
        "endedAt": at(len(round_.events)),
        "table": {"id": round_.table, "decks": round_.decks, "currency": round_.currency},
        "shoe": {"id": round_.shoe, "game": number or round_.round_no, "shuffler": round_.shuffler},
        "dealer": {"name": round_.dealer, "cards": cards_of((0, 1)), "cancelledCards": {}},
        "limits": _limits(round_),
        "seats": seats,
        "players": players,
    }


def _key(box: int, hand: int) -> str:
    return f"seat{box}/{hand}"


def _controller(told: _Told, box: int) -> str | None:
    mains = (each.player for each in told.wagers.values() if each.box == box and each.kind == "main")
    return next(mains, None)


def _result(told: _Told, hand: tuple[int, int]) -> str:
    net = sum(told.net[each.id] for each in told.wagers.values() if (each.box, each.hand) == hand)
    return "Win" if net > 0 else "Lose" if net < 0 else "Push"


def _limits(round_: Round) -> dict[str, int]:
    sign = round_.limits
    names = {
        "min": "min",
        "max": "max",
        "boxMax": "box_max",
        "multiples": "multiples",
        "chip": "smallest_chip",
    }
    found = {name: getattr(sign, ours) for name, ours in names.items()} if sign is not None else {}
    return {name: int(amount) // 10 for name, amount in found.items() if amount is not None}


CARD_COLUMNS = 9
"""Columns for the cards of a hand."""

COLUMNS = (
    *("round", "table", "started", "seat", "hand", "from_hand", "player", "play"),
    *(f"card{number}" for number in range(1, CARD_COLUMNS + 1)),
    *(f"dealer{number}" for number in range(1, CARD_COLUMNS + 1)),
    *("stake", "net", "insurance", "insurance_net"),
)


def hand_rows(round_: Round, zone: str) -> list[Row] | None:
    """A round as rows of the table of hands, times in a zone without their offset."""
    told = _Told(round_)
    kinds = {each.kind for each in told.wagers.values()}
    fits = all(len(cards) <= CARD_COLUMNS for cards in told.cards.values())
    if not told.whole or told.bonuses or not fits or not kinds <= {"main", "split", "double", "insurance"}:
        return None
    rows = []
    for hand in sorted(each for each in told.cards if each[0]):
        mine = [each for each in told.wagers.values() if (each.box, each.hand) == hand]
        base = [each for each in mine if each.kind in ("main", "split")]
        double = [each for each in mine if each.kind == "double"]
        if len(base) != 1 or len(double) > 1 or any(each.amount != base[0].amount for each in double):
            return None
        rows.append(_hand_row(round_, told, hand, [*base, *double], zone))
    return rows


def _hand_row(round_: Round, told: _Told, hand: tuple[int, int], wagers: list[Wager], zone: str) -> Row:
    words = {"Double": "D", "Surrender": "R", "GiveUp": "G"}
    insured = [each for each in told.wagers.values() if each.kind == "insurance" and each.box == hand[0]]
    insured = insured if hand not in told.parents else []
    parent = told.parents.get(hand)
    row = {
        "round": round_.round_id,
        "table": round_.table,
        "started": round_.started_at.astimezone(ZoneInfo(zone)).strftime("%d/%m/%Y %H:%M:%S"),
        "seat": str(hand[0]),
        "hand": str(hand[1]),
        "from_hand": "" if parent is None else str(parent),
        "player": wagers[0].player,
        "play": "".join(words[word] for word in words if told.said(hand, word)),
        "stake": _comma(sum(int(each.amount) for each in wagers)),
        "net": _comma(sum(told.net[each.id] for each in wagers)),
        "insurance": _comma(sum(int(each.amount) for each in insured)) if insured else "",
        "insurance_net": _comma(sum(told.net[each.id] for each in insured)) if insured else "",
    }
    for name, cards in (("card", told.cards[hand]), ("dealer", told.cards.get((0, 1), []))):
        row |= {f"{name}{place}": card[:-1] for place, (_, card) in enumerate(cards, 1)}
    return row


def _comma(amount: int) -> str:
    return amount_text(Amount(amount)).replace(".", ",")


def rows_text(rows: Iterable[Row]) -> str:
    """Rows as the vendor's CSV text."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", delimiter=";", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


# --- the samples --------------------------------------------------------------------------

Written: TypeAlias = Callable[[Round], Any]


def chosen(
    rulebook: str, write: Written, labels: frozenset[str], lawful: int
) -> list[tuple[Round, Truth | None]]:
    """So many rounds in order, and one with each of some faults, that a vendor has the words for."""
    night = deal_night(rulebook, SEED, 4000, faults="all", rate=0.1, labels=labels, tables=2)
    wanted = set(labels)
    found: list[tuple[Round, Truth | None]] = []
    count = 0
    for round_, truth in night:
        if truth is None and count >= lawful:
            continue
        if truth is not None and truth.fault not in wanted:
            continue
        if _over_the_sign(round_) or write(round_) is None:
            continue
        found.append((round_, truth))
        if truth is None:
            count += 1
        else:
            wanted.remove(truth.fault)
        if not wanted and count >= lawful:
            break
    if wanted:
        raise ValueError(f"no round for {', '.join(sorted(wanted))}")
    return found


def _over_the_sign(round_: Round) -> bool:
    most = round_.limits.max if round_.limits is not None else None
    return most is not None and any(isinstance(each, Wager) and each.amount > most for each in round_.events)


def live_sample() -> tuple[bytes, list[Truth]]:
    """The replay documents of some games as one JSON document, and what is wrong with some of them."""
    rounds = chosen("nz-2000", live_document, LIVE_FAULTS, 40)
    games: list[dict[str, Any]] = []
    in_shoe: Counter[str] = Counter()
    for round_, _ in rounds:
        in_shoe[round_.shoe] += 1
        document = live_document(round_, in_shoe[round_.shoe])
        if document is not None:
            games.append(document)
    _cancel(games)
    lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in games)
    text = f'{{"exported":"2026-01-05","games":[\n{lines}\n]}}'
    return text.encode() + b"\n", [truth for _, truth in rounds if truth is not None]


def _cancel(games: list[dict[str, Any]]) -> None:
    """Put in what a live table takes back: a card read wrongly, a decision made in error, a bet refused."""
    card_at, action_at, bet_at = games[1], games[2], games[3]
    card_at["dealer"]["cancelledCards"]["1"] = {"code": "H_4", "dealtAt": card_at["startedAt"] + 500}
    hand = next(iter(next(iter(action_at["seats"].values()))["hands"].values()))
    hand["cancelledActions"]["1"] = {"action": "Double", "at": action_at["endedAt"] - SECOND}
    player = next(iter(bet_at["players"].values()))
    player["bets"].append(player["bets"][0] | {"status": "Rejected", "stake": 500_000, "payoff": 500_000})


def hands_sample() -> tuple[bytes, list[Truth]]:
    """The table of hands of some rounds, and what is wrong with some of them."""
    rounds = chosen("act-2018", lambda each: hand_rows(each, "Australia/Sydney"), HAND_FAULTS, 60)
    rows = [row for round_, _ in rounds for row in hand_rows(round_, "Australia/Sydney") or ()]
    return rows_text(rows).encode(), [truth for _, truth in rounds if truth is not None]


SAMPLES = {"live-replay.json": live_sample, "hand-table.csv": hands_sample}


def main(arguments: list[str]) -> int:
    """Write the samples; 2 for arguments that make no sense."""
    if len(arguments) > 1:
        print("python -m data_samples.vendors takes one folder at most", file=sys.stderr)
        return 2
    folder = Path(arguments[0]) if arguments else Path(__file__).with_name("foreign")
    folder.mkdir(parents=True, exist_ok=True)
    for name, sample in SAMPLES.items():
        data, truths = sample()
        (folder / name).write_bytes(data)
        lines = [msgspec.json.encode(truth_object(truth)) + b"\n" for truth in truths]
        (folder / name).with_suffix(".truth").write_bytes(b"".join(lines))
        print(f"{name}: {len(truths)} rounds with a fault", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
