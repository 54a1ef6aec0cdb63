"""The mispayment corpus: every kind of fault dealt, audited, and what was found of it counted.

``python -m data_samples.corpus [FILE]`` (``make corpus``) deals at least 20,000 rounds
under each rulebook, audits them and writes recall and precision per kind of fault as a
page. Same seed, same page.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from data_samples.croupier import Slips, Truth, deal_slips
from data_samples.faults import by_label
from data_samples.law import law_of
from data_samples.plan import Expected
from rules_replay.auditor import Auditor
from rules_replay.log import Round
from rules_replay.results import Finding
from rules_replay.rulebook import load_rulebook, rulebook_ids
from rules_replay.venues import load_register

SEED = 6
ROUNDS = 20_000
TABLES = 12
RATE = 0.08
"""Share of rounds that begin to wait for a fault of the catalogue, each kind in turn."""
LEAST = 5
"""A corpus goes on until every kind has occurred so often."""
PATIENCE = 20_000
"""It is given up so many rounds after those asked for."""

TIES_PAID = 0.01
LOSERS_LEFT = 0.002
MANY_CARDS_MISREAD = 0.10

SHARES: Mapping[str, float] = {
    "tie-paid": TIES_PAID,
    "doubled-tie-paid": TIES_PAID,
    "loser-left": LOSERS_LEFT,
    "insurance-left": LOSERS_LEFT,
    "pairs-left": LOSERS_LEFT,
    "jackpot-left": LOSERS_LEFT,
    "four-card-21-bust": MANY_CARDS_MISREAD,
    "five-card-21-even": MANY_CARDS_MISREAD / 2,
    "five-card-21-bust": MANY_CARDS_MISREAD / 2,
    "six-cards-as-five": MANY_CARDS_MISREAD,
    "seven-cards-as-six": MANY_CARDS_MISREAD,
}
"""Published shapes of dealers' errors as shares of the lines on which they can be made."""


@dataclass(slots=True, kw_only=True)
class Score:
    """One kind of fault: how many were put in and found, and what the audit laid to its account.

    ``claimed`` counts the findings in rounds that carry the kind, notices that no fault
    put in aside, and those under its code in rounds without a fault; ``true`` those of
    them that a fault put in.
    """

    injected: int = 0
    found: int = 0
    claimed: int = 0
    true: int = 0

    @property
    def recall(self) -> float:
        """Share of the faults put in that were found, each at its place with its amount."""
        return self.found / self.injected if self.injected else 1.0

    @property
    def precision(self) -> float:
        """Share of the findings that belong to a fault put in."""
        return self.true / self.claimed if self.claimed else 1.0


@dataclass(slots=True, kw_only=True)
class Corpus:
    """What the audit of one rulebook's rounds came to.

    ``notices`` counts those that no fault put in; ``amiss`` says of every fault that was
    missed and every other finding beside the truth in which round it was.
    """

    rulebook: str
    seed: int
    rounds: int = 0
    faulty: int = 0
    scores: dict[str, Score] = field(default_factory=dict)
    opportunities: Mapping[str, int] = field(default_factory=dict)
    slips: Mapping[str, int] = field(default_factory=dict)
    total: Score = field(default_factory=Score)
    notices: int = 0
    amiss: list[str] = field(default_factory=list)

    def add(self, round_: Round, truths: Sequence[Truth], findings: Sequence[Finding]) -> None:
        """Score one round."""
        self.rounds += 1
        self.faulty += bool(truths)
        left = list(findings)
        true = 0
        for truth in truths:
            missed = [each for each in truth.expected if not _taken(left, each)]
            for score in (self.scores[truth.fault], self.total):
                score.injected += 1
                score.found += not missed
            true += len(truth.expected) - len(missed)
            self.amiss += [f"{round_.round_id}: {truth.fault}: not found: {_where(each)}" for each in missed]
        false = [finding for finding in left if finding.severity != "notice"]
        self.notices += len(left) - len(false)
        self._blame(truths, true, false)
        names = ", ".join(truth.fault for truth in truths) or "no fault"
        self.amiss += [f"{round_.round_id}: {names}: found beside it: {_where(each)}" for each in false]

    def _blame(self, truths: Sequence[Truth], true: int, false: Sequence[Finding]) -> None:
        """Lay the round's findings to the account of its faults, or of all that share the code."""
        for score in (self.total, *(self.scores[label] for label in {truth.fault for truth in truths})):
            score.claimed += true + len(false)
            score.true += true
        if not truths:
            codes, faults = Counter(finding.code for finding in false), by_label()
            for label, score in self.scores.items():
                score.claimed += codes[faults[label].code]


