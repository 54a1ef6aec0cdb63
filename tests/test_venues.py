"""Which rulebook was in force where, to the instant, and which gaming date a round belongs to."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pytest

from rules_replay.errors import RulebookError
from rules_replay.rulebook import load_rulebook, rulebook_ids
from rules_replay.venues import load_register, parse_register, shipped_register_text
from tests.rounds import audited

REGISTER = load_register()
HEAD = '[[venue]]\nid = "demo"\nzone = "Australia/Sydney"\ncurrency = "AUD"\nday_start = "06:00"\n'
WINDOW = '[[venue.window]]\nrulebook = "act-2018"\nsince = 2018-10-19T00:00:00+11:00\nnote = "a note"\n'


class TestWindows:
    """A window holds from its first instant up to, not including, its end."""

    @pytest.mark.parametrize(
        ("venue", "instant", "rulebook"),
        [
            ("casino-canberra", "2005-02-07T23:59:59+11:00", None),
            ("casino-canberra", "2005-02-08T00:00:00+11:00", "act-2005"),
            ("casino-canberra", "2017-05-18T23:59:59+10:00", "act-2005"),
            ("casino-canberra", "2017-05-19T00:00:00+10:00", None),
            ("casino-canberra", "2018-10-18T23:59:59+11:00", None),
            ("casino-canberra", "2018-10-19T00:00:00+11:00", "act-2018"),
            ("casino-canberra", "2018-10-18T13:00:00+00:00", "act-2018"),
            ("skycity-auckland", "2000-05-11T23:59:59+12:00", None),
            ("skycity-auckland", "2000-05-12T00:00:00+12:00", "nz-2000"),
            ("skycity-hamilton", "2010-01-01T00:00:00+13:00", "nz-2000"),
            ("skycity-queenstown", "2010-01-01T00:00:00+13:00", "nz-2000"),
            ("christchurch-casino", "2010-01-01T00:00:00+13:00", "nz-2000"),
            ("dunedin-casino", "2010-01-01T00:00:00+13:00", "nz-2000"),
            ("resorts-world-sentosa", "2017-07-20T07:59:59.999999+08:00", None),
            ("resorts-world-sentosa", "2017-07-20T08:00:00+08:00", "rws-2017"),
            ("skycity-adelaide", "2008-07-31T23:59:59+09:30", None),
            ("skycity-adelaide", "2008-08-01T00:00:00+09:30", "adelaide-2008"),
            ("nowhere", "2019-01-01T00:00:00+11:00", None),
        ],
    )
    def test_edges(self, venue: str, instant: str, rulebook: str | None) -> None:
        window = REGISTER.window_at(venue, datetime.fromisoformat(instant))
        assert (window.rulebook if window else None) == rulebook

    def test_every_rulebook_is_in_force_somewhere_and_no_other_is_named(self) -> None:
        named = {window.rulebook for venue in REGISTER.venues.values() for window in venue.windows}
        assert named == set(rulebook_ids())

    def test_no_window_opens_before_its_rulebook(self) -> None:
        for venue in REGISTER.venues.values():
            for window in venue.windows:
                assert window.since.date() >= load_rulebook(window.rulebook).since
                assert window.note

    def test_the_first_card_decides(self) -> None:
        """A round begun a second before the end is audited under the old rulebook."""
        told = "at {} | a 20@1 | 1:AC 0:9H 1:KD"
        assert audited("act-2005", told.format("2017-05-18T23:59:59+10:00")) == ()
        (finding,) = audited("act-2005", told.format("2017-05-19T00:00:00+10:00"))
        assert (finding.code, finding.severity) == ("rulebook.none-in-force", "notice")


class TestGamingDate:
    """The gaming day begins at 06:00 on the venue's own clock, on days of 23 and 25 hours too."""

    @pytest.mark.parametrize(
        ("venue", "instant", "day"),
        [
            ("casino-canberra", "2019-03-02T05:59:59+11:00", date(2019, 3, 1)),
            ("casino-canberra", "2019-03-02T06:00:00+11:00", date(2019, 3, 2)),
            ("casino-canberra", "2019-03-01T19:00:00+00:00", date(2019, 3, 2)),
            # The clocks of New South Wales go back at 03:00 on 7 April 2019.
            ("casino-canberra", "2019-04-07T05:59:59+10:00", date(2019, 4, 6)),
            ("casino-canberra", "2019-04-07T06:00:00+10:00", date(2019, 4, 7)),
            ("casino-canberra", "2019-04-06T19:30:00+00:00", date(2019, 4, 6)),
            ("casino-canberra", "2019-04-06T20:00:00+00:00", date(2019, 4, 7)),
            # And forward at 02:00 on 6 October 2019.
            ("casino-canberra", "2019-10-05T18:59:59+00:00", date(2019, 10, 5)),
            ("casino-canberra", "2019-10-05T19:00:00+00:00", date(2019, 10, 6)),
            # Recorded with a wrong offset, the instant still counts.
            ("casino-canberra", "2019-10-06T05:30:00+10:00", date(2019, 10, 6)),
            ("skycity-adelaide", "2010-03-05T20:29:00+00:00", date(2010, 3, 6)),
            ("skycity-adelaide", "2010-03-05T19:29:00+00:00", date(2010, 3, 5)),
            ("skycity-auckland", "2010-09-25T17:00:00+00:00", date(2010, 9, 26)),
            ("skycity-auckland", "2010-09-25T16:59:59+00:00", date(2010, 9, 25)),
            ("resorts-world-sentosa", "2018-03-01T22:00:00+00:00", date(2018, 3, 2)),
        ],
    )
    def test_begins_at_six_on_the_wall_clock(self, venue: str, instant: str, day: date) -> None:
        assert REGISTER.gaming_date(venue, datetime.fromisoformat(instant)) == day

    def test_of_an_unknown_venue_goes_by_the_recorded_offset(self) -> None:
        assert REGISTER.gaming_date("nowhere", datetime.fromisoformat("2019-03-02T05:59:59+09:00")) == date(
            2019, 3, 1
        )


