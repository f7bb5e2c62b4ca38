"""Look at C sources through the host compiler's preprocessor, and tell which ones hold directives."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from msgspec import Struct

from accache.base.environment import nested, plain_english
from accache.base.options import OPENACC_VERSION
from accache.base.resources import headers
from accache.cc.command import Command
from accache.cc.words import Word

if TYPE_CHECKING:
    from accache.reading import Marked

_PRAGMA = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+acc\b", re.M)
# What changes neither the text nor the macros, but might print, stop or write files.
_NOT_FOR_PREPROCESSING = (
    r"-W(?!p,).*|-g.*|-fdump-.*|-save-temps.*|-v|-Q|-f?time.*|-f(lto|profile|coverage|test-coverage).*|--coverage"
    r"|-aux-info|-dump(base|base-ext|dir)|-wrapper|-pipe|-pedantic(-errors)?"
)
_TAKES_NEXT = frozenset({"-aux-info", "-dumpbase", "-dumpbase-ext", "-dumpdir", "-wrapper"})


class HostError(Exception):
    """The host compiler cannot be run."""


class Source(Struct, frozen=True):
    """A C file: its name on the command line, its bytes, and what the preprocessor makes of them, macros included.

    ``expanded``: the preprocessor has been there before (.i). ``marked`` is the file as the front end has it
    preprocessed, if it was: then what it leaves is ``preprocessed``, too.
    """

    name: str
    data: bytes
    preprocessed: bytes
    expanded: bool = False
    marked: Marked | None = None

    @property
    def has_directives(self) -> bool:
        """Whether the preprocessor leaves an acc pragma, be it from an included file or a macro."""
        return self.marked is not None or mentions_directives(self.preprocessed)


def mentions_directives(text: bytes) -> bool:
    """Whether an acc pragma begins on a line of a text."""
    return _PRAGMA.search(text) is not None


def openacc_flags() -> tuple[str, ...]:
    """What each C file is compiled with besides the user's flags: OpenACC's macro and header."""
    return ("-U_OPENACC", f"-D_OPENACC={OPENACC_VERSION}", "-isystem", str(headers()))


def preprocessor_flags(command: Command) -> tuple[str, ...]:
    """The flags of a command line that may change what the preprocessor makes of a file."""
    kept: list[str] = []
    words = iter(command.compile_flags)
    for word in words:
        if not re.fullmatch(_NOT_FOR_PREPROCESSING, word):
            kept.append(word)
        elif word in _TAKES_NEXT:
            next(words, None)
    return tuple(kept)


def read(word: Word, stdin: bytes | None) -> bytes | None:
    """The bytes of an input; None where it cannot be read, which the host compiler will say."""
    if word.value == "-":
        return stdin
    try:
        return Path(word.value).read_bytes()
    except OSError:
        return None


def preprocess(
    command: Command, word: Word, data: bytes, compiler: Sequence[str], *, dependencies: Sequence[str] = ()
) -> Source | None:
    """Preprocess an input; None where that fails, which the host compiler will say better.

    ``dependencies`` are options to write a dependency file on the way.
    """
    done = run(
        [*compiler, *openacc_flags(), *preprocessor_flags(command), *dependencies, "-E", "-dD", "-w", "-x",
         word.language or "c", word.value],
        data if word.value == "-" else None, capture=True,
    )  # fmt: skip
    return Source(word.value, data, done.stdout, is_expanded(word)) if done.returncode == 0 else None


def is_expanded(word: Word) -> bool:
    """Whether an input is what a preprocessor wrote."""
    return (word.language or PurePath(word.value).suffix) in ("cpp-output", ".i")


def is_rejected(command: Command, source: Source, compiler: Sequence[str]) -> bool:
    """Whether the host compiler finds errors in a file as C without directives; it prints them."""
    words = [*compiler, *openacc_flags(), *command.compile_flags, "-Wno-unknown-pragmas", "-fsyntax-only", "-x", "c"]
    return run([*words, source.name], source.data if source.name == "-" else None).returncode != 0


def run(words: Sequence[str], data: bytes | None, *, capture: bool = False) -> subprocess.CompletedProcess[bytes]:
    """Run the host compiler or a tool beside it; what is captured, we read, and it is in English.

    Raises:
        HostError: it cannot be run.
    """
    try:
        return subprocess.run(
            words, input=data, capture_output=capture, check=False, env=plain_english() if capture else nested()
        )
    except OSError as error:
        raise HostError(f"cannot run '{words[0]}': {error.strerror}") from error
