"""Find kernels' definitions in .cu text: their templates, their parameters, and where their bodies begin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from accache.base.text import Edit, Span
from accache.cpu.tokens import OPENING, Token, closing, tokenise

_LIBRARY = "accache"  # how the namespaces of our own run-time library begin, which has tests of its own

# A function whose name ends so copies between memories (_entry makes room in a software cache): what nobody wrote,
# or others write meanwhile, may pass through it, but not be used.
COPY_ROUTINE = re.compile(r"(_fetch|_write_back|_entry)\d*$")
# CUDA's own, and what accache writes where CUDA has none: the access is their caller's.
ATOMIC_FUNCTION = re.compile(
    r"\b(atomic(Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(_block|_system)?"
    r"|accache_atomic_\w+|accache_cpu::(atomic_load|atomic_store|compare_and_swap|exchange|exchange_loop))\b"
)
TYPES = frozenset(
    ("void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "const", "volatile")
)
ATTRIBUTES = frozenset(("__launch_bounds__", "__align__", "__attribute__", "__cluster_dims__"))


@dataclass(frozen=True)
class KernelDefinition:
    """A kernel with a body, which begins at the token ``body``.

    ``parameters`` are half-open ranges of tokens. ``template_parameters`` counts those without a default; None where
    the kernel is no template.
    """

    name: str
    parameters: tuple[tuple[int, int], ...]
    body: int
    template_parameters: int | None


def kernel_definitions(tokens: tuple[Token, ...]) -> Iterator[KernelDefinition]:
    """The definitions of kernels, in the order of the text."""
    for position, token in enumerate(tokens):
        if token.text == "__global__":
            opening = _parameter_list(tokens, position)
            end = closing(tokens, opening) if opening else len(tokens) - 1
            if opening and end + 1 < len(tokens) and tokens[end + 1].text == "{":
                parameters = tuple(separated(tokens, opening + 1, end))
                count = template_parameters(tokens, position)
                yield KernelDefinition(tokens[opening - 1].text, parameters, end + 1, count)


def template_parameters(tokens: tuple[Token, ...], position: int) -> int | None:
    """How many parameters without a default the template has that the ``__global__`` at ``position`` belongs to.

    None if it belongs to none.
    """
    for index in range(position - 1, -1, -1):
        if tokens[index].text == "template" and tokens[index + 1].text == "<" and tokens[index + 2].text != ">":
            end = angles_end(tokens, index + 1)
            parts = separated(tokens, index + 2, end)
            return sum(all(token.text != "=" for token in tokens[first:last]) for first, last in parts)
        if tokens[index].text in (";", "{", "}"):
            return None
    return None


def parameter_names(text: str) -> dict[str, tuple[str, ...]]:
    """The parameters' names of the kernels in a text; "" for those without, no entry where kernels share a name."""
    tokens = tokenise(text)
    found: dict[str, tuple[str, ...]] = {}
    several: set[str] = set()
    for kernel in kernel_definitions(tokens):
        if kernel.name in found:
            several.add(kernel.name)
        found[kernel.name] = tuple(parameter_name(tokens[first:end]) for first, end in kernel.parameters)
    return {name: names for name, names in found.items() if name not in several}


def in_template(tokens: tuple[Token, ...], position: int) -> bool:
    """Whether the token at ``position`` stands in the body of a template."""
    depth = 0
    opened = False
    for index in range(position - 1, -1, -1):
        text = tokens[index].text
        if text == "}":
            opened = opened and depth > 0
            depth += 1
        elif text == "{" and depth:
            depth -= 1
        elif text == "{":
            opened = True
        elif opened and not depth and text == "template":
            return tokens[index + 2].text != ">"
        if opened and not depth and text == ";":
            opened = False
    return False


def count_arguments(tokens: tuple[Token, ...], first: int, end: int) -> int:
    """How many template arguments stand in a half-open range of tokens."""
    return len(list(separated(tokens, first, end)))


def deduced_parameters(tokens: tuple[Token, ...]) -> dict[str, int]:
    """The kernels whose function follows from the arguments of a call, unless so many template arguments are given.

    These are templates; and for names of several kernels, and where parameters have defaults, no number is enough.
    """
    needed: dict[str, int] = {}
    for kernel in kernel_definitions(tokens):
        has_default = any(token.text == "=" for first, end in kernel.parameters for token in tokens[first:end])
        if kernel.name in needed or has_default:
            needed[kernel.name] = len(tokens)
        else:
            needed[kernel.name] = kernel.template_parameters or 0
    return {name: count for name, count in needed.items() if count}


