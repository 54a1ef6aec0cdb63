"""`make bench`: how fast it is, measured beside a reference in the same run, and the page about it."""
