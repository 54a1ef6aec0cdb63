"""Rounds of every legal shape, as Hypothesis draws them, survive every form they are kept in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.ingest import wire
from audit.ingest.columns import Columns, Origin, events_of, money_array, rounds_of, thousandths_of
from rules_replay import log
from rules_replay.cards import LEGAL_TEXTS
from rules_replay.log import Round

AMOUNTS = st.integers(0, log.MAX_AMOUNT).map(log.amount_text)
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
CARDS = st.sampled_from(sorted(LEGAL_TEXTS))
BOXES = st.integers(1, 99)
OFFSETS = st.integers(-12 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
INSTANTS = st.datetimes(datetime(2, 1, 2), datetime(9998, 12, 30), timezones=OFFSETS).map(  # noqa: DTZ001
    datetime.isoformat
)


_ON_A_HAND = {"assign", "double", "split", "stand", "surrender"}
"""Events of a hand that an earlier event must have made."""


@st.composite
def events(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Events in an order that can be followed: every reference is to something earlier."""
    made: list[dict[str, Any]] = []
    wagers: list[str] = []
    hands: dict[int, int] = {}
    settled: dict[int, str] = {}
    for _ in range(draw(st.integers(0, 12))):
        kinds = set(log.EVENT_KINDS)
        if not wagers:
            kinds -= {"assign", "forfeit", "withdraw", "settle"}
        if not hands:
            kinds -= _ON_A_HAND
        kind = draw(st.sampled_from(sorted(kinds)))
        again = bool(hands) and (kind in _ON_A_HAND or draw(st.booleans()))
        box = draw(st.sampled_from(sorted(hands)) if again else BOXES)
        hand = draw(st.integers(1, hands.get(box, 1)))
        if kind in ("deal", "wager"):
            hands.setdefault(box, 1)
        event: dict[str, Any] = {"e": kind}
        if draw(st.integers(0, 5)) == 0:
            event["at"] = draw(INSTANTS)
        if kind not in ("no_more_bets", "cut_card", "forfeit", "withdraw", "settle", "press"):
            event |= {"box": box}
            if hand != 1 or draw(st.booleans()):
                event["hand"] = hand
        if kind == "wager":
            event["kind"] = draw(st.sampled_from(get_args(log.WagerKind)))
            if event["kind"] in ("split", "double", "insurance") and not wagers:
                event["kind"] = "main"
            if event["kind"] in ("split", "double", "insurance"):
                event["on"] = draw(st.sampled_from(wagers))
            event |= {"id": f"w{len(wagers)}", "player": draw(NAMES), "amount": draw(AMOUNTS)}
            if draw(st.booleans()):
                event["limit"] = draw(AMOUNTS)
            wagers.append(event["id"])
        elif kind in ("deal", "burn"):
            event["card"] = draw(CARDS)
            if kind == "burn":
                event["from"] = draw(st.sampled_from(["shoe", "hand"] if box in hands else ["shoe"]))
        elif kind == "split":
            event["to"] = hands[box] = hands[box] + 1
        elif kind == "press":
            event |= {"box": box, "multiplier": draw(st.integers(0, 10**9))}
        elif kind == "irregularity":
            event["code"] = draw(st.sampled_from(get_args(log.IrregularityCode)))
        elif kind == "void":
            known = {"round": True, "hand": box in hands, "wager": bool(wagers)}
            scope = draw(st.sampled_from([each for each, is_known in known.items() if is_known]))
            event |= {"scope": scope, "reason": draw(NAMES)}
            if scope == "wager":
                event["wager"] = draw(st.sampled_from(wagers))
        elif kind in ("assign", "forfeit", "withdraw"):
            event["wager"] = draw(st.sampled_from(wagers))
        elif kind == "settle":
            _settle(draw, event, wagers, settled, len(made))
        made.append(event)
    return made


def _settle(
    draw: st.DrawFn, event: dict[str, Any], wagers: list[str], settled: dict[int, str], seq: int
) -> None:
    if len(settled) > 0 and draw(st.booleans()):
        undone = draw(st.sampled_from(sorted(settled)))
        event |= {"wager": settled.pop(undone), "reverses": undone}
        return
    event |= {
        "wager": draw(st.sampled_from(wagers)),
        "result": draw(st.sampled_from(get_args(log.Result))),
        "paid": draw(AMOUNTS),
        "taken": draw(AMOUNTS),
    }
    if draw(st.booleans()):
        event["line"] = draw(st.sampled_from(get_args(log.Line)))
    settled[seq] = event["wager"]


@st.composite
def plain_rounds(draw: st.DrawFn) -> dict[str, Any]:
    """A legal round as the JSON object that a recorder writes."""
    optional: dict[str, st.SearchStrategy[Any]] = {
        "ended_at": INSTANTS,
        "rulebook": NAMES,
        "shuffler": st.sampled_from(get_args(log.Shuffler)),
        "dealer": NAMES,
        "supervisor": NAMES,
        "limits": st.dictionaries(st.sampled_from(log.Limits.__struct_fields__), AMOUNTS),
        "offers": st.lists(NAMES, max_size=3),
        "records": st.lists(st.sampled_from(log.FACTS), max_size=4),
        "last_rounds": st.booleans(),
    }
    required: dict[str, st.SearchStrategy[Any]] = {
        "format": st.just(log.FORMAT),
        "round_id": st.from_regex(r"[A-Za-z0-9._:-]{1,64}", fullmatch=True),
        "venue": NAMES,
        "table": NAMES,
        "shoe": NAMES,
        "round_no": st.integers(1, 2**31 - 1),
        "started_at": INSTANTS,
        "decks": st.integers(0, 1000),
        "currency": st.from_regex(r"[A-Z]{3}", fullmatch=True),
        "events": events(),
    }
    return draw(st.fixed_dictionaries(required, optional=optional))


