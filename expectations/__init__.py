"""The verdicts: Great Expectations suites over the lake, run in DuckDB.

Importing this package does not import Great Expectations, which takes seconds:
`expectations.tables` and `expectations.session` do without it, `expectations.validate`
brings it in. Nothing outside this package knows how the two meet.
"""
