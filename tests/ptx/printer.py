"""PTX trees as text: a module with some instructions replaced, and the spelling of every part from its fields."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import TypeAlias

from accache.base.text import Edit, splice
from accache.ptx.text.syntax import (
    Address,
    Block,
    Directive,
    File,
    Function,
    Group,
    Immediate,
    Initialiser,
    Instruction,
    Label,
    Module,
    ModuleStatement,
    Name,
    Negated,
    Operand,
    Pair,
    Prototype,
    Registers,
    Section,
    SourceLine,
    Statement,
    Sum,
    Targets,
    Value,
    Variable,
    Vector,
)

Part: TypeAlias = Module | ModuleStatement | Statement | Value | Operand


def print_module(module: Module, replacements: Iterable[tuple[Instruction, Instruction]] = ()) -> str:
    """The text of a module in which other instructions stand in the place of some; all else is as it was.

    Without replacements this is the text the module was parsed from.
    """
    return splice(module.source, tuple(Edit(old.span, spell(new)) for old, new in replacements))


@singledispatch
def spell(part: Part) -> str:
    r"""A part of a module as text, made from its fields alone.

    >>> spell(Instruction("ld", ("global", "f32"), (Name("%f1"), Address(Name("%rd1"), Immediate("4")))))
    'ld.global.f32 \t%f1, [%rd1+4];'
    """
    raise TypeError(f"no spelling for {part!r}")


@spell.register
def _(part: Name) -> str:
    return part.text


@spell.register
def _(part: Immediate) -> str:
    return part.text


@spell.register
def _(part: Address) -> str:
    inside = ", ".join((f"{spell(part.base)}{_offset(part.offset)}", *map(spell, part.coordinates)))
    return f"[{inside}]"


def _offset(offset: Immediate | None) -> str:
    return "" if offset is None else f"+{offset.text}"


@spell.register
def _(part: Sum) -> str:
    return (f"generic({part.base.text})" if part.is_generic else part.base.text) + _offset(part.offset)


@spell.register
def _(part: Vector) -> str:
    return f"{{{_listed(part.elements)}}}"


@spell.register
def _(part: Initialiser) -> str:
    return f"{{{_listed(part.elements)}}}"


@spell.register
def _(part: Group) -> str:
    return f"({_listed(part.elements)})"


@spell.register
def _(part: Negated) -> str:
    return f"!{part.operand.text}"


@spell.register
def _(part: Pair) -> str:
    return f"{part.first.text}|{part.second.text}"


@spell.register
def _(part: Instruction) -> str:
    guard = ""
    if part.predicate is not None:
        guard = f"@{'!' if part.predicate.is_negated else ''}{part.predicate.register} "
    operands = f" \t{_listed(part.operands)}" if part.operands else ""
    return f"{guard}{part.name}{operands};"


@spell.register
def _(part: Label) -> str:
    return f"{part.name}:"


@spell.register
def _(part: Registers) -> str:
    names = ", ".join(name if count is None else f"{name}<{count}>" for name, count in part.names)
    return f"{_joined('.reg', _dotted(part.vector), '.' + part.type)} \t{names};"


@spell.register
def _(part: Variable) -> str:
    return _declared(part) + ";"


def _declared(part: Variable) -> str:
    """A variable or parameter without the semicolon."""
    pointer = ""
    if part.pointer is not None:
        pointer = _joined(".ptr", _dotted(part.pointer.space), _aligned(part.pointer.alignment))
    dimensions = "".join("[]" if number is None else f"[{number}]" for number in part.dimensions)
    words = _joined(
        *map(_dotted, part.linkage),
        _dotted(part.space),
        f".attribute({part.attribute})" if part.attribute else "",
        _aligned(part.alignment),
        _dotted(part.vector),
        _dotted(part.type),
        pointer,
        part.name + dimensions,
    )
    return words if part.value is None else f"{words} = {spell(part.value)}"


@spell.register
def _(part: SourceLine) -> str:
    text = f".loc\t{part.file} {part.line} {part.column}"
    if part.function is not None:
        text += f", function_name {spell(part.function)}"
    if part.inlined_at is not None:
        text += f", inlined_at {' '.join(map(str, part.inlined_at))}"
    return text


@spell.register
def _(part: Directive) -> str:
    end = ";" if part.name in ("pragma", "alias") else ""
    return _joined(f".{part.name}", *part.words) + end


@spell.register
def _(part: File) -> str:
    stamp = "" if part.stamp is None else f", {part.stamp[0]}, {part.stamp[1]}"
    return f'.file\t{part.number} "{part.name}"{stamp}'


@spell.register
def _(part: Section) -> str:
    return f".section\t{part.name}\n{{{part.text}}}"


@spell.register
def _(part: Targets) -> str:
    return f"{part.name}: .{part.kind} {', '.join(part.targets)};"


@spell.register
def _(part: Prototype) -> str:
    results = f"({_parameters(part.results)}) " if part.results else ""
    words = "".join(" " + spell(directive) for directive in part.directives)
    return f"{part.name}: .callprototype {results}_ ({_parameters(part.parameters)}){words};"


@spell.register
def _(part: Block) -> str:
    return "\n".join(("{", *map(spell, part.statements), "}"))


@spell.register
def _(part: Function) -> str:
    results = f"({_parameters(part.results)})" if part.results else ""
    head = _joined(*map(_dotted, part.linkage), ".entry" if part.is_entry else ".func", results, part.name)
    parameters = "" if part.parameters is None else f"({_parameters(part.parameters)})"
    directives = "".join("\n" + spell(directive) for directive in part.directives)
    return f"{head}{parameters}{directives}\n{';' if part.body is None else spell(part.body)}"


@spell.register
def _(part: Module) -> str:
    return "\n".join(map(spell, part.statements)) + "\n"


def _parameters(parameters: tuple[Variable, ...]) -> str:
    return ", ".join(map(_declared, parameters))


def _listed(elements: Iterable[Part]) -> str:
    return ", ".join(map(spell, elements))


def _dotted(word: str) -> str:
    return f".{word}" if word else ""


def _aligned(alignment: int | None) -> str:
    return "" if alignment is None else f".align {alignment}"


def _joined(*words: str) -> str:
    return " ".join(word for word in words if word)
