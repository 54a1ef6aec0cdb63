"""Mapping files: what a good one says, and every way of being broken told with its place."""

from __future__ import annotations

import tomllib
from pathlib import Path

import jsonschema
import pytest

from audit.errors import UsageProblem
from audit.mapping.errors import MappingProblem
from audit.mapping.model import load_mapping, parse_mapping, schema, shipped
from tests.commands import pontoon

LIVE = shipped()["live-replay"].read_text(encoding="utf-8")
HANDS = shipped()["hand-table"].read_text(encoding="utf-8")


def problems(text: str) -> list[str]:
    with pytest.raises(MappingProblem) as raised:
        parse_mapping(text.encode(), "broken.toml")
    assert str(raised.value).startswith("broken.toml: ")
    return raised.value.problems


def altered(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


BROKEN = [
    ("not TOML at all", LIVE, 'form      = "suit_rank"', "form = suit_rank", "not TOML: "),
    (
        "another format",
        LIVE,
        "pontoon-mapping/1",
        "pontoon-mapping/2",
        "mapping: found 'pontoon-mapping/2'; expected one of pontoon-mapping/1",
    ),
    ("a key left out", LIVE, 'unit = "cents"', "", "amounts.unit: missing; a mapping needs it"),
    (
        "a field of the round left out",
        LIVE,
        "venue      = \"'skycity-auckland'\"",
        "",
        "round.venue: missing",
    ),
    (
        "a key nobody knows",
        LIVE,
        '[order]\nby = "time"',
        '[order]\nby = "time"\nthen = "number"',
        "order.then: unknown key",
    ),
    (
        "a key in the wrong section",
        LIVE,
        'returned = "item.payoff"',
        'payoff = "item.payoff"',
        "wagers[0].payoff: unknown key",
    ),
    (
        "a list that is none",
        LIVE,
        'each = ["dealer.cards"]',
        'each = "dealer.cards"',
        "cards[0].each: expected a list, found 'dealer.cards'",
    ),
    (
        "a version that is text",
        LIVE,
        "version = 1",
        'version = "1"',
        "version: expected a whole number, found '1'",
    ),
    (
        "an id with capitals",
        LIVE,
        'id      = "live-replay"',
        'id = "Live Replay"',
        "id: expected small letters",
    ),
    (
        "a unit nobody counts in",
        LIVE,
        'unit = "cents"',
        'unit = "chips"',
        "amounts.unit: found 'chips'; expected one of units, cents, thousandths",
    ),
    (
        "a fact the log does not know",
        LIVE,
        'records = ["decisions"]',
        'records = ["tips"]',
        "records[0]: found 'tips'; expected one of decisions, settle_order, burns, cut_card",
    ),
    (
        "an expression that is none",
        LIVE,
        '"dealer.name"',
        '"dealer..name"',
        "round.dealer: 'dealer..name' is no JMESPath expression",
    ),
    (
        "a way that is none",
        LIVE,
        '["players", "bets"]',
        '["players", "bets["]',
        "wagers[0].each[1]: 'bets[' is no JMESPath expression",
    ),
    (
        "a zone that does not exist",
        LIVE,
        "Pacific/Auckland",
        "Pacific/Atlantis",
        "times.zone: no such zone 'Pacific/Atlantis'",
    ),
    (
        "a time of no form",
        LIVE,
        'form = "epoch_ms"',
        'form = "milliseconds"',
        "times.form: found 'milliseconds'; expected epoch_s, epoch_ms",
    ),
    (
        "a local time of no zone",
        HANDS,
        'zone = "Australia/Sydney"',
        "",
        "times.zone: missing; a local time names an instant only with a zone",
    ),
    (
        "a time without its day",
        HANDS,
        "%d/%m/%Y %H:%M:%S",
        "%H:%M:%S",
        "times.form: '%H:%M:%S' does not name a whole date",
    ),
    (
        "a word for no kind of wager",
        LIVE,
        'MainBet         = "main"',
        'MainBet = "ante"',
        "words.kind.MainBet: found 'ante'; expected one of main, split",
    ),
    (
        "a word for no decision",
        LIVE,
        'Stand     = "stand"',
        'Stand = "stay"',
        "words.action.Stand: found 'stay'; expected one of stand, double",
    ),
    (
        "a word for no status",
        LIVE,
        'Pending   = "open"',
        'Pending = "waiting"',
        "words.status.Pending: found 'waiting'",
    ),
    (
        "a rank of no card",
        LIVE,
        'separator = "_"',
        'separator = "_"\nranks = { B = "J", D = "Dame" }',
        "card_codes.ranks.D: found 'Dame'; expected one of A, 2",
    ),
    (
        "a suit of no card",
        LIVE,
        'separator = "_"',
        'separator = "_"\nsuits = { P = "pique" }',
        "card_codes.suits.P: found 'pique'; expected one of S, H, D, C",
    ),
    (
        "a code for no card",
        LIVE,
        'separator = "_"',
        'separator = "_"\nwords = { "0" = "back" }',
        "card_codes.words.0: found 'back'; expected a card such as AS",
    ),
    (
        "suits of bare ranks",
        HANDS,
        'form = "rank"',
        'form = "rank"\nsuits = { P = "S" }',
        "card_codes.form: 'rank' has no suits",
    ),
    (
        "a shoe of cards without suits",
        HANDS,
        'table      = "table"',
        'table = "table"\nshoe = "table"\nround_no = 1',
        "round.shoe: without suits the cards of a shoe cannot be counted",
    ),
    (
        "a shoe without places in it",
        LIVE,
        'round_no   = "shoe.game"',
        "",
        "round: shoe and round_no go together",
    ),
    ("rows of no round", HANDS, 'group_by = "round"', "", "group_by: missing; rows are one a hand"),
    (
        "whole rounds put together",
        LIVE,
        'rows       = "round"',
        'rows = "round"\ngroup_by = "gameId"',
        "group_by: a row is a whole round",
    ),
    (
        "CSV settings of JSON",
        LIVE,
        "[order]",
        '[csv]\ndelimiter = ";"\n[order]',
        "csv: the format is json; leave the table out",
    ),
    (
        "records within CSV",
        HANDS,
        'rows     = "hand"',
        'rows = "hand"\nrecords_at = ["rows"]',
        "records_at: only a json document",
    ),
    (
        "a card and cards",
        HANDS,
        "box   = 0",
        'box = 0\ncard = "item.dealer1"',
        "cards[0]: expected either card (one an item) or cards (a list an item)",
    ),
    (
        "decisions at moments that were put in",
        HANDS,
        "records  = []",
        'records = ["decisions"]',
        "records: decisions with order.by = 'rules'",
    ),
    (
        "an order by times that are not there",
        LIVE,
        'action = "item.action"\nat     = "item.at"',
        'action = "item.action"',
        "actions[0].at: missing; order.by = 'time' needs it",
    ),
    (
        "an order of settlements that is not there",
        LIVE,
        'records = ["decisions"]',
        'records = ["decisions", "settle_order"]',
        "records: settle_order without [[settlements]]",
    ),
    (
        "no money at all",
        LIVE,
        'returned = "item.payoff"\n',
        "",
        "wagers[0]: found nothing to settle a wager by; expected net",
    ),
    (
        "money in two ways",
        LIVE,
        'returned = "item.payoff"',
        'returned = "item.payoff"\nnet = "item.net"',
        "wagers[0]: found net and returned to settle a wager by",
    ),
    (
        "money in two places",
        LIVE,
        "[[wagers]]",
        '[[settlements]]\neach = ["bets"]\nwager = "item.id"\nnet = "item.net"\n[[wagers]]',
        "wagers[0].returned: the money is in [[settlements]] already",
    ),
]


@pytest.mark.parametrize(
    ("text", "old", "new", "words"), [each[1:] for each in BROKEN], ids=[each[0] for each in BROKEN]
)
def test_a_broken_mapping_says_where_and_what_was_expected(text: str, old: str, new: str, words: str) -> None:
    assert words in "\n".join(problems(altered(text, old, new)))


def test_a_mapping_that_tells_no_double_would_accuse_whoever_was_paid_for_one() -> None:
    text = HANDS[: HANDS.index("[[actions]]")] + HANDS[HANDS.index("[[wagers]]") :]
    text = text[: text.rindex("[[wagers]]")]
    assert any(each.startswith("actions: missing; a doubled hand is paid") for each in problems(text))


def test_all_problems_of_a_file_are_told_together() -> None:
    text = altered(LIVE, "Pacific/Auckland", "Pacific/Atlantis")
    text = altered(text, '"dealer.name"', '"dealer..name"')
    assert len(problems(altered(text, 'MainBet         = "main"', 'MainBet = "ante"'))) == 3


def test_a_mapping_is_utf8() -> None:
    with pytest.raises(MappingProblem, match="not UTF-8 at byte 2"):
        parse_mapping(b"# \xff", "broken.toml")


def test_a_mapping_is_found_by_id_and_by_path(tmp_path: Path) -> None:
    copy = tmp_path / "ours.toml"
    copy.write_text(LIVE, encoding="utf-8")
    assert load_mapping("live-replay").sha256 == load_mapping(copy).sha256
    with pytest.raises(
        UsageProblem, match="no such mapping; expected a file or one of hand-table, live-replay"
    ):
        load_mapping("lost")
    with pytest.raises(UsageProblem, match="a folder, expected a file"):
        load_mapping(tmp_path)


@pytest.mark.parametrize("text", [LIVE, HANDS], ids=["live-replay", "hand-table"])
def test_the_schema_for_editors_takes_the_shipped_mappings(text: str) -> None:
    jsonschema.validate(tomllib.loads(text), schema())


def test_the_schema_for_editors_refuses_a_key_nobody_knows() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(LIVE) | {"colour": "red"}, schema())


