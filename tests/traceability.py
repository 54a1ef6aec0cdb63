"""Which tests hold which check, read from the sources of the tests and from their cases.

A test holds a check when it replays something and its source names the code: in the test
itself, or in what it uses of its module. A case file counts for the tests that run it. What
is done with a finding afterwards (a lake, a report, the command line) is no test of the check.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rules_replay.matrix import known_checks
from rules_replay.rulebook import rulebook_ids
from tests.books import book_cases, named
from tests.test_checks_elsewhere import ELSEWHERE

TESTS = Path(__file__).parent
CASES = TESTS / "cases"

PIPELINE = frozenset({"audit", "expectations", "data_samples", "tests.commands"})
"""What takes findings as given."""

VOCABULARY = frozenset(
    f"rules_replay.{name}"
    for name in ("cards", "checks", "errors", "log", "matrix", "results", "rulebook", "venues", "words")
)
"""The modules of the law that replay nothing."""

BY_PAIR = (
    "tests/test_checks.py::test_a_breach_is_found_and_nothing_else",
    "tests/test_checks.py::test_the_compliant_form_is_free_of_findings",
)
BY_PAIR_ELSEWHERE = (
    "tests/test_checks_elsewhere.py::test_a_breach_is_found_and_nothing_else",
    "tests/test_checks_elsewhere.py::test_the_compliant_form_is_free_of_findings",
)
BY_GOLDEN = "tests/test_golden.py::test_a_golden_round_comes_out_as_wanted"
BY_NIGHT = "tests/test_golden.py::test_the_nights_come_out_as_wanted"
BY_TOURNAMENT = "tests/test_tournament_checks.py::test_case"
BY_BOOK = "tests/test_book_checks.py::test_case"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """A test, as pytest names it, with what it names; no rulebook means that it is about them all."""

    test: str
    codes: frozenset[str]
    rulebooks: frozenset[str]
    clauses: frozenset[str] = frozenset()

    def is_of(self, rulebook: str) -> bool:
        return not self.rulebooks or rulebook in self.rulebooks


@cache
def holdings() -> tuple[Holding, ...]:
    """Every test that names a check, or a clause of a golden round; sorted by its name."""
    found = [
        *_pairs(),
        *_pairs_elsewhere(),
        *_golden(),
        *_nights(),
        *_tournaments(),
        *_books(),
        *_functions(),
    ]
    return tuple(sorted(found, key=lambda each: each.test))


def held_by(code: str, rulebook: str | None = None) -> tuple[str, ...]:
    """The tests that hold a check: all of them, or those under one rulebook."""
    return tuple(
        each.test for each in holdings() if code in each.codes and (rulebook is None or each.is_of(rulebook))
    )


def rounds_of(clause: str, rulebook: str) -> tuple[str, ...]:
    """The golden rounds that turn on a clause of a rulebook."""
    return tuple(each.test for each in holdings() if clause in each.clauses and each.is_of(rulebook))


# --- cases ---------------------------------------------------------------------------------


def _pairs() -> Iterator[Holding]:
    pairs = tomllib.loads((CASES / "checks.toml").read_text(encoding="utf-8"))
    for code, pair in pairs.items():
        for test in BY_PAIR:
            yield Holding(
                test=f"{test}[{code}]",
                codes=frozenset({code}),
                rulebooks=frozenset({pair["rulebook"]}),
            )


def _pairs_elsewhere() -> Iterator[Holding]:
    for rulebook, code in ELSEWHERE:
        for test in BY_PAIR_ELSEWHERE:
            yield Holding(
                test=f"{test}[{rulebook}-{code}]",
                codes=frozenset({code}),
                rulebooks=frozenset({rulebook}),
            )


def _golden() -> Iterator[Holding]:
    for line in (CASES / "golden.want.jsonl").read_text(encoding="utf-8").splitlines():
        want = json.loads(line)
        yield Holding(
            test=f"{BY_GOLDEN}[{want['round_id']}]",
            codes=frozenset(finding["code"] for finding in want["findings"]),
            rulebooks=frozenset({want["round_id"].partition(".")[0]}),
            clauses=frozenset(want["clauses"].split("; ")),
        )


def _nights() -> Iterator[Holding]:
    for path in sorted((CASES / "nights").glob("*.want.jsonl")):
        wants = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        rulebook = path.name.partition(".")[0]
        yield Holding(
            test=f"{BY_NIGHT}[{rulebook}]",
            codes=frozenset(finding["code"] for want in wants for finding in want["findings"]),
            rulebooks=frozenset({rulebook}),
        )


def _tournaments() -> Iterator[Holding]:
    for case in tomllib.loads((CASES / "tournaments.toml").read_text(encoding="utf-8"))["case"]:
        name = f"{case['code']}/{case['rulebook']}/{case['title']}".replace(" ", "-")
        yield Holding(
            test=f"{BY_TOURNAMENT}[{name}]",
            codes=frozenset({case["code"]}),
            rulebooks=frozenset({case["rulebook"]}),
        )


def _books() -> Iterator[Holding]:
    for case in book_cases():
        yield Holding(
            test=f"{BY_BOOK}[{named(case)}]",
            codes=frozenset({case["code"]}),
            rulebooks=frozenset({case["rulebook"]}),
        )


# --- sources -------------------------------------------------------------------------------


def _functions() -> Iterator[Holding]:
    run_cases = {test.partition("::")[0] for test in (*BY_PAIR, BY_GOLDEN, BY_NIGHT)}
    for path in sorted(TESTS.glob("test_*.py")):
        file = f"tests/{path.name}"
        if file not in run_cases:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            if _replays(tree):
                yield from Source(tree).holdings(file)


def _replays(tree: ast.Module) -> bool:
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module in ("rules_replay", "tests"):
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module or "")
    if any(module in PIPELINE or module.partition(".")[0] in PIPELINE for module in modules):
        return False
    law = {module for module in modules if module.startswith("rules_replay.")}
    return "tests.rounds" in modules or bool(law - VOCABULARY)


class Source:
    """A test module: its tests, and what they use of it."""

    def __init__(self, tree: ast.Module) -> None:
        self.tests: dict[str, list[ast.AST]] = {}
        self.names: dict[str, ast.AST] = {}
        self._read(tree.body, "", [])

    def _read(self, body: list[ast.stmt], inside: str, marks: list[ast.AST]) -> None:
        for node in body:
            match node:
                case ast.ClassDef():
                    self._read(node.body, f"{node.name}::", [*marks, *node.decorator_list])
                case ast.FunctionDef() if node.name.startswith("test_"):
                    self.tests[f"{inside}{node.name}"] = [node, *marks]
                case ast.FunctionDef():
                    self.names[node.name] = node
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.names[name] = value
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self.names[name] = value
                case _:
                    pass

    def holdings(self, file: str) -> Iterator[Holding]:
        """The tests that name a check."""
        for name, nodes in self.tests.items():
            texts, used = self._said(nodes)
            words = {word for text in texts for word in re.findall(r"[a-z0-9]+(?:[.-][a-z0-9]+)*", text)}
            codes = words & known_checks().keys()
            books = set(rulebook_ids()) if "rulebook_ids" in used else words & set(rulebook_ids())
            if codes:
                yield Holding(test=f"{file}::{name}", codes=frozenset(codes), rulebooks=frozenset(books))

    def _said(self, nodes: list[ast.AST]) -> tuple[set[str], set[str]]:
        """Every text of some nodes but the docstrings, and every name used, followed through the module."""
        texts: set[str] = set()
        docstrings: set[str] = set()
        used: set[str] = set()
        left = list(nodes)
        while left:
            for node in ast.walk(left.pop()):
                match node:
                    case ast.Constant(value=str() as text):
                        texts.add(text)
                    case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name):
                        if name in self.names and name not in used:
                            left.append(self.names[name])
                        used.add(name)
                    case ast.FunctionDef():
                        docstrings.add(ast.get_docstring(node, clean=False) or "")
                    case _:
                        pass
        return texts - docstrings, used
