"""What callers give: paths, words, and options by their names; the rest is refused."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from accache.base.choices import (
    CoarsenChoice,
    LineChoice,
    MethodChoice,
    ScopeChoice,
    TuneChoice,
    WideChoice,
    WidthChoice,
    WriteChoice,
)
from accache.base.options import OptionError, Options, default_compiler
from accache.base.spelling import similar
from accache.base.text import STDIN

_WORDS = {
    "preprocessor": (re.compile(r"(-[IDU]|-std=)[^\0]+"), "-I, -D, -U with their values, -std="),
    "libraries": (re.compile(r"-[lL][^\0]+|-fopenmp"), "-l and -L with their values, -fopenmp"),
}
_ANY = re.compile(r"[^\0]*")


class PlanOptions(TypedDict, total=False):
    """What decides how a program is translated: fields of ``Options``, where each is described."""

    method: MethodChoice
    write: WriteChoice
    width: WidthChoice
    scope: ScopeChoice
    sharing: bool
    tune: TuneChoice
    coarsen: CoarsenChoice
    wide: WideChoice
    auto_cache: bool
    density: float
    private_line: LineChoice
    private_calls: int
    split_slices: bool
    trust_range: bool
    fast_math: bool
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
    given = known_options(values, known)
    words = {name: words_of(name, given[name]) for name in _WORDS if name in given}
    checked: dict[str, Any] = {"cc": default_compiler(), **given, **words}
    return Options(**checked)


def known_options(values: Mapping[str, object], known: Iterable[str]) -> Mapping[str, object]:
    """The values as they are; raises OptionError if there is one of no known name."""
    names = tuple(known)
    for name in values:
        if name not in names:
            hint = similar(name, names)
            raise OptionError(f"no option {name!r}{f', {hint}' if hint else ''}: {', '.join(names)}", name, names)
    return values


def words_of(name: str, value: object) -> tuple[str, ...]:
    """Words of a command line; a text is one word, and not many of one letter.

    Raises:
        OptionError: it is no list of texts, or one of them cannot stand here.
    """
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(word, str) for word in value):
        raise OptionError(f"{value!r} is not a value of {name}: a list of words", name)
    pattern, known = _WORDS.get(name, (_ANY, "without NUL"))
    for word in value:
        if not pattern.fullmatch(word) or not is_encodable(word):
            raise OptionError(f"{word!r} is not a word of {name}: {known}", name)
    return tuple(value)


def path_of(program: str | os.PathLike[str]) -> str:
    """The path that a caller means; ``-`` is a file of that name, too: a library reads no standard input.

    Raises:
        OptionError: it is no path.
    """
    path = os.fspath(program) if isinstance(program, str | os.PathLike) else None
    if not isinstance(path, str) or not is_encodable(path):
        raise OptionError(f"{program!r} is neither the path nor the text of a program", "program")
    return str(Path.cwd() / path) if path in ("-", STDIN) else path


def is_encodable(text: str) -> bool:
    """Whether the system can be given a text, as an argument or the name of a file."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def expect_name(option: str, value: object) -> None:
    """Raise OptionError for what is no text that the system can be given."""
    expect(option, value, isinstance(value, str) and is_encodable(value), "a name")


def expect(option: str, value: object, is_right: bool, known: str) -> None:
    """Raise OptionError for a value that is not right; ``known`` says in words what would be."""
    if not is_right:
        raise OptionError(f"{value!r} is not a value of {option}: {known}", option)


def expect_number(option: str, value: object, least: int) -> None:
    """Raise OptionError for what is no whole number from ``least`` on."""
    is_right = isinstance(value, int) and not isinstance(value, bool) and value >= least
    expect(option, value, is_right, f"a number from {least} on")
