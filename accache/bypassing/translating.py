"""C with OpenACC as a CUDA program for ``accache bypass``, whose lines are those of the C file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from accache.diagnostics import CompileError
from accache.driver import Translation, translate
from accache.options import Options
from accache.output import write_files

_ARCHITECTURE = re.compile(r"(?:-arch|--gpu-architecture)=(sm_\d+[a-z]?)")


def translated(
    name: str, folder: Path, flags: tuple[str, ...], arguments: Sequence[str], method: str = Options().method
) -> tuple[Path, tuple[str, ...], Translation]:
    """The CUDA program, written to a folder; nvcc's arguments for it; and the translation it is from.

    ``flags`` are -I, -D, -U and -std for the C compiler; of nvcc's ``arguments`` the architecture is planned for.
    ``method`` is that of all cache directives.

    Raises:
        CompileError: the file cannot be translated, or not to a single file.
    """
    architectures = [found[1] for word in arguments if (found := _ARCHITECTURE.fullmatch(word))]
    arch = (architectures or [Options().arch])[-1]
    translation = translate(name, Options(line=True, preprocessor=flags, arch=arch, method=method))
    if translation.joined is None:
        raise CompileError(translation.refusals)
    path = folder / f"{Path(name).stem}.cu"
    write_files(((str(path), translation.joined),))
    own = f"-I{Path(name).resolve().parent}"
    kept = tuple(word for word in arguments if not word.startswith("-std="))
    return path, (*kept, own), translation