def fits(finding: Finding, expected: Expected) -> bool:
    """Whether a finding is the one that a fault must lead to: its code, place and amount."""
    pairs = [(getattr(expected, name), getattr(finding, name)) for name in ("box", "hand", "wager", "delta")]
    return finding.code == expected.code and all(want is None or want == found for want, found in pairs)


def _taken(left: list[Finding], expected: Expected) -> bool:
    """Take the finding that a fault must lead to out of those left; False where there is none."""
    match = next((finding for finding in left if fits(finding, expected)), None)
    if match is not None:
        left.remove(match)
    return match is not None


def _where(each: Expected | Finding) -> str:
    places = (("box", each.box), ("hand", each.hand), ("wager", each.wager), ("delta", each.delta))
    return " ".join([each.code, *(f"{name} {value}" for name, value in places if value is not None)])


def possible(rulebook: str) -> tuple[str, ...]:
    """The labels of the kinds that can occur under a rulebook, in the order of the catalogue."""
    law = law_of(load_rulebook(rulebook))
    return tuple(label for label, fault in by_label().items() if fault.possible(law))


def audit_corpus(
    rulebook: str, *, rounds: int = ROUNDS, seed: int = SEED, rate: float = RATE, least: int = LEAST
) -> Corpus:
    """Deal and audit so many rounds of a rulebook, and more until each kind occurred ``least`` times.

    Raises ``RuntimeError`` naming the kinds that did not occur so often in so many more rounds.
    """
    slips = Slips({label: share for label, share in SHARES.items() if label in possible(rulebook)})
    corpus = Corpus(rulebook=rulebook, seed=seed, scores={label: Score() for label in possible(rulebook)})
    auditor = Auditor(load_register())
    for round_, truths in deal_slips(rulebook, seed, slips, rate=rate, tables=TABLES):
        corpus.add(round_, truths, auditor.audit(round_).findings)
        if corpus.rounds < rounds:
            continue
        rare = [label for label, score in corpus.scores.items() if score.injected < least]
        if not rare:
            break
        if corpus.rounds >= rounds + PATIENCE:
            raise RuntimeError(f"{rulebook}: fewer than {least} in {corpus.rounds} rounds: {', '.join(rare)}")
    corpus.opportunities, corpus.slips = slips.opportunities, slips.made
    return corpus


# --- the page ------------------------------------------------------------------------------


def page(corpora: Sequence[Corpus]) -> str:
    """The corpora as a page of docs/."""
    return "\n".join([*_opening(corpora), *(line for each in corpora for line in _chapter(each))]) + "\n"


