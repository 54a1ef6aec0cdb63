"""Shapes of vendors' logs other than the shipped ones, and what becomes of each part of a round."""

from __future__ import annotations

import json
from typing import Any

import pytest

from audit.law import load_law
from audit.mapping.model import LogMapping
from rules_replay.replay import replay_one
from tests.mappings import mapping, refusals, rounds, story

HEAD = """
mapping = "pontoon-mapping/1"
id      = "shape"
version = 1
title   = "A shape"
"""

ROUND = """
[round]
round_id   = "game"
venue      = "'skycity-auckland'"
table      = "'T1'"
started_at = "at"
decks      = 6
currency   = "'NZD'"
"""

EVENTS = (
    HEAD
    + """
format   = "jsonl"
rows     = "event"
group_by = "game"
records  = ["decisions", "settle_order"]
[card_codes]
[amounts]
unit = "units"
[times]
form = "epoch_s"
[order]
by = "number"
[splits]
moved_card = "parent"
[words.kind]
bet = "main"
split-bet = "split"
double-bet = "double"
ins = "insurance"
[words.action]
st = "stand"
sp = "split"
db = "double"
su = "surrender"
[words.result]
W = "win"
L = "lose"
P = "stand_off"
H = "surrender"
[words.box]
dealer = 0
one = 1
two = 2
[[cards]]
when = "item.type == 'card'"
box = "item.seat"
hand = "item.hand"
card = "item.what"
number = "item.n"
[[actions]]
when = "item.type == 'act'"
action = "item.what"
box = "item.seat"
hand = "item.hand"
to = "item.to"
number = "item.n"
[[wagers]]
when = "item.type == 'bet'"
box = "item.seat"
hand = "item.hand"
player = "item.who"
kind = "item.what"
id = "item.id"
amount = "item.amount"
number = "item.n"
[[settlements]]
when = "item.type == 'pay'"
wager = "item.id"
result = "item.what"
paid = "item.paid"
taken = "item.taken"
number = "item.n"
"""
    + ROUND
)


def lines(*events: dict[str, Any]) -> bytes:
    rows = [{"game": "G1", "at": 1396674544, "n": n, **each} for n, each in enumerate(events, 1)]
    return "\n".join(json.dumps(each) for each in rows).encode()


def bet(seat: str, amount: str, id_: str, what: str = "bet", hand: str | None = None) -> dict[str, Any]:
    return {"type": "bet", "what": what, "seat": seat, "hand": hand, "who": "P", "amount": amount, "id": id_}


def card(seat: str, what: str, hand: str | None = None) -> dict[str, Any]:
    return {"type": "card", "seat": seat, "what": what, "hand": hand}


def act(seat: str, what: str, hand: str | None = None, to: str | None = None) -> dict[str, Any]:
    return {"type": "act", "seat": seat, "what": what, "hand": hand, "to": to}


def pay(id_: str, what: str, paid: str, taken: str) -> dict[str, Any]:
    return {"type": "pay", "id": id_, "what": what, "paid": paid, "taken": taken}


def findings(by: LogMapping, data: bytes) -> list[str]:
    auditor = load_law().auditor()
    return [each.code for round_ in rounds(by, data) for each in replay_one(auditor, round_).findings]


SPLIT = (
    bet("one", "10", "a"),
    bet("two", "20", "b"),
    card("one", "8S"),
    card("two", "KH"),
    card("dealer", "9D"),
    card("one", "8H"),
    card("two", "QC"),
    act("one", "sp", to="x"),
    bet("one", "10", "c", "split-bet", "x"),
    card("one", "3D"),
    act("one", "db"),
    bet("one", "10", "d", "double-bet"),
    card("one", "9C"),
    card("one", "KC", "x"),
    act("one", "st", "x"),
    act("two", "st"),
    card("dealer", "8D"),
    pay("a", "W", "10", "0"),
    pay("d", "W", "10", "0"),
    pay("c", "W", "10", "0"),
    pay("b", "W", "20", "0"),
)


