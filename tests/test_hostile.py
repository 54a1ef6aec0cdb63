"""Input made to hurt: what it costs is bounded, nothing of it runs, and no round is lost over it.

Costs are those of a process of its own: its greatest resident memory, and its processor time.
"""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import zstandard

from audit.lake import Lake
from tests.commands import night, pontoon

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
MIB = 1024 * 1024
SHEET = '=HYPERLINK("x")'
SCRIPT = "<script>alert(1)</script>"
ESCAPE = "\x1b[2J\x1b]0;owned\x07"
SQL = "'); DROP VIEW findings; --"


def good(number: int = 1) -> dict[str, Any]:
    """A round of a bundled night."""
    found: dict[str, Any] = json.loads(night("act-2018").read_text(encoding="utf-8").splitlines()[number - 1])
    return found


def written(path: Path, *rounds: Any) -> Path:
    path.write_bytes(b"".join(_line(each) + b"\n" for each in rounds))
    return path


def _line(round_: Any) -> bytes:
    return round_ if isinstance(round_, bytes) else json.dumps(round_).encode()


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command cost and said: seconds of the processor, bytes of memory."""

    code: int
    out: str
    err: str
    seconds: float
    memory: int


MEASURED = """
import json, resource, subprocess, sys
done = subprocess.run([sys.executable, "-c", "from audit.cli import main; main()", *sys.argv[1:]],
                      capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, done.stdout, done.stderr, used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""


def measured(*arguments: str | Path) -> Cost:
    """A command in a process of its own, which nothing before it can have made larger."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (240, 240)),
    )
    code, out, err, seconds, memory = json.loads(done.stdout)
    return Cost(code, out, err, seconds, memory * 1024)


def cards_to_one_hand(count: int) -> dict[str, Any]:
    """A round in which one hand is dealt so many cards."""
    round_ = good()
    deals = [each for each in round_["events"] if each["e"] == "deal" and each.get("box")]
    first = round_["events"].index(deals[0])
    round_["events"][first:first] = [deals[0]] * count
    return round_


def many_events(count: int) -> dict[str, Any]:
    round_ = good()
    round_["events"] += [{"e": "irregularity", "code": "exposed_card"}] * count
    return round_


class TestCost:
    """Time and memory are bounded by the size of the input, and the lines around it are read."""

    @pytest.mark.parametrize(
        ("hostile", "said"),
        [
            (lambda: b"[" * 200_000, "nest"),
            (lambda: b'{"round_id":' * 100_000, "nest"),
            (lambda: json.dumps(good() | {"x": "y" * 20 * MIB}).encode(), "line"),
            (lambda: json.dumps(good()).encode().replace(b'"round_no":', b'"round_no":1' + b"0" * 5000), ""),
            (lambda: b"{" + b",".join(b'"k%d":0' % each for each in range(200_000)) + b"}", ""),
        ],
        ids=["brackets", "objects", "a line of 20 MiB", "a number of 5,000 digits", "keys without end"],
    )
    def test_a_line_is_refused_cheaply(self, tmp_path: Path, hostile: Callable[[], bytes], said: str) -> None:
        log = written(tmp_path / "a.jsonl", good(2), hostile(), good(3))
        cost = measured("check", log, "--json", "--fail-on", "never")
        assert cost.code == 3
        assert len(json.loads(cost.out)["rounds"]) == 2
        assert "a.jsonl:2" in cost.err
        assert said in cost.err
        assert max(map(len, cost.err.splitlines())) < 1000
        assert (cost.seconds < 20, cost.memory < 400 * MIB) == (True, True), (cost.seconds, cost.memory)

    @pytest.mark.parametrize("packed", ["gz", "zst"])
    def test_a_bomb_is_read_as_the_one_long_line_it_is(self, tmp_path: Path, packed: str) -> None:
        zeros = b"0" * 256 * MIB
        log = tmp_path / f"bomb.jsonl.{packed}"
        log.write_bytes(gzip.compress(zeros, 1) if packed == "gz" else zstandard.compress(zeros))
        assert log.stat().st_size < 2 * MIB
        cost = measured("check", log)
        assert cost.code == 3
        assert "bomb.jsonl" in cost.err
        assert (cost.seconds < 30, cost.memory < 400 * MIB) == (True, True), (cost.seconds, cost.memory)

    @pytest.mark.parametrize("made", [cards_to_one_hand, many_events])
    def test_work_grows_with_the_events(self, tmp_path: Path, made: Callable[[int], dict[str, Any]]) -> None:
        small, large = (
            measured(
                "check", written(tmp_path / f"{count}.jsonl", made(count)), "--json", "--fail-on", "never"
            )
            for count in (5_000, 20_000)
        )
        assert {small.code, large.code} <= {0, 3}
        # Four times the events: a work that grew by the square would take sixteen times.
        assert large.seconds < 9 * small.seconds, (small.seconds, large.seconds)
        assert large.memory < 900 * MIB


def texts(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Every place in a round where a text stands that is no word of the format."""
    free = {"dealer", "supervisor", "player", "note", "reason", "pit", "table", "shoe"}
    if isinstance(value, dict):
        for key, each in value.items():
            if isinstance(each, str) and key in free:
                yield value, key
            elif isinstance(each, dict | list):
                yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


TEXTS = (SHEET, SCRIPT, SQL, ESCAPE, "../../../../etc/x", "a" * 5000, "..", "\u202eevil")


def test_a_text_of_a_log_is_a_text_everywhere(tmp_path: Path) -> None:
    rounds = [good(number) for number in range(1, len(TEXTS) + 1)]
    for round_, text in zip(rounds, TEXTS, strict=True):
        for place, key in list(texts(round_)):
            place[key] = text
    (tmp_path / "in").mkdir()
    log = written(tmp_path / "in" / "a.jsonl", *rounds, good(len(rounds) + 1))
    lake = tmp_path / "out" / "lake"
    taken = pontoon("ingest", log, "--lake", lake)
    ran = pontoon("run", "--lake", lake, "--fail-on", "never")
    assert taken.code == ran.code
    assert ran.code in {0, 3}
    report = lake / "report"
    told = [taken.out, taken.err, ran.out, ran.err, pontoon("status", "--lake", lake).out]
    told += [pontoon("check", log).out]
    told += [pontoon("explain", each["round_id"], "--file", log).out for each in rounds]
    assert not any("\x1b[2J" in each or "\x07" in each for each in told)
    page = (report / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    cells = (
        (report / "exceptions.csv").read_text(encoding="utf-8").replace('"', "").replace("\n", ",").split(",")
    )
    assert not any(each.startswith(("=", "@", "\t")) for each in cells)
    assert pontoon("verify", "--lake", lake).code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"in", "out"}
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["lake"]
    stored = sum(Lake(lake).status()["rows"][table] for table in ("rounds", "quarantine"))
    assert stored == len(rounds) + 1


class TestVenuesAndFolders:
    """A venue names a folder, and no venue can name one outside the table."""

    @pytest.mark.parametrize(
        "venue", ["..", ".", "/etc", "a/../../b", "a\\b", "%2e%2e", "x" * 300, "venue=a", "é"]
    )
    def test_no_file_lands_outside(self, tmp_path: Path, venue: str) -> None:
        log = written(tmp_path / "a.jsonl", good() | {"venue": venue})
        lake = tmp_path / "lake"
        assert pontoon("ingest", log, "--lake", lake).code in {0, 3}
        found = {path.relative_to(lake).parts[0] for path in lake.rglob("*.parquet")}
        assert found <= {"rounds", "events", "quarantine"}
        assert {path.name for path in tmp_path.iterdir()} == {"a.jsonl", "lake"}
        depths = {len(path.relative_to(lake).parts) for path in lake.rglob("*.parquet")}
        assert depths == {4}
        assert pontoon("verify", "--lake", lake).code == 0


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An audited lake with a secret beside it, and a link to that inside."""
    folder = tmp_path_factory.mktemp("asked")
    (folder / "secret.csv").write_text("a\nsecret\n")
    pontoon("ingest", night("nz-2000"), "--lake", folder / "lake")
    pontoon("run", "--lake", folder / "lake")
    (folder / "lake" / "link.csv").symlink_to(folder / "secret.csv")
    return folder / "lake"


class TestQueries:
    """What is asked of the catalogue reads the lake and nothing else, also where the lake is hostile."""

    @pytest.mark.parametrize(
        "query",
        [
            "SELECT * FROM read_csv('{outside}')",
            "SELECT * FROM '{outside}'",
            "SELECT * FROM read_text('{outside}')",
            "SELECT * FROM glob('{outside}')",
            "SELECT * FROM sniff_csv('{outside}')",
            "SELECT * FROM read_text('{lake}/../secret.csv')",
            "SELECT * FROM read_text('{lake}/link.csv')",
            "COPY (SELECT 1) TO '{lake}/x.csv'",
            "ATTACH '{outside}.db'",
            "INSTALL httpfs",
            "LOAD httpfs",
            "SET enable_external_access = true",
            "PRAGMA database_list; SELECT 1",
            "CREATE TABLE x AS SELECT 1",
            "DROP VIEW findings",
            "CALL pragma_version()",
            "EXPORT DATABASE '{lake}/x'",
            "SELECT getenv('HOME')",
        ],
    )
    def test_refused(self, asked: Path, query: str) -> None:
        lake, outside = asked, asked.parent / "secret.csv"
        before = sorted(path.name for path in lake.iterdir())
        done = pontoon("query", "--lake", lake, query.format(outside=outside, lake=lake))
        assert "secret\n" not in done.out
        assert "secret " not in done.out
        assert sorted(path.name for path in lake.iterdir()) == before
        if "getenv" not in query and "glob" not in query:
            assert done.code == 2, done.out