def test_a_broken_mapping_stops_every_command_that_takes_one(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(altered(LIVE, 'unit = "cents"', 'unit = "chips"'), encoding="utf-8")
    sample = tmp_path / "sample.json"
    sample.write_text("{}", encoding="utf-8")
    commands: tuple[list[str | Path], ...] = (
        ["check", sample, "--mapping", path],
        ["ingest", sample, "--mapping", path, "--lake", tmp_path / "lake"],
        ["mapping", "test", path, sample],
        ["mapping", "show", path],
    )
    for command in commands:
        ran = pontoon(*command)
        assert ran.code == 2
        assert "broken.toml: amounts.unit: found 'chips'" in ran.err
    assert not (tmp_path / "lake").exists()


def test_rows_of_another_kind_are_told_by_the_field_that_they_lack(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    ran = pontoon("mapping", "test", "hand-table", tmp_path / "other.csv")
    assert "other.csv: record 2: group_by (round): found nothing; the round log requires it" in ran.err


def test_the_shipped_mappings_are_listed_and_shown() -> None:
    assert [each["id"] for each in pontoon("mapping", "list", "--json").object["mappings"]] == [
        "hand-table",
        "live-replay",
    ]
    assert "Live-dealer replay document" in pontoon("mapping", "list").out
    assert pontoon("mapping", "show", "live-replay").out == LIVE
    shown = pontoon("mapping", "show", "hand-table", "--json").object
    assert set(shown["unrecorded"]) == {"double_shares", "order", "results", "shoe", "suits"}
    assert shown["not_evaluable"]["deal.order"] == "the order of cards, wagers and decisions"
    assert pontoon("mapping", "schema").object["title"] == "pontoon-mapping/1"
