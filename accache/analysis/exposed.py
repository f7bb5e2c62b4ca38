"""Whether a statement may read the value that a variable has in front of it, and whether it gives it another.

Members of a structure count one by one: ``p.x = 1; a = p.x;`` reads nothing from in front of it.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from accache.ir.kernels.simt import Formula
from accache.ir.tree import (
    Assign,
    Binary,
    Block,
    Cache,
    Comma,
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
from accache.ir.types import Array, CType, Record, resolve
from accache.ir.walk import children, nodes_of, used_variables

Path: TypeAlias = tuple[str, ...]
"""A member within members of a structure; () is the variable as a whole."""
Paths: TypeAlias = frozenset[Path]
WHOLE: Path = ()
NOTHING: Paths = frozenset()
EVERYTHING: Paths = frozenset((WHOLE,))


class Exposure(Struct, frozen=True):
    """What a statement does with a variable: ``reads`` the value from before, ``writes`` all of it on every way."""

    reads: bool
    writes: bool


def exposure(stmt: Stmt, name: str) -> Exposure:
    """What a statement does with a variable; where that is not known, it reads and does not write."""
    if any(nodes_of(stmt, Label)):
        return Exposure(name in used_variables(stmt), False)
    way = _Walk(name)
    known = way.statement(stmt, NOTHING)
    return Exposure(way.is_exposed, WHOLE in known)


class _Walk(Struct):
    """Goes through code in the order of execution with the paths that surely have got a value."""

    name: str
    is_exposed: bool = False

    def statement(self, stmt: Stmt, known: Paths) -> Paths:
        """The paths known behind a statement; what no execution reaches knows everything."""
        if isinstance(stmt, Block):
            for item in stmt.items:
                known = self.statement(item, known)
            return known
        if isinstance(stmt, Jump):
            self.value(stmt.value, known)
            return EVERYTHING
        if isinstance(stmt, If):
            then, otherwise = self.condition(stmt.condition, known)
            then = self.statement(stmt.then, then)
            return _both(then, self.statement(stmt.otherwise, otherwise) if stmt.otherwise is not None else otherwise)
        if isinstance(stmt, (For, While)):
            return self.loop(stmt, known)
        if isinstance(stmt, Cache):
            return self.statement(stmt.body, known)
        if isinstance(stmt, Evaluate):
            return self.value(stmt.expr, known)
        if isinstance(stmt, Declare):
            return self.value(stmt.init, known) if stmt.init is not None else known
        if self.name in used_variables(stmt) and WHOLE not in known:
            self.is_exposed = True
        return known

    def loop(self, loop: For | While, known: Paths) -> Paths:
        """A loop, whose body may not run at all unless the condition stands at its end."""
        if isinstance(loop, For):
            for item in loop.init:
                known = self.statement(item, known)
            first = self.value(loop.condition, known)
            self.statement(loop.body, first)
            self.value(loop.step, first)
            return first
        if not loop.at_end:
            known = self.value(loop.condition, known)
        self.statement(loop.body, known)
        if loop.at_end:
            self.value(loop.condition, known)
        return known

    def value(self, expr: Expr | None, known: Paths) -> Paths:
        """The paths known behind an expression."""
        if expr is None or isinstance(expr, SizeOf):
            return known
        if isinstance(expr, Assign):
            return self.assigned(expr, known)
        if isinstance(expr, Binary) and expr.op in ("&&", "||"):
            return _both(*self.condition(expr, known))
        if isinstance(expr, Conditional):
            then, otherwise = self.condition(expr.condition, known)
            return _both(self.value(expr.then, then), self.value(expr.otherwise, otherwise))
        if isinstance(expr, Comma):
            return self.value(expr.right, self.value(expr.left, known))
        place = _path(expr, self.name)
        if place is not None:
            self.read(place, expr, known)
            return known
        if isinstance(expr, Unary) and expr.op == "&" and _root(expr.operand) == self.name:
            self.is_exposed = True
        if isinstance(expr, Formula) and self.name in used_variables(expr) and WHOLE not in known:
            self.is_exposed = True
        found = known
        for child in children(expr):
            if isinstance(child, Expr):
                found |= self.value(child, known)
        return found

    def condition(self, expr: Expr, known: Paths) -> tuple[Paths, Paths]:
        """The paths known where a condition holds, and where it does not."""
        if isinstance(expr, Unary) and expr.op == "!":
            holds, fails = self.condition(expr.operand, known)
            return fails, holds
        if not isinstance(expr, Binary) or expr.op not in ("&&", "||"):
            found = self.value(expr, known)
            return found, found
        holds, fails = self.condition(expr.left, known)
        if expr.op == "&&":
            both, neither = self.condition(expr.right, holds)
            return both, _both(fails, neither)
        either, none = self.condition(expr.right, fails)
        return _both(holds, either), none

    def assigned(self, expr: Assign, known: Paths) -> Paths:
        """The paths known behind an assignment; both sides are computed in any order."""
        place = _path(expr.target, self.name)
        found = self.value(expr.value, known)
        if place is not None:
            if expr.op != "=":
                self.read(place, expr.target, known)
            return found | {place}
        if _root(expr.target) != self.name or expr.op != "=":
            return found | self.value(expr.target, known)
        target = expr.target  # an element of an array in the structure
        while isinstance(target, (Subscript, Member)):
            if isinstance(target, Subscript):
                found |= self.value(target.index, known)
            target = target.base
        return found

    def read(self, place: Path, expr: Expr, known: Paths) -> None:
        """Note that a path is read."""
        if not _covers(known, place, expr.type):
            self.is_exposed = True


def _covers(known: Paths, place: Path, ctype: CType) -> bool:
    """Whether a path is known as a whole, or each member of it is."""
    if any(place[:length] in known for length in range(len(place) + 1)):
        return True
    plain = resolve(ctype)
    if not isinstance(plain, Record) or not plain.fields:
        return False
    return all(_covers(known, (*place, member.name), member.type) for member in plain.members)


def _both(first: Paths, second: Paths) -> Paths:
    """The paths known on both of two ways."""
    return frozenset(path for one, other in ((first, second), (second, first)) for path in one if _has(other, path))


def _has(known: Paths, path: Path) -> bool:
    return any(path[:length] in known for length in range(len(path) + 1))


def _path(expr: Expr, name: str) -> Path | None:
    """The path of a variable that an expression names; None for all others."""
    members: list[str] = []
    while isinstance(expr, Member) and not expr.arrow:
        members.insert(0, expr.field)
        expr = expr.base
    return tuple(members) if isinstance(expr, Variable) and expr.name == name else None


def _root(expr: Expr) -> str:
    """The variable that an lvalue lies in; '' behind a pointer."""
    while isinstance(expr, (Member, Subscript)):
        behind = expr.arrow if isinstance(expr, Member) else not isinstance(resolve(expr.base.type), Array)
        if behind:
            return ""
        expr = expr.base
    return expr.name if isinstance(expr, Variable) else ""
