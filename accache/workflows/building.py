"""Compile programs for this CPU: translated C, and CUDA C++ as it is."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from accache.base.compilers import rejected
from accache.base.diagnostics import Reporter
from accache.base.environment import first_error
from accache.base.options import OPENMP, Options
from accache.base.resources import headers
from accache.base.text import read_source_file
from accache.cpu.build import Program, build
from accache.cpu.programs import build_program
from accache.cpu.sources import read_program, report_lacking
from accache.cpu.toolchain import ToolError
from accache.driver import Translation
from accache.workflows.comparison import layout_rows
from accache.workflows.cuda import reads

CUDA_SUFFIXES = (".cu", ".cuh")


class Built(Struct, frozen=True):
    """A program for this CPU: the text of its kernels, and the file and the flags that nvcc compiles these from."""

    program: Program
    device_text: str
    device_file: Path
    device_flags: tuple[str, ...]


def build_translation(
    translation: Translation,
    options: Options,
    directory: Path,
    *,
    check: bool = False,
    capture: bool = False,
    sequential: str | None = None,
) -> Built:
    """Compile a translated program; with ``check`` for the checker, with ``capture`` to write its launches.

    ``sequential`` is another host text, to be linked beside it.
    Raises CompileError if a compiler is missing or the C compiler rejects the program.
    """
    flags = host_flags(translation, options)
    try:
        program = build(
            translation.checked if check else translation.device,
            translation.host,
            directory,
            check=check,
            capture=capture,
            bounds=translation.maps_parts and not capture,
            host_flags=flags,
            libraries=("-lm", *options.libraries),
            sequential_text=sequential,
        )
    except ToolError as error:
        raise rejected(error.output) from error
    if check and translation.sequentially is not None:
        layouts = program.executable.with_name(f"{program.executable.name}.layouts")
        layouts.write_text(layout_rows(translation.sequentially()), encoding="utf-8", errors="surrogateescape")
    return Built(program, translation.device, program.device_source, ())


def build_cuda(path: str, options: Options, directory: Path, *, check: bool = False, capture: bool = False) -> Built:
    """Compile a CUDA C++ program; otherwise as :func:`build_translation`.

    Raises CompileError also for what of CUDA a CPU cannot run (ACC948, ACC949, ACC950).
    """
    flags = options.preprocessor
    try:
        source = read_source_file(path)
    except OSError as error:
        raise Reporter().fail("ACC101", name=path, reason=error.strerror or error) from error
    whole = read_program(source, tuple(Path(flag[2:]) for flag in flags if flag.startswith("-I")))
    try:
        program = build_program(whole, directory, flags, options.libraries, check=check, capture=capture)
    except ToolError as error:
        reporter = Reporter()
        report_lacking(whole, error.output, reporter)
        reporter.stop_on_errors()
        found = first_error(error.output)
        if found is not None and reads(Path(path), options.arch, flags):
            raise reporter.fail("ACC949", found[0], reason=found[1]) from error
        raise rejected(error.output) from error
    return Built(program, "\n".join(whole.texts), Path(path), flags)


def host_flags(translation: Translation, options: Options) -> tuple[str, ...]:
    """The C compiler's options for the host's part of a translated program."""
    own = str(Path(translation.path).resolve().parent)
    standard = any(flag.startswith("-std") for flag in options.preprocessor)
    chosen = options.preprocessor if standard else ("-std=gnu11", *options.preprocessor)
    openmp = tuple(flag for flag in options.libraries if flag == OPENMP)
    return ("-iquote", own, "-I", str(headers()), *chosen, *openmp)
