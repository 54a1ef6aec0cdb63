"""The fast engine: the whole replay as compiled functions over flat arrays.

Written apart from `rules_replay.engine`, with which it shares the vocabulary and no logic; the
two are compared on generated rounds by the tests and on the rounds of every run. The modules
stand in the order of play:

* `compiled`: the door to numba, `places` a step behind it; `codes`, `book`, `records`: the words, the
  rulebook and the table as small integers;
* `encode`: Arrow tables to records;
* `table`: one round laid out; `count`: totals of hands;
* `standing`, `payout`, `sides`, `dealer`, `settlement`, `bonus`: what every wager is due;
* `dealing`, `placing`, `options`, `turns`, `timing`, `irregularities`, `comparison`: the checks;
* `shoe`: what only a run of rounds shows; `coverage`: which checks a round supports;
* `plain`, `plain_play`, `plain_dues`: the short way for most rounds;
* `judge`: one round from first to last; `batch`: many of them; `hands`, `settlements`: what they came to;
* `reasons`, `stories`: why, as text, once that is written out.
"""
