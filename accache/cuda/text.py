"""The text of a view: one kernel, what it calls and what it names, as C, with the way back to the .cu text.

Before: ``template <int N> __global__ void scale(float *a) { a[threadIdx.x] *= float(N); }`` as scale<4> is launched.
After: ``#pragma acc routine seq`` and ``void scale(float *a) { a[threadIdx_x] *= (float)(4); }``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from accache.base.text import Edit, SourceFile, Span, read_source_file, splice
from accache.cpu.definitions import angles_end, parameter_name, separated
from accache.cpu.tokens import Token, closing
from accache.cuda.items import Item, code, directives, items
from accache.cuda.words import (
    BARRIER,
    BASIC,
    CASTS,
    DROPPED,
    GROUPS,
    POSITIONS,
    REFUSED,
    SPELLED,
    WITH_ARGUMENTS,
    prelude,
)

_KEPT = re.compile(r"[ \t]*#[ \t]*(define|undef|if|ifdef|ifndef|elif|else|endif)\b")
_INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]')
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\\\n]|\\\r?\n|\\.)*", re.M)
_WORD = re.compile(r"\w+")
_DECLARED = frozenset((*BASIC, "const", "unsigned", "signed", "static", "struct", "void"))


class Cuda(Struct, frozen=True):
    """A .cu text with its tokens and what stands at file scope, and the user's headers where they are included."""

    source: SourceFile
    tokens: tuple[Token, ...]
    items: tuple[Item, ...]
    headers: tuple[tuple[Span, Cuda], ...] = ()

    @property
    def files(self) -> tuple[Cuda, ...]:
        """This text and those of its headers."""
        return (self, *(file for _, header in self.headers for file in header.files))

    @property
    def directives(self) -> tuple[Span, ...]:
        """The places of the preprocessor's lines."""
        return directives(self.source.text)

    @property
    def kernels(self) -> tuple[Item, ...]:
        """The kernels that are defined here."""
        return tuple(item for item in self.items if item.kind == "kernel")

    def spelled(self, first: int, end: int) -> str:
        """The text of a half-open range of tokens."""
        return self.source.text[self.tokens[first].start : self.tokens[end - 1].end] if first < end else ""


class ViewText(Struct, frozen=True, dict=True):
    """The C text of a view, and where its parts come from: view offsets, raw offsets, and lengths of parts kept."""

    source: SourceFile
    parts: tuple[tuple[int, int, int], ...]
    shared: frozenset[str]

    def raw(self, offset: int) -> int | None:
        """The place in the .cu text of a place of the view; None for what the view added."""
        index = bisect_right(self.parts, (offset, 1 << 60, 0)) - 1
        if index < 0:
            return None
        start, origin, length = self.parts[index]
        return origin + offset - start if offset - start < length else None


class NoViewError(Exception):
    """A kernel has no view: what stands in the way, and where in the .cu text."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.reason, self.span = reason, span


def read_cuda(source: SourceFile, folders: Sequence[Path] = ()) -> Cuda:
    """A .cu text by tokens and items; ``folders`` are where the user looks for headers, beside the file's own."""
    return _read(source, tuple(folders), {Path(source.name).absolute()})


def _read(source: SourceFile, folders: tuple[Path, ...], seen: set[Path]) -> Cuda:
    """A text with those of its headers that were not seen before."""
    tokens, headers = code(source.text), []
    for span in directives(source.text):
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


def view_text(cuda: Cuda, kernel: Item, arguments: Mapping[str, str]) -> ViewText:
    """The C text of a kernel; ``arguments`` are what the parameters of its template stand for.

    Raises:
        NoViewError: a construct has no counterpart in C.
    """
    kept = _needed(cuda, kernel)
    shared: set[str] = set()
    edits = _edits(cuda, kept, kernel, arguments, shared)
    defined = {found[1] for file in cuda.files for found in _DEFINED.finditer(file.source.text)}
    defined |= {item.name for item in kept if item.kind == "device"}
    return _spliced(cuda.source, prelude(frozenset(defined)), edits, shared)


