"""What the kernel works on: rounds and events as they came, and one table laid out.

Every record field that is a seq is `NOT` where the thing never happened and it may be asked
whether it did, and `NEVER` where only its order matters. Amounts are thousandths, `NOT` where
none was recorded. The dealer's hand is hand 0 of a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Records: TypeAlias = Any
"""An array of records of one of the kinds below, or a slice of one."""
Ints: TypeAlias = npt.NDArray[np.int32]
Counts: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Letters: TypeAlias = npt.NDArray[np.uint8]
"""A text in UTF-8, or cards by number."""


def _overlaid(fields: Mapping[str, tuple[int, Any]], size: int) -> np.dtype[Any]:
    """A record of so many bytes whose fields, by name, begin at a byte, which several may share."""
    offsets, kinds = zip(*fields.values(), strict=True)
    spec: Any = {"names": list(fields), "formats": kinds, "offsets": offsets, "itemsize": size}
    return np.dtype(spec, align=True)


def _beside(kind: np.dtype[Any], fields: dict[str, tuple[str, Any]]) -> np.dtype[Any]:
    """A record with further fields, each on the bytes from another field's on."""
    given: Any = kind.fields
    spec: dict[str, tuple[int, Any]] = {name: (at[1], at[0]) for name, at in given.items()}
    spec |= {name: (given[at][1], form) for name, (at, form) in fields.items()}
    return _overlaid(spec, kind.itemsize)


ROUND: Final = np.dtype(
    [
        ("first", np.int64),
        ("count", np.int32),
        ("book", np.int32),
        ("claims", np.bool_),
        ("misclaimed", np.bool_),
        ("shoe", np.int32),
        ("round_no", np.int32),
        ("decks", np.int32),
        ("facts", np.int8),
        ("shuffler", np.int8),
        ("offers", np.int16),
        ("has_limits", np.bool_),
        ("last_rounds", np.bool_),
        ("limit_min", np.int64),
        ("limit_max", np.int64),
        ("limit_box_max", np.int64),
        ("limit_multiples", np.int64),
        ("limit_side_min", np.int64),
        ("limit_side_max", np.int64),
        ("limit_smallest_chip", np.int64),
    ],
    align=True,
)
"""A round: its ``count`` events from ``first`` on. ``book`` is the number of the rulebook in force
(`NOT` for none), ``claims`` whether the table claims one, ``misclaimed`` whether it is another;
``facts`` has a bit for each fact recorded, ``offers`` for each kind of wager offered, or is `NOT`."""

EVENT: Final = _overlaid(
    {
        "kind": (0, np.int8),
        "wager_kind": (1, np.int8),
        "line": (1, np.int8),
        "scope": (1, np.int8),
        "code": (1, np.int8),
        "off_hand": (1, np.bool_),
        "box": (2, np.int8),
        "place": (2, np.int16),
        "hand": (3, np.int8),
        "result": (3, np.int8),
        "wager": (4, np.int32),
        "on": (8, np.int32),
        "player": (12, np.int32),
        "reverses": (12, np.int32),
        "card": (12, np.int8),
        "to": (12, np.int8),
        "explained": (13, np.bool_),
        "amount": (16, np.int64),
        "paid": (16, np.int64),
        "multiplier": (16, np.int64),
        "limit": (24, np.int64),
        "taken": (24, np.int64),
    },
    32,
)
"""An event. ``wager`` and ``on`` are numbers of names; ``off_hand`` a burn off a hand, ``explained`` one
with a reason; ``code`` an irregularity. ``place`` is box and hand as one number, 256 times the hand and the
box. ``hand`` is 1 where the log leaves it out, but `NOT` in an
irregularity.

There are many, and to read them takes time. So fields that no kind of event has both of lie on the same
bytes, and only those of its kind (`cells`) mean anything; but ``kind``, ``box``, ``wager`` and ``on``, which
are nobody else's, may be read of any. Boxes and hands have numbers up to 99. Whoever counts with a small
number makes it a plain one first, since a sum of small ones would not be the same compiled and uncompiled."""

