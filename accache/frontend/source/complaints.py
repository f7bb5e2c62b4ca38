"""What to do about what a C compiler complains of."""

from __future__ import annotations

import re
from pathlib import Path

from accache.base.spelling import closest, similar
from accache.base.text import Location, SourceFile
from accache.frontend.source.cuda_words import instead_of
from accache.frontend.source.definitions import active_tokens
from accache.frontend.source.tokens import DIRECTIVE

_MISSING = r"(?:fatal error: )?'?([^':]+)'?(?:: No such file or directory| file not found)"
"""The words of gcc and of clang for a header that they do not find."""
_UNKNOWN = r"invalid (?:preprocessing|preprocessor) directive '?#?(\w+)"
_DIRECTIVES = (
    "include",
    "define",
    "undef",
    "ifdef",
    "ifndef",
    "if",
    "elif",
    "else",
    "endif",
    "pragma",
    "error",
    "line",
)
_STANDARD = (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math omp openacc setjmp signal stdalign "
    "stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar unistd wchar"
)


def remedy(reason: str, path: str) -> str:
    """A hint for a complaint about the file at ``path``; '' where the complaint says it all."""
    missing, unknown = re.fullmatch(_MISSING, reason), re.match(_UNKNOWN, reason)
    if missing is not None:
        return _header(missing[1], Path(path).parent)
    if unknown is not None:
        return similar(unknown[1], _DIRECTIVES)
    if reason.startswith("#error"):
        return "-D NAME=VALUE defines a macro, as for your compiler"
    if reason.startswith("unterminated #"):
        return "write #endif where the group ends"
    if reason.startswith("#include expects"):
        return 'write #include <stdio.h> for a header of the system, #include "name.h" for one of yours'
    if reason.startswith("cannot run"):
        return "install a C compiler, or name yours with --cpp or in CC"
    return ""


def remedy_of_c(source: SourceFile, place: Location, reason: str) -> str:
    """A hint for what the C compiler complains of; '' where the complaint says it all."""
    return instead_of(reason) or _unfinished_directive(source, place)


def _unfinished_directive(source: SourceFile, place: Location) -> str:
    """A hint for text that is no C and stands in the line behind a directive; '' elsewhere."""
    directives = (token for token in active_tokens(source) if token.kind == DIRECTIVE)
    above = (token for token in directives if source.location(token.span.end).line == place.line - 1)
    if place.file != source.name or not any(re.match(r"#\s*pragma\s+acc\b", token.text) for token in above):
        return ""
    return "a directive goes on in the next line only behind a '\\'"


def _header(name: str, folder: Path) -> str:
    """A header that is there and has nearly this name, or how to say where headers are."""
    standard = [f"{word}.h" for word in _STANDARD.split()]
    near = [item.name for item in folder.glob("*.h") if folder.is_dir()]
    close = closest(name, [*near, *standard], 0.75)
    return f"did you mean '{close}'?" if close and close != name else f"-I DIR names the folder of '{name}'"
