"""Kills `ingest` and `run` and looks at what is left: ``python -m tests.crash --kills 300``."""
