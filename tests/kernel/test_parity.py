"""Both engines say the same of every round: hands, settlements, findings, readings, coverage."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings

from audit.ingest.wire import decode_line
from rules_replay.fast import replay as fast
from rules_replay.log import Round
from rules_replay.rulebook import READINGS, load_rulebook, rulebook_ids
from tests.commands import GOLDEN
from tests.kernel.parity import differences, register_for
from tests.kernel.rounds import faulty_rounds, lawful_rounds, nonsensical_rounds, reckless_rounds
from tests.rounds import play

LAWFUL = 200
"""Lawful rounds of each rulebook to compare; `tests.record_parity` compares a million."""

every_rulebook = pytest.mark.parametrize("rulebook", rulebook_ids())


def _golden() -> dict[str, list[Round]]:
    """The golden rounds by venue."""
    found: dict[str, list[Round]] = defaultdict(list)
    for line in GOLDEN.read_bytes().splitlines():
        round_ = decode_line(line).round
        found[round_.venue].append(round_)
    return found


@pytest.mark.slow
def test_the_kernel_reads_the_same_uncompiled() -> None:
    """The functions are plain Python too: what coverage and a debugger see is what is compiled."""
    script = (
        "from tests.kernel.parity import differences; from tests.kernel.rounds import reckless_rounds;"
        "rounds = list(reckless_rounds('act-2018', 3, 6));"
        "print(differences(rounds, rounds[0].venue))"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel")
class TestCompiled:
    """The compiled kernel against the readable engine."""

    def test_golden_rounds(self) -> None:
        for venue, rounds in _golden().items():
            assert differences(rounds, venue) == []

    def test_a_foreign_card_beside_hands_that_were_complete(self) -> None:
        split = "a 20@1 | b 20@1 | 1:8C 0:9H 1:8D | split 1 with s 20 on a"
        told = [
            f"{split} | {end}"
            for end in (
                "1:KC | stand 1 | 1.2:10C | stand 1.2 | 0:8C",
                "1:KC | 1:5C | 1.2:10C | stand 1.2 | 0:8C | a wins 20",
                "1:3C | double 1 with d 20 on a | 1:7C | 1.2:10C | forfeit a | stand 1.2 | 0:8C",
                "1:KC | stand 1 | 1.2:10C | assign b 1 | stand 1.2 | 0:8C",
                "1:KC | 1.2:10C | stand 1 | stand 1.2 | 0:8C",
                "1:KC | stand 1 | 1.2:KD | stand 1.2 | 1:10C | 0:??",
            )
        ]
        told += [each.replace("0:9H", "0:AH").replace("0:8C", "0:KS") for each in told]
        for rulebook in rulebook_ids():
            rounds = [
                play(rulebook, each, round_id=f"R{number}", round_no=number)
                for number, each in enumerate(told, 1)
            ]
            assert differences(rounds, rounds[0].venue) == []

    @every_rulebook
    def test_lawful_rounds(self, rulebook: str) -> None:
        rounds = list(lawful_rounds(rulebook, 1, LAWFUL))
        assert differences(rounds, rounds[0].venue) == []

    @every_rulebook
    def test_faulty_rounds(self, rulebook: str) -> None:
        rounds = list(faulty_rounds(rulebook, 2, 200))
        assert differences(rounds, rounds[0].venue) == []

    @every_rulebook
    def test_reckless_rounds(self, rulebook: str) -> None:
        rounds = list(reckless_rounds(rulebook, 3, 160))
        register = register_for(rulebook, rounds[0].venue)
        assert differences(rounds, rounds[0].venue, register=register) == []

    @every_rulebook
    def test_every_other_reading(self, rulebook: str) -> None:
        """Each answer over rounds of its own: those under the defaults are told under every other one too."""
        walk = reckless_rounds(rulebook, 4, 100_000)
        book = load_rulebook(rulebook)
        for question, reading in book.readings.items():
            for answer in READINGS[question]:
                if answer == reading.default or answer not in (*reading.alternatives, *reading.weaker):
                    continue
                rounds = list(islice(walk, 6))
                found = differences(rounds, rounds[0].venue, readings={question: answer})
                assert found == [], f"{question}={answer}"

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(round_=nonsensical_rounds)
    def test_nonsensical_rounds(self, round_: Round) -> None:
        assert differences([round_], round_.venue) == []

    def test_batches_of_any_size_give_the_same(self) -> None:
        rounds = list(faulty_rounds("nz-2000", 5, 120))
        assert differences(rounds, rounds[0].venue, batch=7) == []

    def test_a_round_too_long_for_the_kernel(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """It goes through the readable engine alone, in its place among the others and in its shoe."""
        monkeypatch.setattr(fast, "MOST_EVENTS", 25)
        rounds = list(reckless_rounds("adelaide-2008", 6, 80))
        assert {len(each.events) > 25 for each in rounds} == {True, False}
        assert differences(rounds, rounds[0].venue) == []
