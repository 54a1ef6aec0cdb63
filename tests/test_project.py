"""The project as a whole: what is published, what is locked, what the front page promises."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any, get_args

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.main import get_command

from audit.cli import app
from audit.ingest.wire import decode_line
from rules_replay import log
from rules_replay.auditor import Auditor
from rules_replay.venues import load_register

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "requirements-spark.lock")
PACKAGES = ("rules_replay", "expectations", "audit", "data_samples")

MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|opt|tmp|home|Users)/")
INDEX_HOST = re.compile(r"https?://\S*/simple\b|\bpypi[.]org|pythonhosted[.]|--(?:extra-)?index-url")


def published_files() -> list[Path]:
    """Every file that belongs to the repository: tracked, or new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = (ROOT / name for name in listed.split("\0") if name)
    return sorted(path for path in paths if path.is_file())


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def format_page() -> str:
    return (ROOT / "docs" / "format.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=LOCKS)
def any_lock(request: pytest.FixtureRequest) -> str:
    return (ROOT / str(request.param)).read_text(encoding="utf-8")


class TestLock:
    """Dependencies are pinned with hashes, and the lock says nothing of where they come from."""

    def test_names_no_host_and_no_path(self, any_lock: str) -> None:
        assert "://" not in any_lock
        assert not MACHINE_PATH.search(any_lock)

    def test_pins_and_hashes_every_requirement(self, any_lock: str) -> None:
        requirements = re.findall(r"^[^\s#].*(?:\n +--hash.*)*", any_lock, flags=re.MULTILINE)
        assert requirements
        for requirement in requirements:
            pinned = r"[a-z0-9.-]+==\S+ (?:; [^\\]+)?\\\n +--hash=sha256:[0-9a-f]{64}"
            assert re.match(pinned, requirement), requirement

    def test_holds_a_version_that_each_direct_dependency_allows(self, project: dict[str, Any]) -> None:
        locks = [(ROOT / name).read_text(encoding="utf-8") for name in LOCKS]
        locked = dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", "".join(locks), flags=re.MULTILINE))
        wanted = [
            *project["build-system"]["requires"],
            *project["project"]["dependencies"],
            *project["project"]["optional-dependencies"]["dev"],
            *project["project"]["optional-dependencies"]["spark"],
        ]
        for each in map(Requirement, wanted):
            assert each.specifier.contains(locked[canonicalize_name(each.name)]), each


class TestPublishedFiles:
    """Nothing that is published depends on the machine it was written on."""

    def test_no_file_names_a_machine_path_or_an_index_host(self) -> None:
        offences = [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
            for path in published_files()
            for number, line in enumerate(path.read_bytes().decode(errors="replace").splitlines(), start=1)
            if MACHINE_PATH.search(line) or INDEX_HOST.search(line)
        ]
        assert offences == []

    @pytest.mark.parametrize("package", PACKAGES)
    def test_every_package_says_what_it_holds(self, package: str) -> None:
        folders = {path.parent for path in published_files() if path.suffix == ".py"}
        inside = [folder for folder in folders if folder.is_relative_to(ROOT / package)]
        assert inside
        for folder in inside:
            source = (folder / "__init__.py").read_text(encoding="utf-8")
            assert ast.get_docstring(ast.parse(source)), folder.relative_to(ROOT)

    @pytest.mark.parametrize("engine", ["engine", "kernel"])
    def test_an_engine_says_where_each_of_its_modules_belongs(self, engine: str) -> None:
        folder = ROOT / "rules_replay" / engine
        says = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
        modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
        assert modules <= set(re.findall(r"`(\w+)`", says))

    def test_the_wheel_holds_every_file_of_the_packages(self, tmp_path: Path) -> None:
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
        (wheel,) = tmp_path.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            held = set(archive.namelist())
            (entry_points,) = (name for name in held if name.endswith("/entry_points.txt"))
            assert "pontoon-audit = audit.cli:main" in archive.read(entry_points).decode()
        names = (path.relative_to(ROOT) for path in published_files())
        expected = {name.as_posix() for name in names if name.parts[0] in PACKAGES}
        assert expected - held == set()
        assert "audit/requirements.lock" in held


class TestFrontPage:
    """What the README and the changelog promise exists."""

    def test_readme_opens_with_the_two_commands(self) -> None:
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        assert re.findall(r"^\$ (make [a-z-]+)$", readme, flags=re.MULTILINE)[:2] == [
            "make audit",
            "make test",
        ]

    @pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", ".ci/run"])
    def test_every_make_command_is_a_target(self, page: str) -> None:
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        text = (ROOT / page).read_text(encoding="utf-8")
        named = re.findall(r"(?:^|`|\$ )make ([a-z-]+)", text, flags=re.MULTILINE)
        assert named
        assert set(named) <= set(targets)

    def test_every_command_of_the_program_exists(self) -> None:
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        named = set(re.findall(r"^\$ pontoon-audit ([a-z]+)", readme, flags=re.MULTILINE))
        assert named
        commands = getattr(get_command(app), "commands", {})
        assert named <= set(commands)

    def test_the_changelog_begins_with_the_version_of_the_project(self, project: dict[str, Any]) -> None:
        changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        newest = re.search(r"^## (\d\S*)", changelog, flags=re.MULTILINE)
        assert newest is not None
        assert newest[1] == project["project"]["version"]


class TestFormatPage:
    """The page on the round log says what the reader of round logs does."""

    def test_its_example_is_a_round_in_order(self, format_page: str) -> None:
        example = re.search(r"```json\n(.*?)```", format_page, flags=re.DOTALL)
        assert example is not None
        round_ = decode_line(json.dumps(json.loads(example[1])).encode()).round
        replay = Auditor(load_register()).audit(round_)
        assert replay.rulebook == "nz-2000"
        assert len(replay.settlements) == 2
        assert replay.findings == ()

    def test_it_lists_every_word_of_the_format(self, format_page: str) -> None:
        words = {
            *log.EVENT_KINDS,
            *log.FACTS,
            *(get_args(log.WagerKind) + get_args(log.Result) + get_args(log.Line)),
            *(get_args(log.Shuffler) + get_args(log.IrregularityCode)),
            *(log.Round.__struct_encode_fields__ + log.Limits.__struct_encode_fields__),
        }
        for event in get_args(log.AnyEvent):
            words.update(event.__struct_encode_fields__)
        assert {word for word in words if f"`{word}`" not in format_page} == set()
