"""Nobody is accused on an interpretation: what an alternative reading allows is at most ambiguous.

For every alternative that a rulebook lists there is a round that comes out otherwise under
it. Where the alternative is the more lenient one, the round settled by it is found ambiguous
under the default, and the finding names the reading.
"""

from __future__ import annotations

import pytest

from rules_replay import engine
from rules_replay.auditor import Auditor
from rules_replay.results import Finding
from rules_replay.rulebook import load_rulebook, rulebook_ids
from rules_replay.venues import load_register
from tests.rounds import book, found, play, settled

BUST_DOUBLE = "a 20@1 | b 20@2 | 1:7C 2:KC 0:KS 1:5D 2:8D | double 1 with ad 20 on a | 1:KC | stand 2 | 0:AD"
DOUBLED_21 = "a 20@1 | b 20@2 | 1:6C 2:9H 0:KS 1:5D 2:9C | double 1 with ad 20 on a | 1:QH | stand 2 | 0:AH"
SPLIT_DOUBLED = (
    "a 20@1 | 1:8S 0:KH 1:8D | split 1 with a2 20 on a | 1:3S | double 1 with ad 20 on a | 1:7C | 1.2:JC "
    "| stand 1.2 | 0:AD"
)
FIRST_BUST = "a 20@1 | 1:8S 0:KH 1:8D | split 1 with a2 20 on a | 1:5S 1:QC | 1.2:JC | stand 1.2 | 0:AD"
SECOND_BUST = "a 20@1 | 1:8S 0:KH 1:8D | split 1 with a2 20 on a | 1:JC | stand 1 | 1.2:5S 1.2:QC | 0:AD"
SPLIT_ACE_DOUBLED = (
    "a 20@1 | 1:8C 0:KH 1:8D | split 1 with a2 20 on a | 1:AC | double 1 with ad 20 on a | 1:2H | 1.2:KC "
    "| stand 1.2 | 0:8C"
)
CO_WAGERER_WITH_ACE = "a 20@1 by Ann | b 20@1 by Bo | 1:AC 0:KH 1:6D | double 1 with ad 20 on a | 1:4H | 0:8C"
LATE_SURRENDER = "a 20@1 | b 20@2 | 1:9C 2:KC 0:QS 1:4D 2:6D | 1:7C | stand 1 | surrender 2 | 0:9D"
SUPER_BONUS = (
    "a 25@1 by Ann | b 10@1 by Bo | c 10@2 by Cy | 1:7H 2:8D 0:7C 1:7H 2:8C | 1:7H | split 2 with c2 10 on c "
    "| 2:9C | 2.2:9D | stand 2.2 | 0:JD"
)
BUST_INSURED = "a 40@1 | 1:KC 0:AC 1:6D | i 20 insures a | 1:9S | 0:KD"
ODD_PONTOON = "sign chip 5 | a 25@1 | 1:AC 0:9H 1:KD"
IDLE_SECOND = "a 20@1 | 1:KC 0:8H 1:6D | 1:9C | 0:9D"
BESIDE_A_PONTOON = (
    "a 20@1 by Ann | b 20@2 by Ann | 1:AC 2:9H 0:AS 1:KD 2:8D | a wins 30 | i 10 insures b | stand 2 | 0:9D"
)
TWO_PAIRS = (
    "a 20@1 by Ann | b 20@2 by Ann | p 10@1 perfect_pairs by Ann | r 10@2 perfect_pairs by Ann "
    "| 1:7H 2:QS 0:9C 1:7C 2:QS | stand 1 | stand 2 | 0:JD"
)
PAIR_ELSEWHERE = (
    "a 20@1 by Ann | b 20@2 by Bo | p 10@2 perfect_pairs by Ann | 1:KC 2:7H 0:9C 1:9D 2:7C "
    "| stand 1 | stand 2 | 0:JD"
)
THIRD_ACE_DOUBLED = "a 20@1 | 1:4C 0:9H 1:3D | 1:AC | double 1 with ad 20 on a | 1:3H | 0:KD"
KING_AND_QUEEN = (
    "a 20@1 | 1:KC 0:6S 1:QD | split 1 with a2 20 on a | 1:9C | stand 1 | 1.2:9D | stand 1.2 | 0:JD 0:7C"
)

