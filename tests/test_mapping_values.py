"""The values of a vendor's record: cards, amounts, times, words of outcome, and the fields it has."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from audit.mapping.amounts import AmountReader
from audit.mapping.cards import NO_SUIT, CardReader
from audit.mapping.drift import Inventory, drift
from audit.mapping.errors import Unmapped
from audit.mapping.expressions import Expression
from audit.mapping.model import Amounts, CardCodes, Times, load_mapping
from audit.mapping.money import Outcome, Recorded, shares
from audit.mapping.times import TimeReader
from audit.mapping.unmapped import keyed_places, unmapped_fields


@pytest.mark.parametrize(
    ("codes", "found", "card"),
    [
        (CardCodes(), "Ks", "KS"),
        (CardCodes(), "10♥", "10H"),
        (CardCodes(), "td", "10D"),
        (CardCodes(), " ac ", "AC"),
        (CardCodes(form="suit_rank", separator="_"), "S_K", "KS"),
        (CardCodes(form="suit_rank", separator="_"), "C_10", "10C"),
        (CardCodes(form="suit_rank"), "H9", "9H"),
        (CardCodes(form="rank_suit", separator="-"), "Q-d", "QD"),
        (
            CardCodes(form="rank_suit", separator=" of ", ranks={"Queen": "Q"}, suits={"Hearts": "H"}),
            "Queen of Hearts",
            "QH",
        ),
        (CardCodes(suits={"pik": "S"}), "7pik", "7S"),
        (CardCodes(words={"J0": "JK"}), "J0", "JK"),
        (CardCodes(unreadable=["XX"]), "XX", "??"),
        (CardCodes(form="rank"), "Q", "Q" + NO_SUIT),
        (CardCodes(form="rank"), 8, "8" + NO_SUIT),
        (CardCodes(form="rank"), "1", "A" + NO_SUIT),
    ],
)
def test_a_card_is_read_however_it_is_written(codes: CardCodes, found: Any, card: str) -> None:
    assert CardReader(codes).read(found, "cards[0].card") == card


@pytest.mark.parametrize("found", ["KX", "SK", "", "K", None, True, ["KS"], "11S", "K_S"])
def test_an_unknown_card_is_refused_with_those_known(found: Any) -> None:
    with pytest.raises(Unmapped, match=r"cards\[0\].card: (unknown|expected a) card"):
        CardReader(CardCodes()).read(found, "cards[0].card")


@pytest.mark.parametrize(
    ("amounts", "found", "thousandths"),
    [
        (Amounts(unit="cents"), 1250, 12500),
        (Amounts(unit="cents"), "1250", 12500),
        (Amounts(unit="units"), "12.50", 12500),
        (Amounts(unit="units"), Decimal("0.1"), 100),
        (Amounts(unit="units"), -3, -3000),
        (Amounts(unit="units", decimal_mark=","), "12,5", 12500),
        (Amounts(unit="units", strip=["$", ","]), "$1,250.00", 1250000),
        (Amounts(unit="thousandths"), 7, 7),
    ],
)
def test_an_amount_is_exact(amounts: Amounts, found: Any, thousandths: int) -> None:
    assert AmountReader(amounts).read(found, "wagers[0].amount") == thousandths


@pytest.mark.parametrize(
    ("amounts", "found"),
    [
        (Amounts(unit="units"), "12,50"),
        (Amounts(unit="units"), "12.5001"),
        (Amounts(unit="units"), Decimal("12.50000000000000000000000000000000001")),
        (Amounts(unit="units"), Decimal("1e999999")),
        (Amounts(unit="units"), Decimal("1e-999999")),
        (Amounts(unit="units"), 10**40),
        (Amounts(unit="units"), "nan"),
        (Amounts(unit="units"), ""),
        (Amounts(unit="units"), None),
        (Amounts(unit="units"), True),
        (Amounts(unit="cents"), "12.55"),
        (Amounts(unit="cents"), "12.00"),
        (Amounts(unit="cents"), Decimal("12.00")),
        (Amounts(unit="thousandths"), "0.5"),
    ],
)
def test_what_is_no_amount_is_refused(amounts: Amounts, found: Any) -> None:
    with pytest.raises(Unmapped, match=r"wagers\[0\].amount: expected .*, found"):
        AmountReader(amounts).read(found, "wagers[0].amount")


@pytest.mark.parametrize(
    ("times", "found", "instant"),
    [
        (Times(form="epoch_ms"), 1396674544000, "2014-04-05T05:09:04+00:00"),
        (Times(form="epoch_ms", zone="Pacific/Auckland"), 1396674544123, "2014-04-05T18:09:04.123000+13:00"),
        (Times(form="epoch_s"), "1396674544", "2014-04-05T05:09:04+00:00"),
        (Times(form="epoch_s"), Decimal("1396674544.5"), "2014-04-05T05:09:04.500000+00:00"),
        (Times(form="epoch_us"), 1396674544000001, "2014-04-05T05:09:04.000001+00:00"),
        (Times(form="rfc3339"), "2014-04-05T18:09:04+13:00", "2014-04-05T18:09:04+13:00"),
        (
            Times(form="%d/%m/%Y %H:%M", zone="Australia/Sydney"),
            "30/09/2023 18:00",
            "2023-09-30T18:00:00+10:00",
        ),
        (Times(form="%Y%m%d%H%M%S%z"), "20230930180000+0930", "2023-09-30T18:00:00+09:30"),
    ],
)
def test_a_time_is_an_instant(times: Times, found: Any, instant: str) -> None:
    assert TimeReader(times).read(found, "round.started_at").isoformat() == instant


@pytest.mark.parametrize(
    ("times", "found", "words"),
    [
        (Times(form="epoch_ms"), 1396674544, "is 1970-01-17; expected a time between 1990 and 2100"),
        (Times(form="epoch_s"), 1396674544000, "expected seconds since 1970"),
        (Times(form="epoch_s"), Decimal("1e999999"), "expected seconds since 1970"),
        (Times(form="epoch_s"), "nan", "expected seconds since 1970"),
        (Times(form="epoch_s"), None, "expected seconds since 1970, found nothing"),
        (Times(form="epoch_s"), True, "expected seconds since 1970, found true"),
        (Times(form="rfc3339"), "2014-04-05T18:09:04", "a date and time with its offset"),
        (Times(form="%d/%m/%Y", zone="Australia/Sydney"), "2023-09-30", "a time written '%d/%m/%Y'"),
        (
            Times(form="%d/%m/%Y %H:%M", zone="Australia/Sydney"),
            "02/04/2023 02:30",
            "does not name one instant in Australia/Sydney",
        ),
        (
            Times(form="%d/%m/%Y %H:%M", zone="Australia/Sydney"),
            "01/10/2023 02:30",
            "does not name one instant in Australia/Sydney",
        ),
    ],
)
def test_what_is_no_instant_is_refused(times: Times, found: Any, words: str) -> None:
    with pytest.raises(Unmapped, match=words):
        TimeReader(times).read(found, "round.started_at")


def test_a_plain_path_finds_what_the_interpreter_finds() -> None:
    record = {"a": {"b": {"c": 3}}, "l": [{"c": 1}]}
    for text in ("a.b.c", "a.b", "a.x.c", "l.c", "a.b.c.d", '"a".b'):
        quick, slow = Expression("p", text), Expression("p", f"[{text}] | [0]")
        assert quick.value(record) == slow.value(record), text
    assert Expression("p", "'a'").value(record) == "a"
    assert Expression("p", 7).value(record) == 7


@pytest.mark.parametrize(
    ("text", "words"),
    [("length(n)", "the expression failed on this record"), ("avg(l)", "a number with a fraction")],
)
def test_an_expression_that_fails_on_a_record_is_told(text: str, words: str) -> None:
    with pytest.raises(Unmapped, match=words):
        Expression("round.decks", text).value({"n": 4, "l": [1, 2]})


@pytest.mark.parametrize(
    ("holds", "value"),
    [(True, "0"), (True, 1), (True, True), (False, 0), (False, ""), (False, None), (False, [])],
)
def test_what_holds(holds: bool, value: Any) -> None:
    assert Expression("p", "v").truth({"v": value}) is holds


@pytest.mark.parametrize(
    ("outcome", "stake", "moved", "word"),
    [
        (Outcome(kind="main"), 10, (15, 0), "win"),
        (Outcome(kind="main"), 10, (0, 10), "lose"),
        (Outcome(kind="main"), 10, (0, 0), "stand_off"),
        (Outcome(kind="main"), 10, (0, 5), "surrender"),
        (Outcome(kind="main", surrendered=True), 10, (0, 5), "surrender"),
        # Half was collected of a wager that was lost whole: no surrender was recorded.
        (Outcome(kind="main", surrendered=False), 10, (0, 5), "lose"),
        (Outcome(kind="main", surrendered=True), 10, (0, 10), "lose"),
        (Outcome(kind="main", forfeited=True), 10, (0, 10), "forfeit"),
        (Outcome(kind="double", forfeited=True), 10, (0, 0), "returned"),
        (Outcome(kind="split", dealer_pontoon=True), 10, (0, 0), "returned"),
        (Outcome(kind="insurance"), 10, (0, 0), "void"),
        (Outcome(kind="main", void=True), 10, (0, 0), "void"),
    ],
)
def test_the_word_follows_from_the_money(
    outcome: Outcome, stake: int, moved: tuple[int, int], word: str
) -> None:
    assert outcome.word(stake, *moved) == word


@pytest.mark.parametrize(
    ("recorded", "moved"),
    [
        (Recorded(net=15), (15, 0)),
        (Recorded(net=-4), (0, 4)),
        (Recorded(net=-40), (0, 40)),
        (Recorded(returned=25), (15, 0)),
        (Recorded(returned=0), (0, 10)),
        (Recorded(paid=3, taken=2), (3, 2)),
    ],
)
def test_what_moved_is_told_in_three_ways(recorded: Recorded, moved: tuple[int, int]) -> None:
    assert recorded.moved(10, "wagers[0]") == moved


def test_a_negative_payment_is_refused() -> None:
    with pytest.raises(Unmapped, match=r"expected paid and taken of 0 or more, found -0\.003"):
        Recorded(paid=-3, taken=0).moved(10, "wagers[0]")


@pytest.mark.parametrize(
    ("paid", "taken", "both"),
    [
        (20, 0, ((10, 0), (10, 0))),
        (15, 0, ((8, 0), (7, 0))),
        (0, 20, ((0, 10), (0, 10))),
        (0, 10, ((0, 10), (0, 0))),
        (0, 0, ((0, 0), (0, 0))),
    ],
)
def test_one_payment_for_a_wager_and_its_double_is_shared(paid: int, taken: int, both: Any) -> None:
    assert shares(paid, taken, 10) == both


def test_a_result_word_of_the_vendor_stands() -> None:
    assert Recorded(result="returned", net=0).settled(10, (0, 0), Outcome(kind="main")).result == "returned"


# --- fields ------------------------------------------------------------------------------


def fields(*records: dict[str, Any], texts: bool = False) -> dict[str, list[str]]:
    inventory = Inventory(texts=texts, keyed=frozenset({("players",), ("players", "*", "bets")}))
    for record in records:
        inventory.add(record)
    return inventory.as_json()


def test_a_field_is_one_however_many_hold_it() -> None:
    first = {
        "id": 1,
        "seats": {"1": {"who": "a"}, "7": {"who": None}},
        "cards": [],
        "players": {"a": {"n": 1}},
    }
    second = {"id": "x", "seats": {}, "cards": [{"code": "S_K"}], "players": {"b": {"bets": [{"won": True}]}}}
    assert fields(first, second) == {
        "cards[]": ["nothing"],
        "cards[].code": ["text"],
        "id": ["number", "text"],
        "players.*.bets[].won": ["true or false"],
        "players.*.n": ["number"],
        "seats.*.who": ["nothing", "text"],
    }


def test_a_cell_is_a_number_or_text() -> None:
    assert fields({"a": "12,50", "b": "x", "c": ""}, texts=True) == {
        "a": ["number"],
        "b": ["text"],
        "c": ["nothing"],
    }


def test_keys_that_are_data_make_no_end_of_fields() -> None:
    many = fields({f"field{number}": 1 for number in range(3000)})
    assert len(many) == 2001
    assert "(further fields)" in many


def test_drift_tells_what_appeared_vanished_and_changed() -> None:
    before = {"a": ["number"], "b": ["text"], "c": ["nothing"], "d": ["number"]}
    after = {"a": ["text"], "c": ["text"], "d": ["nothing", "number"], "e": ["text"]}
    found = drift("monday.csv", before, after)
    assert found.lines() == [
        "field e appeared since monday.csv",
        "field b vanished since monday.csv",
        "field a was number and is text since monday.csv",
    ]
    assert found.as_json()["changed"] == {"a": {"was": ["number"], "is": ["text"]}}
    assert not drift("monday.csv", before, before)


def test_unread_fields_are_named_and_read_ones_are_not() -> None:
    document = load_mapping("live-replay").document
    names = [
        "gameId",
        "status",
        "colour",
        "players.*.bets[].status",
        "players.*.bets[].colour",
        "seats.*.hands.*.result",
        "seats.*.hands.*.cards.*.code",
        "dealer.name",
    ]
    assert unmapped_fields(document, names) == [
        "colour",
        "players.*.bets[].colour",
        "seats.*.hands.*.result",
    ]
    assert ("players", "*", "bets") in keyed_places(document)
