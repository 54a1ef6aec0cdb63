"""Data Docs that need no network and are the same for the same results.

Great Expectations' own pages load style sheets, fonts, scripts and a logo from five
hosts, and carry random ids. The views here render the same content through the
templates beside this module, which have their style inside and no script.
"""

from __future__ import annotations

import itertools
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from jinja2 import ChoiceLoader, Environment, PackageLoader

from expectations.engine import (
    DefaultJinjaPageView,
    EphemeralDataContext,
    ValidationResultsPageRenderer,
    raised_by,
)
from expectations.report import ValidationReport

if TYPE_CHECKING:
    from great_expectations.data_context.store.store import DataDocsSiteConfigTypedDict

SITE = "docs"
_TEMPLATES = PackageLoader("expectations", "templates")


class OfflinePageView(DefaultJinjaPageView):
    """A page of a suite or of its results."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        assert self.env.loader is not None
        self.env.loader = ChoiceLoader([_TEMPLATES, self.env.loader])

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
    context: EphemeralDataContext, report: ValidationReport, docs_dir: Path, scratch: Path
) -> None:
    """Write the pages of every suite and result in ``context``, replacing what is in ``docs_dir``.

    ``scratch`` is a folder beside it, for the pages while they are made.
    """
    built = scratch / "docs"
    for name in context.get_site_names():
        context.delete_data_docs_site(name)
    view = {"module_name": __name__, "class_name": OfflinePageView.__name__}
    renderer = {"module_name": __name__, "class_name": ResultsRenderer.__name__}
    config: dict[str, Any] = {
        "class_name": "SiteBuilder",
        "show_how_to_buttons": False,
        "store_backend": {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(built)},
        "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
        "site_section_builders": {
            "expectations": {"view": view},
            "validations": {"view": view, "renderer": renderer},
            "profiling": "None",
        },
    }
    context.add_data_docs_site(site_name=SITE, site_config=cast("DataDocsSiteConfigTypedDict", config))
    context.build_data_docs(site_names=[SITE])
    (built / "index.html").write_text(_index(report, built), encoding="utf-8")
    shutil.rmtree(built / "static", ignore_errors=True)
    if docs_dir.exists():
        shutil.rmtree(docs_dir)
    built.replace(docs_dir)


def _index(report: ValidationReport, built: Path) -> str:
    """The first page: the verdict on each suite. Great Expectations' own calls an error a failure."""
    environment = Environment(loader=_TEMPLATES, autoescape=True)
    results = {
        page.relative_to(built).parts[1]: page.relative_to(built).as_posix()
        for page in (built / "validations").rglob("*.html")
    }
    return environment.get_template("index.html.j2").render(report=report, results=results)
