"""docs/operations: the files are what their programs take, and every command in them works."""

from __future__ import annotations

import ast
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Self

import pytest
from typer.main import get_command

from audit.cli import app
from audit.observe import log
from tests.commands import night, pontoon, write_log
from tests.rounds import play

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
OPERATIONS = ROOT / "docs" / "operations"
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
SERVICES = ("pontoon-audit-ingest.service", "pontoon-audit.service")
BINARY = "/usr/local/bin/pontoon-audit"
UNVALIDATED = (
    "from audit.cli import main; from audit.run import _Night; from tests.unvalidated import passed; "
    "_Night._validate = passed; main()"
)
IN_ORDER = "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C | a wins 20"


@pytest.fixture(autouse=True)
def _text_again() -> Iterator[None]:
    yield
    log.speak("text")


def unit(name: str) -> ConfigParser:
    """A unit of systemd; `ConfigParser` refuses a key given twice."""
    parser = ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string((OPERATIONS / name).read_text(encoding="utf-8"))
    return parser


def commands() -> dict[str, list[str]]:
    """Every command of the files by where it stands, without the name of the program."""
    found = {}
    for name in SERVICES:
        words = shlex.split(unit(name)["Service"]["ExecStart"])
        assert words[0] == BINARY
        found[name] = words[1:]
    for number, words in enumerate(
        shlex.split(each) for each in re.findall(r"pontoon-audit (?:[^&)|]*?)(?= 2>&1)", cron_script())
    ):
        found[f"cron {number}"] = words[1:]
    for name, text in dag_commands().items():
        found[f"dag {name}"] = shlex.split(text)[1:]
    return found


def cron_line() -> tuple[list[str], str, list[str]]:
    """The schedule, the user and the words of the command of the one line of the crontab."""
    lines = (OPERATIONS / "pontoon-audit.cron").read_text(encoding="utf-8").splitlines()
    (line,) = (each for each in lines if each and not each.startswith("#") and not re.match(r"[A-Z]+=", each))
    assert "%" not in line, "cron takes a bare % for the end of the line"
    *schedule, user, command = line.split(maxsplit=6)
    return schedule, user, shlex.split(command)


def cron_script() -> str:
    return cron_line()[2][-1]


class _Task:
    """A BashOperator as far as the DAG uses one."""

    made: ClassVar[list[_Task]] = []

    def __init__(self, *, task_id: str, bash_command: str, **options: Any) -> None:
        self.task_id, self.bash_command, self.options = task_id, bash_command, options
        self.after: list[str] = []
        self.made.append(self)

    def __rshift__(self, other: _Task) -> _Task:
        other.after.append(self.task_id)
        return other


