"""Rulebooks as data: every parameter with its clause, every ambiguity with its readings.

A rulebook is a TOML file in ``rules_replay/rulebooks``. It holds

* ``[rulebook]``: id, title, instrument, source, the day it came into force and the
  day it was last checked against the text;
* terms: figures and choices that the text fixes, each ``{ value, clause }``, where
  ``clause = "silent"`` needs a ``note`` that says what the silence is taken to mean;
* ``[reading.<id>]``: a question that the text leaves open, the default answer, the
  alternatives that come close to it, the ``weaker`` answers that were argued and excuse
  nobody unless they are chosen, the clauses and the reason;
* ``[clauses]``: for every check of the catalogue, the clause it holds;
* ``[outcomes]``: the clause behind each way in which a wager can end;
* ``[irregularities]``: the clause that governs each kind of irregularity a table reports.

Differences between rulebooks are terms and readings. No code asks which rulebook it is.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias, get_args

from rules_replay.checks import catalogue
from rules_replay.errors import RulebookError
from rules_replay.log import SIDE_KINDS, Amount, IrregularityCode

SILENT = "silent"
NONE = "none"

TermValue: TypeAlias = int | bool | str | Fraction | tuple[str, ...] | tuple[int, ...]

_ODDS = re.compile(r"([1-9][0-9]*):([1-9][0-9]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A figure or choice of a rulebook with the clause that fixes it."""

    value: TermValue
    clause: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """An ambiguous clause: the answer in force, the default and what else could be argued.

    A finding that one of the ``alternatives`` would remove is ambiguous. The ``weaker`` answers
    can be chosen and make nothing ambiguous.
    """

    id: str
    question: str
    value: str
    default: str
    alternatives: tuple[str, ...]
    clause: str
    reason: str
    weaker: tuple[str, ...] = ()


def _whole(found: Any) -> int:
    if type(found) is not int or found < 0:
        raise ValueError(f"expected a whole number, got {found!r}")
    return found


def _flag(found: Any) -> bool:
    if type(found) is not bool:
        raise ValueError(f"expected true or false, got {found!r}")
    return found


def _odds(found: Any) -> Fraction:
    match = _ODDS.fullmatch(found) if isinstance(found, str) else None
    if match is None:
        raise ValueError(f'expected text such as "3:2", got {found!r}. Quote the odds.')
    return Fraction(int(match[1]), int(match[2]))


def _amount(found: Any) -> int:
    if not isinstance(found, str):
        raise ValueError(f'expected an amount as text such as "25", got {found!r}')
    return Amount.parse(found)


def _one_of(*choices: str) -> Callable[[Any], str]:
    def read(found: Any) -> str:
        if found not in choices:
            raise ValueError(f"expected one of {', '.join(choices)}, got {found!r}")
        return str(found)

    return read


def _side_kinds(found: Any) -> tuple[str, ...]:
    return _some_of(sorted(SIDE_KINDS), found)


def _reports(found: Any) -> tuple[str, ...]:
    return _some_of(get_args(IrregularityCode), found)


def _some_of(words: Sequence[str], found: Any) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(each in words for each in found):
        raise ValueError(f"expected a list out of {', '.join(words)}, got {found!r}")
    return tuple(found)


def _wholes(found: Any) -> tuple[int, ...]:
    if not isinstance(found, list):
        raise ValueError(f"expected a list of whole numbers, got {found!r}")
    return tuple(_whole(each) for each in found)


