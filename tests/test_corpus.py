"""The mispayment corpus: everything put in is found, nothing else is, and docs/corpus.md says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from data_samples import corpus
from data_samples.corpus import LEAST, ROUNDS, SHARES, Corpus, Score, audit_corpus, page, possible
from data_samples.croupier import Slips, Truth, deal_slips
from data_samples.faults import by_label
from data_samples.plan import Expected
from rules_replay.results import Finding
from rules_replay.rulebook import rulebook_ids
from tests.rounds import play

BOOKS = pytest.mark.parametrize("rulebook", rulebook_ids())
DOCS = Path(__file__).parents[1] / "docs" / "corpus.md"
ROUND = play("act-2018", "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C | a wins 20")
TIE = Truth(
    round_id="round",
    fault="tie-paid",
    expected=(Expected(code="settle.outcome", box=1, wager="a", delta=20),),
)
FOUND = Finding(code="settle.outcome", severity="breach", box=1, hand=1, wager="a", delta=20)


def fresh() -> Corpus:
    return Corpus(rulebook="act-2018", seed=1, scores={label: Score() for label in possible("act-2018")})


class TestScore:
    """A fault is found when its findings are there to the thousandth; the rest above notice is false."""

    def test_found_at_its_place_with_its_amount(self) -> None:
        scored = fresh()
        scored.add(ROUND, [TIE], [FOUND])
        assert scored.scores["tie-paid"] == Score(injected=1, found=1, claimed=1, true=1)
        assert scored.total == scored.scores["tie-paid"]
        assert (scored.rounds, scored.faulty, scored.amiss) == (1, 1, [])

    @pytest.mark.parametrize(
        "other",
        [
            Finding(code="settle.outcome", severity="breach", box=1, hand=1, wager="a", delta=21),
            Finding(code="settle.outcome", severity="breach", box=2, hand=1, wager="a", delta=20),
            Finding(code="settle.odds", severity="breach", box=1, hand=1, wager="a", delta=20),
        ],
    )
    def test_another_amount_place_or_code_is_a_miss_and_a_false_finding(self, other: Finding) -> None:
        scored = fresh()
        scored.add(ROUND, [TIE], [other])
        score = scored.scores["tie-paid"]
        assert (score.recall, score.precision) == (0.0, 0.0)
        assert [line.split(": ")[2] for line in scored.amiss] == ["not found", "found beside it"]

    def test_one_finding_answers_for_one_fault_only(self) -> None:
        scored = fresh()
        scored.add(ROUND, [TIE, TIE], [FOUND])
        assert (scored.scores["tie-paid"].injected, scored.scores["tie-paid"].found) == (2, 1)

    def test_a_false_finding_without_a_fault_counts_against_every_kind_of_its_code(self) -> None:
        scored = fresh()
        scored.add(ROUND, [], [FOUND])
        charged = {label for label, score in scored.scores.items() if score.claimed}
        assert charged == {label for label in scored.scores if by_label()[label].code == "settle.outcome"}
        assert scored.scores["tie-paid"].precision == 0.0
        assert scored.scores["loser-left"].precision == 1.0

    def test_a_notice_that_no_fault_put_in_is_counted_apart(self) -> None:
        scored = fresh()
        scored.add(ROUND, [], [Finding(code="record.unreadable-card", severity="notice")])
        assert (scored.notices, scored.total.claimed, scored.amiss) == (1, 0, [])


class TestSlips:
    """Some mistakes are made on a share of the lines on which they can be made."""

    def test_a_share_of_all_makes_every_one(self) -> None:
        slips = Slips({"tie-paid": 1.0})
        dealt = deal_slips("act-2018", 5, slips, rate=0.0, tables=4)
        truths = [truth for _ in range(100) for truth in next(dealt)[1]]
        assert len(truths) == slips.made["tie-paid"] == slips.opportunities["tie-paid"] > 20
        assert {truth.fault for truth in truths} == {"tie-paid"}

    def test_a_line_is_spoiled_once(self) -> None:
        slips = Slips({"five-card-21-even": 1.0, "five-card-21-bust": 1.0})
        dealt = deal_slips("act-2018", 5, slips, rate=0.0, tables=4)
        for _ in range(400):
            next(dealt)
        assert slips.opportunities["five-card-21-bust"] > 0
        assert (slips.made["five-card-21-even"] > 0, slips.made["five-card-21-bust"]) == (True, 0)

    def test_a_share_of_none_makes_none(self) -> None:
        slips = Slips(dict.fromkeys(SHARES, 0.0))
        dealt = deal_slips("nz-2000", 5, slips, rate=0.0, tables=4)
        assert [truths for _, (_, truths) in zip(range(60), dealt, strict=False) if truths] == []

    def test_only_mistakes_in_settling_a_line_have_shares(self) -> None:
        with pytest.raises(ValueError, match="no mistake in settling one line is called deal-order, no-such"):
            Slips({"deal-order": 0.1, "no-such": 0.1})


@BOOKS
class TestCorpus:
    """Every kind of fault is found, at its place and with its amount, and nothing beside it."""

    def test_recall_and_precision_are_whole(self, rulebook: str) -> None:
        found = audit_corpus(rulebook, rounds=240, rate=1.0, least=0, seed=7)
        assert found.amiss == []
        assert (found.total.recall, found.total.precision) == (1.0, 1.0)
        assert set(found.scores) == set(possible(rulebook))
        assert found.total.injected >= 20

    @pytest.mark.slow
    def test_recall_and_precision_are_whole_over_hundreds_of_rounds(self, rulebook: str) -> None:
        found = audit_corpus(rulebook, rounds=600, rate=0.5, least=0, seed=8)
        assert found.amiss == []
        assert found.total.injected >= 50
        for label, made in found.slips.items():
            number = found.opportunities[label]
            margin = 4 * (SHARES[label] * number) ** 0.5
            assert abs(made - SHARES[label] * number) <= margin + 1

    def test_the_published_page_has_every_kind_found_whole(self, rulebook: str) -> None:
        chapter = DOCS.read_text(encoding="utf-8").partition(f"## {rulebook}\n")[2].partition("\n## ")[0]
        rows = {cells[0]: cells[2:] for cells in table_rows(chapter) if cells[1].startswith("`")}
        assert list(rows) == list(possible(rulebook)), "the page is out of date: run `make corpus`"
        for injected, found, recall, claimed, true, precision in rows.values():
            assert (recall, precision, injected, claimed) == ("1.000", "1.000", found, true)
            assert number(injected) >= LEAST
        assert "Nothing was missed and nothing found beside the truth." in chapter


def table_rows(text: str) -> list[list[str]]:
    """The rows of the tables of a page, heads left out."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [cells for cells in rows if re.search(r"\d", cells[-1])]


