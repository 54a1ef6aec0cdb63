"""The program as typer knows it: errors told to people, exit codes, and the lake at hand.

Data goes to standard output, progress and messages to standard error. Exit codes: 0 done
and nothing at or above ``--fail-on``, 1 findings at or above it, 2 usage or configuration,
3 incomplete; 3 wins over 1.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, ParamSpec

import typer
from typer.core import TyperGroup

from audit.cli.options import LogFormat
from audit.errors import UsageProblem
from audit.exit_codes import DONE, READER_GONE, USAGE
from audit.failures import failure
from audit.observe.log import FORM_VARIABLE, in_json, note, say, speak
from audit.remote.address import remote_url

if TYPE_CHECKING:
    from audit.remote.working_copy import WorkingCopy

P = ParamSpec("P")


@dataclass(slots=True)
class _AtHand:
    """What holds for the command under way.

    ``debug`` is whether an error shows where in the code it happened; ``cache`` and ``endpoint``
    are where working copies of lakes on object storage lie, and the server that these are on;
    ``copy`` is the one that the command is about, None where its lake is a folder.
    """

    debug: bool = False
    cache: Path | None = None
    endpoint: str | None = None
    copy: WorkingCopy | None = None

    @property
    def url(self) -> str | None:
        """The address of the lake where it is on object storage."""
        return None if self.copy is None else self.copy.store.url


at_hand = _AtHand()


class _Commands(TyperGroup):
    """The commands; to machines a wrong command line is told like any other error."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        return self._told(self._made, *args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        return self._told(super().invoke, ctx)

    def _made(self, *args: Any, **kwargs: Any) -> Any:
        _speak(None)
        return super().make_context(*args, **kwargs)

    def _told(self, doing: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        try:
            return doing(*args, **kwargs)
        except KeyboardInterrupt as error:
            # Typer would end without a word, and with the same code for SIGTERM as for Ctrl-C.
            stop(*failure(error))
        except Exception as error:
            if isinstance(error, typer.BadParameter):
                # What typer reads values with begins so.
                error.message = error.message.removeprefix("Value error, ")
            if not in_json() or not hasattr(error, "format_message"):
                raise
            stop(error.format_message(), USAGE)


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


def group(name: str, about: str) -> typer.Typer:
    """A group of commands that have a word in front of them."""
    made = typer.Typer(help=about, no_args_is_help=True, rich_markup_mode=None)
    app.add_typer(made, name=name)
    return made


def _version(wanted: bool) -> None:
    if wanted:
        from audit.version import code_version

        print(f"pontoon-audit {code_version()}")
        raise typer.Exit(DONE)


def _speak(form: LogFormat | None) -> None:
    try:
        speak(form)
    except UsageProblem as problem:
        stop(str(problem), USAGE)


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
    at_hand.debug, at_hand.cache, at_hand.endpoint = debug, cache, endpoint_url


def for_people(command: Callable[P, int]) -> Callable[P, None]:
    """A command that returns its exit code, with its errors told in one line each."""

    @functools.wraps(command)
    def told(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            started = time.monotonic()
            code = _on_a_folder(command, *args, **kwargs)
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
            stop(*failure(error))
        raise typer.Exit(code)

    return told


def _on_a_folder(command: Callable[P, int], *args: P.args, **kwargs: P.kwargs) -> int:
    """The command done on a folder, which is a working copy where its lake is on object storage."""
    at_hand.copy = None
    lake = kwargs.get("lake")
    url = remote_url(lake) if isinstance(lake, Path) else None
    if url is None:
        return command(*args, **kwargs)
    from audit.remote.session import working_on

    with working_on(url, command.__name__, kwargs, at_hand.cache, at_hand.endpoint) as at_hand.copy:
        kwargs["lake"] = at_hand.copy.root
        return command(*args, **kwargs)


def stop(message: str, code: int) -> NoReturn:
    """Say what went wrong in one line and end with an exit code."""
    tell(message, code)
    raise typer.Exit(code) from None


def tell(message: str, code: int) -> None:
    """Say in one line what went wrong, and with which exit code the program ends."""
    if at_hand.copy is not None:
        message = message.replace(str(at_hand.copy.root), at_hand.copy.store.url)
    trace = None
    if at_hand.debug:
        import traceback

        trace = traceback.format_exc()
        if not in_json():
            say(trace.rstrip("\n"))
    say(f"pontoon-audit: {message}", "error", "error", exit_code=code, traceback=trace)