HEAD: Final = np.dtype(
    [
        ("n_boxes", np.int32),
        ("n_hands", np.int32),
        ("n_bets", np.int32),
        ("n_acts", np.int32),
        ("n_initial", np.int32),
        ("n_participants", np.int32),
        ("n_served", np.int32),
        ("n_moves", np.int32),
        ("n_found", np.int32),
        ("n_foreign", np.int32),
        ("n_unreadable", np.int32),
        ("n_irregularities", np.int32),
        ("events", np.int32),
        ("acts", np.int32),
        ("wagers", np.int32),
        ("lines", np.int32),
        ("places", np.int32),
        ("highest_box", np.int32),
        ("first_card_at", np.int32),
        ("no_more_bets_at", np.int32),
        ("initial_done_at", np.int32),
        ("initial_closed_at", np.int32),
        ("served_at", np.int32),
        ("subsequent_at", np.int32),
        ("dealer_second_at", np.int32),
        ("first_second_at", np.int32),
        ("void_round_at", np.int32),
        ("last_deal_at", np.int32),
        ("last_settled_at", np.int32),
        ("left_shoe", np.int32),
        ("burned", np.bool_),
        ("wager_void", np.bool_),
        ("misdealt", np.bool_),
        ("passed_over", np.bool_),
        ("looked_to", np.int32),
        ("goes_on", np.bool_),
        ("bonus_due", np.bool_),
        ("round_void", np.bool_),
        ("incomplete", np.bool_),
        ("overflow", np.bool_),
        ("need_second", np.int8),
        ("need_total", np.int8),
        ("dealer_counting", np.int32),
        ("dealer_done_at", np.int32),
        ("dealer_unread", np.bool_),
        ("dealer_foreign", np.bool_),
        ("dealer_points", np.int32),
        ("dealer_soft", np.bool_),
        ("dealer_pontoon", np.bool_),
        ("dealer_finished", np.bool_),
        ("dealer_unknown", np.int8),
        ("dealer_basis", np.int8),
    ],
    align=True,
)
"""One record a table: counts, the moments of the round, and the dealer's hand as it is played out.

``events``, ``acts``, ``wagers``, ``lines`` and ``places`` have a bit for each kind that the round has any
of, so that a check may pass over what is not there: kinds of event, of act and of wager, settlement lines,
places of main, split and doubled bets. ``n_served``: so many participants, from the first on, had their two
cards when last looked at. ``burned``: a card left the shoe unplayed; ``misdealt``: a hand is, or was,
superfluous or without a card of the initial deal; ``passed_over``: some waited for a card of that deal when
another got one too many, and ``looked_to`` is how far in the log it was looked whether it ``goes_on`` after
such a card; ``bonus_due``: some bet is due a bonus, or may be."""

BOX: Final = np.dtype(
    [
        ("no", np.int32),
        ("n_hands", np.int32),
        ("n_mains", np.int32),
        ("first_main", np.int32),
        ("last_main", np.int32),
        ("mark", np.int32),
        # Found so far.
        ("surrender_faults", np.int8),
        ("sides", np.int32, (3,)),
    ],
    align=True,
)

"""A box; ``mark`` is free for any check to note something in while it runs."""

HAND: Final = np.dtype(
    [
        ("box", np.int32),
        ("no", np.int32),
        ("first", np.int32),
        ("last", np.int32),
        ("n", np.int32),
        ("points", np.int32),
        ("aces", np.int32),
        ("unreadable", np.int32),
        ("foreign", np.int32),
        ("split_from", np.int32),
        ("formed_at", np.int32),
        ("of_split", np.bool_),
        ("split_aces", np.bool_),
        ("superfluous", np.bool_),
        ("lacks_initial_card", np.bool_),
        ("lacks_split_card", np.bool_),
        ("cut_short_at", np.int32),
        ("overdealt", np.bool_),
        ("passed_over", np.bool_),
        ("excess_first", np.int32),
        ("excess_last", np.int32),
        ("ahead", np.int32),
        ("recount", np.bool_),
        ("doubled_at", np.int32),
        ("cards_at_double", np.int32),
        ("stood_at", np.int32),
        ("void_at", np.int32),
        ("disturbed_by", np.int32),
        ("places", np.int16),
        ("cards_at", np.int32),
        # Found so far.
        ("turn_over", np.bool_),
        ("draw_faults", np.int8),
        ("split_faults", np.int8),
        ("double_fault", np.bool_),
        ("surrender_called_at", np.int32),
        ("joined_by", np.int32),
    ],
    align=True,
)
"""A hand: its ``n`` cards from the one dealt at ``first`` on, linked by `LINK`; ``points`` with every
ace at one; ``recount`` where a card came after it had reached 21, or was taken off; ``formed_at`` the split
that first made it (`NOT`); ``disturbed_by`` the act by which a card due to it was burned
(`NOT`); ``places`` has a bit for each place at which a main or split bet on it stands, and
``cards_at`` is where its cards are written down; the last fields are the marks of checks that find a thing
once a hand.

Of cards too many in the initial deal (`excess`): ``overdealt`` is a hand that they may belong to, beside
which they lie from ``excess_first`` to ``excess_last``; ``passed_over`` one that waited for its card when one
came; ``ahead`` counts the cards it is still to get."""

