"""Findings as JUnit XML: what schedulers and build servers show as tests.

A partition is a suite and a check a case in it. A case fails where the check has findings at or
above ``fail_on``; what is below stands in its output. A check that the evidence cannot support is
skipped, with what was missing. The form is that of the Jenkins xUnit schema ``junit-10``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree as Xml  # nosec B405

import pyarrow.parquet as pq

from audit.exit_codes import FailOn
from audit.lake import Lake
from audit.layout import Partition
from audit.observe.findings import Told
from audit.partitions import partition_name
from audit.report.text import meaning, missing_words, shortened
from audit.results import count
from rules_replay.severity import at_or_above
from rules_replay.words import visible

SHOWN = 20
"""Findings told of a case, the gravest; their total stands beside them."""

_LONGEST = 2_000
"""Characters of one line."""


@dataclass(slots=True)
class Case:
    """One check on one suite: the findings that fail it and those that do not, counted and told.

    ``skipped`` is why the check could not be evaluated, ``error`` why nothing can be said.
    """

    name: str
    says: str = ""
    failing: int = 0
    others: int = 0
    told: list[str] = field(default_factory=list)
    noted: list[str] = field(default_factory=list)
    skipped: str | None = None
    error: str | None = None

    def add(self, told: Told, fails: bool) -> None:
        """One more finding."""
        lines = self.told if fails else self.noted
        if len(lines) < SHOWN:
            where = f" ({told.source_file}:{told.source_line})" if told.source_file else ""
            lines.append(f"{told.severity}: {told.message}{where} [{told.fingerprint}]")
        if fails:
            self.failing += 1
        else:
            self.others += 1


@dataclass(slots=True)
class Suite:
    """The cases of one partition, or of what is not about one, in the order of their names."""

    name: str
    cases: dict[str, Case] = field(default_factory=dict)

    def case(self, name: str, says: str = "") -> Case:
        """The case of a name, made if it is not there."""
        return self.cases.setdefault(name, Case(name, says))


def junit_of_run(
    lake: Lake,
    record: Mapping[str, Any],
    findings: Iterable[Told],
    scope: Sequence[Partition],
) -> bytes:
    """The partitions of a run in ``scope`` as suites, with what failed and what was quarantined.

    What fails is what counted for the exit code of the run.
    """
    suites = {each: Suite(partition_name(each)) for each in sorted(scope, key=lambda each: each.order)}
    for partition, suite in suites.items():
        _cover(suite, lake, partition)
        lines = sum(pq.read_metadata(path).num_rows for path in lake.files("quarantine", partition))
        if lines:
            suite.case("quarantine").error = f"{count(lines, 'line')} in quarantine, not audited"
    by_place = {
        (each.venue, each.gaming_date and each.gaming_date.isoformat()): suites[each] for each in suites
    }
    for told in findings:
        counts = not (record.get("ignore_disposed") and told.settled)
        _count(by_place[told.venue, told.gaming_date], told, record["fail_on"] if counts else "never")
    whole = Suite("pontoon-audit")
    for entry in record["partitions"]:
        if entry["outcome"] == "failed":
            name = f"{entry['venue'] or 'unknown venue'} {entry['gaming_date'] or 'without a date'}"
            whole.case(f"replay of {name}").error = entry["reason"]
    _validated(whole, record)
    return _document([whole, *suites.values()])


def junit_of_check(findings: Iterable[Told], rejected: Sequence[str], fail_on: FailOn) -> bytes:
    """The venues of a check as suites, and what was rejected; only checks with findings are cases."""
    suites: dict[str, Suite] = {}
    for told in findings:
        _count(suites.setdefault(told.venue, Suite(told.venue)), told, fail_on)
    whole = Suite("pontoon-audit")
    reading = whole.case("input")
    if rejected:
        listed = [*rejected[:SHOWN], *_more(len(rejected))]
        reading.error = "\n".join(listed)
    return _document([whole, *(suites[name] for name in sorted(suites))])


def _cover(suite: Suite, lake: Lake, partition: Partition) -> None:
    """A case for every check of the partition, skipped where no round could be evaluated."""
    evaluated: dict[str, int] = {}
    missing: dict[str, set[str]] = {}
    for path in lake.files("coverage", partition):
        for row in pq.read_table(path, partitioning=None).to_pylist():
            suite.case(row["code"], meaning(row["code"]))
            evaluated[row["code"]] = evaluated.get(row["code"], 0) + row["evaluated"]
            if row["not_evaluable"]:
                missing.setdefault(row["code"], set()).add(row["reason"] or "")
    for code, reasons in missing.items():
        if not evaluated[code]:
            suite.cases[code].skipped = "; ".join(sorted(missing_words(each) for each in reasons))


def _count(suite: Suite, told: Told, fail_on: FailOn) -> None:
    fails = fail_on != "never" and at_or_above(told.severity, fail_on)
    suite.case(told.code, meaning(told.code)).add(told, fails)


def _validated(whole: Suite, record: Mapping[str, Any]) -> None:
    """A case for each suite of the validation; that of the checks repeats the findings and is left out."""
    validation = record["validation"] or {"suites": {}, "errors": []}
    for name, outcome in validation["suites"].items():
        if name != "checks":
            case = whole.case(f"validation of {name}")
            if outcome != "passed":
                case.error = "; ".join([outcome, *validation["errors"]])


def _document(suites: Sequence[Suite]) -> bytes:
    root = Xml.Element("testsuites", name="pontoon-audit")
    root.extend(_suite(each) for each in suites)
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(each.get(name, "0")) for each in root)))
    Xml.indent(root)
    text: str = Xml.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _suite(suite: Suite) -> Xml.Element:
    cases = [suite.cases[name] for name in sorted(suite.cases)]
    found = Xml.Element(
        "testsuite",
        name=_text(suite.name),
        tests=str(len(cases)),
        failures=str(sum(bool(each.failing) for each in cases)),
        errors=str(sum(each.error is not None for each in cases)),
        skipped=str(sum(_is_skipped(each) for each in cases)),
    )
    found.extend(_case(suite, each) for each in cases)
    return found


def _is_skipped(case: Case) -> bool:
    return case.skipped is not None and not case.failing


def _case(suite: Suite, case: Case) -> Xml.Element:
    found = Xml.Element("testcase", classname=_text(suite.name), name=_text(case.name))
    if case.error is not None:
        _child(found, "error", case.error.partition("\n")[0], case.error.split("\n"))
    elif case.failing:
        message = f"{count(case.failing, 'finding')}: {case.says}"
        _child(found, "failure", message, [*case.told, *_more(case.failing)])
    elif case.skipped is not None:
        Xml.SubElement(found, "skipped", message=_text(case.skipped))
    if case.others:
        output = Xml.SubElement(found, "system-out")
        output.text = "\n".join(map(_text, [*case.noted, *_more(case.others)]))
    return found


def _child(case: Xml.Element, kind: str, message: str, lines: Iterable[str]) -> None:
    child = Xml.SubElement(case, kind, message=_text(message), type="pontoon-audit")
    child.text = "\n".join(map(_text, lines))


def _more(total: int) -> Iterator[str]:
    if total > SHOWN:
        yield f"and {total - SHOWN:,} more; {total:,} in all"


def _text(text: str) -> str:
    """Text of a log without the characters that XML 1.0 forbids, and of bounded length."""
    return shortened(visible(text), _LONGEST)
