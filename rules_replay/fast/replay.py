"""One run of rounds through both engines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import structs

from rules_replay.auditor import Auditor, audit_in_shoe, other_readings, tell, without_rulebook
from rules_replay.checks import catalogue
from rules_replay.errors import EnginesDisagree, ReplayFailed
from rules_replay.fast.columns import hand_columns, settlement_columns
from rules_replay.fast.shoes import Shoes, keep_shoe, readable_shoe
from rules_replay.kernel.batch import (
    ENDS,
    FINDINGS,
    HANDS,
    OWN,
    SETTLEMENTS,
    Rows,
    count_alike,
    follow_rounds,
    judge_rounds,
    read_otherwise,
)
from rules_replay.kernel.books import book_records
from rules_replay.kernel.codes import (
    AS_DEALT,
    BREACH,
    NOT,
    PROCEDURE,
    WAGER,
    WAGER_BELOW_MIN_AGAIN,
)
from rules_replay.kernel.coverage import FAILED, LACKS, PASSED, VERDICTS
from rules_replay.kernel.encode import Log, encode
from rules_replay.kernel.records import (
    FOUND,
    HANDROW,
    MOST_EVENTS,
    PLAIN_CARDS,
    SETTLED,
    Records,
    room_for,
    work_space,
)
from rules_replay.kernel.shoe import SHOE
from rules_replay.log import FACTS, Round
from rules_replay.log import FINDINGS as FINDINGS_SCHEMA
from rules_replay.log import HANDS as HANDS_SCHEMA
from rules_replay.log import SETTLEMENTS as SETTLEMENTS_SCHEMA
from rules_replay.narrow import NARROW_HANDS, NARROW_SETTLEMENTS, narrow
from rules_replay.replay import (
    Batch,
    Tally,
    Verdicts,
    coverage_table,
    findings_table,
    hands_table,
    settlements_table,
)
from rules_replay.results import Finding, RoundReplay
from rules_replay.rulebook import Rulebook, load_rulebook, rulebook_ids
from rules_replay.severity import SEVERITIES
from rules_replay.shoe import Shoe, check_shoe

RoundsOf: TypeAlias = Callable[[pa.Table, pa.Table], Sequence[Round]]
"""Reads rounds, with their events, out of tables."""

SAMPLED: Final = 10_000
"""One round in so many is replayed by both engines whether or not anything was found: those whose content
has the lowest digests, a sample that nobody chooses."""
LEAST_SAMPLED: Final = 4
"""Rounds of the first batch that are in the sample, however few there are."""

_LOWEST: Final = f"{2**64 // SAMPLED:016x}"
_MISSING: Final = (
    *(*FACTS, "a readable card", "every round and burned card of the shoe", "the rest of the round"),
    *("what fixes the outcome", "the minimum on the sign", "the maximum on the sign", "the sign"),
    *("the smallest chip", "the call of no more bets"),
)
_MOST_FOUND: Final = 4096
_AGAIN: Final = "wager.below-min-again"

Places: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Alternatives:
    """A rulebook under every other reading, one question at a time."""

    names: tuple[str, ...]
    records: Records


@dataclass(slots=True)
class Judged:
    """What the kernel says of a batch of rounds."""

    log: Log
    rows: Rows
    local: npt.NDArray[np.int32]

    def found(self, number: int, column: int = FINDINGS) -> Records:
        """The findings of a round; with `OWN` without those of its shoe."""
        return self.rows.found[self._start(number, FINDINGS) : self.rows.ends[number, column]]

    def places(self, numbers: Places, column: int) -> Places:
        """The places of the `HANDS` or `SETTLEMENTS` of some rounds, in order."""
        spans = [np.arange(self._start(number, column), self.rows.ends[number, column]) for number in numbers]
        return np.concatenate(spans) if spans else np.zeros(0, np.int64)

    def count(self, column: int) -> int:
        """How many `FINDINGS`, `HANDS` or `SETTLEMENTS` there are."""
        return int(self.rows.ends[-1, column]) if len(self.rows.ends) else 0

    def _start(self, number: int, column: int) -> int:
        return 0 if number == 0 else int(self.rows.ends[number - 1, column])


class FastReplay:
    """Replays the rounds of one venue. ``tally`` and `coverage` are whole after `finish`.

    ``compared`` counts the rounds that both engines replayed.
    """

    def __init__(self, auditor: Auditor, venue: str, rounds_of: RoundsOf) -> None:
        self._venue = venue
        self._in_force = auditor.in_force(venue)
        self._books = [each.book for each in self._in_force]
        # A venue without a rulebook still needs cards counted; nothing is judged by this one.
        self._records = _records_of(tuple(map(_identity, self._books or [load_rulebook(rulebook_ids()[0])])))
        self._rounds_of = rounds_of
        self._space = work_space()
        self._shoes = Shoes()
        self._of_long: Verdicts = Counter()
        self._covered = np.zeros((len(self._records) + 1, len(catalogue()), VERDICTS), np.int64)
        # Room for any round alone; what is not used of it takes no memory.
        self._alone = _room(1, MOST_EVENTS, MOST_EVENTS, np.zeros_like(self._covered))
        self._room = _room(0, 0, 0, self._covered)
        self.tally = Tally()
        self.compared = 0

    def follow(self, rounds: pa.Table, events: pa.Table) -> None:
        """Take earlier rounds into their shoes without judging them."""
        for some, theirs, long in _segments(rounds, events):
            log = self.encoded(some, theirs)
            with self._shoes.taken(log) as shoes:
                if long:
                    self._follow_long(log, some, theirs, shoes)
                else:
                    follow_rounds(self._space, log.rounds, log.events, self._records, shoes, _unnamed(log))
            self._shoes.follow_undersized(log, self._records)

    def batch(self, rounds: pa.Table, events: pa.Table) -> Batch:
        """The results of some rounds, which follow those of the batch before: narrow hands and settlements.

        Raises `EnginesDisagree` where the two engines differ on a round, and `ReplayFailed` naming a
        round that the readable engine could not replay.
        """
        done = [self._segment(*each) for each in _segments(rounds, events)]
        return Batch(
            hands=pa.concat_tables([NARROW_HANDS.empty_table(), *(each.hands for each in done)]),
            settlements=pa.concat_tables(
                [NARROW_SETTLEMENTS.empty_table(), *(each.settlements for each in done)]
            ),
            findings=pa.concat_tables([FINDINGS_SCHEMA.empty_table(), *(each.findings for each in done)]),
        )

    def _segment(self, rounds: pa.Table, events: pa.Table, long: bool) -> Batch:
        log = self.encoded(rounds, events)
        if long:
            return self._long(log, rounds, events)
        sampled = _sample(rounds, 0 if self.compared else LEAST_SAMPLED)
        judged = self.judge(log, sampled)
        hands = hand_columns(judged.rows, judged.count(HANDS), rounds)
        settlements = settlement_columns(judged.rows, judged.count(SETTLEMENTS), log, rounds, self._books)
        replays = self._tell(judged, sampled, rounds, events, hands, settlements)
        self._count(log, rounds)
        return Batch(hands=hands, settlements=settlements, findings=self._findings(replays))

    def _long(self, log: Log, rounds: pa.Table, events: pa.Table) -> Batch:
        """One round that is longer than the kernel's work space, replayed by the readable engine alone."""
        (round_,) = self._rounds_of(rounds, events)
        with self._shoes.taken(log) as shoes:
            shoe = readable_shoe(shoes[0], self._shoes.undersized(log.shoes[0]))
            try:
                replay = audit_in_shoe(round_, self._book_of(log, 0), shoe)
            except Exception as error:
                raise ReplayFailed(round_.round_id, f"{type(error).__name__}: {error}") from error
            keep_shoe(shoe, shoes[0])
        self._count(log, rounds)
        self.tally.add_findings(round_.currency, replay)
        self._of_long.update((row.code, replay.rulebook, row.verdict, row.missing) for row in replay.coverage)
        return Batch(
            hands=narrow(hands_table([replay]), NARROW_HANDS),
            settlements=narrow(settlements_table([replay]), NARROW_SETTLEMENTS),
            findings=self._findings([replay]),
        )

    def _findings(self, replays: Sequence[RoundReplay]) -> pa.Table:
        return findings_table((self._venue, each) for each in replays)

    def _follow_long(self, log: Log, rounds: pa.Table, events: pa.Table, shoes: Records) -> None:
        (round_,) = self._rounds_of(rounds, events)
        shoe = readable_shoe(shoes[0], set())
        check_shoe(shoe, round_, self._book_of(log, 0))
        keep_shoe(shoe, shoes[0])

    def _book_of(self, log: Log, number: int) -> Rulebook | None:
        book = int(log.rounds["book"][number])
        return None if book == NOT else self._books[book]

    def coverage(self) -> pa.Table:
        """One row for each check, rulebook and missing fact, as `replay.coverage_table`."""
        return coverage_table(self._verdicts())

    def finish(self) -> None:
        """Count the verdicts into the tally, once all rounds are replayed."""
        for (_, _, verdict, _), rounds in self._verdicts().items():
            self.tally.checks[verdict] += rounds

    # --- judging --------------------------------------------------------------------------

    def encoded(self, rounds: pa.Table, events: pa.Table) -> Log:
        """Rounds and events as the kernel reads them."""
        started = rounds["started_at"].cast(pa.int64()).to_numpy()
        books = np.full(rounds.num_rows, NOT, np.int32)
        for number, each in enumerate(self._in_force):
            since = _microseconds(each.since)
            until = np.iinfo(np.int64).max if each.until is None else _microseconds(each.until)
            books[(started >= since) & (started < until)] = number
        return encode(rounds, events, books, [book.id for book in self._books])

    def judge(self, log: Log, sampled: npt.NDArray[np.bool_] | None = None) -> Judged:
        """What the kernel alone says of rounds, which follow those judged before.

        The next call overwrites it. Of rounds that are ``sampled`` the shoe is kept, as it is of those that
        have to be told.
        """
        self._room = _room(len(log.rounds), len(log.events), log.bets, self._covered, self._room)
        rows = self._room if sampled is None else self._room._replace(sampled=sampled)
        with self._shoes.taken(log) as shoes:
            return self._judge_into(rows, log, shoes)

    def _judge_into(self, rows: Rows, log: Log, shoes: Records) -> Judged:
        local = _unnamed(log)
        done = 0
        while done < len(log.rounds):
            stopped = judge_rounds(
                self._space, log.rounds, log.events, self._records, shoes, local, done, rows
            )
            if stopped < len(log.rounds):
                assert not self._space.head.overflow, "more findings than a round can have"
                rows = _more_room(rows)
            done = stopped
        return Judged(log, rows, local)

    def _read_otherwise(self, judged: Judged, number: int) -> list[str | None]:
        """Of each finding of a round, the other reading that removes it."""
        found = judged.found(number, OWN)
        log = judged.log
        book = int(log.rounds["book"][number])
        if book == NOT or {BREACH, PROCEDURE}.isdisjoint(found["severity"].tolist()):
            return [None] * len(found)
        others = _alternatives(_identity(self._books[book]))
        removed_by = np.full(len(found), NOT, np.int32)
        read_otherwise(
            self._space, log.rounds[number], log.events, others.records, judged.local, found, removed_by
        )
        return [None if each == NOT else others.names[each] for each in removed_by]

    # --- telling --------------------------------------------------------------------------

    def _tell(
        self,
        judged: Judged,
        sampled: npt.NDArray[np.bool_],
        rounds: pa.Table,
        events: pa.Table,
        hands: pa.Table,
        settlements: pa.Table,
    ) -> list[RoundReplay]:
        """The rounds with findings, told by the readable engine and compared, sampled ones among them."""
        numbers = np.flatnonzero(judged.rows.told | sampled)
        logged = self._rounds_of(*_some(judged.log, rounds, events, numbers))
        told: list[RoundReplay] = []
        differing: list[str] = []
        shoes = judged.log.rounds["shoe"][numbers].tolist()
        for number, shoe, round_ in zip(numbers.tolist(), shoes, logged, strict=True):
            before = readable_shoe(judged.rows.kept[number], self._shoes.undersized(judged.log.shoes[shoe]))
            replay = self._told(judged, number, round_, before, sampled[number])
            if replay is None:
                differing.append(round_.round_id)
            else:
                told.append(replay)
        self.compared += len(numbers)
        differing += _differing(judged, numbers, told, hands, settlements)
        if differing:
            raise EnginesDisagree(differing[0], "its findings, hands or settlements", len(set(differing)))
        for replay, round_ in zip(told, logged, strict=True):
            self.tally.add_findings(round_.currency, replay)
        return told

    def _told(
        self, judged: Judged, number: int, round_: Round, shoe: Shoe, wholly: bool
    ) -> RoundReplay | None:
        """A round as the readable engine tells it; None where the kernel found something else.

        ``wholly`` has it look for itself what other readings would remove, and compares the coverage too.
        """
        try:
            return (self._audited if wholly else self._told_in)(judged, number, round_, shoe)
        except Exception as error:
            raise ReplayFailed(round_.round_id, f"{type(error).__name__}: {error}") from error

    def _told_in(self, judged: Judged, number: int, round_: Round, shoe: Shoe) -> RoundReplay | None:
        book = int(judged.log.rounds["book"][number])
        if book == NOT:
            return without_rulebook(round_)
        told = tell(round_, self._books[book], shoe, covered=False)
        found = (*told.own, *told.of_shoe)
        if [_key(each) for each in found if each.code != _AGAIN] != _keys(judged, number):
            return None
        self._count_again(book, found)
        removed_by = self._read_otherwise(judged, number)
        own = [_under(each, reading) for each, reading in zip(told.own, removed_by, strict=True)]
        return replace(told.replayed, findings=(*own, *told.of_shoe))

    def _audited(self, judged: Judged, number: int, round_: Round, shoe: Shoe) -> RoundReplay | None:
        book = self._book_of(judged.log, number)
        whole = audit_in_shoe(round_, book, shoe)
        readings = self._read_otherwise(judged, number)
        readings += [None] * (len(judged.found(number)) - len(readings))
        kernels = [
            (_key_under(key, reading), reading)
            for key, reading in zip(_keys(judged, number), readings, strict=True)
        ]
        found = [each for each in whole.findings if book is None or each.code != _AGAIN]
        if [(_key(each), each.depends_on) for each in found] != kernels:
            return None
        if len(found) < len(whole.findings):
            self._count_again(int(judged.log.rounds["book"][number]), whole.findings)
        elif not self._covers(judged, number, whole):
            return None
        return whole

    def _count_again(self, book: int, findings: Sequence[Finding]) -> None:
        """Count against its check what the kernel, which does not know it, has counted as passed."""
        if any(each.code == _AGAIN for each in findings):
            self._covered[book, WAGER_BELOW_MIN_AGAIN, PASSED] -= 1
            self._covered[book, WAGER_BELOW_MIN_AGAIN, FAILED] += 1

    def _covers(self, judged: Judged, number: int, whole: RoundReplay) -> bool:
        log = judged.log
        alone = log.rounds[number : number + 1].copy()
        its = log.events[alone[0].first : alone[0].first + alone[0]["count"]]
        alone[0].first = 0
        alone[0].shoe = 0
        shoes = judged.rows.kept[number : number + 1].copy()
        # What was counted together before is none of this round.
        count_alike(self._space, self._records, self._covered)
        covered = self._alone.covered
        covered.fill(0)
        self._alone = self._judge_into(self._alone, replace(log, rounds=alone, events=its), shoes).rows
        count_alike(self._space, self._records, covered)
        verdicts = Counter((row.code, whole.rulebook, row.verdict, row.missing) for row in whole.coverage)
        return verdicts == _verdicts(covered, [book.id for book in self._books])

    # --- counting -------------------------------------------------------------------------

    def _count(self, log: Log, rounds: pa.Table) -> None:
        self.tally.rounds += rounds.num_rows
        for book, count in zip(*np.unique(log.rounds["book"], return_counts=True), strict=True):
            self.tally.rulebooks[None if book == NOT else self._books[book].id] += int(count)

    def _verdicts(self) -> Verdicts:
        count_alike(self._space, self._records, self._covered)
        return _verdicts(self._covered, [book.id for book in self._books]) + self._of_long


