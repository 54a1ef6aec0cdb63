"""What a record says of the program that made it."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from audit import provenance

LOCK = Path(__file__).parents[1] / "requirements.lock"

HELD = {
    "pontoon-audit": ("9", ["One[fast]>=1", "two; python_version < '3'", "tool; extra == 'dev'"]),
    "one": ("1.5", ["three>2", "four; extra == 'fast'"]),
    "two": ("2", []),
    "three": ("3.1", ["one"]),
    "four": ("4", ["gone"]),
    "tool": ("5", []),
}


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    provenance.packages_digest.cache_clear()
    yield
    provenance.packages_digest.cache_clear()


def hold(monkeypatch: pytest.MonkeyPatch, held: dict[str, tuple[str, list[str]]]) -> None:
    def found(name: str) -> SimpleNamespace:
        if name not in held:
            raise PackageNotFoundError(name)
        version, requires = held[name]
        return SimpleNamespace(version=version, requires=requires)

    monkeypatch.setattr(provenance, "distribution", found)


def test_libraries_are_those_needed_here_directly_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    hold(monkeypatch, HELD)
    assert provenance.installed_packages() == {"one": "1.5", "three": "3.1", "four": "4"}
    text = b"four==4\none==1.5\nthree==3.1\n"
    assert provenance.packages_digest() == hashlib.sha256(text).hexdigest()


def test_a_program_that_is_not_installed_says_nothing_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    hold(monkeypatch, {})
    assert provenance.packages_digest() is None


def test_a_record_has_code_python_and_lock() -> None:
    made = provenance.provenance()
    assert made["environment"]["python"] == platform.python_version()
    assert made["environment"]["lock_sha256"] == hashlib.sha256(LOCK.read_bytes()).hexdigest()
    assert len(made["code_sha256"]) == 64
