"""Make a program for the CPU from a .cu file and the C file that calls its launch stubs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from accache.base.options import OPENMP
from accache.cpu.kept import ARCHIVE, precompiled_header, runtime_objects, without_library
from accache.cpu.launches import device_names, rewrite
from accache.cpu.symbols import describe_symbols, note_names, noted_names
from accache.cpu.thread_loops import with_thread_loops
from accache.cpu.toolchain import BOUNDS_FLAGS, INCLUDE, WORKING_DIRECTORY, ToolError, call, cc, cxx

# -fno-strict-aliasing: dynamic shared memory is one array with many types. -fno-tree-slp-vectorize: gcc 12 does not
# round two doubles that become float and double again, such as the parts of a complex number.
_DEVICE_FLAGS = (
    *("-std=c++17", "-pthread", "-ffp-contract=off", "-fno-strict-aliasing", "-fno-tree-slp-vectorize", "-w"),
    *("-fno-builtin-malloc", "-fno-builtin-free"),
)

# The hooks of the sanitizers go to our own checker. Little optimisation: a load moved out of its condition
# would look like a race. The order of the text keeps every shared variable behind its gap. Copies stay calls: in line
# they have no hooks.
_CHECK_FLAGS = (
    *(
        "-DACCACHE_CPU_CHECK",
        "-gdwarf-4",
        "-Og",
        "-fsanitize=thread,shift-exponent,bounds-strict,alignment",
        "--param=tsan-distinguish-volatile=1",
        "-fno-toplevel-reorder",
    ),
    *("-fno-builtin-memcpy", "-fno-builtin-memset", "-fno-builtin-memmove"),
)
# The host's part of a program: what it reads and writes of arrays that have a copy on the device.
_HOST_CHECK_FLAGS = (
    *("-fsanitize=thread", "-gdwarf-4", "-fno-builtin-memcpy", "-fno-builtin-memset", "-fno-builtin-memmove"),
)
# A captured launch names its kernel's function: each has one of its own.
_CAPTURE_FLAGS = ("-DACCACHE_CPU_CAPTURE", "-fno-ipa-icf")
HEADER = "cuda_runtime.h"
_NAMED = re.compile(r'^#line \d+ "([^"\\]+)"', re.MULTILINE)
# What the checker sees less with, and the error that calls for it: what no compiler can inline, and an exchange whose
# old value goes to a bit-field, which has no address.
_CHECK_LESS = (("ACCACHE_CPU_CALLS", "always_inline"), ("ACCACHE_CPU_BIT_FIELDS", "cannot bind"))
# Calls the compiler does not instrument; the checker has its own.
_CHECKED_CALLS = ("memcpy", "memmove", "memset")
# Likewise, in kernels: what the C library leaves in memory beside a result.
_MATHEMATICAL_CALLS = ("sincos", "sincosf", "modf", "modff", "frexp", "frexpf", "remquo", "remquof")
# Calls that mean device memory in a kernel. The compiler must not think it knows them.
_HEAP_CALLS = ("malloc", "free")
# Calls that end the launch of a kernel, and the program if it is the host that makes them.
_ENDING_CALLS = ("abort", "__assert_fail")


@dataclass(frozen=True)
class Program:
    """An executable made by :func:`build`, and the CUDA text it was made from.

    ``sequential`` is the same with another host text, which executes constructs itself.
    """

    executable: Path
    device_source: Path
    check: bool
    sequential: Path | None = None


def build(
    device_text: str,
    host_text: str | None,
    directory: Path,
    *,
    check: bool = False,
    capture: bool = False,
    bounds: bool = False,
    optimise: str = "-O2",
    name: str = "program",
    include: Sequence[Path] = (),
    host_flags: Sequence[str] = ("-std=gnu11",),
    device_flags: Sequence[str] = (),
    libraries: Sequence[str] = ("-lm",),
    objects: Sequence[Path] = (),
    sequential_text: str | None = None,
) -> Program:
    """Compile and link a .cu text and, unless it is a whole program, the C text that has ``main``.

    ``check`` builds for the checker (races, bounds, values nobody wrote); ``optimise`` is then without effect on
    the kernels. With ``capture`` a run can write its launches to a file. With ``bounds`` a plain program ends at each
    access in front of an array, too, and takes longer. ``host_flags`` are the user's own -std, -I
    and -D flags, ``objects`` further object files to link. With ``sequential_text`` a second program is made, with that
    in the place of ``host_text``.
    Raises ToolError with the compiler's output; for a generated text that is a bug of ours.
    """
    directory.mkdir(parents=True, exist_ok=True)
    folders = [f"-I{folder}" for folder in (INCLUDE, directory, *include)]
    device_source = directory / f"{name}.cu"
    _write(device_source, device_text)
    executable = directory / (f"{name}-check" if check else name)
    flags = (*kind_flags(optimise, check=check, capture=capture), *(BOUNDS_FLAGS if bounds and not check else ()))
    kernels = without_library(device_text)
    is_ours = kernels != device_text
    header = precompiled_header(flags) if is_ours else HEADER
    target = executable.with_name(f"{executable.name}.cu.o")
    flags = (*flags, *folders, *device_flags)
    if is_ours and not check and not capture:
        parts = [_compile_in_loops(kernels, str(device_source), target, flags, header=header)]
    else:
        rewritten = rewrite(kernels, check=check, capture=capture)
        parts = [compile_rewritten(rewritten, str(device_source), target, flags, header=header, check=check)]
    if host_text is not None:
        host_source = directory / f"{name}.c"
        _write(host_source, host_text)
        target = executable.with_name(f"{executable.name}.c.o")
        parts.append(_compile_host(host_source, target, (optimise, *folders, *host_flags), check=check))
    link(executable, parts, objects, libraries, check=check, library=is_ours)
    second = None
    if sequential_text is not None:
        second = executable.with_name(f"{executable.name}-sequential")
        source = second.with_suffix(".c")
        _write(source, sequential_text)
        host = _compile_host(source, second.with_suffix(".o"), (optimise, *folders, *host_flags))
        link(second, [parts[0], host], objects, libraries, check=check, library=is_ours)
    if check:
        _write(executable.with_name(f"{executable.name}.symbols"), describe_symbols(executable, device_names(kernels)))
    return Program(executable, device_source, check, second)


def compile_kernels(text: str, name: str, directory: Path, flags: Sequence[str], *, check: bool) -> Path:
    """The object file of a .cu text, to be linked in any order with others, into programs and shared libraries.

    Its messages call the text ``name``. Between anchors of its own the scheduler finds its shared variables.
    For the checker there are none: it wants one pair around all kernels of a program.
    """
    source = directory / name
    _write(source, text)
    own = (
        *_DEVICE_FLAGS,
        "-O2",
        *flags,
        f"-I{INCLUDE}",
        f"-fdebug-prefix-map={directory}=.",
        *((*_CHECK_FLAGS, "-fno-pie") if check else ()),
    )
    target = source.with_suffix(".o")
    if check:
        kernels = compile_rewritten(rewrite(text, check=True), str(source), target, own, check=True)
        note_names(kernels, text, directory)
        return kernels
    kernels = _compile_in_loops(text, str(source), target, own)
    runtime = runtime_objects(check=False)
    target = directory / "device.o"
    call(("ld", "-r", runtime / "shared_begin.o", kernels, runtime / "shared_end.o", "-o", target))
    call(("objcopy", "-L", "accache_cpu_shared_begin", "-L", "accache_cpu_shared_end", target))
    return target


def link_inputs(*, check: bool) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """What a link with objects of :func:`compile_kernels` needs before and behind them."""
    runtime = runtime_objects(check=check)
    if not check:
        return (), (runtime / ARCHIVE,)
    behind = (runtime / "shared_dynamic.o", runtime / "shared_end.o", runtime / ARCHIVE)
    return (runtime / "shared_begin.o",), behind


def describe(executable: Path, directory: Path) -> None:
    """Write for the checker what the symbols of a program mean; ``directory`` is for files that nobody shall see."""
    text = describe_symbols(executable, noted_names(executable, directory), mixed=True)
    _write(executable.with_name(f"{executable.name}.symbols"), text)


def _compile_in_loops(
    text: str, title: str, target: Path, flags: Sequence[str], *, header: str | Path = HEADER
) -> Path:
    """The object file of an emitted .cu text, with loops over the threads of a block where they can be."""
    loops = with_thread_loops(text)
    rewritten = rewrite(loops.text, by_block=loops.kernels)
    try:
        return compile_rewritten(rewritten, title, target, flags, header=header, check=False)
    except ToolError:  # a form of text that nobody thought of: fibers run it, only slower
        return compile_rewritten(rewrite(text), title, target, flags, header=header, check=False)


def compile_rewritten(
    rewritten: str, title: str, target: Path, flags: Sequence[str], *, header: str | Path = HEADER, check: bool
) -> Path:
    """The object file of a rewritten .cu text; its lines keep their numbers, and messages call it ``title``."""
    source = target.with_suffix(".cpp")
    if check:
        flags = (*flags, *_placed(rewritten, str(Path.cwd())))
    write_source(source, title, rewritten)
    command = (cxx(), "-x", "c++", *flags, "-include", header, "-c", source, "-o", target)
    try:
        call(command)
    except ToolError as error:
        less = [f"-D{name}" for name, words in _CHECK_LESS if words in error.output]
        if not check or not less:
            raise
        call((*command, *less))
    ours = (*_HEAP_CALLS, *_ENDING_CALLS, *((*_CHECKED_CALLS, *_MATHEMATICAL_CALLS) if check else ()))
    call(("objcopy", *(f"--redefine-sym={name}=accache_cpu_{name}" for name in ours), target))
    return target


def _placed(text: str, folder: str) -> list[str]:
    """Flags by which places in a text do not depend on the folder; those beside it, such as folder-2, stay."""
    named = {found[1] for found in _NAMED.finditer(text)}
    beside = sorted(name for name in named if name.startswith(folder) and not name.startswith(f"{folder}/"))
    # compilers compare characters, not folders; the last map that fits is the one they take
    maps = ((folder, WORKING_DIRECTORY), *((name, name) for name in beside))
    return [f"-fdebug-prefix-map={old}={new}" for old, new in maps]


def write_source(path: Path, title: str, text: str) -> None:
    """Write a text that compilers call ``title``."""
    line = title.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    _write(path, f'#line 1 "{line}"\n{text}')


def kind_flags(optimise: str, *, check: bool, capture: bool) -> tuple[str, ...]:
    """The compiler's options for a .cu text of a whole program."""
    kind = (*(_CHECK_FLAGS if check else (optimise,)), *(_CAPTURE_FLAGS if capture else ()))
    return (*_DEVICE_FLAGS, *kind, "-fno-pie")


