"""The readable engine: the reference for what the rules require of one round.

`replay_round` takes a round and a rulebook and returns hands, settlements, findings and coverage. The
modules follow the round: ``laying_out`` applies its events, those of the ``initial_deal`` (with ``excess``,
its cards too many) among them, which leaves ``pieces`` on the table and ``acts`` that put them there; what
the rules ask of both is asked of a ``table``. ``placing``, ``dealing``, ``removals``, ``options`` (with
``windows``, until when each is open), ``timing``, ``irregularities`` and ``dealer`` judge what was done;
``standing`` (with ``given_up``, ``voiding``, ``short_hands`` and ``dealers_cards``), ``payout``,
``settlement``, ``sides`` and ``bonus`` say what each wager is due, in ``terms``; ``comparison`` holds that
against what was recorded. ``report`` collects what is found, ``evidence`` says what a round lacks and
``coverage`` which checks it supports. ``replay`` takes a round through all of them.
"""

from rules_replay.engine.replay import Played, judge, play, replay_round

__all__ = ["Played", "judge", "play", "replay_round"]