BET: Final = np.dtype(
    [
        ("seq", np.int32),
        ("name", np.int32),
        ("kind", np.int32),
        ("player", np.int32),
        ("box", np.int32),
        ("hand", np.int32),
        ("on", np.int32),
        ("root", np.int32),
        ("under", np.int32),
        ("next_main", np.int32),
        ("first_portion", np.int32),
        ("last_portion", np.int32),
        ("next_portion", np.int32),
        ("first_line", np.int32),
        ("last_line", np.int32),
        ("surrendered_at", np.int32),
        ("forfeited_at", np.int32),
        ("withdrawn_at", np.int32),
        ("void_at", np.int32),
        ("moved_late", np.bool_),
        ("misplaced", np.bool_),
        ("corrected", np.bool_),
        ("amount", np.int64),
        ("limit", np.int64),
        ("effective", np.int64),
        # Where it stands before the dealer plays.
        ("place", np.int8),
        ("basis", np.int8),
        ("soft", np.bool_),
        ("counting", np.int32),
        ("points", np.int32),
        ("why", np.int32),
        ("void_as", np.int32),
        # What the stake is due.
        ("family", np.int8),
        ("due_basis", np.int8),
        ("due_result", np.int8),
        ("fixed", np.bool_),
        ("open", np.bool_),
        ("due_paid", np.int64),
        ("due_taken", np.int64),
        ("open_taken", np.int64, (2,)),
        ("odds", np.int64, (2,)),
        ("clause", np.int64),
        ("reading", np.int32),
        ("story", np.int32),
        ("told", np.int64, (3,)),
        # What was recorded for the stake.
        ("settled", np.bool_),
        ("results", np.int16),
        ("paid", np.int64),
        ("taken", np.int64),
        ("recorded_at", np.int32),
        ("settled_at", np.int32),
        # How it differs, and the bets of its player on its box that do.
        ("difference", np.int16),
        ("doubtful", np.bool_),
        ("alike", np.int32),
        ("next_leader", np.int32),
        ("first_difference", np.int32),
        ("last_difference", np.int32),
        ("next_difference", np.int32),
        ("net", np.int64),
        # Bonus lines.
        ("bonus_unknown", np.bool_),
        ("super_bonus", np.int64),
        ("other_bonus", np.int64),
    ],
    align=True,
)
"""A wager. ``on`` is the bet doubled, split or insured, ``root`` the main bet it belongs to, ``under`` the
main or split bet under a doubled portion; each is the number of a bet. ``moved_late`` is one put on another
hand when it was settled or its own hand complete. ``results`` has a bit for each
result that stands recorded, ``recorded_at`` is the last stake line that stands, ``settled_at`` the first
of all (`NEVER`). ``difference`` is a code or `NOT`; ``alike`` the first bet of the same player on the same
box, on which ``net`` (what they got beyond their dues) and ``doubtful`` (a due is not fixed) are kept."""

ACT: Final = np.dtype(
    [
        ("kind", np.int32),
        ("seq", np.int32),
        ("hand", np.int32),
        ("to", np.int32),
        ("bet", np.int32),
        ("box", np.int32),
        ("no", np.int32),
        ("card", np.int8),
        ("again", np.bool_),
        ("in_order", np.bool_),
        ("of_split", np.bool_),
        ("elsewhere", np.bool_),
        ("hands_after", np.int32),
        ("n", np.int32),
        ("points", np.int32),
        ("aces", np.int32),
        ("unreadable", np.int32),
        ("first", np.int8),
        ("second", np.int8),
    ],
    align=True,
)
"""Something done at the table, in order: an option, a card after the initial deal (`DRAW`), an
irregularity reported, a press, a card that is foreign or unreadable. ``again`` marks a double of a hand
that had the card of one before, ``in_order`` a burn of a card that came in its turn in the initial deal,
``elsewhere`` a surrender that names a wager which rode on another hand. From ``n`` on: the hand just before
it, its cards counted and the first two of them (`NOT`)."""

