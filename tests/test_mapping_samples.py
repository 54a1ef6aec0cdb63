"""The two shipped mappings on their samples, to findings: what was planted is found, and nothing else.

And rounds written as each vendor writes them, read back: the same settlements.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.check import Check, Checked
from audit.law import load_law
from audit.mapping.model import load_mapping
from audit.mapping.support import unsupported
from data_samples.croupier import deal_night
from data_samples.vendors import SAMPLES as WRITERS
from data_samples.vendors import hand_rows, live_document, rows_text
from data_samples.write import read_truth
from rules_replay.log import Burn, Deal, Round, Settle, Wager
from rules_replay.replay import replay_one
from tests.commands import pontoon
from tests.mappings import SAMPLES, json_document, mapping, rounds, shipped_text

PLANTED = {
    "live-replay.json": {
        ("AKL-P01-20140405-2026-01-001", "draw.after-bust", 3, None),
        ("AKL-P01-20140405-2026-01-002", "dealer.under-draw", 0, None),
        ("AKL-P01-20140405-2026-08-009", "settle.double", 4, 200_000),
        ("AKL-P01-20140405-2026-09-003", "settle.outcome", 7, 20_000),
        ("AKL-P02-20140405-2026-02-001", "split.aces-extra-card", 5, None),
        ("AKL-P02-20140405-2026-02-008", "double.one-card", 7, None),
        ("AKL-P02-20140405-2026-07-003", "settle.odds", 1, -20_000),
        ("AKL-P01-20140405-2026-16-011", "settle.surrender", 2, 5_000),
    },
    "hand-table.csv": {
        ("CBR-P01-20230930-2026-12-005", "draw.after-bust", 4, None),
        ("CBR-P02-20230930-2026-01-014", "dealer.under-draw", 0, None),
        ("CBR-P02-20230930-2026-08-012", "settle.outcome", 2, 30_000),
        ("CBR-P01-20230930-2026-24-005", "settle.odds", 2, -5_000),
        ("CBR-P02-20230930-2026-09-003", "settle.taken", 1, 20_000),
        ("CBR-P02-20230930-2026-21-016", "settle.outcome", 1, -80_000),
    },
}
"""What must be found in each sample, all of it and nothing besides: round, check, box and delta."""

_SIGN = ("the minimum on the sign", "the maximum on the sign", "the sign")
NOT_WRITTEN_DOWN = {
    "live-replay.json": ("the call of no more bets", "what fixes the outcome"),
    "hand-table.csv": ("the call of no more bets", "what fixes the outcome", *_SIGN),
}
"""What rounds of each sample lack beside what its vendor never records."""
NEVER_CHECKED = {
    "live-replay.json": {"deal.late-call"},
    "hand-table.csv": {
        *("wager.below-min", "wager.above-max", "wager.multiples", "wager.box-total", "settle.surrender"),
    },
}
"""The further checks that cannot be made of the rounds told: no call, no sign, no surrender that shows."""

ROUNDS = {"live-replay.json": 48, "hand-table.csv": 66}
NAMES = tuple(PLANTED)


def checked(name: str) -> tuple[Check, list[Checked]]:
    check = Check(load_law(), None, load_mapping(name.split(".")[0]))
    items = list(check.items([SAMPLES / name]))
    done = [each for each in items if isinstance(each, Checked)]
    assert len(done) == len(items) == ROUNDS[name]
    return check, done


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
class TestSample:
    """A sample of lawful rounds and of some with a fault."""

    def test_what_was_planted_is_found_and_nothing_else(self, name: str) -> None:
        _, done = checked(name)
        found = {
            (each.replay.round_id, f.code, f.box, f.delta) for each in done for f in each.replay.findings
        }
        assert found == PLANTED[name]
        assert sum(len(each.replay.findings) for each in done) == len(PLANTED[name])

    def test_the_truth_beside_it_says_the_same(self, name: str) -> None:
        truths = read_truth((SAMPLES / name).with_suffix(".truth"))
        expected = {(t.round_id, e.code, e.box, e.delta) for t in truths for e in t.expected}
        assert expected == PLANTED[name]

    def test_what_the_vendor_does_not_record_is_not_evaluable(self, name: str) -> None:
        _, done = checked(name)
        by = load_mapping(name.split(".")[0])
        lacking = unsupported(by.unrecorded, by.document.records)
        verdicts: dict[str, set[tuple[str, str | None]]] = {}
        for each in done:
            for row in each.replay.coverage:
                verdicts.setdefault(row.code, set()).add((row.verdict, row.missing))
        assert len(lacking) > 10
        for code in lacking.keys() & verdicts.keys():
            said = {("not_evaluable", missing) for missing in (lacking[code], *NOT_WRITTEN_DOWN[name])}
            assert verdicts[code] <= said, code
        assert any(("passed", None) in each for each in verdicts.values())

    def test_the_command_line_finds_them(self, name: str) -> None:
        ran = pontoon("check", SAMPLES / name, "--mapping", name.split(".")[0], "--format", "csv")
        assert ran.code == 1
        rows = list(csv.DictReader(io.StringIO(ran.out)))
        assert {(row["round_id"], row["code"]) for row in rows} == {each[:2] for each in PLANTED[name]}

    def test_a_round_is_explained_as_from_a_lake(self, name: str, tmp_path: Path) -> None:
        by, lake = name.split(".")[0], tmp_path / "lake"
        assert pontoon("ingest", SAMPLES / name, "--mapping", by, "--lake", lake).code == 0
        for round_id, code, *_ in sorted(PLANTED[name])[:2]:
            whole = ("--level", "3", "--json")
            told = pontoon("explain", round_id, "--file", SAMPLES / name, "--mapping", by, *whole).object
            from_lake = pontoon("explain", round_id, "--lake", lake, *whole).object
            for part in ("findings", "coverage"):
                assert told[part] == from_lake[part]
            assert code in {each["code"] for each in told["findings"]}
            # What the vendor does not record was not checked, and no other check is said to be so but
            # those of a call, a sign and a surrender that are in no record.
            lacking = unsupported(load_mapping(by).unrecorded, load_mapping(by).document.records)
            not_checked = {each["code"] for each in told["coverage"]["not_checked"]}
            assert not_checked - lacking.keys() == NEVER_CHECKED[name]
            assert "settle.label" in {each["code"] for each in told["coverage"]["not_checked"]}

    def test_rounds_are_compared_with_another_rulebook_as_from_a_lake(
        self, name: str, tmp_path: Path
    ) -> None:
        by, lake = name.split(".")[0], tmp_path / "lake"
        assert pontoon("ingest", SAMPLES / name, "--mapping", by, "--lake", lake).code == 0
        asked = ("--under", "adelaide-2008", "--json")
        from_file = pontoon("counterfactual", SAMPLES / name, "--mapping", by, *asked)
        from_lake = pontoon("counterfactual", "--lake", lake, *asked)
        assert from_file.code == from_lake.code == 0
        assert from_file.object["summary"] == from_lake.object["summary"]
        rounds = [
            sorted(ran.object["rounds"], key=lambda each: str(each["round_id"]))
            for ran in (from_file, from_lake)
        ]
        assert rounds[0] == rounds[1]
        assert from_file.object["summary"]["rounds"] == ROUNDS[name]
        assert from_file.object["summary"]["rounds_changed"] > 0

    @pytest.mark.slow
    def test_the_samples_are_what_the_program_writes(self, name: str) -> None:
        data, truths = WRITERS[name]()
        assert (SAMPLES / name).read_bytes() == data
        assert read_truth((SAMPLES / name).with_suffix(".truth")) == truths


def test_without_its_mapping_a_vendors_file_is_no_round_log() -> None:
    assert pontoon("check", SAMPLES / "live-replay.json").code == 3
    assert pontoon("explain", "R1", "--file", SAMPLES / "live-replay.json").code == 2


@pytest.mark.parametrize("command", [("explain", "R1"), ("counterfactual", "--under", "nz-2000")])
def test_what_a_lake_holds_is_not_mapped_again(command: tuple[str, ...], tmp_path: Path) -> None:
    ran = pontoon(*command, "--lake", tmp_path, "--mapping", "live-replay")
    assert ran.code == 2
    assert "--mapping reads a vendor's files" in ran.err
    assert pontoon("check", SAMPLES / "hand-table.csv").code == 2


def test_a_sample_tried_shows_rounds_fields_and_what_cannot_be_checked() -> None:
    ran = pontoon("mapping", "test", "live-replay", SAMPLES / "live-replay.json", "--rounds", "1")
    assert ran.code == 0
    assert "live-replay.json:1: round AKL-P01-20140405-2026-01-001" in ran.out
    assert "48 rounds mapped by live-replay version 1, 0 refused." in ran.out
    assert "Cancelled or never placed, and in no round: 2." in ran.out
    assert "Fields that the mapping does not read: seats.*.hands.*.result, seats.*.player." in ran.out
    assert "interim.pontoon-unpaid" in ran.out
    found = pontoon(
        "mapping", "test", "hand-table", SAMPLES / "hand-table.csv", "--rounds", "2", "--json"
    ).object
    assert (found["mapped"], found["refused"], len(found["rounds"])) == (66, 0, 2)
    assert found["rounds"][0]["format"] == "pontoon-round/1"
    assert found["unrecorded"]["suits"] == "the suits of cards"
    assert found["not_evaluable"]["deck.composition"] == "the shoe and the place of the round in it"
    assert found["unmapped_fields"] == []
    assert pontoon("mapping", "test", "hand-table", SAMPLES / "lost.csv").code == 2


def test_a_cancelled_card_a_cancelled_decision_and_a_refused_bet_change_nothing() -> None:
    _, done = checked("live-replay.json")
    burns = [event for each in done for event in each.read.round.events if isinstance(event, Burn)]
    assert [each.reason for each in burns] == ["cancelled"]
    amounts = [e.amount for each in done for e in each.read.round.events if isinstance(e, Wager)]
    assert max(amounts) < 5_000_000


# --- there and back --------------------------------------------------------------------------

Money: TypeAlias = tuple[str, int, int, str, int, str | None, int, int]


def moneys(round_: Round) -> list[Money]:
    """Every wager with its settlement, whatever it is called."""
    wagers = {each.id: each for each in round_.events if isinstance(each, Wager)}
    settled = [(wagers[each.wager], each) for each in round_.events if isinstance(each, Settle)]
    return sorted(
        (w.kind, w.box, w.hand, w.player, int(w.amount), s.result, int(s.paid or 0), int(s.taken or 0))
        for w, s in settled
    )


def cards(round_: Round, *, suits: bool) -> dict[tuple[int, int], list[str]]:
    found: dict[tuple[int, int], list[str]] = {}
    for each in round_.events:
        if isinstance(each, Deal):
            card = each.card if suits else each.card[:-1]
            found.setdefault((each.box, each.hand), []).append(card)
    return found


LIVE = mapping(shipped_text("live-replay"))
HANDS = mapping(shipped_text("hand-table"))


def live_back(round_: Round) -> Round | None:
    document = live_document(round_)
    return None if document is None else rounds(LIVE, json_document([document]))[0]


def hands_back(round_: Round) -> Round | None:
    rows = hand_rows(round_, "Australia/Sydney")
    return None if rows is None else rounds(HANDS, rows_text(rows).encode())[0]


Back: TypeAlias = Callable[[Round], Round | None]


def there_and_back(rulebook: str, seed: int, count: int, back: Back) -> Iterator[tuple[Round, Round]]:
    for round_, _ in deal_night(rulebook, seed, count, tables=1):
        again = back(round_)
        if again is not None:
            yield round_, again


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([("nz-2000", live_back), ("act-2018", hands_back)]))
def test_rounds_written_as_a_vendor_does_come_back_with_the_same_settlements(
    seed: int, way: tuple[str, Back]
) -> None:
    rulebook, back = way
    for round_, again in there_and_back(rulebook, seed, 8, back):
        assert moneys(again) == moneys(round_)
        if not any("??" in each for each in cards(again, suits=True).values()):
            assert cards(again, suits=back is live_back) == cards(round_, suits=back is live_back)


@pytest.mark.slow
@pytest.mark.parametrize("rulebook", ["nz-2000", "act-2018", "act-2005", "rws-2017", "adelaide-2008"])
def test_a_lawful_night_written_as_the_live_table_does_has_no_finding(rulebook: str) -> None:
    auditor, in_shoe, seen = load_law().auditor(), dict[str, int](), 0
    by = LIVE
    for round_, _ in deal_night(rulebook, 11, 150):
        if seen == 0:
            text = shipped_text("live-replay").replace("skycity-auckland", round_.venue)
            by = mapping(text)
        number = in_shoe.get(round_.shoe, 0) + 1
        document: dict[str, Any] | None = live_document(round_, number)
        if document is None:
            continue
        in_shoe[round_.shoe] = number
        seen += 1
        (again,) = rounds(by, json.dumps({"games": [document]}).encode())
        assert replay_one(auditor, again).findings == ()
    assert seen > 25


@pytest.mark.slow
@pytest.mark.parametrize("rulebook", ["nz-2000", "act-2018", "act-2005", "rws-2017"])
def test_a_lawful_night_written_as_a_table_of_hands_accuses_nobody(rulebook: str) -> None:
    """A 6-7-8 or 7-7-7 of unknown suits is a notice that a card could not be read, and that is all."""
    auditor, seen, found = load_law().auditor(), 0, set[tuple[str, str]]()
    for round_, _ in deal_night(rulebook, 12, 600):
        most = round_.limits.max if round_.limits is not None else None
        above = most is not None and any(isinstance(e, Wager) and e.amount > most for e in round_.events)
        rows = None if above else hand_rows(round_, "Australia/Sydney")
        if rows is None:
            continue
        text = shipped_text("hand-table").replace("casino-canberra", round_.venue)
        (again,) = rounds(mapping(text), rows_text(rows).encode())
        seen += 1
        found |= {(each.code, each.severity) for each in replay_one(auditor, again).findings}
        if seen > 120:
            break
    assert seen > 80
    assert found <= {("record.unreadable-card", "notice")}


@pytest.mark.slow
def test_the_same_file_gives_the_same_bytes(tmp_path: Path) -> None:
    lakes = [tmp_path / "a", tmp_path / "b"]
    for lake in lakes:
        pontoon("ingest", SAMPLES / "hand-table.csv", "--mapping", "hand-table", "--lake", lake)
    first, second = (
        {path.relative_to(lake): path.read_bytes() for path in sorted(lake.rglob("*.parquet"))}
        for lake in lakes
    )
    assert first
    assert first == second