def _compile_host(source: Path, target: Path, flags: Sequence[str], *, check: bool = False) -> Path:
    """The object file of host C; the checker sees its accesses, unless several threads make them."""
    checked = check and OPENMP not in flags
    call(
        (
            cc(),
            "-ffp-contract=off",
            "-fno-pie",
            *flags,
            *(_HOST_CHECK_FLAGS if checked else ()),
            "-c",
            source,
            "-o",
            target,
        )
    )
    if checked:
        call(("objcopy", *(f"--redefine-sym={name}=accache_cpu_{name}" for name in _CHECKED_CALLS), target))
    return target


def link(
    target: Path,
    parts: Sequence[Path],
    objects: Sequence[Path],
    libraries: Sequence[str],
    *,
    check: bool,
    library: bool,
) -> None:
    """Link the object files of kernels, which come first, and of host code with the runtime.

    ``library`` says that they need the run-time library of OpenACC.
    """
    runtime = runtime_objects(check=check)
    begin, dynamic, end = (runtime / f"shared_{name}.o" for name in ("begin", "dynamic", "end"))
    apart = (begin, dynamic, end, *(() if library else (runtime / "library.o",)))
    others = sorted(path for path in runtime.glob("*.o") if path not in apart)
    kernels, *host = parts
    inputs = (begin, kernels, *((dynamic, end) if check else (end, dynamic)), *host, *objects, *others)
    call((cxx(), "-no-pie", "-pthread", *inputs, "-o", target, *libraries))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