LINK: Final = np.dtype(
    [
        ("next", np.int32),
        ("previous", np.int32),
        ("initial", np.bool_),
        ("undone", np.bool_),
    ],
    align=True,
)
"""By seq: for a card dealt, its neighbours on the hand and whether it came in the initial deal; for a
settlement, the next one of the same bet. ``undone`` are a settlement reversed and a card burned off its
hand."""

FOUND: Final = np.dtype(
    [
        ("round_at", np.int32),
        ("code", np.int16),
        ("severity", np.int8),
        ("basis", np.int8),
        ("seq", np.int32),
        ("box", np.int32),
        ("hand", np.int32),
        ("bet", np.int32),
        ("has_delta", np.bool_),
        ("delta", np.int64),
        ("clause", np.int64),
    ],
    align=True,
)
"""A finding, its texts left to the readable engine; ``hand`` is the number within the box, or `NOT`."""

HANDROW: Final = np.dtype(
    [
        ("round_at", np.int32),
        ("total", np.int32),
        ("n", np.int16),
        ("box", np.int8),
        ("no", np.int8),
        ("split_from", np.int8),
        ("ended", np.int8),
        ("soft", np.bool_),
        ("doubled", np.bool_),
    ],
    align=True,
)
"""A hand of ``n`` cards at the end of its round; ``ended`` is the number of a word in `hands.ENDED`."""

SETTLED: Final = np.dtype(
    [
        ("stake", np.int64),
        ("effective", np.int64),
        ("due_paid", np.int64),
        ("due_taken", np.int64),
        ("paid", np.int64),
        ("taken", np.int64),
        # Amounts that its reason tells.
        ("told", np.int64, (3,)),
        ("round_at", np.int32),
        ("name", np.int32),
        ("player", np.int32),
        ("odds", np.int32, (2,)),
        ("clause", np.int32),
        # What its reason tells beside.
        ("story", np.int32),
        ("cards_at", np.int32),
        ("points", np.int32),
        ("dealer_points", np.int32),
        ("reading", np.int16),
        ("line", np.int8),
        ("basis", np.int8),
        ("fixed", np.bool_),
        ("settled", np.bool_),
        ("corrected", np.bool_),
        ("entitled", np.bool_),
        ("counting", np.int16),
        ("kind", np.int8),
        ("box", np.int8),
        ("hand", np.int8),
        ("due_result", np.int8),
        ("results", np.int8),
        ("one", np.int8),
        ("two", np.int8),
        ("soft", np.bool_),
        ("dealer_soft", np.bool_),
    ],
    align=True,
)
"""A line of a wager, what is due beside what was recorded. ``fixed``: an amount is due (its fields say
nothing otherwise); ``settled``: one was recorded; ``name`` and ``player`` are numbers of names.
``entitled``: a bonus line to which the wager is entitled, whether or not the amount is fixed.
Some fields are for `stories` alone: ``story`` and the amounts ``told`` in it; the ``counting`` cards of
the hand, written down at ``cards_at``, and their total; the dealer's; and the first two cards of the box
of a side wager."""

DUES: Final = 128
"""How many things a hand may be due under a rulebook (`dues`)."""
TOTALS: Final = 32
"""More than any hand of a plain round comes to."""

DUE: Final = np.dtype(
    [
        ("odds", np.int32, (2,)),
        ("clause", np.int32),
        ("story", np.int32),
        ("under", np.int64),
        ("result", np.int8),
        ("ended", np.int8),
        ("needs", np.int8),
        ("taken", np.int8),
        ("waits", np.int8),
    ],
    align=True,
)
"""What the main wagers on a hand are due by what it came to (`dues`): a payment at ``odds``, whose second is
``under`` (one where nothing is won), or 1 where they are ``taken``; its ``story`` if the chips can pay
that. ``waits`` is 1 where it is settled after the dealer has played, and then ``ended`` is 0; else it is how
the hand ended. ``needs`` has a bit for each fact that a round must record for it to be seen that this is
settled before the next card."""

BOXES: Final = 100
"""Boxes and hands of a box have numbers up to 99."""
PLAIN_BETS: Final = 64
PLAIN_SPLITS: Final = 4
PLAIN_DRAWS: Final = 512
"""Wagers of a plain round, hands of a box in it and events after its initial deal that there is room for."""
PLAIN_CARDS: Final = 24
"""Room for the cards of a hand in a plain round; as it draws under 21 alone, it has 21 at most."""

