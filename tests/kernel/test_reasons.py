"""The small texts that reasons are made of: eight letters to a word, as the writers expect them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rules_replay.cards import SUIT_SIGNS
from rules_replay.kernel import reasons
from rules_replay.kernel.encode import CARD_TEXTS
from rules_replay.kernel.reasons import NUMBERS, TOTALS, sentences


def _short(word: np.int64) -> str:
    letters = int(word).to_bytes(8, "little")
    return letters[: letters[7]].decode()


def _letters(number: int) -> str:
    """A sentence put together again from its pieces, its holes by name."""
    made = sentences()
    names = {hole: f"{{{name}}}" for name, hole in reasons._HOLES.items()}
    told = ""
    for piece in made.pieces[made.starts[number] : made.starts[number + 1]]:
        words = made.words[piece["word"] : piece["word"] + -(-int(piece["size_of"]) // 8)]
        told += words.tobytes()[: piece["size_of"]].decode() + names.get(int(piece["hole"]), "")
    return told


@pytest.mark.parametrize(("number", "text"), reasons._SENTENCES.items())
def test_pieces_make_the_sentence(number: int, text: str) -> None:
    assert _letters(number) == text


def test_a_number_without_a_sentence_says_nothing() -> None:
    (unused, *_) = set(range(max(reasons._SENTENCES))) - reasons._SENTENCES.keys()
    assert _letters(unused) == ""


def test_cards_are_written_as_the_log_and_as_people_have_them() -> None:
    made = sentences()
    assert [_short(word) for word in made.cards] == [card + " " for card in CARD_TEXTS]
    signs = re.compile("([SHDC])$")
    people = [signs.sub(lambda found: SUIT_SIGNS[found[1]], card) for card in CARD_TEXTS[:-1]]
    assert [_short(word) for word in made.faces] == [card + " " for card in (*people, "?")]


def test_totals_and_numbers() -> None:
    made = sentences()
    assert [_short(made.hard[points]) for points in (0, 9, 21, TOTALS - 1)] == [
        "hard 0",
        "hard 9",
        "hard 21",
        "hard 99",
    ]
    assert _short(made.soft[18]) == "soft 18"
    assert [_short(made.numbers[number]) for number in (0, 10, NUMBERS - 1)] == ["0", "10", "999"]
