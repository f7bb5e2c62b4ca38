"""Private clauses to declarations: a loop's body gets variables of its own in the place of outer ones.

Before: ``for (...) { t = i; }`` with ``private(t)``. After: ``for (...) { int t = i; }`` over another ``t``.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from accache.analysis.uniformity import written_arrays
from accache.base.diagnostics import Reporter
from accache.base.text import Location
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor
from accache.ir.names import user_name
from accache.ir.openacc.regions import LoopSpec, Private
from accache.ir.tree import (
    Assign,
    Binary,
    Block,
    Call,
    Declare,
    Evaluate,
    Expr,
    For,
    IntLiteral,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import Arithmetic, Array, as_const, element_type, is_array, resolve
from accache.ir.walk import assigned_variables, declared_variables, items_of, nodes_of, used_variables
from accache.mapping.data.data_model import assigned_beside_private, is_used_beside_private
from accache.mapping.data.first_values import declaring
from accache.mapping.data.renaming import Successor, renamed

_ZERO = IntLiteral(Arithmetic("int"), Location("", 0), 0, "0")


class Copies(Struct, dict=True):
    """Makes copies of variables, each with a name of its own."""

    reporter: Reporter
    count: int = 0

    def inside(self, items: Sequence[Private], body: Stmt, counters: frozenset[str], step: Expr | None = None) -> Stmt:
        """A loop's body with declarations of its private variables, its counters excepted.

        Reports parts of arrays that begin where a variable says that the loop changes (ACC261).
        """
        own = counters | {item.name for item in items}
        changed = changed_beside_private(body) | (assigned_variables(step) if step is not None else frozenset())
        for item in items:
            if item.lower is not None and (used_variables(item.lower) & changed) - own:
                text = item.subarray.text if item.subarray is not None else item.name
                self.reporter.report(
                    "ACC261", item.location, name=text, reason="the loop changes where its part begins"
                )
        body, copies = self.of([item for item in items if item.name not in counters], body)
        for copy in reversed(copies):
            body = self._declared(copy, body)
        return body

    @staticmethod
    def _declared(copy: Declare, body: Stmt) -> Block:
        if copy.init is None and not is_array(copy.type):
            return declaring(body, copy.name, copy.type)
        return Block(body.location, (copy, *items_of(body)))

    def of(self, items: Sequence[Private], body: Stmt) -> tuple[Stmt, tuple[Declare, ...]]:
        """A statement that uses copies of variables, and the copies' declarations; its own variables need none.

        Where the statement gives what says where a copied part begins another value, or another meaning, a constant
        keeps the place.
        """
        names = used_variables(body) - declared_variables(body)
        others = {item.name for item in items}
        changed = (changed_beside_private(body) - others) | private_of_loops(body)
        successors: dict[str, Successor] = {}
        copies: list[Declare] = []
        for item in items:
            if item.name in names and is_used_beside_private(body, item.name):
                self.count += 1
                name = user_name(item.name)
                lower = item.lower
                if lower is not None and used_variables(lower) & changed:
                    copies.append(Declare(item.location, f"{name}_start#copy{self.count}", as_const(lower.type), lower))
                    lower = Variable(lower.type, item.location, copies[-1].name)
                new = f"{name}#copy{self.count}"
                successors[item.name] = Successor(new, item.type, lower)
                copies.append(Declare(item.location, new, item.type, None))
        return (renamed(body, successors) if successors else body), tuple(copies)


def changed_beside_private(stmt: Stmt) -> frozenset[str]:
    """The variables and arrays that a statement changes, those left out that loops have for themselves."""
    return assigned_beside_private(stmt) | written_arrays(stmt)


def private_of_loops(stmt: Stmt) -> frozenset[str]:
    """The variables that loops in a statement have for themselves, or reduce."""
    loops = (node.loop for node in nodes_of(stmt, For))
    specs: list[LoopSpec] = [spec for spec in loops if spec is not None]
    private = {item.name for spec in specs for item in spec.private}
    return frozenset(private | {item.variable for spec in specs for item in spec.reductions})


def changed_arrays(items: Sequence[Private], body: Stmt) -> list[Private]:
    """The firstprivate arrays of which gangs need copies of their own: those they may change."""
    passed = {name for node in nodes_of(body, Call) for name in used_variables(node)}
    changed = written_arrays(body) | passed
    return [item for item in items if item.is_array and item.name in changed]


def filled(copy: Declare, item: Private, threads: int) -> Stmt:
    """Loops that give a copy of an array its initial values, along x by ``threads`` threads."""
    assert item.subarray is not None
    where = copy.location
    target: Expr = Variable(copy.type, where, copy.name)
    source: Expr = item.subarray.base
    loops: list[CanonicalLoop] = []
    while isinstance(plain := resolve(target.type), Array):
        assert plain.length is not None
        name = f"k#{copy.name}{len(loops)}"
        ctype = plain.length.type if isinstance(plain.length, Variable) else Arithmetic("int")
        counter = Variable(ctype, where, name)
        index: Expr = counter
        if not loops and item.lower is not None and constant(item.lower) != 0:
            index = Binary(ctype, where, "+", item.lower, counter)
        loops.append(CanonicalLoop(name, ctype, _ZERO, "<", limit=plain.length, step=1, location=where))
        target = Subscript(plain.element, where, target, counter)
        source = Subscript(element_type(source.type) or plain.element, where, source, index)
    result: Stmt = Evaluate(where, Assign(target.type, where, "=", target, source))
    for depth, loop in enumerate(reversed(loops)):
        if depth == 0 and threads > 1:
            result = ParallelFor(where, loop, "", "x", threads=threads, covered=False, body=result)
            continue
        counter = Variable(loop.type, where, loop.variable)
        start = Declare(where, loop.variable, loop.type, loop.first)
        condition = Binary(Arithmetic("int"), where, "<", counter, loop.limit)
        result = For(where, (start,), condition, Unary(loop.type, where, "++", counter), result)
    return result


def counters(loop: For) -> frozenset[str]:
    """What a loop counts with."""
    return frozenset(name for item in loop.init for name in assigned_variables(item) | declared_variables(item))
