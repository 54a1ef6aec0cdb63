"""Ingest: files in, typed rounds out, every rejected line kept with its reason."""
