"""Kills `ingest`, `run` and `surveil` and looks at what is left: ``python -m tests.crash --kills 300``."""
