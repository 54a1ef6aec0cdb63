"""Every kept input through its target, generated ones too; in the slow suite a guided search for more."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.commands import BROKEN, GOLDEN
from tests.fuzz.targets import CORPUS, TARGETS

ROOT = Path(__file__).parents[2]
COMPILED = {"engines", "lines"}
"""Targets that need compiled code, which takes a minute the first time."""

KEPT = [(name, path) for name in sorted(TARGETS) for path in sorted((CORPUS / name).iterdir())]
PIECES = [
    *GOLDEN.read_bytes().split(b"\n")[:8],
    b"{",
    b"}",
    b'"',
    b"[",
    b"\\",
    b"\x00",
    b"\xff",
    b"1e999",
    b",",
]


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_every_target_keeps_inputs(name: str) -> None:
    assert any(kept == name for kept, _ in KEPT)


def kept(*names: str) -> pytest.MarkDecorator:
    """The kept inputs of some targets."""
    some = [pytest.param(name, path, id=f"{name}-{path.name}") for name, path in KEPT if name in names]
    return pytest.mark.parametrize(("name", "path"), some)


@kept(*TARGETS.keys() - COMPILED)
def test_kept(name: str, path: Path) -> None:
    TARGETS[name](path.read_bytes())


@pytest.mark.slow
@kept("lines")
def test_kept_by_compiled_ingest(name: str, path: Path) -> None:
    TARGETS[name](path.read_bytes())


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel")
@kept("engines")
def test_kept_by_both_engines(name: str, path: Path) -> None:
    TARGETS[name](path.read_bytes())


@pytest.mark.parametrize("name", sorted(TARGETS.keys() - COMPILED))
@given(data=st.binary(max_size=200))
def test_any_bytes(name: str, data: bytes) -> None:
    TARGETS[name](data)


@pytest.mark.parametrize("name", ["line", "logged"])
@given(
    line=st.sampled_from(PIECES[:8]),
    cuts=st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 40), st.sampled_from(PIECES)), max_size=3),
)
def test_mutilated_rounds(name: str, line: bytes, cuts: list[tuple[int, int, bytes]]) -> None:
    for start, length, piece in cuts:
        line = line[:start] + piece + line[start + length :]
    TARGETS[name](line.replace(b"\n", b" "))


@pytest.mark.parametrize("path", sorted(BROKEN.glob("*.jsonl")), ids=lambda path: path.name)
def test_broken_logs(path: Path) -> None:
    for line in path.read_bytes().split(b"\n"):
        TARGETS["line"](line)


@pytest.mark.slow
def test_guided_search(tmp_path: Path) -> None:
    if find_spec("atheris") is None:
        pytest.skip("atheris has no wheel for this machine: the guided search is NOT run")
    names = sorted(TARGETS.keys() - COMPILED)
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *names, "--seconds", "1", "--found", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert (done.returncode, list(tmp_path.iterdir())) == (0, []), done.stderr[-10_000:]
    assert done.stderr.count("stat::number_of_executed_units") == len(names)
