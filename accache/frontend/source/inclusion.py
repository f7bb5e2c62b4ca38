"""Headers with directives, put in the place of their #include.

Before: ``#include "kernels.h"``, where kernels.h holds acc pragmas. After: the header's lines between ``#line``
directives, so that its constructs can be replaced like those of the file itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import CompileError, Reporter
from accache.base.text import Location, SourceFile, text_of
from accache.frontend.source.preprocess import Preprocessed, PreprocessOptions, preprocess

Value = TypeVar("Value")
MOST_HEADERS = 100
_SUFFIX = " with its headers"
_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b[^\n]*", re.M)
_QUOTED_INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*")([^"\n]+)(")', re.M)


def relocated(source: SourceFile, value: Value) -> Value:
    """A tree, or any value of records and tuples, with the user's places in it."""
    return with_places(source.place, value) if source.is_made else value


def with_places(place: Callable[[Location], Location], value: Value) -> Value:
    """A value of records and tuples in which each place is what ``place`` makes of it; what is shared stays shared."""
    made: dict[int, tuple[Any, Any]] = {}

    def of(item: Any) -> Any:
        if isinstance(item, Location):
            return place(item)
        if isinstance(item, tuple):
            return tuple(map(of, item))
        if not isinstance(item, Struct):
            return item
        if id(item) not in made:
            changed = {name: of(getattr(item, name)) for name in item.__struct_fields__}
            made[id(item)] = (item, replace(item, **changed))
        return made[id(item)][1]

    found: Value = of(value)
    return found


def include_headers(
    source: SourceFile, options: PreprocessOptions, reporter: Reporter, output: str | None = None
) -> tuple[SourceFile, Preprocessed]:
    """Preprocess a file, with every header in it that has directives, and headers of headers.

    The ``output`` is what ``preprocess`` may be given of the file.
    What cannot be put in place, since it is included from the command line, stays in ``included_pragmas``.

    :raises CompileError: the preprocessor failed (ACC103).
    """
    preprocessed = preprocess(source, options, reporter, output)
    if not preprocessed.entries:
        return source, preprocessed
    home = Path(source.name).parent
    lines = [(source.name, number) for number in range(1, source.text.count("\n") + 2)]
    text, once = source.text, set[str]()
    for _ in range(MOST_HEADERS):
        line, header = preprocessed.entries[0]
        text = _pasted(text, lines, line, header, home=home, once=once)
        joined = SourceFile(source.name + _SUFFIX, text, tuple(lines))
        try:
            preprocessed = preprocess(joined, options, reporter)
        except CompileError as error:
            raise CompileError(relocated(joined, error.diagnostics)) from None
        if not preprocessed.entries:
            break
    return joined, preprocessed


def _pasted(text: str, lines: list[tuple[str, int]], number: int, header: str, *, home: Path, once: set[str]) -> str:
    """The text with an #include, which ends in a line, replaced by the header; ``lines`` follows."""
    rows = text.split("\n")
    file, line = lines[number - 1]
    first = number - 1
    while first and rows[first - 1].endswith("\\"):
        first -= 1
    body = _body(header, home, once).split("\n")
    rows[first:number] = [f'#line 1 "{_escaped(header)}"', *body, f'#line {line + 1} "{_escaped(file)}"']
    lines[first:number] = [
        (file, line),
        *((header, position) for position in range(1, len(body) + 1)),
        (file, line),
    ]
    return "\n".join(rows)


def _body(header: str, home: Path, once: set[str]) -> str:
    """A header's lines; nothing if it may be included only once, and was."""
    text = text_of(Path(header).read_bytes()).removeprefix("\ufeff").removesuffix("\n")
    if _ONCE.search(text):
        if header in once:
            return ""
        once.add(header)
        text = _ONCE.sub("", text)
    folder = Path(header).parent
    return text if folder == home else _QUOTED_INCLUDE.sub(lambda found: _moved(found, folder, home), text)


def _moved(found: re.Match[str], folder: Path, home: Path) -> str:
    """An #include that is looked for beside its header, as seen from the file's own folder."""
    path = folder / found[2]
    return found[1] + os.path.relpath(path, home) + found[3] if path.exists() else found[0]


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')
