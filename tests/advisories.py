"""Known weaknesses of the locked dependencies: ``python -m tests.advisories``.

The exit code is 1 where one is known. What could not be looked up is counted and said, since a
look-up that was not made finds nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).parents[1] / "requirements.lock"


def told(answer: str) -> tuple[int, str]:
    """An exit code and what to say of an answer of pip-audit in JSON, or of one that is none."""
    try:
        dependencies = json.loads(answer)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return 0, "Known weaknesses are NOT looked up: the service that lists them cannot be reached."
    weak = [
        f"{each['name']} {each['version']}: {weakness['id']}, mended in {', '.join(weakness['fix_versions'])}"
        for each in dependencies
        for weakness in each.get("vulns", ())
    ]
    skipped = sum("skip_reason" in each for each in dependencies)
    looked_up = f"{len(dependencies) - skipped} of {len(dependencies)} packages looked up"
    left = f", {skipped} NOT: the package index at hand says nothing of them" if skipped else ""
    return int(bool(weak)), "\n".join([*weak, f"Known weaknesses: {len(weak)}. {looked_up}{left}."])


def main() -> None:
    """Ask, and tell."""
    command = [*(sys.executable, "-m", "pip_audit"), *("--format", "json"), *("--progress-spinner", "off")]
    command += ["--require-hashes", "--disable-pip", "-r", str(LOCK)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    code, said = told(done.stdout)
    print(said)
    sys.exit(code)


if __name__ == "__main__":
    main()
