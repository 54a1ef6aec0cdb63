"""The nightly job and what is made of its lake, from ``ingest`` to ``status``."""

from __future__ import annotations

from typing import Annotated

import typer

from audit.cli.app import app, at_hand, for_people
from audit.cli.lakes import choice_of, refuse_file, say_lakes_among, signed, there
from audit.cli.options import (
    EngineName,
    FailOn,
    FailOnOption,
    Files,
    Format,
    Json,
    JunitFile,
    LakeDir,
    LineageFile,
    MappingFile,
    MetricsFile,
    OnDate,
    Readings,
    ReportDir,
    SarifFile,
    Sign,
    Since,
    Until,
    UnusualOn,
    Venue,
    Venues,
)
from audit.errors import UsageProblem
from audit.exit_codes import DONE, FOUND, INCOMPLETE
from audit.surveil import LEVEL


@app.command()
@for_people
def ingest(
    files: Files,
    lake: LakeDir,
    supersede: Annotated[
        bool, typer.Option("--supersede", help="A round stored with other content is replaced and archived.")
    ] = False,
    mapping: MappingFile = None,
    venues: Venues = None,
    sign: Sign = None,
    metrics_file: MetricsFile = None,
    lineage_file: LineageFile = None,
    as_json: Json = False,
) -> int:
    """Put round logs into a lake, with control totals and quarantine.

    A file ingested before is left alone. A round stored before with other content is
    quarantined unless --supersede is given.
    """
    from audit.commands.lakes import show_ingest
    from audit.commands.mapping import chosen, say_drift
    from audit.commands.show import show_json
    from audit.ingest.pipeline import ingest as ingest_files
    from audit.ingest.sources import find_sources
    from audit.law import load_law
    from audit.observe.watch import Outputs, Watch
    from audit.progress import Progress

    with Watch("ingest", lake, Outputs(metrics=metrics_file, lineage=lineage_file), at_hand.url) as watch:
        by = chosen(mapping)
        say_lakes_among(files)
        sources, missing = find_sources(files, by)
        if not sources:
            raise UsageProblem("; ".join(str(each) for each in missing))
        law = load_law(venues)
        report = ingest_files(
            files,
            signed(lake, sign),
            law.register,
            supersede=supersede,
            register_sha256=law.register_sha256,
            progress=Progress().counting(),
            mapping=by,
        )
    say_drift(report)
    code = watch.ingested(report, sources, DONE if report.complete else INCOMPLETE)
    if as_json:
        show_json(report.as_json())
    else:
        show_ingest(report)
    return code


@app.command()
@for_people
def run(
    lake: LakeDir,
    on: OnDate = None,
    since: Since = None,
    until: Until = None,
    venue: Venue = None,
    fail_on: FailOnOption = FailOn.breach,
    reading: Readings = None,
    venues: Venues = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", min=1, metavar="N", help="Processes; one a processor unless given."),
    ] = None,
    engine: Annotated[
        EngineName, typer.Option("--engine", help="Where partitions are replayed: here, or on a cluster.")
    ] = EngineName.local,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="Scheduler of the cluster: its address, or the file it wrote; with spark its master.",
        ),
    ] = None,
    report_dir: ReportDir = None,
    changed: Annotated[
        bool, typer.Option("--changed", help="Only partitions that would come out otherwise than last time.")
    ] = False,
    ignore_disposed: Annotated[
        bool,
        typer.Option("--ignore-disposed", help="Explained findings and false positives leave the exit code."),
    ] = False,
    sign: Sign = None,
    metrics_file: MetricsFile = None,
    lineage_file: LineageFile = None,
    sarif: SarifFile = None,
    junit: JunitFile = None,
    as_json: Json = False,
) -> int:
    """Replay, validate, publish and report: the nightly job.

    Without dates and venues it takes everything in the lake. With dates, quarantined lines
    whose date could not be read are left out. Nothing stored under the choice is exit code 2.
    With --changed a partition is left alone that was audited before with the same evidence, law
    and code; where that is true of all, nothing is recorded and the exit code is 0.
    With --ignore-disposed findings that `disposition` explained or called false positives do not
    count for --fail-on, unless severity, amount or event have changed since.
    Metrics, lineage, SARIF and JUnit files are written last, the first two also where it fails; see
    docs/operations.md. One that cannot be written makes the exit code 3.
    """
    from audit.commands.lakes import show_run
    from audit.commands.show import show_json, show_lines
    from audit.engines.choice import chosen_engine
    from audit.errors import NothingChanged
    from audit.law import load_law
    from audit.observe.watch import Outputs, Watch
    from audit.run import run as run_night

    outputs = Outputs(metrics=metrics_file, lineage=lineage_file, sarif=sarif, junit=junit)
    with Watch("run", lake, outputs, at_hand.url) as watch:
        law = load_law(venues, reading or ())
        refuse_file(report_dir)
        try:
            outcome = run_night(
                signed(there(lake), sign),
                law,
                choice_of(on, since, until, venue),
                fail_on=fail_on.value,
                engine=chosen_engine(engine.value, scheduler, jobs),
                report_dir=report_dir,
                only_changed=changed,
                ignore_disposed=ignore_disposed,
            )
        except NothingChanged as nothing:
            code = watch.unchanged(nothing, law.register)
            if as_json:
                show_json({"exit_code": code, "unchanged": nothing.partitions})
            else:
                show_lines((str(nothing),))
            return code
    code = watch.ran(outcome, law.register)
    if as_json:
        show_json({**outcome.as_json(), "exit_code": code})
    else:
        show_run(outcome)
    return code


