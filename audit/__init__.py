"""The pipeline: what reads round logs, keeps them, runs at night and reports."""
