"""Data Docs that need no network and are the same for the same results.

Great Expectations' own pages load style sheets, fonts, scripts and a logo from five
hosts, and carry random ids. The views here render the same content through the
templates beside this module, which have their style inside and no script.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache, ChoiceLoader, Environment, PackageLoader
from jinja2.bccache import Bucket

from expectations.engine import (
    DefaultJinjaPageView,
    ExpectationSuitePageRenderer,
    ValidationResultIdentifier,
    ValidationResultsPageRenderer,
    raised_by,
)
from expectations.report import ValidationReport
from expectations.suites import PlannedSuite

_TEMPLATES = PackageLoader("expectations", "templates")


class _Compiled(BytecodeCache):
    """Templates compiled in this process: a process may run more than once, and they are never altered."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


class OfflinePageView(DefaultJinjaPageView):
    """A page of a suite or of its results."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        assert self.env.loader is not None
        self.env.loader = ChoiceLoader([_TEMPLATES, self.env.loader])
        self.env.bytecode_cache = _COMPILED

    def render(self, document: Any, template: str | None = None, **kwargs: Any) -> str:
        self._ids = itertools.count(1)
        return str(super().render(document, template, **kwargs))  # type: ignore[no-untyped-call]

    def generate_html_element_uuid(self, prefix: str | None = None) -> str:
        return f"{prefix or ''}{next(self._ids)}"


class ResultsRenderer(ValidationResultsPageRenderer):
    """The results of a suite, headed by an error where one of its expectations raised."""

    def render(self, validation_results: Any, suite_parameters: Any = None) -> Any:
        # Great Expectations turns the instant into the machine's own zone and then writes it as UTC.
        run = validation_results.meta["run_id"]
        moment = datetime.fromisoformat(run["run_time"]).astimezone(UTC)
        validation_results.meta["run_id"] = {**run, "run_time": moment.isoformat()}
        return super().render(validation_results, suite_parameters)

    @classmethod
    def _render_validation_header(cls, validation_results: Any) -> Any:
        header = super()._render_validation_header(validation_results)  # type: ignore[no-untyped-call]
        shown = header.subheader.string_template["params"] | {"success": ""}
        if any(raised_by(each) for each in validation_results.results):
            shown["html_success_icon"] = _ERROR_ICON
        header.subheader.string_template["params"] = shown
        return header


_ERROR_ICON = '<i class="fas fa-exclamation-triangle text-warning"></i>'


def write_pages(
    report: ValidationReport,
    planned: Iterable[PlannedSuite],
    results: Mapping[ValidationResultIdentifier, Any],
    docs_dir: Path,
    scratch: Path,
) -> None:
    """Write a page of every suite and of every result, replacing what is in ``docs_dir``.

    ``scratch`` is a folder beside it, for the pages while they are made.
    """
    built = scratch / "docs"
    view, judged = OfflinePageView(), ResultsRenderer()
    for each in planned:
        _write(suite_page(each), built, "expectations", each.name)
    for key, result in results.items():
        place = key.to_tuple()  # type: ignore[no-untyped-call]
        _write(_page(view, judged.render(result)), built, "validations", *place)
    (built / "index.html").write_text(_index(report, built), encoding="utf-8")
    if docs_dir.exists():
        shutil.rmtree(docs_dir)
    built.replace(docs_dir)


@cache
def suite_page(planned: PlannedSuite) -> str:
    """What a suite expects, which is the same in every run."""
    document = ExpectationSuitePageRenderer().render(planned.suite)  # type: ignore[no-untyped-call]
    return _page(OfflinePageView(), document)


def _page(view: OfflinePageView, document: Any) -> str:
    return view.render(document, data_context_id=None, show_how_to_buttons=False)


def _write(page: str, built: Path, *place: str) -> None:
    *folders, name = place
    folder = built.joinpath(*folders)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.html").write_text(page, encoding="utf-8")


def _index(report: ValidationReport, built: Path) -> str:
    """The first page: the verdict on each suite. Great Expectations' own calls an error a failure."""
    environment = Environment(loader=_TEMPLATES, autoescape=True)
    results = {
        page.relative_to(built).parts[1]: page.relative_to(built).as_posix()
        for page in (built / "validations").rglob("*.html")
    }
    return environment.get_template("index.html.j2").render(report=report, results=results)
