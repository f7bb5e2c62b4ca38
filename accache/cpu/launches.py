"""Rewrite the two constructs of CUDA that g++ cannot read: launches and dynamic shared arrays.

    kernel<<<grid, block>>>(a, n);       ->  ::accache_cpu::launch("kernel", kernel, grid, block)(a, n);
    extern __shared__ float tile[];      ->  ACCACHE_CPU_DYNAMIC_SHARED  float tile[] ACCACHE_CPU_DYNAMIC_SYMBOL;

Qualifiers in front of ``__shared__`` move behind it, and for the checker ``__shared__ float a[9], b[9];`` becomes
two declarations, as the macro starts each with more than a storage class, and ``structures`` rewrites routines.
Everything else, comments, strings and line breaks included, stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from accache.base.text import Edit, SourceFile, Span, splice
from accache.cpu.assembly import assembly_edits
from accache.cpu.definitions import angles_end, count_arguments, deduced_parameters, in_template, parameter_edits
from accache.cpu.exchanges import exchange_edits
from accache.cpu.locals import local_edits
from accache.cpu.structures import structure_edits
from accache.cpu.tokens import CLOSING, OPENING, Token, closing, tokenise

_STATEMENTS = ("return", "else", "do")
_ANGLES = ("<", ">", "<<<", ">>>")
_WITH_ARGUMENTS = ("__launch_bounds__", "__align__", "__attribute__", "alignas", "decltype")
_TYPES = frozenset({"struct", "class", "union", "enum"})
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t](.*)$", re.MULTILINE)


@dataclass(frozen=True)
class DeviceNames:
    """What a .cu text declares for the device: its kernels, its variables and its dynamic shared arrays."""

    kernels: frozenset[str]
    templates: frozenset[str]
    variables: frozenset[str]
    dynamic_arrays: tuple[str, ...]


def rewrite(
    text: str,
    *,
    check: bool = False,
    capture: bool = False,
    others: Sequence[str] = (),
    by_block: Container[str] = (),
) -> str:
    """The .cu text with launches and dynamic shared arrays in the form the CPU headers define.

    ``by_block`` are the kernels that one call runs for all threads of a block. For ``capture`` kernels can tell their
    arguments before they run. ``others`` are texts with kernels that this one may launch.
    """
    tokens = _with_launch_marks(tokenise(text))
    needed: dict[str, int] = {}
    for part in (*others, text):
        needed |= dict.fromkeys(device_names(part).templates, 1) | deduced_parameters(tokenise(part))
    edits: list[Edit] = [*assembly_edits(text, tokens), *(parameter_edits(tokens) if capture else ())]
    if check:
        edits += structure_edits(text, tokens, [(part, tokenise(part)) for part in others])
        edits += [*local_edits(text, tokens), *exchange_edits(text, tokens)]
    for position, token in enumerate(tokens):
        if token.text == "<<<":
            edits += _launch(text, tokens, position, needed, by_block=by_block)
        elif token.text in ("cudaLaunchKernel", "cudaLaunchCooperativeKernel"):
            edits += _array_launch(text, tokens, position)
        elif token.text == "extern":
            edits += _dynamic_array(tokens, position)
        elif token.text == "__shared__" and not _is_extern(tokens, position):
            edits += _shared_variables(text, tokens, position, split=check)
    return splice(SourceFile("", text), tuple(edits))


def _with_launch_marks(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens with ``<< <`` and ``>> >``, which nvcc takes for launches too, as one token each."""
    found: list[Token] = []
    index, is_open = 0, False
    while index < len(tokens):
        if tokens[index].text not in _ANGLES:
            found.append(tokens[index])
            index += 1
            continue
        three = tokens[index : index + 3]
        marks = "".join(token.text for token in three)
        adjacent = len(three) == 3 and three[0].end == three[1].start
        is_launch = marks == "<<<" or (is_open and marks == ">>>")
        if adjacent and is_launch:
            found.append(Token("mark_", marks, three[0].start, three[2].end))
            is_open = marks == "<<<"
            index += 3
            continue
        found.append(tokens[index])
        index += 1
    return tuple(found)


