"""What the pages have in common: templates of a package, and the policy that keeps a page to itself."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from audit.report.text import visible


@cache
def packaged(package: str, name: str) -> str:
    """A file beside the templates of a package."""
    return files(package).joinpath("templates", name).read_text(encoding="utf-8")


def environment(package: str, **functions: Callable[..., Any]) -> Environment:
    """The templates of a package, which may call ``functions``; recorded text is escaped and made visible."""
    made = Environment(
        loader=FunctionLoader(lambda name: packaged(package, name)),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals.update(functions)
    return made


def policy(style: str, script: str | None = None) -> str:
    """The content policy of a page: its own style and script by their SHA-256, and nothing from elsewhere."""
    parts = ["default-src 'none'", f"style-src '{_digest(style)}'"]
    parts += [] if script is None else [f"script-src '{_digest(script)}'"]
    return "; ".join([*parts, "base-uri 'none'", "form-action 'none'"])


def _shown(value: Any) -> Any:
    return visible(value) if type(value) is str else value


def _digest(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
