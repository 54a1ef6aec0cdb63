"""The two engines together: Arrow tables in, Arrow tables out.

The kernel judges every round. What it finds, the readable engine tells: a round with a finding
is replayed by that engine too, which words the findings, and all that the two say of it is
compared, as it is for a sample of the other rounds. A difference stops the replay: no finding is
published that only one of the engines has made.
"""

from rules_replay.fast.replay import FastReplay

__all__ = ["FastReplay"]
