"""Run a program on this CPU, checked."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from msgspec import Struct
from msgspec.structs import replace

from accache.base.choices import TargetName
from accache.base.diagnostic_formats import DiagnosticRecord, record
from accache.base.diagnostics import Diagnostic
from accache.base.options import Options, command_words
from accache.base.plain import plain
from accache.base.text import SourceFile, read_source_file
from accache.cpu.findings import Finding, KernelCounters
from accache.cpu.repeating import THREADS, are_threads
from accache.driver import translate
from accache.library.inputs import RunOptions, expect, expect_number, options_of, path_of, words_of
from accache.library.programs import TEXT, is_text, source_of
from accache.workflows.comparison import DIFFERENCES
from accache.workflows.execution import CUDA_SUFFIXES, Apart, Execution, Repeating, run_cuda
from accache.workflows.execution import run as run_translation

if TYPE_CHECKING:
    from typing_extensions import Unpack

VERSION = 1
LONGEST = 1_000_000
"""Seconds that a program may be given; the system counts them in milliseconds."""


class _How(TypedDict):
    target: TargetName
    check: bool
    seed: int
    apart: Apart
    repeating: Repeating


class RunRecord(Struct, frozen=True):
    """A run as JSON has it."""

    version: int
    program: str
    status: int
    stdout: str
    stderr: str
    findings: tuple[Finding, ...]
    counts: tuple[KernelCounters, ...]
    diagnostics: tuple[DiagnosticRecord, ...]


class Run(Struct, frozen=True):
    """How a program ran on this CPU.

    ``status`` is its exit status, or less the number of the signal that ended it; ``stdout`` and ``stderr`` are what it
    printed. ``findings`` are races, accesses out of bounds and the like, ``counts`` are accesses of each kernel; both
    are empty without ``check``. ``diagnostics`` are those of the translation, and the findings in that form;
    ``differences`` are those from the sequential program, which are among them.
    """

    source: SourceFile
    status: int
    stdout: str
    stderr: str
    findings: tuple[Finding, ...]
    counts: tuple[KernelCounters, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def passed(self) -> bool:
        """Whether the program ended with status 0 and nothing was found."""
        return self.status == 0 and not self.findings and not self.differences

    @property
    def differences(self) -> tuple[Diagnostic, ...]:
        """What ``compare`` found."""
        return tuple(found for found in self.diagnostics if found.code in DIFFERENCES)

    def to_dict(self) -> dict[str, Any]:
        """The run in types of JSON; ``accache.schema("run")`` describes it."""
        made: dict[str, Any] = plain(
            RunRecord(
                VERSION,
                self.source.name,
                self.status,
                self.stdout,
                stderr=self.stderr,
                findings=self.findings,
                counts=self.counts,
                diagnostics=tuple(map(record, self.diagnostics)),
            )
        )
        return made

    def __str__(self) -> str:
        launches = sum(kernel.launches for kernel in self.counts)
        ended = f"signal {-self.status}" if self.status < 0 else f"status {self.status}"
        counted = f", launches: {launches}" if self.counts else ""
        lines = [f"{self.source.name}: {ended}{counted}, findings: {len(self.findings)}", *map(str, self.findings)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks."""
        return str(import_module("accache.library.html").of_run(self))