def launch_places(tokens: tuple[Token, ...]) -> Iterator[tuple[int, int, int]]:
    """Of each launch the first token of the kernel's name, its ``<<<`` and its ``>>>``; tokens have no spaced marks."""
    for position, token in enumerate(tokens):
        if token.text == "<<<":
            first, end = _kernel_start(tokens, position), _configuration_end(tokens, position)
            if first is not None and end is not None:
                yield first, position, end


def device_names(text: str) -> DeviceNames:
    """The names of kernels, templates among them, device variables and dynamic shared arrays."""
    tokens, words = tokenise(text), _device_words(text)
    kernels: set[str] = set()
    templates: set[str] = set()
    variables: set[str] = set()
    dynamic: list[str] = []
    for position, token in enumerate(tokens):
        if token.text == "__global__":
            name = _declared_name(tokens, position)
            kernels.add(name)
            if _follows_template(tokens, position):
                templates.add(name)
        elif token.text in words:
            variables |= _declared_variables(tokens, position)
        elif token.text == "__shared__" and position and _is_extern(tokens, position):
            dynamic.append(_declared_name(tokens, position))
    return DeviceNames(frozenset(kernels), frozenset(templates), frozenset(variables), tuple(dict.fromkeys(dynamic)))


def _launch(
    text: str, tokens: tuple[Token, ...], position: int, needed: Mapping[str, int], *, by_block: Container[str]
) -> list[Edit]:
    """The edits for the launch whose ``<<<`` stands at ``position``; none if it is no launch.

    ``needed`` tells how many template arguments say which function a kernel is.
    """
    first = _kernel_start(tokens, position)
    end = _configuration_end(tokens, position)
    if first is None or end is None:
        return []
    kernel = text[tokens[first].start : tokens[position - 1].end]
    name = " ".join(kernel.split()).replace('"', "")
    plain = _plain_name(tokens, first, position)
    call, target = "launch_blocks" if plain in by_block else "launch", kernel
    if _template_arguments(tokens, first, position) < needed.get(plain, 0):
        call, target = "launch_deduced", f"[](auto... arguments_) {{ {kernel}(arguments_...); }}"
    return [
        Edit(Span(tokens[first].start, tokens[position].end), f'::accache_cpu::{call}("{name}", {target}, '),
        Edit(Span(tokens[end].start, tokens[end].end), ")"),
    ]


def _array_launch(text: str, tokens: tuple[Token, ...], position: int) -> list[Edit]:
    """The edits for ``cudaLaunchKernel((void *)kernel, ...)``; none if what it launches is no name, perhaps cast."""
    first = position + 2
    if first >= len(tokens) or tokens[position + 1].text != "(":
        return []
    if tokens[first].text == "(":
        first = closing(tokens, first) + 1
    if tokens[first].text == "&":
        first += 1
    end = first
    while end < len(tokens) and (tokens[end].is_name or tokens[end].text == "::"):
        end += 1
    if end < len(tokens) and tokens[end].text == "<":
        end = angles_end(tokens, end) + 1
    if first == end or end >= len(tokens) or tokens[end].text != ",":
        return []
    kernel = text[tokens[first].start : tokens[end - 1].end]
    name = " ".join(kernel.split()).replace('"', "")
    return [Edit(Span(tokens[position].start, tokens[end].start), f'::accache_cpu::launch_array("{name}", {kernel}')]


def _plain_name(tokens: tuple[Token, ...], first: int, position: int) -> str:
    """``kernel`` of ``ns::kernel<T, 4>``, which begins at ``first`` and ends before ``position``."""
    names = [token.text for token in tokens[first : _name_end(tokens, first, position)] if token.is_name]
    return names[-1] if names else ""


def _template_arguments(tokens: tuple[Token, ...], first: int, position: int) -> int:
    """How many of them ``ns::kernel<T, 4>`` has."""
    end = _name_end(tokens, first, position)
    return count_arguments(tokens, end + 1, position - 1) if end < position else 0


def _name_end(tokens: tuple[Token, ...], first: int, position: int) -> int:
    marks = (index for index in range(first, position) if tokens[index].text == "<")
    return next(marks, position)


