"""``python -m tests.bench.measure NAME ARGUMENT…`` takes one of `tests.bench.measures`.

A module of its own: the main one is loaded again by each process that a measure starts.
"""

if __name__ == "__main__":
    from tests.bench.measures import main

    main()
