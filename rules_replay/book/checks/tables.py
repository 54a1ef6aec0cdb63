"""Checks of a table: approvals, hours, cards checked and changed, limits, closing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise

from msgspec import UNSET

from rules_replay.book.house import House, TableDay
from rules_replay.book.law import Edition
from rules_replay.book.log import (
    WEEK,
    Approval,
    Approved,
    CardChange,
    CardCheck,
    Closure,
    Hours,
    LimitChange,
    Opening,
    Person,
)
from rules_replay.book.rounds import Dealt
from rules_replay.ledger import Missing, Outcome
from rules_replay.log import amount_text


def _rounds_of(day: TableDay) -> str:
    return f"rounds of {day.table}" if day.table else "rounds"


# --- approvals and hours ---


def table_approved(day: TableDay, law: Edition, house: House) -> Outcome:
    """A table is approved before it is used."""
    if not day.rounds:
        yield Missing(_rounds_of(day))
    yield from _approved(day, law, house, "table", day.rounds, "book.table-approval", None)


def layout_approved(day: TableDay, law: Edition, house: House) -> Outcome | None:
    """A layout is approved for a side wager before that wager is offered or placed on it."""
    kinds: dict[Approved, str] = law.terms["side_approvals"]
    used = {kind: [each for each in day.rounds if kind in each.sides] for kind in kinds}
    if day.rounds and not any(used.values()):
        return None
    return _layouts(day, law, house, used)


def _layouts(day: TableDay, law: Edition, house: House, used: dict[Approved, list[Dealt]]) -> Outcome:
    if not day.rounds:
        yield Missing(_rounds_of(day))
    for kind, rounds in used.items():
        clause = law.terms["side_approvals"][kind]
        yield from _approved(day, law, house, kind, rounds, "book.side-approval", clause)


def _approved(
    day: TableDay,
    law: Edition,
    house: House,
    what: Approved,
    rounds: Sequence[Dealt],
    code: str,
    clause: str | None,
) -> Outcome:
    held = [each for each in house.of(Approval) if each.table == day.table and each.of == what]
    bare = [each for each in rounds if not any(_in_force(approval, each.started_at) for approval in held)]
    if bare:
        kept = (each for each in bare if house.keeps("approval", day.table, each.started_at))
        shown = next(kept, bare[0])
        finding = law.finding(
            code,
            f"{day.table} approved for {'use' if what == 'table' else what} before it",
            f"no approval in force for {len(bare)} of {len(rounds)} rounds, such as {shown.round_id}",
            clause=clause,
        )
        yield from house.absent("approval", day.table, shown.started_at, finding)


def _in_force(approval: Approval, at: datetime) -> bool:
    return approval.at <= at and (approval.until is None or at < approval.until)


def within_the_hours(day: TableDay, law: Edition, house: House) -> Outcome:
    """Every round begins within the hours of gaming."""
    if not day.rounds:
        yield Missing(_rounds_of(day))
    outside: list[Dealt] = []
    for each in day.rounds:
        local = each.started_at.astimezone(house.zone).replace(tzinfo=None)
        periods = [*_periods(house, each.table, local.date() - timedelta(days=1))]
        today = _hours_of(house, each.table, local.date())
        periods += _on(today, local.date())
        if any(start <= local < end for start, end in periods):
            continue
        if today:
            outside.append(each)
        else:
            yield Missing(f"hours of {each.table} on {local.date().isoformat()}")
    if outside:
        first = outside[0]
        yield law.finding(
            "book.hours",
            "every round begun within the hours of gaming",
            f"{len(outside)} outside them, the first {first.round_id} at {first.started_at.isoformat()}",
        )


def _hours_of(house: House, table: str, day: date) -> list[Hours]:
    """The hours in force for a table on a day; its own go before those of the venue."""
    found = [
        each
        for each in house.of(Hours)
        if each.first_day <= day and (each.last_day is None or day <= each.last_day)
    ]
    return [each for each in found if each.table == table] or [each for each in found if each.table is None]


def _periods(house: House, table: str, day: date) -> Iterator[tuple[datetime, datetime]]:
    yield from _on(_hours_of(house, table, day), day)


def _on(hours: Iterable[Hours], day: date) -> Iterator[tuple[datetime, datetime]]:
    for each in hours:
        for opening in each.week:
            if WEEK[day.weekday()] in opening.days:
                yield _period(opening, day)


def _period(opening: Opening, day: date) -> tuple[datetime, datetime]:
    start = datetime.fromisoformat(f"{day.isoformat()}T{opening.opens}")
    end = datetime.fromisoformat(f"{day.isoformat()}T{opening.closes}")
    return start, end if end > start else end + timedelta(days=1)


# --- cards ---


def _posts_lacking(posts: Iterable[str], people: Sequence[Person]) -> list[str]:
    """The posts that none of these people holds; one person does not fill two of them."""
    left = list(people)
    lacking: list[str] = []
    for post in posts:
        found = next((each for each in left if each.post == post), None)
        if found is None:
            lacking.append(post)
        else:
            left = [each for each in left if each.name != found.name]
    return lacking


def _named(people: Sequence[Person]) -> str:
    return ", ".join(f"{each.name} ({each.post})" for each in people) or "nobody"


def cards_checked(day: TableDay, law: Edition, house: House) -> Outcome:
    """The cards are checked before gaming begins and, where the edition says so, when it has ended."""
    if not day.rounds:
        yield Missing(_rounds_of(day))
        return
    first, last = day.rounds[0], day.rounds[-1]
    # A shoe that goes on over the beginning of a gaming day shows that gaming went on.
    if day.before is None or day.before.shoe != first.shoe:
        yield from _opening_check(day, law, house, first)
    if "closing" in law.posts("check_whens") and (day.after is None or day.after.shoe != last.shoe):
        yield from _closing_check(law, house, last, day.after)


def _opening_check(day: TableDay, law: Edition, house: House, first: Dealt) -> Outcome:
    found = [each for each in _checks(house, first.table, "opening") if house.gaming_date(each.at) == day.day]
    in_time = [each for each in found if each.at <= first.started_at]
    if in_time:
        yield from _check_made(in_time[-1], law)
        return
    finding = law.finding(
        "book.cards-checked",
        f"the cards of {first.table} checked before {first.round_id}",
        f"checked at {found[0].at.isoformat()}" if found else "no check before gaming",
    )
    yield from house.absent("card_check", first.table, first.started_at, finding)


def _closing_check(law: Edition, house: House, last: Dealt, after: Dealt | None) -> Outcome:
    ended = last.ended_at or last.started_at
    found = [
        each
        for each in _checks(house, last.table, "closing")
        if each.at >= ended and (after is None or each.at <= after.started_at)
    ]
    if found:
        yield from _check_made(found[0], law)
        return
    finding = law.finding(
        "book.cards-checked",
        f"the cards of {last.table} checked at or after the end of {last.round_id}",
        "no check after gaming",
    )
    yield from house.absent("card_check", last.table, last.started_at, finding)


def _checks(house: House, table: str, when: str) -> list[CardCheck]:
    found = [each for each in house.of(CardCheck) if each.table == table and each.when == when]
    return sorted(found, key=lambda each: each.at)


def _check_made(made: CardCheck, law: Edition) -> Outcome:
    if made.pre_shuffled and law.word("check_exempt") == "pre_shuffled":
        return
    lacking = _posts_lacking(law.posts("check_posts"), made.by)
    if lacking:
        yield law.finding(
            "book.cards-checked", f"checked by a {' and a '.join(law.posts('check_posts'))}", _named(made.by)
        )
    if law.word("check_manner") == "one_by_one":
        if made.one_by_one is None:
            yield Missing("one_by_one")
        elif not made.one_by_one:
            yield law.finding("book.cards-checked", "checked one by one", f"not so in {made.entry_id}")


def replacements_checked(entry: CardChange, law: Edition, house: House) -> Outcome:
    """Cards are replaced between rounds, and those who must have checked the new ones before."""
    during = house.during(entry.table, entry.at)
    if isinstance(during, Missing):
        yield during
    elif during is not None:
        clauses = law.clauses["book.card-change"]
        clause = clauses[-1] if entry.cards == "some" else clauses[0]
        yield law.finding("book.card-change", "after a round", f"during {during.round_id}", clause=clause)
    if law.word("change_checked") == "all" and (entry.cards != "all" or entry.pre_shuffled):
        return
    if entry.checks is None:
        yield Missing("checks")
        return
    posts = law.posts("change_posts")
    wanted = f"checked before by a {' and a '.join(posts)}"
    if _posts_lacking(posts, entry.checks):
        yield law.finding("book.card-change", wanted, _named(entry.checks))
    for each in entry.checks:
        if each.post in posts and each.at is None:
            yield Missing(f"at of the check by {each.name}")
        elif each.post in posts and each.at is not None and each.at > entry.at:
            yield law.finding("book.card-change", wanted, f"by {each.name} at {each.at.isoformat()}")


# --- limits and closing ---


def _sign_text(found: Dealt) -> str:
    return " / ".join("-" if each is None else amount_text(each) for each in found.sign)


def _changed(before: Dealt, after: Dealt) -> bool:
    pairs = zip(before.sign, after.sign, strict=True)
    return any(old is not None and new is not None and old != new for old, new in pairs)


def changes_of_the_sign_told(day: TableDay, law: Edition, house: House) -> Outcome:
    """A change of the limits that the rounds show is in the book, where its notice is checked."""
    if not day.rounds:
        yield Missing(_rounds_of(day))
    elif all(each.sign == (None, None, None) for each in day.rounds):
        yield Missing("limits of the rounds")
    told = [each.at for each in house.of(LimitChange) if each.table == day.table]
    for before, after in pairwise(day.rounds):
        if _changed(before, after) and not any(before.started_at < at <= after.started_at for at in told):
            finding = law.finding(
                "book.limit-notice",
                f"notice to the players before {after.round_id}",
                f"no entry of it; minimum, maximum and box maximum {_sign_text(before)}, then "
                f"{_sign_text(after)}",
            )
            yield from house.absent("limit_change", day.table, after.started_at, finding)


def notice_before_new_limits(entry: LimitChange, law: Edition, house: House) -> Outcome:
    """The players are told before the limits change."""
    if entry.notice_at is UNSET:
        yield Missing("notice_at")
    elif entry.notice_at is None or entry.notice_at >= entry.at:
        yield law.finding(
            "book.limit-change", f"notice before {entry.at.isoformat()}", _notice(entry.notice_at)
        )


def _notice(at: datetime | None) -> str:
    return "no notice" if at is None else f"notice at {at.isoformat()}"


def notice_before_closing(entry: Closure, law: Edition, house: House) -> Outcome:
    """A table is closed early only after notice; adelaide-2008: 15 minutes, or the last three rounds."""
    notice = entry.notice_at
    if notice is UNSET:
        yield Missing("notice_at")
    elif notice is None or notice >= entry.at:
        yield law.finding("book.closure", f"notice before {entry.at.isoformat()}", _notice(notice))
    elif law.word("closing_notice") == "minutes_or_last_rounds":
        yield from _long_enough(entry, notice, law, house)


def _long_enough(entry: Closure, notice: datetime, law: Edition, house: House) -> Outcome:
    minutes, wanted = law.whole("closing_minutes"), law.whole("last_rounds")
    assert minutes is not None
    assert wanted is not None
    if entry.at - notice >= timedelta(minutes=minutes):
        return
    expected = f"{minutes} minutes' notice, or the last {wanted} rounds declared and dealt"
    if not entry.last_rounds:
        yield law.finding("book.closure", expected, f"{_notice(notice)}, closed at {entry.at.isoformat()}")
    elif not house.has_day(entry.table, entry.at):
        yield Missing(f"rounds of {entry.table} on that day")
    else:
        # The round in hand at the call may be counted among the last or not.
        after = [each for each in house.rounds.of_table(entry.table) if each.started_at <= entry.at]
        begun = sum(each.started_at >= notice for each in after)
        open_still = sum((each.ended_at or each.started_at) >= notice for each in after)
        if not begun <= wanted <= open_still:
            yield law.finding("book.closure", expected, f"{begun} rounds dealt after the call")
