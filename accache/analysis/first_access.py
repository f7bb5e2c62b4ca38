"""In which order a statement, when it runs for the first time, accesses the memory of one variable.

Before: ``for (i = 0; i < n; i++) { s += t[i]; t[i] = 0; }``. After: of ``t``, a read that is certain if the loop runs
at all, then a write.
"""

from __future__ import annotations

from msgspec import Struct, field

from accache.analysis.calls import index_parts, passed, points, root_of
from accache.analysis.canonical import canonical_loop, constant
from accache.base.text import Location
from accache.ir.tree import (
    STEPPING,
    Assign,
    Atomic,
    Binary,
    Block,
    Cache,
    Call,
    Conditional,
    Declare,
    Evaluate,
    Expr,
    For,
    If,
    Jump,
    Label,
    Member,
    SizeOf,
    Stmt,
    Subscript,
    Unary,
    Variable,
    While,
)
from accache.ir.types import Array, Pointer, resolve
from accache.ir.walk import assigned_variables, children, declared_variables, nodes_of, used_variables, walk

_COMPARISONS = {
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
    "!=": int.__ne__,
}


class Access(Struct, frozen=True):
    """A read, or what may be a write (``is_read`` is False), at a place.

    One ``is_certain`` if the loops around it run at all, for which ``bounds`` are the variables that count.
    """

    is_read: bool
    is_certain: bool
    location: Location
    bounds: frozenset[str] = frozenset()


def accesses(stmt: Stmt, name: str, *, is_apart: bool = True, is_own: bool = False) -> tuple[Access, ...]:
    """The accesses of a variable's memory; of the variable itself if it ``is_own`` and no array.

    Without ``is_apart``, what is written through pointers may be that memory.
    """
    way = _Walk(name, is_apart, is_own, assigned_variables(stmt) | declared_variables(stmt))
    if any(nodes_of(stmt, Label)):
        way.add(stmt.location, False)
    else:
        way.statement(stmt, True)
    return tuple(way.found)


def unset_read(
    found: tuple[Access, ...], *, may_be_set: bool = False, changed: frozenset[str] = frozenset()
) -> Access | None:
    """The first of some accesses if it reads memory that has no value in front of them; None if that is not plain.

    With ``may_be_set``, only the very first execution meets such memory, when variables may not yet have the values for
    which loops run that others than the statement have ``changed``.
    """
    if not found or not found[0].is_read:
        return None
    first = found[0]
    is_only_read = all(access.is_read for access in found)
    if is_only_read and not may_be_set:
        return first
    return first if first.is_certain and not (may_be_set and first.bounds & changed) else None


