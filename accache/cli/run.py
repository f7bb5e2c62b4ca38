"""``accache run``: translate, compile, run, on this CPU or on a GPU."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click
from msgspec import Struct
from msgspec.structs import asdict, replace

from accache.base.choices import TARGETS, TargetName
from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.options import Options
from accache.base.text import read_source_file
from accache.base.tuning import tuning_path, write_tuning
from accache.cli.common import (
    FILE_NAME,
    FINDINGS,
    ProgramCommand,
    Talk,
    command_again,
    options_from,
    page_option,
    translation_options,
    write_page,
)
from accache.cpu.repeating import THREADS, are_threads
from accache.workflows.execution import CUDA_SUFFIXES, Comparison, Execution, Repeating, run_cuda, run_program
from accache.workflows.execution import run as run_translation
from accache.workflows.fixes.offers import translated_file
from accache.workflows.tuning import gpu_name, time_on_gpu, tune

_VALUED = ("--seed", "--threads", "--html")
"""Options that a command that repeats a finding does without, or has values of its own for."""


def _threads(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    if value and not are_threads(value):
        raise click.BadParameter(THREADS)
    return value


@click.command("run", cls=ProgramCommand)
@click.argument("file", type=FILE_NAME)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--target",
    type=click.Choice(TARGETS),
    default="cpu",
    show_default=True,
    help="Run the kernels on this CPU (needs g++) or on a GPU (needs nvcc).",
)
@click.option("--check", is_flag=True, help="Look for races and accesses out of bounds; exit with 3 if there are any.")
@click.option(
    "--seed", type=click.IntRange(min=0), help="The order of threads on the CPU: 0, with --ptx as they are counted."
)
@click.option(
    "--threads",
    default="",
    metavar="LAUNCH:BLOCK[:THREAD],...",
    callback=_threads,
    help="With --check: run these threads of a launch alone, and end behind it, to see a finding again.",
)
@click.option(
    "--once",
    is_flag=True,
    help="With --check: after findings, do not run the program again to learn which threads show them alone.",
)
@click.option(
    "--ptx",
    is_flag=True,
    help="Execute each launch again from the PTX that nvcc makes; exit with 3 if memory differs then.",
)
@click.option(
    "--launches",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="How many launches --ptx executes again.",
)
@click.option("--kernel", default="", metavar="NAME", help="The kernel that --ptx executes again, alone.")
@click.option(
    "--compare",
    is_flag=True,
    help="Compare each array and result with those of the sequential program; exit with 3 if one differs.",
)
@click.option(
    "--bound",
    type=click.FloatRange(min=0, max=1),
    default=0.0,
    show_default=True,
    help="How far floating-point numbers may be apart under --compare, relative to the greater; 0: not a bit.",
)
@page_option("Write what --check and --compare find as a page.")
@translation_options
def command(
    *,
    file: str,
    arguments: tuple[str, ...],
    target: TargetName,
    check: bool,
    seed: int | None,
    threads: str,
    once: bool,
    ptx: bool,
    launches: int,
    kernel: str,
    compare: bool,
    bound: float,
    html: str | None,
    **values: Any,
) -> None:
    """Translate FILE, compile the result and run it with ARGUMENTS, which stand after --.

    FILE may be a program in CUDA C++ (.cu), too, which is compiled as it is, or one that accache cc has made for the
    CPU; --check needs one made with --check.
    The exit status is the program's own; a program that a signal ended gives 128 + its number, as in a shell.
    """
    options, talk = options_from(values)
    second = _second_program(arguments)
    _refuse(
        (second, f"run takes one FILE; if '{second}' is an argument of the program, it stands after --"),
        (ptx and (check or target != "cpu"), "--ptx compares with a plain run on a CPU: without --check and --target"),
        (ptx and options.fast_math, "--ptx compares with PTX that approximates nothing: without --fast-math"),
        (compare and (ptx or target != "cpu"), "--compare runs the program on this CPU: without --ptx and --target"),
        (bound and not compare, "--bound is for --compare"),
        (threads and not check, "--threads repeats what --check finds"),
        (threads and (compare or target != "cpu"), "--threads leaves threads out: without --compare and --target"),
        (html and not (check or compare), "--html shows what --check and --compare find"),
    )
    page = Page(html, file, "--check" if check else "--compare") if html else None
    seed = 0 if seed is None and not ptx else seed
    repeating = Repeating(check and target == "cpu" and not (once or threads), threads)
    if _is_program(file):
        _refuse(
            (ptx, "--ptx needs a program's source"),
            (compare, "--compare needs a program's source in C"),
            (html, "--html needs a program's source"),
        )
        made = _run_made(file, arguments, target, check, seed=seed, repeating=repeating)
        _end(talk, made if threads else _with_commands(made, seed), (), None)
    way = _Way(target, check, seed, Comparison(launches, kernel) if ptx else None, repeating)
    try:
        diagnostics, execution = _executed(file, arguments, options, talk, way=way, bound=bound if compare else None)
    except CompileError as error:
        raise talk.fail(error) from error
    _end(talk, execution if threads else _with_commands(execution, seed), diagnostics, page)


class _Way(Struct, frozen=True):
    """How a program is run: where, whether under the checker, in which order of threads, and against which PTX.

    ``repeating`` says what to learn of findings.
    """

    target: TargetName
    check: bool
    seed: int | None
    comparison: Comparison | None
    repeating: Repeating


def _with_commands(execution: Execution, seed: int | None) -> Execution:
    """Findings with the command that repeats each, as their hint."""
    words = _other_words(click.get_current_context().meta["accache.words"])
    usual = f"--seed {seed}"
    return execution.with_commands(lambda options: shlex.join(("accache", "run", *(options or usual).split(), *words)))


def _other_words(words: Sequence[str]) -> list[str]:
    """The command's words without those that have another value, or none, when a finding is repeated.

    >>> _other_words(("--seed", "3", "--html=p.html", "--check", "p.c", "--", "--seed", "5"))
    ['--check', 'p.c', '--', '--seed', '5']
    """
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*kept, word, *rest]
        if word in _VALUED:
            next(rest, None)
        elif word.partition("=")[0] not in (*_VALUED, "--once"):
            kept.append(word)
    return kept


def _executed(
    file: str, arguments: tuple[str, ...], options: Options, talk: Talk, *, way: _Way, bound: float | None
) -> tuple[tuple[Diagnostic, ...], Execution]:
    """Run a program in CUDA as it is, one in C translated, and compared with the sequential one within a ``bound``.

    The diagnostics are those that are still to be told.
    """
    if Path(file).suffix in CUDA_SUFFIXES:
        if bound is not None:
            raise click.UsageError("--compare needs a program in C: CUDA C++ has no sequential meaning")
        return (), run_cuda(file, options, arguments, **asdict(way))
    if options.tune == "measure" and way.target == "cuda" and not tuning_path(file).exists():
        _measure(file, options, arguments)
    translation = translated_file(file, replace(options, line=True))
    if talk.form == "text":
        talk.tell(translation.diagnostics)
        talk.summarise(translation)
    execution = run_translation(translation, options, arguments, bound=bound, **asdict(way))
    return () if talk.form == "text" else translation.diagnostics, execution


def _second_program(arguments: Sequence[str]) -> str:
    """The first argument that looks like a program and is not kept apart by --; '' if there is none."""
    if "--" in click.get_current_context().meta["accache.words"]:
        return ""
    return next((word for word in arguments if Path(word).suffix in (".c", *CUDA_SUFFIXES)), "")


def _refuse(*rules: tuple[object, str]) -> None:
    """End with what is wrong with the command line, if anything is: each rule has when it is, and what to say."""
    for is_wrong, text in rules:
        if is_wrong:
            raise click.UsageError(text)


def _measure(file: str, options: Options, arguments: tuple[str, ...]) -> None:
    """Time the forms of a program's kernels, and keep the quickest ones in the file beside it."""
    tuning = tune(file, options, arguments, gpu_name(), timer=time_on_gpu)
    path = write_tuning(file, tuning)
    for name, kernel in tuning.kernels.items():
        times = ", ".join(f"{form} {spent:.4g} ms" for form, spent in kernel.milliseconds.items())
        click.echo(f"{path}: {name}: {kernel.form} ({times})", err=True)