def _kernel_start(tokens: tuple[Token, ...], position: int) -> int | None:
    """Where ``ns::kernel<T, 4>``, ``table[i]``, ``o.kernel`` or ``(*f)`` before the ``<<<`` at ``position`` begins."""
    index = position - 1
    if index >= 0 and tokens[index].text.startswith(">"):
        index = _template_arguments_start(tokens, index) - 1
    while index > 0 and tokens[index].text in ("]", ")"):
        is_parenthesis = tokens[index].text == ")"
        index = _opening(tokens, index) - 1
        if is_parenthesis and not (index >= 0 and tokens[index].is_name and tokens[index].text not in _STATEMENTS):
            return index + 1
    if index < 0 or not tokens[index].is_name:
        return None
    while index >= 2 and tokens[index - 1].text in ("::", ".") and tokens[index - 2].is_name:
        index -= 2
    if index and tokens[index - 1].text == "::":
        index -= 1
    return index


def _opening(tokens: tuple[Token, ...], position: int) -> int:
    """The position of the bracket that the one at ``position`` closes; the first token's if there is none."""
    depth = 0
    for index in range(position, -1, -1):
        depth += (tokens[index].text in CLOSING) - (tokens[index].text in OPENING)
        if depth == 0:
            return index
    return 0


def _template_arguments_start(tokens: tuple[Token, ...], position: int) -> int:
    """The position of the ``<`` that the ``>`` at ``position`` closes."""
    angles = brackets = 0
    for index in range(position, -1, -1):
        mark = tokens[index].text
        if mark in CLOSING:
            brackets += 1
        elif mark in OPENING:
            brackets -= 1
        elif not brackets and mark in (">", ">>>"):
            angles += len(mark)
        elif not brackets and mark == "<":
            angles -= 1
            if angles == 0:
                return index
    return 0


def _configuration_end(tokens: tuple[Token, ...], position: int) -> int | None:
    """The position of the ``>>>`` that ends the configuration begun at ``position``, if arguments follow it."""
    index = position + 1
    while index < len(tokens) and tokens[index].text not in (";", *CLOSING):
        if tokens[index].text == ">>>":
            called = index + 1 < len(tokens) and tokens[index + 1].text == "("
            return index if called else None
        index = closing(tokens, index) + 1 if tokens[index].text in OPENING else index + 1
    return None


def _dynamic_array(tokens: tuple[Token, ...], position: int) -> list[Edit]:
    """The edits for ``extern __shared__ T name[];`` beginning at ``position``; none for other declarations."""
    qualifier: Token | None = None
    for index in range(position + 1, len(tokens)):
        token = tokens[index]
        if token.text in (";", "{", "}", "="):
            return []
        if token.text == "__shared__":
            qualifier = token
        if token.text == "[" and qualifier:
            while tokens[closing(tokens, index) + 1].text == "[":
                index = closing(tokens, index) + 1
            start, end = tokens[position], tokens[closing(tokens, index)].end
            if not in_template(tokens, position):
                words = ("ACCACHE_CPU_DYNAMIC_SHARED", "", " ACCACHE_CPU_DYNAMIC_SYMBOL")
                spans = (Span(start.start, start.end), Span(qualifier.start, qualifier.end), Span(end, end))
                return [Edit(span, word) for span, word in zip(spans, words, strict=True)]
            return _dynamic_reference(tokens, position, qualifier, end)
    return []


def _dynamic_reference(tokens: tuple[Token, ...], position: int, qualifier: Token, end: int) -> list[Edit]:
    """Edits for a template, where g++ forgets what a declaration calls its symbol: ``T (&name)[] = ...;``."""
    name = next(index for index in range(position, len(tokens)) if tokens[index + 1].text == "[")
    return [
        Edit(Span(tokens[position].start, tokens[position].end), ""),
        Edit(Span(qualifier.start, qualifier.end), ""),
        Edit(Span(tokens[name].start, tokens[name].end), f"(&{tokens[name].text})"),
        Edit(Span(end, end), " = ::accache_cpu::dynamic_shared"),
    ]


def _shared_variables(text: str, tokens: tuple[Token, ...], position: int, *, split: bool) -> list[Edit]:
    """The edits for the declaration with the ``__shared__`` at ``position``.

    ``static volatile __shared__ float a, b;`` becomes ``__shared__ volatile float a, b;`` or, if ``split``,
    ``__shared__ volatile float a; __shared__ volatile float b;``.
    """
    first = position
    while first and tokens[first - 1].text in ("static", "volatile", "const", "__device__"):
        first -= 1
    kept = [token.text for token in tokens[first:position] if token.text != "static"]
    qualifiers = " ".join(("__shared__", *kept))
    edits: list[Edit] = []
    if first < position:
        lines = text.count("\n", tokens[first].start, tokens[position].end)
        edits = [Edit(Span(tokens[first].start, tokens[position].end), qualifiers + "\n" * lines)]
    return edits + (_single_declarations(text, tokens, position, qualifiers) if split else [])