def number(text: str) -> int:
    return int(text.replace(",", ""))


def test_the_published_page_stands_on_enough_rounds() -> None:
    dealt = {
        cells[0]: number(cells[1])
        for cells in table_rows(DOCS.read_text(encoding="utf-8").partition("\n## ")[0])
    }
    assert list(dealt) == list(rulebook_ids())
    assert min(dealt.values()) >= ROUNDS


class TestPage:
    """The page is made of the corpora alone, and the command writes it."""

    def test_a_miss_is_named_with_its_round(self) -> None:
        scored = fresh()
        scored.add(ROUND, [TIE], [])
        told = page([scored])
        assert "- round: tie-paid: not found: settle.outcome box 1 wager a delta 20" in told
        assert "| tie-paid | `settle.outcome` | 1 | 0 | 0.000 | 0 | 0 | 1.000 |" in told

    def test_too_few_of_a_kind_is_refused_by_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(corpus, "PATIENCE", 10)
        with pytest.raises(RuntimeError, match=r"nz-2000: fewer than 1 in 20 rounds: .*tie-taken"):
            audit_corpus("nz-2000", rounds=10, rate=0.0, least=1)

    def test_the_command_writes_the_page(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = [str(tmp_path / "corpus.md"), "--rounds", "20", "--least", "0"]
        assert corpus.main([*arguments, "--rulebook", "nz-2000"]) == 0
        told = (tmp_path / "corpus.md").read_text(encoding="utf-8")
        assert told.startswith("# The mispayment corpus\n")
        assert "| nz-2000 | 20 |" in told
        assert "nz-2000: 20 rounds" in capsys.readouterr().err