TERMS: Mapping[str, Callable[[Any], TermValue]] = {
    "deck.minimum": _whole,
    "deck.maximum": _whole,
    "deck.minimum_with_perfect_pairs": _whole,
    "deck.joker": _one_of("foreign", "promotional"),
    "deck.foreign_card": _one_of("finding", "round_void"),
    "wager.boxes": _whole,
    "wager.players_per_box": _whole,
    "wager.one_main_per_player": _flag,
    "wager.box_maximum_leaves_out_personal_limits": _flag,
    "side.kinds": _side_kinds,
    "side.one_kind_a_table": _flag,
    "side.per_box": _whole,
    "side.void_without_main": _flag,
    "insurance.third_party": _one_of("barred", "when_declined"),
    "insurance.pontoon_holder": _one_of("barred", "notice"),
    "insurance.increment": _one_of("none", "half_chip", "payable"),
    "insurance.void_with_hand": _flag,
    "insurance.by_second_card": _flag,
    "insurance.by_pontoon": _flag,
    "interim.doubled_21": _one_of("at_once", "notice", "exempt"),
    "interim.super_bonus_excepted": _flag,
    "irregularity.options_reopen": _flag,
    "irregularity.put_right": _one_of("whenever", "before_play", "initial_deal"),
    "irregularity.hand_may_be_void": _flag,
    "irregularity.late_first_card_no_pontoon": _flag,
    "irregularity.refused_card_to_dealer": _flag,
    "irregularity.wager_back_after": _reports,
    "split.hands_per_box": _whole,
    "split.co_wagerer_hand": _one_of("first", "any"),
    "split.declined": _one_of("allowed", "barred"),
    "double.on": _one_of("two_cards_or_three_plus", "two_cards", "hard_nine_to_eleven"),
    "double.minimum_increment": _flag,
    "forfeit.deadline": _one_of("dealer_second_card", "next_card"),
    "forfeit.not_doubling": _one_of("allowed", "notice"),
    "draw.short_hand_options": _flag,
    "shoe.shuffle": _one_of("required", "not_stated"),
    "shoe.last_rounds_excuse": _flag,
    "shoe.cutting_card_decks_behind": _whole,
    "bonus.lowest_stake": _amount,
    "bonus.high_from": _amount,
    "bonus.low_award": _amount,
    "bonus.high_award": _amount,
    "bonus.other_award": _amount,
    "bonus.other_by_circle": _flag,
    "bonus.double_excludes": _one_of("hand", "wager"),
    "payout.pontoon": _odds,
    "payout.five_cards": _odds,
    "payout.six_cards": _odds,
    "payout.seven_cards": _odds,
    "payout.678_mixed": _odds,
    "payout.678_suited": _odds,
    "payout.678_spades": _odds,
    "payout.777_mixed": _odds,
    "payout.777_suited": _odds,
    "payout.777_spades": _odds,
    "payout.other": _odds,
    "payout.doubled": _odds,
    "payout.insurance": _odds,
    "payout.mixed_pair": _odds,
    "payout.coloured_pair": _odds,
    "payout.perfect_pair": _odds,
    "payout.any_pair": _odds,
    "jackpot.multipliers": _wholes,
}
"""Every term a rulebook may hold, with the function that reads its value."""

OPTIONAL_TERMS = frozenset(
    {
        "deck.minimum_with_perfect_pairs",
        "wager.boxes",
        "insurance.by_second_card",
        "insurance.by_pontoon",
        "interim.super_bonus_excepted",
        "irregularity.refused_card_to_dealer",
        "irregularity.wager_back_after",
        "forfeit.not_doubling",
        "shoe.cutting_card_decks_behind",
        "payout.mixed_pair",
        "payout.coloured_pair",
        "payout.perfect_pair",
        "payout.any_pair",
        "jackpot.multipliers",
        "bonus.lowest_stake",
        "bonus.high_from",
        "bonus.low_award",
        "bonus.high_award",
        "bonus.other_award",
        "bonus.other_by_circle",
        "bonus.double_excludes",
    }
)

RETIRED_TERMS = frozenset({"shoe.cutting_card_half_is_approximate"})
"""What texts from before may still hold, and nothing reads any more."""

LATER_CHECKS = frozenset({"split.late", "double.late", "deal.burned-off"})
"""Checks that a text from before cites no clause for: by it they do not apply."""

