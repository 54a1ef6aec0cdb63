"""Input that nobody meant: targets that take any bytes, and a corpus of what was hard before.

``python -m tests.fuzz TARGET --seconds N`` looks for more; see docs/trust.md.
"""
