"""A .cu text by its tokens and by what stands at file scope, with the user's headers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from accache.base.properties import cached_property
from accache.base.text import SourceFile, Span, read_source_file, without_mark
from accache.cpu.tokens import BLANK, CLOSING, HASH, OPENING, Token, closing, directive_spans
from accache.cuda.items import Item, code, items
from accache.cuda.words import GROUP_TYPES, GROUPS

_DEFINED = re.compile(rf"{HASH}define{BLANK}(\w+)(?!\()")
_WORD = re.compile(r"\w+")
_INCLUDE = re.compile(rf"""{HASH}include[ \t]*(["<])([^">\n]+)[">]""")


class Cuda(Struct, frozen=True, dict=True):
    """A .cu text with its tokens and what stands at file scope, and the user's headers where they are included.

    ``device_words`` are those that make a function one of the device: macros may hold ``__device__``.
    """

    source: SourceFile
    tokens: tuple[Token, ...]
    items: tuple[Item, ...]
    headers: tuple[tuple[Span, Cuda], ...] = ()
    device_words: frozenset[str] = frozenset(("__device__",))

    @property
    def files(self) -> tuple[Cuda, ...]:
        """This text and those of its headers."""
        return (self, *(file for _, header in self.headers for file in header.files))

    @cached_property
    def directives(self) -> tuple[Span, ...]:
        """The places of the preprocessor's lines."""
        return directive_spans(self.source.text)

    @property
    def kernels(self) -> tuple[Item, ...]:
        """The kernels that are defined here."""
        return tuple(item for item in self.items if item.kind == "kernel")

    @cached_property
    def namespaces(self) -> tuple[tuple[str, ...], ...]:
        """The namespaces that this text and its headers open, each with those around it."""
        found = (path for file in self.files for _, _, path in file._opened)
        named = (tuple(name for name in path if name) for path in found)
        return tuple(dict.fromkeys(path for path in named if path))

    def scope(self, index: int) -> tuple[str, ...]:
        """The namespace around a token."""
        return max((path for first, end, path in self._opened if first < index < end), key=len, default=())

    @cached_property
    def _opened(self) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
        return tuple(_namespaces(self.tokens))

    def spelled(self, first: int, end: int) -> str:
        """The text of a half-open range of tokens."""
        return self.source.text[self.tokens[first].start : self.tokens[end - 1].end] if first < end else ""

    @cached_property
    def group_names(self) -> frozenset[str]:
        """The names for the namespace of cooperative groups, and those of it that stand alone behind a ``using``."""
        tokens = [token for file in self.files for token in file.tokens]
        words = [token.text for token in tokens]
        spaces = {*GROUPS, *(words[k - 2] for k in range(3, len(words)) if words[k] in GROUPS and words[k - 1] == "=")}
        is_open = any(words[k] in spaces and words[k - 2 : k] == ["using", "namespace"] for k in range(2, len(words)))
        alone = {
            words[k + 2]
            for k in range(1, len(words) - 2)
            if words[k - 1] == "using" and words[k] in spaces and words[k + 1] == "::"
        }
        return frozenset(spaces | (GROUP_TYPES if is_open else alone & GROUP_TYPES))


def _namespaces(tokens: tuple[Token, ...]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """The namespaces that a text opens, from brace to brace; one without a name is called ''."""
    around: list[tuple[int, tuple[str, ...]]] = []
    for index, token in enumerate(tokens):
        while around and index > around[-1][0]:
            around.pop()
        if token.text == "namespace" and (index == 0 or tokens[index - 1].text != "using"):
            end = next((k for k in range(index + 1, len(tokens)) if tokens[k].text in "{;=("), index)
            names = tuple(each.text for each in tokens[index + 1 : end] if each.is_name)
            if tokens[end].text == "{":
                path = (*(around[-1][1] if around else ()), *(names or ("",)))
                around.append((closing(tokens, end), path))
                yield end, around[-1][0], path


class NoViewError(Exception):
    """A kernel has no view: what stands in the way, and where in the .cu text."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.reason, self.span = reason, span


class BracketsError(NoViewError):
    """Brackets of a kernel's text do not match: no compiler takes it, unless macros hold the others."""


def expect_brackets(cuda: Cuda, item: Item) -> None:
    """See that the brackets of an item match.

    Raises:
        BracketsError: one has no counterpart.
    """
    opened: list[Token] = []
    for token in cuda.tokens[item.first : item.end]:
        if token.text in OPENING:
            opened.append(token)
        elif token.text in CLOSING and (not opened or OPENING[opened.pop().text] != token.text):
            break
    else:
        if not opened:
            return
        token = opened[-1]
    raise BracketsError("its brackets do not match", Span(token.start, token.end))


def read_cuda(source: SourceFile, folders: Sequence[Path] = ()) -> Cuda:
    """A .cu text by tokens and items; ``folders`` are where the user looks for headers, beside the file's own.

    Byte-order marks are left out.
    """
    read = _read(source, tuple(folders), {Path(source.name).absolute()})
    words = {"__device__"}
    definitions = [found for file in read.files for found in _definitions(file)]
    while more := {name for name, body in definitions if name not in words and words.intersection(body)}:
        words |= more
    return read if len(words) == 1 else _with_device_words(read, frozenset(words))


def _definitions(cuda: Cuda) -> Iterator[tuple[str, list[str]]]:
    """The macros without parameters that a text defines, and the words of what they stand for."""
    for span in cuda.directives:
        found = _DEFINED.match(cuda.source.text, span.start, span.end)
        if found is not None:
            yield found[1], _WORD.findall(cuda.source.text[found.end() : span.end])


def _is_of_device(cuda: Cuda, item: Item, words: frozenset[str]) -> bool:
    """Whether one of some words stands in front of the name of what seems to be a function of the host."""
    head = itertools.takewhile(lambda token: token.text != item.name, cuda.tokens[item.first : item.body])
    return item.kind == "host" and any(token.text in words for token in head)


def _with_device_words(cuda: Cuda, words: frozenset[str]) -> Cuda:
    """A text and its headers where functions with some of these words in front of their names are the device's."""
    found = tuple(replace(item, kind="device") if _is_of_device(cuda, item, words) else item for item in cuda.items)
    headers = tuple((span, _with_device_words(header, words)) for span, header in cuda.headers)
    return Cuda(cuda.source, cuda.tokens, found, headers, words)


def _read(source: SourceFile, folders: tuple[Path, ...], seen: set[Path]) -> Cuda:
    """A text with those of its headers that were not seen before."""
    source = without_mark(source)
    tokens, headers = code(source.text), []
    for span in directive_spans(source.text):
        found = _INCLUDE.match(source.text, span.start)
        if found is None:
            continue
        own = (Path(source.name).absolute().parent,) if found[1] == '"' else ()
        path = next((path for folder in (*own, *folders) if (path := folder / found[2]).is_file()), None)
        if path is None or path.resolve() in seen:
            continue
        seen.add(path.resolve())
        headers.append((span, _read(read_source_file(str(path)), folders, seen)))
    return Cuda(source, tokens, tuple(items(tokens)), tuple(headers))