READINGS: Mapping[str, tuple[str, ...]] = {
    "dealer_pontoon_split": ("original_cap", "busted_plus_one", "original_stack", "all"),
    "dealer_pontoon_double": ("original_per_box", "original_per_hand", "all"),
    "doubled_bust_dealer_pontoon": ("lost_at_bust", "original_only"),
    "doubled_21": ("wins_at_once", "held_beats_21", "held"),
    "fixed_aces": ("first_two_of_hand", "initial_deal", "none"),
    "co_wagerer_not_doubling_odds": ("even", "table"),
    "co_wagerer_not_doubling_total": ("same", "own"),
    "double_cuts_box_odds": ("hand", "box"),
    "card_count_rows": ("total_21", "any_winning_hand"),
    "surrender_window": ("before_any_draw", "own_turn"),
    "surrender_binds": ("box", "wager", "either"),
    "dealer_second_card_idle": ("forbidden", "allowed"),
    "dealer_plays_on_idle": ("forbidden", "allowed"),
    "forfeit_limit": ("21", "20"),
    "super_bonus_with_table": ("with", "instead"),
    "super_bonus_winners": ("each_own_stake", "controller"),
    "super_bonus_excluded_by": ("suited_sevens_split_or_double", "any_split_or_double", "never_paid"),
    "other_wagers_bonus": ("main_and_split", "first_main_of_box", "per_original", "with_side_bets", "none"),
    "side_bet_needs": ("own", "anyone", "anywhere"),
    "insurance_life": ("lives", "falls", "lost_when_bust", "falls_if_surrendered"),
    "amounts": ("exact", "chip_down", "chip_up", "payable"),
    "over_max_base": ("capped", "as_placed"),
    "personal_limit": ("player", "box"),
    "insurance_cap": ("wager", "total"),
    "insurance_window": ("before_any_draw", "own_turn", "before_any_decision"),
    "insurance_spares_main": ("no", "yes"),
    "pontoon_bars_insurance": ("hand", "owner", "player", "nobody"),
    "pairs_payout": ("each_wager", "highest_returned", "highest_collected"),
    "aces_are_a_pair": ("yes", "no"),
    "jackpot_pays": ("to_one", "in_all"),
    "jackpot_press": ("each_box", "each_player"),
    "later_aces": ("free", "held_at_one", "all_at_one"),
    "split_pair": ("equal_value", "same_rank"),
    "split_odds": ("table", "even"),
    "doubled_split_odds": ("even", "table"),
    "mixed_suits": ("not_all_one", "all_different"),
    "spades_row": ("alone", "added"),
    "bust_on_dealers_total": ("lost", "stand_off"),
    "split_bust_takes": ("hand", "box"),
    "twenty_one_paid": ("stands", "falls_to_pontoon"),
    "second_card_for_surrender": ("drawn", "not_drawn"),
    "original_won_as_21": ("taken_from_another", "out_of_play"),
    "bust_above_original": ("lost", "returned"),
}
"""Every question, with the answers that the engine knows."""

OUTCOMES = (
    "win_dealer_bust",
    "win_higher",
    "win_pontoon",
    "win_21",
    "lose_bust",
    "lose_lower",
    "lose_dealer_pontoon",
    "stand_off",
    "surrender_half",
    "surrender_annulled",
    "forfeit",
    "doubled_odds",
    "doubled_dealer_pontoon",
    "split_dealer_pontoon",
    "co_wagerer_odds",
    "insurance_win",
    "insurance_lose",
    "pairs_win",
    "pairs_lose",
    "jackpot_win",
    "jackpot_lose",
    "super_bonus",
    "other_bonus",
    "void_round",
    "void_hand",
    "void_wager",
    "over_maximum",
    "payout_pontoon",
    "payout_five",
    "payout_six",
    "payout_seven",
    "payout_678_mixed",
    "payout_678_suited",
    "payout_678_spades",
    "payout_777_mixed",
    "payout_777_suited",
    "payout_777_spades",
    "payout_other",
    "dealer_draw",
    "dealer_no_effect",
    "interim_pontoon",
    "interim_21",
    "ace_in_double",
    "split_21_not_pontoon",
    "short_dealer_bust",
    "short_stands_off",
    "short_open",
    "split_card",
)
"""Every way of ending a wager (and step of the dealer) that a clause stands behind."""

