"""Hands and settlements as they are written."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest

from rules_replay.log import HANDS
from rules_replay.narrow import NARROW_HANDS, NARROW_SETTLEMENTS, narrow

SCHEMA = HANDS.set(HANDS.get_field_index("ended"), HANDS.field("ended").with_nullable(True))
ENDED = ["stood", "busted", "stood", None, "pontoon", "busted"]


def hands() -> pa.Table:
    whole: dict[str, list[object]] = {
        each.name: [None if each.nullable else 1] * len(ENDED)
        if pa.types.is_integer(each.type)
        else [False if pa.types.is_boolean(each.type) else f"{each.name} {row}" for row in range(len(ENDED))]
        for each in SCHEMA
    }
    return pa.table(whole | {"ended": ENDED}, schema=SCHEMA)


class TestNarrow:
    def test_texts_stand_in_the_order_in_which_they_first_occur(self) -> None:
        ended = narrow(hands(), NARROW_HANDS)["ended"].chunk(0)
        assert ended.dictionary.to_pylist() == ["stood", "busted", "pontoon"]
        assert ended.to_pylist() == ENDED

    def test_texts_of_which_there_are_many_stay_as_they_are(self) -> None:
        assert NARROW_HANDS.field("cards").type == NARROW_SETTLEMENTS.field("reason").type == pa.string()

    @pytest.mark.parametrize("cuts", [(), (2,), (1, 2, 5)])
    def test_the_same_rows_are_the_same_table_however_they_were_made(self, cuts: tuple[int, ...]) -> None:
        whole = hands()
        ends = [*cuts, whole.num_rows]
        parts = [whole[first:last] for first, last in zip([0, *cuts], ends, strict=True)]
        narrowed = pa.concat_tables([narrow(each, NARROW_HANDS) for each in reversed(parts)])
        again = narrow(pa.concat_tables(reversed(parts)), NARROW_HANDS)
        for name in NARROW_HANDS.names:
            one, other = (table[name].combine_chunks() for table in (narrow(narrowed, NARROW_HANDS), again))
            assert one.equals(other)
            if pa.types.is_dictionary(one.type):
                assert one.dictionary.equals(other.dictionary)

    def test_a_text_that_no_row_has_is_in_no_list(self) -> None:
        some = narrow(narrow(hands(), NARROW_HANDS)[4:], NARROW_HANDS)
        assert some["ended"].chunk(0).dictionary.to_pylist() == ["pontoon", "busted"]

    @pytest.mark.parametrize("seed", range(40))
    def test_the_order_is_that_of_the_rows_wherever_a_text_first_occurs(self, seed: int) -> None:
        random = Random(seed)
        texts = [f"text {each}" for each in range(random.randrange(1, 9))]
        rows = random.choices([None, *texts], k=seed)
        places = [None if each is None else texts.index(each) for each in rows]
        column = pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), pa.array(texts, pa.string()))
        schema = pa.schema([("text", column.type)])
        found = narrow(pa.table([column], schema=schema), schema)["text"].chunk(0)
        assert found.to_pylist() == rows
        assert found.dictionary.to_pylist() == list(dict.fromkeys(each for each in rows if each is not None))
