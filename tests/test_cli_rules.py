"""The law as the command line tells it, and what the command line says of itself."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rules_replay.checks import catalogue
from rules_replay.matrix import citations, known_checks, load_matrix, unchecked
from rules_replay.rulebook import TERMS, load_rulebook, rulebook_ids
from tests.commands import GOLDEN, pontoon

ROOT = Path(__file__).parents[1]


class TestRules:
    """Everything that a rulebook holds can be read without opening its file."""

    def test_list_names_every_rulebook_with_its_venues(self) -> None:
        found = pontoon("rules", "list", "--json").object["rulebooks"]
        assert [each["id"] for each in found] == list(rulebook_ids())
        (canberra,) = next(each for each in found if each["id"] == "act-2018")["in_force"]
        assert (canberra["venue"], canberra["since"]) == ("casino-canberra", "2018-10-19T00:00:00+11:00")

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    def test_show_has_every_term_with_its_clause(self, rulebook: str) -> None:
        found = pontoon("rules", "show", rulebook, "--json").object
        terms = {each["term"]: each for each in found["terms"]}
        assert terms.keys() == load_rulebook(rulebook).terms.keys() <= TERMS.keys()
        assert terms["payout.pontoon"]["value"] == "3:2"
        assert all(each["clause"] for each in terms.values())
        assert "payout.pontoon" in pontoon("rules", "show", rulebook).out

    def test_show_writes_amounts_in_currency_units(self) -> None:
        terms = pontoon("rules", "show", "act-2018", "--json").object["terms"]
        assert {each["term"]: each["value"] for each in terms}["bonus.high_award"] == "5000"

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    def test_clauses_by_check_has_every_check(self, rulebook: str) -> None:
        found = pontoon("rules", "clauses", rulebook, "--by-check", "--json").object
        cited = citations(load_rulebook(rulebook))
        of_ledgers = [
            code for code in known_checks() if code not in catalogue() and f"clauses.{code}" in cited
        ]
        assert [each["check"] for each in found["checks"]] == [*catalogue(), *of_ledgers]
        assert "settle.odds" in pontoon("rules", "clauses", rulebook, "--by-check").out

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    def test_clauses_has_every_row_of_the_matrix_and_counts_them(self, rulebook: str) -> None:
        found = pontoon("rules", "clauses", "--rulebook", rulebook, "--json").object
        rows = load_matrix(rulebook)
        assert [(each["clause"], each["gist"]) for each in found["clauses"]] == [
            (row.clause, row.gist) for row in rows
        ]
        assert sum(sum(each.values()) for each in found["counts"].values()) == len(rows)
        assert found == pontoon("rules", "clauses", rulebook, "--json").object

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    def test_clauses_unchecked_has_only_what_a_log_could_show(self, rulebook: str) -> None:
        found = pontoon("rules", "clauses", "--rulebook", rulebook, "--unchecked", "--json").object
        rows = unchecked(load_matrix(rulebook))
        assert [(each["clause"], each["gist"]) for each in found["clauses"]] == [
            (row.clause, row.gist) for row in rows
        ]

    def test_clauses_for_people_tell_checks_and_reasons(self) -> None:
        people = pontoon("rules", "clauses", "nz-2000").out
        assert "settle.insurance" in people
        assert "discretion: " in people
        assert "settle.insurance" not in pontoon("rules", "clauses", "nz-2000", "--unchecked").out

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ([], "no rulebook named; held are nz-2000"),
            (["nz-2000", "--rulebook", "act-2018"], "two rulebooks named: nz-2000 and act-2018"),
            (["nz-2000", "--unchecked", "--by-check"], "give one of them"),
        ],
    )
    def test_clauses_of_no_or_two_rulebooks_is_2(self, arguments: list[str], said: str) -> None:
        ran = pontoon("rules", "clauses", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err

    def test_readings_tells_question_default_and_reason(self) -> None:
        found = pontoon("rules", "readings", "rws-2017", "--json").object["readings"]
        assert all(each["question"] and each["default"] and each["reason"] for each in found)
        assert all(each["value"] == each["default"] for each in found)
        assert all(
            set(each)
            == {*("id", "question", "value", "default"), *("alternatives", "weaker", "clause", "reason")}
            for each in found
        )
        assert "forfeit_limit" in pontoon("rules", "readings", "rws-2017").out

    def test_readings_of_no_rulebook_named_are_those_of_all(self) -> None:
        found = pontoon("rules", "readings", "--json").object["rulebooks"]
        assert [each["id"] for each in found] == list(rulebook_ids())
        assert found[3] == pontoon("rules", "readings", "rws-2017", "--json").object
        people = pontoon("rules", "readings").out
        assert all(name in people for name in rulebook_ids())

    def test_readings_tells_the_answer_chosen_beside_the_default(self) -> None:
        chosen = ("rules", "readings", "act-2018", "--reading", "forfeit_limit=20")
        found = {each["id"]: each for each in pontoon(*chosen, "--json").object["readings"]}
        assert (found["forfeit_limit"]["value"], found["forfeit_limit"]["default"]) == ("20", "21")
        assert "20 (default 21)" in " ".join(pontoon(*chosen).out.split())
        assert pontoon("rules", "readings", "--reading", "forfeit_limit=2").code == 2

    def test_readings_of_tournaments_stand_beside_the_others(self) -> None:
        chosen = ("rules", "readings", "act-2005", "--reading", "conditions_reach=all_of_section_20")
        found = {each["id"]: each for each in pontoon(*chosen, "--json").object["readings"]}
        reading = found["conditions_reach"]
        assert (reading["value"], reading["default"], reading["clause"]) == (
            *("all_of_section_20", "preceding_paragraphs"),
            "20.5",
        )
        assert reading["alternatives"] == ["all_of_section_20"]
        assert reading["question"]
        assert reading["reason"]
        assert "the_rules" not in found
        assert "conditions_reach" not in pontoon("rules", "readings", "nz-2000").out
        assert pontoon("rules", "readings", "--reading", "the_rules=some").code == 2

    def test_diff_names_what_differs_with_both_clauses(self) -> None:
        found = pontoon("rules", "diff", "act-2005", "act-2018", "--json").object
        terms = {each["term"]: each for each in found["terms"]}
        assert terms["payout.any_pair"]["act-2005"] is None
        assert terms["payout.any_pair"]["act-2018"]["value"] == "11:1"
        assert terms["insurance.third_party"]["act-2018"]["clause"] == "7.2"
        people = pontoon("rules", "diff", "act-2005", "act-2018").out
        assert "not in it" in people
        assert "payout.pontoon" not in people

    def test_a_rulebook_does_not_differ_from_itself(self) -> None:
        found = pontoon("rules", "diff", "nz-2000", "nz-2000", "--json").object
        assert (found["terms"], found["readings"]) == ([], [])

    @pytest.mark.parametrize("command", ["show", "clauses", "readings"])
    def test_an_unknown_rulebook_is_2_and_told_which_are_held(self, command: str) -> None:
        ran = pontoon("rules", command, "act-2019")
        assert (ran.code, ran.out) == (2, "")
        assert "held are nz-2000" in ran.err


class TestSample:
    """The croupier's log is a log like any other; the same seed deals the same bytes."""

    def test_to_standard_output(self) -> None:
        first = pontoon("sample", "nz-2000", "--rounds", "5", "--seed", "3")
        assert first.out == pontoon("sample", "nz-2000", "--rounds", "5", "--seed", "3").out
        assert len(first.out.splitlines()) == 5
        assert pontoon("check", "-", stdin=first.out).code == 0

    def test_faults_are_labelled_beside_the_log(self, tmp_path: Path) -> None:
        out = tmp_path / "night.jsonl.gz"
        ran = pontoon(
            "sample", "act-2018", "--rounds", "40", "--faults", "all", "--rate", "0.5", "--out", out, "--json"
        )
        assert (ran.code, ran.object["rounds"]) == (0, 40)
        truth = [json.loads(line) for line in Path(ran.object["truth"]).read_text("utf-8").splitlines()]
        assert len(truth) == ran.object["faulty"] > 0
        assert pontoon("check", out).code == 1

    def test_an_unknown_rulebook_is_2(self) -> None:
        assert pontoon("sample", "act-1999").code == 2

    def test_an_evening_at_the_end_of_the_calendar_is_2(self) -> None:
        ran = pontoon("sample", "act-2018", "--rounds", "1", "--date", "9999-12-31")
        assert (ran.code, ran.out) == (2, "")
        assert "name an earlier evening" in ran.err

    def test_one_of_a_thing_is_said_in_the_singular(self, tmp_path: Path) -> None:
        out = tmp_path / "night.jsonl"
        assert pontoon("sample", "act-2018", "--rounds", "1", "--out", out).out.startswith(
            f"{out}: 1 round, 0 with a fault"
        )
        assert "AUD: 1 round, " in pontoon("ingest", out, "--lake", tmp_path / "lake").out

    def test_a_seed_is_no_longer_than_ids_of_rounds_allow(self) -> None:
        longest = pontoon("sample", "act-2018", "--rounds", "3", "--seed", "9" * 20)
        assert pontoon("check", "-", stdin=longest.out).code == 0
        ran = pontoon("sample", "act-2018", "--rounds", "3", "--seed", "9" * 21)
        assert (ran.code, ran.out) == (2, "")
        assert "a seed has at most 20 digits" in ran.err

    def test_a_folder_is_no_log_to_write(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        for folder in (Path(), tmp_path):
            ran = pontoon("sample", "act-2018", "--rounds", "1", "--out", folder)
            assert ran.code == 2
            assert f"{folder}: a folder, and a log is a file" in ran.err
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("name", ["night.jsonl", "night.truth"])
    def test_what_is_there_already_stays(self, tmp_path: Path, name: str) -> None:
        there = tmp_path / name
        there.write_text("kept")
        ran = pontoon("sample", "act-2018", "--rounds", "1", "--out", tmp_path / "night.jsonl")
        assert (ran.code, ran.out) == (2, "")
        assert f"{there}: is there already; name another file with --out" in ran.err
        assert [path.name for path in tmp_path.iterdir()] == [name]
        assert there.read_text() == "kept"

    def test_an_empty_file_made_ready_for_it_is_filled(self, tmp_path: Path) -> None:
        out = tmp_path / "night.jsonl"
        out.touch()
        assert pontoon("sample", "act-2018", "--rounds", "1", "--out", out).code == 0
        assert out.read_text().count("\n") == 1

    def test_a_folder_that_is_missing_is_2_and_named(self, tmp_path: Path) -> None:
        out = tmp_path / "nowhere" / "night.jsonl.gz"
        ran = pontoon("sample", "act-2018", "--rounds", "1", "--out", out)
        assert (ran.code, ran.out) == (2, "")
        assert f"{out}: there is no folder {out.parent}; make it first" in ran.err

    def test_a_log_that_cannot_be_written_is_3_and_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Tests may run as somebody who may write everywhere.
        def refusing(path: Path, *_: Any) -> Any:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

        out = tmp_path / "night.jsonl.gz"
        with monkeypatch.context() as patch:
            patch.setattr(Path, "open", refusing)
            ran = pontoon("sample", "act-2018", "--rounds", "1", "--out", out)
        assert (ran.code, ran.out) == (3, "")
        assert f"{out}: could not write the log: permission denied; give this user access" in ran.err


class TestTheCommandItself:
    """Help, version, wrong words, and a reader that goes away."""

    @pytest.mark.parametrize(
        "command",
        ["check", "ingest", "run", "report", "verify", "status", "explain", "query", "sample", "rules"],
    )
    def test_every_command_has_help(self, command: str) -> None:
        ran = pontoon(command, "--help")
        assert ran.code == 0
        assert f"pontoon-audit {command}" in ran.out

    def test_help_imports_nothing_heavy(self) -> None:
        code = (
            "import sys\nfrom typer.testing import CliRunner\nfrom audit.cli import app\n"
            "assert CliRunner().invoke(app, ['--help']).exit_code == 0\n"
            "heavy = {'pyarrow', 'duckdb', 'polars', 'numpy', 'great_expectations', 'msgspec'}\n"
            "print(sorted(heavy & set(sys.modules)))"
        )
        ran = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert ran.stdout.strip() == "[]"

    def test_the_version(self) -> None:
        ran = pontoon("--version")
        assert ran.code == 0
        assert ran.out.startswith("pontoon-audit ")

    @pytest.mark.parametrize(
        "arguments", [["frobnicate"], ["check"], ["check", "-", "--format", "pdf"], ["run"]]
    )
    def test_a_wrong_command_is_2(self, arguments: list[str]) -> None:
        assert pontoon(*arguments).code == 2

    @pytest.mark.parametrize("form", ["text", "json"])
    def test_a_wrong_value_is_told_with_those_there_are(self, form: str) -> None:
        ran = pontoon("--log-format", form, "check", GOLDEN, "--format", "wrong")
        assert ran.code == 2
        assert "Invalid value for '--format': 'wrong' is not one of 'table', " in ran.err

    def test_a_reader_that_goes_away_is_no_error_message(self) -> None:
        command = [sys.executable, "-m", "audit.cli", "check", str(GOLDEN), "--format", "jsonl"]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ran:
            assert ran.stdout is not None
            assert ran.stderr is not None
            ran.stdout.close()
            said = ran.stderr.read()
        assert (ran.returncode, said) == (141, b"")

    @pytest.mark.parametrize(
        ("command", "code", "said"),
        [
            ("rules list >&-", 0, ""),
            ("rules show none 2>&-", 2, ""),
            ("check - <&-", 3, "-: the file is empty; expected at least one round\n"),
        ],
    )
    def test_a_closed_stream_is_one_with_nothing_at_its_end(self, command: str, code: int, said: str) -> None:
        ran = subprocess.run(
            ["sh", "-c", f'"$0" -m audit.cli {command}', sys.executable],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert (ran.returncode, ran.stderr) == (code, said)
        assert "pontoon-audit: " not in ran.stdout

    @pytest.mark.parametrize("moment", ["audit.premises.private_umask", "audit.cli.app.speak"])
    @pytest.mark.parametrize(
        ("number", "code", "words"), [("SIGTERM", 143, "Stopped by SIGTERM"), ("SIGINT", 130, "Interrupted")]
    )
    def test_told_to_stop_before_the_command_begins(
        self, moment: str, number: str, code: int, words: str
    ) -> None:
        module, _, name = moment.rpartition(".")
        program = (
            "import os, signal, sys\nimport audit.premises\nfrom audit.cli import main\n"
            # Whoever runs the tests in the background has it ignored.
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            f"kept = sys.modules['{module}'].{name}\n"
            f"def told(*_):\n    sys.modules['{module}'].{name} = kept\n"
            f"    os.kill(os.getpid(), signal.{number})\n"
            f"sys.modules['{module}'].{name} = told\nmain()"
        )
        ran = subprocess.run(
            [sys.executable, "-c", program, "rules", "list"], cwd=ROOT, capture_output=True, text=True
        )
        assert (ran.returncode, ran.stdout) == (code, "")
        assert ran.stderr == f"pontoon-audit: {words}; nothing was published by halves.\n"
