"""What a croupier has to know of a rulebook to deal and to ask the players."""

from __future__ import annotations

from dataclasses import dataclass

from rules_replay.rulebook import NONE, Rulebook


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """Options and duties of a rulebook, as the table's staff would list them.

    A limit of 0 stands for none. ``pays_doubled_21_at_once`` is false where the rules
    let it wait (rws-2017 3.15). ``checks`` are those that a clause of the rulebook, or its
    silence, leaves something to look for.
    """

    rulebook: str
    decks: tuple[int, int]
    decks_with_perfect_pairs: int
    hands_per_box: int
    split_after_declining: bool
    double_on: str
    fixed_aces: str
    own_total_undoubled: bool
    surrender_window: str
    surrender_binds: str
    players_per_box: int
    rider_chooses_hand: bool
    insures_others: bool
    side_kinds: tuple[str, ...]
    one_side_kind: bool
    second_card_idle: bool
    later_cards_idle: bool
    pays_doubled_21_at_once: bool
    dealer_pontoon_split: str
    dealer_pontoon_double: str
    super_bonus: bool
    shuffle_required: bool
    cuts_at_maximum: bool
    side_bet_needs: str
    sides_per_box: int
    insurance_increment: str
    one_main_per_player: bool
    foreign_card_voids: bool
    checks: frozenset[str]


def law_of(book: Rulebook) -> Law:
    """Read the croupier's list off a rulebook under its readings in force."""
    return Law(
        rulebook=book.id,
        decks=(book.whole("deck.minimum"), book.whole("deck.maximum")),
        decks_with_perfect_pairs=book.whole("deck.minimum_with_perfect_pairs"),
        hands_per_box=book.whole("split.hands_per_box"),
        split_after_declining=book.word("split.declined") == "allowed",
        double_on=book.word("double.on"),
        fixed_aces=book.reads("fixed_aces"),
        own_total_undoubled=book.reads("co_wagerer_not_doubling_total") == "own",
        surrender_window=book.reads("surrender_window"),
        surrender_binds=book.reads("surrender_binds"),
        players_per_box=book.whole("wager.players_per_box"),
        rider_chooses_hand=book.word("split.co_wagerer_hand") == "any",
        insures_others=book.word("insurance.third_party") == "when_declined",
        side_kinds=book.side_kinds(),
        one_side_kind=book.flag("side.one_kind_a_table"),
        second_card_idle=book.reads("dealer_second_card_idle") == "allowed",
        later_cards_idle=book.reads("dealer_plays_on_idle") == "allowed",
        pays_doubled_21_at_once=book.word("interim.doubled_21") != "exempt",
        dealer_pontoon_split=book.reads("dealer_pontoon_split"),
        dealer_pontoon_double=book.reads("dealer_pontoon_double"),
        super_bonus=book.reads("super_bonus_excluded_by") != "never_paid",
        shuffle_required=book.word("shoe.shuffle") == "required",
        side_bet_needs=book.reads("side_bet_needs"),
        sides_per_box=book.whole("side.per_box"),
        insurance_increment=book.word("insurance.increment"),
        one_main_per_player=book.flag("wager.one_main_per_player"),
        foreign_card_voids=book.word("deck.foreign_card") == "round_void",
        cuts_at_maximum=book.reads("over_max_base") == "capped",
        checks=frozenset(code for code, clause in book.clauses.items() if clause != NONE),
    )