_Identity: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]
"""A rulebook by its id and the readings in force."""


def _identity(book: Rulebook) -> _Identity:
    return book.id, tuple((each.id, each.value) for each in book.readings.values())


def _book(identity: _Identity) -> Rulebook:
    rulebook, readings = identity
    return load_rulebook(rulebook).with_readings(dict(readings))


@cache
def _records_of(books: tuple[_Identity, ...]) -> Records:
    return book_records([_book(each) for each in books])


@cache
def _alternatives(book: _Identity) -> _Alternatives:
    readings = other_readings(_book(book))
    names = tuple(name for name, _ in readings)
    return _Alternatives(names, book_records([other for _, other in readings]))


def _verdicts(covered: npt.NDArray[np.int64], books: Sequence[str]) -> Verdicts:
    codes = tuple(catalogue())
    found: Verdicts = Counter()
    places = np.nonzero(covered)
    for book, code, verdict, rounds in zip(
        *(each.tolist() for each in (*places, covered[places])), strict=True
    ):
        rulebook = None if book == len(covered) - 1 else books[book]
        missing = _MISSING[verdict - LACKS] if verdict >= LACKS else None
        word = {PASSED: "passed", FAILED: "failed"}.get(verdict, "not_evaluable")
        found[codes[code], rulebook, word, missing] += rounds
    return found


