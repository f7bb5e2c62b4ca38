"""Steps back to statements: each thread's own work goes under one condition wherever it stands together.

Before: ``int s = 0; FETCH; s += t[k]`` as three steps. After: the declaration moved out of the
condition, the fetch between two conditions.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from accache.ir.build import both, number
from accache.ir.kernels.simt import BlockReduce, Fetch, ParallelFor, WriteBack
from accache.ir.tree import (
    Binary,
    Block,
    Cast,
    Conditional,
    Declare,
    Expr,
    FloatLiteral,
    If,
    ImaginaryLiteral,
    InitList,
    IntLiteral,
    Stmt,
    Unary,
    Variable,
)
from accache.ir.types import Arithmetic, Array, assignable, resolve
from accache.ir.walk import assigned_variables, declared_variables, nodes_of, rewrite, used_variables, walk
from accache.lowering.barriers import Step
from accache.mapping.data.elements import assigned, each_element


def assemble(steps: Sequence[Step]) -> list[Stmt]:
    """The statements of a list of steps; neighbours with the same guards stand under one condition."""
    statements = [(step, step.build(step.inner) if step.build is not None else step.stmt) for step in steps]
    result: list[Stmt] = []
    group: list[Stmt] = []
    guards: tuple[Expr, ...] = ()
    partial = frozenset(step.stmt.name for step in steps if step.is_partial and isinstance(step.stmt, Declare))
    for position, (step, stmt) in enumerate(statements):
        if stmt is None:
            continue
        if group and step.guards != guards:
            later = [other for _, other in statements[position:] if other is not None]
            result += _guarded(group, guards, later, partial)
            group = []
        guards = step.guards
        if guards:
            group.append(stmt)
        else:
            result += _parts(stmt)
    return result + _guarded(group, guards, [], partial)


def _parts(stmt: Stmt) -> tuple[Stmt, ...]:
    """The statements of a block that declares nothing of its own; another statement is one."""
    is_open = isinstance(stmt, Block) and not any(isinstance(item, Declare) for item in stmt.items)
    return stmt.items if isinstance(stmt, Block) and is_open else (stmt,)


def _guarded(group: list[Stmt], guards: Sequence[Expr], later: list[Stmt], partial: frozenset[str]) -> list[Stmt]:
    """A run of own work under its guards; what later statements use is declared outside.

    What all threads combine later has a value also where the guards do not hold; ``partial`` variables have none there.
    """
    if not group:
        return []
    nodes = (node for stmt in later for node in walk(stmt))
    combined = {node.reduction.variable for node in nodes if isinstance(node, BlockReduce)}
    needed = frozenset(name for stmt in later for name in _names_used(stmt))
    outside: list[Stmt] = []
    inside: list[Stmt] = []
    changed: set[str] = set()
    for stmt in group:
        if isinstance(stmt, Declare) and stmt.name in needed:
            known = stmt.init is not None and stmt.name not in partial and _is_harmless(stmt.init)
            if stmt.init is None or (known and not used_variables(stmt.init) & changed):
                outside.append(stmt)
                continue
            is_combined = stmt.name in combined and isinstance(resolve(stmt.type), Arithmetic)
            start = number(0, stmt.location) if is_combined else None
            outside.append(replace(stmt, type=assignable(stmt.type), init=start))
            inside += _given(stmt, stmt.init)
            changed |= {stmt.name, *assigned_variables(stmt)}
        else:
            inside.append(stmt)
            changed |= assigned_variables(stmt) | declared_variables(stmt)
    if not inside:
        return outside
    if len(inside) == 1 and isinstance(inside[0], Block):
        inside = list(inside[0].items)
    if not inside:
        return outside
    where = inside[0].location
    if len(inside) == 1 and isinstance(inside[0], If) and inside[0].otherwise is None:
        only = inside[0]
        return [*outside, replace(only, condition=both([*guards, only.condition]))]
    return [*outside, If(where, both(list(guards)), Block(where, tuple(inside)))]


def _given(stmt: Declare, value: Expr) -> tuple[Stmt, ...]:
    """The statements that give a variable declared before its initial value; an array gets copies of another's."""
    target = Variable(stmt.type, stmt.location, stmt.name)
    if not isinstance(resolve(stmt.type), Array):
        return (assigned(target, value),)
    source = replace(target, name=f"{stmt.name}#values")

    def copied(element: Expr) -> Stmt:
        return assigned(element, rewrite(element, lambda node: source if node is target else node))

    return (Declare(stmt.location, source.name, stmt.type, value), each_element(target, copied))


def _names_used(stmt: Stmt) -> frozenset[str]:
    """The variables that a statement uses, where tiles start among them."""
    copies = (node for node in walk(stmt) if isinstance(node, (Fetch, WriteBack)))
    return used_variables(stmt).union(start for copy in copies for tile in copy.tiles for start in tile.range.starts)


def partial_variables(body: Stmt) -> frozenset[str]:
    """The variables of loops over threads that have no value in threads without an iteration.

    These compute what is harmless, of variables that have a value there.
    """
    loops = (loop for loop in nodes_of(body, ParallelFor) if loop.block)
    found = set[str]()
    for stmt in (node for loop in loops for node in nodes_of(loop.body, Declare)):
        if stmt.init is None or not _is_harmless(stmt.init) or used_variables(stmt.init) & found:
            found.add(stmt.name)
    return frozenset(found)


def _is_harmless(init: Expr) -> bool:
    """Whether an initialiser may be computed by threads without an iteration: no memory, calls or divisions."""
    allowed = (InitList, Variable, IntLiteral, FloatLiteral, ImaginaryLiteral, Cast, Conditional, Unary, Binary)
    for node in walk(init):
        if not isinstance(node, allowed) or (isinstance(node, Binary) and node.op in ("/", "%")):
            return False
        if isinstance(node, Unary) and node.op not in ("-", "+", "!", "~"):
            return False
        if isinstance(node, Variable) and isinstance(resolve(node.type), Array):
            return False
    return True
