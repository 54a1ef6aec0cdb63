"""Every check of the catalogue is shown broken and kept, by a round a rulebook reader can follow."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest

from rules_replay.auditor import Auditor
from rules_replay.checks import catalogue
from rules_replay.results import RoundReplay
from tests.rounds import REGISTER, book, play, settled


class Pair(msgspec.Struct, forbid_unknown_fields=True):
    """A breach of a check and its compliant form; ``beside`` is found with the breach by its nature."""

    rulebook: str
    breach: str | list[str]
    in_order: str | list[str]
    as_told: bool = False
    beside: frozenset[str] = frozenset()

    def audit(self, told: str | list[str]) -> RoundReplay:
        """What the auditor says of the last of the rounds told."""
        auditor = Auditor(REGISTER)
        texts = [told] if isinstance(told, str) else told
        for number, text in enumerate(texts, start=1):
            head = {"round_id": f"r{number}"} | ({} if "round " in text else {"round_no": number})
            round_ = play(self.rulebook, text, **head)
            last = auditor.audit(round_ if self.as_told else settled(round_, book(self.rulebook)))
        return last


PAIRS = msgspec.convert(
    tomllib.loads((Path(__file__).parent / "cases" / "checks.toml").read_text(encoding="utf-8")),
    dict[str, Pair],
)


def test_every_check_has_a_pair() -> None:
    assert set(PAIRS) == set(catalogue())


def test_only_what_a_shoe_shows_needs_several_rounds() -> None:
    several = {code for code, pair in PAIRS.items() if isinstance(pair.breach, list)}
    assert several == {
        "deck.composition",
        "deck.count-changed",
        "shoe.last-rounds",
        "shoe.round-gap",
        "shoe.shuffle-due",
        "wager.below-min-again",
    }


@pytest.mark.parametrize("code", catalogue())
def test_a_breach_is_found_and_nothing_else(code: str) -> None:
    pair = PAIRS[code]
    replay = pair.audit(pair.breach)
    assert {finding.code for finding in replay.findings} == {code} | pair.beside
    assert {row.code for row in replay.coverage if row.verdict == "failed"} == {code} | pair.beside


@pytest.mark.parametrize("code", catalogue())
def test_the_compliant_form_is_free_of_findings(code: str) -> None:
    pair = PAIRS[code]
    replay = pair.audit(pair.in_order)
    kept = {finding.code for finding in replay.findings if finding.severity != "notice"}
    assert kept == set()
    assert code not in {finding.code for finding in replay.findings}
