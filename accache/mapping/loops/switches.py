"""Switches that C++ takes and that threads can go through together.

Before: ``switch (k) { case 0:; int t = a[i]; ... }``. After: ``int t; switch (k) { case 0:; t = a[i]; ... }``, for in
C++ nobody jumps past an initial value. A switch around parallel loops becomes a chain of if statements;
arms that run on into the next are conditions one behind the other: ``if (v == 0) ...; if (v == 0 || v == 1) ...``.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    Unary,
    Variable,
)
from accache.ir.types import Arithmetic, CType, as_const, assignable, is_array, promoted
from accache.ir.walk import items_of, rewrite, walk
from accache.mapping.data.elements import assigned, initial_value, initialised


def with_plain_switches(body: Stmt, reporter: Reporter) -> Stmt:
    """A body whose switches declare nothing, and have no parallel loops or cache regions in them if that can be."""
    return rewrite(body, _Plain(reporter).change)


class _Arm(Struct, frozen=True):
    """What a switch does for some values, before it ends or runs on into the next arm."""

    values: tuple[Expr, ...]
    is_default: bool
    body: Block
    is_ended: bool


class _Plain(Struct, dict=True):
    """Changes switches, inner ones first."""

    reporter: Reporter
    count: int = 0

    def change(self, node: Expr | Stmt) -> Expr | Stmt:
        """A switch, or what stands in its place."""
        if not isinstance(node, Switch):
            return node
        declares: list[Stmt] = []
        items = self.without_declarations(items_of(node.body), declares)
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
        runs = list(_runs(arms))
        default = next((run for run in runs if any(arm.is_default for arm in run)), None)
        chosen: Stmt | None = _run(default, value) if default is not None else None
        for run in reversed(runs):
            if run is not default:
                chosen = If(where, _is_one_of(value, run), _run(run, value), chosen)
        declare = Declare(where, name, as_const(ctype), switch.value)
        return Block(where, (declare, chosen or Empty(where)))


def _runs(arms: list[_Arm]) -> Iterator[list[_Arm]]:
    """The arms of a switch, those together of which each runs on into the next."""
    run: list[_Arm] = []
    for arm in arms:
        run.append(arm)
        if arm.is_ended:
            yield run
            run = []
    if run:
        yield run


def _run(run: list[_Arm], value: Variable) -> Block:
    """What arms do that run on: each is for its own values and for those of the arms before it."""
    items: list[Stmt] = []
    for position, arm in enumerate(run):
        before, after = run[: position + 1], run[position + 1 :]
        if not after:
            items.append(arm.body)
        elif any(later.is_default for later in after):
            items += [If(arm.body.location, _is_one_of(value, before), arm.body)] if _values(before) else []
        else:
            others = Unary(BOOL, arm.body.location, "!", _is_one_of(value, after))
            items.append(If(arm.body.location, others, arm.body))
    return Block(run[0].body.location, tuple(items)) if len(items) > 1 else run[-1].body


def _values(arms: list[_Arm]) -> list[Expr]:
    return [value for arm in arms for value in arm.values]


def _is_one_of(value: Variable, arms: list[_Arm]) -> Expr:
    """Whether the value of a switch is one of those of some arms."""
    where = value.location
    tests = [Binary(BOOL, where, "==", value, Cast(value.type, where, case)) for case in _values(arms)]
    return reduce(lambda left, right: Binary(BOOL, where, "||", left, right), tests)


def _is_shared(switch: Stmt) -> bool:
    """Whether threads do something together in a switch."""
    return any(collective_calls(switch)) or any(
        isinstance(node, Cache) or (isinstance(node, For) and node.loop is not None and not node.loop.seq)
        for node in walk(switch)
    )


def _arms(items: tuple[Stmt, ...]) -> list[_Arm] | None:
    """What a switch does; None if it jumps from the middle of an arm, or has statements that belong to none."""
    arms: list[_Arm] = []
    values: list[Expr] = []
    is_default = False
    for position, case in enumerate(items):
        if not isinstance(case, Case):
            return None
        values += [case.value] if case.value is not None else []
        is_default |= case.value is None
        if not case.body and position + 1 < len(items):
            continue
        body, is_ended = _without_break(case.body)
        arm = Block(case.location, body)
        if any(jump.keyword == "break" for jump in leaving_jumps(arm)):
            return None
        arms.append(_Arm(tuple(values), is_default, arm, is_ended))
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