@app.command()
@for_people
def report(
    lake: LakeDir,
    on: OnDate = None,
    since: Since = None,
    until: Until = None,
    venue: Venue = None,
    venues: Venues = None,
    report_dir: ReportDir = None,
    sarif: SarifFile = None,
    junit: JunitFile = None,
    as_json: Json = False,
) -> int:
    """Write the report of the latest run again.

    With dates and venues it is about that part of the run.
    """
    from audit.commands.lakes import rebuild_report
    from audit.commands.show import show_json, show_lines
    from audit.lake import Lake
    from audit.law import load_law
    from audit.observe.watch import Outputs, tell_again

    law = load_law(venues)
    refuse_file(report_dir)
    choice = choice_of(on, since, until, venue)
    files = rebuild_report(Lake(there(lake)), law, choice, report_dir)
    if at_hand.copy is not None:
        at_hand.copy.publish()
    code = tell_again(Lake(lake), law.register, choice, Outputs(sarif=sarif, junit=junit))
    if as_json:
        show_json({name: str(getattr(files, name)) for name in ("html", "csv", "xlsx", "json")})
    else:
        show_lines((f"Report: {files.html}",))
    return code


@app.command()
@for_people
def surveil(
    lake: LakeDir,
    on: OnDate = None,
    since: Since = None,
    until: Until = None,
    venue: Venue = None,
    level: Annotated[
        float,
        typer.Option(
            "--level", min=1e-9, max=0.5, metavar="SHARE", help="Share of unusual results that may be chance."
        ),
    ] = LEVEL,
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.table,
    fail_on: Annotated[
        UnusualOn, typer.Option("--fail-on", help="With unusual the exit code is 1 where something is.")
    ] = UnusualOn.never,
    venues: Venues = None,
    sign: Sign = None,
    as_json: Json = False,
) -> int:
    """Put rounds together by dealer, table, shift and player, and say what is unusual.

    Rates against the house's own, card frequencies against exact chances, hold, repeated
    sequences, missing cards and raised stakes. Likelihoods and limits, never guilt; see
    docs/surveillance.md. The results go into the lake, its report and audit.duckdb.
    """
    from audit.commands.surveil import show_surveillance
    from audit.law import load_law
    from audit.surveil.publish import publish_surveillance

    published = publish_surveillance(
        signed(there(lake), sign), load_law(venues), choice_of(on, since, until, venue), level
    )
    show_surveillance(published, "json" if as_json else form.value)
    if published.problem is not None:
        return INCOMPLETE
    unusual = any(each.verdict == "unusual" for each in published.found.results)
    return FOUND if unusual and fail_on is UnusualOn.unusual else DONE


@app.command()
@for_people
def causes(
    lake: LakeDir,
    on: OnDate = None,
    since: Since = None,
    until: Until = None,
    venue: Venue = None,
    venues: Venues = None,
    as_json: Json = False,
) -> int:
    """What most likely lies behind the findings of the latest run.

    Findings that went wrong in the same manner are gathered where a table, a dealer, a time or
    the venue explains them better than chance; see docs/causes.md. A likelihood accuses nobody.
    """
    from audit.causes.table import causes_json
    from audit.commands.causes import causes_of, show_causes
    from audit.commands.show import show_json
    from audit.lake import Lake
    from audit.law import load_law

    law = load_law(venues)
    found = causes_of(Lake(there(lake)), law, choice_of(on, since, until, venue))
    if as_json:
        show_json(causes_json(found, law.register))
    else:
        show_causes(found, law.register)
    return DONE


@app.command()
@for_people
def status(lake: LakeDir, as_json: Json = False) -> int:
    """What is in a lake: venues, dates, rows, the latest run."""
    from audit.commands.lakes import show_status
    from audit.commands.lakes import status as status_of
    from audit.commands.show import show_json
    from audit.lake import Lake

    if at_hand.copy is None:
        found = status_of(Lake(there(lake)))
    else:
        from audit.remote.summary import status as status_of_snapshot

        found = status_of_snapshot(at_hand.copy)
    if as_json:
        show_json(found)
    else:
        show_status(found)
    return DONE