def parameter_edits(tokens: tuple[Token, ...]) -> list[Edit]:
    """Edits that let those kernels tell their arguments to whoever captures a launch.

    ``template <class T> __global__ void k(T *p, int) {`` becomes
    ``template <class T> __global__ void k(T *p, int accache_cpu_1) { ACCACHE_CPU_PARAMETERS(..., p, accache_cpu_1)``.
    """
    edits: list[Edit] = []
    deduced = deduced_parameters(tokens)
    for kernel in kernel_definitions(tokens):
        if kernel.name not in deduced:
            continue
        names = ["accache_cpu_here()"]
        for number, (first, end) in enumerate(kernel.parameters):
            if end - first == 1 and tokens[first].text == "void":
                continue
            name = parameter_name(tokens[first:end])
            if not name:
                name = f"accache_cpu_{number}"
                edits.append(Edit(Span(tokens[end - 1].end, tokens[end - 1].end), f" {name}"))
            names.append(name)
        place = tokens[kernel.body].end
        edits.append(Edit(Span(place, place), f" ACCACHE_CPU_PARAMETERS({', '.join(names)})"))
    return edits


def _parameter_list(tokens: tuple[Token, ...], position: int) -> int | None:
    """Where the ``(`` of the parameters stands in the declaration with the ``__global__`` at ``position``."""
    index = position + 1
    while index + 1 < len(tokens) and tokens[index].text not in (";", "{"):
        if tokens[index].text in ATTRIBUTES and tokens[index + 1].text == "(":
            index = closing(tokens, index + 1)
        elif tokens[index].is_name and tokens[index + 1].text == "(":
            return index + 1
        index += 1
    return None


def parameter_name(tokens: tuple[Token, ...]) -> str:
    """The name a parameter's declaration declares, with dots if it is a pack; empty if it declares none."""
    texts = [token.text for token in tokens]
    declared = texts[: texts.index("=")] if "=" in texts else texts
    if "(" in declared:  # void (*function)(int)
        inner = declared[declared.index("(") + 1 : declared.index(")")]
        return inner[-1] if inner and inner[-1].isidentifier() else ""
    if "[" in declared:
        declared = declared[: declared.index("[")]
    last = declared[-1] if declared else ""
    if len(declared) < 2 or not last.isidentifier() or last in TYPES or declared[-2] == ":":
        return ""
    if declared[-2] == "::":
        return ""
    return f"{last}..." if declared[-4:-1] == [".", ".", "."] else last


def angles_end(tokens: tuple[Token, ...], position: int) -> int:
    """The position of the ``>`` that closes the ``<`` at ``position``."""
    depth, index = 0, position
    while index < len(tokens):
        mark = tokens[index].text
        if mark in OPENING:
            index = closing(tokens, index)
        depth += (mark == "<") - (mark.count(">") if mark in (">", ">>>") else 0)
        if depth <= 0:
            return index
        index += 1
    return len(tokens) - 1


def separated(tokens: tuple[Token, ...], first: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts between commas, outside of brackets, of a half-open range of tokens."""
    start, index, angles = first, first, 0
    while index < end:
        mark = tokens[index].text
        if mark in OPENING:
            index = closing(tokens, index)
        elif mark == "," and not angles:
            yield start, index
            start = index + 1
        angles = max(0, angles + (mark == "<") - mark.count(">") * (mark in (">", ">>>")))
        index += 1
    if start < end:
        yield start, end


def device_bodies(tokens: tuple[Token, ...]) -> Iterator[tuple[int, int]]:
    """Where the bodies of the device's functions begin, and end behind; of copy routines and our own library's none."""
    done = 0
    for position, token in enumerate(tokens):
        if position < done:
            continue
        if token.text == "namespace" and tokens[position + 1].text.startswith(_LIBRARY):
            done = closing(tokens, position + 2)
        if token.text in ("__device__", "__global__") and (body := _body(tokens, position)):
            yield body
            done = body[1]


def _body(tokens: tuple[Token, ...], position: int) -> tuple[int, int] | None:
    """Where the body begins and ends of the function that the token at ``position`` marks; None of copy routines."""
    index = position + 1
    has_members = False
    while index < len(tokens) and tokens[index].text not in (";", "=", "}"):
        text, before = tokens[index].text, tokens[index - 1]
        if text == "operator":
            index = next((at for at in range(index, len(tokens)) if tokens[at].text == "("), len(tokens))
        elif text == "(" and COPY_ROUTINE.search(before.text):
            return None
        elif text == "{" and not (has_members and before.is_name):
            return index, closing(tokens, index) + 1
        else:
            has_members = has_members or (text == ":" and before.text == ")")
            index = closing(tokens, index) + 1 if text in OPENING else index + 1
    return None
