"""Surveillance over many rounds: rates, frequencies, hold, shoes and stakes, with likelihoods and limits.

The audit says what was wrong in a round. Here rounds are put together by dealer, table, shift and
player, and each question is answered by an exact test, or by a bet against chance that cannot
grow by looking often. What is unusual is named with how unlikely it is, what it rests on and
what it does not show. Nothing here says why, and nobody is found guilty.
"""

from typing import Final

LEVEL: Final = 0.01
"""Share of the results called unusual that may be false, for each question and kind of subject."""
