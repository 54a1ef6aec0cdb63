"""Writes the recorded playthroughs of `tests/explained` anew: ``python -m tests.record_explained``.

Each is one round told by `explain_round` and kept as text, which `test_explain` compares
line by line. Read the difference before it is committed: it is what a dealer and a
regulator will read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from rules_replay.auditor import Auditor
from rules_replay.explain import Explanation, explain_round
from rules_replay.log import Round, decode_custom
from rules_replay.venues import load_register
from tests.rounds import book, play, settled

FOLDER = Path(__file__).parent / "explained"
CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True, slots=True, kw_only=True)
class Playthrough:
    """A round: one of the kept ones by ``id``, or told in the words of `tests.rounds`.

    A told round is settled as due where it does not say, unless it is ``cut_off``.
    """

    id: str
    rulebook: str = ""
    told: str = ""
    cut_off: bool = False
    level: int = 2
    width: int = 100
    ascii_only: bool = False

    def round(self) -> Round:
        if not self.told:
            return kept_rounds()[self.id]
        told = play(self.rulebook, self.told, round_id=self.id)
        return told if self.cut_off else settled(told, book(self.rulebook))

    def text(self) -> str:
        return explained(self.round(), self.level).text(self.width, ascii_only=self.ascii_only)


PLAYTHROUGHS: Mapping[str, Playthrough] = {
    "act-2018 split and double against the dealer's Pontoon": Playthrough(
        id="CBR-1",
        rulebook="act-2018",
        told="""
            a 20@1 by Ann | 1:8S 0:KH 1:8H
            split 1 with s 20 on a | 1:3D | double 1 with d 20 on a | 1:8C | 1.2:6C | 1.2:KD | 0:AD
            a loses 20 | d loses 20 | s loses 20
        """,
        level=3,
    ),
    "act-2018 overpayment": Playthrough(
        id="CBR-2",
        rulebook="act-2018",
        told="""
            sign min 5 max 500 multiples 5 chip 2.50
            a 25@1 by Ann | b 50@2 by Bea | 1:KS 2:9H 0:6D 1:9C 2:9D
            stand 1 | stand 2 | 0:KD | 0:2C
            a wins 37.5 | b ties
        """,
    ),
    "act-2018 underpayment in short": Playthrough(id="act-2018.pontoon-paid-even-money", level=1),
    "act-2018 Super Bonus with a co-wagerer": Playthrough(
        id="CBR-3",
        rulebook="act-2018",
        told="""
            a 25@1 by Ann | b 10@1 by Bea | c 5@2 by Cat
            1:7D 2:KS 0:7C 1:7D 2:4H | 1:7D | 2:QC
            a wins 50 | a gets super_bonus 1000 | b wins 20 | b gets super_bonus 1000
            c loses 5
        """,
    ),
    "act-2018 a mistake undone, a card burned, a wager void": Playthrough(
        id="CBR-4",
        rulebook="act-2018",
        told="""
            a 20@1 by Ann | b 20@2 by Bea | x 5@2 pair by Bea | no more bets
            1:9S 2:6H 0:AC 1:9H 2:6S | x wins 55
            i 10 insures a | irregularity exposed_card 1 | burn 3D | void wager b | cut card
            stand 1 | 0:8D | 0:2C | burn 0:2C
            a wins 20 | undo a | a loses 20 | i loses 10 | undo a | a loses 10 | a loses 10 | b voided
        """,
        level=3,
    ),
    "act-2018 decisions out of order": Playthrough(
        id="CBR-5",
        rulebook="act-2018",
        told="""
            a 20@1 by Ann | b 10@2 by Bea | 1:KS 2:5H 0:9D 1:QH 2:6H
            surrender 1 | split 1 with s 15 on a | 1:2D | stand 1 | 1.2:AC
            double 2 with d 20 on b | 2:2D | forfeit b | 0:7D
        """,
    ),
    "act-2018 the record stops": Playthrough(
        id="CBR-6",
        rulebook="act-2018",
        told="a 20@1 by Ann | b 10@2 by Bea | 1:KS 2:5H 0:KD 1:7H 2:AH | surrender 1 | double 2",
        cut_off=True,
    ),
    "act-2018 an unreadable card and decisions not recorded": Playthrough(
        id="CBR-7",
        rulebook="act-2018",
        told="""
            without decisions settle_order
            a 20@1 by Ann | b 10@2 by Bea | 1:KS 2:5H 0:KD 1:?? 2:KH | 2:4D | 0:8C
            a wins 20 | b ties
        """,
        level=3,
    ),
    "act-2005 a side wager not offered, a stake over the maximum": Playthrough(
        id="CBR-8",
        rulebook="act-2005",
        told="""
            sign min 5 max 100 | a 150@1 by Ann | x 5@1 pair by Ann | 1:KS 0:9D 1:9H | stand 1 | 0:9C
            x loses 5 | a ties
        """,
    ),
    "nz-2000 a co-wagerer who did not double": Playthrough(
        id="AKL-1",
        rulebook="nz-2000",
        told="""
            a 20@1 by Ann | b 10@1 by Bea | 1:AS 0:6C 1:3H
            double 1 with d 20 on a | 1:5D | 0:KC | 0:2D
        """,
        level=3,
    ),
    "nz-2000 a hand chosen, an option forgotten, a wager taken back": Playthrough(
        id="AKL-2",
        rulebook="nz-2000",
        told="""
            a 20@1 by Ann | b 10@1 by Bea | c 10@2 by Cat | e 30@3 by Eve
            1:8S 2:KD 3:9S 0:AC 1:8H 2:5D 3:7H
            split 1 with s 20 on a | assign b 1.2 | 1:KC | stand 1 | 1.2:9D | stand 1.2
            irregularity option_not_offered 2 | surrender 2
            irregularity short_hand 3 | withdraw e | 0:8D
        """,
    ),
    "rws-2017 Pandemonium and insurance": Playthrough(
        id="SIN-1",
        rulebook="rws-2017",
        told="""
            a 20@1 by Ann | p 10@1 pandemonium by Ann | b 20@2 by Bea | q 5@2 pandemonium by Bea
            1:AS 2:9C 0:AH 1:KS 2:8D
            press 1 25 | p wins 250 | a wins 30 | q loses 5 | i 10 insures b | stand 2 | 0:QD
            i wins 20 | b loses 20
        """,
    ),
    "rws-2017 before any rulebook held": Playthrough(id="rws-2017.before-eight-oclock"),
    "adelaide-2008 surrender passes the box on": Playthrough(
        id="ADL-1",
        rulebook="adelaide-2008",
        told="""
            a 20@1 by Ann | b 10@1 by Bea | 1:8S 0:QC 1:8H | surrender 1 only a
            split 1 with s 10 on b | 1:KD | stand 1 | 1.2:2C | double 1.2 with d 10 on s | 1.2:9H
            0:8D
        """,
    ),
    "adelaide-2008 a short hand": Playthrough(
        id="ADL-2",
        rulebook="adelaide-2008",
        told="""
            a 20@1 by Ann | b 10@2 by Bea | 1:9S 2:KD 0:6C 1:8H
            stand 1 | 0:KC | 0:2H | irregularity short_hand 2 | 2:7D
        """,
    ),
    "names that are not harmless": Playthrough(id="HOSTILE-1", level=3, width=72),
    "cards in plain ASCII": Playthrough(id="act-2018.perfect-pairs", ascii_only=True),
}


@cache
def kept_rounds() -> dict[str, Round]:
    """The golden rounds and those kept beside the playthroughs, by their id."""
    decoder = msgspec.json.Decoder(Round, dec_hook=decode_custom)
    files = (CASES / "golden.jsonl", FOLDER / "rounds.jsonl")
    rounds = [decoder.decode(line) for file in files for line in file.read_bytes().splitlines()]
    return {each.round_id: each for each in rounds}


def explained(round_: Round, level: int) -> Explanation:
    """A round audited on its own and told."""
    auditor = Auditor(load_register())
    return explain_round(round_, auditor.rulebook_for(round_), auditor.audit(round_), level)


def file_of(name: str) -> Path:
    """Where a playthrough is kept."""
    return FOLDER / f"{re.sub('[^A-Za-z0-9]+', '-', name).lower()}.txt"


def main() -> None:
    """Write every playthrough and remove the files of those that are no more."""
    FOLDER.mkdir(exist_ok=True)
    kept = set()
    for name, playthrough in PLAYTHROUGHS.items():
        path = file_of(name)
        kept.add(path)
        path.write_text(playthrough.text(), encoding="utf-8")
    for path in FOLDER.glob("*.txt"):
        if path not in kept:
            path.unlink()
    print(f"{len(kept)} playthroughs written to {FOLDER.name}", file=sys.stderr)


if __name__ == "__main__":
    main()
