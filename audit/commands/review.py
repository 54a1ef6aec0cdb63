"""``sample-review``: drawing a worksheet, and concluding from a filled one."""

from __future__ import annotations

import re
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

from audit.commands.show import show_lines, show_table
from audit.errors import UsageProblem, storage_error
from audit.exit_codes import DONE, FOUND, INCOMPLETE
from audit.lake import Lake
from audit.law import Law
from audit.partitions import Choice
from audit.results import count, decimal_text
from audit.review.bounds import rate_text
from audit.review.conclude import (
    METHOD,
    Conclusion,
    conclude,
    confidence_of,
    only_draw,
    share_text,
    stratum_rate,
)
from audit.review.draw import Draw, allocation_words, draw, looks
from audit.review.frame import open_frame
from audit.review.worksheet import form_of, read_worksheet, write_worksheet


def draw_worksheet(lake: Lake, law: Law, choice: Choice, rounds: int, seed: int, out: Path) -> Draw:
    """Draw rounds of a lake into a worksheet.

    Raises `UsageProblem`, `NothingChosen`, `LakeError`, `LakeBusy` or `StorageError`.
    """
    form_of(out)
    if out.exists():
        raise UsageProblem(f"{out}: is there already, perhaps with answers in it; name another file")
    with (
        lake.reading(),
        tempfile.TemporaryDirectory(prefix="pontoon-review-") as scratch,
        open_frame(lake, choice, scratch) as frame,
    ):
        drawn = draw(frame, seed, rounds)
        try:
            with tempfile.TemporaryDirectory(dir=out.parent, prefix=".worksheet-") as aside:
                written = Path(aside) / out.name
                write_worksheet(written, drawn, looks(frame, drawn, law.register))
                written.replace(out)
        except OSError as error:
            raise storage_error(error, "write the worksheet", out) from None
        return drawn


def conclude_from(worksheet: Path, lake: Lake, confidence: str, under: str) -> Conclusion:
    """Conclude from a filled worksheet, its sample drawn again from the lake.

    Raises `UsageProblem` where it is not the worksheet that was drawn, and what `draw_worksheet` raises.
    """
    level, target = confidence_of(confidence), confidence_of(under, "--under")
    answers = read_worksheet(worksheet)
    seed, rounds, choice, digest = _drawn_by(only_draw(answers))
    with (
        lake.reading(),
        tempfile.TemporaryDirectory(prefix="pontoon-review-") as scratch,
        open_frame(lake, choice, scratch) as frame,
    ):
        drawn = draw(frame, seed, rounds)
        if drawn.frame_sha256 != digest:
            raise UsageProblem(
                f"{worksheet}: drawn from rounds that {lake.root} no longer holds in that form (a round was "
                "superseded, or a run came to other findings); conclude on the lake as it was, or draw anew"
            )
        return conclude(frame, drawn, answers, level, target)


_DRAWN_BY = re.compile(
    r"pontoon-sample-review/1 seed=(-?\d+) rounds=(\d+) since=(\d{4}-\d\d-\d\d) until=(\d{4}-\d\d-\d\d) "
    r"venues=(\S+) frame=([0-9a-f]{64})"
)


def _drawn_by(text: str) -> tuple[int, int, Choice, str]:
    found = _DRAWN_BY.fullmatch(text)
    if found is None:
        raise UsageProblem(f"the column “draw” cannot be read: {text}")
    seed, rounds, since, until, venues, digest = found.groups()
    choice = Choice(
        venues=tuple(venues.split(",")), since=date.fromisoformat(since), until=date.fromisoformat(until)
    )
    return int(seed), int(rounds), choice, digest


def exit_code_of(found: Conclusion) -> int:
    """3 where an answer is missing, 1 where the log differs from what was seen, otherwise 0."""
    if found.count("blank"):
        return INCOMPLETE
    return FOUND if found.differing else DONE


def drawn_json(drawn: Draw, out: Path) -> dict[str, Any]:
    """A draw ready for JSON."""
    return {
        "worksheet": str(out),
        "draw": drawn.text,
        "seed": drawn.seed,
        "frame_sha256": drawn.frame_sha256,
        "frame_rounds": sum(each.rounds for each in drawn.strata),
        "drawn": len(drawn.drawn),
        "strata": [
            {
                "stratum": each.name,
                "rounds": each.rounds,
                "drawn": drawn.allocated[each.name],
                "staked": {currency: decimal_text(amount) for currency, amount in each.staked.items()},
            }
            for each in drawn.strata
        ],
    }


def show_drawn(drawn: Draw, out: Path) -> None:
    """A draw as a table of strata and a few lines."""
    show_table(
        ("stratum", "rounds", "drawn"),
        ((each.name, each.rounds, drawn.allocated[each.name]) for each in drawn.strata),
    )
    show_lines(
        (
            f"{out}: {count(len(drawn.drawn), 'round')} to look at, drawn with seed {drawn.seed}.",
            allocation_words(drawn),
            f"Frame: {drawn.frame_sha256}",
        )
    )


def show_conclusion(found: Conclusion) -> None:
    """A conclusion as a table of strata and what it comes to."""
    show_table(
        ("stratum", "rounds", "drawn", "agrees", "differs", "cannot be seen", "blank", "rate at most"),
        (
            (
                *(each.stratum.name, each.stratum.rounds, each.drawn, each.agrees, each.differs),
                *(each.unseen, each.blank, rate_text(stratum_rate(each, found.confidence))),
            )
            for each in found.checked
        ),
    )
    show_lines(_lines(found))


def _lines(found: Conclusion) -> list[str]:
    level = share_text(found.confidence)
    bound = (
        f"With confidence {level} the log differs from what happened in at most {found.most:,} of "
        f"{count(found.rounds, 'round')}: a rate of at most {rate_text(found.rate)}."
    )
    lines = [bound]
    lines += [
        f"At stake in so many rounds were at most {currency} {decimal_text(amount)}."
        for currency, amount in found.money.items()
    ]
    unseen = found.count("unseen") + found.count("blank")
    if unseen:
        lines.append(
            f"{count(unseen, 'round')} not seen {'counts' if unseen == 1 else 'count'} as differing; if all "
            f"of them agree, it is at most {found.most_if_in_order:,}."
        )
    if found.count("blank"):
        lines.append(f"Incomplete: {count(found.count('blank'), 'answer')} still blank.")
    lines += [
        f"Differs: round {each.round_id} of {each.venue} (line {each.line})"
        f"{': ' + each.what_differs if each.what_differs else ''}."
        for each in found.differing
    ]
    target = rate_text(found.under)
    if found.more is None:
        lines.append(f"No number of further rounds brings the rate to {target}: too many differ.")
    elif found.more:
        lines.append(f"{count(found.more, 'round')} more, all agreeing, would bring it to {target} or less.")
    lines.append(f"Method: {METHOD}.")
    return lines
