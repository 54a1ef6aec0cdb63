"""The catalogue of faults: every label is found under its code, and nothing else is found with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from data_samples.corpus import fits
from data_samples.croupier import Truth, deal_night
from data_samples.faults import CATALOGUE, by_label
from data_samples.law import law_of
from rules_replay.auditor import Auditor
from rules_replay.checks import catalogue
from rules_replay.log import Round
from rules_replay.rulebook import load_rulebook, rulebook_ids
from rules_replay.venues import load_register

BOOKS = pytest.mark.parametrize("rulebook", rulebook_ids())

NAMED_BY_NO_ROUND = {
    "rulebook.none-in-force",
    "wager.withdrawn",
    "shoe.last-rounds",
    "wager.below-min-again",
    "irregularity.short-hand",
}
"""Codes without a fault: a night is always under a rulebook, no player takes a wager back, no short
hand is found and finished late, and two mistakes take more than one round to make.
"""


def possible(rulebook: str) -> set[str]:
    law = law_of(load_rulebook(rulebook))
    return {fault.label for fault in CATALOGUE if fault.possible(law)}


def disagreements(night: Iterable[tuple[Round, Truth | None]]) -> list[str]:
    """What an audit of a night misses and what it finds beside the truth, notices aside."""
    auditor = Auditor(load_register())
    wrong: list[str] = []
    for round_, truth in night:
        left = list(auditor.audit(round_).findings)
        for expected in truth.expected if truth else ():
            match = next((finding for finding in left if fits(finding, expected)), None)
            if match is None:
                wrong.append(f"{round_.round_id}: {truth and truth.fault}: {expected} not found")
            else:
                left.remove(match)
        wrong += [
            f"{round_.round_id}: {truth and truth.fault}: {finding}"
            for finding in left
            if finding.severity != "notice"
        ]
    return wrong


class TestCatalogue:
    """Each fault has a label, a code of the checks and one sentence that says what goes wrong."""

    def test_labels_are_unique(self) -> None:
        counts = Counter(fault.label for fault in CATALOGUE)
        assert [label for label, count in counts.items() if count > 1] == []
        assert len(by_label()) == len(CATALOGUE)

    def test_codes_are_checks(self) -> None:
        assert {fault.code for fault in CATALOGUE} <= set(catalogue())

    def test_every_check_that_a_round_can_fail_has_a_fault(self) -> None:
        assert set(catalogue()) - {fault.code for fault in CATALOGUE} == NAMED_BY_NO_ROUND

    def test_every_fault_says_what_goes_wrong_in_one_sentence(self) -> None:
        for fault in CATALOGUE:
            sentence = type(fault).__dict__.get("__doc__") or ""
            assert sentence.endswith("."), fault.label
            assert sentence.count(". ") == 0, fault.label

    def test_every_fault_can_occur_somewhere(self) -> None:
        assert set().union(*map(possible, rulebook_ids())) == set(by_label())


@BOOKS
class TestFaults:
    """Whatever is put into a night is found, and a night has no other finding above notice."""

    @pytest.mark.slow
    def test_every_fault_of_the_rulebook_is_found_and_nothing_else(self, rulebook: str) -> None:
        night = list(deal_night(rulebook, 3, 1100, faults="all", rate=1.0, tables=6))
        assert {truth.fault for _, truth in night if truth} == possible(rulebook)
        assert disagreements(night) == []

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(201, 203))
    def test_over_many_seeds(self, rulebook: str, seed: int) -> None:
        assert disagreements(deal_night(rulebook, seed, 120, faults="all", rate=0.8, tables=6)) == []

    def test_the_truth_carries_the_code_of_the_fault(self, rulebook: str) -> None:
        for _, truth in deal_night(rulebook, 4, 80, faults="all", rate=1.0):
            if truth:
                code = by_label()[truth.fault].code
                assert code in {expected.code for expected in truth.expected}

    @pytest.mark.slow
    def test_in_a_realistic_night_common_mistakes_lead(self, rulebook: str) -> None:
        night = deal_night(rulebook, 5, 250, faults="realistic", rate=0.3)
        counts = Counter(truth.fault for _, truth in night if truth)
        assert 15 <= counts.total() <= 75
        common = sum(n for label, n in counts.items() if by_label()[label].common >= 4)
        assert common > counts.total() / 2

    def test_labels_narrow_the_catalogue(self, rulebook: str) -> None:
        wanted = frozenset({"tie-paid", "dealer-stood-on-16"})
        night = deal_night(rulebook, 6, 120, faults="all", rate=1.0, labels=wanted)
        assert {truth.fault for _, truth in night if truth} == wanted


def test_a_fault_of_the_button_is_one_of_every_wager_that_it_pays() -> None:
    """One press pays all Pandemonium wagers of a box (rws-2017 3.8.1)."""
    wanted = frozenset({"unknown-multiplier", "pressed-twice"})
    night = list(deal_night("rws-2017", 1, 160, faults="all", rate=1.0, labels=wanted))
    assert {truth.fault for _, truth in night if truth and len(truth.expected) > 1} == wanted
    assert disagreements(night) == []
