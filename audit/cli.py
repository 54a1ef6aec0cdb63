"""``pontoon-audit``: one thin function a command.

Data goes to standard output, progress and messages to standard error. Exit codes: 0 done
and nothing at or above ``--fail-on``, 1 findings at or above it, 2 usage or configuration,
3 incomplete; 3 wins over 1. What a command needs is imported when it runs, so that help
comes at once.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, ParamSpec

import typer
from typer.core import TyperGroup

from audit.errors import LakeError, UsageProblem
from audit.exit_codes import DONE, FOUND, INCOMPLETE, READER_GONE, USAGE, exit_code
from audit.failures import failure
from audit.observe.log import FORM_VARIABLE, in_json, note, say, speak
from audit.remote.address import remote_url
from audit.stopping import end_on_sigterm

if TYPE_CHECKING:
    from audit.lake import Lake
    from audit.partitions import Choice
    from audit.remote.working_copy import WorkingCopy

P = ParamSpec("P")


class _Commands(TyperGroup):
    """The commands; to machines a wrong command line is told like any other error."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        _speak(None)
        return self._told(super().make_context, *args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        return self._told(super().invoke, ctx)

    def _told(self, doing: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        try:
            return doing(*args, **kwargs)
        except Exception as error:
            if not in_json() or not hasattr(error, "format_message"):
                raise
            _stop(error.format_message(), USAGE)


app = typer.Typer(
    name="pontoon-audit",
    cls=_Commands,
    help="Replays casino Pontoon through the rulebook in force and reports every difference.",
    epilog="Exit codes: 0 done, 1 findings at or above --fail-on, 2 usage or configuration, 3 incomplete.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Rich help takes as long to import as all the rest of it.
    rich_markup_mode=None,
)
rules = typer.Typer(help="The law as the program holds it.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(rules, name="rules")
mappings = typer.Typer(help="How vendors' logs become rounds.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(mappings, name="mapping")
review = typer.Typer(
    help="Rounds for a person to check against the cameras.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(review, name="sample-review")
snapshots = typer.Typer(
    help="What is kept of a lake on object storage.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(snapshots, name="snapshots")

KEY_VARIABLE = "PONTOON_AUDIT_KEY"
"""Environment variable that names the key to sign with where --sign does not."""

_debug = False
"""Whether an error shows where in the code it happened."""

_cache: Path | None = None
_endpoint: str | None = None
"""Where working copies of lakes on object storage are, and the server that these are on."""

_copy: WorkingCopy | None = None
"""The working copy that the command is about, where its lake is on object storage."""


class FailOn(StrEnum):
    """From which severity on findings make the exit code 1."""

    breach = "breach"
    procedure = "procedure"
    ambiguous = "ambiguous"
    indeterminate = "indeterminate"
    notice = "notice"
    never = "never"


class Format(StrEnum):
    """How findings and rows are printed."""

    table = "table"
    jsonl = "jsonl"
    csv = "csv"


class CheckFormat(StrEnum):
    """How ``check`` prints."""

    table = "table"
    jsonl = "jsonl"
    csv = "csv"
    sarif = "sarif"
    junit = "junit"


class UnusualOn(StrEnum):
    """Whether ``surveil`` ends with 1 where something is unusual."""

    unusual = "unusual"
    never = "never"


class LogFormat(StrEnum):
    """How what goes to standard error is said: to people, or to machines."""

    text = "text"
    json = "json"


class EngineName(StrEnum):
    """Where a run replays its partitions."""

    local = "local"
    dask = "dask"
    spark = "spark"


class Made(StrEnum):
    """What somebody made of a finding; ``open`` takes it back."""

    confirmed = "confirmed"
    explained = "explained"
    false_positive = "false-positive"
    open = "open"


class Faults(StrEnum):
    """Which faults ``sample`` puts in."""

    none = "none"
    realistic = "realistic"
    all = "all"


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"expected a date such as 2019-03-01, got {text!r}") from None


def _date_option(name: str, text: str) -> Any:
    return typer.Option(name, help=text, metavar="DATE", parser=_day)


Files = Annotated[
    list[str], typer.Argument(metavar="FILE...", help="Round logs: files, folders, patterns, or - for stdin.")
]
TournamentFiles = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="Tournament logs: files, folders, patterns, or - for stdin."),
]
BookFiles = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="House books: files, folders, patterns, or - for stdin."),
]
LakeDir = Annotated[
    Path, typer.Option("--lake", metavar="DIR", help="Folder of the lake, or s3://BUCKET/PREFIX.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
FailOnOption = Annotated[FailOn, typer.Option("--fail-on", help="Severity from which the exit code is 1.")]
Venues = Annotated[
    Path | None,
    typer.Option("--venues", metavar="FILE", help="Venue register to use instead of the shipped one."),
]
Readings = Annotated[
    list[str] | None,
    typer.Option(
        "--reading", metavar="ID=VALUE", help="Answer to an open question of the rulebooks; repeatable."
    ),
]
MappingFile = Annotated[
    str | None,
    typer.Option(
        "--mapping", metavar="MAPPING", help="Read a vendor's files by this mapping: a file or a shipped id."
    ),
]
OnDate = Annotated[date | None, _date_option("--date", "Only this gaming date.")]
Since = Annotated[date | None, _date_option("--since", "This gaming date and later.")]
Until = Annotated[date | None, _date_option("--until", "This gaming date and earlier.")]
Venue = Annotated[
    list[str] | None, typer.Option("--venue", metavar="VENUE", help="Only this venue; repeatable.")
]
Sign = Annotated[
    Path | None,
    typer.Option(
        "--sign",
        metavar="KEY.pem",
        envvar=KEY_VARIABLE,
        help="Private key to sign with; `keygen` makes one.",
    ),
]
PublicKey = Annotated[
    Path | None,
    typer.Option("--key", metavar="PUBLIC.pem", help="Public key with which everything has to be signed."),
]
ReportDir = Annotated[
    Path | None,
    typer.Option("--report-dir", metavar="DIR", help="Where the report goes; LAKE/report unless given."),
]


def _output(name: str, text: str) -> Any:
    return typer.Option(name, metavar="FILE", help=text)


MetricsFile = Annotated[Path | None, _output("--metrics-file", "Write metrics for Prometheus here.")]
LineageFile = Annotated[Path | None, _output("--lineage-file", "Add OpenLineage events here, one a line.")]
SarifFile = Annotated[Path | None, _output("--sarif", "Write the findings as SARIF 2.1.0 here.")]
JunitFile = Annotated[Path | None, _output("--junit", "Write the findings as JUnit XML here.")]
BookId = Annotated[str, typer.Argument(metavar="RULEBOOK", help="Such as act-2018; `rules list` names them.")]


def _version(wanted: bool) -> None:
    if wanted:
        from audit.version import code_version

        print(f"pontoon-audit {code_version()}")
        raise typer.Exit(DONE)


def _speak(form: LogFormat | None) -> None:
    try:
        speak(form)
    except UsageProblem as problem:
        _stop(str(problem), USAGE)


@app.callback()
def _options(
    debug: Annotated[bool, typer.Option("--debug", help="Show where in the code an error happened.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
    log_format: Annotated[
        LogFormat | None,
        typer.Option(
            "--log-format",
            help=f"What goes to stderr: ${FORM_VARIABLE} or text unless given.",
            callback=_speak,
            is_eager=True,
        ),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="DIR", help="Folder for working copies of lakes on object storage."),
    ] = None,
    endpoint_url: Annotated[
        str | None, typer.Option("--endpoint-url", metavar="URL", help="S3 server, if not Amazon's.")
    ] = None,
) -> None:
    global _debug, _cache, _endpoint
    _debug, _cache, _endpoint = debug, cache, endpoint_url


def _for_people(command: Callable[P, int]) -> Callable[P, None]:
    """A command that returns its exit code, with its errors told in one line each."""

    @functools.wraps(command)
    def told(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            started = time.monotonic()
            code = _at_hand(command, *args, **kwargs)
            sys.stdout.flush()
            name = command.__name__.replace("_", " ")
            seconds = round(time.monotonic() - started, 3)
            note(
                f"{name}: exit code {code}", "command.finished", command=name, exit_code=code, seconds=seconds
            )
        except BrokenPipeError:
            # What is still held for the reader that has gone must not be written at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(READER_GONE) from None
        except (Exception, KeyboardInterrupt) as error:
            _stop(*failure(error))
        raise typer.Exit(code)

    return told


def _at_hand(command: Callable[P, int], *args: P.args, **kwargs: P.kwargs) -> int:
    """The command done on a folder, which is a working copy where its lake is on object storage."""
    global _copy
    _copy = None
    lake = kwargs.get("lake")
    url = remote_url(lake) if isinstance(lake, Path) else None
    if url is None:
        return command(*args, **kwargs)
    from audit.remote.session import working_on

    with working_on(url, command.__name__, kwargs, _cache, _endpoint) as _copy:
        kwargs["lake"] = _copy.root
        return command(*args, **kwargs)


def _url() -> str | None:
    return None if _copy is None else _copy.store.url


def _stop(message: str, code: int) -> NoReturn:
    if _copy is not None:
        message = message.replace(str(_copy.root), _copy.store.url)
    trace = None
    if _debug:
        import traceback

        trace = traceback.format_exc()
        if not in_json():
            say(trace.rstrip("\n"))
    say(f"pontoon-audit: {message}", "error", "error", exit_code=code, traceback=trace)
    raise typer.Exit(code) from None


def _choice(on: date | None, since: date | None, until: date | None, venues: list[str] | None) -> Choice:
    from audit.partitions import Choice

    if on is not None and (since is not None or until is not None):
        raise UsageProblem("--date stands alone; with --since and --until leave it out")
    if since is not None and until is not None and since > until:
        raise UsageProblem(f"--since {since} is after --until {until}")
    return Choice(venues=tuple(venues or ()), since=on or since, until=on or until)


# --- commands --------------------------------------------------------------------------------


@app.command()
@_for_people
def check(
    files: Files,
    form: Annotated[CheckFormat, typer.Option("--format", help="How to print.")] = CheckFormat.table,
    fail_on: FailOnOption = FailOn.breach,
    venues: Venues = None,
    reading: Readings = None,
    mapping: MappingFile = None,
    as_json: Json = False,
) -> int:
    """Replay round logs and print what is wrong; no lake needed."""
    from audit.check import Check
    from audit.commands.checking import show_check
    from audit.commands.mapping import chosen
    from audit.law import load_law
    from audit.progress import Progress

    quiet = sys.stdout.isatty() and (as_json or form is not CheckFormat.table)
    checked = Check(load_law(venues, reading or ()), None if quiet else Progress(), chosen(mapping))
    show_check(checked, checked.items(files), "json" if as_json else form.value, fail_on.value)
    return exit_code(checked.summary.complete, checked.summary.tally.findings, fail_on.value)


@app.command()
@_for_people
def tournament(
    files: TournamentFiles,
    rounds: Annotated[
        list[str] | None,
        typer.Option("--rounds", metavar="FILE", help="Round log of their rounds; repeatable."),
    ] = None,
    lake: Annotated[
        Path | None, typer.Option("--lake", metavar="DIR", help="Lake that has their rounds.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.table,
    fail_on: FailOnOption = FailOn.breach,
    venues: Venues = None,
    reading: Readings = None,
    as_json: Json = False,
) -> int:
    """Hold tournament logs against the rules on tournaments in force.

    With --rounds or --lake their rounds are looked up in the round log as well. What a
    tournament log holds is in docs/tournament-format.md.
    """
    from audit.commands.tournaments import show_tournaments
    from audit.lake import Lake
    from audit.law import load_law
    from audit.progress import Progress
    from audit.tournament_rounds import FiledRounds, LakeRounds, RoundSource
    from audit.tournaments import TournamentAudit
    from rules_replay.tournament import answers

    law = load_law(venues, reading or (), answers())
    _named_once(rounds, lake)
    source: RoundSource | None = None
    if rounds:
        quiet = sys.stdout.isatty() and (as_json or form is not Format.table)
        source = FiledRounds(rounds, None if quiet else Progress())
    elif lake is not None:
        source = LakeRounds(Lake(_there(lake)))
    held = TournamentAudit(law, source)
    show_tournaments(held, held.items(files), "json" if as_json else form.value)
    return exit_code(held.summary.complete, held.summary.findings, fail_on.value)


@app.command()
@_for_people
def book(
    files: BookFiles,
    rounds: Annotated[
        list[str] | None,
        typer.Option("--rounds", metavar="FILE", help="Round logs dealt at the time; repeatable."),
    ] = None,
    lake: Annotated[
        Path | None, typer.Option("--lake", metavar="DIR", help="Lake to take the rounds of.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.table,
    fail_on: FailOnOption = FailOn.breach,
    venues: Venues = None,
    as_json: Json = False,
) -> int:
    """Hold house books against the rulebook in force, with the rounds that they are about.

    What a house book holds is in docs/book-format.md.
    """
    from audit.books import BookAudit
    from audit.commands.books import show_books
    from audit.lake import Lake
    from audit.law import load_law

    _named_once(rounds, lake)
    held = BookAudit(load_law(venues))
    of_lake = None if lake is None else Lake(_there(lake))
    show_books(held, held.items(files, rounds or (), of_lake), "json" if as_json else form.value)
    return exit_code(held.summary.complete, held.summary.findings, fail_on.value)


@app.command()
@_for_people
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

    with Watch("ingest", lake, Outputs(metrics=metrics_file, lineage=lineage_file), _url()) as watch:
        by = chosen(mapping)
        sources, missing = find_sources(files, by)
        if not sources:
            raise UsageProblem("; ".join(str(each) for each in missing))
        law = load_law(venues)
        report = ingest_files(
            files,
            _signed(lake, sign),
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
@_for_people
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
    with Watch("run", lake, outputs, _url()) as watch:
        law = load_law(venues, reading or ())
        try:
            outcome = run_night(
                _signed(_there(lake), sign),
                law,
                _choice(on, since, until, venue),
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


def _named_once(rounds: list[str] | None, lake: Path | None) -> None:
    if rounds and lake is not None:
        raise UsageProblem("name where the rounds are once: either --rounds FILE or --lake DIR")


def _mapped_once(mapping: str | None, lake: Path | None) -> None:
    if mapping is not None and lake is not None:
        raise UsageProblem("--mapping reads a vendor's files; what a lake holds was mapped when it came in")


def _there(lake: Path) -> Path:
    from audit.lake import Lake

    try:
        Lake(lake).require()
    except LakeError as error:
        raise UsageProblem(str(error)) from None
    return lake


def _signed(lake: Path, key: Path | None) -> Lake:
    """A lake to write in, its records signed where a key is named."""
    from audit.lake import Lake
    from audit.observe.log import say
    from audit.premises import open_to_all

    if warning := open_to_all(lake):
        say(warning, "lake.exposed", "warning")
    written = None if _copy is None else _copy.publish
    if key is None:
        return Lake(lake, written=written)
    # It takes a tenth of a second to import.
    from audit.signing import load_signer

    return Lake(lake, load_signer(key), written)


@app.command()
@_for_people
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
    choice = _choice(on, since, until, venue)
    files = rebuild_report(Lake(_there(lake)), law, choice, report_dir)
    if _copy is not None:
        _copy.publish()
    code = tell_again(Lake(lake), law.register, choice, Outputs(sarif=sarif, junit=junit))
    if as_json:
        show_json({name: str(getattr(files, name)) for name in ("html", "csv", "xlsx", "json")})
    else:
        show_lines((f"Report: {files.html}",))
    return code


@app.command()
@_for_people
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
    ] = 0.01,
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
        _signed(_there(lake), sign), load_law(venues), _choice(on, since, until, venue), level
    )
    show_surveillance(published, "json" if as_json else form.value)
    if published.problem is not None:
        return INCOMPLETE
    unusual = any(each.verdict == "unusual" for each in published.found.results)
    return FOUND if unusual and fail_on is UnusualOn.unusual else DONE


@app.command()
@_for_people
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
    found = causes_of(Lake(_there(lake)), law, _choice(on, since, until, venue))
    if as_json:
        show_json(causes_json(found, law.register))
    else:
        show_causes(found, law.register)
    return DONE


@app.command()
@_for_people
def verify(
    lake: LakeDir,
    key: PublicKey = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            "--expect", metavar="LEDGER:LINE:SHA256", help="A record that has to be there; repeatable."
        ),
    ] = None,
    head: Annotated[
        bool,
        typer.Option("--head", help="Print the newest record of each ledger, to be noted down elsewhere."),
    ] = False,
    venues: Venues = None,
    report_dir: ReportDir = None,
    as_json: Json = False,
) -> int:
    """Hold everything in a lake against its ledgers.

    The hash chains of the ledgers and the SHA-256 of every published file and of the report are
    computed again, and the rulebooks and the venue register compared with those that the newest
    run of each date rests on; the exit code is 1 where one differs. Other code or libraries are
    noted. What was noted down of `--head` finds a lake that was set back to an earlier state.
    """
    from audit.commands.evidence import show_verified
    from audit.commands.show import show_json
    from audit.lake import Lake
    from audit.law import load_law
    from audit.signing import load_verifier
    from audit.verification import Anchor
    from audit.verification import verify as verify_lake

    found = verify_lake(
        Lake(_there(lake)),
        load_law(venues),
        key=None if key is None else load_verifier(key),
        expected=[Anchor.parse(each) for each in expect or ()],
        report_dir=report_dir,
    )
    if _copy is not None:
        from audit.remote.checking import with_objects

        found = with_objects(found, _copy)
    if as_json:
        show_json(found.as_json())
    else:
        show_verified(found, head)
    return DONE if found.intact else FOUND


@app.command()
@_for_people
def keygen(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the two key files.")],
    as_json: Json = False,
) -> int:
    """Make a key to sign with: a private key file for its owner only, and a public one for all."""
    from audit.commands.evidence import show_keys
    from audit.commands.show import show_json
    from audit.signing import make_keys

    keys = make_keys(folder)
    if as_json:
        show_json({"private": str(keys.private), "public": str(keys.public), "id": keys.id})
    else:
        show_keys(keys, KEY_VARIABLE)
    return DONE


@app.command()
@_for_people
def disposition(
    fingerprints: Annotated[
        list[str],
        typer.Argument(metavar="FINGERPRINT...", help="Of a finding, or as much of it as fits no other."),
    ],
    lake: LakeDir,
    status: Annotated[Made, typer.Option("--status", help="What was made of it; open takes it back.")],
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who looked into it.")],
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Why, in one line.")],
    sign: Sign = None,
    as_json: Json = False,
) -> int:
    """Record what somebody made of findings.

    It is added to a ledger, never altered, and binds to the finding in every later run.
    """
    from audit.clock import now
    from audit.commands.dispositions import show_disposed
    from audit.commands.show import show_json
    from audit.dispositions import dispose

    record = dispose(_signed(_there(lake), sign), fingerprints, status.value, by, note, now())
    if as_json:
        show_json(record)
    else:
        show_disposed(record)
    return DONE


@app.command()
@_for_people
def dispositions(lake: LakeDir, as_json: Json = False) -> int:
    """List what people made of findings, oldest first, and which of it stands."""
    from audit.commands.dispositions import listed, show_dispositions
    from audit.commands.show import show_json
    from audit.lake import Lake

    found = listed(Lake(_there(lake)))
    if as_json:
        show_json({"dispositions": found})
    else:
        show_dispositions(found)
    return DONE


@app.command()
@_for_people
def status(lake: LakeDir, as_json: Json = False) -> int:
    """What is in a lake: venues, dates, rows, the latest run."""
    from audit.commands.lakes import show_status
    from audit.commands.lakes import status as status_of
    from audit.commands.show import show_json
    from audit.lake import Lake

    if _copy is None:
        found = status_of(Lake(_there(lake)))
    else:
        from audit.remote.summary import status as status_of_snapshot

        found = status_of_snapshot(_copy)
    if as_json:
        show_json(found)
    else:
        show_status(found)
    return DONE


@app.command()
@_for_people
def explain(
    round_id: Annotated[str, typer.Argument(metavar="ROUND", help="Id of the round.")],
    file: Annotated[
        list[str] | None, typer.Option("--file", metavar="FILE", help="Round log that has it; repeatable.")
    ] = None,
    lake: Annotated[Path | None, typer.Option("--lake", metavar="DIR", help="Lake that has it.")] = None,
    venue: Annotated[
        str | None, typer.Option("--venue", metavar="VENUE", help="Its venue, where several have the id.")
    ] = None,
    level: Annotated[int, typer.Option("--level", min=1, max=3, help="1 short, 2 step by step, 3 all.")] = 2,
    mapping: MappingFile = None,
    venues: Venues = None,
    reading: Readings = None,
    as_json: Json = False,
) -> int:
    """One round step by step, with clauses and amounts."""
    from audit.commands.explaining import explain_from_files, explain_from_lake
    from audit.commands.mapping import chosen
    from audit.commands.show import show_explanation, show_json
    from audit.lake import Lake
    from audit.law import load_law

    if bool(file) == (lake is not None):
        raise UsageProblem("name where the round is: either --file FILE or --lake DIR")
    _mapped_once(mapping, lake)
    law = load_law(venues, reading or ())
    if lake is not None:
        told = explain_from_lake(round_id, Lake(_there(lake)), law, level, venue)
    else:
        told = explain_from_files(round_id, file or [], law, level, venue, chosen(mapping))
    if as_json:
        show_json(told.as_json())
    else:
        show_explanation(told)
    return DONE


@app.command()
@_for_people
def counterfactual(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE...]", help="Round logs: files, folders, patterns, or - for stdin."),
    ] = None,
    lake: Annotated[
        Path | None, typer.Option("--lake", metavar="DIR", help="Lake to take rounds of.")
    ] = None,
    under: Annotated[
        str | None, typer.Option("--under", metavar="RULEBOOK", help="The other rulebook; none: as in force.")
    ] = None,
    reading: Readings = None,
    on: OnDate = None,
    since: Since = None,
    until: Until = None,
    venue: Venue = None,
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.table,
    mapping: MappingFile = None,
    venues: Venues = None,
    as_json: Json = False,
) -> int:
    """Settle recorded rounds as played under another rulebook or reading.

    Lists the rounds, wagers and money that would change, what was done that the other
    rulebook would not allow, and counts what it cannot fix. --reading answers open
    questions of the other side only.
    """
    from audit.commands.counterfactual import Compare, show_comparison
    from audit.commands.mapping import chosen
    from audit.lake import Lake
    from audit.law import load_law

    if bool(files) == (lake is not None):
        raise UsageProblem("name where the rounds are: either FILE... or --lake DIR")
    _mapped_once(mapping, lake)
    choice = _choice(on, since, until, venue)
    if files and (on or since or until or venue):
        raise UsageProblem(
            "--date, --since, --until and --venue choose rounds of a lake; name one with --lake"
        )
    compare = Compare(load_law(venues, reading or ()), under)
    if lake is not None:
        items = compare.lake(Lake(_there(lake)), choice)
    else:
        items = compare.files(files or [], chosen(mapping))
    show_comparison(compare, items, "json" if as_json else form.value)
    return DONE if compare.summary.complete else INCOMPLETE


@app.command()
@_for_people
def export(
    lake: LakeDir,
    case: Annotated[
        str,
        typer.Option(
            "--case", metavar="ROUND|FINDING", help="Id of a round, ROUND#ORDINAL, or a fingerprint."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="New folder for the case.")],
    venue: Annotated[
        str | None, typer.Option("--venue", metavar="VENUE", help="Its venue, where several have the id.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--source", metavar="FILE", help="The log it came from, for its line.")
    ] = None,
    venues: Venues = None,
    sign: Sign = None,
    as_json: Json = False,
) -> int:
    """Put one round and all that its findings rest on into a sealed folder.

    Whoever gets it can check it with `recheck` alone. The same round gives the same bytes.
    """
    from audit.case.gather import gather, subject_of
    from audit.case.seal import write_sealed
    from audit.commands.evidence import exported, show_exported
    from audit.commands.show import show_json
    from audit.lake import Lake
    from audit.law import register_text
    from audit.signing import load_signer

    signer = None if sign is None else load_signer(sign)
    of_lake = Lake(_there(lake))
    found = gather(of_lake, subject_of(of_lake, case, venue), register_text(venues), source)
    made = exported(found, out, write_sealed(out, found.files, signer), signer)
    (show_json if as_json else show_exported)(made)
    return DONE


@app.command()
@_for_people
def recheck(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder that `export` made.")],
    key: PublicKey = None,
    as_json: Json = False,
) -> int:
    """Check a case: its seal, and whether its round still comes to the same bytes.

    Nothing but the folder is needed. Exit code 0 where all is the same, 1 where something
    differs, 3 where this version of the program cannot tell.
    """
    from audit.case.recheck import recheck as recheck_case
    from audit.commands.evidence import show_rechecked
    from audit.commands.show import show_json
    from audit.signing import load_verifier

    found = recheck_case(folder, None if key is None else load_verifier(key))
    if as_json:
        show_json(found.as_json())
    else:
        show_rechecked(found)
    return found.exit_code


@app.command()
@_for_people
def query(
    lake: LakeDir,
    sql: Annotated[
        str | None, typer.Argument(metavar="[SQL]", help="A query; stdin or a prompt unless given.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.table,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="DuckDB without confinement: it may write and read anything.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Ask the catalogue of a lake in SQL.

    The session reads the lake and nothing else, unless --unsafe is given.
    """
    from audit.commands.query import Form, answer, open_session, prompt, statements

    how: Form = "json" if as_json else form.value
    with open_session(_there(lake), unsafe) as session:
        if sql is None and sys.stdin.isatty():
            prompt(session, how)
            return DONE
        for statement in statements(sys.stdin.read() if sql is None else sql):
            answer(session, statement, how)
    return DONE


@app.command()
@_for_people
def sample(
    rulebook: BookId,
    rounds: Annotated[int, typer.Option("--rounds", min=1, metavar="N", help="Rounds to deal.")] = 100,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same seed deals the same night.")] = 1,
    faults: Annotated[Faults, typer.Option("--faults", help="Mistakes to put in.")] = Faults.none,
    rate: Annotated[
        float, typer.Option("--rate", min=0, max=1, metavar="SHARE", help="Share of rounds with a mistake.")
    ] = 0.05,
    tables: Annotated[int | None, typer.Option("--tables", min=1, metavar="N", help="Tables open.")] = None,
    on: Annotated[date | None, _date_option("--date", "Evening on which the tables open.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Log to write, .gz compressed; the truth goes beside it."),
    ] = None,
    as_json: Json = False,
) -> int:
    """Deal a round log by a rulebook, with or without labelled faults.

    With --out the faults put in are written beside the log, as FILE.truth; without it
    the rounds go to standard output.
    """
    from audit.commands.rules import held
    from audit.commands.show import show_json, show_lines
    from data_samples.croupier import deal_night
    from data_samples.write import write_night

    book = held(rulebook).id
    if out is None:
        if as_json:
            raise UsageProblem("--json tells what was written: name the file with --out")
        from audit.ingest.wire import encode_line

        night = deal_night(book, seed, rounds, faults=faults.value, rate=rate, tables=tables, evening=on)
        try:
            for round_, _ in night:
                sys.stdout.buffer.write(encode_line(round_) + b"\n")
        except ValueError as error:
            raise UsageProblem(str(error)) from None
        return DONE
    try:
        written = write_night(
            out, book, seed, rounds, faults=faults.value, rate=rate, tables=tables, evening=on
        )
    except ValueError as error:
        raise UsageProblem(str(error)) from None
    found = {
        "log": str(written.path),
        "truth": str(written.truth),
        "rounds": written.rounds,
        "faulty": written.faulty,
    }
    if as_json:
        show_json(found)
    else:
        show_lines(
            (f"{found['log']}: {written.rounds:,} rounds, {written.faulty:,} with a fault; {found['truth']}",)
        )
    return DONE


# --- lakes on object storage -----------------------------------------------------------------

RemoteLake = Annotated[Path, typer.Option("--lake", metavar="URL", help="The lake: s3://BUCKET/PREFIX.")]


@snapshots.command("list")
@_for_people
def snapshots_list(remote: RemoteLake, as_json: Json = False) -> int:
    """The snapshots that are kept of a lake, oldest first; each publication made one."""
    from audit.commands.show import show_json
    from audit.commands.snapshots import listed, show_listed

    (show_json if as_json else show_listed)(listed(remote, _endpoint))
    return DONE


@snapshots.command("prune")
@_for_people
def snapshots_prune(
    remote: RemoteLake,
    older_than: Annotated[
        int,
        typer.Option("--older-than", min=1, metavar="DAYS", help="Remove what was replaced so long ago."),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Remove nothing; tell what would go.")] = False,
    as_json: Json = False,
) -> int:
    """Remove old snapshots of a lake, and objects of none: those of a command that was killed.

    The newest snapshot stays whatever its age, and an object that is less than a day old.
    """
    from audit.commands.show import show_json
    from audit.commands.snapshots import prune, show_pruned

    (show_json if as_json else show_pruned)(prune(remote, older_than, _endpoint, dry_run=dry_run))
    return DONE


# --- the law ---------------------------------------------------------------------------------


@rules.command("list")
@_for_people
def rules_list(venues: Venues = None, as_json: Json = False) -> int:
    """The rulebooks held, and where and when each was in force."""
    from audit.commands.rules import listed, show_list
    from audit.commands.show import show_json
    from audit.law import load_law

    (show_json if as_json else show_list)(listed(load_law(venues).register))
    return DONE


@rules.command("show")
@_for_people
def rules_show(rulebook: BookId, as_json: Json = False) -> int:
    """Every term of a rulebook with its clause."""
    from audit.commands.rules import held, show_rulebook, shown
    from audit.commands.show import show_json

    (show_json if as_json else show_rulebook)(shown(held(rulebook)))
    return DONE


@rules.command("clauses")
@_for_people
def rules_clauses(
    named: Annotated[
        str | None, typer.Argument(metavar="RULEBOOK", help="Such as act-2018; `rules list` names them.")
    ] = None,
    rulebook: Annotated[
        str | None, typer.Option("--rulebook", metavar="RULEBOOK", help="The same, as an option.")
    ] = None,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Only what a log could show and no check covers.")
    ] = False,
    by_check: Annotated[
        bool, typer.Option("--by-check", help="The clause behind every check, outcome and irregularity.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Every clause of a rulebook, with the checks that hold it.

    Or the reason why there is none.
    """
    from audit.commands import rules as law
    from audit.commands.show import show_json

    if named is not None and rulebook not in (None, named):
        raise UsageProblem(f"two rulebooks named: {named} and {rulebook}; name one")
    if unchecked and by_check:
        raise UsageProblem("--unchecked lists clauses and --by-check lists checks; give one of them")
    book = law.held(named or rulebook)
    if by_check:
        (show_json if as_json else law.show_by_check)(law.by_check(book))
    else:
        (show_json if as_json else law.show_clauses)(law.clauses(book, unchecked=unchecked))
    return DONE


@rules.command("readings")
@_for_people
def rules_readings(
    rulebook: Annotated[
        str | None, typer.Argument(metavar="[RULEBOOK]", help="Such as act-2018; all unless given.")
    ] = None,
    reading: Readings = None,
    as_json: Json = False,
) -> int:
    """The questions that a rulebook leaves open, or those of every rulebook.

    Each with the answer in force, the default, the alternatives, the clause and the reason.
    """
    from audit.commands.rules import all_readings, held, readings, show_readings
    from audit.commands.show import show_json
    from audit.law import load_law
    from rules_replay.rulebook import READINGS
    from rules_replay.tournament import answers

    chosen = load_law(None, reading or (), {**READINGS, **answers()}).readings
    found = all_readings(chosen) if rulebook is None else readings(held(rulebook), chosen)
    if as_json:
        show_json(found)
    else:
        for book in found["rulebooks"] if rulebook is None else (found,):
            show_readings(book)
    return DONE


@rules.command("diff")
@_for_people
def rules_diff(one: BookId, other: BookId, as_json: Json = False) -> int:
    """Where two rulebooks differ.

    Terms, readings and the clauses of each check; between editions of one text also the
    clauses that are new, gone, changed or renumbered, and numbers that mean another rule now.
    """
    from audit.commands.rules import differences, held, show_differences
    from audit.commands.show import show_json

    (show_json if as_json else show_differences)(differences(held(one), held(other)))
    return DONE


@rules.command("lint")
@_for_people
def rules_lint(
    rulebooks: Annotated[
        list[str] | None, typer.Argument(metavar="[RULEBOOK...]", help="All that are held unless named.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Whether exactly one payout row applies to every hand that can win.

    Every final hand is enumerated and held against the rows as printed and against the
    engine; the exit code is 1 where a gap, an overlap or a row that nothing reaches is found.
    """
    from audit.commands.lint import lint, lint_json, show_lint
    from audit.commands.show import show_json

    found = lint(rulebooks or ())
    if as_json:
        show_json(lint_json(found))
    else:
        show_lint(found)
    return DONE if all(each.sound for each in found) else FOUND


# --- vendors' logs ------------------------------------------------------------------------------


MappingName = Annotated[str, typer.Argument(metavar="MAPPING", help="A mapping's file, or a shipped id.")]


@mappings.command("list")
@_for_people
def mapping_list(as_json: Json = False) -> int:
    """The mappings that come with the program."""
    from audit.commands.mapping import listed, show_listed
    from audit.commands.show import show_json

    (show_json if as_json else show_listed)(listed())
    return DONE


@mappings.command("show")
@_for_people
def mapping_show(mapping: MappingName, as_json: Json = False) -> int:
    """The text of a mapping that is in order, to be copied and adapted.

    With --json what it says, and the checks that it cannot support.
    """
    from audit.commands.mapping import described, text_of
    from audit.commands.show import show_json
    from audit.mapping.model import load_mapping

    if as_json:
        show_json(described(load_mapping(mapping)))
    else:
        sys.stdout.write(text_of(mapping))
    return DONE


@mappings.command("schema")
@_for_people
def mapping_schema(as_json: Json = False) -> int:
    """The JSON Schema of a mapping file, for editors; it is JSON with or without --json."""
    from audit.commands.show import show_json
    from audit.mapping.model import schema

    show_json(schema())
    return DONE


@mappings.command("test")
@_for_people
def mapping_test(
    mapping: MappingName,
    samples: Annotated[
        list[str], typer.Argument(metavar="SAMPLE...", help="The vendor's files, folders or patterns.")
    ],
    rounds: Annotated[int, typer.Option("--rounds", min=0, help="How many rounds to show.")] = 3,
    venues: Venues = None,
    as_json: Json = False,
) -> int:
    """What a mapping makes of a sample: the first rounds, what is not mapped, what cannot be checked."""
    from audit.commands.mapping import show_tried, tried
    from audit.commands.show import show_json
    from audit.law import load_law
    from audit.mapping.model import load_mapping

    done = tried(load_mapping(mapping), samples, load_law(venues), rounds)
    if as_json:
        show_json(done.as_json())
    else:
        show_tried(done)
    return INCOMPLETE if done.refused else DONE


# --- samples for the cameras -----------------------------------------------------------------


@review.command("draw")
@_for_people
def review_draw(
    lake: LakeDir,
    rounds: Annotated[int, typer.Option("--rounds", min=1, metavar="N", help="Rounds to draw.")],
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="The same seed draws the same rounds.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Worksheet to write, .xlsx or .csv.")],
    on: OnDate = None,
    since: Since = None,
    until: Until = None,
    venue: Venue = None,
    venues: Venues = None,
    as_json: Json = False,
) -> int:
    """Draw rounds into a worksheet, more of those with risk or much money on them.

    docs/sample-review.md says how they are drawn and how the worksheet is filled in.
    """
    from audit.commands.review import draw_worksheet, drawn_json, show_drawn
    from audit.commands.show import show_json
    from audit.lake import Lake
    from audit.law import load_law

    choice = _choice(on, since, until, venue)
    drawn = draw_worksheet(Lake(_there(lake)), load_law(venues), choice, rounds, seed, out)
    if as_json:
        show_json(drawn_json(drawn, out))
    else:
        show_drawn(drawn, out)
    return DONE


@review.command("conclude")
@_for_people
def review_conclude(
    worksheet: Annotated[Path, typer.Argument(metavar="WORKSHEET", help="Worksheet with its answers.")],
    lake: LakeDir,
    confidence: Annotated[str, typer.Option("--confidence", metavar="SHARE", help="Confidence.")] = "0.95",
    under: Annotated[
        str, typer.Option("--under", metavar="RATE", help="How many more rounds bring it to this rate?")
    ] = "0.01",
    as_json: Json = False,
) -> int:
    """How often the log can at most differ from what happened, by the answers of a worksheet.

    The sample is drawn again from the lake and must be the one in the worksheet. Exit code 1 where
    the log differs in any round, 3 where an answer is missing.
    """
    from audit.commands.review import conclude_from, exit_code_of, show_conclusion
    from audit.commands.show import show_json
    from audit.lake import Lake

    found = conclude_from(worksheet, Lake(_there(lake)), confidence, under)
    if as_json:
        show_json(found.as_json())
    else:
        show_conclusion(found)
    return exit_code_of(found)


def main() -> None:
    """The entry point of ``pontoon-audit``."""
    from audit.premises import private_umask

    end_on_sigterm()
    private_umask()
    app(prog_name="pontoon-audit")


if __name__ == "__main__":
    main()
