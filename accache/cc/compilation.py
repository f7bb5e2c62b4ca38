"""Compile one C file with directives, from its translation to the file the user wants."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from accache.base.diagnostic_formats import render
from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.options import Options
from accache.base.output import write_binary, write_files
from accache.base.resources import headers
from accache.base.store import Store, cache_folder
from accache.cc.command import Command
from accache.cc.objects import Task, compile_device, compile_host, join
from accache.cc.settings import Settings
from accache.cc.sources import Source, is_rejected, preprocessor_flags
from accache.cc.translation import Pair, translated

# Where the file is no C at all, the host compiler's words are better.
_NO_C = {"ACC103", "ACC104"}
# In a preprocessed file <stddef.h> may be there already, and nothing knows.
_SIZE = "typedef __SIZE_TYPE__ size_t;"
# Kernels would not follow these: they change what types mean.
_LAYOUT = (
    r"-m(32|x32|16)|-mms-bitfields|-malign-double|-fpack-struct.*|-fshort-(enums|wchar)|-funsigned-(char|bitfields)"
    r"|-fno-signed-(char|bitfields)|-fsingle-precision-constant|-fwrapv|-fno-strict-overflow"
)


def tell(diagnostics: Sequence[Diagnostic], settings: Settings) -> None:
    """Print diagnostics to standard error."""
    sys.stderr.write(render(tuple(diagnostics), settings.diagnostics, settings.quiet))


def translate(command: Command, source: Source, settings: Settings) -> Pair | None:
    """The two parts of a C file; None if it cannot be translated. What is to be said has been said."""
    try:
        for flag in command.compile_flags:
            if re.fullmatch(_LAYOUT, flag):
                raise Reporter().fail("ACC603", flag=flag)
        pair = translated(source, translation_options(command, settings), settings, _store("translations"))
    except CompileError as error:
        if not (_NO_C & {found.code for found in error.diagnostics} and _host_complains(command, source, settings)):
            tell(error.diagnostics, settings)
        return None
    tell(pair.diagnostics, settings)
    return pair


def compile_file(
    command: Command, source: Source, settings: Settings, folder: Path, *, output: str, aside: str = ""
) -> int:
    """Make the object file or, with -S, the assembly of a C file with directives; an exit status.

    Other files that the C compiler writes are called as ``aside`` begins; else they lie beside the output.
    """
    pair = translate(command, source, settings)
    if pair is None:
        _remove(output)
        return 1
    if source.expanded:
        pair = replace(pair, host=pair.host.replace("#include <stddef.h>", _SIZE))
    task = Task(command, source.name, pair, settings, folder=folder, output=output, aside=aside)
    try:
        data = _assembly(task) if command.stage == "assemble" else _object(task)
    except CompileError as error:
        tell(error.diagnostics, settings)
        data = None
    if data is None:
        _remove(output)
        return 1
    write_binary(output, data)
    if settings.keep:
        stem = Path(output).with_suffix("")
        write_files(((f"{stem}.host.c", pair.host), (f"{stem}.cu", pair.device)))
    return 0


def _object(task: Task) -> bytes | None:
    device = compile_device(task, _store("objects")) if task.pair.device else None
    host = task.folder / "host.o"
    if compile_host(task, "-c", host):
        return None
    return join(task, host, device) if device else host.read_bytes()


def _assembly(task: Task) -> bytes | None:
    reporter = Reporter()
    reporter.report("ACC604", name=task.source)
    tell(reporter.diagnostics, task.settings)
    target = task.folder / "host.s"
    return None if compile_host(task, "-S", target) else target.read_bytes()


def translation_options(command: Command, settings: Settings) -> Options:
    """What a command line asks of the translation."""
    flags = ("-isystem", str(headers()), *preprocessor_flags(command))
    return replace(settings.options, preprocessor=flags)


def _host_complains(command: Command, source: Source, settings: Settings) -> bool:
    return is_rejected(command, source, settings.compiler)


def _store(name: str) -> Store:
    return Store(cache_folder() / name)


def _remove(output: str) -> None:
    """Where compiling fails, an older result goes too, as with other compilers."""
    path = Path(output)
    if path.is_file():
        path.unlink()
