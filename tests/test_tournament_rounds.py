"""The rounds of a tournament held against the round log: there, in their seats, for as much."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rules_replay.log import Round, Void, Wager, decode_custom
from rules_replay.results import Finding
from rules_replay.tournament import Tournament, audit_tournament, logged_round
from rules_replay.tournament.checks import JOINED
from rules_replay.venues import load_register
from tests.rounds import round_of

SAMPLES = Path(__file__).parents[1] / "data_samples" / "tournaments"
REGISTER = load_register()

both = pytest.mark.parametrize("rulebook", ["act-2005", "act-2018"])


def sample(rulebook: str) -> dict[str, Any]:
    """The clean sample of a rulebook as plain values."""
    loaded: dict[str, Any] = json.loads((SAMPLES / f"{rulebook}.jsonl").read_text(encoding="utf-8"))
    return loaded


def played(plain: dict[str, Any], value: int = 1) -> dict[str, Round]:
    """The round log of a tournament: every stake as a main wager on the box of its seat, in time."""
    return {each.round_id: each for each in _played(plain, value)}


def _played(plain: dict[str, Any], value: int) -> Iterator[Round]:
    for session in plain["sessions"]:
        began = datetime.fromisoformat(session.get("began_at", session["starts_at"]))
        seats = {each["player"]: each["seat"] for each in session["seats"]}
        for number, each in enumerate(session["rounds"]):
            wagers = [
                {
                    "e": "wager",
                    "id": f"w{place}",
                    "box": seats[stake["player"]],
                    "player": stake["player"],
                    "kind": "main",
                    "amount": str(stake["chips"] * value),
                }
                for place, stake in enumerate(each["stakes"], 1)
            ]
            yield round_of(
                "act-2018",
                [*wagers, {"e": "no_more_bets"}, {"e": "deal", "box": 0, "card": "9C"}],
                round_id=each["round_id"],
                venue=plain["venue"],
                table=each["table"],
                started_at=(began + timedelta(minutes=number)).isoformat(),
            )


def joined(plain: dict[str, Any], rounds: dict[str, Round]) -> list[Finding]:
    """The findings that hold a tournament against rounds of the round log."""
    held = msgspec.json.decode(json.dumps(plain), type=Tournament, dec_hook=decode_custom)
    logged = {name: logged_round(each) for name, each in rounds.items()}
    replay = audit_tournament(held, REGISTER, logged=logged)
    return [each for each in replay.findings if each.code in JOINED]


def told(findings: list[Finding]) -> list[tuple[str, str, str | None, str]]:
    return [(each.code, each.severity, each.player, each.clause) for each in findings]


def first_of(plain: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first session and its first round."""
    session = plain["sessions"][0]
    return session, session["rounds"][0]


def with_events(round_: Round, change: Callable[[list[Any]], list[Any]]) -> Round:
    return msgspec.structs.replace(round_, events=tuple(change(list(round_.events))))


def renamed(event: Any) -> Any:
    return msgspec.structs.replace(event, player=f"X{event.box}") if isinstance(event, Wager) else event


class TestWithoutARoundLog:
    """What cannot be looked up is not evaluable, and says so."""

    @both
    def test_is_not_evaluable(self, rulebook: str) -> None:
        held = msgspec.json.decode(json.dumps(sample(rulebook)), type=Tournament, dec_hook=decode_custom)
        rows = {row.code: row for row in audit_tournament(held, REGISTER).coverage}
        assert {rows[code].verdict for code in JOINED} == {"not_evaluable"}
        assert {rows[code].missing for code in JOINED} == {"the round log"}

    def test_players_of_other_names_are_not_compared(self) -> None:
        plain = sample("act-2018")
        rounds = {
            name: with_events(each, lambda events: [renamed(event) for event in events])
            for name, each in played(plain).items()
        }
        assert joined(plain, rounds) == []
        held = msgspec.json.decode(json.dumps(plain), type=Tournament, dec_hook=decode_custom)
        logged = {name: logged_round(each) for name, each in rounds.items()}
        rows = {row.code: row for row in audit_tournament(held, REGISTER, logged=logged).coverage}
        assert rows["tournament.round-log"].verdict == "passed"
        assert rows["tournament.round-seats"].missing == "players of the same names in both logs"

    def test_rounds_not_recorded_are_told(self) -> None:
        plain = sample("act-2018")
        rounds = played(plain)
        del plain["sessions"][0]["rounds"], plain["sessions"][0]["eliminations"]
        held = msgspec.json.decode(json.dumps(plain), type=Tournament, dec_hook=decode_custom)
        logged = {name: logged_round(each) for name, each in rounds.items()}
        rows = {row.code: row for row in audit_tournament(held, REGISTER, logged=logged).coverage}
        assert {rows[code].missing for code in JOINED} == {"rounds"}


