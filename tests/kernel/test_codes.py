"""The numbers of the kernel are the places of words in the vocabularies that both engines share."""

from __future__ import annotations

from typing import get_args

import pytest

from rules_replay import log
from rules_replay.cards import DECK, LEGAL_TEXTS, card, total
from rules_replay.checks import catalogue
from rules_replay.fast.replay import _MISSING
from rules_replay.kernel import book, books, codes, lacking
from rules_replay.kernel.encode import CARD_TEXTS, card_number
from rules_replay.rulebook import OUTCOMES, READINGS, load_rulebook, rulebook_ids
from rules_replay.severity import SEVERITIES


def _name(*words: str) -> str:
    return "_".join(words).replace(".", "_").replace("-", "_").upper()


@pytest.mark.parametrize(
    ("words", "renamed"),
    [
        (log.EVENT_KINDS, {}),
        (get_args(log.WagerKind), {"split": "SPLIT_BET", "double": "DOUBLE_BET"}),
        (get_args(log.Result), {"surrender": "SURRENDERED", "forfeit": "FORFEITED", "void": "VOIDED"}),
        (get_args(log.Line), {}),
        (get_args(log.IrregularityCode), {}),
        (log.FACTS, {"cut_card": "CUT_CARDS"}),
        (get_args(log.Shuffler), {}),
        (SEVERITIES, {}),
        (tuple(catalogue()), {}),
        (tuple(f"on_{outcome}" for outcome in OUTCOMES), {}),
    ],
)
def test_codes_are_places_in_the_vocabulary(words: tuple[str, ...], renamed: dict[str, str]) -> None:
    assert [getattr(codes, renamed.get(word, _name(word))) for word in words] == list(range(len(words)))


def test_answers_are_places_in_the_questions() -> None:
    for question, answers in READINGS.items():
        numbers = [getattr(book, _name("reads", question, answer)) for answer in answers]
        assert numbers == list(range(len(answers))), question


def test_words_of_terms_are_places_in_their_lists() -> None:
    for term, words in book.WORDS.items():
        assert [getattr(book, _name(term, word)) for word in words] == list(range(len(words))), term


def test_every_word_of_a_rulebook_has_its_number() -> None:
    for rulebook in map(load_rulebook, rulebook_ids()):
        (record,) = books.book_records([rulebook])
        for term in book.WORDS.keys() & rulebook.terms.keys():
            assert book.WORDS[term][record[_name(term).lower()]] == rulebook.word(term)


def test_cards_by_number_are_those_of_the_log() -> None:
    assert {CARD_TEXTS[card_number(text)] for text in LEGAL_TEXTS} == set(CARD_TEXTS)
    for text in LEGAL_TEXTS:
        assert card(CARD_TEXTS[card_number(text)]) == card(text)
    assert total([card(CARD_TEXTS[codes.ACE])]).points == 11


def test_what_leaves_a_check_open_has_a_bit_of_its_own() -> None:
    bits = sorted(lacking.LEAVES_OPEN)
    assert all(bit.bit_count() == 1 and bit < 1 << lacking.BITS for bit in bits)
    assert {code for codes in lacking.LEAVES_OPEN.values() for code in codes} <= catalogue().keys()
    assert lacking.leave_open("deal.late-call") == lacking.NO_CALL


def test_what_a_check_may_lack_has_a_word() -> None:
    assert len(_MISSING) == codes.LACKED
    assert _MISSING[codes.A_READABLE_CARD] == "a readable card"
    assert _MISSING[codes.THE_CALL] == "the call of no more bets"


def test_a_card_as_one_number_is_itself_its_points_and_whether_it_is_an_ace() -> None:
    (record,) = books.book_records([load_rulebook("act-2018")])
    assert len(record["counted"]) == len(DECK)
    for text in DECK:
        points, ace = total([card(text)], fixed_aces=1).points, card(text).rank == "A"
        assert record["counted"][card_number(text)] == 1 + points * 2**16 + ace * 2**32
