"""The tree of a PTX module: frozen dataclasses that name what the text says, each with its span in the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from accache.base.properties import cached_property
from accache.base.text import Location, SourceFile, Span

_NOWHERE = Span(0, 0)


@dataclass(frozen=True)
class Name:
    """A register, variable, label, function or special register: ``%r1``, ``%tid.x``, ``table``; ``_`` is nothing."""

    text: str


@dataclass(frozen=True)
class Immediate:
    """A number as it is written, such as ``-4``, ``0x10``, ``0f3F800000``, ``1.5``."""

    text: str

    @cached_property
    def is_float(self) -> bool:
        """Whether this is a number with a binary point: in decimal, or the bits of one."""
        digits = self.text.lstrip("+-")
        return digits[:2] in ("0f", "0F", "0d", "0D") or (digits[:2] not in ("0x", "0X") and not _is_integer(digits))

    @cached_property
    def value(self) -> int:
        """The integer; for ``0f`` and ``0d`` the bits.

        :raises ValueError: the number is a decimal one with a fraction.
        """
        negative, digits = self.text.startswith("-"), self.text.lstrip("+-").rstrip("Uu")
        if digits[:2] in ("0f", "0F", "0d", "0D"):
            return int(self.text.lstrip("+-")[2:], 16)
        is_octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
        value = int(digits, 8) if is_octal else int(digits, 0)
        return -value if negative else value


@dataclass(frozen=True)
class Address:
    """``[base+offset]``; textures and tensors have ``coordinates`` behind a comma."""

    base: Name | Immediate
    offset: Immediate | None = None
    coordinates: tuple[Operand, ...] = ()


@dataclass(frozen=True)
class Sum:
    """A variable's address plus a number, not in brackets: ``table+8``; ``generic(table)+8`` is one in all memory."""

    base: Name
    offset: Immediate | None = None
    is_generic: bool = False


@dataclass(frozen=True)
class Vector:
    """``{a, b}``."""

    elements: tuple[Operand, ...]


@dataclass(frozen=True)
class Negated:
    """``!p``."""

    operand: Name


@dataclass(frozen=True)
class Pair:
    """``p|q``: two results."""

    first: Name
    second: Name


@dataclass(frozen=True)
class Group:
    """``(a, b)``: the results or the arguments of a call."""

    elements: tuple[Operand, ...]


Operand: TypeAlias = Name | Immediate | Address | Sum | Vector | Negated | Pair | Group


@dataclass(frozen=True)
class Predicate:
    """``@p`` or ``@!p``: only lanes where the register is true, or false, take part."""

    register: str
    is_negated: bool = False


@dataclass(frozen=True)
class SourceLine:
    """What ``.loc`` says: the place in a source file that the instructions after it were made from.

    ``file`` is the number of a ``.file``. ``inlined_at`` is where ``function`` was called: file, line, column.
    """

    file: int
    line: int
    column: int
    function: Sum | None = None
    inlined_at: tuple[int, int, int] | None = None
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Instruction:
    """``@p opcode.modifiers operands;``.

    ``modifiers`` are the words behind the opcode without their dots (``L1::no_allocate`` is one word). ``span`` reaches
    from the predicate to the semicolon. ``line`` is the ``.loc`` in force here. If ``used_bytes`` is not
    0, a mask, only those bytes of a load are used that this mask names: the others may lie behind the end of an array.
    """

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    predicate: Predicate | None = None
    line: SourceLine | None = field(default=None, compare=False)
    span: Span = field(default=_NOWHERE, compare=False, repr=False)
    used_bytes: int = 0

    @property
    def name(self) -> str:
        """The opcode with its modifiers, as it is written."""
        return ".".join((self.opcode, *self.modifiers))


@dataclass(frozen=True)
class Label:
    """``name:``."""

    name: str
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Registers:
    """``.reg .type names;`` where a name may stand for many: ``%r<4>`` is %r0 to %r3."""

    type: str
    names: tuple[tuple[str, int | None], ...]
    vector: str = ""
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Initialiser:
    """``{a, {b, c}}``: the values of an array."""

    elements: tuple[Value, ...]


Value: TypeAlias = Immediate | Sum | Initialiser


@dataclass(frozen=True)
class Pointer:
    """``.ptr .space .align n`` of a parameter: what its value points to; ``space`` is empty for all memory."""

    space: str = ""
    alignment: int | None = None