@both
class TestRoundLog:
    """Section 20.13: a round whose play cannot be found bears out no chips; a notice."""

    def test_a_clean_tournament_is_in_order_whatever_a_chip_is_worth(self, rulebook: str) -> None:
        plain = sample(rulebook)
        assert joined(plain, played(plain)) == []
        assert joined(plain, played(plain, value=5)) == []

    def test_a_round_that_is_not_there(self, rulebook: str) -> None:
        plain = sample(rulebook)
        rounds = played(plain)
        del rounds[first_of(plain)[1]["round_id"]]
        (found,) = joined(plain, rounds)
        assert told([found]) == [("tournament.round-log", "notice", None, f"{rulebook} 20.13")]
        assert found.recorded == "not there"

    def test_a_round_before_the_one_it_followed(self, rulebook: str) -> None:
        plain = sample(rulebook)
        rounds = played(plain)
        first, second = (each["round_id"] for each in plain["sessions"][0]["rounds"][:2])
        times = rounds[first].started_at, rounds[second].started_at
        for name, at in zip((second, first), times, strict=True):
            rounds[name] = msgspec.structs.replace(rounds[name], started_at=at)
        same_table = len({each["table"] for each in plain["sessions"][0]["rounds"][:2]}) == 1
        codes = [each.code for each in joined(plain, rounds)]
        assert codes == ["tournament.round-log"] * same_table

    def test_a_round_before_its_session_began(self, rulebook: str) -> None:
        plain = sample(rulebook)
        session, each = first_of(plain)
        session["began_at"] = session.get("began_at", session["starts_at"])
        rounds = played(plain)
        early = datetime.fromisoformat(session["began_at"]) - timedelta(minutes=1)
        rounds[each["round_id"]] = msgspec.structs.replace(rounds[each["round_id"]], started_at=early)
        (found,) = joined(plain, rounds)
        assert (found.code, found.severity) == ("tournament.round-log", "notice")

    def test_a_round_named_in_two_sessions(self, rulebook: str) -> None:
        plain = sample(rulebook)
        rounds = played(plain)
        plain["sessions"][1]["rounds"].append(first_of(plain)[1])
        assert "tournament.round-log" in {each.code for each in joined(plain, rounds)}


@both
class TestSeats:
    """Section 20.7: played at the table of the seats, by those who sit there; 20.14: and are still in."""

    def test_another_table(self, rulebook: str) -> None:
        plain = sample(rulebook)
        rounds = played(plain)
        name = first_of(plain)[1]["round_id"]
        rounds[name] = msgspec.structs.replace(rounds[name], table="P99")
        (found,) = joined(plain, rounds)
        assert told([found]) == [("tournament.round-seats", "breach", None, f"{rulebook} 20.7")]
        assert found.recorded == "at table P99 in the round log"

    def test_somebody_who_is_not_seated_there(self, rulebook: str) -> None:
        plain = sample(rulebook)
        rounds = played(plain)
        name = first_of(plain)[1]["round_id"]
        rounds[name] = with_events(
            rounds[name],
            lambda events: [msgspec.structs.replace(events[0], id="x", box=7, player="stranger"), *events],
        )
        assert told(joined(plain, rounds)) == [
            ("tournament.round-seats", "breach", "stranger", f"{rulebook} 20.7"),
            ("tournament.round-stakes", "breach", "stranger", f"{rulebook} 20.14"),
        ]

    def test_somebody_who_is_out(self, rulebook: str) -> None:
        plain = sample(rulebook)
        session, each = first_of(plain)
        player = each["stakes"][0]["player"]
        session["eliminations"] = [{"player": player, "reason": "other", "after": each["round_id"]}]
        rounds = played(plain)
        later = {round_["round_id"] for round_ in session["rounds"][1:]}
        found = [each for each in joined(plain, rounds) if each.code == "tournament.round-seats"]
        assert found
        assert {(each.player, each.clause) for each in found} == {(player, f"{rulebook} 20.14")}
        assert {each.expected.partition(":")[0] for each in found} <= later


@both
class TestStakes:
    """Section 20.14: what the tournament log says was staked was wagered."""

    def test_a_stake_without_a_wager_and_a_wager_without_a_stake(self, rulebook: str) -> None:
        plain = sample(rulebook)
        rounds = played(plain)
        name = first_of(plain)[1]["round_id"]
        player = first_of(plain)[1]["stakes"][0]["player"]
        less = dict(rounds)
        less[name] = with_events(rounds[name], lambda events: events[1:])
        expected = [("tournament.round-stakes", "breach", player, f"{rulebook} 20.14")]
        assert told(joined(plain, less)) == expected
        first_of(plain)[1]["stakes"].pop(0)
        assert told(joined(plain, rounds)) == expected

    def test_a_wager_that_was_void_is_none(self, rulebook: str) -> None:
        plain = sample(rulebook)
        rounds = played(plain)
        each = first_of(plain)[1]
        name, player = each["round_id"], each["stakes"][0]["player"]
        void = Void(scope="wager", wager="w1")
        rounds[name] = with_events(rounds[name], lambda events: [*events, void])
        assert [found.player for found in joined(plain, rounds)] == [player]
        each["stakes"][0] |= {"voided": True}
        assert joined(plain, rounds) == []

    def test_another_rate_is_a_notice(self, rulebook: str) -> None:
        plain = sample(rulebook)
        rounds = played(plain, value=2)
        each = first_of(plain)[1]
        each["stakes"][0]["chips"] += 1
        (found,) = joined(plain, rounds)
        player = each["stakes"][0]["player"]
        assert told([found]) == [("tournament.round-stakes", "notice", player, f"{rulebook} 20.13")]

    def test_wagers_on_several_boxes_are_one_stake(self, rulebook: str) -> None:
        plain = sample(rulebook)
        rounds = played(plain)
        each = first_of(plain)[1]
        name = each["round_id"]
        each["stakes"][0]["chips"] *= 2
        rounds[name] = with_events(
            rounds[name], lambda events: [msgspec.structs.replace(events[0], id="x", box=7), *events]
        )
        assert joined(plain, rounds) == []