def _edits(
    cuda: Cuda, kept: Sequence[Item], kernel: Item, arguments: Mapping[str, str], shared: set[str]
) -> tuple[Edit, ...]:
    """The edits of one text: items that are not needed go, headers come, words of CUDA become C."""
    rewriter = _Rewriter(cuda, dict(arguments), shared, _references(cuda, kept), _instances(cuda, kept, arguments))
    edits: list[Edit] = []
    wanted = {id(item) for item in kept}
    for item in cuda.items:
        if id(item) in wanted:
            edits += rewriter.item(item, is_kernel=item is kernel)
        else:
            edits.append(_blank(cuda, item.first, item.end))
    edits += _around(cuda)
    text, headers = cuda.source.text, dict(cuda.headers)
    blanks = [edit.span for edit in edits if edit.span.end > edit.span.start]
    for span in directives(text):
        if _KEPT.match(text, span.start) or any(blank.start <= span.start < blank.end for blank in blanks):
            continue
        header = headers.get(span)
        made = "" if header is None else splice(header.source, _edits(header, kept, kernel, {}, shared))
        edits.append(Edit(span, made + re.sub(r"[^\n]", "", text[span.start : span.end])))
    return tuple(sorted(edits, key=lambda edit: edit.span.start))


def _around(cuda: Cuda) -> list[Edit]:
    """Blanks for what stands around items: the braces of namespaces and of linkage specifications."""
    inside = {index for item in cuda.items for index in range(item.first, item.end)}
    return [_blank(cuda, index, index + 1) for index in range(len(cuda.tokens)) if index not in inside]


def _blank(cuda: Cuda, first: int, end: int) -> Edit:
    """Nothing in the place of tokens but their line breaks and the conditional directives among them."""
    start, stop = cuda.tokens[first].start, cuda.tokens[end - 1].end
    text = cuda.source.text[start:stop]
    return Edit(Span(start, stop), "".join(_skeleton(text)))


def _skeleton(text: str) -> Iterator[str]:
    position = 0
    for span in directives(text):
        yield "\n" * text.count("\n", position, span.start)
        if _KEPT.match(text, span.start):
            yield text[span.start : span.end]
        position = span.end
    yield "\n" * text.count("\n", position)


def _spliced(source: SourceFile, head: str, edits: tuple[Edit, ...], shared: set[str]) -> ViewText:
    """The text with its edits, and the parts of it that were kept."""
    body = splice(source, edits)
    parts, position, at = [], 0, len(head)
    for edit in edits:
        length = edit.span.start - position
        if length:
            parts.append((at, position, length))
        at += length + len(edit.text)
        position = edit.span.end
    parts.append((at, position, len(source.text) - position))
    return ViewText(SourceFile(source.name, head + body), tuple(parts), frozenset(shared))


def _needed(cuda: Cuda, kernel: Item) -> list[Item]:
    """The kernel, the device functions, types, constants and variables that it needs, by name."""
    by_name: dict[str, list[tuple[Cuda, Item]]] = {}
    macros: dict[str, set[str]] = {}
    for file in cuda.files:
        for item in file.items:
            if item.kind in ("device", "type", "constant", "memory", "host"):
                for name in {item.name} | (_names_of_type(file, item) if item.kind == "type" else set()):
                    by_name.setdefault(name, []).append((file, item))
        for found in _DEFINED.finditer(file.source.text):
            macros.setdefault(found[1], set()).update(_WORD.findall(found[0]))
    kept, waiting, seen = [kernel], [_words(cuda, kernel)], set[str]()
    while waiting:
        for word in waiting.pop() - seen:
            seen.add(word)
            waiting += [macros[word]] if word in macros else []
            for file, item in by_name.get(word, ()):
                if not any(item is other for other in kept):
                    kept.append(item)
                    waiting.append(_words(file, item))
    return kept


def _references(cuda: Cuda, kept: Sequence[Item]) -> dict[str, frozenset[int]]:
    """Of each device function the parameters that are references to what is not const."""
    found = {}
    for file in cuda.files:
        for item in file.items:
            if item.kind not in ("device", "host") or not any(item is other for other in kept):
                continue
            texts = [[token.text for token in file.tokens[first:end]] for first, end in item.parameters]
            numbers = frozenset(k for k, words in enumerate(texts) if "&" in words and "const" not in words)
            if numbers:
                found[item.name] = numbers
    return found