def test_one_row_an_event_in_the_order_of_its_numbers() -> None:
    (found,) = rounds(mapping(EVENTS), lines(*SPLIT))
    assert story(found) == [
        "wager 1.1 main 10",
        "wager 2.1 main 20",
        "deal 1.1 8S",
        "deal 2.1 KH",
        "deal 0.1 9D",
        "deal 1.1 8H",
        "deal 2.1 QC",
        "split 1.1 2",
        "wager 1.2 split 10",
        "deal 1.1 3D",
        "double 1.1",
        "wager 1.1 double 10",
        "deal 1.1 9C",
        "deal 1.2 KC",
        "stand 1.2",
        "stand 2.1",
        "deal 0.1 8D",
        "settle win 10 0",
        "settle win 10 0",
        "settle win 10 0",
        "settle win 20 0",
    ]
    assert found.facts == {"decisions", "settle_order"}
    assert findings(mapping(EVENTS), lines(*SPLIT)) == []


def test_rows_are_put_in_order_wherever_they_stand() -> None:
    backwards = b"\n".join(reversed(lines(*SPLIT).splitlines()))
    assert rounds(mapping(EVENTS), backwards)[0].events == rounds(mapping(EVENTS), lines(*SPLIT))[0].events


def test_a_split_that_names_no_hand_is_of_the_first() -> None:
    named = [
        each | ({"hand": "m"} if each.get("seat") == "one" and not each["hand"] else {}) for each in SPLIT
    ]
    split = next(each for each in named if each.get("what") == "sp")
    split["hand"] = None
    again = rounds(mapping(EVENTS), lines(*named))[0]
    assert again.events == rounds(mapping(EVENTS), lines(*SPLIT))[0].events


def test_a_late_wager_is_late() -> None:
    late = (*SPLIT[:3], bet("two", "20", "z"), *SPLIT[3:], pay("z", "W", "20", "0"))
    assert "wager.late" in findings(mapping(EVENTS), lines(*late))


@pytest.mark.parametrize(
    ("events", "words"),
    [
        (
            (*SPLIT, pay("q", "W", "1", "0")),
            "settlements[0].wager: item.id: no wager of the round has the id 'q'",
        ),
        ((*SPLIT[:2], SPLIT[1], *SPLIT[2:]), "two wagers of the round have the id 'b'"),
        (
            (*SPLIT, pay("a", "X", "1", "0")),
            "settlements[0].result: item.what: unknown word 'X'; words.result has",
        ),
        (
            (*SPLIT, card("three", "2S")),
            "cards[0].box: item.seat: unknown box 'three'; words.box has dealer, one",
        ),
        ((*SPLIT, card("two", "2S", "y")), "nothing says that one was split from the other"),
        ((*SPLIT, act("two", "sp")), "actions: a split of box 2, and no hand that came of it"),
    ],
)
def test_events_that_do_not_fit_are_refused(events: tuple[dict[str, Any], ...], words: str) -> None:
    if words.startswith("nothing says that"):
        events = (
            *(each | ({"hand": "m"} if each.get("seat") == "two" else {}) for each in SPLIT),
            events[-1],
        )
    (message,) = refusals(mapping(EVENTS), lines(*events))
    assert words in message


def test_a_number_given_twice_tells_no_order() -> None:
    data = lines(*SPLIT).decode().replace('"n": 4,', '"n": 3,')
    assert "their order is not recorded" in refusals(mapping(EVENTS), data.encode())[0]