class _Walk(Struct):
    """Goes through code in the order of execution; ``varying`` are the variables that it gives values."""

    name: str
    is_apart: bool
    is_own: bool
    varying: frozenset[str]
    found: list[Access] = field(default_factory=list)
    bounds: frozenset[str] = frozenset()
    has_jumped: bool = False

    def add(self, location: Location, is_read: bool, is_certain: bool = False) -> None:
        """Note an access."""
        self.found.append(Access(is_read, is_certain and not self.has_jumped, location, self.bounds))

    def statement(self, stmt: Stmt, certain: bool) -> None:
        """A statement that runs for the first time, certainly or not."""
        if isinstance(stmt, For):
            self.loop(stmt, certain)
        elif isinstance(stmt, While):
            if not stmt.at_end:
                self.value(stmt.condition, certain)
            self.statement(stmt.body, certain and stmt.at_end)
            if stmt.at_end:
                self.value(stmt.condition, certain)
        elif isinstance(stmt, If):
            self.branches(stmt, certain)
        elif isinstance(stmt, (Block, Cache, Evaluate, Declare, Atomic, Jump)):
            for child in children(stmt):
                self.node(child, certain)
            self.has_jumped |= isinstance(stmt, Jump)
        else:
            for child in children(stmt):
                self.node(child, False)

    def node(self, node: Stmt | Expr, certain: bool) -> None:
        """A statement or an expression."""
        if isinstance(node, Stmt):
            self.statement(node, certain)
        else:
            self.value(node, certain)

    def branches(self, stmt: If, certain: bool) -> None:
        """Both branches, unless the condition is a constant."""
        self.value(stmt.condition, certain)
        decided = constant(stmt.condition)
        if decided != 0:
            self.statement(stmt.then, certain and decided is not None)
        if stmt.otherwise is not None and not decided:
            self.statement(stmt.otherwise, certain and decided is not None)

    def loop(self, loop: For, certain: bool) -> None:
        """A loop whose iterations run for certain if its bounds stay as they are while the whole statement runs."""
        if loop.loop is not None:
            if any(item.variable == self.name for item in loop.loop.reductions):
                self.add(loop.location, False)
                return
            if any(item.name == self.name for item in loop.loop.private):
                return
        for item in loop.init:
            self.statement(item, certain)
        if loop.condition is not None:
            self.value(loop.condition, certain)
        form = canonical_loop(loop)
        if isinstance(form, str):
            self.inside(loop, False)
            return
        first, limit = constant(form.first), constant(form.limit)
        if first is not None and limit is not None and not _COMPARISONS[form.operator](first, limit):
            return
        nodes = (*walk(form.first), *walk(form.limit))
        used = used_variables(form.first) | used_variables(form.limit)
        loads = any(isinstance(node, (Subscript, Member, Call)) for node in nodes)
        outside, self.bounds = self.bounds, self.bounds | used
        self.inside(loop, certain and not (loads or used & self.varying))
        self.bounds = outside

    def inside(self, loop: For, certain: bool) -> None:
        """A loop's body, and its step."""
        self.statement(loop.body, certain)
        if loop.step is not None:
            self.value(loop.step, certain)

    def value(self, expr: Expr, certain: bool) -> None:
        """An expression that is computed."""
        if isinstance(expr, SizeOf):
            return
        if isinstance(expr, Assign):
            self.value(expr.value, certain)
            self.place(expr.target, certain, reads=expr.op != "=", writes=True)
        elif isinstance(expr, Unary) and expr.op in STEPPING:
            self.place(expr.operand, certain, reads=True, writes=True)
        elif isinstance(expr, Binary) and expr.op in ("&&", "||"):
            self.value(expr.left, certain)
            self.value(expr.right, False)
        elif isinstance(expr, Conditional):
            self.value(expr.condition, certain)
            self.value(expr.then, False)
            self.value(expr.otherwise, False)
        elif isinstance(expr, Call):
            self.call(expr, certain)
        elif isinstance(expr, Unary) and expr.op == "&":
            self.address(expr, certain)
        elif isinstance(expr, (Subscript, Member, Variable)) or (isinstance(expr, Unary) and expr.op == "*"):
            self.place(expr, certain, reads=True, writes=False)
        else:
            for child in children(expr):
                self.node(child, certain)

    def place(self, expr: Expr, certain: bool, *, reads: bool, writes: bool) -> None:
        """A place that is read, written or both."""
        for part in index_parts(expr):
            self.value(part, certain)
        root = root_of(expr)
        if root is None or root.name != self.name:
            if writes and not self.is_apart and not isinstance(expr, Variable):
                self.add(expr.location, False)
            return
        if isinstance(resolve(root.type), (Array, Pointer)) and not self._is_variable(root) and _is_address(expr):
            self.add(expr.location, False)  # it goes where nobody follows it
            return
        if isinstance(resolve(expr.type), Array) and self._is_variable(root) and _is_part(expr):
            self.add(expr.location, False)  # so does the address of an array in a structure
            return
        if reads or (self._is_variable(root) and not _is_part(expr)):
            self.add(expr.location, True, certain)
        if writes and (not self._is_variable(root) or _is_part(expr)):
            self.add(expr.location, False)

    def _is_variable(self, root: Variable) -> bool:
        """Whether the variable itself is meant, not what it leads to."""
        return self.is_own and not isinstance(resolve(root.type), Array)

    def address(self, expr: Unary, certain: bool) -> None:
        """An address that is taken: what is done with it is not followed."""
        for part in index_parts(expr):
            self.value(part, certain)
        root = root_of(expr)
        if root is not None and root.name == self.name:
            self.add(expr.location, False)

    def call(self, call: Call, certain: bool) -> None:
        """A call, and what its routine does with addresses that it is handed."""
        handed = {id(item.argument): item for item in passed(call)}
        for argument in call.arguments:
            item = handed.get(id(argument))
            if item is None or item.root is None or item.root.name != self.name or item.writes:
                self.value(argument, certain)
                continue
            for part in index_parts(argument):
                self.value(part, certain)
            if item.reads:
                self.add(argument.location, True)
        writes = any(item.writes for item in handed.values())
        if call.callee is not None and (call.callee.changes_residents or (writes and not self.is_apart)):
            self.add(call.location, False)


def _is_address(expr: Expr) -> bool:
    """Whether what an expression gives is an address."""
    return isinstance(resolve(expr.type), (Array, Pointer)) or points(expr.type)


def _is_part(expr: Expr) -> bool:
    """Whether a place is a variable or a part of it, no memory that it leads to."""
    while (isinstance(expr, Member) and not expr.arrow) or (isinstance(expr, Subscript) and _is_array(expr.base)):
        expr = expr.base
    return isinstance(expr, Variable)


def _is_array(expr: Expr) -> bool:
    return isinstance(resolve(expr.type), Array)