CASES = {
    "dealer_pontoon_split=original_cap": SECOND_BUST,
    "dealer_pontoon_split=busted_plus_one": FIRST_BUST,
    "dealer_pontoon_split=original_stack": SECOND_BUST,
    "dealer_pontoon_double=original_per_hand": SPLIT_DOUBLED,
    "doubled_bust_dealer_pontoon=original_only": BUST_DOUBLE,
    "doubled_21=held_beats_21": DOUBLED_21,
    "doubled_21=held": DOUBLED_21.replace("0:KS", "0:8S").replace("0:AH", "0:7H 0:6H"),
    "fixed_aces=first_two_of_hand": SPLIT_ACE_DOUBLED,
    "fixed_aces=initial_deal": SPLIT_ACE_DOUBLED,
    "co_wagerer_not_doubling_total=same": CO_WAGERER_WITH_ACE,
    "co_wagerer_not_doubling_total=own": CO_WAGERER_WITH_ACE,
    "co_wagerer_not_doubling_odds=table": (
        "a 20@1 by Ann | b 20@1 by Bo | 1:6C 0:9H 1:7D | double 1 with ad 20 on a | 1:8H"
    ),
    "double_cuts_box_odds=box": (
        "a 20@1 | 1:2C 0:6S 1:2D | split 1 with a2 20 on a | 1:9C | double 1 with ad 20 on a | 1:KC "
        "| 1.2:3C 1.2:4C 1.2:5C 1.2:7C"
    ),
    "surrender_window=own_turn": LATE_SURRENDER,
    "super_bonus_with_table=instead": SUPER_BONUS,
    "super_bonus_winners=controller": SUPER_BONUS,
    "super_bonus_excluded_by=any_split_or_double": (
        "a 25@1 | 1:7H 0:7C 1:7D | split 1 with a2 25 on a | 1:7H 1:7H | 1.2:KC | stand 1.2 | 0:KD"
    ),
    "other_wagers_bonus=with_side_bets": SUPER_BONUS.replace(
        "| 2:9C |", "| 2:3C | double 2 with cd 10 on c | 2:9C |"
    ).replace("c 10@2 by Cy", "c 10@2 by Cy{side}"),
    "other_wagers_bonus=per_original": SUPER_BONUS,
    "side_bet_needs=anyone": "a 20@1 by Ann | p 10@1 perfect_pairs by Bo | 1:7H 0:9C 1:7C | stand 1 | 0:JD",
    "personal_limit=box": (
        "sign max 200 | a 600@1 by Ann limit 1000 | b 300@1 by Bo | 1:KC 0:7S 1:9D | stand 1 | 0:KD"
    ),
    "insurance_life=falls": BUST_INSURED,
    "insurance_life=lost_when_bust": BUST_INSURED,
    "insurance_life=falls_if_surrendered": "a 20@1 | 1:KC 0:AC 1:6D | i 10 insures a | surrender 1 | 0:KD",
    "insurance_cap=total": (
        "a 20@1 by Ann | b 40@2 by Ann | 1:9C 2:9D 0:AC 1:8C 2:8D | i 30 insures b | stand 1 | stand 2 | 0:9S"
    ),
    "insurance_window=before_any_draw": (
        "a 20@1 | b 20@2 | 1:9C 2:9H 0:AS 1:9D 2:8D | stand 1 | i 10 insures b | stand 2 | 0:KD"
    ),
    "insurance_window=own_turn": (
        "a 20@1 | b 20@2 | 1:9C 2:9H 0:AS 1:4D 2:6D | 1:7C | stand 1 | i 10 insures b | stand 2 | 0:KD"
    ),
    "insurance_spares_main=yes": "a 100@1 | 1:KC 0:AS 1:8D | i 50 insures a | stand 1 | 0:KD",
    "pontoon_bars_insurance=owner": (
        "a 20@1 by Ann | b 20@2 by Bo | 1:AC 2:9H 0:AS 1:KD 2:8D | a wins 30 | i 10 insures a by Bo "
        "| stand 2 | 0:9D"
    ),
    "pontoon_bars_insurance=nobody": "a 20@1 | 1:AC 0:AS 1:KD | a wins 30 | i 10 insures a | 0:9D",
    "pairs_payout=highest_returned": TWO_PAIRS,
    "pairs_payout=highest_collected": TWO_PAIRS,
    "side_bet_needs=anywhere": PAIR_ELSEWHERE,
    "aces_are_a_pair=no": "a 20@1 | p 10@1 pair | 1:AH 0:9C 1:AC | stand 1 | 0:JD",
    "jackpot_pays=in_all": "a 20@1 | j 10@1 pandemonium | 1:AC 0:9C 1:KD | press 1 25",
    "jackpot_press=each_player": (
        "a 10@1 by Ann | b 10@2 by Ann | j 10@1 pandemonium by Ann | k 10@2 pandemonium by Ann "
        "| 1:AC 2:AD 0:9C 1:KD 2:QD | press 1 5"
    ),
    "later_aces=held_at_one": THIRD_ACE_DOUBLED,
    "later_aces=all_at_one": "a 20@1 | 1:6C 0:9H 1:4D | double 1 with ad 20 on a | 1:AC | 0:8D",
    "split_odds=even": (
        "a 20@1 | 1:7C 0:9H 1:7D | split 1 with a2 20 on a | 1:7H 1:7S | 1.2:KC | stand 1.2 | 0:8D"
    ),
    "doubled_split_odds=table": (
        "a 20@1 | 1:2C 0:6S 1:2D | split 1 with a2 20 on a | 1:3C 1:4D 1:2H | double 1 with ad 20 on a "
        "| 1:KC | 1.2:KD | stand 1.2 | 0:JD 0:7C"
    ),
    "mixed_suits=all_different": "a 20@1 | 1:6C 0:9H 1:7C | 1:8D",
    "spades_row=added": "a 20@1 | 1:6S 0:9H 1:7S | 1:8S",
    "bust_on_dealers_total=stand_off": (
        "a 20@1 | b 20@2 | 1:KC 2:9H 0:6S 1:5D 2:8D | 1:8C | stand 2 | 0:9C 0:8D"
    ),
    "split_bust_takes=box": (
        "a 20@1 | 1:8S 0:7H 1:8D | split 1 with a2 20 on a | 1:6S 1:9C | 1.2:KC | stand 1.2 | 0:KD"
    ),
    "twenty_one_paid=falls_to_pontoon": (
        "a 20@1 | b 20@2 | 1:9C 2:9H 0:AD 1:7D 2:9C | 1:5S | stand 2 | 0:KD"
    ),
    "second_card_for_surrender=not_drawn": "a 20@1 | 1:KC 0:AS 1:6D | surrender 1",
    "original_won_as_21=out_of_play": (
        "a 20@1 | 1:8S 0:KH 1:8D | split 1 with a2 20 on a | 1:5S 1:8C | 1.2:9C | stand 1.2 | 0:AD"
    ),
    "bust_above_original=returned": (
        "a 20@1 | 1:8S 0:KH 1:8D | split 1 with a2 20 on a | 1:8C | split 1 with a3 20 on a | 1:JC 1:5D "
        "| 1.3:JD 1.3:5H | 1.2:JH | stand 1.2 | 0:AD"
    ),
    "amounts=chip_down": ODD_PONTOON,
    "amounts=chip_up": ODD_PONTOON,
    "amounts=exact": ODD_PONTOON,
    "card_count_rows=total_21": "a 20@1 | 1:2C 0:9H 1:3D | 1:4H 1:5S 1:5C | stand 1 | 0:9D",
    "dealer_second_card_idle=allowed": IDLE_SECOND,
}
"""A round for every other answer that is more lenient than the default, or pays otherwise."""