CARDS = (
    HEAD
    + """
format   = "csv"
rows     = "card"
group_by = "game"
[csv]
[card_codes]
unreadable = ["?"]
[amounts]
unit = "units"
[times]
form = "rfc3339"
[order]
by = "rules"
[splits]
moved_card = "both"
[words.kind]
B = "main"
D = "double"
I = "insurance"
X = "perfect_pairs"
[words.result]
W = "win"
L = "lose"
[words.status]
ok = "settled"
void = "void"
open = "open"
no = "not_placed"
[[hands]]
when = "item.parent != ''"
box = "item.box"
hand = "item.hand"
parent = "item.parent"
[[cards]]
when = "item.card != ''"
box = "item.box"
hand = "item.hand"
card = "item.card"
cancelled = "item.note == 'cancelled'"
[[wagers]]
when = "item.stake != ''"
box = "item.box"
hand = "item.hand"
player = "item.box"
kind = "item.kind"
amount = "item.stake"
net = "item.net"
status = "item.status"
"""
    + ROUND.replace("[round]", "[round]\nvoid = \"note == 'void'\"")
)


def table(*rows: str) -> bytes:
    head = "game,at,box,hand,parent,card,kind,stake,net,status,note"
    return "\n".join([head, *(f"G1,2014-04-05T18:09:04+13:00,{each}" for each in rows)]).encode()


def test_one_row_a_card_with_a_split_written_in_both_hands() -> None:
    data = table(
        "1,a,,8S,B,10,20,ok,",
        "1,a,,8H,,,,ok,",
        "1,a,,3D,,,,ok,",
        "1,a,,9C,D,10,20,ok,",
        "1,b,a,8H,,,,ok,",
        "1,b,a,KC,,10,10,ok,",
        "0,,,9D,,,,ok,",
        "0,,,4D,,,,ok,cancelled",
        "0,,,8D,,,,ok,",
    )
    # The split wager has no kind of its own: that its hand came of a split tells it.
    (found,) = rounds(mapping(CARDS), data)
    assert story(found) == [
        "wager 1.1 main 10",
        "deal 1.1 8S",
        "deal 0.1 9D",
        "deal 1.1 8H",
        "burn 4D",
        "split 1.1 2",
        "wager 1.2 split 10",
        "deal 1.1 3D",
        "double 1.1",
        "wager 1.1 double 10",
        "deal 1.1 9C",
        "deal 1.2 KC",
        "deal 0.1 8D",
        "settle win 20 0",
        "settle win 10 0",
        "settle win 20 0",
    ]


def test_a_split_written_as_the_cards_were_dealt() -> None:
    data = table(
        "1,a,,8S,B,10,-10,ok,",
        "1,a,,8H,,,,ok,",
        "1,a,,8C,,,,ok,",
        "1,a,,3D,,,,ok,",
        "1,b,a,KC,,10,-10,ok,",
        "1,c,a,QC,,10,-10,ok,",
        "0,,,9D,,,,ok,",
        "0,,,KD,,,,ok,",
    )
    by = mapping(CARDS.replace('moved_card = "both"', 'moved_card = "parent"'))
    assert story(rounds(by, data)[0])[1:12] == [
        "deal 1.1 8S",
        "deal 0.1 9D",
        "deal 1.1 8H",
        "split 1.1 2",
        "wager 1.2 split 10",
        "deal 1.1 8C",
        "split 1.1 3",
        "wager 1.3 split 10",
        "deal 1.1 3D",
        "deal 1.2 KC",
        "deal 1.3 QC",
    ]
    assert findings(by, data) == []


def test_a_moved_card_that_is_not_in_both_hands_is_refused() -> None:
    data = table("1,a,,8S,B,10,10,ok,", "1,a,,8H,,,,ok,", "1,b,a,8D,,,,ok,", "0,,,9D,,,,ok,")
    (message,) = refusals(mapping(CARDS), data)
    assert "splits.moved_card: box 1, hand b begins with 8D and box 1, hand a has 8H" in message


HAND = ("1,a,,8S,B,10,{net},{status},", "1,a,,KH,,,,ok,", "0,,,9D,,,,ok,", "0,,,8D,,,,ok,")


