"""The edits that make functions, types, constants and variables of CUDA C++ those of C."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from accache.base.text import Edit, Span
from accache.cpu.definitions import angles_end, parameter_name
from accache.cpu.tokens import closing
from accache.cuda.blanks import blank
from accache.cuda.items import Item
from accache.cuda.local_declarations import local_declarations
from accache.cuda.text import Cuda, NoViewError
from accache.cuda.word_edits import WordEdits
from accache.cuda.words import WITH_ARGUMENTS

_TAGGED = frozenset(("struct", "union", "enum", "class"))
_INTEGERS = frozenset(("int", "unsigned", "signed", "long", "short", "size_t", "char", "bool"))


def item_edits(words: WordEdits, item: Item, *, is_kernel: bool) -> list[Edit]:
    """The edits that make an item C; the arguments of ``words`` are those of the kernel's template.

    Raises:
        NoViewError: it has no counterpart in C.
    """
    if item.is_template and not is_kernel:
        if item.name not in words.instances:
            raise NoViewError(f"it uses the template '{item.name}'", words.span(item.first, item.first + 1))
        words = replace(words, arguments=words.instances[item.name])
    elif not is_kernel:
        words = replace(words, arguments={})
    start = item.first
    while words.cuda.tokens[start].text == "template":
        start = angles_end(words.cuda.tokens, start + 1) + 1
    head = [blank(words.cuda, item.first, start)] if start > item.first else []
    if item.kind in ("kernel", "device", "host"):
        return head + _function(words, item, start, is_kernel=is_kernel)
    if item.kind == "constant":
        return head + _constant(words, item, start)
    if item.kind == "type":
        head += _type(words, item, start)
        if words.cuda.tokens[start].text == "using":
            return head + words.alias(start, item.end, is_template=item.is_template)
    made = words.tokens(start, item.end)
    left_out = [words.span(first, end) for first, end in member_values(words.cuda, item)]
    return head + _outside(made, left_out) + [Edit(span, "") for span in left_out]


def member_values(cuda: Cuda, item: Item) -> Iterator[tuple[int, int]]:
    """The tokens of values that a structure gives its members, as in ``struct Step { int size = 1, first{}; };``."""
    tokens = cuda.tokens
    opening = next((k for k in range(item.first, item.end) if tokens[k].text == "{"), item.end)
    is_structure = any(token.text in ("struct", "class") for token in tokens[item.first : opening])
    if item.kind != "type" or not is_structure or opening == item.end:
        return
    index, close = opening + 1, closing(tokens, opening)
    while index < close:
        is_behind = tokens[index - 1].is_name or tokens[index - 1].text == "]"
        is_braced = tokens[index].text == "{" and is_behind and tokens[index - 2].text not in _TAGGED
        if tokens[index].text == "=" or (is_braced and tokens[closing(tokens, index) + 1].text in (",", ";")):
            end = index
            while tokens[end].text not in (",", ";"):
                end = closing(tokens, end) + 1 if tokens[end].text in ("(", "[", "{") else end + 1
            yield index, end
            index = end
        index = closing(tokens, index) + 1 if tokens[index].text in ("(", "[", "{") else index + 1


def _function(words: WordEdits, item: Item, start: int, *, is_kernel: bool) -> list[Edit]:
    """A kernel is a routine of its own, and all others are static."""
    tokens = words.cuda.tokens
    head = "\n#pragma acc routine seq\n" if is_kernel else "static "
    edits = [Edit(Span(tokens[start].start, tokens[start].start), head)]
    before = range(start, item.parameters[0][0] if item.parameters else item.body)
    edits += [Edit(words.span(k, k + 1), " ") for k in before if tokens[k].text == "static"]
    made, pointed = _parameters(words, item, is_kernel=is_kernel)
    edits += made
    for first, end in _without_defaults(words, item, start):
        edits += words.tokens(first, end)
    own = local_declarations(words.cuda, item)
    known = {**words.deduced, **own.references}
    words = replace(words, pointed=pointed | frozenset(own.references.values()), deduced=known)
    left_out = [edit.span for edit in own.edits if edit.span.end > edit.span.start]
    made = words.tokens(item.body, item.end)
    return edits + _outside(made, left_out) + list(own.edits)


def _outside(edits: list[Edit], spans: list[Span]) -> list[Edit]:
    """The edits but for those inside of places that have edits of their own."""
    return [edit for edit in edits if not any(span.start <= edit.span.start < span.end for span in spans)]


def _without_defaults(words: WordEdits, item: Item, start: int) -> Iterator[tuple[int, int]]:
    """The parts of a function's head that stay."""
    for first, end in item.parameters:
        texts = [token.text for token in words.cuda.tokens[first:end]]
        if "=" in texts:
            yield start, first + texts.index("=")
            start = end
    yield start, item.body


