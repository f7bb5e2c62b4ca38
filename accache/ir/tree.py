"""Expressions and statements of C as accache sees them, each with its place in the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from msgspec import Struct

from accache.base.text import Location
from accache.ir.polynomial import Polynomial
from accache.ir.types import CType

if TYPE_CHECKING:
    from accache.ir.openacc.regions import LoopSpec, Subarray


class Expr(Struct, frozen=True, dict=True):
    """An expression of type ``type``."""

    type: CType
    location: Location


class IntLiteral(Expr, frozen=True):
    """An integer or character constant, an enumerator or a folded constant; ``spelling`` is printed.

    ``exported`` is the name of an enumerator outside of the function that declares it.
    """

    value: int
    spelling: str
    exported: str = ""


class FloatLiteral(Expr, frozen=True):
    """A floating constant as the user spelled it."""

    spelling: str


class ImaginaryLiteral(Expr, frozen=True):
    """An imaginary constant: the floating constant before its ``i``, as the user spelled it."""

    spelling: str


class StringLiteral(Expr, frozen=True):
    """A string constant with its quotes."""

    spelling: str


class Variable(Expr, frozen=True):
    """A use of a variable. ``name`` is unique in its region: shadowing names are renamed when the tree is built."""

    name: str


class Subscript(Expr, frozen=True):
    """``base[index]``."""

    base: Expr
    index: Expr


class Member(Expr, frozen=True):
    """``base.field``, or ``base->field`` if ``arrow``; ``bits`` is the width of a bit-field."""

    base: Expr
    field: str
    arrow: bool
    bits: int | None = None


STEPPING = ("++", "--", "p++", "p--")
"""The operators that change their operand, in front of it and behind it."""


class Unary(Expr, frozen=True):
    """A prefix operator: one of ``+ - ! ~ * & ++ --``, or the postfix operators ``p++ p--``."""

    op: str
    operand: Expr


class Binary(Expr, frozen=True):
    """A binary operator other than assignment and comma.

    An unsigned sum, product or difference that does not wrap ``is_exact``. Where that holds only if its
    ``greatest`` value, a polynomial, fits into its type, the launch has to make sure of it.
    """

    op: str
    left: Expr
    right: Expr
    is_exact: bool = False
    greatest: Polynomial | None = None


class Assign(Expr, frozen=True):
    """``target op value`` where op is ``=``, ``+=``, ..."""

    op: str
    target: Expr
    value: Expr


class Conditional(Expr, frozen=True):
    """``condition ? then : otherwise``."""

    condition: Expr
    then: Expr
    otherwise: Expr


Level: TypeAlias = Literal["seq", "vector", "worker", "gang"]
"""The level of a routine, whose loops may be spread over the threads of that one and of those before it."""


class Callee(Struct, frozen=True):
    """What a caller must know of a routine: the name and level of its device version, and what it takes.

    ``reads`` and ``writes`` say for each parameter whether memory that it points to may be read or written,
    ``has_gang_loops`` whether loops in it may be spread over gangs, ``allocates`` whether it may take memory from the
    heap or give it back. A routine that ``acts`` may do more than compute from what it is handed: it prints, changes
    variables of files, or nobody here knows what it does. ``uses_residents`` and ``changes_residents`` say whether it
    may use variables of files, and change them.
    """

    symbol: str
    level: Level
    parameters: tuple[CType, ...]
    reads: tuple[bool, ...]
    writes: tuple[bool, ...]
    has_gang_loops: bool = False
    allocates: bool = False
    acts: bool = False
    uses_residents: bool = False
    changes_residents: bool = False

    @property
    def is_collective(self) -> bool:
        """Whether all threads of a block call it together, since its loops are spread over them."""
        return self.level != "seq"


class Call(Expr, frozen=True):
    """A call of a named function; ``callee`` is what the device calls unless that is a function of CUDA."""

    function: str
    arguments: tuple[Expr, ...]
    callee: Callee | None = None


class Cast(Expr, frozen=True):
    """``(type)operand``."""

    operand: Expr


class SizeOf(Expr, frozen=True):
    """``sizeof(of)`` where ``of`` is a type."""

    of: CType


class Comma(Expr, frozen=True):
    """``left, right``."""

    left: Expr
    right: Expr


class InitList(Expr, frozen=True):
    """A braced initialiser without designators; ``parts`` are the types that the values of ``items`` get."""

    items: tuple[Expr, ...]
    parts: tuple[CType, ...] = ()


class Raw(Expr, frozen=True):
    """Target text that a pass put in the place of an expression (a cached element, a thread's position)."""

    text: str


class Stmt(Struct, frozen=True, dict=True):
    """A statement."""

    location: Location


class Block(Stmt, frozen=True):
    """``{ items }``."""

    items: tuple[Stmt, ...]


class Declare(Stmt, frozen=True):
    """The declaration of one local variable."""

    name: str
    type: CType
    init: Expr | None
    static: bool = False


class Evaluate(Stmt, frozen=True):
    """An expression statement."""

    expr: Expr


class If(Stmt, frozen=True):
    """``if (condition) then else otherwise``."""

    condition: Expr
    then: Stmt
    otherwise: Stmt | None = None


class For(Stmt, frozen=True):
    """A for loop; ``init`` holds its declarations or its expression, ``loop`` the loop directive it carries, if any.

    An ``unrolled`` one, whose length is a constant, is to be unrolled whole, or so many iterations at a time.
    """

    init: tuple[Stmt, ...]
    condition: Expr | None
    step: Expr | None
    body: Stmt
    loop: LoopSpec | None = None
    unrolled: bool | int = False


class While(Stmt, frozen=True):
    """``while (condition) body``, or ``do body while (condition)`` if ``at_end``."""

    condition: Expr
    body: Stmt
    at_end: bool = False


class Switch(Stmt, frozen=True):
    """``switch (value) body``."""

    value: Expr
    body: Stmt


class Case(Stmt, frozen=True):
    """``case value: body``; ``default:`` when value is None."""

    value: Expr | None
    body: tuple[Stmt, ...]


JumpKeyword: TypeAlias = Literal["break", "continue", "return", "goto"]


class Jump(Stmt, frozen=True):
    """``break``, ``continue``, ``return`` (with ``value``) or ``goto`` (with ``label``)."""

    keyword: JumpKeyword
    value: Expr | None = None
    label: str = ""


class Label(Stmt, frozen=True):
    """``name: body``."""

    name: str
    body: Stmt


class Empty(Stmt, frozen=True):
    """``;``."""


AtomicKind: TypeAlias = Literal["read", "write", "update", "capture"]
ATOMIC_KINDS: Final[tuple[AtomicKind, ...]] = get_args(AtomicKind)


class Atomic(Stmt, frozen=True):
    """An atomic construct of one ``kind``: read, write, update or capture.

    ``body`` is what it does, as if nobody else were there: an expression statement, or for capture perhaps a block of
    two. ``ir.atomics`` says which place is accessed, and how.
    """

    kind: AtomicKind
    body: Stmt


class Cache(Stmt, frozen=True):
    """The region of one or several adjacent cache directives: the loop or block whose accesses they are about.

    A directive at the top of a loop's body covers the rest of that body; a directive
    right before a loop covers that loop.
    """

    subarrays: tuple[Subarray, ...]
    body: Stmt
    text: str = ""
