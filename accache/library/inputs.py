"""What callers give: a program as text or by its path, and options by their names; the rest is refused."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from accache.base.diagnostics import Reporter
from accache.base.options import OptionError, Options, default_compiler
from accache.base.spelling import similar
from accache.base.text import STDIN, SourceFile, text_of
from accache.frontend.source.preprocess import read_source

if TYPE_CHECKING:
    Input = str | os.PathLike[str]

TEXT = "<text>"
"""The name of a program that is given as text, in messages."""
_WORDS = {
    "preprocessor": (re.compile(r"(-[IDU]|-std=)[^\0]+"), "-I, -D, -U with their values, -std="),
    "libraries": (re.compile(r"-[lL][^\0]+|-fopenmp"), "-l and -L with their values, -fopenmp"),
}
_ANY = re.compile(r"[^\0]*")


class PlanOptions(TypedDict, total=False):
    """What decides how a program is translated: fields of ``Options``, where each is described."""

    method: str
    write: str
    width: str
    scope: str
    sharing: bool
    tune: str
    coarsen: str
    trust_range: bool
    arch: str
    ehc_entries: int
    ehc_ways: int
    cc: str
    preprocessor: Sequence[str]


class TranslationOptions(PlanOptions, total=False):
    """The options of a translation."""

    line: bool


class RunOptions(PlanOptions, total=False):
    """The options of a program that is linked and run."""

    libraries: Sequence[str]


def options_of(values: Mapping[str, object], known: Iterable[str]) -> Options:
    """The options of the values that a caller gives; the C compiler is that of the environment if none is named.

    Raises:
        OptionError: an option does not exist here, or has a value that it cannot have.
    """
    names = tuple(known)
    for name in values:
        if name not in names:
            hint = similar(name, names)
            raise OptionError(f"no option {name!r}{f', {hint}' if hint else ''}: {', '.join(names)}", name, names)
    words = {name: words_of(name, values[name]) for name in _WORDS if name in values}
    return Options(**{"cc": default_compiler(), **values, **words})  # type: ignore[arg-type]


def words_of(name: str, value: object) -> tuple[str, ...]:
    """Words of a command line; a text is one word, and not many of one letter.

    Raises:
        OptionError: it is no list of texts, or one of them cannot stand here.
    """
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(word, str) for word in value):
        raise OptionError(f"{value!r} is not a value of {name}: a list of words", name)
    pattern, known = _WORDS.get(name, (_ANY, "without NUL"))
    for word in value:
        if not pattern.fullmatch(word):
            raise OptionError(f"{word!r} is not a word of {name}: {known}", name)
    return tuple(value)


def is_text(program: object) -> bool:
    """Whether a caller gives the text of a program, and no path: it has a line break."""
    return isinstance(program, str) and ("\n" in program or "\r" in program)


def source_of(program: Input, name: str = TEXT) -> SourceFile:
    """The program that a caller means: a text with a line break is C, any other text is a path, as path objects are.

    A text is called ``name`` in messages, and includes files from the folder of that name.

    Raises:
        CompileError: the file cannot be read, or is in another language.
        OptionError: the text or the name is none that a file could have.
    """
    if isinstance(program, str) and is_text(program):
        if not name or set(name) & set("\n\r\0"):
            raise OptionError(f"{name!r} is no name for a text", "name")
        try:
            return SourceFile(name, text_of(program.encode("utf-8", "surrogateescape")))
        except UnicodeEncodeError as error:
            raise OptionError(f"the text is none that a file could hold: {error}", "program") from error
    return read_source(path_of(program), Reporter())


def path_of(program: Input) -> str:
    """The path that a caller means; ``-`` is a file of that name, too: a library reads no standard input.

    Raises:
        OptionError: it is no path.
    """
    path = os.fspath(program) if isinstance(program, str | os.PathLike) else None
    if not isinstance(path, str) or not path or "\0" in path:
        raise OptionError(f"{program!r} is neither the path nor the text of a program", "program")
    return str(Path.cwd() / path) if path in ("-", STDIN) else path


def expect(option: str, value: object, is_right: bool, known: str) -> None:
    """Raise OptionError for a value that is not right; ``known`` says in words what would be."""
    if not is_right:
        raise OptionError(f"{value!r} is not a value of {option}: {known}", option)


def expect_number(option: str, value: object, least: int) -> None:
    """Raise OptionError for what is no whole number from ``least`` on."""
    is_right = isinstance(value, int) and not isinstance(value, bool) and value >= least
    expect(option, value, is_right, f"a number from {least} on")
