"""Unique names to printed ones: the user's spelling wherever no other variable of that spelling is visible."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from accache.emit.spelling import spelled
from accache.ir.keywords import EMITTED
from accache.ir.names import free_name, user_name
from accache.ir.tree import Block, Call, Cast, Declare, Expr, For, IntLiteral, SizeOf, Stmt
from accache.ir.types import Array, CType, Named, Pointer, exceeds_int
from accache.ir.walk import children, nodes_of, walk


class Namer(Struct, dict=True):
    """Assigns printed names scope by scope; ``generated`` names are printed as they are.

    No variable is called as one of the ``outer`` names: functions, enumerators and types of the program's in the text.
    """

    taken: frozenset[str]
    generated: frozenset[str]
    printed: dict[str, str]
    outer: frozenset[str] = frozenset()

    def is_hidden(self, name: str) -> bool:
        """Whether a variable of that name would hide what the text uses."""
        return name in EMITTED or name in self.outer

    def statement(self, stmt: Stmt, visible: set[str]) -> None:
        """Name the declarations in a statement; ``visible`` are printed names in scope, added to in place."""
        if isinstance(stmt, Declare):
            self.declare(stmt.name, visible)
        elif isinstance(stmt, (Block, For)):
            inner = set(visible)
            items = stmt.items if isinstance(stmt, Block) else (*stmt.init, stmt.body)
            for item in items:
                self.statement(item, inner)
        else:
            for child in children(stmt):
                if isinstance(child, Stmt) and not isinstance(child, Expr):
                    self.statement(child, set(visible))

    def parameter(self, unique: str, visible: set[str]) -> None:
        """Name what is passed: as the user does, unless that would hide what is emitted."""
        name = spelled(user_name(unique))
        if self.is_hidden(name):
            self.declare(unique, visible)
        else:
            visible.add(name)

    def declare(self, unique: str, visible: set[str], wanted: str = "") -> None:
        """Name one variable, as it is ``wanted`` or after its unique name."""
        if unique in self.generated:
            return
        base = spelled(wanted or user_name(unique))
        name = free_name(
            base, lambda name: name in visible or self.is_hidden(name) or (name != base and name in self.taken)
        )
        self.printed[unique] = name
        visible.add(name)


def outer_names(body: Stmt) -> frozenset[str]:
    """The functions that a text calls, and the enumerators and types that it names."""
    found: set[str] = set()
    for node in walk(body):
        if isinstance(node, Call):
            found.add(node.callee.symbol if node.callee is not None else node.function)
        elif isinstance(node, IntLiteral):
            found |= {name for name in (node.spelling, node.exported) if name.isidentifier()}
        elif isinstance(node, (Declare, Cast)):
            found |= _type_names(node.type)
        elif isinstance(node, SizeOf):
            found |= _type_names(node.of)
    return frozenset(found)


def _type_names(ctype: CType) -> set[str]:
    """The name in a type that a variable would hide: not that of a structure, which stands behind its keyword."""
    while isinstance(ctype, (Array, Pointer)):
        ctype = ctype.element if isinstance(ctype, Array) else ctype.target
    return {ctype.exported or ctype.name} if isinstance(ctype, Named) else set()


def wide_names(parameters: Iterable[tuple[str, CType]], body: Stmt) -> frozenset[str]:
    """The integers wider than int among a kernel's or routine's parameters and local variables."""
    declared = [*parameters, *((node.name, node.type) for node in nodes_of(body, Declare))]
    return frozenset(name for name, ctype in declared if exceeds_int(ctype))
