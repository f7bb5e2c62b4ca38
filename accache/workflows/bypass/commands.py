"""What ``accache bypass`` does with PTX and with CUDA programs: decide, rewrite, write."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from accache.base.diagnostics import Diagnostic, Reporter
from accache.base.output import write_files
from accache.base.text import SourceFile, read_source_file
from accache.ptx.loads.embedding import compile_to_ptx, rebuild
from accache.ptx.loads.loads import load_groups
from accache.ptx.loads.rewriting import bypassing
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Module
from accache.workflows.bypass.deciding import Decide, Result
from accache.workflows.cuda import kernels_alone

PURPOSE = "accache bypass of CUDA programs"
Told = tuple[Result, tuple[Diagnostic, ...]]


def bypass_ptx(decide: Decide, name: str, target: str | None) -> Told:
    """Decide on the loads of a kernel in a PTX file, and write the file with them to ``target`` if there is one.

    Raises:
        CompileError: a file cannot be read or is not what it should be, there is no such kernel, the trace is of
            another one, the solver cannot be used, or this PTX knows no such loads.
        OSError: the target cannot be written.
    """
    reporter = Reporter()
    return _bypass_module(decide, parse(read_input(name, reporter)), target, reporter)


def bypass_cuda(decide: Decide, path: str, target: str | None, arguments: Sequence[str], *, name: str) -> Told:
    """The same for a CUDA program at a path, called ``name`` in messages, which nvcc compiles with ``arguments``.

    The target is a program, or whatever the arguments make nvcc write, unless its name ends with .ptx. With several
    architectures the PTX that nvcc makes first is decided on.

    Raises:
        CompileError: as for PTX, or nvcc is not there or rejects the program.
        OSError: the target cannot be written.
    """
    reporter = Reporter()
    read_input(path, reporter)
    results: list[Result] = []

    def edit(ptx: Path) -> None:
        module = read_compiled(ptx, name)
        if not results:
            results.append(decide(module, reporter))
        _tell_of_missing(module, results[0], reporter)
        write_compiled(ptx, _rewritten(module, results[0]))

    if target is not None and not target.endswith(".ptx"):
        Path(target).parent.stat()  # nvcc would tell much later, and less clearly, that there is no such folder
        rebuild([path, *arguments], Path(target), edit, PURPOSE)
        return replace(results[0], name=name), tuple(reporter.diagnostics)
    with tempfile.TemporaryDirectory(prefix="accache-") as folder:
        compiled = Path(folder, "program.ptx")
        compile_to_ptx([path, *kernels_alone(path), *arguments], compiled, PURPOSE)
        result, diagnostics = _bypass_module(decide, read_compiled(compiled, name), target, reporter)
        return replace(result, name=name), diagnostics


def read_input(name: str, reporter: Reporter) -> SourceFile:
    """The user's file.

    Raises:
        CompileError: it cannot be read.
    """
    try:
        return read_source_file(name)
    except OSError as error:
        raise reporter.fail("ACC101", name=name, reason=error.strerror or error) from error


def read_compiled(path: Path, name: str) -> Module:
    """The PTX in a file of nvcc's, which messages call after the program."""
    return parse(SourceFile(f"{name} as PTX", path.read_text(encoding="utf-8", errors="surrogateescape")))


def write_compiled(path: Path, text: str) -> None:
    """Put other PTX in the place of nvcc's."""
    path.write_text(text, encoding="utf-8", errors="surrogateescape")


def _bypass_module(decide: Decide, module: Module, target: str | None, reporter: Reporter) -> Told:
    result = decide(module, reporter)
    text = _rewritten(module, result)
    if target is not None:
        write_files(((target, text),))
    return result, tuple(reporter.diagnostics)


def _rewritten(module: Module, result: Result) -> str:
    return bypassing(module, result.advice.bypassing, result.mode)


def _tell_of_missing(module: Module, result: Result, reporter: Reporter) -> None:
    """Warn of loads that one architecture has and another has not: they are decided on by the former's."""
    there = {group.place for kernel in module.kernels for group in load_groups(module, kernel)}
    for place in sorted(result.advice.bypassing - there, key=str):
        reporter.report("ACC969", target=module.target[0], place=place)
