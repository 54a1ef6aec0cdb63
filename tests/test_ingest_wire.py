"""Lines that are refused, and why; and lines that look odd and are legal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.ingest import wire
from audit.ingest.wire import Rejected
from tests.test_ingest_rounds import BARE

BROKEN = Path(__file__).parent / "broken"

REFUSED = {
    "a-list": ("", "expected one round as a JSON object, got a list"),
    "amount-absurd": ("events[0].amount", "expected at most 999999999999.999, got '1000000000000000'"),
    "amount-as-number": ("events[0].amount", "expected an amount as a decimal string, got 25"),
    "amount-negative": ("events[0].amount", "got '-25'"),
    "amount-with-a-comma": ("events[0].amount", "got '1,000'"),
    "amount-with-four-decimals": ("events[0].amount", "at most three decimals, got '25.0001'"),
    "assign-to-a-box-without-a-hand": (
        "events[7].box",
        "no earlier event placed a wager on box 2 or dealt a card to it",
    ),
    "assign-to-a-hand-without-split": ("events[7].hand", "no earlier split made hand 3 of box 1"),
    "blank-line": ("", "blank line"),
    "box-below-range": ("events[0].box", "expected a whole number of at least 1, got 0"),
    "burn-from-a-box-without-a-hand": (
        "events[7].box",
        "no earlier event placed a wager on box 2 or dealt a card to it",
    ),
    "burn-from-a-hand-without-box": ("events[7].box", "missing; a burn from a hand requires it"),
    "card-that-is-none": ("events[1].card", "expected a card such as 'AS' or '8H', got '8X'"),
    "currency-in-small-letters": ("currency", "three capital letters, such as AUD, got 'aud'"),
    "double-of-no-hand": ("events[7].box", "no earlier event placed a wager on box 2 or dealt a card to it"),
    "double-on-no-wager": ("events[8].on", "no earlier event placed wager 'z'"),
    "double-without-on": ("events[8].on", "missing; a wager of kind double requires it"),
    "ends-in-the-middle": ("", "not JSON: the line ends in the middle of a value"),
    "event-not-an-object": ("events[4]", "expected an object, got 'stand'"),
    "event-time-without-offset": ("events[4].at", "with its offset"),
    "event-without-e": ("events[4].e", "missing"),
    "forfeit-of-no-wager": ("events[7].wager", "no earlier event placed wager 'z'"),
    "fraction-for-whole-number": ("events[0].box", "expected a whole number, got 1.5"),
    "half-a-surrogate": ("", "not JSON"),
    "hand-without-split": ("events[7].hand", "no earlier split made hand 2 of box 1"),
    "irregularity-on-a-hand-without-split": ("events[7].hand", "no earlier split made hand 2 of box 1"),
    "key-twice": ("table", "stands twice"),
    "key-twice-in-an-event": ("events[0].amount", "stands twice"),
    "key-twice-outside-the-format": ("pit.a", "stands twice"),
    "nested-too-deep": ("", "nested too deep"),
    "nested-too-deep-outside-the-format": ("", "nested too deep"),
    "not-json": ("", "not JSON"),
    "not-utf8": ("", "not UTF-8: byte 0xe9 at byte 92"),
    "nul-byte": ("", "NUL character"),
    "nul-escaped": ("", "NUL character"),
    "number-for-text": ("table", "expected text, got 3"),
    "press-of-no-wager": ("events[7].wager", "no earlier event placed wager 'z'"),
    "reversal-of-another-wager": ("events[8].reverses", "an earlier settlement of wager 'b', got 7"),
    "reversal-of-no-settlement": ("events[7].reverses", "an earlier settlement of wager 'a', got 1"),
    "reversal-of-what-comes-later": ("events[6].reverses", "an earlier settlement of wager 'a', got 7"),
    "reversal-twice": ("events[8].reverses", "seq 6 was already reversed"),
    "reversal-with-a-result": ("events[7].reverses", "carries no result, paid or taken"),
    "round-id-with-a-space": ("round_id", "1 to 64 of the characters"),
    "round-without-events": ("events", "missing"),
    "round-without-venue": ("venue", "missing"),
    "settle-before-its-wager": ("events[0].wager", "no earlier event placed wager 'a'"),
    "settle-of-no-wager": ("events[6].wager", "no earlier event placed wager 'b'"),
    "settle-without-result": ("events[6].result", "missing; a settlement requires it"),
    "settle-without-taken": ("events[6].taken", "missing; a settlement requires it"),
    "split-of-no-hand": ("events[7].box", "no earlier event placed a wager on box 2 or dealt a card to it"),
    "split-to-a-hand-that-exists": ("events[8].to", "hand 2 of box 1 exists"),
    "stand-on-no-hand": ("events[7].box", "no earlier event placed a wager on box 2 or dealt a card to it"),
    "surrender-of-no-hand": (
        "events[7].box",
        "no earlier event placed a wager on box 2 or dealt a card to it",
    ),
    "surrender-of-no-wager": ("events[7].wager", "no earlier event placed wager 'z'"),
    "text-for-number": ("round_no", "expected a whole number, got '7'"),
    "time-as-number": ("started_at", "with its offset, such as 2019-03-01T20:14:05+11:00, got 1551431645"),
    "time-in-words": ("started_at", "got '1 March 2019, 8.14 pm'"),
    "time-out-of-range": ("started_at", "outside the years 2 to 9998"),
    "time-without-offset": ("started_at", "with its offset"),
    "two-rounds-on-a-line": ("", "not JSON: trailing characters"),
    "unknown-event": ("events[4].e", "unknown event 'insure'; expected one of wager, no_more_bets, deal"),
    "unknown-format": ("format", "unknown format 'pontoon-round/2'"),
    "unknown-kind": ("events[0].kind", "unknown kind 'mainn'; expected one of main, split, double"),
    "unknown-line": ("events[6].line", "unknown line 'bonus_super'; expected one of stake, super_bonus"),
    "unknown-result": ("events[6].result", "unknown result 'won'; expected one of win, lose, stand_off"),
    "venue-empty": ("venue", "empty; expected text"),
    "venue-reserved": ("venue", "stands for an unknown venue"),
    "venue-too-long-for-a-folder": ("venue", "too long to name a folder"),
    "void-of-a-hand-without-box": ("events[7].box", "missing; a void of scope hand requires it"),
    "void-of-a-wager-without-wager": ("events[7].wager", "missing; a void of scope wager requires it"),
    "void-of-no-hand": ("events[7].box", "no earlier event placed a wager on box 2 or dealt a card to it"),
    "void-of-no-wager": ("events[7].wager", "no earlier event placed wager 'z'"),
    "wager-on-a-hand-without-split": ("events[7].hand", "no earlier split made hand 2 of box 1"),
    "wager-twice": ("events[1].id", "wager 'a' was placed before"),
    "wager-without-player": ("events[0].player", "missing"),
    "withdraw-of-no-wager": ("events[7].wager", "no earlier event placed wager 'z'"),
}
"""By file of ``broken``: the field named and words of the reason."""


def refusal(line: bytes) -> Rejected:
    with pytest.raises(Rejected) as caught:
        wire.decode_line(line)
    return caught.value


def with_events(*events: dict[str, Any]) -> bytes:
    return msgspec.json.encode(BARE | {"events": list(events)})


class TestRefused:
    """A line that cannot be replayed is refused with the field and what is wrong with it."""

    @pytest.mark.parametrize("name", sorted(REFUSED))
    def test_the_field_and_the_reason_are_named(self, name: str) -> None:
        rejected = refusal((BROKEN / f"{name}.jsonl").read_bytes().removesuffix(b"\n"))
        field, words = REFUSED[name]
        assert rejected.field == field
        assert words in rejected.reason
        assert "\n" not in rejected.reason
        assert len(rejected.reason) <= 300

    def test_every_broken_line_kept_is_listed(self) -> None:
        one_line = {path.stem for path in BROKEN.glob("*.jsonl") if path.stat().st_size}
        assert one_line == set(REFUSED)

    @pytest.mark.parametrize("name", ["unknown-kind", "settle-of-no-wager", "key-twice", "not-utf8"])
    def test_round_venue_and_start_are_read_where_they_can_be(self, name: str) -> None:
        rejected = refusal((BROKEN / f"{name}.jsonl").read_bytes())
        assert rejected.round_id == "CBR-P03-000123"
        assert rejected.venue == "casino-canberra"
        assert rejected.started_at is not None
        assert rejected.started_at.isoformat() == "2019-03-01T20:14:05+11:00"

    def test_the_round_id_is_read_off_a_line_cut_short(self) -> None:
        assert refusal((BROKEN / "ends-in-the-middle.jsonl").read_bytes()).round_id == "CBR-P03-000123"

    def test_a_reason_stays_short_whatever_the_line_holds(self) -> None:
        line = with_events(
            {"e": "wager", "id": "a", "box": 1, "player": "P", "kind": "main", "amount": "9" * 10**6}
        )
        assert len(refusal(line).reason) <= 300

    @pytest.mark.parametrize("spaced", [b'"table" : "P04"', b'"table"\t: "P04"', b'"t\\u0061ble":"P04"'])
    def test_a_key_twice_is_found_however_it_is_written(self, spaced: bytes) -> None:
        line = msgspec.json.encode(BARE)[:-1] + b"," + spaced + b"}"
        assert refusal(line).field == "table"

    @pytest.mark.parametrize(
        ("changes", "field", "words"),
        [
            ({"started_at": "2019-03-01T20:14:05+1100"}, "started_at", "got '2019-03-01T20:14:05+1100'"),
            ({"ended_at": "2019-03-01T20:14:05.5-0330"}, "ended_at", "got '2019-03-01T20:14:05.5-0330'"),
            ({"events": [{"e": "cut_card", "at": "2019-03-01T20:14:05+0000"}]}, "events[0].at", "+0000'"),
            ({"table": ""}, "table", "empty; expected text"),
            ({"table": "x" * 201}, "table", "expected at most 200 characters, got 201"),
            ({"decks": 6.5}, "decks", "expected a whole number, got 6.5"),
            ({"round_no": 10**50}, "round_no", "got a whole number of 51 digits"),
            ({"format": "x"}, "format", "unknown format 'x'; expected pontoon-round/1"),
            ({"limits": {"min": {"a": 1}}}, "limits.min", "as a decimal string, got an object"),
            ({"limits": {"min": True}}, "limits.min", "as a decimal string, got true"),
            (
                {"limits": {"min": "1000000000000"}},
                "limits.min",
                "at most 999999999999.999, got '1000000000000'",
            ),
            ({"events": [{"e": None}]}, "events[0].e", "expected text, got null"),
            ({"events": [{"e": "deal", "box": 1, "card": None}]}, "events[0].card", "or '8H', got null"),
        ],
        ids=str,
    )
    def test_what_was_found_is_told_as_it_stands(
        self, changes: dict[str, Any], field: str, words: str
    ) -> None:
        rejected = refusal(msgspec.json.encode(BARE | changes))
        assert rejected.field == field
        assert words in rejected.reason

    @pytest.mark.parametrize("found", ["Dealer+1100", "2019-03-01T20:14:05+11:00"])
    def test_only_an_instant_needs_the_colon(self, found: str) -> None:
        line = msgspec.json.encode(BARE | {"dealer": found, "seat": "+1100", "updated_at": "x+1100"})
        assert wire.decode_line(line).round.dealer == found

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            (msgspec.json.encode(BARE).decode().encode("utf-16"), "UTF-16 text; expected UTF-8"),
            (b"PK\x03\x04\x14\x00\x00", "a zip archive; expected a log as plain text, gzip or zstd"),
            (b"BZh91AY&SY\xf7\xe8", "bzip2 data"),
            (b"\xfd7zXZ\x00", "xz data"),
            (b"PAR1\x15\x00", "Parquet"),
            (b"{", "the line ends in the middle of a value; a round stands on one line"),
            (b'"format": "x",', "not JSON: trailing characters (byte 8)"),
            ('"é": [1],'.encode(), "not JSON: trailing characters (byte 4)"),
        ],
    )
    def test_a_line_that_is_no_round_is_called_what_it_is(self, line: bytes, words: str) -> None:
        rejected = refusal(line)
        assert rejected.field == ""
        assert words in rejected.reason

    @pytest.mark.parametrize(
        ("written", "field"),
        [
            (b'"limits":{"min":"5","min":"6"}', "limits.min"),
            (b'"x":{"a":[{"b":1},{"b":1,"b":2}]}', "x.a[1].b"),
            (b'"x":{"a":1,"a":2},"x":1', "x"),
            (b'"x":[[],{},[{"y":1,"y":1}]],"z":{"a":1,"a":1}', "x[2][0].y"),
            (b'"x":1,"x":{"a":1,"a":2}', "x"),
        ],
        ids=str,
    )
    def test_a_key_twice_is_named_by_its_path(self, written: bytes, field: str) -> None:
        assert refusal(msgspec.json.encode(BARE)[:-1] + b"," + written + b"}").field == field

    def test_text_that_begins_with_a_colon_hides_no_key_twice(self) -> None:
        line = msgspec.json.encode(BARE | {"dealer": ":x"})
        assert wire.decode_line(line).round.dealer == ":x"
        assert refusal(line[:-1] + b',"table":"P04"}').field == "table"

    @given(st.data())
    def test_damage_anywhere_is_refused_or_read_and_never_crashes(self, data: st.DataObject) -> None:
        good = (BROKEN / "unknown-kind.jsonl").read_bytes().replace(b"mainn", b"main").strip()
        place = data.draw(st.integers(0, len(good) - 1))
        end = data.draw(st.integers(place, min(len(good), place + 20)))
        line = good[:place] + data.draw(st.binary(max_size=6)) + good[end:]
        try:
            wire.content_digest(wire.decode_line(line).round)
        except Rejected as refused:
            reason = refused.reason
        else:
            reason = "none"
        assert reason

    @given(st.integers(1, 3000), st.booleans())
    def test_depth_outside_the_format_is_kept_or_refused(self, depth: int, spaced: bool) -> None:
        nest = (b"[ " if spaced else b"[") * depth + b"]" * depth
        line = msgspec.json.encode(BARE)[:-1] + b',"note":' + nest + b"}"
        try:
            found = wire.decode_line(line).extra
        except Rejected as refused:
            found = refused.reason
        kept = '{"note":' + "[" * depth + "]" * depth + "}"
        assert found == kept or (depth > 100 and found and found.startswith("nested too deep"))


WAGER = {"e": "wager", "id": "a", "box": 1, "player": "P1", "kind": "main", "amount": "25"}
LOSE = {"e": "settle", "wager": "a", "result": "lose", "paid": "0", "taken": "10"}


class TestLegal:
    """What breaks a rule of the game is a finding, not a reason to refuse the line."""

    @pytest.mark.parametrize(
        "events",
        [
            [WAGER, LOSE, LOSE],
            [WAGER, LOSE, {"e": "settle", "wager": "a", "reverses": 1}, LOSE],
            [WAGER, {"e": "settle", "wager": "a", "line": "super_bonus", "result": "win", "paid": "50"}],
            [{"e": "deal", "box": 9, "card": "10S"}, {"e": "deal", "box": 0, "card": "??"}],
            [WAGER, {"e": "split", "box": 1, "to": 4}, {"e": "deal", "box": 1, "hand": 4, "card": "JK"}],
            [WAGER, {"e": "void", "scope": "round"}, {"e": "void", "scope": "hand", "box": 1}],
            [WAGER, {"e": "burn", "card": "8S", "from": "hand", "box": 1}],
            [{"e": "deal", "box": 4, "card": "8S"}, {"e": "stand", "box": 4}],
            [{"e": "irregularity", "code": "absent_player", "box": 4, "hand": 1}],
            [WAGER, {"e": "surrender", "box": 1, "wager": "a"}, {"e": "withdraw", "wager": "a"}],
            [WAGER, {"e": "settle", "wager": "a", "result": "win", "paid": "999999999999.999", "taken": "0"}],
        ],
        ids=[
            "several stake lines",
            "reversed and settled again",
            "bonus without taken",
            "ten, unreadable, box without wager",
            "split to a far hand, joker",
            "voids",
            "burn from hand one",
            "a stand without a wager",
            "an irregularity before wager and card",
            "surrender and withdraw",
            "largest amount",
        ],
    )
    def test_it_is_read(self, events: list[dict[str, Any]]) -> None:
        assert len(wire.decode_line(with_events(*events)).round.events) == len(events)

    def test_carriage_return_and_blanks_around_the_object(self) -> None:
        assert wire.decode_line(b" " + msgspec.json.encode(BARE) + b" \r").round.table == "P03"


class TestFieldsOutsideTheFormat:
    """They are kept as they were written, by path, and never an error."""

    def test_they_are_kept_by_path(self) -> None:
        line = msgspec.json.encode(
            BARE
            | {
                "pit": {"name": "North", "no": msgspec.Raw(b"1.50")},
                "limits": {"min": "5", "chairs": 7},
                "events": [{"e": "cut_card"}, {"e": "no_more_bets", "gesture": msgspec.Raw(b"1e999")}],
            }
        )
        decoded = wire.decode_line(line)
        assert decoded.extra == (
            '{"events[1].gesture":1e999,"limits.chairs":7,"pit":{"name":"North","no":1.50}}'
        )
        assert decoded.unknown == ("events[].gesture", "limits.chairs", "pit")

    def test_none_is_none(self) -> None:
        assert wire.decode_line(msgspec.json.encode(BARE)).extra is None
