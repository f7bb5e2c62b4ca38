"""What stands at file scope in a .cu text: kernels, device functions, types, constants and variables, as tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from accache.base.text import Edit, SourceFile, splice
from accache.cpu.definitions import angles_end, parameter_name, separated
from accache.cpu.tokens import Token, closing, directive_spans, tokenise

DEVICE_MEMORY = ("__constant__", "__device__", "__managed__")
_ATTRIBUTE = re.compile(r"__\w+__|alignas|__declspec")  # with arguments of its own, as __launch_bounds__(256)
_INTEGERS = frozenset(("int", "unsigned", "signed", "long", "short", "char", "bool", "size_t"))
_TYPES = ("struct", "union", "enum", "class", "typedef", "using")


ItemKind: TypeAlias = Literal["kernel", "device", "host", "type", "constant", "memory", "operator", "other"]


class Item(Struct, frozen=True):
    """Something at file scope: tokens ``first`` up to ``end``.

    ``kind`` is kernel, device (a function), host, type, constant, memory (a variable of the device or of a block),
    operator (one of the program's own) or other. Of functions ``name``, the tokens of the parameters and the body's
    brace are known; ``template`` holds the parameters of a template, as they are written.
    """

    kind: ItemKind
    first: int
    end: int
    name: str = ""
    parameters: tuple[tuple[int, int], ...] = ()
    body: int = 0
    template: tuple[str, ...] = ()
    is_template: bool = False


def code(text: str) -> tuple[Token, ...]:
    """The tokens of a text but for its directives."""
    blanks = (Edit(span, re.sub(r"[^\r\n]", " ", text[span.start : span.end])) for span in directive_spans(text))
    return tokenise(splice(SourceFile("", text), tuple(blanks)))


def items(tokens: tuple[Token, ...], first: int = 0, end: int | None = None) -> Iterator[Item]:
    """What stands at file scope, in namespaces and in linkage specifications."""
    index, last = first, len(tokens) if end is None else end
    while index < last:
        opening = _scope(tokens, index)
        if opening:
            close = closing(tokens, opening)
            yield from items(tokens, opening + 1, close)
            index = close + 1
            continue
        stop = _item_end(tokens, index, last)
        yield _item(tokens, index, stop)
        index = stop


def _scope(tokens: tuple[Token, ...], index: int) -> int:
    """Where the brace of ``namespace a {`` or ``extern "C" {`` stands that begins here; 0 if none does."""
    position = index
    index += tokens[index].text == "inline" and tokens[index + 1 : index + 2] != ()
    if tokens[index].text == "namespace":
        position = index + 1
        while position < len(tokens) and (tokens[position].is_name or tokens[position].text == "::"):
            position += 1
    elif tokens[index].text == "extern" and index + 1 < len(tokens) and tokens[index + 1].text.startswith('"'):
        position = index + 2
    is_open = position > index and position < len(tokens) and tokens[position].text == "{"
    return position if is_open else 0


def _item_end(tokens: tuple[Token, ...], index: int, last: int) -> int:
    """Behind the semicolon or brace with which the item ends that begins here."""
    position, is_plain = index, True
    while position < last:
        text = tokens[position].text
        if text == ";":
            return position + 1
        if text == "=" and not any(token.text == "operator" for token in tokens[max(index, position - 3) : position]):
            is_plain = False
        if text == "template" and position + 1 < last and tokens[position + 1].text == "<":
            position = angles_end(tokens, position + 1) + 1
            continue
        if text == "{":
            close = closing(tokens, position)
            if is_plain and not _is_type(tokens, index, position):
                return close + 1
            position = close
        elif text in ("(", "["):
            position = closing(tokens, position)
        position += 1
    return last


def _is_type(tokens: tuple[Token, ...], first: int, brace: int) -> bool:
    """Whether a brace belongs to a type and not to a function, which has parameters in front of it."""
    words = [token.text for token in tokens[first:brace]]
    return any(word in _TYPES for word in words) and (not words or words[-1] not in (")", "const"))


def behind_templates(tokens: tuple[Token, ...], first: int) -> int:
    """The first token behind the heads of templates."""
    while tokens[first].text == "template" and tokens[first + 1].text == "<":
        first = angles_end(tokens, first + 1) + 1
    return first


def value_parameters(tokens: tuple[Token, ...], item: Item) -> dict[str, str]:
    """The parameters of a template that stand for values, not for types, and their types; '' for other than numbers."""
    if not item.is_template:
        return {}
    parts = separated(tokens, item.first + 2, angles_end(tokens, item.first + 1))
    values = (tokens[first:end] for first, end in parts if tokens[first].text not in ("class", "typename", "template"))
    return {_template_parameter(each): _integer(each) for each in values}


def _integer(parameter: tuple[Token, ...]) -> str:
    """The integer type of a template's parameter; '' if it is none."""
    words = [token.text for token in parameter]
    words = words[: words.index("=")] if "=" in words else words
    kind = [word for word in words[:-1] if word != "const"]
    return " ".join(kind) if kind and _INTEGERS.issuperset(kind) else ""


def enclosed(value: str, kind: str) -> str:
    """A value of a template's parameter as an expression that may stand anywhere, of the parameter's type.

    A macro may hold a sum, and ``2u`` or ``sizeof(int)`` is an int where the parameter is.
    """
    is_plain = value in ("true", "false") or (
        value.isdigit() and kind in ("int", "") and len(value) < len("2147483647")
    )
    return value if is_plain else f"(({kind})({value}))" if kind else f"({value})"


def _item(tokens: tuple[Token, ...], first: int, end: int) -> Item:
    start, parameters, is_template = first, list[str](), False
    while start < end and tokens[start].text == "template" and tokens[start + 1].text == "<":
        close = angles_end(tokens, start + 1)
        parameters += [_template_parameter(tokens[a:b]) for a, b in separated(tokens, start + 2, close)]
        start, is_template = close + 1, True
    words = {token.text for token in tokens[start:end]}
    opening = _parameters(tokens, _behind_macros(tokens, start, end), end)
    if _is_operator(tokens, start, end):
        return Item("operator", first, end, is_template=is_template)
    if opening:
        close = closing(tokens, opening)
        body = next((k for k in range(close + 1, end) if tokens[k].text == "{"), 0)
        head = {token.text for token in tokens[start:opening]}
        function: ItemKind = "kernel" if "__global__" in head else "device" if "__device__" in head else "host"
        found = tuple(separated(tokens, opening + 1, close))
        name = tokens[opening - 1].text
        return Item(
            function if body else "other",
            first,
            end,
            name,
            parameters=found,
            body=body,
            template=tuple(parameters),
            is_template=is_template,
        )
    kind: ItemKind = "other"
    if "__global__" in words:
        pass  # template <> __global__ void k<float>(...): an instance of a template with a definition of its own
    elif words & set(_TYPES):
        kind = "type"
    elif words & {*DEVICE_MEMORY, "__shared__"}:
        kind = "memory"
    elif "=" in words and words & {"const", "constexpr"}:
        kind = "constant"
    return Item(kind, first, end, _declared(tokens, start, end), template=tuple(parameters), is_template=is_template)


def _behind_macros(tokens: tuple[Token, ...], first: int, end: int) -> int:
    """Where a kernel begins that a macro's call without a semicolon stands in front of; else the same token."""
    for index in range(first, end):
        if tokens[index].text in ("{", "=", ";"):
            break
        if tokens[index].text == "__global__":
            return index
    return first


def _is_operator(tokens: tuple[Token, ...], first: int, end: int) -> bool:
    """Whether an item declares an operator: its word stands in front of the first parenthesis or brace."""
    for token in tokens[first:end]:
        if token.text in ("(", "{", "=", ";"):
            return False
        if token.text == "operator":
            return True
    return False


def _template_parameter(tokens: tuple[Token, ...]) -> str:
    """The name of a template's parameter; with dots if it is a pack."""
    names = [token.text for token in tokens]
    cut = names[: names.index("=")] if "=" in names else names
    return parameter_name(tokens) or (cut[-1] if cut else "")


def _parameters(tokens: tuple[Token, ...], first: int, end: int) -> int:
    """Where the parenthesis of a function's parameters stands; 0 if this is no function."""
    index = first
    while index < end:
        text = tokens[index].text
        if text in ("=", "{", ";", "["):
            return 0
        if text == "(":
            before = tokens[index - 1]
            if index > first and before.is_name and not _ATTRIBUTE.fullmatch(before.text):
                return 0 if before.text == "decltype" else index
            index = closing(tokens, index)
        index += 1
    return 0


def _declared(tokens: tuple[Token, ...], first: int, end: int) -> str:
    """The first name that a variable's declaration declares."""
    for index in range(first, end):
        if tokens[index].text in ("=", "[", ";", ",", "{") and index > first:
            return tokens[index - 1].text
    return ""


def declared_names(tokens: tuple[Token, ...], first: int, end: int) -> Iterator[str]:
    """The variables that the declaration in a half-open range of tokens declares."""
    for start, last in separated(tokens, first, end):
        names = (k for k in range(start, last) if k + 1 == last or tokens[k + 1].text in ("[", "=", "("))
        yield from (tokens[k].text for k in list(names)[:1])
