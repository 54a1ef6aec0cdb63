"""The catalogue: views over whatever the lake holds, macros, and a comment on everything.

`write_lake` is the small lake that the other tests of the catalogue and of the suites
use: two venues, two currencies, a few rounds with something wrong in each.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.catalog import MACROS, RUNS, VIEWS, build_catalog, open_read_only
from audit.surveil.views import surveillance_views
from expectations.tables import STORED, columns
from rules_replay.fingerprint import fingerprints
from rules_replay.results import Finding

Row = Mapping[str, Any]

CANBERRA = ("casino-canberra", "2019-03-01")
AUCKLAND = ("skycity-auckland", "2019-03-02")
NOWHERE = ("__HIVE_DEFAULT_PARTITION__", "__HIVE_DEFAULT_PARTITION__")


def write_part(
    root: Path, table: str, partition: tuple[str, str], rows: Sequence[Row], name: str = "data.parquet"
) -> Path:
    """One Parquet file of a table; a column not given is null, or empty where null is not allowed."""
    schema = STORED[table].schema
    blank = {field.name: None if field.nullable else _blank(field.type) for field in schema}
    for row in rows:
        assert row.keys() <= blank.keys(), f"{table}: {row.keys() - blank.keys()}"
    folder = root / table / f"venue={quote(partition[0], safe='')}" / f"gaming_date={partition[1]}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    pq.write_table(pa.Table.from_pylist([blank | dict(row) for row in rows], schema=schema), path)
    return path


def _blank(kind: pa.DataType) -> Any:
    if pa.types.is_string(kind):
        return ""
    if pa.types.is_decimal(kind):
        return Decimal(0)
    if pa.types.is_timestamp(kind):
        return datetime(2019, 3, 1, 9, tzinfo=UTC)
    return b"" if pa.types.is_binary(kind) else False if pa.types.is_boolean(kind) else 0


def money(text: str) -> Decimal:
    """An amount of three decimals."""
    return Decimal(text).quantize(Decimal("0.001"))


class _Round:
    """Collects the rows of one round."""

    def __init__(self, round_id: str, number: int, dealer: str, currency: str, table: str = "P01") -> None:
        begun = datetime(2019, 3, 1, 9, tzinfo=UTC) + timedelta(minutes=number)
        self.events: list[dict[str, Any]] = []
        self.hands: list[dict[str, Any]] = []
        self.settlements: list[dict[str, Any]] = []
        self.findings: list[dict[str, Any]] = []
        self.row: dict[str, Any] = {
            "round_id": round_id,
            "table": table,
            "shoe": f"{table}-20190301-1",
            "round_no": number,
            "started_at": begun,
            "started_at_text": (begun + timedelta(hours=11)).strftime("%Y-%m-%dT%H:%M:%S+11:00"),
            "decks": 6,
            "shuffler": "manual",
            "currency": currency,
            "dealer": dealer,
            "limit_max": money("100"),
            "content_sha256": "c" * 64,
            "source_file": f"{currency.lower()}.jsonl",
            "source_sha256": currency * 16,
            "source_line": number,
        }

    def wager(self, name: str, box: int, stake: str, **more: Any) -> None:
        at = {
            "wager": name,
            "box": box,
            "hand": 1,
            "player": f"P{box}",
            "kind": "main",
            "amount": money(stake),
        }
        self._event("wager", **at | more)

    def deal(self, box: int, *cards: str, hand: int = 1, **more: Any) -> None:
        for card in cards:
            self._event("deal", box=box, hand=hand, card=card)
        row = {"box": box, "hand": hand, "cards": " ".join(cards), "card_count": len(cards)}
        self.hands.append(row | {"ended": "stood", "total": 20} | more)

    def settle(self, name: str, box: int, stake: str, required: str, recorded: str, **more: Any) -> None:
        """Amounts are the net to the player."""
        row: dict[str, Any] = {
            "wager": name,
            "line": "stake",
            "kind": "main",
            "player": f"P{box}",
            "box": box,
        }
        row |= {"hand": 1, "stake": money(stake), "effective_stake": money(stake), "status": "fixed"}
        row |= {"clause": "act-2018 12.1", "basis": "as_required"}
        for side, net in (("expected", money(required)), ("recorded", money(recorded))):
            row[f"{side}_result"] = "win" if net > 0 else "lose" if net < 0 else "stand_off"
            row[f"{side}_paid"], row[f"{side}_taken"] = max(net, money("0")), max(-net, money("0"))
        row["delta"] = money(recorded) - money(required)
        row |= more
        self.settlements.append(row)
        self._event(
            "settle",
            wager=name,
            line="stake",
            result=row["recorded_result"],
            paid=row["recorded_paid"],
            taken=row["recorded_taken"],
        )

    def finding(self, code: str, severity: str, **more: Any) -> None:
        row = {"ordinal": len(self.findings), "code": code, "severity": severity, "basis": "as_required"}
        self.findings.append(row | {"rulebook": "act-2018", "clause": "act-2018 12.1"} | more)

    def _event(self, kind: str, /, **fields: Any) -> None:
        self.events.append({"seq": len(self.events), "e": kind, **fields})

    def rows(self, table: str) -> list[dict[str, Any]]:
        if table == "rounds":
            return [self.row | {"event_count": len(self.events)}]
        found: list[dict[str, Any]] = getattr(self, table)
        return [{"round_id": self.row["round_id"]} | row for row in found]

    def name_findings(self, venue: str) -> None:
        """Give the findings the fingerprints that they have at a venue."""
        found = [
            Finding(
                code=row["code"],
                severity=row["severity"],
                box=row.get("box"),
                hand=row.get("hand"),
                wager=row.get("wager"),
            )
            for row in self.findings
        ]
        for row, name in zip(self.findings, fingerprints(venue, self.row["round_id"], found), strict=True):
            row["fingerprint"] = name


def _canberra() -> list[_Round]:
    even = _Round("CBR-1", 1, "D17", "AUD")
    even.wager("a", 1, "25")
    even.deal(1, "AS", "KH", ended="pontoon", total=21)
    even.deal(0, "9D", "QC", "5S", ended="bust", total=24)
    even.settle("a", 1, "25", "37.5", "25", odds="3:2")
    even.finding("settle.odds", "breach", box=1, hand=1, wager="a", player="P1", delta=money("-12.5"))

    late = _Round("CBR-2", 2, "D17", "AUD")
    late.wager("a", 1, "20")
    late.deal(1, "9S", "8H")
    late.wager("b", 2, "150")
    late.deal(2, "KS", "QH")
    late.deal(0, "9D", "QC")
    late.settle("a", 1, "20", "-20", "0")
    late.settle("b", 2, "150", "100", "100", effective_stake=money("100"))
    late.finding("settle.outcome", "breach", box=1, hand=1, wager="a", player="P1", delta=money("20"))
    late.finding("wager.late", "breach", seq=3, box=2, wager="b", player="P2")
    late.finding("wager.above-max", "notice", seq=3, box=2, wager="b", player="P2")

    split = _Round("CBR-3", 3, "D9", "AUD")
    split.wager("a", 3, "10")
    split.deal(3, "8S", "KD")
    split.wager("a2", 3, "10", hand=2, kind="split", on="a")
    split.deal(3, "8S", "QD", hand=2, split_from=1)
    split.deal(0, "AD", "KC", ended="pontoon", total=21)
    split.settle("a", 3, "10", "-10", "-10")
    split.settle("a2", 3, "10", "0", "-10", hand=2, kind="split")
    split.finding(
        "settle.taken",
        "ambiguous",
        box=3,
        hand=2,
        wager="a2",
        player="P3",
        delta=money("-10"),
        depends_on="split.pontoon=original",
    )
    return [even, late, split]


def _auckland() -> list[_Round]:
    calm = _Round("CBR-1", 1, "D17", "NZD", table="T 4")
    calm.wager("a", 1, "50")
    calm.deal(1, "KS", "QH")
    calm.deal(0, "9D", "QC")
    calm.settle("a", 1, "50", "50", "55")
    calm.finding("settle.odds", "breach", box=1, hand=1, wager="a", player="P1", delta=money("5"))
    return [calm]


def write_lake(root: Path) -> Path:
    """The small lake, with quarantine and a run ledger."""
    for run, partition, rounds in ((1, CANBERRA, _canberra()), (2, AUCKLAND, _auckland())):
        for each in rounds:
            each.name_findings(partition[0])
        _write_history(root, run, partition, [row for each in rounds for row in each.rows("findings")])
        for table in ("rounds", "events", "hands", "settlements", "findings"):
            write_part(root, table, partition, [row for each in rounds for row in each.rows(table)])
        codes = sorted({row["code"] for each in rounds for row in each.findings} | {"surrender.timing"})
        failed = {code: sum(code in {f["code"] for f in each.findings} for each in rounds) for code in codes}
        write_part(
            root,
            "coverage",
            partition,
            [
                {
                    "code": code,
                    "rulebook": "act-2018",
                    "evaluated": len(rounds) if failed[code] else 0,
                    "passed": len(rounds) - failed[code] if failed[code] else 0,
                    "failed": failed[code],
                    "not_evaluable": 0 if failed[code] else len(rounds),
                    "reason": None if failed[code] else "decisions",
                }
                for code in codes
            ],
        )
    line = {"source_file": "aud.jsonl", "bytes": b"{oops", "byte_count": 5, "field": "", "reason": "not JSON"}
    write_part(root, "quarantine", NOWHERE, [line | {"source_line": 9}])
    write_part(root, "quarantine", CANBERRA, [line | {"source_line": 7, "round_id": "CBR-9"}])
    (root / "ledger").mkdir(exist_ok=True)
    runs: list[dict[str, Any]] = [
        {
            "run_id": "run-1",
            "at": "2026-01-02T03:04:05+00:00",
            "code_version": "0.1.0",
            "counts": {"rounds": 4},
        },
        {"run_id": "run-2", "at": "2026-01-03T03:04:05+11:00", "code_version": "0.1.0", "counts": {}},
    ]
    for record in runs:
        record["partitions"] = [
            {"venue": venue, "gaming_date": day, "outcome": "replayed"}
            for venue, day in (CANBERRA, AUCKLAND)[: 1 if record["run_id"] == "run-1" else 2]
        ]
    text = "".join(json.dumps(run) + "\n" for run in runs)
    (root / "ledger" / "runs.jsonl").write_text(text + '{"run_id": "run-3", cut sh\n')
    return root


def _write_history(root: Path, run: int, partition: tuple[str, str], findings: Sequence[Row]) -> None:
    """All findings of a partition new in one run, and of Canberra one more that the next resolves."""
    kept = ("fingerprint", "round_id", "code", "severity", "seq", "box", "hand", "wager", "delta")
    new = [{name: row.get(name) for name in kept} | {"run": run, "change": "new"} for row in findings]
    if partition == CANBERRA:
        gone = {"fingerprint": "f" * 20, "round_id": "CBR-3", "code": "deal.order", "severity": "procedure"}
        new.append(gone | {"run": run, "change": "new"})
        write_part(root, "changes", partition, [gone | {"run": 2, "change": "resolved"}], "part-2.parquet")
        _write_dispositions(root, findings)
    write_part(root, "changes", partition, new, "part-1.parquet")


def _write_dispositions(root: Path, findings: Sequence[Row]) -> None:
    """The first finding explained, the second at another amount, the third taken back."""
    records = [
        {
            "n": number,
            "at": f"2026-01-04T03:04:0{number}+00:00",
            "status": status,
            "by": "J. Smith",
            "note": note,
            "findings": [
                {"fingerprint": row["fingerprint"], "venue": CANBERRA[0], "gaming_date": CANBERRA[1]}
                | {"round_id": row["round_id"], "code": row["code"], "severity": row["severity"]}
                | {"delta": delta, "seq": row.get("seq")}
            ],
        }
        for number, (row, status, delta, note) in enumerate(
            [
                (findings[0], "explained", "-12.5", "paid at the cage"),
                (findings[1], "explained", "5", "a goodwill payment"),
                (findings[2], "false-positive", None, "the clock was wrong"),
                (findings[2], "open", None, "the clock was right"),
            ],
            1,
        )
    ]
    (root / "ledger").mkdir()
    text = "".join(json.dumps(record) + "\n" for record in records)
    (root / "ledger" / "dispositions.jsonl").write_text(text + "{cut sh\n")


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_catalog(write_lake(tmp_path_factory.mktemp("lake")))


def ask(path: Path, query: str) -> list[tuple[Any, ...]]:
    with open_read_only(path) as session:
        return session.execute(query).fetchall()


class TestViews:
    """One view per table of the lake and one over the run ledger, the same whatever is there."""

    def test_every_table_is_a_view_with_all_its_rows(self, catalog: Path) -> None:
        found = {name: ask(catalog, f"SELECT count(*) FROM {name}")[0][0] for name in (*STORED, "runs")}
        assert found == {
            "rounds": 4,
            "events": 33,
            "hands": 10,
            "settlements": 6,
            "findings": 6,
            "coverage": 8,
            "quarantine": 2,
            "changes": 8,
            "runs": 3,
        }

    def test_columns_and_types_are_those_of_the_schemas(self, catalog: Path, tmp_path: Path) -> None:
        empty = build_catalog(tmp_path)
        for name in STORED:
            expected = [(column.name, column.type) for column in columns(name)]
            for path in (catalog, empty):
                described = ask(path, f"SELECT column_name, column_type FROM (DESCRIBE {name})")
                assert described == expected, f"{name} in {path}"

    def test_a_lake_without_any_file_has_empty_views(self, tmp_path: Path) -> None:
        path = build_catalog(tmp_path)
        assert path == tmp_path / "audit.duckdb"
        for name in (*STORED, "runs"):
            assert ask(path, f"FROM {name}") == []

    def test_the_ledger_shows_in_runs_as_soon_as_it_is_there(self, tmp_path: Path) -> None:
        path = build_catalog(tmp_path)
        (tmp_path / "ledger").mkdir()
        (tmp_path / "ledger" / "runs.jsonl").write_text('{"run_id": "run-1"}\n')
        assert ask(path, "SELECT run_id FROM runs") == [("run-1",)]

    def test_a_damaged_ledger_line_is_kept_as_text(self, catalog: Path) -> None:
        rows = ask(catalog, 'SELECT line, run_id, "at", counts, record FROM runs ORDER BY line')
        assert [row[:2] for row in rows] == [(1, "run-1"), (2, "run-2"), (3, None)]
        assert rows[1][2].astimezone(UTC) == datetime(2026, 1, 2, 16, 4, 5, tzinfo=UTC)
        assert json.loads(rows[0][3]) == {"rounds": 4}
        assert json.loads(rows[2][4]) == '{"run_id": "run-3", cut sh'

    def test_quarantine_keeps_a_line_without_venue_and_date(self, catalog: Path) -> None:
        rows = ask(catalog, "SELECT venue, gaming_date, source_line FROM quarantine ORDER BY source_line")
        assert rows == [("casino-canberra", "2019-03-01", 7), (None, None, 9)]

    def test_a_venue_is_read_back_from_its_percent_encoding(self, tmp_path: Path) -> None:
        write_part(tmp_path, "rounds", ("le café/2", "2019-03-01"), [{"round_id": "x"}])
        path = build_catalog(tmp_path)
        assert ask(path, "SELECT venue, gaming_date FROM rounds") == [("le café/2", date(2019, 3, 1))]

    @pytest.mark.parametrize(
        "name", ["it's", "two words", "naïve-日本", "a[b]c", "star*", 'quo"te', "env=prod"]
    )
    def test_odd_folder_names_are_only_names(self, tmp_path: Path, name: str) -> None:
        root = write_lake(tmp_path / name)
        decoy = write_lake(tmp_path / "starXX")
        path = build_catalog(root)
        assert decoy != root
        assert ask(path, "SELECT count(*) FROM rounds") == [(4,)]
        assert ask(path, "SELECT count(*) FROM runs") == [(3,)]
        assert len(ask(path, "DESCRIBE rounds")) == len(columns("rounds"))

    @pytest.mark.parametrize("name", ["venue=elsewhere", "gaming_date=2019-01-01", "back\\slash", "what?"])
    def test_folder_names_that_would_be_misread_are_refused(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(ValueError, match="move or rename the lake"):
            build_catalog(tmp_path / name / "lake")


class TestFindingsOverTime:
    """Each finding as it stands after the last run, with what somebody made of it."""

    def test_a_finding_is_new_until_another_run_makes_it_too(self, catalog: Path) -> None:
        query = (
            "SELECT venue, round_id, code, state, first_run, last_change_run FROM finding_states ORDER BY ALL"
        )
        assert ask(catalog, query) == [
            ("casino-canberra", "CBR-1", "settle.odds", "continuing", 1, 1),
            ("casino-canberra", "CBR-2", "settle.outcome", "continuing", 1, 1),
            ("casino-canberra", "CBR-2", "wager.above-max", "continuing", 1, 1),
            ("casino-canberra", "CBR-2", "wager.late", "continuing", 1, 1),
            ("casino-canberra", "CBR-3", "deal.order", "resolved", 1, 2),
            ("casino-canberra", "CBR-3", "settle.taken", "continuing", 1, 1),
            ("skycity-auckland", "CBR-1", "settle.odds", "new", 2, 2),
        ]

    def test_instants_are_those_of_the_runs(self, catalog: Path) -> None:
        query = "SELECT first_seen_at, last_changed_at FROM finding_states WHERE code = 'deal.order'"
        assert ask(catalog, query) == [
            (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), datetime(2026, 1, 2, 16, 4, 5, tzinfo=UTC))
        ]

    def test_a_disposition_stands_until_the_finding_changes_or_it_is_taken_back(self, catalog: Path) -> None:
        query = """
            SELECT code, disposition, note, changed_since FROM finding_states
            WHERE venue = 'casino-canberra' AND round_id IN ('CBR-1', 'CBR-2') ORDER BY code"""
        assert ask(catalog, query) == [
            ("settle.odds", "explained", "paid at the cage", False),
            ("settle.outcome", "explained", "a goodwill payment", True),
            ("wager.above-max", None, None, False),
            ("wager.late", None, None, False),
        ]

    def test_open_findings_are_all_but_the_explained(self, catalog: Path) -> None:
        query = "SELECT venue, round_id, code, changed_since FROM findings_open ORDER BY ALL"
        assert ask(catalog, query) == [
            ("casino-canberra", "CBR-2", "settle.outcome", True),
            ("casino-canberra", "CBR-2", "wager.above-max", False),
            ("casino-canberra", "CBR-2", "wager.late", False),
            ("casino-canberra", "CBR-3", "settle.taken", False),
            ("skycity-auckland", "CBR-1", "settle.odds", False),
        ]

    def test_a_damaged_line_hides_no_disposition(self, catalog: Path) -> None:
        query = "SELECT line, status, disposed_by, delta FROM dispositions"
        assert ask(catalog, query) == [
            (1, "explained", "J. Smith", Decimal("-12.500")),
            (2, "explained", "J. Smith", Decimal("5.000")),
            (3, "false-positive", "J. Smith", None),
            (4, "open", "J. Smith", None),
        ]

    def test_the_history_of_a_finding_in_order(self, catalog: Path) -> None:
        late = "SELECT fingerprint FROM findings WHERE code = 'wager.late'"
        ((name,),) = ask(catalog, late)
        query = f"SELECT what, by_whom, note FROM history_of_finding('{name}')"
        assert ask(catalog, query) == [
            ("new", "run-1", None),
            ("false-positive", "J. Smith", "the clock was wrong"),
            ("open", "J. Smith", "the clock was right"),
        ]


class TestComments:
    """An investigator finds what everything means without leaving DuckDB."""

    def test_every_view_and_column_has_its_comment(self, catalog: Path) -> None:
        views = dict(ask(catalog, "SELECT view_name, comment FROM duckdb_views() WHERE NOT internal"))
        made = (*VIEWS, *surveillance_views())
        assert views.keys() == {*STORED, "runs", *(view.name for view in made)}
        assert all(views.values())
        found = ask(
            catalog, "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal"
        )
        expected = {(name, each.name): each.comment for name in STORED for each in columns(name)}
        expected |= {("runs", name): comment for name, (_, comment) in RUNS.items()}
        expected |= {(view.name, each.name): each.comment for view in made for each in view.columns}
        assert {(view, column): comment for view, column, comment in found} == expected

    def test_every_macro_has_its_comment(self, catalog: Path) -> None:
        query = "SELECT function_name, comment FROM duckdb_functions() WHERE NOT internal"
        assert dict(ask(catalog, query)).keys() >= {macro.name for macro in MACROS}
        assert all(comment for _, comment in ask(catalog, query))


class TestMacros:
    """The questions asked most, each by name."""

    def test_rounds_of_a_table_and_day(self, catalog: Path) -> None:
        query = "SELECT round_id FROM rounds_of('casino-canberra', 'P01', '2019-03-01')"
        assert ask(catalog, query) == [("CBR-1",), ("CBR-2",), ("CBR-3",)]
        assert ask(catalog, "FROM rounds_of('casino-canberra', 'P01', DATE '2019-03-02')") == []

    def test_findings_of_a_dealer_are_those_of_the_rounds_he_dealt(self, catalog: Path) -> None:
        rows = ask(catalog, "SELECT venue, round_id, code FROM findings_of_dealer('D9')")
        assert rows == [("casino-canberra", "CBR-3", "settle.taken")]
        assert len(ask(catalog, "FROM findings_of_dealer('D17')")) == 5

    def test_net_difference_of_a_player_keeps_currencies_apart(self, catalog: Path) -> None:
        assert ask(catalog, "FROM net_difference_of_player('P1')") == [
            ("AUD", 2, 2, 0, money("7.5")),
            ("NZD", 1, 1, 0, money("5")),
        ]

    def test_money_by_check_adds_up_both_ways(self, catalog: Path) -> None:
        query = "SELECT currency, overpaid, underpaid, net_difference FROM money_by_check()"
        query += " WHERE code = 'settle.odds'"
        assert sorted(ask(catalog, query)) == [
            ("AUD", money("0"), money("12.5"), money("-12.5")),
            ("NZD", money("5"), money("0"), money("5")),
        ]

    def test_a_round_is_shown_for_every_venue_that_has_one_of_its_name(self, catalog: Path) -> None:
        for macro in ("findings", "events", "hands", "settlements"):
            venues = ask(catalog, f"SELECT DISTINCT venue FROM {macro}_of_round('CBR-1') ORDER BY venue")
            assert venues == [("casino-canberra",), ("skycity-auckland",)], macro

    def test_shoe_cards_counts_what_left_the_shoe(self, tmp_path: Path) -> None:
        cards = [
            {"e": "deal", "card": "8S"},
            {"e": "burn", "card": "8S"},
            {"e": "burn", "card": "8S", "from": "hand"},
            {"e": "deal", "card": "KD"},
        ]
        write_part(tmp_path, "rounds", CANBERRA, [{"round_id": "r", "shoe": "s", "decks": 6}])
        events = [{"round_id": "r", "seq": seq, **card} for seq, card in enumerate(cards)]
        write_part(tmp_path, "events", CANBERRA, events)
        path = build_catalog(tmp_path)
        assert ask(path, "FROM shoe_cards('casino-canberra', 's')") == [("8S", 2, 6), ("KD", 1, 6)]


class TestBuilding:
    """The catalogue is swapped in whole."""

    def test_a_reader_keeps_its_catalogue_while_the_next_is_swapped_in(self, tmp_path: Path) -> None:
        root = write_lake(tmp_path)
        path = build_catalog(root)
        with open_read_only(path) as session:
            shutil.rmtree(root / "coverage")
            build_catalog(root)
            assert session.execute("SELECT count(*) FROM rounds").fetchall() == [(4,)]
        assert ask(path, "SELECT count(*) FROM coverage") == [(0,)]

    def test_a_build_that_fails_leaves_the_last_catalogue_and_nothing_else(self, tmp_path: Path) -> None:
        root = write_lake(tmp_path)
        path = build_catalog(root)
        before = path.read_bytes()
        broken = root / "rounds" / "venue=a" / "gaming_date=2019-01-01" / "part.parquet"
        broken.parent.mkdir(parents=True)
        broken.write_bytes(b"not Parquet")
        for each in sorted((root / "rounds").glob("venue=[cs]*")):
            shutil.rmtree(each)
        with pytest.raises(duckdb.Error):
            build_catalog(root)
        assert path.read_bytes() == before
        assert [each.name for each in root.iterdir() if "building" in each.name] == []

    def test_it_may_lie_outside_the_lake(self, tmp_path: Path) -> None:
        root = write_lake(tmp_path / "lake")
        target = tmp_path / "elsewhere" / "catalogue.duckdb"
        assert build_catalog(root, target) == target
        with open_read_only(target, root) as session:
            assert session.execute("SELECT count(*) FROM rounds").fetchall() == [(4,)]
            assert session.execute("SELECT lake_root()").fetchall() == [(str(root),)]

    def test_it_is_written_at_the_storage_version_of_duckdb_1_0(self, catalog: Path) -> None:
        header = catalog.read_bytes()[:20]
        assert header[8:12] == b"DUCK"
        assert int.from_bytes(header[12:20], "little") == 64
