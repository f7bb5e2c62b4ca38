"""Translate a file of which most constructs were translated before, as it is when a program is edited and built again.

Texts of constructs are kept by all that they depend on: the construct as the front end gives it, places included, the
names that the program takes, and the options. Where all are kept, what plans them is not imported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from accache.base.diagnostics import Diagnostic, Reporter
from accache.base.imports import quick_imports
from accache.base.options import Options
from accache.base.store import Store
from accache.base.text import Span
from accache.emit.program import KeptRegion, KeptTexts, ProgramPrinter, RegionText
from accache.frontend.source.preprocess import read_source
from accache.ir.openacc.regions import ConstructText, Program, Region
from accache.printing import program_printer
from accache.reading import Marked, Read, hold_to_c, read_program, with_deep_stack

_SET = re.compile(r"frozenset\(\{([^{}]*)\}\)")
_NOWHERE = ConstructText(Span(0, 0), Span(0, 0), Span(0, 0))
Found = tuple[tuple[Diagnostic, ...], ...]
"""What was reported of a construct, step by step."""


class Keeping(Struct, frozen=True):
    """Where texts of constructs are kept, and what makes a key of all they depend on, accache itself included."""

    store: Store
    digest: Callable[..., str]


class Parts(Struct, frozen=True):
    """A translated program, as ``driver.Translation`` has it."""

    host: str
    device: str
    diagnostics: tuple[Diagnostic, ...]
    maps_parts: bool


class _Kept(Struct, frozen=True):
    """An entry of the store."""

    texts: KeptTexts
    found: Found


def translate(path: str, options: Options, keeping: Keeping, given: Marked | None = None) -> Parts:
    """Translate one C file, which may be ``given`` as the preprocessor leaves it; raises CompileError if it cannot."""
    return with_deep_stack(lambda: _translate(path, options, keeping, given), path)


def _translate(path: str, options: Options, keeping: Keeping, given: Marked | None) -> Parts:
    reporter = Reporter()
    source, output = (given.source, given.output) if given is not None else (read_source(path, reporter), None)
    read = read_program(source, options, reporter, output)
    can_keep = bool(read.program.regions) and not read.program.routines and options.tune != "measure"
    parts = _from_constructs(read, options, reporter, keeping) if can_keep else None
    if parts is not None:
        return parts
    made = _slow("accache.driver").translate_read(read, path, options, reporter)
    return Parts(made.host, made.device, made.diagnostics, made.maps_parts)


def _from_constructs(read: Read, options: Options, reporter: Reporter, keeping: Keeping) -> Parts | None:
    """The program with the texts of each construct by itself; None if one has a mistake, or none can be kept."""
    found = []
    for region in read.program.regions:
        construct = _construct(region, read.program, options, keeping)
        if construct is None:
            return None
        found.append(construct)
    for step in zip(*(reported for _, reported in found), strict=True):
        for reported in step:
            reporter.include(reported)
    hold_to_c(read, options)
    printer = program_printer(read, [text for text, _ in found], (), options)
    return Parts(
        printer.host(), printer.device(_banner(printer, keeping)), tuple(reporter.diagnostics), read.program.maps_parts
    )


def _banner(printer: ProgramPrinter, keeping: Keeping) -> str:
    """What stands above the kernels, which takes the templates' library to make."""
    key = keeping.digest("banner", printer.source.title, str(printer.fast_math))
    data = keeping.store.get(key)
    if data is None:
        data = printer.banner(joined=False).encode("utf-8", "surrogateescape")
        keeping.store.put(key, data)
    return data.decode("utf-8", "surrogateescape")


def _construct(
    region: Region, program: Program, options: Options, keeping: Keeping
) -> tuple[RegionText | KeptRegion, Found] | None:
    """A construct's texts and what is reported of it; None if it has a mistake."""
    key = _key(region, program.names, options, keeping)
    data = keeping.store.get(key)
    if data is not None:
        kept = convert(json.loads(data), _Kept)
        return KeptRegion(region, kept.texts), kept.found
    made = _slow("accache.constructs").translate_construct(region, program.names, options)
    if made is None:
        return None
    texts: KeptTexts | None = made.text.kept
    if texts is None:
        return made.text, made.found
    keeping.store.put(key, json.dumps(to_builtins(_Kept(texts, made.found))).encode())
    return KeptRegion(region, texts), made.found


def _key(region: Region, names: frozenset[str], options: Options, keeping: Keeping) -> str:
    """A key of all that a construct's texts depend on, which is not where they stand in the file's text."""
    content = _SET.sub(_in_order, repr(replace(region, text=_NOWHERE)))
    return keeping.digest("construct", content, repr(sorted(names)), repr(options))


def _in_order(found: re.Match[str]) -> str:
    """The text of a set, whose elements come in another order in each process."""
    return repr(sorted(found[1].split(", ")))


def _slow(module: str) -> Any:
    """A module that plans constructs, which takes a while to import."""
    with quick_imports():
        return import_module(module)
