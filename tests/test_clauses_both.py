"""Clauses on which each rulebook says something else: what it makes of a round, in both engines.

Clauses are named in front of the classes, by rulebook where the numbers differ.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from rules_replay.log import Round
from tests.kernel.parity import WHOLLY, differences, register_for
from tests.rounds import PLACES, book, due, findings, found, noticed, play, settled

ACT = ("act-2005", "act-2018")
ALL = (*ACT, "adelaide-2008", "nz-2000", "rws-2017")
every = pytest.mark.parametrize("rulebook", ALL)
both = pytest.mark.parametrize("rulebook", ACT)


class TestForfeitOfWhoDidNotDouble:
    """nz-2000 12.8, rws-2017 3.14, adelaide-2008 64(b), ACT 12.6: a forfeit withdraws the doubled portion."""

    DOUBLED = "a 20@1 by Ann | b 10@1 by Bo | 1:6C 0:9H 1:5D | double 1 with d 20 on a | 1:2C | forfeit b"
    TOLD = (
        f"{DOUBLED} | 0:KD | a loses 20 | d loses 20 | b forfeits 10",
        f"{DOUBLED} | 0:KD | a loses 20 | d loses 20 | b loses 10",
        f"{DOUBLED} | 0:6D 0:8S | a wins 20 | d wins 20 | b wins 10",
        f"{DOUBLED} | forfeit a | a forfeits 20 | d returned | b forfeits 10",
        f"{DOUBLED} | forfeit a | 0:KD | a forfeits 20 | d returned | b forfeits 10",
        f"{DOUBLED} | 0:KD | forfeit b | a loses 20 | d loses 20 | b forfeits 10",
        f"without decisions | {DOUBLED} | 0:KD | a loses 20 | d loses 20 | b forfeits 10",
    )

    @pytest.mark.parametrize("settled_", ["forfeits", "loses"])
    @pytest.mark.parametrize("rulebook", ["nz-2000", "rws-2017"])
    def test_is_a_breach(self, rulebook: str, settled_: str) -> None:
        told = f"{self.DOUBLED} | 0:KD | a loses 20 | d loses 20 | b {settled_} 10"
        (finding,) = findings(rulebook, told)
        assert (finding.code, finding.severity, finding.wager) == ("forfeit.eligibility", "breach", "b")
        assert due(rulebook, told)["b"] == "forfeit 10"

    def test_is_an_input_error_in_adelaide(self) -> None:
        """64(b): not a breach."""
        for result in ("forfeits", "loses"):
            told = f"{self.DOUBLED} | 0:KD | a loses 20 | d loses 20 | b {result} 10"
            assert found("adelaide-2008", told) == []
            assert noticed("adelaide-2008", told) == ["forfeit.eligibility"]

    @both
    def test_is_open_to_anyone_in_canberra(self, rulebook: str) -> None:
        """12.6."""
        told = f"{self.DOUBLED} | 0:KD | a loses 20 | d loses 20 | b forfeits 10"
        assert findings(rulebook, told) == ()
        assert due(rulebook, told)["b"] == "forfeit 10"
        assert "settle.forfeit" in found(rulebook, f"{self.DOUBLED} | 0:6D 0:8S | b wins 10")

    @pytest.mark.parametrize("rulebook", ["nz-2000", "rws-2017", "adelaide-2008"])
    def test_settled_as_played_it_is_due_what_the_hand_came_to(self, rulebook: str) -> None:
        told = f"{self.DOUBLED} | 0:6D 0:8S | a wins 20 | d wins 20 | b wins 10"
        assert due(rulebook, told) == {"a": "win 20", "d": "win 20", "b": "win 10"}
        assert [each.code for each in findings(rulebook, told)] == ["forfeit.eligibility"]

    @pytest.mark.parametrize("rulebook", ["nz-2000", "rws-2017", "adelaide-2008"])
    @pytest.mark.parametrize("dealer", ["", "0:KD | "], ids=["stops", "draws"])
    def test_the_dealer_is_not_blamed_for_it(self, rulebook: str, dealer: str) -> None:
        told = f"{self.DOUBLED} | forfeit a | {dealer}a forfeits 20 | d returned | b forfeits 10"
        assert [each.code for each in findings(rulebook, told)] == ["forfeit.eligibility"]

    @every
    def test_where_no_double_is_in_the_log_that_is_what_it_lacks(self, rulebook: str) -> None:
        told = (
            "a 20@1 by Ann | b 10@1 by Bo | 1:6C 0:9H 1:5D | double 1 | 1:2C | forfeit b | 0:KD "
            "| b forfeits 10"
        )
        assert "forfeit.eligibility" not in (each.code for each in findings(rulebook, told))

    @every
    def test_read_off_a_settlement_it_is_no_forfeit_to_report(self, rulebook: str) -> None:
        told = self.TOLD[-1].replace(" | forfeit b", "")
        assert found(rulebook, told) == []


def _told(rulebook: str) -> Iterator[Round]:
    """Every round of the classes above as it is told, and with the settlements that it lacks."""
    texts = [*TestForfeitOfWhoDidNotDouble.TOLD]
    number = 0
    for text in texts:
        round_ = play(rulebook, text)
        for each in (round_, settled(round_, book(rulebook))):
            # What is replayed wholly goes through the readable engine alone.
            for _ in range(2 if number % WHOLLY == 0 else 1):
                number += 1
                yield play_again(each, number)


def play_again(round_: Round, number: int) -> Round:
    """The same round under a name and in a shoe of its own."""
    return msgspec.structs.replace(round_, round_id=f"round-{number}", shoe=f"P01-{number}")


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel")
@every
def test_both_engines_say_the_same(rulebook: str) -> None:
    venue = PLACES[rulebook][0]
    assert differences(_told(rulebook), venue, register=register_for(rulebook, venue)) == []