@pytest.mark.parametrize(
    ("net", "status", "end"),
    [
        ("10", "ok", ["settle win 10 0"]),
        ("0", "void", ["void wager", "settle void 0 0"]),
        ("-10", "void", ["void wager", "settle lose 0 10"]),
        ("", "open", []),
    ],
)
def test_the_status_of_a_bet(net: str, status: str, end: list[str]) -> None:
    data = table(*(each.format(net=net, status=status) for each in HAND))
    found = story(rounds(mapping(CARDS), data)[0])
    assert found[5:] == end


def test_a_bet_that_was_never_placed_is_in_no_round() -> None:
    data = table(*(each.format(net="10", status="ok") for each in HAND), "1,a,,,B,500,500,no,")
    assert [each for each in story(rounds(mapping(CARDS), data)[0]) if each.startswith("wager")] == [
        "wager 1.1 main 10"
    ]


def test_a_round_declared_void_takes_its_wagers_with_it() -> None:
    data = table("1,a,,8S,B,10,0,ok,void", "1,a,,KH,,,,ok,void", "0,,,9D,,,,ok,void")
    assert story(rounds(mapping(CARDS), data)[0])[-2:] == ["void round", "settle void 0 0"]
    assert findings(mapping(CARDS), data) == []


def test_a_card_that_could_not_be_read_is_one() -> None:
    data = table(*(each.format(net="10", status="ok").replace("KH", "?") for each in HAND))
    assert findings(mapping(CARDS), data) == ["record.unreadable-card"]


def test_cancelled_cards_may_be_left_out() -> None:
    text = CARDS.replace("[[hands]]", '[cancelled]\ncards = "leave_out"\n[[hands]]', 1)
    data = table(*(each.format(net="10", status="ok") for each in HAND), "1,a,,2S,,,,ok,cancelled")
    assert not any(each.startswith("burn") for each in story(rounds(mapping(text), data)[0]))
    assert any(each.startswith("burn") for each in story(rounds(mapping(CARDS), data)[0]))


# --- suits ---------------------------------------------------------------------------------

RANKS = (
    CARDS.replace("[card_codes]", '[card_codes]\nform = "rank"')
    .replace('moved_card = "both"', 'moved_card = "child"')
    .replace('id      = "shape"', 'id = "ranks"')
)


def dealt(*hands: str, kind: str = "B") -> list[str]:
    """The cards of a round of hands, box by box, the dealer's last."""
    rows = []
    for box, hand in enumerate(hands, 1):
        number = 0 if box == len(hands) else box
        for place, rank in enumerate(hand):
            money = f"{kind},10,0" if number and place == 0 else ",,"
            rows.append(f"{number},,,{rank},{money},ok,")
    (found,) = rounds(mapping(RANKS), table(*rows))
    return [each.card for each in found.events if hasattr(each, "card")]


def test_a_card_without_a_suit_is_given_one_of_no_consequence() -> None:
    assert dealt("88", "88", "88K") == ["8S", "8H", "8D", "8C", "8S", "8H", "KS"]


def test_no_card_comes_twice_before_its_rank_came_in_four_suits() -> None:
    found = dealt(*["99"] * 7, "9K")
    assert max(found.count(each) for each in set(found)) == 4


@pytest.mark.parametrize("hand", ["678", "867", "777"])
def test_what_pays_by_its_suits_is_not_made_up(hand: str) -> None:
    found = dealt(hand, "KQ", "98")
    assert found.count("??") == 1


def test_suits_that_could_make_a_super_bonus_leave_the_round_open() -> None:
    assert set(dealt("777", "KQ", "78")) == {"??"}


def test_suits_of_a_pair_matter_to_who_wagered_on_them() -> None:
    rows = ("1,,,8,B,10,10,ok,", "1,,,8,X,5,-5,ok,", "0,,,9,,,,ok,", "0,,,8,,,,ok,")
    (found,) = rounds(mapping(RANKS), table(*rows))
    assert [each.card for each in found.events if hasattr(each, "card")] == ["8S", "9S", "??", "8H"]
