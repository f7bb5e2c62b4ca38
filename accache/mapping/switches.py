"""Switches that C++ takes and that threads can go through together.

Before: ``switch (k) { case 0:; int t = a[i]; ... }``. After: ``int t; switch (k) { case 0:; t = a[i]; ... }``, for in
C++ nobody jumps past an initial value. A switch around parallel loops becomes a chain of if statements.
"""

from __future__ import annotations

from functools import reduce

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.calls import collective_calls
from accache.analysis.uniformity import leaving_jumps
from accache.base.diagnostics import Reporter
from accache.ir.build import BOOL
from accache.ir.names import user_name
from accache.ir.tree import (
    Binary,
    Block,
    Cache,
    Case,
    Cast,
    Declare,
    Empty,
    Expr,
    For,
    If,
    InitList,
    Jump,
    Stmt,
    Switch,
    Variable,
)
from accache.ir.types import Arithmetic, CType, as_const, assignable, is_array, promoted
from accache.ir.walk import rewrite, walk
from accache.mapping.elements import assigned, initial_value, initialised


def with_plain_switches(body: Stmt, reporter: Reporter) -> Stmt:
    """A body whose switches declare nothing, and have no parallel loops or cache regions in them if that can be."""
    return rewrite(body, _Plain(reporter).change)


class _Arm(Struct, frozen=True):
    """What a switch does for some values."""

    values: tuple[Expr, ...]
    is_default: bool
    body: Block


class _Plain(Struct, dict=True):
    """Changes switches, inner ones first."""

    reporter: Reporter
    count: int = 0

    def change(self, node: Expr | Stmt) -> Expr | Stmt:
        """A switch, or what stands in its place."""
        if not isinstance(node, Switch):
            return node
        declares: list[Stmt] = []
        items = self.without_declarations(_items(node.body), declares)
        plain: Stmt = replace(node, body=Block(node.body.location, items))
        if _is_shared(plain):
            arms = _arms(items)
            plain = self.chain(node, arms) if arms is not None else plain
        return Block(node.location, (*declares, plain)) if declares else plain

    def without_declarations(self, items: tuple[Stmt, ...], declares: list[Stmt]) -> tuple[Stmt, ...]:
        """The statements of a switch, which give variables their values that ``declares`` are put in front of it."""
        found: list[Stmt] = []
        for item in items:
            if isinstance(item, Case):
                found.append(replace(item, body=self.without_declarations(item.body, declares)))
            elif isinstance(item, Declare) and not item.static:
                declares.append(replace(item, type=assignable(item.type), init=None))
                found += self.values(item)
            else:
                found.append(item)
        return tuple(found)

    def values(self, stmt: Declare) -> tuple[Stmt, ...]:
        """What gives a declared variable its initial value."""
        if stmt.init is None:
            return ()
        target = Variable(assignable(stmt.type), stmt.location, stmt.name)
        if not is_array(stmt.type):
            return (assigned(target, initial_value(target, stmt.init)),)
        values = initialised(target, stmt.init) if isinstance(stmt.init, InitList) else None
        if values is None:
            self.reporter.report("ACC314", stmt.location, name=user_name(stmt.name))
        return values or ()

    def chain(self, switch: Switch, arms: list[_Arm]) -> Stmt:
        """The if statements that choose as a switch does."""
        self.count += 1
        where, ctype = switch.location, _promoted(switch.value.type)
        name = f"selected#{self.count}_{where.line}"
        value = Variable(ctype, where, name)
        default = [arm.body for arm in arms if arm.is_default]
        chosen: Stmt | None = default[0] if default else None
        for arm in reversed([arm for arm in arms if not arm.is_default]):
            tests = [Binary(BOOL, where, "==", value, Cast(ctype, where, case)) for case in arm.values]
            condition = reduce(lambda left, right: Binary(BOOL, where, "||", left, right), tests)
            chosen = If(where, condition, arm.body, chosen)
        declare = Declare(where, name, as_const(ctype), switch.value)
        return Block(where, (declare, chosen or Empty(where)))


def _items(body: Stmt) -> tuple[Stmt, ...]:
    return body.items if isinstance(body, Block) else (body,)


def _is_shared(switch: Stmt) -> bool:
    """Whether threads do something together in a switch."""
    return any(collective_calls(switch)) or any(
        isinstance(node, Cache) or (isinstance(node, For) and node.loop is not None and not node.loop.seq)
        for node in walk(switch)
    )


def _arms(items: tuple[Stmt, ...]) -> list[_Arm] | None:
    """What a switch does, if each of its parts ends with a jump or is the last; None if one runs on into the next."""
    arms: list[_Arm] = []
    values: list[Expr] = []
    is_default = False
    for position, case in enumerate(items):
        if not isinstance(case, Case):
            return None
        values += [case.value] if case.value is not None else []
        is_default |= case.value is None
        is_last = position + 1 == len(items)
        if not case.body and not is_last:
            continue
        body, is_ended = _without_break(case.body)
        arm = Block(case.location, body)
        if not (is_ended or is_last) or any(jump.keyword == "break" for jump in leaving_jumps(arm)):
            return None
        arms.append(_Arm(tuple(values), is_default, arm))
        values, is_default = [], False
    return arms


def _without_break(items: tuple[Stmt, ...]) -> tuple[tuple[Stmt, ...], bool]:
    """Statements without the break at their end, and whether nothing behind them runs."""
    last = items[-1] if items else None
    if isinstance(last, Jump):
        return (items[:-1] if last.keyword == "break" else items), True
    if isinstance(last, Block):
        inner, is_ended = _without_break(last.items)
        return (*items[:-1], replace(last, items=inner)), is_ended
    return items, False


def _promoted(ctype: CType) -> CType:
    """The type that the value of a switch is compared in."""
    return promoted(ctype, Arithmetic("int"))