def _single_declarations(text: str, tokens: tuple[Token, ...], position: int, qualifiers: str) -> list[Edit]:
    """Edits that give each variable declared after the ``__shared__`` at ``position`` a declaration of its own."""
    edits: list[Edit] = []
    specifiers = ""
    angles = 0
    index = position + 1
    while index + 1 < len(tokens) and tokens[index].text not in (";", "{"):
        token, following = tokens[index], tokens[index + 1]
        angles += (token.text == "<") - (token.text == ">")
        if token.text in OPENING:
            index = closing(tokens, index)
        elif not specifiers and not angles and token.is_name and following.text in ("[", ",", ";"):
            type_name = text[tokens[position].end : token.start].rstrip().rstrip("*")
            specifiers = " ".join((qualifiers, *type_name.split()))
        elif specifiers and token.text == ",":
            edits.append(Edit(Span(token.start, token.end), f"; {specifiers}"))
        index += 1
    return edits


def _is_extern(tokens: tuple[Token, ...], position: int) -> bool:
    """Whether ``extern`` stands before ``position`` in the same declaration."""
    for index in range(position - 1, -1, -1):
        if tokens[index].text == "extern":
            return True
        if tokens[index].text in (";", "{", "}"):
            return False
    return False


def _follows_template(tokens: tuple[Token, ...], position: int) -> bool:
    """Whether ``template <...>`` introduces the function whose ``__global__`` stands at ``position``."""
    for index in range(position - 1, -1, -1):
        if tokens[index].text == "template":
            return index + 2 < len(tokens) and tokens[index + 2].text != ">"
        if tokens[index].text in (";", "{", "}"):
            return False
    return False


def _declared_name(tokens: tuple[Token, ...], position: int) -> str:
    """The name of the function or array declared from ``position`` on, past attributes with arguments."""
    index = position
    while index + 1 < len(tokens):
        token, following = tokens[index], tokens[index + 1].text
        if token.text in _WITH_ARGUMENTS and following == "(":
            index = closing(tokens, index + 1)
        elif token.is_name and following in ("(", "["):
            return token.text
        index += 1
    return ""


def _declared_variables(tokens: tuple[Token, ...], position: int) -> set[str]:
    """The variables declared from ``position`` on; empty for a function."""
    names: set[str] = set()
    index = position + 1
    while index + 1 < len(tokens) and tokens[index].text not in (";", "operator"):
        token, following = tokens[index], tokens[index + 1]
        is_type = not _TYPES.isdisjoint((tokens[index - 1].text, token.text)) and following.text == "{"
        if token.is_name and not is_type and following.text in ("[", "=", ";", ",", "{", ")"):
            names.add(token.text)
        if token.text in _WITH_ARGUMENTS:
            index = closing(tokens, index + 1)
        elif token.text in ("[", "{"):
            index = closing(tokens, index)
        elif token.text == "=":
            index = _initialiser_end(tokens, index)
        elif token.text == "(" and following.kind == "number":
            names.add(tokens[index - 1].text)
            index = closing(tokens, index)
        elif token.text == "(" and following.text not in ("*", "&"):
            return names
        index += 1
    return names


def _initialiser_end(tokens: tuple[Token, ...], position: int) -> int:
    """The last token of the initialiser that starts at ``position``."""
    index = position
    while index + 1 < len(tokens) and tokens[index + 1].text not in (",", ";"):
        index = closing(tokens, index + 1) if tokens[index + 1].text in OPENING else index + 1
    return index


def _device_words(text: str) -> frozenset[str]:
    """What device variables are declared with: CUDA's words, and the program's macros for them."""
    words = {"__device__", "__constant__", "__managed__"}
    for name, replacement in _MACRO.findall(text):
        if not words.isdisjoint(re.findall(r"\w+", replacement)):
            words.add(name)
    return frozenset(words)
