"""The HTML report: complete, readable without script, and proof against texts of the log."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path

import pytest

from audit.layout import Partition
from audit.report import page, sheets
from audit.report.charts import bar, columns
from audit.report.model import Tally
from audit.report.text import SEVERITY_WORDS
from rules_replay.checks import catalogue
from tests.test_report_lake import AUCKLAND, CANBERRA, HEADER, LakeBuilder, report, summary

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}{% raw %}",
    '=HYPERLINK("http://example.invalid")',
    "javascript:alert(1)",
    "</style></script><!--",
    "x" * 200,
    "Zoë 李 ♥",
    "turn\u202eround",
)


class Page(HTMLParser):
    """Tags, attributes and text of a page; the text of style and script is kept apart."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"style": [], "script": []}
        self._texts: list[str] = []
        self._inside = ""
        self.source = path.read_text(encoding="utf-8")
        self.feed(self.source)
        self.close()

    @property
    def text(self) -> str:
        return " ".join(" ".join(self._texts).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def of_class(self, name: str) -> list[dict[str, str | None]]:
        return [found for _, found in self.tags if name in (found.get("class") or "").split()]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        self.raw.get(self._inside, self._texts).append(data)


def one_exception() -> LakeBuilder:
    lake = LakeBuilder()
    lake.round(CANBERRA, "R1")
    lake.hand(CANBERRA, "R1", 3, "8S 8H 3D", 19, "doubled", hand=2, split_from=1, doubled=True)
    lake.hand(CANBERRA, "R1", 5, "AS 6H", 17, "stood", soft=True)
    lake.add("events", CANBERRA, round_id="R1", seq=2, e="double", box=3, hand=2)
    lake.add("events", CANBERRA, round_id="R1", seq=3, e="deal", box=3, hand=2, card="3D")
    lake.finding(
        CANBERRA, "R1", "settle.outcome", "breach", "25",
        seq=3, box=3, hand=2, wager="a", player="P1", basis="as_dealt",
    )  # fmt: skip
    return lake


@pytest.fixture(scope="module")
def told_page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return Page(report(tmp_path_factory.mktemp("one"), one_exception(), CANBERRA).html)


class TestOneException:
    """An exception tells everything a manager needs, without another tool."""

    @pytest.mark.parametrize(
        "told",
        [
            "casino-canberra, 1 March 2019: 1 breach in 1 round, AUD 25.00 overpaid.",
            "A wager won, lost or tied wrongly",
            "settle.outcome",
            "The rules require lose, 25 taken",
            "The log shows stand-off",
            "Difference to the player AUD 25.00 overpaid",
            "19 against 20 loses",
            "Clause act-2018 14.1",
            "breach: Money moved wrongly",
            "Round R1, number 7 of shoe P03-04",
            "casino-canberra, table P03, dealer D17, supervisor S2",
            "2019-03-01 20:14:05+11:00 on the clock of the venue, gaming date 2019-03-01",
            "box 3, hand 2, wager a (main, AUD 25.00), player P1",
            "event 3: 3♦ dealt to box 3, hand 2",
            "From the table as it stood",
            "night.jsonl.gz, line 12",
            "hard 20, stood",
            "Box 3 , hand 2 (split from hand 1)",
            "150 rounds replayed by a second, independent engine: the two agreed on every one",
        ],
    )
    def test_it_is_told(self, told_page: Page, told: str) -> None:
        assert told.replace(" ,", ",") in told_page.text.replace(" ,", ",")

    def test_the_dealer_and_the_box_are_drawn_and_no_other_box(self, told_page: Page) -> None:
        assert len(told_page.of_class("hand")) == 3
        assert "soft 17" not in told_page.text
        assert [card["class"] for card in told_page.of_class("card")] == [
            "card",
            "card red",
            "card",
            "card red",
            "card red",
            "card",
            "card red",
            "card red late",
        ]

    def test_a_few_exceptions_stand_open(self, told_page: Page) -> None:
        assert all("open" in found for found in told_page.of_class("exception"))

    def test_every_severity_is_explained(self, told_page: Page) -> None:
        for severity, words in SEVERITY_WORDS.items():
            assert f"{severity}" in told_page.text
            assert words in told_page.text


def test_an_exception_about_the_whole_round_draws_every_hand(tmp_path: Path) -> None:
    lake = one_exception()
    lake.rows["findings"][CANBERRA].clear()
    lake.finding(CANBERRA, "R1", "deal.order", "procedure")
    seen = Page(report(tmp_path, lake, CANBERRA).html)
    assert len(seen.of_class("hand")) == 4
    assert "soft 17, stood" in seen.text


def test_the_arithmetic_is_told_once(tmp_path: Path) -> None:
    lake = LakeBuilder()
    lake.round(CANBERRA, "R1")
    lake.rows["settlements"][CANBERRA][0]["odds"] = "3:2"
    lake.finding(
        CANBERRA,
        "R1",
        "settle.odds",
        "breach",
        "5",
        wager="a",
        expected="win, 37.5 paid (19 against 20 loses)",
    )
    text = Page(report(tmp_path, lake, CANBERRA).html).text
    assert text.count("19 against 20 loses") == 1
    assert "The rules require win, 37.5 paid The log shows" in text
    assert "19 against 20 loses; odds 3:2" in text


def test_an_ambiguous_exception_names_its_reading(tmp_path: Path) -> None:
    lake = LakeBuilder()
    lake.round(CANBERRA, "R1")
    lake.finding(
        CANBERRA,
        "R1",
        "settle.surrender",
        "ambiguous",
        "5",
        depends_on="surrender_binds=wager",
        clause="act-2018 9.2",
    )
    lake.finding(CANBERRA, "R1", "settle.odds", "ambiguous", "5", ordinal=1, depends_on="no_such_reading")
    text = Page(report(tmp_path, lake, CANBERRA).html).text
    assert "surrender_binds=wager" in text
    assert "Under the answer “wager” this is in order." in text
    assert "no_such_reading" in text


def test_a_finding_outside_the_catalogue_or_without_its_round_is_still_told(tmp_path: Path) -> None:
    lake = LakeBuilder()
    lake.round(CANBERRA, "R1")
    lake.finding(CANBERRA, "R1", "new.check", "notice")
    lake.finding(CANBERRA, "LOST", "settle.odds", "breach", "5", rulebook=None)
    files = report(tmp_path, lake, CANBERRA)
    text = Page(files.html).text
    assert "new.check" in text
    assert "no round is stored under this id" in text
    assert [line["breach"]["overpaid"] for line in summary(files)["money"]] == ["5", "0"]


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    lake = LakeBuilder()
    for number, text in enumerate(HOSTILE):
        name = f"R{number}"
        lake.round(
            CANBERRA,
            name,
            table=text,
            dealer=text,
            supervisor=text,
            shoe=text,
            source_file=text,
            currency="AUD",
        )
        lake.finding(
            CANBERRA, name, "settle.odds", "breach", "5", wager="a", player=text, expected=text,
            recorded=text,
            clause=text, depends_on=text, seq=0, box=3, hand=1,
        )  # fmt: skip
        lake.add(
            "quarantine", CANBERRA, source_file=text, field=text, reason=text, bytes=text.encode() + b"\xff",
            byte_count=len(text), round_id=text,
        )  # fmt: skip
        lake.add("coverage", CANBERRA, code=text, rulebook=text, not_evaluable=1, reason=text)
    return Page(report(tmp_path_factory.mktemp("hostile"), lake, CANBERRA).html)


class TestSelfContained:
    """Nothing comes from elsewhere, and nothing from the log can run."""

    def test_the_page_has_no_element_that_a_text_brought_in(self, hostile_page: Page) -> None:
        assert len(hostile_page.all("script")) == 1
        assert len(hostile_page.all("style")) == 1
        names = {name for name, _ in hostile_page.tags}
        assert not names & {
            "img",
            "iframe",
            "object",
            "embed",
            "link",
            "base",
            "video",
            "audio",
            "use",
            "image",
        }

    def test_no_element_fetches_or_handles_an_event(self, hostile_page: Page) -> None:
        for _, attributes in hostile_page.tags:
            assert not [
                name for name in attributes if name.startswith("on") or name in ("src", "srcset", "style")
            ]
            assert (attributes.get("href") or "#").startswith("#")

    def test_every_text_is_there_to_be_read(self, hostile_page: Page) -> None:
        for text in HOSTILE:
            assert " ".join(text.replace("\u202e", r"\u202e").split()) in hostile_page.text
        assert "\u202e" not in hostile_page.source

    def test_the_policy_allows_this_style_and_this_script_only(self, hostile_page: Page) -> None:
        policies = [meta["content"] for meta in hostile_page.all("meta") if meta.get("http-equiv")]

        def digest(kind: str) -> str:
            return base64.b64encode(
                hashlib.sha256("".join(hostile_page.raw[kind]).encode()).digest()
            ).decode()

        style, script = digest("style"), digest("script")
        allowed = f"style-src 'sha256-{style}'; script-src 'sha256-{script}'"
        assert policies == [f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"]

    def test_style_and_script_name_nothing_elsewhere(self, hostile_page: Page) -> None:
        for kind in ("style", "script"):
            assert not re.search(
                r"https?:|//[a-z]|@import|url\(|fetch\(|innerHTML|eval\(", "".join(hostile_page.raw[kind])
            )


class TestLargeReports:
    """Past the limit the gravest exceptions are shown, and the rest is said to be in the CSV."""

    def test_the_gravest_are_shown_and_the_rest_counted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(page, "EMBEDDED", 3)
        lake = LakeBuilder()
        lake.round(CANBERRA, "R1")
        for ordinal, (severity, delta) in enumerate(
            [("notice", None), ("breach", "5"), ("procedure", None), ("breach", "-50"), ("breach", None)]
        ):
            lake.finding(CANBERRA, "R1", "settle.odds", severity, delta, ordinal=ordinal)
        seen = Page(report(tmp_path, lake, CANBERRA).html)
        assert [(found["id"], found["data-severity"]) for found in seen.of_class("exception")] == [
            ("x1", "breach"),
            ("x2", "breach"),
            ("x3", "breach"),
        ]
        assert seen.text.index("AUD 50.00 underpaid") < seen.text.index(
            "Difference to the player AUD 5.00 overpaid"
        )
        assert (
            "This page shows the first 3 of 5; the other 2 are in exceptions.csv and exceptions.xlsx, "
            "beside this file, under the numbers 4 to 5." in seen.text
        )

    def test_a_crowd_of_dealers_is_cut_to_the_worst(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(page, "LISTED", 2)
        lake = LakeBuilder()
        for number in range(4):
            lake.round(CANBERRA, f"R{number}", dealer=f"D{number}")
        lake.finding(CANBERRA, "R3", "settle.odds", "breach", "5")
        lake.finding(CANBERRA, "R2", "wager.below-min", "notice")
        seen = Page(report(tmp_path, lake, CANBERRA).html)
        picks = [found["data-value"] for found in seen.all("a") if found.get("data-pick") == "dealer"]
        assert picks == ["D3", "D2"]
        assert "The 2 with the gravest exceptions of 4" in seen.text

    def test_of_many_days_the_worst_are_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(page, "DAYS", 2)
        days = [Partition("casino-canberra", date(2019, 3, day)) for day in (1, 2, 3)]
        lake = LakeBuilder()
        for number, day in enumerate(days):
            lake.round(day, f"R{number}")
        lake.finding(days[2], "R2", "settle.odds", "breach", "5")
        lake.finding(days[1], "R1", "wager.below-min", "notice")
        seen = Page(report(tmp_path, lake, *days).html)
        assert len(seen.of_class("day")) == 2
        assert "Shown are the 2 days with the gravest exceptions of 3" in seen.text
        assert "casino-canberra, 1 March 2019 1 round" not in seen.text


class TestSections:
    def test_no_exceptions(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        lake.round(CANBERRA, "R1")
        seen = Page(report(tmp_path, lake, CANBERRA).html)
        assert "No exceptions in 1 round." in seen.text
        assert "Nothing in the rounds that could be audited differs" in seen.text
        assert "Every line of the log could be read." in seen.text
        assert not seen.of_class("exception")

    def test_an_empty_scope_shows_no_clean_bill(self, tmp_path: Path) -> None:
        seen = Page(report(tmp_path, LakeBuilder(), CANBERRA).html)
        assert "Nothing was audited." in seen.text
        assert "No exceptions" not in seen.text

    def test_missing_evidence_and_quarantine_are_told(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        lake.round(CANBERRA, "R1")
        lake.finding(CANBERRA, "R1", "rulebook.none-in-force", "notice")
        lake.add(
            "coverage",
            CANBERRA,
            code="dealer.over-draw",
            rulebook="act-2018",
            not_evaluable=8,
            reason="burns",
        )
        lake.add(
            "quarantine", CANBERRA, source_file="night.jsonl", source_line=41, byte_count=900,
            field="events[3].card", reason="expected a card", bytes=b'{"round_id":"<b>\x00\xfe' + b"y" * 900,
        )  # fmt: skip
        text = Page(report(tmp_path, lake, CANBERRA).html).text
        assert "no rulebook is held for 1 round" in text
        assert "The recorder does not capture cards burned" in text
        assert f"0 checks of {len(catalogue())} in the catalogue" in text
        assert "night.jsonl 41 events[3].card expected a card" in text
        assert r"<b>\x00\xfeyyy" in text
        assert "(900 bytes)" in text
        assert "y" * 100 not in text

    def test_no_agreement_is_claimed_where_nothing_was_compared(self, tmp_path: Path) -> None:
        header = replace(HEADER, rounds_compared=0, rounds_disagreed=0)
        page = Page(report(tmp_path, one_exception(), CANBERRA, header=header).html)
        assert "Replayed by the readable engine alone" in page.text
        assert "agreed" not in page.text

    def test_a_disagreement_of_the_engines_is_told(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        header = type(HEADER)(
            run_id="r",
            finished_at=HEADER.finished_at,
            code_version="1",
            rounds_compared=9,
            rounds_disagreed=2,
        )
        text = Page(report(tmp_path, lake, CANBERRA, header=header).html).text
        assert "the two disagreed on 2 rounds" in text

    def test_each_day_has_its_own_charts(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        for partition in (CANBERRA, AUCKLAND, Partition("casino-canberra", date(2019, 3, 2))):
            lake.round(partition, "R1")
            lake.finding(partition, "R1", "settle.odds", "breach", "5")
        files = report(tmp_path, lake, CANBERRA, AUCKLAND, Partition("casino-canberra", date(2019, 3, 2)))
        seen = Page(files.html)
        assert len(seen.of_class("columns")) == 3
        assert "skycity-auckland, 1 March 2019" in seen.text
        assert "casino-canberra, 2 March 2019" in seen.text
        assert summary(files)["totals"]["findings"] == 3


def test_bars_and_columns_share_out_their_length() -> None:
    tally = Tally()
    tally.findings.update(breach=3, notice=1)
    drawn = bar(tally, 8)
    assert [(each.severity, each.count, each.width) for each in drawn.segments] == [
        ("breach", 3, 67.5),
        ("notice", 1, 22.5),
    ]
    chart = columns([("06", Tally()), ("07", tally)])
    quiet, busy = chart.columns
    assert (quiet.total, quiet.segments, busy.total) == (0, [], 4)
    assert sum(Decimal(str(each.height)) for each in busy.segments) == Decimal(str(chart.base)) - Decimal(
        str(busy.top)
    )


def test_columns_and_sheet_hold_the_same_fields() -> None:
    assert len({name for name, _ in sheets.COLUMNS}) == len(sheets.COLUMNS)
