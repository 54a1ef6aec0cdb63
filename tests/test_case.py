"""A case convinces a stranger: the same bytes from the folder alone, and every change of it shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

import audit.case.recheck
from audit.case.contents import as_json
from audit.case.seal import MANIFEST, SEAL, sha256_of
from audit.signing import load_signer, make_keys
from tests.commands import Ran, copied, pontoon, write_log
from tests.record_tampering import Kept, build, flip
from tests.rounds import book, play, settled

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return build(tmp_path_factory.mktemp("kept"))


@pytest.fixture(scope="module")
def finding(kept: Kept) -> dict[str, str]:
    """A breach of the lake: round and fingerprint."""
    return first_of_query(
        kept,
        """SELECT f.round_id, f.ordinal, f.fingerprint FROM findings f JOIN rounds r USING (venue, round_id)
        WHERE f.severity = 'breach' AND r.source_file = 'first.jsonl' ORDER BY ALL LIMIT 1""",
    )


def first_of_query(kept: Kept, sql: str) -> dict[str, str]:
    found = pontoon("query", "--lake", kept.lake, sql, "--format", "jsonl").out.splitlines()[0]
    return {name: str(value) for name, value in json.loads(found).items()}


@pytest.fixture(scope="module")
def exported(kept: Kept, finding: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("exported") / "case"
    ran = export(kept, finding["fingerprint"][:12], out, "--source", source_of(kept))
    assert ran.code == 0, ran.err
    return out


@pytest.fixture
def case(exported: Path, tmp_path: Path) -> Path:
    return copied(exported, tmp_path / "case")


def source_of(kept: Kept) -> Path:
    return kept.lake.parent / "first.jsonl"


def export(kept: Kept, named: str, out: Path, *more: str | Path) -> Ran:
    return pontoon("export", "--lake", kept.lake, "--case", named, "--out", out, *more)


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def seal_again(folder: Path) -> None:
    """Make manifest and seal fit the files again, as a forger would."""
    files = {name: sha256_of(content) for name, content in sorted(bytes_of(folder).items())}
    files = {name: digest for name, digest in files.items() if name not in (MANIFEST, SEAL)}
    manifest = as_json({"format": "pontoon-case/1", "files": files})
    (folder / MANIFEST).write_bytes(manifest)
    (folder / SEAL).write_bytes(as_json({"seal": sha256_of(manifest)}))


def replaced(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


class TestExport:
    """One round with all that its findings rest on."""

    def test_what_is_in_it(self, exported: Path, finding: dict[str, str]) -> None:
        assert bytes_of(exported).keys() == {
            *("MANIFEST.json", "SEAL.json", "README.txt", "case.json", "round.json", "shoe.jsonl"),
            *("source.jsonl", "rulebooks/act-2018.toml", "venues.toml", "ledger/ingest.jsonl"),
            *("ledger/run.jsonl", "hands.json", "settlements.json", "findings.json"),
            *("explanation.txt", "explanation.json"),
        } | ({"ledger/dispositions.jsonl"} & bytes_of(exported).keys())
        about = json.loads((exported / "case.json").read_bytes())
        assert about["finding"]["fingerprint"] == finding["fingerprint"]
        assert about["round_id"] == finding["round_id"]
        assert f"line {about['source']['line']} of first.jsonl" in (exported / "README.txt").read_text()

    def test_the_source_is_the_line_as_it_came(self, kept: Kept, exported: Path) -> None:
        number = json.loads((exported / "case.json").read_bytes())["source"]["line"]
        lines = source_of(kept).read_bytes().splitlines(keepends=True)
        assert (exported / "source.jsonl").read_bytes() == lines[number - 1]

    def test_the_same_finding_gives_the_same_bytes(
        self, kept: Kept, exported: Path, finding: dict[str, str], tmp_path: Path
    ) -> None:
        named = f"{finding['round_id']}#{finding['ordinal']}"
        assert export(kept, named, tmp_path / "again", "--source", source_of(kept)).code == 0
        assert bytes_of(tmp_path / "again") == bytes_of(exported)

    def test_a_round_without_its_source(self, kept: Kept, finding: dict[str, str], tmp_path: Path) -> None:
        ran = export(kept, finding["round_id"], tmp_path / "case", "--json")
        assert ran.object["finding"] is None
        assert ran.object["source"]["absent_because"] == "its file was not given; --source FILE names it"
        assert "source.jsonl" not in ran.object["files"]
        assert pontoon("recheck", tmp_path / "case").code == 0

    def test_the_source_lies_where_it_was_named(
        self, kept: Kept, finding: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(source_of(kept).parent)
        assert export(kept, finding["round_id"], tmp_path / "case").code == 0
        assert (tmp_path / "case" / "source.jsonl").is_file()

    def test_what_people_made_of_it(self, kept: Kept, tmp_path: Path) -> None:
        (record,) = pontoon("dispositions", "--lake", kept.lake, "--json").object["dispositions"]
        assert export(kept, record["fingerprint"], tmp_path / "case").code == 0
        assert b'"by":"A. Regulator"' in (tmp_path / "case/ledger/dispositions.jsonl").read_bytes()

    def test_nothing_is_written_over(self, kept: Kept, case: Path, finding: dict[str, str]) -> None:
        before = bytes_of(case)
        ran = export(kept, finding["round_id"], case)
        assert (ran.code, bytes_of(case)) == (2, before)
        assert "there is something already" in ran.err

    @pytest.mark.parametrize(
        ("named", "words"),
        [
            ("no-such-round", "no round no-such-round"),
            ("ffffffffffff", "no finding of this lake has such a fingerprint"),
            ("{round_id}#99", "counted from 0; none is 99"),
        ],
    )
    def test_what_is_not_there(
        self, kept: Kept, finding: dict[str, str], tmp_path: Path, named: str, words: str
    ) -> None:
        ran = export(kept, named.format(**finding), tmp_path / "case")
        assert ran.code == 2
        assert words in ran.err
        assert not (tmp_path / "case").exists()

    def test_another_file_is_not_its_source(
        self, kept: Kept, finding: dict[str, str], tmp_path: Path
    ) -> None:
        other = kept.lake.parent / "correction.jsonl"
        ran = export(kept, finding["round_id"], tmp_path / "case", "--source", other)
        assert ran.code == 2
        assert "not the file that was ingested as first.jsonl" in ran.err

    def test_another_register_is_not_the_one_of_the_run(
        self, kept: Kept, exported: Path, finding: dict[str, str], tmp_path: Path
    ) -> None:
        register = tmp_path / "venues.toml"
        register.write_bytes((exported / "venues.toml").read_bytes() + b"\n")
        ran = export(kept, finding["round_id"], tmp_path / "case", "--venues", register)
        assert ran.code == 2
        assert "had another venue register" in ran.err

    @pytest.mark.parametrize("of", ["rounds", "events", "findings", "settlements"])
    def test_nothing_rests_on_what_was_altered(
        self, kept: Kept, finding: dict[str, str], tmp_path: Path, of: str
    ) -> None:
        lake = copied(kept.lake, tmp_path / "lake")
        for path in lake.glob(f"{of}/venue=casino-canberra/*/*.parquet"):
            flip(path, 100)
        ran = pontoon("export", "--lake", lake, "--case", finding["round_id"], "--out", tmp_path / "case")
        assert ran.code != 0
        assert not (tmp_path / "case").exists()

    def test_a_date_that_was_not_audited_has_no_case(self, kept: Kept, tmp_path: Path) -> None:
        lake = tmp_path / "lake"
        assert pontoon("ingest", source_of(kept), "--lake", lake).code == 0
        round_id = json.loads(source_of(kept).read_bytes().splitlines()[0])["round_id"]
        ran = pontoon("export", "--lake", lake, "--case", round_id, "--out", tmp_path / "case")
        assert ran.code == 2
        assert "not audited yet" in ran.err


class TestRecheck:
    """From the folder alone the same bytes, or what differs."""

    def test_the_same(self, case: Path) -> None:
        ran = pontoon("recheck", case)
        assert ran.code == 0
        assert ran.out.splitlines()[:3] == [
            "manifest and seal: same",
            "rulebooks, register and ledger records: same",
            "source.jsonl: same",
        ]
        assert ran.out.endswith("The case: the same.\n")

    def test_every_file_is_in_the_seal(self, case: Path) -> None:
        for name in bytes_of(case):
            path = case / name
            content = path.read_bytes()
            path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
            assert pontoon("recheck", case).code == 1, name
            path.write_bytes(content)
        assert pontoon("recheck", case).code == 0

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda folder: (folder / "hands.json").unlink(), "hands.json: in the manifest, and missing"),
            (lambda folder: (folder / "more.txt").write_text("x"), "more.txt: not in the manifest"),
            (lambda folder: (folder / "more").symlink_to(folder / "case.json"), "more: a symbolic link"),
            (lambda folder: (folder / SEAL).unlink(), "SEAL.json: missing or not a seal"),
            (lambda folder: (folder / MANIFEST).write_text("[]"), "MANIFEST.json: not a manifest"),
        ],
    )
    def test_what_is_wrong_with_the_folder_is_named(
        self, case: Path, change: Callable[[Path], object], words: str
    ) -> None:
        change(case)
        ran = pontoon("recheck", case)
        assert ran.code == 1
        assert words in ran.out

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (replaced("findings.json", '"breach"', '"notice"'), "findings.json: differs"),
            (replaced("explanation.txt", "breach", "notice"), "explanation.txt: differs"),
            (replaced("settlements.json", '"win"', '"lose"'), "settlements.json: differs"),
            (replaced("round.json", '"decks":6', '"decks":4'), "source.jsonl: differs, another round"),
            (
                replaced("rulebooks/act-2018.toml", '"3:2"', '"2:1"'),
                "rulebooks, register and ledger records: differs",
            ),
            (
                replaced("ledger/run.jsonl", '"kind":"run"', '"kind":"ran"'),
                "the record of the run: not what case.json",
            ),
            (replaced("venues.toml", "\n\n", "\n\n\n"), "the register"),
        ],
        ids=["finding", "story", "settlement", "round", "rulebook", "record", "register"],
    )
    def test_a_forger_who_seals_again_is_found_by_the_replay(
        self, case: Path, change: Callable[[Path], None], words: str
    ) -> None:
        seal = pontoon("recheck", case, "--json").object["seal"]
        change(case)
        seal_again(case)
        ran = pontoon("recheck", case)
        assert ran.code == 1
        assert "manifest and seal: same" in ran.out
        assert words in ran.out
        assert pontoon("recheck", case, "--json").object["seal"] != seal

    def test_another_rulebook_text_is_replayed_as_it_stands(self, case: Path) -> None:
        replaced("rulebooks/act-2018.toml", "\n\n", "\n\n\n")(case)
        seal_again(case)
        checks = {
            each["what"]: each["outcome"] for each in pontoon("recheck", case, "--json").object["checks"]
        }
        assert checks["rulebooks, register and ledger records"] == "differs"
        assert checks["findings.json"] == checks["settlements.json"] == "same"

    def test_other_code_cannot_tell(self, case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        replaced("findings.json", '"breach"', '"notice"')(case)
        seal_again(case)
        monkeypatch.setattr(audit.case.recheck, "code_digest", lambda: "0" * 64)
        ran = pontoon("recheck", case)
        assert ran.code == 3
        assert (
            "findings.json: cannot tell, this program writes something else, but it is other code" in ran.out
        )
        assert "cannot be told with this version of the program" in ran.out

    def test_other_code_that_agrees_agrees(self, case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(audit.case.recheck, "code_digest", lambda: "0" * 64)
        ran = pontoon("recheck", case)
        assert ran.code == 0
        assert "Note: this is other code than made the case." in ran.out

    def test_another_form_of_case_cannot_be_told(self, case: Path) -> None:
        replaced("case.json", "pontoon-case/1", "pontoon-case/2")(case)
        seal_again(case)
        assert pontoon("recheck", case).code == 3

    def test_a_round_that_cannot_be_read(self, case: Path) -> None:
        (case / "round.json").write_text("{}\n")
        seal_again(case)
        ran = pontoon("recheck", case)
        assert ran.code == 1
        assert "the round could not be replayed" in ran.out

    def test_a_folder_without_a_case(self, tmp_path: Path) -> None:
        ran = pontoon("recheck", tmp_path)
        assert (ran.code, "no case here" in ran.err) == (2, True)


class TestSigned:
    """A seal that is signed."""

    def test_with_the_key_and_with_another(self, kept: Kept, finding: dict[str, str], tmp_path: Path) -> None:
        ran = export(
            kept, finding["round_id"], tmp_path / "case", "--sign", kept.keys / "signing-key.pem", "--json"
        )
        assert ran.object["signed_by"] == load_signer(kept.keys / "signing-key.pem").id
        public, other = kept.keys / "public-key.pem", make_keys(tmp_path / "other").public
        assert pontoon("recheck", tmp_path / "case", "--key", public).code == 0
        ran = pontoon("recheck", tmp_path / "case", "--key", other)
        assert ran.code == 1
        assert "SEAL.json: not signed with this key" in ran.out

    def test_an_unsigned_case_does_not_do(self, kept: Kept, case: Path) -> None:
        assert pontoon("recheck", case, "--key", kept.keys / "public-key.pem").code == 1


class TestAcrossShoes:
    """The earlier rounds of a shoe come along, those of the day before too."""

    def test_what_the_shoe_shows_is_found_again(self, kept: Kept, tmp_path: Path) -> None:
        earlier = "FROM rounds e WHERE (e.venue, e.shoe) = (r.venue, r.shoe) AND e.round_no < r.round_no"
        row = first_of_query(
            kept, f"SELECT r.round_id, venue FROM rounds r WHERE EXISTS ({earlier}) ORDER BY ALL LIMIT 1"
        )
        assert export(kept, row["round_id"], tmp_path / "case", "--venue", row["venue"]).code == 0
        assert (tmp_path / "case" / "shoe.jsonl").read_bytes().count(b"\n") > 0
        assert pontoon("recheck", tmp_path / "case").code == 0

    def test_a_shoe_that_runs_on_from_the_day_before(self, tmp_path: Path) -> None:
        told = "a 10@1 | 1:9S 0:7S 1:8S | no more bets"
        rules = book("act-2018")
        rounds = [
            settled(play("act-2018", told, round_id=f"R-{number}", round_no=number, started_at=at), rules)
            for number, at in ((1, "2019-03-01T23:50:00+11:00"), (3, "2019-03-02T12:00:00+11:00"))
        ]
        log, lake = write_log(tmp_path / "log.jsonl", rounds), tmp_path / "lake"
        assert pontoon("ingest", log, "--lake", lake).code == 0
        pontoon("run", "--lake", lake, "--jobs", "1")
        ran = pontoon("export", "--lake", lake, "--case", "R-3", "--out", tmp_path / "case", "--source", log)
        assert ran.code == 0, ran.err
        assert b'"round_id":"R-1"' in (tmp_path / "case" / "shoe.jsonl").read_bytes()
        assert "round 2 of shoe" in (tmp_path / "case" / "findings.json").read_text(encoding="utf-8")
        assert pontoon("recheck", tmp_path / "case").code == 0

    def test_instants_by_the_clock_of_the_venue(self, tmp_path: Path) -> None:
        played = play(
            "act-2018",
            "a 10@1 | 1:9S 0:7S 1:8S | no more bets",
            started_at="2019-03-01T23:50:00+11:00",
            ended_at="2019-03-01T23:52:00+11:00",
        )
        at = datetime.fromisoformat("2019-03-01T23:51:00+11:00")
        log, lake = tmp_path / "log.jsonl", tmp_path / "lake"
        write_log(log, [replace(played, events=tuple(replace(event, at=at) for event in played.events))])
        assert pontoon("ingest", log, "--lake", lake).code == 0
        pontoon("run", "--lake", lake, "--jobs", "1")
        out = tmp_path / "case"
        ran = pontoon("export", "--lake", lake, "--case", played.round_id, "--out", out, "--source", log)
        assert ran.code == 0, ran.err
        assert "source.jsonl: same" in pontoon("recheck", out).out.splitlines()

    def test_a_round_that_no_rulebook_governs(self, kept: Kept, tmp_path: Path) -> None:
        row = first_of_query(kept, "SELECT round_id FROM rounds WHERE venue = 'casino-elsewhere'")
        out = tmp_path / "case"
        assert export(kept, row["round_id"], out, "--venue", "casino-elsewhere").code == 0
        assert not (out / "rulebooks").exists()
        assert "rulebook.none-in-force" in (out / "findings.json").read_text(encoding="utf-8")
        assert pontoon("recheck", out).code == 0
