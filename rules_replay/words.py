"""Texts of the log made harmless, for whoever shows them.

A log is written by others: a name in it may hold a character that acts on a terminal,
hides or turns text round.
"""


def visible(text: str) -> str:
    """The text with control, direction and other invisible characters written as escapes."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in text
    )
