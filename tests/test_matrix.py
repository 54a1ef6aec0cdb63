"""From every clause to its checks, from every check to its tests, and back."""

from __future__ import annotations

import ast
import importlib
from dataclasses import replace

import pytest

from rules_replay.errors import RulebookError
from rules_replay.matrix import (
    CHECKABLE,
    COLUMNS,
    WAITING,
    ClauseRow,
    citations,
    disagreements,
    known_checks,
    load_matrix,
    parse_matrix,
    unchecked,
)
from rules_replay.rulebook import load_rulebook, rulebook_ids
from tests.record_traceability import FOLDER, PAGE, pages
from tests.traceability import (
    BY_BOOK,
    BY_GOLDEN,
    BY_NIGHT,
    BY_PAIR,
    BY_PAIR_ELSEWHERE,
    BY_TOURNAMENT,
    Source,
    held_by,
    holdings,
)

HEAD = ",".join(COLUMNS)
RUN_BY_CASE = (*BY_PAIR, *BY_PAIR_ELSEWHERE, BY_GOLDEN, BY_NIGHT, BY_TOURNAMENT, BY_BOOK)

every = pytest.mark.parametrize("rulebook", rulebook_ids())


def refused(*lines: str) -> str:
    """What is said of a matrix with these lines."""
    with pytest.raises(RulebookError) as caught:
        parse_matrix("\n".join([HEAD, *lines, ""]), "demo.csv")
    return str(caught.value)


class TestEveryClause:
    """A clause that a log could show has a check, or says why none can be; none waits for one."""

    @every
    def test_is_checked_or_says_why_not(self, rulebook: str) -> None:
        rows = load_matrix(rulebook)
        assert [row.clause for row in rows if row.checkable and not row.checks and not row.reason] == []
        assert [row.clause for row in rows if row.standing == "no check yet"] == []

    @every
    def test_agrees_with_the_rulebook(self, rulebook: str) -> None:
        assert disagreements(load_rulebook(rulebook), load_matrix(rulebook)) == ()

    @every
    def test_unchecked_and_checked_make_up_what_a_log_can_hold(self, rulebook: str) -> None:
        rows = load_matrix(rulebook)
        checked = [row for row in rows if row.checkable and row.checks]
        assert checked
        assert len(checked) + len(unchecked(rows)) == sum(row.evidence in CHECKABLE for row in rows)

    def test_of_an_unknown_rulebook_is_asked_for(self) -> None:
        with pytest.raises(KeyError):
            load_matrix("act-2019")


class TestBrokenMatrix:
    """A matrix that is wrong is refused, with every problem named by its line."""

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("1.1,A rule.,rounds,deal.order,,", "line 2: 1.1: evidence: expected one of round, shoe"),
            ("1.1,A rule.,round,deal.disorder,,", "unknown check 'deal.disorder'"),
            ("1.1,A rule.,round,deal.order deal.order,,", "check 'deal.order' twice"),
            ("1.1,A rule.,round,deal.order,amount,", "unknown reading 'amount'"),
            ("1.1,A rule.,round,,,", "no check and no reason"),
            (f"1.1,A rule.,round,deal.order,,{WAITING} a log", f'has a check and says "{WAITING}"'),
            (f"1.1,A rule.,human,,,{WAITING} a log", "is for evidence that a log can hold, not 'human'"),
            ("1.1,,round,deal.order,,", "a clause and a gist are needed"),
            (",A rule.,round,deal.order,,", "line 2: (no clause): a clause and a gist are needed"),
            ("1.1,A rule.,round,deal.order,", "line 2: expected 6 fields"),
            ("1.1,A rule, with a comma.,round,deal.order,,", "line 2: expected 6 fields"),
        ],
    )
    def test_is_refused(self, line: str, said: str) -> None:
        assert said in refused(line)

    def test_names_every_problem_at_once(self) -> None:
        said = refused("1.1,A rule.,round,,,", "1.2,Another.,round,deal.order,,", "1.2,Another.,round,,,")
        assert said.startswith("demo.csv: 3 problems\n")
        assert "line 4: 1.2: the same gist twice" in said

    def test_has_the_columns_in_their_order(self) -> None:
        with pytest.raises(RulebookError, match=r"line 1: expected the columns clause,gist"):
            parse_matrix("gist,clause,evidence,checks,reading,reason\n", "demo.csv")


