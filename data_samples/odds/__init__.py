"""The odds of the game: what a perfect basic player loses under each rulebook.

The house edges of Pontoon are published. Deriving them from the rulebooks of this
project, with a simulator that shares no code with the engine, is a proof of both:
the strategy comes from exact dealer probabilities, the edge from playing it.

Probabilities are floating point; money never is. Needs numba, which the rest of the
project does not: only `data_samples.odds.simulate` imports it.
"""