_PLAIN_HAND: Final = np.dtype(
    [
        ("serial", np.int64),
        # Nothing of these on an empty hand.
        ("low", np.int64),
        ("high", np.int64),
        ("highest", np.int64),
        ("n", np.int16),
        ("points", np.int16),
        ("aces", np.int32),
        ("doubled", np.int8),
        ("stood", np.int8),
        ("closed", np.bool_),
        ("turn_over", np.bool_),
        ("of_split", np.int8),
        ("split_aces", np.int8),
        ("surrendered", np.int8),
        ("second", np.int8),
        ("staked", np.int64),
        ("multiplier", np.int64),
        ("n_mains", np.int32),
        ("portions", np.int32),
        ("forfeits", np.int32),
        ("surrenders", np.int32),
        ("left", np.int32),
        ("last_draw", np.int32),
        ("sides", np.int8, (4,)),
        ("first_main", np.int32),
        ("n_hands", np.int32),
        ("split_from", np.int32),
        ("cards_at_double", np.int32),
        ("aces_at_double", np.int32),
        # What it came to.
        ("soft", np.bool_),
        ("apart", np.bool_),
        ("no", np.int8),
        ("due", np.int16),
        ("total", np.int32),
        ("settled_before", np.int32),
        ("cards_at", np.int32),
    ],
    align=True,
)
PLAIN_HAND: Final = _beside(
    _PLAIN_HAND,
    {"cards": ("low", (np.int8, (PLAIN_CARDS,))), "counted": ("n", np.int64), "marks": ("doubled", np.int64)},
)
"""A hand in a plain round (`rules_replay.kernel.plain`), of that whose ``serial`` it has: its ``cards`` a
byte each, the first eight also in ``low`` and others in ``high`` and ``highest``, lowest byte first;
``points`` with every ace at one; ``portions`` doubled, of ``n_mains`` main or split wagers, when it had so
many cards and aces, ``forfeits`` of them and so many ``surrenders`` that only their settlement shows;
``left`` counts other main wagers, surrendered alone; ``closed`` to further cards; ``last_draw`` is the
number, from 1, of its last card among those after the initial deal, 0 for none. The first hand of a box has
the number of its hands, the ``second`` card that was split off, and the ``multiplier`` pressed for it;
``first_main`` is the first main or split wager on a hand. ``counted`` is cards, points and aces as one
number, as in ``counted`` of a rulebook; ``marks`` is nothing as long as the hand was neither split nor
doubled nor closed.
Then what its wagers are ``due``, by place in the dues of the rulebook, and by what moment; ``apart`` where
not all of them are due just that."""

PLAIN_BET: Final = np.dtype(
    [
        ("seq", np.int32),
        ("kind", np.int32),
        ("box", np.int32),
        ("hand", np.int32),
        ("on", np.int32),
        ("settled_at", np.int32),
        ("portions", np.int32),
        ("insured", np.bool_),
        ("forfeited", np.bool_),
        ("surrendered", np.bool_),
    ],
    align=True,
)
"""A wager of a plain round, settled once (`NEVER`); ``portions`` that it was doubled by."""

PLAIN: Final = np.dtype(
    [
        ("serial", np.int64),
        ("rounds", np.int64),
        ("n_bets", np.int32),
        ("n_boxes", np.int32),
        ("n_hands", np.int32),
        ("n_cards", np.int32),
        ("sides", np.int32),
        ("called", np.bool_),
        ("unlimited", np.bool_),
        ("doubled", np.bool_),
        ("insured", np.bool_),
        ("split", np.bool_),
        ("surrendered", np.bool_),
        ("blind", np.bool_),
        ("cut_after", np.int32),
        ("followed_at", np.int32),
        ("surrendered_at", np.int32),
        ("second_at", np.int32),
        ("third_at", np.int32),
        ("dealt_last", np.int32),
        ("drawn_at", np.int32, (PLAIN_DRAWS + 2,)),
        ("pressed_last", np.int32),
        ("live", np.int32),
        ("dealer_pontoon", np.bool_),
        ("waited_until", np.int32),
        ("insurance_paid_at", np.int32),
        ("order", np.int32, (BOXES,)),
        ("bets", PLAIN_BET, (PLAIN_BETS,)),
        ("hands", PLAIN_HAND, (PLAIN_SPLITS * BOXES,)),
    ],
    align=True,
)
"""A plain round: its hands by box, 0 for the dealer, first those with the number 1; the boxes in ``order``.
``rounds`` counts those judged so far. ``sides`` has a bit for each kind of side wager; ``unlimited``
where nothing says how much some main wager may be; ``cut_after`` so many cards the cutting card came (`NOT`).
``surrendered``: any hand was; ``blind``: no decisions are recorded.
``followed_at`` is the first card after the initial deal, ``surrendered_at`` the first surrender (`NEVER`);
``drawn_at`` all cards after the initial deal, and `NEVER` after the last; ``second_at`` and ``third_at`` the
dealer's second and third card (`NEVER`), ``dealt_last`` his last;
``pressed_last`` the box for which the button was pressed last. ``live``
counts the hands that need his total, ``waited_until`` is the last settlement of wagers that wait for him,
``insurance_paid_at`` the first of insurance that won (`NEVER`)."""