STRICTER = {
    "surrender_window=before_any_draw": (LATE_SURRENDER, "surrender.timing"),
    "dealer_second_card_idle=forbidden": (IDLE_SECOND, "dealer.needless-draw"),
    "pontoon_bars_insurance=player": (BESIDE_A_PONTOON, "insurance.pontoon-holder"),
    "split_pair=same_rank": (KING_AND_QUEEN, "split.unequal-value"),
}
"""Alternatives that fault what the default allows, with what they find."""

LISTED = [
    (rulebook, f"{reading.id}={alternative}")
    for rulebook in rulebook_ids()
    for reading in load_rulebook(rulebook).readings.values()
    for alternative in reading.alternatives
]

WEAKER = [
    (rulebook, f"{reading.id}={answer}")
    for rulebook in rulebook_ids()
    for reading in load_rulebook(rulebook).readings.values()
    for answer in reading.weaker
]


def audited_as(rulebook: str, told: str, reading: str, **chosen: str) -> list[Finding]:
    """What is found in a round settled by another reading, notices left out; by default unless chosen."""
    question, _, answer = reading.partition("=")
    of_circle = rulebook == "rws-2017"
    told = told.replace("{side}", " | s 5@2 pair by Cy" if of_circle else "")
    if of_circle:
        told = told.replace("perfect_pairs", "pair")
    round_ = settled(play(rulebook, told), book(rulebook, **{question: answer}))
    findings = Auditor(load_register(), chosen).audit(round_).findings
    return [finding for finding in findings if finding.severity != "notice"]