class _Dag:
    """A DAG that notes what it was made with."""

    made: ClassVar[list[dict[str, Any]]] = []

    def __init__(self, **options: Any) -> None:
        self.made.append(options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None


def load_dag() -> tuple[dict[str, Any], dict[str, _Task]]:
    """The DAG run against stand-ins of Airflow: its options, and its tasks by name."""
    modules = {name: ModuleType(name) for name in ("airflow", "airflow.sdk", "airflow.providers")}
    modules |= {
        f"airflow.providers.standard{tail}": ModuleType(f"airflow.providers.standard{tail}")
        for tail in ("", ".operators", ".operators.bash")
    }
    modules["airflow.sdk"].__dict__["DAG"] = _Dag
    modules["airflow.providers.standard.operators.bash"].__dict__["BashOperator"] = _Task
    _Task.made.clear()
    _Dag.made.clear()
    with pytest.MonkeyPatch.context() as patch:
        for name, module in modules.items():
            patch.setitem(sys.modules, name, module)
        runpy.run_path(str(OPERATIONS / "pontoon_audit_dag.py"))
    (options,) = _Dag.made
    return options, {each.task_id: each for each in _Task.made}


def dag_commands() -> dict[str, str]:
    return {name: task.bash_command for name, task in load_dag()[1].items()}


def options_of(command: Any) -> set[str]:
    return {name for parameter in command.params for name in parameter.opts}


@pytest.mark.parametrize("where", list(commands()))
def test_every_option_is_one_of_the_command(where: str) -> None:
    words = commands()[where]
    program: Any = get_command(app)
    first = next(place for place, word in enumerate(words) if word in program.commands)
    assert {each for each in words[:first] if each.startswith("--")} <= options_of(program)
    command = program.commands[words[first]]
    used = [each for each in words[first:] if each.startswith("--")]
    assert used
    assert set(used) <= options_of(command)


def test_every_command_is_found() -> None:
    assert list(commands()) == [*SERVICES, "cron 0", "cron 1", "dag ingest", "dag audit"]


def moved(word: str, folder: Path) -> str:
    """A path of the files, moved below ``folder``."""
    for place in (
        "/srv/pontoon/logs",
        "/var/lib/pontoon-audit",
        "/var/lib/node_exporter/textfile",
        "/run/lock",
    ):
        word = word.replace(place, f"{folder}/{Path(place).name}")
    return word


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """The folders of the files, and one log in order."""
    for name in ("logs", "pontoon-audit", "textfile", "lock"):
        (tmp_path / name).mkdir()
    write_log(tmp_path / "logs" / "night.jsonl", [play("act-2018", IN_ORDER)])
    return tmp_path


@pytest.mark.usefixtures("validated")
@pytest.mark.parametrize("names", [SERVICES, ("dag ingest", "dag audit")])
def test_the_commands_work_one_after_another(host: Path, names: tuple[str, ...]) -> None:
    for name in names:
        ran = pontoon(*(moved(word, host) for word in commands()[name]))
        assert ran.code == 0, ran.err
        assert ran.err.startswith("{")
    files = {path.relative_to(host).as_posix() for path in host.glob("*/*.*")}
    if names == SERVICES:
        assert files >= {"textfile/pontoon_ingest.prom", "textfile/pontoon_run.prom"}
        assert "pontoon-audit/findings.sarif" in files
    else:
        assert (host / "pontoon-audit" / "junit.xml").is_file()
    assert len((host / "pontoon-audit" / "lineage.jsonl").read_bytes().splitlines()) == 4


class TestUnits:
    @pytest.mark.parametrize("name", SERVICES)
    def test_may_write_wherever_they_write_and_nowhere_else(self, name: str) -> None:
        service = unit(name)["Service"]
        assert service["ProtectSystem"] == "strict"
        words = shlex.split(service["ExecStart"])
        written = [
            words[place + 1]
            for place, word in enumerate(words)
            if word in ("--lake", "--metrics-file", "--lineage-file", "--sarif", "--junit")
        ]
        open_to_it = [f"/var/lib/{service['StateDirectory']}", *service["ReadWritePaths"].split()]
        for path in written:
            assert any(Path(path).is_relative_to(folder) for folder in open_to_it), path
        assert service["Environment"] == f"XDG_CACHE_HOME=/var/cache/{service['CacheDirectory']}"

    @pytest.mark.parametrize("name", SERVICES)
    def test_are_confined(self, name: str) -> None:
        service = unit(name)["Service"]
        for key in ("NoNewPrivileges", "PrivateTmp", "PrivateNetwork", "PrivateDevices", "ProtectHome"):
            assert service[key] == "yes"
        assert service["CapabilityBoundingSet"] == ""
        assert service["User"] not in ("", "root")

    def test_findings_are_a_success_of_the_audit_alone(self) -> None:
        assert unit("pontoon-audit.service")["Service"]["SuccessExitStatus"] == "1"
        assert "SuccessExitStatus" not in unit("pontoon-audit-ingest.service")["Service"]

    def test_the_audit_waits_for_the_ingest_and_the_timer_starts_it(self) -> None:
        audit = unit("pontoon-audit.service")["Unit"]
        assert audit["Wants"] == audit["After"] == "pontoon-audit-ingest.service"
        timer = unit("pontoon-audit.timer")
        assert "Unit" not in timer["Timer"], "a timer starts the service of its own name"
        assert timer["Install"]["WantedBy"] == "timers.target"

    def test_systemd_takes_them_where_there_is_one(self, tmp_path: Path) -> None:
        names = (*SERVICES, "pontoon-audit.timer")
        for name in names:
            text = (OPERATIONS / name).read_text(encoding="utf-8")
            (tmp_path / name).write_text(text.replace(BINARY, sys.executable), encoding="utf-8")
        verify = shutil.which("systemd-analyze")
        if verify is not None:
            done = subprocess.run(
                [verify, "verify", *(str(tmp_path / name) for name in names)], capture_output=True, text=True
            )
            assert (done.returncode, done.stderr) == (0, "")


class TestCron:
    def test_has_a_time_a_user_and_a_lock(self) -> None:
        schedule, user, words = cron_line()
        assert all(re.fullmatch(r"[0-9*]+", each) for each in schedule)
        assert user == "pontoon-audit"
        assert words[:3] == ["flock", "-n", "/run/lock/pontoon-audit.lock"]
        assert words[3:5] == ["sh", "-c"]

    @pytest.mark.parametrize(("log_name", "mails"), [("in order", False), ("with faults", True)])
    def test_prints_only_where_something_is_wrong(self, host: Path, log_name: str, mails: bool) -> None:
        if mails:
            shutil.copyfile(night("nz-2000"), host / "logs" / "more.jsonl")
        shim = host / "bin" / "pontoon-audit"
        shim.parent.mkdir()
        shim.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -c "{UNVALIDATED}" "$@"\n',
            encoding="utf-8",
        )
        shim.chmod(0o755)
        done = subprocess.run(
            ["sh", "-c", moved(cron_script(), host)],
            env={"PATH": f"{shim.parent}:/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert done.stderr == ""
        assert ("breach" in done.stdout) is mails
        assert bool(done.stdout) is mails


class TestDag:
    def test_ingest_comes_first_and_alone_is_tried_again(self) -> None:
        options, tasks = load_dag()
        assert (options["schedule"], options["catchup"], options["max_active_runs"]) == (
            "15 9 * * *",
            False,
            1,
        )
        assert tasks["audit"].after == ["ingest"]
        assert tasks["audit"].options["retries"] == 0 < tasks["ingest"].options["retries"]
        assert tasks["audit"].options["trigger_rule"] == "all_done"


class TestAlerts:
    @pytest.mark.usefixtures("unvalidated")
    def test_speak_of_metrics_and_labels_that_are_written_and_so_does_the_page(self, host: Path) -> None:
        for name in SERVICES:
            assert pontoon(*(moved(word, host) for word in commands()[name])).code == 0
        written = "".join(each.read_text(encoding="utf-8") for each in (host / "textfile").glob("*.prom"))
        known = set(re.findall(r"^# TYPE (\S+)", written, flags=re.MULTILINE))
        alerts = (OPERATIONS / "alerts.yml").read_text(encoding="utf-8")
        named = set(re.findall(r"pontoon_audit_\w+", alerts))
        assert named
        assert named <= known
        labels = set(re.findall(r"[{,](\w+)=\"", written))
        assert set(re.findall(r"[$]labels[.](\w+)", alerts)) <= labels
        assert set(re.findall(r"(\w+)=~?\"", alerts)) <= labels
        told = re.findall(r"`(?:pontoon_audit)?(_\w+)`", PAGE)
        assert [name for name in known if not name.endswith(tuple(told))] == []
        assert alerts.count("- alert:") == alerts.count("expr:") == alerts.count("summary:")


class TestPage:
    def test_every_event_of_the_log_is_explained(self) -> None:
        explained = {
            name
            for line in PAGE.splitlines()
            if line.startswith("| `")
            for name in re.findall(r"`([a-z.]+)`", line.split("|")[1])
        }
        sources = [*(ROOT / "audit").rglob("*.py")]
        said: set[str] = set()
        for path in sources:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and _name(node.func) in ("say", "note", "_note"):
                    said |= {
                        each.value
                        for each in node.args[1:2]
                        if isinstance(each, ast.Constant) and isinstance(each.value, str)
                    }
        said -= {"query.hint", "query.refused", "query.cut"}
        assert len(said) > 15
        assert said <= explained

    def test_every_link_leads_somewhere(self) -> None:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", PAGE):
            assert (ROOT / "docs" / target).exists(), target

    def test_every_exit_code_is_there(self) -> None:
        from audit import exit_codes

        for name in ("DONE", "FOUND", "USAGE", "INCOMPLETE", "INTERRUPTED", "TERMINATED"):
            assert re.search(rf"^\|[^|]*\b{getattr(exit_codes, name)}\b", PAGE, flags=re.MULTILINE), name


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def test_nothing_but_the_log_writes_to_standard_error() -> None:
    """Apart from the line breaks of the prompt, and the bars of `Progress`."""
    writers = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "audit").rglob("*.py")
        if re.search(r"sys[.]stderr", path.read_text(encoding="utf-8"))
    ]
    assert sorted(writers) == ["audit/commands/query.py", "audit/observe/log.py", "audit/progress.py"]