def run(
    program: str | PathLike[str],
    arguments: Sequence[str] = (),
    *,
    name: str = TEXT,
    check: bool = True,
    compare: bool = False,
    bound: float = 0.0,
    seed: int = 0,
    threads: str = "",
    once: bool = False,
    stdin: str = "",
    timeout: float | None = None,
    **options: Unpack[RunOptions],
) -> Run:
    """Translate a program, compile it with g++ and run it on this CPU, with checks, as ``accache run --check`` does.

    ``program`` is as for ``translate``, or the path of a program in CUDA C++ (.cu). It runs in the current folder with
    ``arguments``, and reads ``stdin``. ``seed`` chooses the order of threads. After ``timeout`` seconds it is ended.
    With ``compare`` a program in C is run sequentially, too: each array that comes from the device must have the same
    values, and each result, bit for bit or, for floating-point numbers, within a relative ``bound``.

    After findings the program runs again, unless ``once`` is set, to learn which threads show each of them alone: these
    are named in its ``repeat``. With ``threads`` (``LAUNCH:BLOCK[:THREAD],...``) these run alone, and the program ends
    behind their launch.

    Raises:
        CompileError: the program cannot be translated or compiled, or a compiler is missing.
        OptionError: there is no such option, or it has no such value.
        TimeoutError: the program took longer than ``timeout``.
    """
    chosen = replace(options_of(options, RunOptions.__annotations__), line=True)
    words = words_of("arguments", arguments)
    _expect_choices(check, compare, bound, seed=seed, threads=threads, once=once, stdin=stdin, timeout=timeout)
    how: _How = {
        "target": "cpu",
        "check": check,
        "seed": seed,
        "apart": Apart(stdin, timeout),
        "repeating": Repeating(check and not (once or threads), threads),
    }
    try:
        source, told, done = _executed(program, name, chosen, words, bound=bound if compare else None, how=how)
    except subprocess.TimeoutExpired as expired:
        raise TimeoutError(f"the program took longer than {timeout} seconds") from expired
    if not threads:
        compared = ("--compare", *(("--bound", str(bound)) if bound else ())) if compare else ()
        line = ("--check", *compared, *command_words(chosen), source.name, *(("--", *words) if words else ()))
        shown = () if is_text(program) else line
        done = done.with_commands(lambda repeat: _again(repeat or f"--seed {seed}", shown))
    return _run_of(source, told, done)


def _executed(
    program: str | PathLike[str],
    name: str,
    options: Options,
    words: Sequence[str],
    *,
    bound: float | None,
    how: _How,
) -> tuple[SourceFile, tuple[Diagnostic, ...], Execution]:
    """Run a program in C, or in CUDA C++: its text, what its translation told, and the run."""
    if not is_text(program) and Path(path := path_of(program)).suffix in CUDA_SUFFIXES:
        expect("compare", bound is not None, bound is None, "False for CUDA C++, which has no sequential meaning")
        done = run_cuda(path, options, words, **how)
        return read_source_file(path), (), done
    source = source_of(program, name)
    translation = translate(source, options)
    return source, translation.diagnostics, run_translation(translation, options, words, bound=bound, **how)


def _run_of(source: SourceFile, told: tuple[Diagnostic, ...], done: Execution) -> Run:
    """A run with what was told of it."""
    result = done.result
    assert result is not None, "nothing was compared"
    return Run(
        source,
        result.returncode,
        result.stdout,
        result.stderr,
        findings=result.findings,
        counts=result.counters,
        diagnostics=(*told, *done.findings),
    )


def _expect_choices(
    check: bool,
    compare: bool,
    bound: float,
    *,
    seed: int,
    threads: str,
    once: bool,
    stdin: str,
    timeout: float | None,
) -> None:
    """Refuse (OptionError) what ``run`` cannot be asked for."""
    expect("check", check, isinstance(check, bool), "True, False")
    expect_number("seed", seed, 0)
    expect("once", once, isinstance(once, bool), "True, False")
    expect("threads", threads, isinstance(threads, str) and (not threads or are_threads(threads)), THREADS)
    expect("threads", threads, not threads or (check and not compare), "for check alone: it leaves threads out")
    expect("stdin", stdin, isinstance(stdin, str), "a text")
    in_time = timeout is None or (isinstance(timeout, int | float) and 0 < timeout <= LONGEST)
    expect("timeout", timeout, in_time, f"None, or seconds up to {LONGEST}")
    expect("compare", compare, isinstance(compare, bool), "True, False")
    expect("bound", bound, isinstance(bound, int | float) and 0 <= bound <= 1, "a number from 0 to 1")


def _again(repeat: str, words: Sequence[str]) -> str:
    """What shows a finding again: the command of these words, or arguments of ``run`` for a text, which has none.

    >>> _again("--seed 3 --threads 0:0:1,0:0:2", ("--check", "prog.c"))
    'accache run --seed 3 --threads 0:0:1,0:0:2 --check prog.c'
    >>> _again("--seed 3 --threads 0:0:1,0:0:2", ())
    "seed=3, threads='0:0:1,0:0:2'"
    """
    options = repeat.split()
    if words:
        return shlex.join(("accache", "run", *options, *words))
    named = dict(zip(options[::2], options[1::2], strict=True))
    threads = named.get("--threads", "")
    return f"seed={named['--seed']}" + (f", threads={threads!r}" if threads else "")
