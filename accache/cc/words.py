"""The words of a compiler's command line, each with its role; response files are read in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from msgspec import Struct

from accache.base.choices import TARGETS


class Role(Enum):
    """What a word of the command line is for."""

    INPUT = "a file to compile or link"
    OUTPUT = "where the result goes"
    MODE = "how far to go: -c, -S, -E and their like"
    LANGUAGE = "the language of the files after it"
    COMPILE = "an option of the compiler, which may concern linking too"
    LINK = "an option or a library for the linker only"
    DEPENDENCY = "what to write into which dependency file"
    OWN = "an option of accache"


class Word(Struct, frozen=True):
    """An option with its argument, or a file; ``value`` is the argument, or the file's name.

    ``language`` is what an -x in front of a file says.
    """

    role: Role
    texts: tuple[str, ...]
    value: str = ""
    language: str = ""

    @property
    def name(self) -> str:
        """The first text, or what of it stands before the value."""
        first = self.texts[0]
        return first.removesuffix(self.value) if len(self.texts) == 1 and self.value else first


# Options whose argument may be a word of its own; the longest name that fits counts.
_WITH_ARGUMENT = {
    "-o": Role.OUTPUT,
    "-x": Role.LANGUAGE,
    "-MF": Role.DEPENDENCY,
    "-MT": Role.DEPENDENCY,
    "-MQ": Role.DEPENDENCY,
    **dict.fromkeys(("-l", "-L", "-Xlinker", "-T", "-u", "-z", "-e"), Role.LINK),
    **dict.fromkeys(
        (
            "-I", "-D", "-U", "-A", "-B", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix",
            "-iwithprefix", "-iwithprefixbefore", "-isysroot", "-imultilib", "-Xpreprocessor", "-Xassembler",
            "-Xclang", "-mllvm", "--param", "--sysroot", "-aux-info", "-dumpbase", "-dumpbase-ext", "-dumpdir",
            "-wrapper", "-specs", "-target",
        ),
        Role.COMPILE,
    ),
}  # fmt: skip
# Of those, what is an option of its own when something else than = follows at once: -else is not -e lse.
_NEVER_JOINED = frozenset({"-T", "-u", "-z", "-e", "-wrapper", "-target", "-Xclang", "-mllvm", "-aux-info", "-Xlinker",
                           "-Xpreprocessor", "-Xassembler", "--param", "--sysroot", "-specs",
                           "-dumpbase", "-dumpbase-ext", "-dumpdir"})  # fmt: skip
_MODES = frozenset({"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"})
_DEPENDENCY = r"(?s)-M[MDPG]?D?|-Wp,-MM?D,.*"
_LINK = r"(?s)-Wl,.*|-shared|-static.*|-(no-)?pie|-rdynamic|-s|-r|-no(startfiles|defaultlibs|stdlib|libc)|-T.*"
_OWN = r"(?s)--accache-.+|--check|--target=(cpu|cuda)|-arch=.*"
_OWN_WITH_ARGUMENT = ("--target", "-arch")
_RESPONSE = r"""(?s)(?:\\.|'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?|[^\s'"\\])+"""
_QUOTED = r"""(?s)\\(.)|(['"])((?:\\.|(?!\2)[^\\])*)\2?"""
_MOST_FILES = 2000


def read_words(arguments: list[str]) -> tuple[Word, ...]:
    """The words of a command line in their order.

    Raises:
        ValueError: an option at the end lacks its argument, or a response file holds itself.

    >>> [word.texts for word in read_words(["-I", "include", "-c", "a.c", "-o", "a.o"])]
    [('-I', 'include'), ('-c',), ('a.c',), ('-o', 'a.o')]
    """
    words: list[Word] = []
    language = ""
    rest = iter(expand(arguments))
    for text in rest:
        word = _word(text, rest, language)
        if word.role is Role.LANGUAGE:
            language = "" if word.value == "none" else word.value
        words.append(word)
    return tuple(words)


def _word(text: str, rest: Iterator[str], language: str) -> Word:
    if text == "-" or not text.startswith("-"):
        return Word(Role.INPUT, (text,), text, language)
    if text in _OWN_WITH_ARGUMENT or text in _WITH_ARGUMENT:
        value = next(rest, None)
        if value is None:
            raise ValueError(f"missing argument to '{text}'")
        own = text in _OWN_WITH_ARGUMENT and (text != "--target" or value in TARGETS)
        return Word(Role.OWN if own else _WITH_ARGUMENT.get(text, Role.COMPILE), (text, value), value)
    if re.fullmatch(_OWN, text):
        return Word(Role.OWN, (text,), text.partition("=")[2])
    if text in _MODES:
        return Word(Role.MODE, (text,))
    if re.fullmatch(_DEPENDENCY, text):
        return Word(Role.DEPENDENCY, (text,))
    if re.fullmatch(_LINK, text):
        return Word(Role.LINK, (text,))
    for name in sorted(_WITH_ARGUMENT, key=len, reverse=True):
        if text.startswith(name) and name not in _NEVER_JOINED:
            return Word(_WITH_ARGUMENT[name], (text,), text.removeprefix(name))
    return Word(Role.COMPILE, (text,))


def expand(arguments: list[str]) -> list[str]:
    """The command line with the contents of response files in the place of ``@file``.

    As gcc does, an ``@file`` that cannot be read is an argument like any other.

    Raises:
        ValueError: there are too many response files: one of them holds itself.
    """
    done: list[str] = []
    todo = list(reversed(arguments))
    files = 0
    while todo:
        text = todo.pop()
        content = _response(text) if text.startswith("@") else None
        if content is None:
            done.append(text)
            continue
        files += 1
        if files > _MOST_FILES:
            raise ValueError(f"too many @-files encountered: '{text}'")
        todo += reversed(split_response(content))
    return done


def _response(text: str) -> str | None:
    path = Path(text[1:])
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape") if path.is_file() else None
    except OSError:
        return None


def split_response(content: str) -> list[str]:
    r"""The arguments in a response file: blanks part them, quotes and backslashes protect.

    >>> split_response("-DNAME=\\\"x\\\" 'two words' -o\tout")
    ['-DNAME="x"', 'two words', '-o', 'out']
    """
    return [_unquoted(found.group()) for found in re.finditer(_RESPONSE, content)]


def _unquoted(text: str) -> str:
    return re.sub(_QUOTED, lambda found: found[1] if found[2] is None else re.sub(r"(?s)\\(.)", r"\1", found[3]), text)


def response_line(words: list[str]) -> str:
    """Arguments as the text of a response file."""
    return "".join(re.sub(r"""([\s'"\\])""", r"\\\1", word) + "\n" if word else "''\n" for word in words)