SUBJECTS_ROOM: Final = 28
"""Room for a count of each subject, in fours."""
ALIKE: Final = np.dtype(
    [("about", np.int64, (SUBJECTS_ROOM,)), ("circumstances", np.int64), ("book", np.int32)], align=True
)
"""Rounds under a rulebook without a finding that record and lack the same, counted together: how many are
``about`` each subject (`coverage`)."""

MOST_EVENTS: Final = 4096
"""Events of the longest round that the work space has room for; a lawful one has some hundreds."""
MOST_FOUND: Final = 8 * MOST_EVENTS
"""Findings of one round that the work space has room for."""
CIRCUMSTANCES: Final = 256
"""Of how many kinds of record rounds are counted at one time."""
_HANDS: Final = 2 * MOST_EVENTS + BOXES + 1

SPACE: Final = np.dtype(
    [
        ("head", HEAD),
        ("box_at", np.int32, (BOXES,)),
        ("dealt", np.int32, (BOXES,)),
        ("participants", np.int32, (BOXES,)),
        ("boxes", BOX, (BOXES,)),
        ("hand_at", np.int32, (BOXES, BOXES)),
        ("order", np.int32, (_HANDS,)),
        ("initial", np.int32, (MOST_EVENTS + 1,)),
        ("left", np.int32, (MOST_EVENTS,)),
        ("moves", np.int32, (MOST_EVENTS,)),
        ("buckets", np.int32, (MOST_EVENTS + 1,)),
        ("names", np.int32, (2 * MOST_EVENTS,)),
        ("bet_at", np.int32, (2 * MOST_EVENTS,)),
        ("events", EVENT, (MOST_EVENTS,)),
        ("links", LINK, (MOST_EVENTS + 1,)),
        ("hands", HAND, (_HANDS,)),
        ("acts", ACT, (3 * MOST_EVENTS + 8,)),
        ("bets", BET, (MOST_EVENTS + 1,)),
        ("found", FOUND, (MOST_FOUND,)),
        ("alike", ALIKE, (CIRCUMSTANCES,)),
        ("plain", PLAIN),
    ],
    align=True,
)
"""Where a round is laid out; its arrays are longer than what is in use. Within it wagers are numbered
as the round names them, and ``names`` has their numbers in the batch. ``initial`` has the seqs of the cards
of the initial deal, ``left`` of those that left the shoe; ``moves`` the numbers of acts by which
play moves on: cards after the initial deal, splits, doubles. It is one record, so that a
compiled function is handed one address and counts no references."""


class Table(NamedTuple):
    """One round being replayed: the round, the rulebook, and the space in which it is laid out."""

    round: Any
    book: Any
    space: Any


def records_of(count: int, kind: np.dtype[Any]) -> Records:
    """So many empty records of a kind."""
    return np.zeros(count, kind).view(np.recarray)


def room_for(count: int, kind: np.dtype[Any]) -> Records:
    """Room for so many records of a kind, which mean nothing before they are written."""
    return np.empty(count, kind).view(np.recarray)


def work_space() -> Records:
    """Room for one round at a time: one record in an array.

    To hand a compiled function the record itself takes numpy a tenth of a millisecond.
    """
    spaces = records_of(1, SPACE)
    for name in ("box_at", "hand_at", "buckets", "bet_at"):
        spaces[0][name][...] = -1
    return spaces