def decoded(plain: dict[str, Any]) -> Round:
    """The round of a JSON object."""
    return wire.decode_line(msgspec.json.encode(plain)).round


class TestRoundTrip:
    """What a recorder wrote comes back equal, whatever it was kept in."""

    @given(plain_rounds())
    def test_a_line_written_again_reads_equal(self, plain: dict[str, Any]) -> None:
        round_ = decoded(plain)
        assert decoded(msgspec.json.decode(wire.encode_line(round_))) == round_

    @given(st.lists(plain_rounds(), max_size=4))
    def test_columns_give_the_rounds_back(self, plains: list[dict[str, Any]]) -> None:
        rounds = [msgspec.structs.replace(decoded(plain), venue="v") for plain in plains]
        columns = Columns()
        for line, round_ in enumerate(rounds, 1):
            digest = wire.content_digest(round_)
            columns.add(round_, extra=None, digest=digest, origin=Origin("f", "s", line, 0))
        table, event_table = columns.tables()
        back = list(rounds_of(table, events_of(event_table), "v"))
        assert back == rounds
        assert [wire.content_digest(each) for each in back] == table["content_sha256"].to_pylist()
        assert [each.started_at.utcoffset() for each in back] == [
            each.started_at.utcoffset() for each in rounds
        ]

    def test_amounts_keep_every_thousandth(self) -> None:
        amounts = [0, 1, 999, 12_500, log.MAX_AMOUNT, None]
        array = money_array(amounts)
        assert str(array[3]) == "12.500"
        assert thousandths_of(array).to_pylist() == amounts


class TestContentDigest:
    """Two lines have one digest exactly when they say the same."""

    @given(plain_rounds(), st.randoms(use_true_random=False))
    def test_order_of_keys_is_no_content(self, plain: dict[str, Any], random: Any) -> None:
        names = list(plain)
        random.shuffle(names)
        shuffled = {name: plain[name] for name in names}
        assert wire.content_digest(decoded(shuffled)) == wire.content_digest(decoded(plain))

    @given(plain_rounds())
    def test_the_offset_of_an_instant_is_no_content(self, plain: dict[str, Any]) -> None:
        moved = dict(plain)
        moved["started_at"] = datetime.fromisoformat(plain["started_at"]).astimezone(UTC).isoformat()
        assert wire.content_digest(decoded(moved)) == wire.content_digest(decoded(plain))

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ({"limits": {"min": "5"}}, {"limits": {"min": "5.000"}}),
            ({}, {"shuffler": "manual"}),
            ({}, {"last_rounds": False}),
            ({}, {"limits": {}}),
            (
                {"events": [{"e": "burn", "card": "8S"}]},
                {"events": [{"e": "burn", "card": "8S", "from": "shoe"}]},
            ),
            (
                {"events": [{"e": "deal", "box": 1, "card": "8S"}]},
                {"events": [{"card": "8S", "hand": 1, "box": 1, "e": "deal"}]},
            ),
        ],
        ids=["trailing zeros", "shuffler", "last rounds", "no limits", "burn from the shoe", "hand one"],
    )
    def test_spelled_defaults_are_no_content(self, one: dict[str, Any], other: dict[str, Any]) -> None:
        assert wire.content_digest(decoded(BARE | one)) == wire.content_digest(decoded(BARE | other))

    @pytest.mark.parametrize(
        "change",
        [
            {"offers": []},
            {"records": []},
            {"decks": 5},
            {"started_at": "2019-03-01T20:14:05.000001+11:00"},
            {"events": [{"e": "cut_card"}, {"e": "no_more_bets"}]},
        ],
        ids=["no offers", "no records", "decks", "a microsecond", "order of events"],
    )
    def test_anything_else_is_content(self, change: dict[str, Any]) -> None:
        plain = BARE | {"events": [{"e": "no_more_bets"}, {"e": "cut_card"}]}
        assert wire.content_digest(decoded(plain | change)) != wire.content_digest(decoded(plain))

    def test_fields_outside_the_format_are_content(self) -> None:
        one, other = (
            wire.decode_line(msgspec.json.encode(BARE | {"pit": pit})) for pit in ("North", "South")
        )
        assert one.round == other.round
        assert wire.content_digest(one.round, one.extra) != wire.content_digest(other.round, other.extra)


BARE: dict[str, Any] = {
    "format": log.FORMAT,
    "round_id": "CBR-P03-000123",
    "venue": "casino-canberra",
    "table": "P03",
    "shoe": "P03-20190301-04",
    "round_no": 7,
    "started_at": "2019-03-01T20:14:05+11:00",
    "decks": 6,
    "currency": "AUD",
    "events": [],
}
