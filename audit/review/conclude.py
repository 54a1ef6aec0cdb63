"""What the answers of a worksheet let one conclude about the log it was drawn from."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any

from audit.errors import UsageProblem
from audit.results import decimal_text
from audit.review.bounds import Drawn, budget, most_errors, rate_text, upper_rate
from audit.review.design import Stratum, allocate
from audit.review.draw import Draw
from audit.review.frame import Frame
from audit.review.worksheet import Filled

METHOD = (
    "one-sided; each stratum: Clopper and Pearson 1934; all together: Hoeffding 1956, theorem 4, over the "
    "sum of the errors found, with the strata drawn most thinly taken to hold as many as that allows"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A stratum with its answers. ``unseen`` counts what the cameras did not show, ``blank`` what is left."""

    stratum: Stratum
    agrees: int
    differs: int
    unseen: int
    blank: int

    @property
    def drawn(self) -> int:
        return self.agrees + self.differs + self.unseen + self.blank

    @property
    def as_drawn(self) -> Drawn:
        """What was not seen to agree counts as an error."""
        return Drawn(rounds=self.stratum.rounds, drawn=self.drawn, errors=self.drawn - self.agrees)

    @property
    def if_in_order(self) -> Drawn:
        """The same if what was not seen agrees."""
        return Drawn(rounds=self.stratum.rounds, drawn=self.drawn, errors=self.differs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """The bounds, at a confidence, of rounds in which the log differs from what happened.

    ``most`` is the upper bound in rounds of all ``rounds``, ``most_if_in_order`` the same if
    everything not seen agrees. ``money`` is the most that was at stake in so many rounds, by currency.
    ``more`` is how many rounds more, all agreeing, bring the rate to ``under``; None where no number does.
    """

    draw: Draw
    confidence: Fraction
    checked: tuple[Checked, ...]
    differing: tuple[Filled, ...]
    rounds: int
    most: int
    most_if_in_order: int
    money: Mapping[str, Decimal]
    under: Fraction
    more: int | None

    def count(self, what: str) -> int:
        """Answers of one kind: ``agrees``, ``differs``, ``unseen`` or ``blank``."""
        return sum(getattr(each, what) for each in self.checked)

    @property
    def rate(self) -> Fraction:
        """The upper bound as a share of all rounds."""
        return Fraction(self.most, self.rounds)

    def as_json(self) -> dict[str, Any]:
        """The conclusion ready for JSON; rates are decimal strings, rounded up."""
        return {
            "draw": self.draw.text,
            "confidence": share_text(self.confidence),
            "method": METHOD,
            "rounds": self.rounds,
            "drawn": sum(each.drawn for each in self.checked),
            **{name: self.count(name) for name in ("agrees", "differs", "unseen", "blank")},
            "upper_bound": {
                "rounds": self.most,
                "rate": rate_text(self.rate),
                "money_at_stake": {currency: decimal_text(amount) for currency, amount in self.money.items()},
            },
            "upper_bound_if_unseen_agree": {
                "rounds": self.most_if_in_order,
                "rate": rate_text(Fraction(self.most_if_in_order, self.rounds)),
            },
            "under": rate_text(self.under),
            "more_rounds_needed": self.more,
            "strata": [self._stratum(each) for each in self.checked],
            "differing": [
                {
                    "line": each.line,
                    "venue": each.venue,
                    "round_id": each.round_id,
                    "what_differs": each.what_differs,
                }
                for each in self.differing
            ],
        }

    def _stratum(self, each: Checked) -> dict[str, Any]:
        return {
            "stratum": each.stratum.name,
            "rounds": each.stratum.rounds,
            "drawn": each.drawn,
            "agrees": each.agrees,
            "differs": each.differs,
            "unseen": each.unseen,
            "blank": each.blank,
            "upper_rate": rate_text(stratum_rate(each, self.confidence)),
        }


def stratum_rate(each: Checked, confidence: Fraction) -> Fraction:
    """The upper bound of the rate in one stratum alone; what was drawn whole is known."""
    found = each.as_drawn
    if found.whole:
        return Fraction(found.errors, found.rounds)
    return upper_rate(found.errors, found.drawn, confidence)


def conclude(
    frame: Frame, drawn: Draw, answers: Sequence[Filled], confidence: Fraction, under: Fraction
) -> Conclusion:
    """Conclude from the answers to a sample that was drawn again from the lake.

    Raises `UsageProblem` where the worksheet does not hold exactly the rounds drawn.
    """
    by_round = _of_the_draw(drawn, answers)
    counted: dict[str, Counter[str]] = {each.name: Counter() for each in drawn.strata}
    for stratum, venue, round_id, _ in drawn.drawn:
        counted[stratum][by_round[venue, round_id].answer or ""] += 1
    checked = tuple(
        Checked(
            stratum=each,
            agrees=counted[each.name]["agrees"],
            differs=counted[each.name]["differs"],
            unseen=counted[each.name]["cannot be seen"],
            blank=counted[each.name][""],
        )
        for each in drawn.strata
    )
    not_agreeing = {
        f"{each.venue}\n{each.round_id}": each for each in by_round.values() if each.answer != "agrees"
    }
    return Conclusion(
        draw=drawn,
        confidence=confidence,
        checked=checked,
        differing=tuple(
            sorted((each for each in answers if each.answer == "differs"), key=lambda each: each.line)
        ),
        rounds=sum(each.stratum.rounds for each in checked),
        most=most_errors([each.as_drawn for each in checked], confidence),
        most_if_in_order=most_errors([each.if_in_order for each in checked], confidence),
        money=_money(frame, checked, sorted(not_agreeing), confidence),
        under=under,
        more=_more(checked, confidence, under),
    )


def _of_the_draw(drawn: Draw, answers: Sequence[Filled]) -> dict[tuple[str, str], Filled]:
    found: dict[tuple[str, str], Filled] = {}
    problems = []
    for each in answers:
        if (each.venue, each.round_id) in found:
            problems.append(f"line {each.line}: round {each.round_id} stands there twice")
        found[each.venue, each.round_id] = each
    wanted = {(venue, round_id) for _, venue, round_id, _ in drawn.drawn}
    problems += [
        f"line {each.line}: round {each.round_id} was not drawn"
        for key, each in found.items()
        if key not in wanted
    ]
    missing = sorted(round_id for venue, round_id in wanted - found.keys())
    if missing:
        shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        problems.append(f"no line for {shown}")
    if problems:
        raise UsageProblem(f"not the worksheet as drawn: {'; '.join(problems[:10])}")
    return found


def _money(
    frame: Frame, checked: Sequence[Checked], known: Sequence[str], confidence: Fraction
) -> dict[str, Decimal]:
    """The most at stake, by currency, in as many rounds as may be in error, were they all in it.

    The rounds not seen to agree are known; of the others those with most at stake for their part of
    the budget are taken, the last of them whole.
    """
    strata = {each.stratum.name: each.as_drawn for each in checked}
    left = budget(list(strata.values()), confidence)
    left -= sum(each.share * each.errors for each in strata.values() if not each.whole)
    currencies = sorted({currency for each in checked for currency in each.stratum.staked})
    return {currency: _most_staked(frame, strata, currency, known, left) for currency in currencies}


def _most_staked(
    frame: Frame, strata: Mapping[str, Drawn], currency: str, known: Sequence[str], left: Fraction
) -> Decimal:
    total = sum(frame.known_stakes(currency, known), Decimal(0))

    def stakes(name: str, each: Drawn) -> Iterator[tuple[Fraction, Fraction, Decimal]]:
        most = min(each.rounds - each.drawn, ceil(left / each.share))
        for money in frame.stakes(name, currency, most, known):
            yield -Fraction(money) / each.share, each.share, money

    open_ = [stakes(name, each) for name, each in strata.items() if not each.whole]
    for _, share, money in heapq.merge(*open_):
        if left <= 0:
            break
        left -= share
        total += money
    return total


def _more(checked: Sequence[Checked], confidence: Fraction, under: Fraction) -> int | None:
    """How many rounds more, drawn by the same rule and all agreeing, bring the bound to ``under``."""
    rounds = sum(each.stratum.rounds for each in checked)
    drawn = sum(each.drawn for each in checked)

    def fits(number: int) -> bool:
        given = allocate(number, [each.stratum for each in checked])
        found = [replace(each.as_drawn, drawn=max(each.drawn, given[each.stratum.name])) for each in checked]
        return most_errors(found, confidence) <= under * rounds

    if not fits(rounds):
        return None
    low, high = drawn, rounds
    if fits(low):
        return 0
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            high = middle
        else:
            low = middle
    return high - drawn


def share_text(share: Fraction) -> str:
    """A share as it was typed: ``0.95``."""
    return decimal_text(Decimal(share.numerator) / Decimal(share.denominator))


def confidence_of(text: str, name: str = "--confidence") -> Fraction:
    """A share between 0 and 1 as typed; raises `UsageProblem`."""
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 < share < 1:
        raise UsageProblem(f"{name} {text}: expected a number between 0 and 1, such as 0.95")
    return share


def only_draw(answers: Iterable[Filled]) -> str:
    """The line by which the sample of a worksheet was drawn; raises `UsageProblem` for none or several."""
    texts = sorted({each.draw for each in answers})
    if len(texts) != 1 or not texts[0].startswith("pontoon-sample-review/1 "):
        raise UsageProblem(
            "the column “draw” does not say in one and the same line how the sample was drawn; "
            "it is written by `sample-review draw` and must be left as it is"
        )
    return texts[0]
