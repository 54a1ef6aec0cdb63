"""The law of Pontoon and the replay of recorded rounds.

Knows nothing of files, lakes or reports: a round and a rulebook come in, hands,
settlements, findings and coverage go out.
"""