def _segments(rounds: pa.Table, events: pa.Table) -> Iterator[tuple[pa.Table, pa.Table, bool]]:
    """Runs of rounds that the kernel has room for, and each round alone that is too long for it."""
    counts = rounds["event_count"].to_numpy()
    ends = np.cumsum(counts, dtype=np.int64)
    start = 0
    for place in (*np.flatnonzero(counts > MOST_EVENTS).tolist(), rounds.num_rows):
        for first, last, long in ((start, place, False), (place, min(place + 1, rounds.num_rows), True)):
            if last > first:
                before = int(ends[first] - counts[first])
                some = rounds.slice(first, last - first)
                yield some, events.slice(before, int(ends[last - 1]) - before), long
        start = place + 1


def _microseconds(instant: datetime) -> int:
    return (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _known(number: int) -> int | None:
    return None if number == NOT else int(number)


def _room(
    rounds: int, events: int, bets: int, covered: npt.NDArray[np.int64], before: Rows | None = None
) -> Rows:
    """Room for what so many rounds, events and wagers will likely come to.

    It is the room that there was ``before``, if that is enough. Most of it is not cleared, which would take
    half as long again as judging the rounds.
    """
    hands, cards = events + rounds + 1, events + PLAIN_CARDS
    needed = {"kept": rounds, "hands": hands, "settled": 3 * bets + 1, "cards": cards}
    if before is None or any(len(getattr(before, name)) < count for name, count in needed.items()):
        before = Rows(
            ends=np.zeros((0, ENDS), np.int32),
            told=np.zeros(0, np.bool_),
            sampled=np.zeros(0, np.bool_),
            kept=room_for(needed["kept"], SHOE),
            found=room_for(_MOST_FOUND, FOUND),
            hands=room_for(needed["hands"], HANDROW),
            settled=room_for(needed["settled"], SETTLED),
            cards=np.empty(needed["cards"], np.uint8),
            covered=covered,
            failed=np.zeros(len(catalogue()), np.bool_),
        )
    return before._replace(
        ends=np.zeros((rounds, ENDS), np.int32),
        told=np.zeros(rounds, np.bool_),
        sampled=np.zeros(rounds, np.bool_),
    )


def _unnamed(log: Log) -> npt.NDArray[np.int32]:
    """Room for a number of every wager's name, none given."""
    return np.full(max(len(log.wagers), 1), NOT, np.int32)


def _more_room(rows: Rows) -> Rows:
    """The same with twice the room for findings, which have no bound of their own."""
    return rows._replace(found=np.concatenate([rows.found, np.zeros_like(rows.found)]).view(np.recarray))


def _sample(rounds: pa.Table, least: int) -> npt.NDArray[np.bool_]:
    """The rounds whose digest is among the lowest of all digests, and the lowest of these rounds."""
    digests = rounds["content_sha256"]
    chosen = pc.less(digests, _LOWEST).to_numpy().copy()
    if least:
        keys = [("content_sha256", "ascending"), ("round_id", "ascending")]
        chosen[pc.select_k_unstable(rounds, least, keys).to_numpy()] = True
    return cast(npt.NDArray[np.bool_], chosen)


def _some(log: Log, rounds: pa.Table, events: pa.Table, numbers: Places) -> tuple[pa.Table, pa.Table]:
    spans = [
        np.arange(first, first + count)
        for first, count in zip(
            *(log.rounds[name][numbers].tolist() for name in ("first", "count")), strict=True
        )
    ]
    places = np.concatenate(spans) if spans else np.zeros(0, np.int64)
    return rounds.take(numbers), events.take(places)


_Key: TypeAlias = tuple[str, str, int | None, int | None, int | None, str | None, int | None, str]


def _key(finding: Finding) -> _Key:
    return (
        finding.code,
        finding.severity,
        finding.seq,
        finding.box,
        finding.hand,
        finding.wager,
        finding.delta,
        finding.basis,
    )


def _key_under(key: _Key, reading: str | None) -> _Key:
    return key if reading is None else (key[0], "ambiguous", *key[2:])


def _under(finding: Finding, reading: str | None) -> Finding:
    """A finding that another reading, if any, removes."""
    return finding if reading is None else structs.replace(finding, severity="ambiguous", depends_on=reading)


def _keys(judged: Judged, number: int) -> list[_Key]:
    """The findings of the kernel as `_key` has those of the readable engine."""
    found = judged.found(number).tolist()
    if not found:
        return []
    codes = tuple(catalogue())
    first, count = (int(judged.log.rounds[name][number]) for name in ("first", "count"))
    kinds, wagers = (judged.log.events[name][first : first + count] for name in ("kind", "wager"))
    placed = wagers[kinds == WAGER].tolist()
    return [
        (
            codes[code],
            SEVERITIES[severity],
            _known(seq),
            _known(box),
            _known(hand),
            None if bet == NOT else judged.log.wagers[placed[bet]],
            delta if has_delta else None,
            "as_dealt" if basis == AS_DEALT else "as_required",
        )
        for _, code, severity, basis, seq, box, hand, bet, has_delta, delta, _ in found
    ]


def _differing(
    judged: Judged, numbers: Places, told: Sequence[RoundReplay], hands: pa.Table, settlements: pa.Table
) -> list[str]:
    """Rounds whose hands or settlements are not the same in both engines."""
    if len(told) != len(numbers):
        return []
    differing: set[str] = set()
    for ours, theirs in (
        (hands.take(judged.places(numbers, HANDS)).cast(HANDS_SCHEMA), hands_table(told)),
        (
            settlements.take(judged.places(numbers, SETTLEMENTS)).cast(SETTLEMENTS_SCHEMA),
            settlements_table(told),
        ),
    ):
        if not ours.equals(theirs):
            differing |= _different_rows(ours, theirs)
    return [each.round_id for each in told if each.round_id in differing]


def _different_rows(ours: pa.Table, theirs: pa.Table) -> set[str]:
    """The rounds of rows that stand in one of two tables only."""
    one, other = (Counter(map(repr, each.to_pylist())) for each in (ours, theirs))
    found = (one - other) + (other - one)
    names = {repr(row): row["round_id"] for each in (ours, theirs) for row in each.to_pylist()}
    return {names[row] for row in found}
