"""Sample logs, and the croupier that deals them.

The croupier is a plain, slow, readable simulator: it deals from a true shoe, plays
and settles by a rulebook, and puts in faults with a label, so that what an audit
finds can be compared with what is known to be wrong.
"""