def _opening(corpora: Sequence[Corpus]) -> Iterator[str]:
    seeds = ", ".join(sorted({str(each.seed) for each in corpora}))
    yield "# The mispayment corpus"
    yield ""
    yield (
        "Rounds dealt by the croupier with faults put in and labelled, audited like any log. "
        f"Made by `make corpus` (`python -m data_samples.corpus docs/corpus.md`), seed {seeds}, "
        f"{TABLES} tables; the same code gives the same page."
    )
    yield ""
    yield "A fault is *found* when every finding it must lead to is there: code, box, hand, wager and, where"
    yield "the amount is fixed, the difference to the thousandth. *Recall* is the share of faults found."
    yield "*Precision* is the share of findings that belong to a fault put in; notices that none put in are"
    yield "left aside. It is counted over the rounds that carry the kind, and a finding in a round without a"
    yield "fault counts against every kind that has its code."
    yield ""
    yield "How often faults are put in:"
    yield ""
    yield f"- A tie is paid as a win in {TIES_PAID:.0%} of ties."
    yield (
        f"- A losing wager is left on the table in {LOSERS_LEFT:.1%}: main and split wagers on hands that "
        "nobody doubled, insurance, side wagers."
    )
    yield (
        f"- A winning 21 of four or more cards is misread in {MANY_CARDS_MISREAD:.0%}: four cards as a bust, "
        "five as a bust or as even money in equal shares, six as five, seven as six."
    )
    yield (
        f"- Every kind of the catalogue comes in turn, so that rare ones occur: in {RATE:.0%} of the rounds "
        "in which none is waiting, one begins to wait for its situation, and after some rounds the shoe is "
        "stacked for it."
    )
    yield f"- Dealing goes on past {ROUNDS:,} rounds until every kind has occurred {LEAST} times."
    yield ""
    yield "Tables whose recorder writes no decisions have no faults, and their rounds count for precision."
    yield ""
    yield (
        "What this shows is that a departure from the rules is found and nothing else is. It is no proof of "
        "the rules: the croupier settles by the same engine that audits, so a clause read wrongly is wrong "
        "in both. The golden rounds, worked out by hand from the texts, hold the reading."
    )
    yield ""
    yield from _table(
        ("rulebook", "rounds", "with a fault", "faults", "found", "recall", "findings", "true", "precision"),
        (
            (
                each.rulebook,
                f"{each.rounds:,}",
                f"{each.faulty:,}",
                *_figures(each.total),
            )
            for each in corpora
        ),
    )


def _chapter(corpus: Corpus) -> Iterator[str]:
    yield ""
    yield f"## {corpus.rulebook}"
    yield ""
    yield from _table(
        ("mistake in settling", "opportunities", "made", "wanted"),
        (
            (
                label,
                f"{corpus.opportunities.get(label, 0):,}",
                f"{corpus.slips.get(label, 0):,}",
                f"{share:.1%}",
            )
            for label, share in SHARES.items()
            if label in corpus.scores
        ),
    )
    yield ""
    yield from _table(
        ("kind", "code", "faults", "found", "recall", "findings", "true", "precision"),
        ((label, f"`{by_label()[label].code}`", *_figures(score)) for label, score in corpus.scores.items()),
    )
    yield ""
    if corpus.amiss:
        yield f"Missed, or found beside the truth ({len(corpus.amiss)}):"
        yield ""
        yield from (f"- {each}" for each in corpus.amiss)
    else:
        yield f"Nothing was missed and nothing found beside the truth. Other notices: {corpus.notices:,}."


def _figures(score: Score) -> tuple[str, ...]:
    return (
        f"{score.injected:,}",
        f"{score.found:,}",
        f"{score.recall:.3f}",
        f"{score.claimed:,}",
        f"{score.true:,}",
        f"{score.precision:.3f}",
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def main(arguments: Sequence[str]) -> int:
    """Write the page; 1 where anything was missed or found beside the truth."""
    parser = argparse.ArgumentParser(
        prog="python -m data_samples.corpus", description="Deal and audit faults."
    )
    parser.add_argument(
        "file", nargs="?", type=Path, help="where the page goes; standard output unless given"
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds a rulebook (%(default)s)")
    parser.add_argument(
        "--least", type=int, default=LEAST, help="go on until each kind occurred so often (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=SEED, help="(%(default)s)")
    parser.add_argument(
        "--rulebook", choices=rulebook_ids(), action="append", help="only this one; repeatable"
    )
    chosen = parser.parse_args(arguments)
    corpora = []
    for name in chosen.rulebook or rulebook_ids():
        corpora.append(audit_corpus(name, rounds=chosen.rounds, seed=chosen.seed, least=chosen.least))
        print(_in_short(corpora[-1]), file=sys.stderr)
    if chosen.file is None:
        sys.stdout.write(page(corpora))
    else:
        chosen.file.write_text(page(corpora), encoding="utf-8", newline="\n")
    return int(any(each.amiss for each in corpora))


def _in_short(corpus: Corpus) -> str:
    return (
        f"{corpus.rulebook}: {corpus.rounds:,} rounds, {corpus.total.injected:,} faults, "
        f"recall {corpus.total.recall:.3f}, precision {corpus.total.precision:.3f}"
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
