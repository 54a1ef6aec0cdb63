"""The house book: what a casino writes down beside its round log, held against every edition.

`catalogue` lists the checks of a book, `citations` the clauses they hold, and `audit_book`
makes them, with the rounds where they are given. Round logs, their checks and their
coverage know nothing of it.
"""

from rules_replay.book.law import catalogue, citations, editions
from rules_replay.book.log import FORMAT, AnyEntry
from rules_replay.book.replay import BookReplay, CheckMade, audit_book
from rules_replay.book.rounds import Dealt, dealt

__all__ = [
    "FORMAT",
    "AnyEntry",
    "BookReplay",
    "CheckMade",
    "Dealt",
    "audit_book",
    "catalogue",
    "citations",
    "dealt",
    "editions",
]
