"""Expressions and statements of C as accache sees them, each with its place in the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from accache.ir.types import CType
from accache.text import Location

if TYPE_CHECKING:
    from accache.ir.regions import LoopSpec, Subarray


@dataclass(frozen=True)
class Expr:
    """An expression of type ``type``."""

    type: CType
    location: Location


@dataclass(frozen=True)
class IntLiteral(Expr):
    """An integer or character constant, an enumerator or a folded constant; ``spelling`` is printed.

    ``exported`` is the name of an enumerator outside of the function that declares it.
    """

    value: int
    spelling: str
    exported: str = ""


@dataclass(frozen=True)
class FloatLiteral(Expr):
    """A floating constant as the user spelled it."""

    spelling: str


@dataclass(frozen=True)
class ImaginaryLiteral(Expr):
    """An imaginary constant: the floating constant before its ``i``, as the user spelled it."""

    spelling: str


@dataclass(frozen=True)
class StringLiteral(Expr):
    """A string constant with its quotes."""

    spelling: str


@dataclass(frozen=True)
class Variable(Expr):
    """A use of a variable. ``name`` is unique in its region: shadowing names are renamed when the tree is built."""

    name: str


@dataclass(frozen=True)
class Subscript(Expr):
    """``base[index]``."""

    base: Expr
    index: Expr


@dataclass(frozen=True)
class Member(Expr):
    """``base.field``, or ``base->field`` if ``arrow``."""

    base: Expr
    field: str
    arrow: bool


@dataclass(frozen=True)
class Unary(Expr):
    """A prefix operator: one of ``+ - ! ~ * & ++ --``, or the postfix operators ``p++ p--``."""

    op: str
    operand: Expr


@dataclass(frozen=True)
class Binary(Expr):
    """A binary operator other than assignment and comma."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Assign(Expr):
    """``target op value`` where op is ``=``, ``+=``, ..."""

    op: str
    target: Expr
    value: Expr


@dataclass(frozen=True)
class Conditional(Expr):
    """``condition ? then : otherwise``."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True)
class Callee:
    """What a caller must know of a routine: the name and level of its device version, and what it takes.

    ``reads`` and ``writes`` say for each parameter whether memory that it points to may be read or written,
    ``has_gang_loops`` whether loops in it may be spread over gangs, ``allocates`` whether it may take memory from the
    heap or give it back.
    """

    symbol: str
    level: str
    parameters: tuple[CType, ...]
    reads: tuple[bool, ...]
    writes: tuple[bool, ...]
    has_gang_loops: bool = False
    allocates: bool = False

    @property
    def is_collective(self) -> bool:
        """Whether all threads of a block call it together, since its loops are spread over them."""
        return self.level != "seq"


@dataclass(frozen=True)
class Call(Expr):
    """A call of a named function; ``callee`` is what the device calls unless that is a function of CUDA."""

    function: str
    arguments: tuple[Expr, ...]
    callee: Callee | None = None


@dataclass(frozen=True)
class Cast(Expr):
    """``(type)operand``."""

    operand: Expr


@dataclass(frozen=True)
class SizeOf(Expr):
    """``sizeof(of)`` where ``of`` is a type."""

    of: CType


@dataclass(frozen=True)
class Comma(Expr):
    """``left, right``."""

    left: Expr
    right: Expr


@dataclass(frozen=True)
class InitList(Expr):
    """A braced initialiser without designators."""

    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Raw(Expr):
    """Target text that a pass put in the place of an expression (a cached element, a thread's position)."""

    text: str


@dataclass(frozen=True)
class Stmt:
    """A statement."""

    location: Location


@dataclass(frozen=True)
class Block(Stmt):
    """``{ items }``."""

    items: tuple[Stmt, ...]


@dataclass(frozen=True)
class Declare(Stmt):
    """The declaration of one local variable."""

    name: str
    type: CType
    init: Expr | None
    static: bool = False


@dataclass(frozen=True)
class Evaluate(Stmt):
    """An expression statement."""

    expr: Expr


@dataclass(frozen=True)
class If(Stmt):
    """``if (condition) then else otherwise``."""

    condition: Expr
    then: Stmt
    otherwise: Stmt | None = None


@dataclass(frozen=True)
class For(Stmt):
    """A for loop; ``init`` holds its declarations or its expression, ``loop`` the loop directive it carries, if any."""

    init: tuple[Stmt, ...]
    condition: Expr | None
    step: Expr | None
    body: Stmt
    loop: LoopSpec | None = None


@dataclass(frozen=True)
class While(Stmt):
    """``while (condition) body``, or ``do body while (condition)`` if ``at_end``."""

    condition: Expr
    body: Stmt
    at_end: bool = False


@dataclass(frozen=True)
class Switch(Stmt):
    """``switch (value) body``."""

    value: Expr
    body: Stmt


@dataclass(frozen=True)
class Case(Stmt):
    """``case value: body``; ``default:`` when value is None."""

    value: Expr | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class Jump(Stmt):
    """``break``, ``continue``, ``return`` (with ``value``) or ``goto`` (with ``label``)."""

    keyword: str
    value: Expr | None = None
    label: str = ""


@dataclass(frozen=True)
class Label(Stmt):
    """``name: body``."""

    name: str
    body: Stmt


@dataclass(frozen=True)
class Empty(Stmt):
    """``;``."""


@dataclass(frozen=True)
class Atomic(Stmt):
    """An atomic construct of one ``kind``: read, write, update or capture.

    ``body`` is what it does, as if nobody else were there: an expression statement, or for capture perhaps a block of
    two. ``ir.atomics`` says which place is accessed, and how.
    """

    kind: str
    body: Stmt


@dataclass(frozen=True)
class Cache(Stmt):
    """The region of one or several adjacent cache directives: the loop or block whose accesses they are about.

    A directive at the top of a loop's body covers the rest of that body; a directive
    right before a loop covers that loop.
    """

    subarrays: tuple[Subarray, ...]
    body: Stmt
    text: str = ""
