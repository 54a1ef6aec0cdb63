"""Vendors' records that are broken, one for each way of being broken: refused, with place and reason."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.errors import SourceFailed
from audit.ingest.lines import Refused
from tests.commands import pontoon
from tests.mappings import SAMPLES, json_document, mapping, read, refusals, rounds, shipped_text

LIVE = mapping(shipped_text("live-replay"))
HANDS = mapping(shipped_text("hand-table"))
GAMES: list[dict[str, Any]] = json.loads((SAMPLES / "live-replay.json").read_bytes())["games"]
TABLE = (SAMPLES / "hand-table.csv").read_text(encoding="utf-8").splitlines(keepends=True)
SPLIT = next(game for game in GAMES if any(len(seat["hands"]) > 1 for seat in game["seats"].values()))


def bet(game: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(iter(game["players"].values()))["bets"][0]
    return found


def hand(game: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(iter(next(iter(game["seats"].values()))["hands"].values()))
    return found


def split_hand(game: dict[str, Any]) -> dict[str, Any]:
    hands = (each for seat in game["seats"].values() for each in seat["hands"].values())
    return next(each for each in hands if each["parentKey"] is not None)


def same_time(game: dict[str, Any]) -> None:
    game["dealer"]["cards"]["1"]["dealtAt"] = hand(game)["cards"]["1"]["dealtAt"]


Change = Callable[[dict[str, Any]], Any]

BROKEN: list[tuple[str, Change, str]] = [
    (
        "another game",
        lambda game: game.update(gameType="blackjack"),
        "expect[0].value: gameType: found 'blackjack'; this mapping is for pontoon",
    ),
    (
        "no id",
        lambda game: game.pop("gameId"),
        "round.round_id: gameId: found nothing; the round log requires it",
    ),
    ("an id that is none", lambda game: game.update(gameId="no 7"), "round_id: expected 1 to 64 of the"),
    (
        "a start in seconds",
        lambda game: game.update(startedAt=game["startedAt"] // 1000),
        "round.started_at: startedAt: 1396674544 as milliseconds since 1970 is 1970-01-17",
    ),
    ("no start", lambda game: game.update(startedAt=None), "round.started_at: startedAt: found nothing"),
    (
        "decks in words",
        lambda game: game["table"].update(decks="six"),
        "round.decks: table.decks: expected a whole number, found 'six'",
    ),
    (
        "a currency in words",
        lambda game: game["table"].update(currency="dollars"),
        "currency: expected a code of three capital letters",
    ),
    (
        "an unknown card",
        lambda game: hand(game)["cards"]["1"].update(code="S_11"),
        "cards[2].card: item.code: unknown card 'S_11'; expected suit and rank, '_' between them",
    ),
    (
        "a card without a code",
        lambda game: hand(game)["cards"]["1"].pop("code"),
        "cards[2].card: item.code: found nothing; expected a card",
    ),
    (
        "a card of no time",
        lambda game: hand(game)["cards"]["1"].pop("dealtAt"),
        "cards[2].at: item.dealtAt: found nothing; the order of the events depends on it",
    ),
    (
        "two cards at one time",
        same_time,
        "so their order is not recorded; use order.by = 'number' or 'rules'",
    ),
    (
        "an amount with cents",
        lambda game: bet(game).update(stake="5.50"),
        "wagers[0].amount: item.stake: expected a whole number of cents, found '5.50'",
    ),
    (
        "a negative stake",
        lambda game: bet(game).update(stake=-500),
        "wagers[0].amount: item.stake: expected an amount of 0 or more",
    ),
    (
        "no payoff",
        lambda game: bet(game).pop("payoff"),
        "wagers[0].returned: item.payoff: expected a whole number",
    ),
    (
        "a kind of bet nobody knows",
        lambda game: bet(game).update(type="LuckyLadies"),
        "wagers[0].kind: item.type: unknown word 'LuckyLadies'; words.kind has MainBet, SplitBet",
    ),
    (
        "a status nobody knows",
        lambda game: bet(game).update(status="Limbo"),
        "wagers[0].status: item.status: unknown word 'Limbo'; words.status has Settled",
    ),
    (
        "a decision nobody knows",
        lambda game: hand(game)["actions"].update({"9": {"action": "Peek", "at": game["endedAt"]}}),
        "actions[0].action: item.action: unknown word 'Peek'",
    ),
    (
        "a bet on no seat",
        lambda game: bet(game).update(seat="bar"),
        "wagers[0].box: item.seat: expected a whole number, found 'bar'",
    ),
    ("a seat that cannot be", lambda game: bet(game).update(seat=400), "events[0].box: expected"),
    (
        "a double that was not decided",
        lambda game: bet(game).update(type="DoubleBet"),
        "a wager of kind double on",
    ),
    (
        "a split that made no hand",
        lambda game: hand(game)["actions"].update({"0": {"action": "Split", "at": game["startedAt"] + 1}}),
        "and no hand that came of it",
    ),
    (
        "seats that are text",
        lambda game: game.update(seats="seven"),
        "expected a list or an object, found 'seven'",
    ),
    (
        "bets that are a number",
        lambda game: game.update(players={"p": {"bets": 3}}),
        "wagers[0].each[1]: bets: expected a list",
    ),
    (
        "cards under another name",
        lambda game: (game.pop("seats"), game.pop("dealer")),
        "cards: the record has no cards",
    ),
    ("bets under another name", lambda game: game.pop("players"), "wagers: the record has no wagers"),
]


@pytest.mark.parametrize(("change", "words"), [each[1:] for each in BROKEN], ids=[each[0] for each in BROKEN])
def test_a_broken_record_is_refused_and_the_others_go_on(change: Change, words: str) -> None:
    games = copy.deepcopy(GAMES[:3])
    change(games[0])
    found = read(LIVE, json_document(games))
    assert [isinstance(each, Refused) for each in found] == [True, False, False]
    assert words in found[0].message  # type: ignore[union-attr]
    assert json.loads(found[0].raw) == games[0]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (None, "and nothing says that one was split from the other; map hands.parent"),
        ("seat9/1", "and no hand that came of it"),
    ],
)
def test_a_hand_of_unclear_descent_is_refused(key: str | None, words: str) -> None:
    game = copy.deepcopy(SPLIT)
    split_hand(game)["parentKey"] = key
    (message,) = refusals(LIVE, json_document([game]))
    assert words in message


def test_a_hand_that_comes_from_itself_is_refused() -> None:
    game = copy.deepcopy(SPLIT)
    mine = split_hand(game)
    mine["parentKey"] = mine["key"]
    assert "comes from itself" in refusals(LIVE, json_document([game]))[0]


def test_a_refused_record_says_what_it_can_of_itself() -> None:
    games = copy.deepcopy(GAMES[:1])
    bet(games[0])["stake"] = None
    (refused,) = read(LIVE, json_document(games))
    assert isinstance(refused, Refused)
    assert (refused.round_id, refused.venue) == (games[0]["gameId"], "skycity-auckland")
    assert refused.started_at is not None
    assert (refused.line, refused.offset) == (1, len('{"games": ['))


# --- documents ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{", "not JSON"),
        (b"[]", "expected an object with the key 'games'"),
        (b'{"rounds": []}', "the document has no key 'games'"),
        (b'{"games": {}}', "games: expected a list of records"),
        (b'{"games": [{"a": 1} {"b": 2}]}', "not JSON: Expecting ','"),
        (b'{"games": [\xff]}', "not UTF-8 at byte 11"),
        (b"", "not JSON"),
        (b'{"games": [{"a": 1}', "not JSON: it breaks off"),
        (b'{1: [], "games": []}', "not JSON: Expecting a key"),
        (b'{"a":' * 100_000, "nested too deep"),
    ],
)
def test_a_document_that_holds_no_records_is_no_file_of_the_mapping(data: bytes, words: str) -> None:
    with pytest.raises(SourceFailed, match=words):
        read(LIVE, data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"games": [{"a": 1}]}\n{"games": [{"b": 2}]}', "not JSON: Extra data"),
        (b'{"games": [{"a": 1}]}\n{"games": [', "not JSON: Extra data"),
        (b'{"games": [{"a": 1}], "games": [{"b": 2}]}', "the key 'games' stands twice"),
        (b'{"games": [{"a": 1}]', "not JSON: it breaks off"),
        (b'{"room": 1 "games": [{"a": 1}]}', "not JSON: Expecting ','"),
    ],
)
def test_nothing_is_read_of_a_document_whose_records_are_not_all_in_one_list(data: bytes, words: str) -> None:
    with pytest.raises(SourceFailed, match=words):
        read(LIVE, data)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (b"7", "expected one record as a JSON object, got 7"),
        (b'{"a": 1, "a": 2}', "a: the key stands twice in one object"),
        (b'{"gameType": "pontoon", "gameId": "\\ud800"}', "half of a surrogate pair"),
        (b'{"gameType": "pontoon", "gameId": "\\u0000"}', "found a NUL character"),
        (
            b'{"gameType": ' + b"[" * 400 + b"]" * 400 + b"}",
            "expect[0].value: gameType: expected text, found a list",
        ),
        (b'{"gameType": NaN}', "not JSON"),
    ],
)
def test_a_record_that_is_no_object_is_refused(record: bytes, words: str) -> None:
    (message,) = refusals(LIVE, b'{"games": [' + record + b"]}")
    assert words in message


def test_a_document_may_be_a_list_or_one_record() -> None:
    plain = mapping(shipped_text("live-replay").replace('records_at = ["games"]', ""))
    expected = rounds(LIVE, json_document(GAMES[:2]))
    assert rounds(plain, json.dumps(GAMES[:2]).encode()) == expected
    assert rounds(plain, b"\xef\xbb\xbf" + json.dumps(GAMES[0]).encode()) == expected[:1]
    deeper = mapping(shipped_text("live-replay").replace('["games"]', '["data", "games"]'))
    data = json.dumps({"n": [1, {"games": 2}], "data": {"x": "]", "games": GAMES[:2]}}).encode()
    assert rounds(deeper, data) == expected


def test_records_may_be_json_lines_and_say_their_line() -> None:
    text = shipped_text("live-replay").replace('records_at = ["games"]', "").replace('"json"', '"jsonl"')
    lines = [json.dumps(GAMES[0]), "{", json.dumps(GAMES[1])]
    found = read(mapping(text), "\n".join(lines).encode())
    assert [each.line for each in found] == [1, 2, 3]
    assert [isinstance(each, Refused) for each in found] == [False, True, False]


# --- tables ------------------------------------------------------------------------------


def test_rows_of_a_round_may_stand_apart() -> None:
    head, *rows = TABLE[:12]
    apart = [row for row in rows if row.split(";")[3] in "123"]
    apart += [row for row in rows if row not in apart]
    together = {each.round_id: each for each in rounds(HANDS, "".join([head, *rows]).encode())}
    for each in rounds(HANDS, "".join([head, *apart]).encode()):
        assert sorted(map(repr, each.events)) == sorted(map(repr, together[each.round_id].events))


def changed_cell(row: str, column: str, value: str) -> str:
    cells = row.rstrip("\n").split(";")
    cells[TABLE[0].rstrip("\n").split(";").index(column)] = value
    return ";".join(cells) + "\n"


ROWS: list[tuple[str, str, str, str]] = [
    ("a suit where there is none", "card1", "K♥", "cards[1].card: unknown card 'K♥'; expected a rank"),
    (
        "an amount with a point",
        "stake",
        "12.50",
        "wagers[0].amount: item.stake: expected an amount such as 12,50",
    ),
    ("a gap among the cards", "card9", "2", "cards[1].cards: [item.card1, item.card2"),
    ("no net result", "net", "", "wagers[0].net: item.net: expected an amount such as 12,50"),
    (
        "a day that is none",
        "started",
        "31/02/2023 18:00:00",
        "round.started_at: started: expected a time written",
    ),
    (
        "a night the clocks were changed",
        "started",
        "02/04/2023 02:30:00",
        "does not name one instant in Australia/Sydney",
    ),
    ("a hand from nowhere", "from_hand", "9", "no split of it is recorded"),
    ("a player of no name", "player", "", "wagers[0].player: item.player: found nothing"),
]


@pytest.mark.parametrize(
    ("column", "value", "words"), [each[1:] for each in ROWS], ids=[each[0] for each in ROWS]
)
def test_a_broken_row_is_refused_with_its_round(column: str, value: str, words: str) -> None:
    first = [row for row in TABLE[1:] if row.split(";")[0] == TABLE[1].split(";")[0]]
    data = "".join([TABLE[0], *(changed_cell(row, column, value) for row in first)])
    (message,) = refusals(HANDS, data.encode())
    assert message.startswith("vendor:2: ")
    assert words in message


def test_rows_of_one_round_must_agree() -> None:
    name = next(row for row in TABLE[1:] if row.split(";")[3] != "1").split(";")[0]
    rows = [row for row in TABLE[1:] if row.split(";")[0] == name]
    other = changed_cell(rows[0], "table", "P99")
    assert (
        "rows of one round disagree: found 'P99' and"
        in refusals(HANDS, "".join([TABLE[0], other, *rows[1:], *rows]).encode())[0]
    )
    dealer = changed_cell(rows[0], "dealer1", "2" if rows[0].split(";")[17] != "2" else "3")
    assert (
        "disagree on the cards of the dealer's hand"
        in refusals(HANDS, "".join([TABLE[0], *rows, dealer]).encode())[0]
    )


def test_a_row_with_a_cell_too_many_takes_its_round_with_it() -> None:
    first = [row for row in TABLE[1:] if row.split(";")[0] == TABLE[1].split(";")[0]]
    data = "".join([TABLE[0], first[0].rstrip("\n") + ";x\n", *first[1:], *TABLE[1 + len(first) : 12]])
    found = read(HANDS, data.encode())
    assert [isinstance(each, Refused) for each in found[:2]] == [True, False]
    assert "in the record at line 2: 31 cells; expected 30" in found[0].message  # type: ignore[union-attr]


def test_a_row_of_no_round_may_belong_to_any() -> None:
    data = "".join([*TABLE[:3], changed_cell(TABLE[3], "round", "")])
    with pytest.raises(SourceFailed, match=r"record 4: .*: found nothing.*none of this file was taken"):
        read(HANDS, data.encode())


def test_a_blank_row_is_refused_and_belongs_to_none() -> None:
    found = read(HANDS, ("".join(TABLE[:6]) + "\n").encode())
    assert [each.message for each in found if isinstance(each, Refused)] == [
        "vendor:7: blank line; expected 30, as the first line has"
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\n", "the first line names the columns; found none"),
        (b"a;b;a\n", "the column 'a' twice"),
        (b"round;x\n\xff;1\n", "line 2: not utf-8 at byte 0; see csv.encoding"),
    ],
)
def test_a_table_without_its_columns_is_no_file_of_the_mapping(data: bytes, words: str) -> None:
    with pytest.raises(SourceFailed, match=words):
        read(HANDS, data)


def test_another_encoding_is_read_as_such() -> None:
    text = shipped_text("hand-table").replace('delimiter = ";"', 'delimiter = ";"\nencoding = "cp1252"')
    first = [row for row in TABLE[1:] if row.split(";")[0] == TABLE[1].split(";")[0]]
    rows = [changed_cell(row, "player", "Zoë") for row in first]
    (found,) = rounds(mapping(text), "".join([TABLE[0], *rows]).encode("cp1252"))
    assert {each.player for each in found.events if hasattr(each, "player")} == {"Zoë"}


# --- anything ------------------------------------------------------------------------------

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=4)
    | st.sampled_from(["S_K", "seat2/1", "Split"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in inner for place in places(each, (*path, key)))]


PLACES = [place for place in places(SPLIT) if place]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), ANYTHING), min_size=1, max_size=3))
def test_whatever_a_record_holds_it_is_mapped_or_refused(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    """No record stops an ingest."""
    game = copy.deepcopy(SPLIT)
    for path, value in changes:
        at: Any = game
        try:
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value
        except (LookupError, TypeError):
            continue
    assert len(read(LIVE, json_document([game]))) == 1


def test_a_refused_record_is_told_by_every_command(tmp_path: Path) -> None:
    games = copy.deepcopy(GAMES[:3])
    bet(games[1])["type"] = "LuckyLadies"
    path = tmp_path / "night.json"
    path.write_bytes(json_document(games))
    ran = pontoon("check", path, "--mapping", "live-replay", "--json")
    assert ran.code == 3
    (rejected,) = ran.object["rejected"]
    assert rejected.startswith("night.json:2: wagers[0].kind: item.type: unknown word 'LuckyLadies'")
    tried = pontoon("mapping", "test", "live-replay", path, "--json")
    assert tried.code == 3
    assert (tried.object["mapped"], tried.object["refused"]) == (2, 1)
    assert tried.object["first_refused"] == [rejected]
