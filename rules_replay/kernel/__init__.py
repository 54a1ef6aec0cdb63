"""The fast engine: the whole replay as compiled functions over flat arrays.

Written apart from `rules_replay.engine`, with which it shares the vocabulary and no logic; the
two are compared on generated rounds by the tests and on the rounds of every run. The modules
stand in the order of play:

* `compiled`: the door to numba, `places` a step behind it, `kept` where its work lies; `codes`, `book`,
  `books`, `records`: the words, the rulebook and the table as small integers;
* `encode`, `cells`: Arrow tables to records;
* `laying_out`, `initial_deal`, `excess`: one round laid out, as `pieces` and `acts`; `table`, `facts`: what
  the rules ask of them; `count`: totals of hands;
* `standing`, with `given_up`, `voiding`, `short_hands` and `dealers_cards`, `payout`, `sides`, `dealer`,
  `settlement`, `bonus`, with `terms` and `clauses`: what every wager is due;
* `dealing`, `removals`, `placing`, `side_checks`, `options`, `windows`, `timing`, `interim`, `dealer_checks`,
  `irregularities`, `comparison`: the checks, whose findings `report` collects;
* `shoe`: what only a run of rounds shows;
* `evidence`, `lacking`: what a round lacks; `coverage`: which checks it supports;
* `plain`, `plain_play`, `plain_dues`, `dues`: the short way for most rounds;
* `judge`: one round from first to last; `batch`: many of them; `hands`, `settlements`: what they came to;
* `reasons`, `stories`, `words`: why, as text, once that is written out; `spread`, `lists`: rows to columns.
"""
