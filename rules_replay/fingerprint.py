"""What makes a finding the same one in every run: the check, and where in the round it did not hold.

Severity, amounts, texts, clause, rulebook and reading have no part in it. They may change with a
corrected rule or another reading, and it is still the finding that somebody has looked into.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator

from rules_replay.results import Finding, FindingKey

DIGITS = 20
"""Hexadecimal digits of a fingerprint: 80 bits, so that no two of a billion findings share one by chance."""

_FORM = "pontoon-finding/1"


def fingerprints(venue: str, round_id: str, findings: Iterable[Finding]) -> Iterator[str]:
    """The fingerprint of each finding of a round, in order.

    The first digits of SHA-256 over the UTF-8 text of a JSON array without spaces:
    ``["pontoon-finding/1",venue,round_id,code,box,hand,wager,n]``, where ``n`` counts from 0 the
    findings of the round that are otherwise equal, in the order in which they stand there.
    """
    twins: Counter[FindingKey] = Counter()
    for finding in findings:
        parts = [_FORM, venue, round_id, *finding.key, twins[finding.key]]
        twins[finding.key] += 1
        text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
        yield hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
