"""``python -m audit.cli``: the same as ``pontoon-audit``."""

from audit.cli import main

main()
