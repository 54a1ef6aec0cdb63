"""What is said on standard error: the same words as ever for people, one JSON object a line for machines."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from audit.observe import log
from audit.progress import Progress
from tests.commands import BROKEN, GOLDEN, Ran, pontoon

ALWAYS = ["time", "level", "event", "message"]


ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _text_again() -> Iterator[None]:
    yield
    log.speak("text")


def told(ran: Ran) -> list[dict[str, Any]]:
    """Standard error as the JSON objects that it must be, one a line."""
    objects = [json.loads(line) for line in ran.err.splitlines()]
    for each in objects:
        assert list(each)[:4] == ALWAYS
        assert each["level"] in ("info", "warning", "error")
        assert re.fullmatch(r"[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z", each["time"])
    return objects


@pytest.mark.slow
def test_data_and_exit_code_do_not_depend_on_the_form() -> None:
    for form in ("table", "jsonl", "csv", "sarif", "junit"):
        text = pontoon("check", GOLDEN, "--format", form)
        machine = pontoon("--log-format", "json", "check", GOLDEN, "--format", form)
        assert (text.code, text.out) == (machine.code, machine.out)
        assert not text.err.startswith("{")


def test_every_line_for_people_is_said_to_machines_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """How far the work is, said at every step: otherwise it would hang on how busy the machine is."""
    for seconds in ("PATIENCE", "EVERY"):
        monkeypatch.setattr(f"audit.progress.{seconds}", 0)
    broken = sorted(BROKEN.glob("*.jsonl"))[0]
    command = ("check", broken, GOLDEN, "--format", "csv")
    said = [each["message"] for each in told(pontoon("--log-format", "json", *command))]
    for line in pontoon(*command).err.splitlines():
        assert line in said


def test_a_rejected_line_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "a b.jsonl").write_text("\nno json: 12: here\n", encoding="utf-8")
    blank, line = (
        each
        for each in told(pontoon("--log-format", "json", "check", tmp_path / "a b.jsonl"))
        if each["event"] == "input.rejected"
    )
    assert line["level"] == "warning"
    assert [(each["file"], each["line"]) for each in (blank, line)] == [("a b.jsonl", 1), ("a b.jsonl", 2)]


def test_begins_and_ends_are_told_with_seconds() -> None:
    events = told(pontoon("--log-format", "json", "check", GOLDEN))
    names = [each["event"] for each in events]
    assert names[0] == "work.started"
    assert events[names.index("work.finished")]["seconds"] >= 0
    assert names[-1] == "command.finished"
    assert (events[-1]["command"], events[-1]["exit_code"]) == ("check", 1)


@pytest.mark.parametrize(
    "command",
    [
        ("check",),
        ("chek",),
        ("--no-such-option",),
        ("rules", "no-such-command"),
        ("check", "no-such-file.jsonl"),
        ("run", "--lake", "no-such-lake"),
        ("run", "--lake", "no-such-lake", "--fail-on", "everything"),
    ],
)
def test_errors_are_one_object_with_their_exit_code(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not pontoon(*command).err.startswith("{")
    monkeypatch.setenv("PONTOON_AUDIT_LOG_FORMAT", "json")
    ran = pontoon(*command)
    error = told(ran)[-1]
    assert (ran.code, error["event"], error["level"], error["exit_code"]) == (2, "error", "error", 2)
    assert error["message"].startswith("pontoon-audit: ")


def test_the_option_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PONTOON_AUDIT_LOG_FORMAT", "json")
    ran = pontoon("--log-format", "text", "check", "no-such-file.jsonl")
    assert ran.err == "pontoon-audit: no-such-file.jsonl: no such file; check the name\n"


def test_another_form_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PONTOON_AUDIT_LOG_FORMAT", "yaml")
    ran = pontoon("check", GOLDEN)
    assert (ran.code, ran.err) == (
        2,
        "pontoon-audit: PONTOON_AUDIT_LOG_FORMAT=yaml: expected one of text, json\n",
    )


def test_a_trace_is_a_field() -> None:
    error = told(pontoon("--log-format", "json", "--debug", "check", "no-such-file.jsonl"))[-1]
    assert error["traceback"].startswith("Traceback")
    text = pontoon("--debug", "check", "no-such-file.jsonl").err
    assert text.startswith("Traceback")
    assert text.endswith("pontoon-audit: no-such-file.jsonl: no such file; check the name\n")


class TestOneLine:
    """No text of a log can end a line, or be anything but text."""

    @pytest.mark.parametrize(
        "escaped",
        [r"a\nb\r\x85\u2028c", r'"}\\', r"\x1b[31m", r"\u2660 \xe9", r"\x00"],
    )
    def test_any_text_comes_back(self, escaped: str, capsys: pytest.CaptureFixture[str]) -> None:
        text = escaped.encode().decode("unicode_escape")
        log.speak("json")
        before = datetime.now(UTC).replace(microsecond=0)
        log.say(text, "some.event", "warning", line=3, file=Path("x"), none=None)
        (line,) = capsys.readouterr().err.splitlines()
        assert line.isascii()
        found = json.loads(line)
        assert datetime.fromisoformat(found.pop("time")) >= before
        assert found == {
            "level": "warning",
            "event": "some.event",
            "message": text,
            "line": 3,
            "file": "x",
        }

    def test_a_lone_surrogate_is_written_as_json_escapes_it(self) -> None:
        # In a process of its own: what is captured of a test goes through UTF-8.
        said = "from audit.observe import log; log.speak('json'); log.say('\\udcff')"
        done = subprocess.run([sys.executable, "-c", said], capture_output=True, check=True, cwd=ROOT)
        assert json.loads(done.stderr)["message"] == "\udcff"

    def test_warnings_of_libraries_are_told(self, capsys: pytest.CaptureFixture[str]) -> None:
        log.speak("json")
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            log.speak("json")
            warnings.warn("look out", stacklevel=1)
        lines = capsys.readouterr().err.splitlines()
        assert [json.loads(each)["event"] for each in lines] == ["library.warning"]
        assert "look out" in lines[0]

    def test_notes_are_for_machines_only(self, capsys: pytest.CaptureFixture[str]) -> None:
        log.speak("text")
        log.note("told on standard output", "some.event")
        log.say("told")
        assert capsys.readouterr().err == "told\n"


class TestProgress:
    def test_a_stream_of_its_own_gets_plain_lines(self, capsys: pytest.CaptureFixture[str]) -> None:
        log.speak("json")
        stream = StringIO()
        progress = Progress(stream)
        with progress.wait("Validating"):
            progress.say("here", "some.event", "error", number=1)
        assert stream.getvalue() == "Validating …\nhere\n"
        assert capsys.readouterr().err == ""

    def test_an_error_inside_ends_no_work(self, capsys: pytest.CaptureFixture[str]) -> None:
        log.speak("json")
        with pytest.raises(KeyError), Progress().work("Replaying", 5):
            raise KeyError
        assert [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()] == [
            "work.started"
        ]