def _is_program(file: str) -> bool:
    """Whether a file is an executable and no source; what cannot be read is left to others."""
    try:
        with Path(file).open("rb") as stream:
            return stream.read(4) == b"\x7fELF"
    except OSError:
        return False


def _run_made(
    file: str, arguments: tuple[str, ...], target: TargetName, check: bool, *, seed: int | None, repeating: Repeating
) -> Execution:
    """Run what ``accache cc`` has made."""
    if target != "cpu":
        raise click.UsageError("a program made for a GPU runs by itself")
    if check and not Path(f"{file}.symbols").exists():
        raise click.UsageError(f"'{file}' was not made with accache cc --check")
    return run_program(Path(file), arguments, check=check, seed=seed, repeating=repeating)


class Page(Struct, frozen=True):
    """A page of findings that is asked for: where it goes, of which file, and what looked for them."""

    path: str
    file: str
    option: str

    def write(self, execution: Execution) -> None:
        """Write it."""
        # what lays out pages takes longer to load than most runs
        from accache.report.result_page import run_page

        found = execution.result.findings if execution.result is not None else ()
        source = read_source_file(self.file)
        write_page(
            self.path,
            run_page(source, found, execution.findings, f"accache run {self.option}", command=command_again()).html(),
        )


def _end(talk: Talk, execution: Execution, diagnostics: tuple[Diagnostic, ...], page: Page | None) -> NoReturn:
    """Tell the findings, write their page if one is wanted, and end as the program did."""
    if page is not None:
        page.write(execution)
    reporter = Reporter()
    if execution.status < 0:
        number = -execution.status
        is_unseen = number in (signal.SIGSEGV, signal.SIGBUS) and not execution.looked_at
        hint = "--check tells where, if a kernel leaves its array" if is_unseen else ""
        reporter.report("ACC605", number=number, name=signal.strsignal(number), hint=hint)
    talk.tell((*diagnostics, *execution.findings, *reporter.diagnostics))
    if execution.looked_at and not execution.findings and execution.status >= 0:
        talk.conclude(f"{execution.looked_at}: nothing was found")
    if execution.has_errors:
        raise click.exceptions.Exit(FINDINGS)
    raise click.exceptions.Exit(execution.status if execution.status >= 0 else 128 - execution.status)
