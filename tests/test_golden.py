"""Rounds kept as data come out as an independent reading of the rulebooks wants them."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rules_replay.auditor import Auditor
from rules_replay.log import Amount, Round, decode_custom
from rules_replay.results import Finding, Money, RoundReplay
from rules_replay.rulebook import rulebook_ids
from rules_replay.venues import load_register

CASES = Path(__file__).parent / "cases"


def _money(line: dict[str, str]) -> Money:
    return Money(result=line["result"], paid=Amount.parse(line["paid"]), taken=Amount.parse(line["taken"]))


def _thousandths(text: str) -> int:
    return -Amount.parse(text[1:]) if text.startswith("-") else Amount.parse(text)


class Want(msgspec.Struct, kw_only=True):
    """What must come out of one round."""

    round_id: str
    title: str = ""
    clauses: str = ""
    fault: str | None = None
    settlements: list[dict[str, str]]
    indeterminate: list[str] = []
    findings: list[dict[str, Any]]
    may: list[str]

    def differences(self, found: RoundReplay) -> Iterator[str]:
        """Everything about a replay that is not as wanted."""
        due = {(row.wager, row.line): row.expected for row in found.settlements}
        for line in self.settlements:
            wager = (line["wager"], line["line"])
            if due.get(wager) != _money(line):
                yield f"{wager}: want {_money(line)}, found {due.get(wager)}"
        for each in self.indeterminate:
            if due.get((each, "stake")) is not None:
                yield f"{each}: want it open, found {due[each, 'stake']}"
        left = list(found.findings)
        for wanted in self.findings:
            match = next((finding for finding in left if _fits(wanted, finding)), None)
            if match is None:
                yield f"not found: {wanted}"
            else:
                left.remove(match)
        for finding in left:
            if finding.severity != "notice" and not self._left_open(finding):
                yield f"not wanted: {finding}"

    def _left_open(self, finding: Finding) -> bool:
        for each in self.may:
            code, _, wager = each.partition("@")
            if fnmatchcase(finding.code, code) and wager in ("", finding.wager):
                return True
        return False


def _fits(wanted: dict[str, Any], finding: Finding) -> bool:
    places = ("code", "box", "hand", "wager")
    same = all(str(getattr(finding, key)) == str(wanted[key]) for key in places if key in wanted)
    return same and ("delta" not in wanted or finding.delta == _thousandths(wanted["delta"]))


def _cases(name: str) -> list[tuple[Round, Want]]:
    rounds = (CASES / f"{name}.jsonl").read_bytes().splitlines()
    wants = (CASES / f"{name}.want.jsonl").read_bytes().splitlines()
    decoder = msgspec.json.Decoder(Round, dec_hook=decode_custom)
    return [
        (decoder.decode(line), msgspec.json.decode(want, type=Want))
        for line, want in zip(rounds, wants, strict=True)
    ]


GOLDEN = _cases("golden")


@pytest.mark.parametrize(("told", "want"), GOLDEN, ids=[want.round_id for _, want in GOLDEN])
def test_a_golden_round_comes_out_as_wanted(told: Round, want: Want) -> None:
    assert told.round_id == want.round_id
    assert list(want.differences(Auditor(load_register()).audit(told))) == [], want.title


@pytest.mark.parametrize("rulebook", rulebook_ids())
def test_the_nights_come_out_as_wanted(rulebook: str) -> None:
    wrong = {
        told.round_id: (want.fault, differences)
        for told, want in _cases(f"nights/{rulebook}")
        if (differences := list(want.differences(Auditor(load_register()).audit(told))))
    }
    assert wrong == {}


@pytest.mark.parametrize("rulebook", rulebook_ids())
def test_the_nights_hold_faults_of_many_kinds_and_faultless_rounds(rulebook: str) -> None:
    faults = [want.fault for _, want in _cases(f"nights/{rulebook}")]
    assert len(set(faults) - {None}) >= 35
    assert faults.count(None) >= 20


def test_every_rulebook_has_golden_rounds() -> None:
    assert {told.round_id.partition(".")[0] for told, _ in GOLDEN} == set(rulebook_ids())