LATER_OUTCOMES = frozenset({"short_dealer_bust", "short_stands_off", "short_open", "split_card"})
"""Outcomes that a text from before cites no clause for: by it nothing ends so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """One edition of the rules, with the readings in force.

    ``digest`` is the SHA-256 of the TOML file and does not change with the readings.
    """

    id: str
    title: str
    instrument: str
    source: str
    since: date
    checked_on: date
    terms: Mapping[str, Term]
    readings: Mapping[str, Reading]
    clauses: Mapping[str, str]
    outcomes: Mapping[str, str]
    irregularities: Mapping[str, str]
    digest: str

    def whole(self, name: str) -> int:
        """A figure: a count, or an amount in thousandths. 0 where the rulebook sets none."""
        value = self.terms[name].value if name in self.terms else 0
        assert isinstance(value, int), name
        return value

    def flag(self, name: str) -> bool:
        """A yes-or-no term; no where the rulebook leaves it out."""
        value = self.terms[name].value if name in self.terms else False
        assert isinstance(value, bool), name
        return value

    def word(self, name: str, absent: str | None = None) -> str:
        """A term that is one of a few words; ``absent`` where a rulebook may leave it out and does."""
        if absent is not None and name not in self.terms:
            return absent
        value = self.terms[name].value
        assert isinstance(value, str), name
        return value

    def odds(self, name: str) -> Fraction:
        """Odds of a payout row: 3 to 2 is ``Fraction(3, 2)``."""
        value = self.terms[name].value
        assert isinstance(value, Fraction), name
        return value

    def side_kinds(self) -> tuple[str, ...]:
        """The side wagers that the rulebook has."""
        value = self.terms["side.kinds"].value
        assert isinstance(value, tuple)
        return tuple(str(each) for each in value)

    def wager_back_after(self) -> tuple[str, ...]:
        """The irregularities after which a player may take a wager back; none where it names none."""
        if "irregularity.wager_back_after" not in self.terms:
            return ()
        value = self.terms["irregularity.wager_back_after"].value
        assert isinstance(value, tuple)
        return tuple(str(each) for each in value)

    def multipliers(self) -> tuple[int, ...]:
        """The multipliers on the Pandemonium meter; empty where there is no such wager."""
        if "jackpot.multipliers" not in self.terms:
            return ()
        value = self.terms["jackpot.multipliers"].value
        assert isinstance(value, tuple)
        return tuple(int(each) for each in value)

    def reads(self, question: str) -> str:
        """The answer in force to an open question."""
        return self.readings[question].value

    def cite(self, clause: str) -> str:
        """A clause with its edition: ``act-2018 12.5``."""
        return f"{self.id} {clause}" if clause else self.id

    def term_clause(self, name: str) -> str:
        """Edition and clause that fixes a term."""
        return self.cite(_spoken(self.terms[name].clause))

    def clause_of(self, check: str) -> str:
        """Edition and clause that a check holds; says so where the rulebook is silent."""
        return self.cite(_spoken(self.clauses[check]))

    def outcome_clause(self, *outcomes: str) -> str:
        """Edition and clauses behind an outcome, each clause once."""
        parts: list[str] = []
        for outcome in outcomes:
            for part in self.outcomes[outcome].split("; "):
                if part not in (NONE, SILENT) and part not in parts:
                    parts.append(part)
        return self.cite("; ".join(parts) if parts else _spoken(SILENT))

    def irregularity_clause(self, code: str) -> str:
        """Edition and clause that governs an irregularity reported by the table."""
        return self.cite(_spoken(self.irregularities[code]))

    def with_readings(self, chosen: Mapping[str, str]) -> Rulebook:
        """The same rulebook under other answers; `RulebookError` for an unknown one."""
        problems = []
        readings = dict(self.readings)
        for question, answer in chosen.items():
            if question not in readings:
                problems.append(f"reading {question}: unknown; known are {', '.join(sorted(readings))}")
            elif answer not in READINGS[question]:
                problems.append(
                    f"reading {question}: expected one of {', '.join(READINGS[question])}, got {answer!r}"
                )
            else:
                readings[question] = replace(readings[question], value=answer)
        if problems:
            raise RulebookError(self.id, problems)
        return replace(self, readings=readings)


def _spoken(clause: str) -> str:
    return "(silent)" if clause in (SILENT, NONE) else clause


def rulebook_ids() -> tuple[str, ...]:
    """The rulebooks shipped, in the order in which they came into force."""
    return ("nz-2000", "act-2005", "adelaide-2008", "rws-2017", "act-2018")


@cache
def load_rulebook(rulebook_id: str) -> Rulebook:
    """Load a shipped rulebook under its default readings; ``KeyError`` for an unknown id."""
    return parse_rulebook(rulebook_text(rulebook_id), _file_name(rulebook_id))


def rulebook_text(rulebook_id: str) -> str:
    """A shipped rulebook as TOML text; ``KeyError`` for an unknown id."""
    if rulebook_id not in rulebook_ids():
        raise KeyError(rulebook_id)
    return files("rules_replay").joinpath("rulebooks", _file_name(rulebook_id)).read_text(encoding="utf-8")


def _file_name(rulebook_id: str) -> str:
    return rulebook_id.replace("-", "_") + ".toml"


def parse_rulebook(text: str, source: str) -> Rulebook:
    """Read a rulebook from TOML text; `RulebookError` lists every problem found."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulebookError(source, [f"not TOML: {error}"]) from None
    problems: list[str] = []

    def table(name: str) -> dict[str, Any]:
        return _table(tables.pop(name, {}), name, problems)

    head = _head(table("rulebook"), problems)
    readings = _readings(table("reading"), problems)
    cited = dict.fromkeys(LATER_CHECKS, NONE) | table("clauses")
    clauses = _citations(cited, "clauses", list(catalogue()), problems)
    ended = dict.fromkeys(LATER_OUTCOMES, NONE) | table("outcomes")
    outcomes = _citations(ended, "outcomes", list(OUTCOMES), problems)
    irregularities = _citations(
        table("irregularities"), "irregularities", list(get_args(IrregularityCode)), problems
    )
    terms = _terms(tables, problems)
    if problems:
        raise RulebookError(source, problems)
    return Rulebook(
        **head,
        terms=terms,
        readings=readings,
        clauses=clauses,
        outcomes=outcomes,
        irregularities=irregularities,
        digest=hashlib.sha256(text.encode()).hexdigest(),
    )