def _instances(cuda: Cuda, kept: Sequence[Item], arguments: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """What the parameters of templates stand for that are called with the same arguments wherever they are."""
    templates = {item.name: item for item in kept if item.is_template and item.kind == "device"}
    found: dict[str, set[tuple[str, ...]]] = {name: set() for name in templates}
    for index, token in enumerate(cuda.tokens[:-1]):
        inside = any(item.first <= index < item.end for item in kept if item.kind in ("kernel", "device"))
        if inside and token.text in templates and cuda.tokens[index + 1].text == "<":
            close = angles_end(cuda.tokens, index + 1)
            parts = separated(cuda.tokens, index + 2, close)
            words = (" ".join(arguments.get(t.text, t.text) for t in cuda.tokens[a:b]) for a, b in parts)
            found[token.text].add(tuple(words))
    return {
        name: dict(zip(templates[name].template, next(iter(each)), strict=False))
        for name, each in found.items()
        if len(each) == 1 and len(next(iter(each))) == len(templates[name].template)
    }


def _words(cuda: Cuda, item: Item) -> set[str]:
    return {token.text for token in cuda.tokens[item.first : item.end] if token.is_name}


def _names_of_type(cuda: Cuda, item: Item) -> set[str]:
    """The names that a declaration of types declares: tags, typedef names, enumerators."""
    tokens = cuda.tokens[item.first : item.end]
    found = {
        tokens[k + 1].text for k in range(len(tokens) - 1) if tokens[k].text in ("struct", "union", "enum", "using")
    }
    if tokens[0].text == "typedef":
        found |= {tokens[k].text for k in range(len(tokens) - 1) if tokens[k + 1].text in (";", "[", ",", ")")}
    if any(token.text == "enum" for token in tokens):
        found |= {token.text for token in tokens if token.is_name}
    return found


class _Rewriter(Struct, dict=True):
    """Makes edits of items; notes the arrays in shared memory."""

    cuda: Cuda
    arguments: dict[str, str]
    shared: set[str]
    references: dict[str, frozenset[int]]
    instances: dict[str, dict[str, str]]

    def __post_init__(self) -> None:
        self.pointed: frozenset[str] = frozenset()
        self.blocks: set[str] = set()

    def span(self, first: int, end: int) -> Span:
        """The place of a half-open range of tokens."""
        return Span(self.cuda.tokens[first].start, self.cuda.tokens[end - 1].end)

    def item(self, item: Item, *, is_kernel: bool) -> list[Edit]:
        """The edits that make an item C."""
        outer, self.pointed = self.arguments, frozenset()
        if item.is_template and not is_kernel:
            if item.name not in self.instances:
                raise NoViewError(f"it uses the template '{item.name}'", self.span(item.first, item.first + 1))
            self.arguments = self.instances[item.name]
        elif not is_kernel:
            self.arguments = {}
        edits = self.rewritten(item, is_kernel=is_kernel)
        self.arguments = outer
        return edits

    def rewritten(self, item: Item, *, is_kernel: bool) -> list[Edit]:
        """The edits, with the arguments of the item's template at hand."""
        tokens = self.cuda.tokens
        start = item.first
        edits: list[Edit] = []
        while tokens[start].text == "template":
            start = angles_end(tokens, start + 1) + 1
        if start > item.first:
            edits.append(_blank(self.cuda, item.first, start))
        if item.kind in ("kernel", "device", "host"):
            head = "\n#pragma acc routine seq\n" if is_kernel else "static "
            edits.append(Edit(Span(tokens[start].start, tokens[start].start), head))
            words = (k for k in range(start, item.parameters[0][0] if item.parameters else item.body))
            edits += [Edit(self.span(k, k + 1), " ") for k in words if tokens[k].text == "static"]
            edits += self.defaults(item, is_kernel=is_kernel)
        elif item.kind == "constant":
            return edits + self.constant(item, start)
        elif item.kind == "type":
            edits += self.type(item, start)
        pointed, self.pointed = self.pointed, frozenset()
        edits += self.tokens(start, item.body or item.end)
        self.pointed = pointed
        return edits + (self.tokens(item.body, item.end) if item.body else [])

    def defaults(self, item: Item, *, is_kernel: bool) -> list[Edit]:
        """Parameters without defaults; references become values, or pointers if what they are to is not const."""
        edits, pointed = [], set[str]()
        for first, end in item.parameters:
            texts = [token.text for token in self.cuda.tokens[first:end]]
            if "=" in texts:
                edits.append(Edit(self.span(first + texts.index("="), end), ""))
            if "&" in texts:
                place = first + texts.index("&")
                if is_kernel or "[" in texts:
                    raise NoViewError("a parameter is a reference", self.span(first, end))
                is_value = "const" in texts
                edits.append(Edit(self.span(place, place + 1), " " if is_value else "*"))
                pointed |= set() if is_value else {parameter_name(self.cuda.tokens[first:end])}
        self.pointed = frozenset(pointed)
        return edits

    def constant(self, item: Item, start: int) -> list[Edit]:
        """``const int N = 5;`` as an enumeration, since C's constants are none for the lengths of arrays."""
        tokens = self.cuda.tokens
        texts = [token.text for token in tokens[start : item.end]]
        equals = start + texts.index("=")
        integers = {"int", "unsigned", "long", "short", "size_t", "char", "bool"}
        if "[" in texts or not integers & set(texts) or "," in texts:
            return self.tokens(start, item.end)
        edits = [Edit(self.span(start, equals), f"enum {{ {tokens[equals - 1].text} ")]
        edits += self.tokens(equals, item.end - 1)
        return [*edits, Edit(self.span(item.end - 1, item.end), " };")]

    def type(self, item: Item, start: int) -> list[Edit]:
        """A type's name stands for it without a word in front, as in C++."""
        tokens = self.cuda.tokens
        if tokens[start].text == "using":
            raise NoViewError("it uses 'using'", self.span(start, start + 1))
        if tokens[start].text in ("struct", "union", "enum") and tokens[start + 1].is_name:
            word, name = tokens[start].text, tokens[start + 1].text
            place = tokens[item.end - 1].end if word == "enum" else tokens[start].start
            return [Edit(Span(place, place), f" typedef {word} {name} {name}; ")]
        return []

    def tokens(self, first: int, end: int) -> list[Edit]:
        """The edits for the words in a half-open range of tokens."""
        tokens, edits, index = self.cuda.tokens, list[Edit](), first
        while index < end:
            made, index = self.word(tokens, index)
            edits += made
        return edits

    def word(self, tokens: tuple[Token, ...], index: int) -> tuple[list[Edit], int]:
        """The edits for what stands at a position, and the position behind it."""
        token = tokens[index]
        text = token.text
        after = tokens[index + 1].text if index + 1 < len(tokens) else ""
        here = self.span(index, index + 1)
        if text == "::" or (text == "std" and after == "::"):
            if text == "::" and index and tokens[index - 1].is_name and tokens[index - 1].text != "std":
                raise NoViewError(f"it uses '{tokens[index - 1].text}::'", self.span(index - 1, index + 1))
            return [Edit(here, " " * len(text))], index + 1
        if text in GROUPS and after == "::":
            return self.group(tokens, index)
        if text in self.blocks and after == ".":
            if tokens[index + 2].text == "sync":
                return [Edit(self.span(index, index + 3), BARRIER)], index + 3
            raise NoViewError("it uses cooperative groups", here)
        if text == "extern" and after.startswith('"'):
            return [Edit(self.span(index, index + 2), " ")], index + 2
        if text in self.references and after == "(":
            return self.addresses(tokens, index), index + 1
        if text in self.pointed:
            return [Edit(here, f"(*{text})")], index + 1
        if text in self.instances and after == "<":
            close = angles_end(tokens, index + 1)
            return [Edit(self.span(index + 1, close + 1), "")], close + 1
        if text in REFUSED:
            raise NoViewError(f"it uses {REFUSED[text]}", here)
        if text in ("<<<", "volatile"):
            raise NoViewError("it launches kernels" if text == "<<<" else "it uses volatile data", here)
        if text == "[" and after in ("&", "=", "]") and self.is_lambda(tokens, index):
            raise NoViewError("it uses a lambda", here)
        if not token.is_name:
            return [], index + 1
        if text in self.arguments and not (index and tokens[index - 1].text in (".", "->")):
            value = _WORD.sub(lambda found: SPELLED.get(found[0], found[0]), self.arguments[text])
            is_cast = after == "(" and self.arguments[text].split()[-1] in BASIC
            return [Edit(here, f"({value})" if is_cast else value)], index + 1
        if text in WITH_ARGUMENTS and after == "(":
            close = closing(tokens, index + 1)
            return [Edit(self.span(index, close + 1), " ")], close + 1
        if text == "__shared__":
            self.shared.add(_variable(tokens, index))
        if text == "extern" and any(token.text == "__shared__" for token in tokens[index : index + 4]):
            return [Edit(here, " "), *self.dynamic(tokens, index)], index + 1
        if text == "auto":
            raise NoViewError("it uses auto", here)
        if text in CASTS and after == "<":
            close = angles_end(tokens, index + 1)
            edits = [Edit(self.span(index, index + 2), "("), Edit(self.span(close, close + 1), ")")]
            return edits + self.tokens(index + 2, close), close + 1
        if text in POSITIONS:
            if after == "." and tokens[index + 2].text in ("x", "y", "z"):
                return [Edit(self.span(index, index + 3), f"{text}_{tokens[index + 2].text}")], index + 3
            raise NoViewError(f"it uses '{text}' as a whole", here)
        is_cast = text in BASIC and after == "(" and tokens[index + 2].text not in ("*", ")")
        if is_cast and (not index or tokens[index - 1].text not in _DECLARED):
            return [Edit(here, f"({SPELLED.get(text, text)})")], index + 1
        if text in DROPPED:
            replaced = "const" if text == "constexpr" else " "
            return [Edit(here, replaced)], index + 1
        if text in SPELLED:
            return [Edit(here, SPELLED[text])], index + 1
        return [], index + 1

    def group(self, tokens: tuple[Token, ...], index: int) -> tuple[list[Edit], int]:
        """The edits for a use of cooperative groups: of the block's, of which only the barrier is known."""
        name = tokens[index + 2].text
        if name == "sync":
            close = closing(tokens, index + 3)
            return [Edit(self.span(index, close + 1), f"{BARRIER}()")], close + 1
        end = next((k for k in range(index, len(tokens)) if tokens[k].text == ";"), index)
        words = [token.text for token in tokens[index:end]]
        if name == "thread_block" and "this_thread_block" in words and tokens[index + 4].text == "=":
            self.blocks.add(tokens[index + 3].text)
            return [Edit(self.span(index, end), " ")], end
        raise NoViewError("it uses cooperative groups", self.span(index, index + 3))

    def addresses(self, tokens: tuple[Token, ...], index: int) -> list[Edit]:
        """Addresses of the arguments that a call hands on by reference."""
        close = closing(tokens, index + 1)
        edits = []
        for number, (first, end) in enumerate(separated(tokens, index + 2, close)):
            if number in self.references[tokens[index].text]:
                start, stop = tokens[first].start, tokens[end - 1].end
                edits += [Edit(Span(start, start), "&("), Edit(Span(stop, stop), ")")]
        return edits

    def is_lambda(self, tokens: tuple[Token, ...], index: int) -> bool:
        """Whether a bracket begins a lambda and no subscript."""
        close = closing(tokens, index)
        return (
            close + 1 < len(tokens)
            and tokens[close + 1].text in ("(", "{")
            and tokens[index - 1].text in ("=", "(", ",")
        )

    def dynamic(self, tokens: tuple[Token, ...], index: int) -> list[Edit]:
        """A length for a shared array whose size only the launch knows."""
        for position in range(index, min(index + 12, len(tokens) - 1)):
            if tokens[position].text == "[" and tokens[position + 1].text == "]":
                place = tokens[position].end
                return [Edit(Span(place, place), "1 << 16")]
        return []


def _variable(tokens: tuple[Token, ...], index: int) -> str:
    """The name that the declaration behind a position declares first."""
    for position in range(index + 1, len(tokens)):
        if tokens[position].text in ("[", ";", ",", "="):
            return tokens[position - 1].text
    return ""
