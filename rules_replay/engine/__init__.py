"""The readable engine: the reference for what the rules require of one round.

`replay_round` takes a round and a rulebook and returns hands, settlements, findings
and coverage. The modules follow the round: ``table`` lays the events out; ``placing``,
``dealing``, ``removals``, ``options`` (with ``windows``, until when each is open), ``timing``,
``irregularities`` and ``dealer`` judge what was done; ``standing``, ``payout``, ``settlement``, ``sides`` and
``bonus`` say what each wager is due, in ``terms``; ``comparison`` holds that against what was recorded.
``report`` collects what is found, ``evidence`` says what a round lacks and ``coverage`` which checks it
supports.
"""

from rules_replay.engine.replay import Played, judge, play, replay_round

__all__ = ["Played", "judge", "play", "replay_round"]
