"""Make a program for the CPU from CUDA C++ as it is written, with host code and headers of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from accache.cpu.build import HEADER, Program, compile_rewritten, kind_flags, link, write_source
from accache.cpu.kept import precompiled_header, without_library
from accache.cpu.launches import device_names, rewrite
from accache.cpu.sources import CudaProgram
from accache.cpu.symbols import describe_symbols
from accache.cpu.toolchain import INCLUDE

# The call that this plants ends a kernel (runtime/source/failures.cpp). Launches of what accache emits find out whether
# its wide accesses are aligned; the checker's flags have it.
_ALIGNED = ("-fsanitize=alignment",)
_OLD = re.compile(r"-std=(?:c|gnu)\+\+(?:98|03|0x|11|1y|14|1z)")  # the headers need C++17


def build_program(
    program: CudaProgram,
    directory: Path,
    flags: Sequence[str],
    libraries: Sequence[str] = (),
    *,
    check: bool = False,
    capture: bool = False,
) -> Program:
    """Compile and link a CUDA C++ program; ``flags`` are the user's own -I, -D, -U and -std, ``libraries`` -l and -L.

    Headers from the user's folders are rewritten as the file itself is: copies lie in ``directory`` in the places that
    they have on the machine. Raises ToolError with the compiler's output.
    """
    copies = directory / "files"
    for path, header in program.headers:
        copy = _copied(path, copies)
        copy.parent.mkdir(parents=True, exist_ok=True)
        others = tuple(text for text in program.texts if text != header.text)
        write_source(copy, header.name, rewrite(header.text, check=check, capture=capture, others=others))
    own = program.path.parent
    _copied(own, copies).mkdir(parents=True, exist_ok=True)
    folders = [f"-I{INCLUDE}", *(word for folder in (_copied(own, copies), own) for word in ("-iquote", str(folder)))]
    for flag in flags:
        if flag.startswith("-I"):
            folders.append(f"-I{_copied(Path(flag[2:]).absolute(), copies)}")
        folders += [] if _OLD.fullmatch(flag) else [flag]
    executable = directory / "program"
    text = without_library(program.source.text)  # which a translated program ends with
    is_ours = text != program.source.text
    rewritten = rewrite(text, check=check, capture=capture, others=program.texts[1:])
    kind = kind_flags("-O2", check=check, capture=capture)
    prefix = precompiled_header(kind) if is_ours else HEADER
    kind = kind if is_ours or check else (*kind, *_ALIGNED)
    target = directory / "program.cu.o"
    part = compile_rewritten(rewritten, program.source.name, target, (*kind, *folders), header=prefix, check=check)
    link(executable, [part], (), ("-lm", *libraries), check=check, library=is_ours)
    if check:
        names = device_names("\n".join(program.texts))
        executable.with_name("program.symbols").write_text(describe_symbols(executable, names))
    return Program(executable, program.path, check)


def _copied(path: Path, copies: Path) -> Path:
    """Where the copy of a file or folder lies."""
    return copies / path.resolve().relative_to(path.resolve().anchor)
