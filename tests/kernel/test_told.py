"""Rounds told for a clause, through both engines: both say the same of each."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from rules_replay.log import Round
from rules_replay.rulebook import rulebook_ids
from tests import (
    test_clauses_both,
    test_clauses_burned,
    test_clauses_overdealt,
    test_clauses_placed,
    test_clauses_rws,
    test_clauses_unread,
    test_clauses_unrecorded,
    test_clauses_whose,
    test_clauses_withdrawn,
)
from tests.kernel.parity import WHOLLY, differences, register_for
from tests.rounds import PLACES, book, play, settled


def _texts(rulebook: str) -> Iterator[str]:
    yield from test_clauses_both.TestForfeitOfWhoDidNotDouble.TOLD
    yield from test_clauses_both.TestVoidSideWagerHasNoMoment.told(rulebook)
    yield from test_clauses_both.TestRefusedExposedCard.told()
    yield from test_clauses_both.TestExposedCard.TOLD
    yield from test_clauses_burned.TestBurnedOff.told()
    yield from test_clauses_burned.TestCardOfAnother.told()
    yield from test_clauses_overdealt.TestCardTooManyInTheInitialDeal.told()
    yield from test_clauses_placed.TestPlacedLate.told()
    yield from test_clauses_unrecorded.TestDrawsWithoutDecisions.TOLD
    yield from test_clauses_unrecorded.TestSurrenderNobodyRecorded.told()
    yield from test_clauses_withdrawn.TestWagerTakenBack.told()
    yield from test_clauses_withdrawn.TestTakenBackLost.TOLD
    yield from test_clauses_withdrawn.TestTakenBackDecided.told()
    yield from test_clauses_both.TestMostThatAnOpenWagerPays.told()
    yield from test_clauses_both.TestUndoneAndMadeAgainInTime.told()
    yield test_clauses_both.TestDoubledAfterStanding.TOLD
    yield from test_clauses_both.TestSettledBesideABonus.TOLD
    yield from test_clauses_both.TestSplitHandWithoutItsSecondCard.told()
    if rulebook != "nz-2000":
        yield from test_clauses_both.TestSideWagerSettledEarly.told(rulebook)
    if rulebook == "rws-2017":
        after = test_clauses_rws.TestClause5Irregularities.AFTER
        yield from (f"{after.format('')} | burn 10D", after.format("burn 10D | "))
        yield f"without settle_order | {after.format('')} | burn 10D"
        yield test_clauses_rws.TestClause5Irregularities.TAKEN_BACK
        yield test_clauses_rws.TestClause4_2SuperBonus.SHARED
    if rulebook == "adelaide-2008":
        yield from (test_clauses_both.TestSideWagerOfWhoLeaves.TOLD.format(each) for each in ("25", "30"))
    yield from test_clauses_unrecorded.TestHandOfCoWagerer.told()
    yield test_clauses_unrecorded.TestForfeitRecordedAllTheSame.TOLD
    yield from test_clauses_unrecorded.TestGivenUpAgainstTheCards.TOLD
    yield from test_clauses_unrecorded.TestDealersSecondCardBurned.TOLD
    yield from test_clauses_unread.TestHandThatMayHaveWon.told()
    yield from test_clauses_unread.TestForfeitWithAnUnreadCard.told()
    yield from test_clauses_unread.TestDealersCardUnread.told()
    yield from test_clauses_unread.TestSevensSplitUnread.told()
    yield from test_clauses_whose.TestTwoWagersOfTheController.told()
    yield from test_clauses_whose.TestPortionForAWagerOnAnotherHand.told()
    yield from test_clauses_whose.TestSplitWagerOfWhoHadLost.told()
    yield from test_clauses_whose.TestChoiceOfAHandOfAnotherSplit.told()
    if not rulebook.startswith(("nz", "rws", "adelaide")):
        yield from test_clauses_whose.TestTakenBackBeforeTheFirstCard.told()
    yield from test_clauses_whose.TestWithdrawnFromAHandThatIsNotShort.told()


def _rounds(rulebook: str) -> Iterator[Round]:
    """Every round as it is told, and with the settlements that it lacks."""
    number = 0
    for text in _texts(rulebook):
        round_ = play(rulebook, text)
        for each in (round_, settled(round_, book(rulebook))):
            # What is replayed wholly goes through the readable engine alone.
            for _ in range(2 if number % WHOLLY == 0 else 1):
                number += 1
                yield _named(each, number)


def _named(round_: Round, number: int) -> Round:
    """The same round under a name and in a shoe of its own."""
    return msgspec.structs.replace(round_, round_id=f"round-{number}", shoe=f"P01-{number}")


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel")
@pytest.mark.parametrize("rulebook", rulebook_ids())
def test_both_engines_say_the_same(rulebook: str) -> None:
    venue = PLACES[rulebook][0]
    assert differences(_rounds(rulebook), venue, register=register_for(rulebook, venue)) == []