class TestDisagreements:
    """What a rulebook cites and what its matrix lists are held against each other, both ways."""

    BOOK = load_rulebook("nz-2000")
    ROWS = load_matrix("nz-2000")

    def test_a_cited_clause_is_a_row(self) -> None:
        book = replace(
            self.BOOK,
            clauses={**self.BOOK.clauses, "record.incomplete": "99.1"},
            outcomes={**self.BOOK.outcomes, "stand_off": "5.1; 99.2"},
            irregularities={**self.BOOK.irregularities, "other": "99.3"},
        )
        assert disagreements(book, self.ROWS) == (
            "clauses.record.incomplete: 99.1 is no row of the matrix",
            "outcomes.stand_off: 99.2 is no row of the matrix",
            "irregularities.other: 99.3 is no row of the matrix",
        )

    def test_so_is_that_of_a_term_and_of_a_reading(self) -> None:
        term = replace(self.BOOK.terms["payout.other"], clause="99.8")
        reading = replace(self.BOOK.readings["amounts"], clause="99.9")
        book = replace(
            self.BOOK,
            terms={**self.BOOK.terms, "payout.other": term},
            readings={**self.BOOK.readings, "amounts": reading},
        )
        assert disagreements(book, self.ROWS) == (
            "payout.other: 99.8 is no row of the matrix",
            "reading.amounts: 99.9 is no row of the matrix",
        )

    def test_the_row_of_a_cited_clause_names_the_check(self) -> None:
        code = "settle.insurance"
        without = [replace(row, checks=tuple(set(row.checks) - {code})) for row in self.ROWS]
        clauses = citations(self.BOOK)[f"clauses.{code}"]
        assert clauses
        assert disagreements(self.BOOK, without) == tuple(
            f"clauses.{code}: no row of {clause} names the check" for clause in clauses
        )

    @pytest.mark.parametrize("silence", ["silent", "none"])
    def test_a_row_names_no_check_for_which_nothing_is_cited(self, silence: str) -> None:
        book = replace(self.BOOK, clauses={**self.BOOK.clauses, "settle.insurance": silence})
        expected = {
            f"row {row.clause}: names settle.insurance, for which the rulebook cites no clause"
            for row in self.ROWS
            if "settle.insurance" in row.checks
        }
        assert expected
        assert set(disagreements(book, self.ROWS)) == expected

    def test_a_reading_with_a_clause_is_on_a_row(self) -> None:
        without = [replace(row, readings=()) for row in self.ROWS]
        said = disagreements(self.BOOK, without)
        assert "reading.amounts: no row names it" in said
        assert not any("over_max_base" in each for each in said)


class TestStanding:
    """A row is checked, waits for a check, or is beyond a log."""

    ROW = ClauseRow(clause="1.1", gist="A rule.", evidence="shoe", checks=(), readings=(), reason="")

    def test_follows_from_checks_and_reason(self) -> None:
        checked = replace(self.ROW, checks=("deal.order",))
        waiting = replace(self.ROW, reason=f"{WAITING} the shoe's first round")
        beyond = replace(self.ROW, reason="the cards of a shoe are shuffled off the table")
        assert [row.standing for row in (checked, waiting, beyond)] == [
            "checked",
            "no check yet",
            "beyond a log",
        ]
        assert unchecked([checked, waiting, beyond]) == (waiting, beyond)


class TestEveryCheck:
    """A check that no test holds is a check in name only."""

    @pytest.mark.parametrize("code", known_checks())
    def test_has_a_test(self, code: str) -> None:
        assert held_by(code), f"no test names {code}; add a pair to tests/cases/checks.toml"

    @every
    def test_has_a_test_under_each_rulebook_that_cites_it(self, rulebook: str) -> None:
        cited = citations(load_rulebook(rulebook))
        codes = [code for code in known_checks() if cited.get(f"clauses.{code}")]
        assert [code for code in codes if not held_by(code, rulebook)] == []

    def test_without_a_test_has_none(self) -> None:
        assert held_by("settle.in-shells") == ()

    def test_is_held_by_tests_of_each_kind(self) -> None:
        named = {each.test.partition("[")[0] for each in holdings()}
        assert set(RUN_BY_CASE) <= named
        assert any(test.startswith("tests/test_clauses_nz.py::") for test in named)

    @pytest.mark.parametrize("test", RUN_BY_CASE)
    def test_is_told_by_tests_that_exist(self, test: str) -> None:
        file, _, name = test.partition("::")
        module = importlib.import_module(file.removesuffix(".py").replace("/", "."))
        assert callable(getattr(module, name))


class TestSource:
    """What a test names, in itself or in what it uses of its module, and nothing else."""

    MODULE = '''
BOOK = "nz-2000"
WANTED: list[str] = ["settle.odds"]
every = mark("rulebook", rulebook_ids())

def helper():
    return WANTED

class TestRule:
    LATE = "wager.late"

    def test_by_a_class_attribute(self):
        assert found(BOOK) == [self.LATE]

    def test_by_a_helper(self):
        """Not about deal.order."""
        assert helper() == "under act-2018: settle.odds."

@every
def test_under_every_rulebook(rulebook):
    assert found(rulebook) == ["draw.below-12"]

def test_of_another_code():
    assert found(BOOK) == ["settle.odds-and-ends"]
'''

    def test_names_are_followed(self) -> None:
        found = {each.test: each for each in Source(ast.parse(self.MODULE)).holdings("t.py")}
        assert {test: each.codes for test, each in found.items()} == {
            "t.py::TestRule::test_by_a_class_attribute": {"wager.late"},
            "t.py::TestRule::test_by_a_helper": {"settle.odds"},
            "t.py::test_under_every_rulebook": {"draw.below-12"},
        }
        assert found["t.py::TestRule::test_by_a_class_attribute"].rulebooks == {"nz-2000"}
        assert found["t.py::TestRule::test_by_a_helper"].rulebooks == {"act-2018"}
        assert found["t.py::test_under_every_rulebook"].rulebooks == set(rulebook_ids())


class TestDocumentation:
    """`docs/traceability` says what the matrices, the rulebooks and the tests say."""

    def test_is_up_to_date(self) -> None:
        stale = [
            path.name
            for path, text in pages().items()
            if not path.exists() or path.read_bytes() != text.encode()
        ]
        assert stale == [], "run `python -m tests.record_traceability`"

    def test_has_no_matrix_of_a_rulebook_that_is_not_held(self) -> None:
        assert {path.stem for path in FOLDER.iterdir()} == set(rulebook_ids())

    @every
    def test_lists_every_clause_without_a_check_that_a_log_could_show(self, rulebook: str) -> None:
        page = PAGE.read_text(encoding="utf-8")
        section = page.partition(f"\n### {rulebook}: ")[2].partition("\n### ")[0]
        rows = unchecked(load_matrix(rulebook))
        assert [row.gist for row in rows if f"| {row.gist} |" not in section] == []