def _parameters(words: WordEdits, item: Item, *, is_kernel: bool) -> tuple[list[Edit], frozenset[str]]:
    """Parameters without defaults; references become values, or pointers if what they are to is not const.

    Those that become pointers are the second result.
    """
    edits, pointed = [], set[str]()
    for first, end in item.parameters:
        texts = [token.text for token in words.cuda.tokens[first:end]]
        if "=" in texts:
            edits.append(Edit(words.span(first + texts.index("="), end), ""))
        if "&" in texts:
            place = first + texts.index("&")
            if is_kernel or "[" in texts:
                raise NoViewError("a parameter is a reference", words.span(first, end))
            is_value = "const" in texts
            edits.append(Edit(words.span(place, place + 1), " " if is_value else "*"))
            pointed |= set() if is_value else {parameter_name(words.cuda.tokens[first:end])}
    return edits, frozenset(pointed)


def _constant(words: WordEdits, item: Item, start: int) -> list[Edit]:
    """``const int N = 5;`` as an enumeration, since C's constants are none for the lengths of arrays."""
    tokens = words.cuda.tokens
    texts = [token.text for token in tokens[start : item.end]]
    equals = start + texts.index("=")
    if "[" in texts or not _INTEGERS & set(texts) or "," in texts:
        return words.tokens(start, item.end)
    words_of_type = [text for text in texts[: texts.index("=")] if text in _INTEGERS]
    if {"unsigned", "long", "size_t"} & set(words_of_type) and not {"char", "short"} & set(words_of_type):
        return _constant_of_type(words, item, start, " ".join(words_of_type))
    made = "0 != (" if words_of_type == ["bool"] else f"({' '.join(words_of_type)})("
    edits = [Edit(words.span(start, equals + 1), f"enum {{ {tokens[equals - 1].text} = {made}")]
    edits += words.tokens(equals + 1, item.end - 1)
    return [*edits, Edit(words.span(item.end - 1, item.end), ") };")]


def _constant_of_type(words: WordEdits, item: Item, start: int, kind: str) -> list[Edit]:
    """``const unsigned N = 2;``: an enumeration's constants are ints, so that a macro gives its own the type."""
    tokens = words.cuda.tokens
    equals = next(k for k in range(start, item.end) if tokens[k].text == "=")
    name = tokens[equals - 1].text
    edits = [Edit(words.span(start, equals + 1), f"enum {{ accache_{name} = ({kind})(")]
    edits += words.tokens(equals + 1, item.end - 1)
    return [*edits, Edit(words.span(item.end - 1, item.end), f") }};\n#define {name} (({kind})accache_{name})\n")]


def _type(words: WordEdits, item: Item, start: int) -> list[Edit]:
    """A type's name stands for it without a word in front, as in C++."""
    tokens = words.cuda.tokens
    named = start + 1
    while tokens[named].text in WITH_ARGUMENTS and tokens[named + 1].text == "(":
        named = closing(tokens, named + 1) + 1
    if tokens[start].text in ("struct", "union", "enum") and tokens[named].is_name:
        word, name = tokens[start].text, tokens[named].text
        place = tokens[item.end - 1].end if word == "enum" else tokens[start].start
        return [Edit(Span(place, place), f" typedef {word} {name} {name}; ")]
    return []