def _table(value: Any, where: str, problems: list[str]) -> dict[str, Any]:
    """A table as it was read; an empty one, and a problem, for anything else."""
    if isinstance(value, dict):
        return value
    problems.append(f"{where}: expected a table, got {value!r}")
    return {}


def _texts(value: Any, where: str, problems: list[str]) -> list[str]:
    """A list of texts as it was read; an empty one, and a problem, for anything else."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    problems.append(f"{where}: expected a list of texts, got {value!r}")
    return []


_HEAD = {"id": str, "title": str, "instrument": str, "source": str, "since": date, "checked_on": date}


def _head(table: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    head: dict[str, Any] = {}
    for key in sorted(set(table) - set(_HEAD)):
        problems.append(f"rulebook.{key}: unknown key")
    for key, kind in _HEAD.items():
        if type(table.get(key)) is not kind:
            expected = "text" if kind is str else "a date"
            problems.append(f"rulebook.{key}: expected {expected}, got {table.get(key)!r}")
        head[key] = table.get(key)
    return head


def _terms(tables: dict[str, Any], problems: list[str]) -> dict[str, Term]:
    terms: dict[str, Term] = {}
    for section, entries in tables.items():
        if not isinstance(entries, dict):
            problems.append(f"{section}: unknown key")
            continue
        for key, entry in entries.items():
            name = f"{section}.{key}"
            if name in RETIRED_TERMS:
                continue
            if name not in TERMS:
                problems.append(f"{name}: unknown key")
                continue
            term = _term(name, entry, problems)
            if term is not None:
                terms[name] = term
    for name in sorted(set(TERMS) - set(terms) - OPTIONAL_TERMS):
        if not any(problem.startswith(f"{name}:") for problem in problems):
            problems.append(f"{name}: missing")
    return terms


def _term(name: str, entry: Any, problems: list[str]) -> Term | None:
    if not isinstance(entry, dict) or "value" not in entry:
        problems.append(f"{name}: expected {{ value = …, clause = … }}, got {entry!r}")
        return None
    for key in sorted(set(entry) - {"value", "clause", "note"}):
        problems.append(f"{name}.{key}: unknown key")
    clause = entry.get("clause")
    if not isinstance(clause, str) or not clause:
        problems.append(f"{name}: no clause. Name the clause that fixes it, or 'silent' with a note")
        return None
    if clause == SILENT and not entry.get("note"):
        problems.append(f"{name}: the rulebook is silent, so a note must say what that is taken to mean")
        return None
    try:
        value = TERMS[name](entry["value"])
    except ValueError as error:
        problems.append(f"{name}: {error}")
        return None
    return Term(value=value, clause=clause, note=entry.get("note", ""))


def _readings(tables: dict[str, Any], problems: list[str]) -> dict[str, Reading]:
    readings: dict[str, Reading] = {}
    for question, found in tables.items():
        where = f"reading.{question}"
        if question not in READINGS:
            problems.append(f"{where}: unknown reading")
            continue
        entry = _table(found, where, problems)
        for key in sorted(set(entry) - {"question", "default", "alternatives", "weaker", "clause", "reason"}):
            problems.append(f"{where}.{key}: unknown key")
        for key in ("question", "default", "clause", "reason"):
            if not isinstance(entry.get(key), str) or not entry[key]:
                problems.append(f"{where}.{key}: expected text, got {entry.get(key)!r}")
        alternatives, weaker = (
            _texts(entry.get(key, []), f"{where}.{key}", problems) for key in ("alternatives", "weaker")
        )
        for answer in [entry.get("default"), *alternatives, *weaker]:
            if answer not in READINGS[question]:
                problems.append(f"{where}: expected one of {', '.join(READINGS[question])}, got {answer!r}")
        readings[question] = Reading(
            id=question,
            question=str(entry.get("question")),
            value=str(entry.get("default")),
            default=str(entry.get("default")),
            alternatives=tuple(alternatives),
            clause=str(entry.get("clause")),
            reason=str(entry.get("reason")),
            weaker=tuple(weaker),
        )
    for question in sorted(set(READINGS) - set(readings)):
        problems.append(f"reading.{question}: missing")
    return readings


def _citations(table: dict[str, Any], name: str, known: list[str], problems: list[str]) -> dict[str, str]:
    for key in sorted(set(table) - set(known)):
        problems.append(f"{name}.{key}: unknown key")
    for key in known:
        if not isinstance(table.get(key), str) or not table[key]:
            problems.append(f"{name}.{key}: no clause")
    return {key: str(value) for key, value in table.items()}
