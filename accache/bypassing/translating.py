"""C with OpenACC as a CUDA program for ``accache bypass``, whose lines are those of the C file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from accache.diagnostics import CompileError, Diagnostic
from accache.driver import translate
from accache.options import Options
from accache.output import write_files

_ARCHITECTURE = re.compile(r"(?:-arch|--gpu-architecture)=(sm_\d+[a-z]?)")


def translated(
    name: str, folder: Path, flags: tuple[str, ...], arguments: Sequence[str]
) -> tuple[Path, tuple[str, ...], tuple[Diagnostic, ...]]:
    """The CUDA program, written to a folder; nvcc's arguments for it; and what there was to say.

    ``flags`` are -I, -D, -U and -std for the C compiler; of nvcc's ``arguments`` the architecture is planned for.

    Raises:
        CompileError: the file cannot be translated, or not to a single file.
    """
    architectures = [found[1] for word in arguments if (found := _ARCHITECTURE.fullmatch(word))]
    options = Options(line=True, preprocessor=flags, arch=(architectures or [Options().arch])[-1])
    translation = translate(name, options)
    if translation.joined is None:
        raise CompileError(translation.refusals)
    path = folder / f"{Path(name).stem}.cu"
    write_files(((str(path), translation.joined),))
    own = f"-I{Path(name).resolve().parent}"
    kept = tuple(word for word in arguments if not word.startswith("-std="))
    return path, (*kept, own), translation.diagnostics