@dataclass(frozen=True)
class Variable:
    """A variable or parameter: ``.space .align n .type name[dimensions] = value``.

    ``space`` is global, const, shared, local, param or reg. A dimension of None is one without a number.
    """

    space: str
    type: str
    name: str
    dimensions: tuple[int | None, ...] = ()
    alignment: int | None = None
    vector: str = ""
    linkage: tuple[str, ...] = ()
    attribute: str = ""
    pointer: Pointer | None = None
    value: Value | None = None
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Directive:
    """Any other directive, such as ``.version 9.0`` or ``.maxntid 128, 1, 1``: its name without dot, and its words."""

    name: str
    words: tuple[str, ...]
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class File:
    """``.file number "name"``, sometimes with a time and a size."""

    number: int
    name: str
    stamp: tuple[int, int] | None = None
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Section:
    """``.section name { text }``: data for debuggers, kept as text."""

    name: str
    text: str
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


TargetKind: TypeAlias = Literal["branchtargets", "calltargets"]


@dataclass(frozen=True)
class Targets:
    """``name: .branchtargets labels;`` or ``.calltargets functions;``: where an instruction may go."""

    name: str
    kind: TargetKind
    targets: tuple[str, ...]
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Prototype:
    """``name: .callprototype results _ parameters;``: what a function looks like that a register points to."""

    name: str
    results: tuple[Variable, ...]
    parameters: tuple[Variable, ...]
    directives: tuple[Directive, ...] = ()
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Block:
    """``{ statements }``: a scope for names."""

    statements: tuple[Statement, ...]
    span: Span = field(default=_NOWHERE, compare=False, repr=False)


Statement: TypeAlias = (
    Instruction | Label | Registers | Variable | SourceLine | Directive | Targets | Prototype | Block | Section
)


@dataclass(frozen=True)
class Function:
    """A kernel (``.entry``) or function (``.func``); ``body`` is None for a declaration."""

    name: str
    is_entry: bool
    parameters: tuple[Variable, ...] | None
    results: tuple[Variable, ...] = ()
    linkage: tuple[str, ...] = ()
    directives: tuple[Directive, ...] = ()
    body: Block | None = None
    span: Span = field(default=_NOWHERE, compare=False, repr=False)

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """All instructions of the body, in the order of the text; their index is their pc."""
        return tuple(part for part in walk(self.body) if isinstance(part, Instruction)) if self.body else ()


ModuleStatement: TypeAlias = Directive | File | Variable | Function | Section | SourceLine


@dataclass(frozen=True, eq=False)
class Module:
    """A whole PTX text, and all that stands in it in that order; it is equal to itself only."""

    source: SourceFile
    statements: tuple[ModuleStatement, ...]

    @cached_property
    def version(self) -> tuple[int, int]:
        """The version of PTX that the text is written in."""
        major, _, minor = self._words("version")[0].partition(".")
        return int(major), int(minor)

    @cached_property
    def target(self) -> tuple[str, ...]:
        """The architecture, such as sm_90, and what else ``.target`` says."""
        return tuple(word for word in self._words("target") if word != ",")

    @cached_property
    def files(self) -> dict[int, str]:
        """The names of source files by the numbers that ``.loc`` uses."""
        return {part.number: part.name for part in self.statements if isinstance(part, File)}

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of the module."""
        return tuple(part for part in self.statements if isinstance(part, Variable))

    @cached_property
    def functions(self) -> dict[str, Function]:
        """Kernels and functions by name: the definition where there is one, else the declaration."""
        found: dict[str, Function] = {}
        for part in self.statements:
            if isinstance(part, Function) and (part.body is not None or part.name not in found):
                found[part.name] = part
        return found

    @cached_property
    def kernels(self) -> tuple[Function, ...]:
        """The kernels that are defined here."""
        return tuple(part for part in self.functions.values() if part.is_entry and part.body is not None)

    def location(self, span: Span) -> Location:
        """The line and column of a part of the PTX text."""
        return self.source.locate(span)

    def source_location(self, instruction: Instruction) -> Location | None:
        """The place in CUDA source that an instruction was made from, where ``-lineinfo`` tells."""
        line = instruction.line
        if line is None or line.file not in self.files:
            return None
        return Location(self.files[line.file], line.line, line.column)

    def call_location(self, instruction: Instruction) -> Location | None:
        """The place of the call by which an instruction's function was inlined, where ``-lineinfo`` tells."""
        call = instruction.line.inlined_at if instruction.line is not None else None
        return Location(self.files[call[0]], *call[1:]) if call is not None and call[0] in self.files else None

    def _words(self, name: str) -> tuple[str, ...]:
        return next(part.words for part in self.statements if isinstance(part, Directive) and part.name == name)


def walk(block: Block) -> Iterator[Statement]:
    """All statements of a block and of the blocks in it, in the order of the text, blocks before their contents."""
    for part in block.statements:
        yield part
        if isinstance(part, Block):
            yield from walk(part)


def _is_integer(digits: str) -> bool:
    return digits.rstrip("Uu").isdigit() or digits[:2] in ("0b", "0B")
