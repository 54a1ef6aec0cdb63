"""Foreign logs by mapping: a TOML file says how a vendor's records become rounds.

`model` is the file and what is wrong with one, `read` takes a vendor's file apart into records,
`build` makes a round of a record, `drift` compares the fields of a file with those of the last.
"""