@pytest.mark.parametrize(("rulebook", "reading"), [each for each in LISTED if each[1] not in STRICTER])
def test_what_an_alternative_allows_is_ambiguous(rulebook: str, reading: str) -> None:
    findings = audited_as(rulebook, CASES[reading], reading)
    assert findings
    assert {finding.severity for finding in findings} == {"ambiguous"}
    assert reading.partition("=")[0] in {str(finding.depends_on).partition("=")[0] for finding in findings}


@pytest.mark.parametrize(("rulebook", "reading"), [each for each in WEAKER if each[1] not in STRICTER])
def test_a_weaker_answer_excuses_nobody_until_it_is_chosen(rulebook: str, reading: str) -> None:
    question, _, answer = reading.partition("=")
    findings = audited_as(rulebook, CASES[reading], reading)
    assert findings
    assert question not in {str(finding.depends_on).partition("=")[0] for finding in findings}
    assert audited_as(rulebook, CASES[reading], reading, **{question: answer}) == []
    default = load_rulebook(rulebook).readings[question].default
    by_default = audited_as(rulebook, CASES[reading], f"{question}={default}", **{question: answer})
    on_it = {str(finding.depends_on) for finding in by_default if finding.severity == "ambiguous"}
    assert {each for each in on_it if each.startswith(f"{question}=")} <= {f"{question}={default}"}


@pytest.mark.parametrize(
    ("rulebook", "reading"), [each for each in (*LISTED, *WEAKER) if each[1] in STRICTER]
)
def test_what_only_an_alternative_faults_is_not_found(rulebook: str, reading: str) -> None:
    told, code = STRICTER[reading]
    question, _, answer = reading.partition("=")
    assert code not in found(rulebook, told)
    assert code in found(rulebook, told, **{question: answer})


def test_a_weaker_answer_that_was_chosen_leaves_the_default_open() -> None:
    told = settled(play("nz-2000", CASES["mixed_suits=all_different"]), book("nz-2000"))
    (finding,) = Auditor(load_register(), {"mixed_suits": "all_different"}).audit(told).findings
    assert (finding.severity, finding.depends_on) == ("ambiguous", "mixed_suits=not_all_one")


def test_every_case_is_for_a_reading_that_some_rulebook_lists() -> None:
    assert {reading for _, reading in (*LISTED, *WEAKER)} == set(CASES) | set(STRICTER)


@pytest.mark.parametrize("rulebook", rulebook_ids())
def test_a_breach_by_every_reading_stays_a_breach(rulebook: str) -> None:
    told = "a 20@1 | 1:KC 0:9H 1:8D | stand 1 | 0:8C | a loses 20"
    (finding,) = Auditor(load_register()).audit(play(rulebook, told)).findings
    assert (finding.code, finding.severity, finding.depends_on) == ("settle.outcome", "breach", None)


def test_readings_chosen_by_the_user_are_the_ones_in_force() -> None:
    told = settled(play("act-2018", LATE_SURRENDER), book("act-2018"))
    auditor = Auditor(load_register(), {"surrender_window": "own_turn"})
    assert auditor.audit(told).findings == ()
    assert engine.replay_round(told, book("act-2018")).findings != ()
