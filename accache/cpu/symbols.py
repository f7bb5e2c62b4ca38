"""Tell the checker what an executable's symbols mean: shared arrays, device variables and copy routines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from accache.cpu.definitions import ATOMIC_FUNCTION, COPY_ROUTINE
from accache.cpu.launches import DeviceNames, device_names
from accache.cpu.toolchain import call

_NOTE = ".accache.names"  # a section of object files, which linkers append to each other
# Variables of our own runtime and of the C++ library.
_NOT_THE_PROGRAMS = ("accache_cpu", "std::", "guard variable", "_")


@dataclass(frozen=True)
class _Symbol:
    kind: str
    start: int
    bytes: int
    name: str


def note_names(target: Path, device_text: str, directory: Path) -> None:
    """Note in the object file of a .cu text what the text declares, for when it is linked with others."""
    note = directory / "names"
    names = device_names(device_text)
    kinds = (("kernel", names.kernels), ("variable", names.variables), ("dynamic", names.dynamic_arrays))
    note.write_text("".join(f"{kind}\t{name}\n" for kind, found in kinds for name in sorted(found)))
    call(("objcopy", f"--add-section={_NOTE}={note}", target))


def noted_names(executable: Path, directory: Path) -> DeviceNames:
    """What the object files noted that an executable was linked from."""
    note = directory / "names"
    if f" {_NOTE} " in call(("readelf", "-SW", executable)):
        call(("objcopy", f"--dump-section={_NOTE}={note}", executable, "/dev/null"))
    lines = [line.split("\t") for line in (note.read_text() if note.exists() else "").splitlines()]
    kernels, variables, dynamic = (
        frozenset(line[1] for line in lines if line[0] == kind) for kind in ("kernel", "variable", "dynamic")
    )
    return DeviceNames(kernels, frozenset(), variables, tuple(sorted(dynamic)))


def describe_symbols(executable: Path, names: DeviceNames, *, mixed: bool = False) -> str:
    """Lines of kind, start, size and name for the checker, which reads them from ``<executable>.symbols``.

    Those of shared arrays have the kernel that declares them, too, and where its code starts: 0 if that is not known.
    Shared arrays start relative to the anchor linked before the kernels, everything else at its address. In a
    ``mixed`` program host code stands between the anchors too; its thread-local variables are not in functions.
    """
    symbols = tuple(_symbols(executable))
    anchors = {symbol.name: symbol.start for symbol in symbols if symbol.kind == "TLS"}
    shared = range(anchors["accache_cpu_shared_begin"], anchors["accache_cpu_dynamic_shared"])
    ours = [symbol for symbol in symbols if not (mixed and symbol.kind == "TLS" and "::" not in symbol.name)]
    kernels = _starts(symbols)
    lines = [line for symbol in ours if (line := _line(symbol, shared, names, kernels))]
    lines += [f"dynamic\t0\t0\t{names.dynamic_arrays[0]}\n"] if names.dynamic_arrays else []
    return "".join(lines)


def captured_symbols(executable: Path, names: DeviceNames) -> str:
    """Lines of kind, start, size and linker's name of functions and device variables, for whoever captures launches."""
    plain = {symbol.start: _last_part(symbol.name) for symbol in _symbols(executable) if symbol.kind == "OBJECT"}
    lines = []
    for symbol in _symbols(executable, demangled=False):
        if symbol.kind == "FUNC" and symbol.bytes:
            lines.append(f"function {symbol.start:x} {symbol.bytes} {symbol.name}\n")
        if symbol.kind == "OBJECT" and plain[symbol.start] in names.variables:
            lines.append(f"variable {symbol.start:x} {symbol.bytes} {symbol.name}\n")
    return "".join(lines)


def _starts(symbols: Iterable[_Symbol]) -> dict[str, int]:
    """Where the functions of a program start; those that share a name, as static ones of two files do, are left out."""
    starts: dict[str, set[int]] = {}
    for symbol in symbols:
        if symbol.kind == "FUNC":
            starts.setdefault(symbol.name, set()).add(symbol.start)
    return {name: found.pop() for name, found in starts.items() if len(found) == 1}


def _line(symbol: _Symbol, shared: range, names: DeviceNames, kernels: Mapping[str, int]) -> str:
    """The line for one symbol; empty if the checker need not know it."""
    name = _last_part(symbol.name)
    if symbol.kind == "TLS" and symbol.start in shared and not name.startswith("accache_cpu_"):
        function = symbol.name.rpartition("::")[0]
        owner = _last_part(function)
        kernel = owner if owner in names.kernels else ""  # a routine's any kernel may use
        place = f"{symbol.start - shared.start:x}\t{symbol.bytes}"
        return f"shared\t{place}\t{name}\t{kernel}\t{kernels.get(function, 0):x}\n"
    if symbol.kind == "OBJECT" and name in names.variables:
        return f"variable\t{symbol.start:x}\t{symbol.bytes}\t{name}\n"
    if symbol.kind == "OBJECT" and symbol.bytes and not symbol.name.startswith(_NOT_THE_PROGRAMS):
        return f"host\t{symbol.start:x}\t{symbol.bytes}\t{name}\n"
    if symbol.kind == "FUNC" and ATOMIC_FUNCTION.search(symbol.name.partition("(")[0]):
        return f"atomic\t{symbol.start:x}\t{symbol.bytes}\t{name}\n"
    if symbol.kind == "FUNC" and COPY_ROUTINE.search(name) and name not in names.kernels and name[:2] != "__":
        return f"copy\t{symbol.start:x}\t{symbol.bytes}\t{name}\n"
    return ""


def _symbols(executable: Path, *, demangled: bool = True) -> Iterator[_Symbol]:
    # Num: Value Size Type Bind Vis Ndx Name
    for line in call(("readelf", "-sWC" if demangled else "-sW", executable)).splitlines():
        words = line.split(maxsplit=7)
        if len(words) == 8 and words[0].endswith(":") and words[0][:-1].isdigit() and words[6] != "UND":
            yield _Symbol(words[3], int(words[1], 16), int(words[2], 0), words[7])


def _last_part(name: str) -> str:
    """The plain name: ``tile`` of ``kernel<int>(float*)::tile``, ``f`` of ``void ns::f<int>(int)``."""
    depth, plain = 0, ""
    for character in name:
        depth += (character in "(<") - (character in ")>")
        if not depth and character not in ")>":
            plain += character
    return re.split(r"::|\s", plain.split("[")[0].strip())[-1]
