"""C with OpenACC as a CUDA program for ``accache bypass``, whose lines are those of the C file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from accache.base.diagnostics import CompileError, Diagnostic, Reporter
from accache.base.options import Options
from accache.base.output import write_files
from accache.cpu.definitions import parameter_names
from accache.driver import Translation, translate, translate_with_operators
from accache.lowering.cache_operators import CacheOperators
from accache.ptx.loads.loads import Place
from accache.ptx.replay.names import plain_name
from accache.workflows.bypass.deciding import Result

_DEFAULTS = Options()
_PARAMETER = re.compile(r"_param_(\d+)$")
_ARCHITECTURE = re.compile(r"(?:-arch|--gpu-architecture)=(sm_\d+[a-z]?)")


def translated(
    name: str, folder: Path, flags: tuple[str, ...], arguments: Sequence[str], *, options: Options = _DEFAULTS
) -> tuple[Path, tuple[str, ...], Translation]:
    """The CUDA program, written to a folder; nvcc's arguments for it; and the translation it is from.

    ``flags`` are -I, -D, -U and -std for the C compiler; of nvcc's ``arguments`` the architecture is planned for.
    ``options`` are the other choices for the translation.

    Raises:
        CompileError: the file cannot be translated, or not to a single file.
    """
    translation = translate(name, replace(options, line=True, preprocessor=flags, arch=_architecture(arguments)))
    if translation.joined is None:
        raise CompileError(translation.refusals)
    path = folder / f"{Path(name).stem}.cu"
    write_files(((str(path), translation.joined),))
    own = f"-I{Path(name).resolve().parent}"
    kept = tuple(word for word in arguments if not word.startswith("-std="))
    return path, (*kept, own), translation


def write_cuda(
    name: str,
    target: str,
    flags: tuple[str, ...],
    arguments: Sequence[str],
    *,
    translation: Translation,
    result: Result,
) -> tuple[Diagnostic, ...]:
    """Write the CUDA C of a C program with the decisions in it; tells of loads that it cannot say it of (ACC976).

    ``flags`` and ``arguments`` are those of :func:`translated`, which has made the ``translation``.

    Raises:
        OSError: the target cannot be written.
    """
    reporter = Reporter()
    kernel = plain_name(result.kernel)
    names = parameter_names(translation.device).get(kernel, ())
    cached = {_array(place, names) for place in result.advice.cached}
    loads = {place: _load(place, name, _array(place, names), cached) for place in result.advice.bypassing}
    options = Options(preprocessor=flags, arch=_architecture(arguments))
    wanted = CacheOperators(kernel, frozenset(loads.values()), result.mode)
    text, became = translate_with_operators(name, options, wanted)
    assert text is not None, "it was joined before"
    for place, load in sorted(loads.items(), key=lambda item: str(item[0])):
        own = (place.source.line if place.source else 0, load[1])
        if load not in became.found or own in became.kept:
            reporter.report("ACC976", place=place)
    write_files(((target, text),))
    return tuple(reporter.diagnostics)


def _array(place: Place, names: Sequence[str]) -> str:
    """The parameter of a kernel that loads go through; empty if that is not known."""
    number = _PARAMETER.search(place.root)
    return names[int(number[1])] if number and int(number[1]) < len(names) else ""


def _load(place: Place, name: str, array: str, cached: set[str]) -> tuple[int, str]:
    """The line and the array of a place; line 0, which is all of them, if no load of the array is cached.

    The compiler moves loads out of loops, to other lines.
    """
    if array not in cached:
        return 0, array
    is_own = place.source is not None and Path(place.source.file).name == Path(name).name
    return (place.source.line, array) if place.source and is_own else (-1, array)


def _architecture(arguments: Sequence[str]) -> str:
    """The last one that nvcc's arguments name."""
    return ([found[1] for word in arguments if (found := _ARCHITECTURE.fullmatch(word))] or [Options().arch])[-1]
