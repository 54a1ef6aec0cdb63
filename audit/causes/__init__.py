"""Causes: the findings of a run, gathered by what most likely lies behind them.

`gather` takes what the report has open of a lake and gives one `Cause` for every finding or
cluster of findings. docs/causes.md says how, and what a cause does not say.
"""

from audit.causes.find import Gathered, gather
from audit.causes.model import Cause, Causes

__all__ = ["Cause", "Causes", "Gathered", "gather"]