class TestBrokenRegister:
    """A register that is wrong is refused, with every problem named by file and field."""

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            pytest.param(
                HEAD + WINDOW + WINDOW.replace("act-2018", "act-2005").replace("2018-10-19", "2019-01-01"),
                "venue[0]: act-2018 and act-2005 are both in force at 2019-01-01T00:00:00+11:00; "
                "end the first window with `until`",
                id="two rulebooks in force at one instant",
            ),
            pytest.param(
                HEAD
                + WINDOW
                + "until = 2019-01-01T00:00:01+11:00\n"
                + WINDOW.replace("act-2018", "act-2005").replace("2018-10-19", "2019-01-01"),
                "venue[0]: act-2018 and act-2005 are both in force",
                id="two rulebooks in force for a second",
            ),
            pytest.param(
                HEAD + WINDOW.replace("+11:00", ""),
                "venue[0].window[0].since: expected an instant with its offset, got datetime.datetime(2018,",
                id="an instant without an offset",
            ),
            pytest.param(
                HEAD + WINDOW.replace("T00:00:00+11:00", ""),
                "venue[0].window[0].since: expected an instant with its offset, got datetime.date",
                id="a day for an instant",
            ),
            pytest.param(
                HEAD + WINDOW + "until = 2019-01-01T00:00:00\n",
                "venue[0].window[0].until: expected an instant with its offset",
                id="an end without an offset",
            ),
            pytest.param(
                HEAD + WINDOW + "until = 2018-10-19T00:00:00+11:00\n",
                "venue[0].window[0].until: ",
                id="an end that is not after the start",
            ),
            pytest.param(
                HEAD + WINDOW.replace("act-2018", "act-1999"),
                "venue[0].window[0].rulebook: ",
                id="a rulebook that is not held",
            ),
            pytest.param(
                HEAD + WINDOW.replace('note = "a note"\n', ""),
                "venue[0].window[0].note: expected text, got None",
                id="a window without a note",
            ),
            pytest.param(
                HEAD + WINDOW + "readings = 3\n",
                "venue[0].window[0].readings: expected a table of reading = 'value'",
                id="readings that are no table",
            ),
            pytest.param(
                HEAD + 'city = "Canberra"\n' + WINDOW,
                "venue[0].city: unknown key; known are currency, day_start, id, window, zone",
                id="an unknown key",
            ),
            pytest.param(
                '[venues]\nid = "demo"\n', "venues: unknown key; expected only [[venue]]", id="unknown table"
            ),
            pytest.param(
                HEAD.replace("Australia/Sydney", "Australia/Nowhere"),
                "venue[0].zone: 'Australia/Nowhere' is not a time zone such as 'Australia/Sydney'",
                id="an unknown zone",
            ),
            pytest.param(
                HEAD.replace("06:00", "six"),
                "venue[0].day_start: expected a time such as '06:00', got 'six'",
                id="an hour in words",
            ),
            pytest.param(
                HEAD.replace('"AUD"', "1"), "venue[0].currency: expected text, got 1", id="no currency"
            ),
            pytest.param(HEAD + HEAD, "venue[1].id: 'demo' is listed twice", id="a venue twice"),
            pytest.param('venue = ["x"]', "venue[0]: expected a table, got 'x'", id="a venue as text"),
            pytest.param(
                HEAD + 'window = "x"\n',
                "venue[0].window: expected [[venue.window]] tables, got 'x'",
                id="windows as text",
            ),
            pytest.param(
                HEAD + "window = [5]\n",
                "venue[0].window[0]: expected a table, got 5",
                id="a window as a number",
            ),
            pytest.param(
                HEAD.replace("06:00", "06:00+10:00"),
                "venue[0].day_start: expected a time such as '06:00', got '06:00+10:00'",
                id="an hour with an offset",
            ),
            pytest.param(
                HEAD.replace("AUD", "aud"),
                "venue[0].currency: expected an ISO 4217 code such as 'AUD', got 'aud'",
                id="a currency in small letters",
            ),
            pytest.param("[[venue", "not TOML", id="not TOML"),
        ],
    )
    def test_is_refused(self, text: str, problem: str) -> None:
        with pytest.raises(RulebookError) as caught:
            parse_register(text, "sites.toml")
        message = str(caught.value)
        assert message.startswith("sites.toml: 1 problem\n")
        assert problem in message

    def test_windows_that_meet_do_not_overlap(self) -> None:
        text = HEAD + WINDOW + "until = 2019-01-01T00:00:00+11:00\n"
        text += WINDOW.replace("act-2018", "act-2005").replace("2018-10-19", "2019-01-01")
        venue = parse_register(text, "sites.toml").venues["demo"]
        assert [window.rulebook for window in venue.windows] == ["act-2018", "act-2005"]

    def test_a_file_is_named_in_the_message(self, tmp_path: Path) -> None:
        path = tmp_path / "ours.toml"
        path.write_text(HEAD.replace("06:00", "late"), encoding="utf-8")
        with pytest.raises(RulebookError, match=r"^ours\.toml: 1 problem"):
            load_register(path)

    def test_a_file_replaces_the_shipped_register(self, tmp_path: Path) -> None:
        path = tmp_path / "ours.toml"
        path.write_text(HEAD + WINDOW, encoding="utf-8")
        assert set(load_register(path).venues) == {"demo"}
        path.write_text(shipped_register_text(), encoding="utf-8")
        assert load_register(path) == REGISTER
