"""Collapsed loops made ready for a grid of three axes (OpenACC 3.3, section 2.9.1).

Before: ``collapse(4)`` over i, j, k, l. After: one loop over the pairs (i, j), and k, l::

    for (long long i_j = 0; i_j < ni * nj; i_j++)
        for (k ...) for (l ...) {
            int i = i_j / nj;
            int j = i_j % nj;
        }

Where the innermost loop is a constant number of iterations too short for a warp, it is joined with those around it.

With ``force``, the statements between the loops move into the innermost one. They may, if it does not matter how often
they run there: never, if it has no iterations.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce

from msgspec.structs import replace

from accache.analysis.calls import has_effect
from accache.analysis.canonical import canonical_loop, constant_trips, trip_count
from accache.analysis.uniformity import written_arrays
from accache.base.architectures import WARP
from accache.base.text import Location
from accache.ir.build import INT, WIDE
from accache.ir.constants import constant
from accache.ir.kernels.simt import AXES, CanonicalLoop
from accache.ir.names import user_name
from accache.ir.openacc.regions import LoopSpec
from accache.ir.tree import (
    Assign,
    Binary,
    Block,
    Cast,
    Conditional,
    Declare,
    Evaluate,
    Expr,
    For,
    IntLiteral,
    Stmt,
    Unary,
    Variable,
)
from accache.ir.walk import assigned_variables, items_of, used_variables


def prepared(loop: For, spec: LoopSpec) -> tuple[For, LoopSpec]:
    """The loop and its directive as the mapping can take them; unchanged where the loops are not nested so."""
    if spec.forced:
        loop = sunk(loop, spec.collapse)
    if spec.collapse <= len(AXES):
        return loop, spec
    chain = _nest(loop, spec.collapse)
    if chain is None:
        return loop, spec
    first = _first_joined(chain)
    group = slice(first, first + len(chain) - len(AXES) + 1)
    joined, indices = _joined(chain[group])
    body: Stmt = Block(loop.location, (*indices, *items_of(chain[-1][1].body)))
    for each in reversed((*_loops(chain[:first]), joined, *_loops(chain[group.stop :]))):
        loop = replace(each, body=body)
        body = loop
    return loop, replace(spec, collapse=len(AXES), tile=())


def _loops(chain: list[tuple[CanonicalLoop, For]]) -> list[For]:
    return [loop for _, loop in chain]


def _first_joined(chain: list[tuple[CanonicalLoop, For]]) -> int:
    """The first of the loops that become one: the outermost, unless the innermost is too short for a warp."""
    return len(AXES) - 1 if 0 < constant_trips(chain[-1][0]) < WARP else 0


def only_statement(stmt: Stmt) -> Stmt:
    """What a block of one statement holds."""
    while isinstance(stmt, Block) and len(stmt.items) == 1:
        stmt = stmt.items[0]
    return stmt


def sunk(loop: For, count: int) -> For:
    """The nest with what stands between its loops moved into the innermost one."""
    if count == 1:
        return loop
    items = items_of(loop.body)
    inner = [item for item in items if isinstance(item, For)]
    if len(inner) != 1:
        return loop
    place = items.index(inner[0])
    body = Block(loop.location, (*items[:place], *items_of(inner[0].body), *items[place + 1 :]))
    return replace(loop, body=sunk(replace(inner[0], body=body), count - 1))


def effect_between(loop: For, count: int, shared: frozenset[str]) -> Stmt | None:
    """The first statement between some loops that does more than to compute values from what the nest does not change.

    ``shared`` are the scalars that gangs have in common.
    """
    written = written_arrays(loop)
    loops = _loops_inside(loop, count)
    heads = frozenset[str]().union(*(used_variables(replace(item, body=Block(item.location, ()))) for item in loops))
    changed = assigned_variables(loops[-1].body) if loops else frozenset[str]()
    pairs = list(zip((loop, *loops), loops, strict=False))
    between = [item for around, inner in pairs for item in items_of(around.body) if item is not inner]
    given = Counter(name for name, value in map(_given, between) if value is not None)
    for item in between:
        name, value = _given(item)
        is_kept = name in heads or (value is not None and (name in changed or given[name] > 1))
        if is_kept or not _is_value(item, shared, written):
            return item
    return None


def _loops_inside(loop: For, count: int) -> list[For]:
    """The loops of a nest of so many below the outermost, until there is none, or more than one, in another."""
    found: list[For] = []
    while len(found) < count - 1:
        inner = [item for item in items_of(loop.body) if isinstance(item, For)]
        if len(inner) != 1:
            break
        loop = inner[0]
        found.append(loop)
    return found


def _is_value(stmt: Stmt, shared: frozenset[str], written: frozenset[str]) -> bool:
    """Whether a statement gives a variable a value that is the same however often it runs."""
    name, value = _given(stmt)
    if value is None:
        return bool(name)
    return not has_effect(value) and name not in shared and not used_variables(value) & (written | {name})


def _given(stmt: Stmt) -> tuple[str, Expr | None]:
    """The variable that a declaration or assignment gives a value, and this; no name for other statements."""
    if isinstance(stmt, Declare):
        return stmt.name, stmt.init
    found = stmt.expr if isinstance(stmt, Evaluate) else None
    if isinstance(found, Assign) and found.op == "=" and isinstance(found.target, Variable):
        return found.target.name, found.value
    return "", None


def _nest(loop: For, count: int) -> list[tuple[CanonicalLoop, For]] | None:
    """The outermost ``count`` loops of a perfect nest with bounds of its own; None if there is none."""
    chain: list[tuple[CanonicalLoop, For]] = []
    outer: set[str] = set()
    current: Stmt = loop
    while len(chain) < count:
        canonical = canonical_loop(current) if isinstance(current, For) else ""
        if not isinstance(current, For) or isinstance(canonical, str):
            return None
        if outer & (used_variables(canonical.first) | used_variables(canonical.limit)):
            return None
        chain.append((canonical, current))
        outer.add(canonical.variable)
        current = only_statement(current.body)
    return chain


def _joined(chain: list[tuple[CanonicalLoop, For]]) -> tuple[For, list[Stmt]]:
    """One loop over all combinations of the loops' iterations, yet without a body, and each loop's own index."""
    where = chain[0][1].location
    spelling = "_".join(user_name(canonical.variable) for canonical, _ in chain)
    counter = Variable(WIDE, where, f"{spelling}#joined{where.line}")
    counts = [iterations(canonical) for canonical, _ in chain]
    declares: list[Stmt] = []
    for depth, (canonical, _) in enumerate(chain):
        number: Expr = counter
        for count in counts[depth + 1 :]:
            number = Binary(WIDE, where, "/", number, count)
        if depth:
            number = Binary(WIDE, where, "%", number, counts[depth])
        declares.append(Declare(where, canonical.variable, canonical.type, _index(canonical, number)))
    total = reduce(_product, map(_not_negative, counts))
    start = Declare(where, counter.name, WIDE, _literal(0, where))
    condition = Binary(INT, where, "<", counter, total)
    return For(where, (start,), condition, Unary(WIDE, where, "++", counter), Block(where, ())), declares


def iterations(canonical: CanonicalLoop) -> Expr:
    """A loop's trip count in 64 bits; not positive if there are no iterations."""
    where = canonical.location
    first, limit = constant(canonical.first), constant(canonical.limit)
    if first is not None and limit is not None and not canonical.may_not_start:
        end = limit + (canonical.step // abs(canonical.step)) * ("=" in canonical.operator[1:])
        return _literal(len(range(first, end, canonical.step)), where)
    if first == 0 and canonical.step == 1 and canonical.operator == "<":
        return Cast(WIDE, where, canonical.limit)
    return trip_count(canonical, canonical.first)


def _product(left: Expr, right: Expr) -> Expr:
    if isinstance(left, IntLiteral) and isinstance(right, IntLiteral):
        return _literal(left.value * right.value, left.location)
    return Binary(WIDE, left.location, "*", left, right)


def _literal(value: int, where: Location) -> IntLiteral:
    return IntLiteral(INT, where, value, str(value))


def _not_negative(count: Expr) -> Expr:
    """A trip count, or 0: two empty loops together must stay empty."""
    if isinstance(count, IntLiteral):
        return count
    zero = _literal(0, count.location)
    return Conditional(WIDE, count.location, Binary(INT, count.location, ">", count, zero), count, zero)


def _index(canonical: CanonicalLoop, number: Expr) -> Expr:
    """The loop's variable in its iteration ``number``."""
    where = canonical.location
    offset = number
    if abs(canonical.step) != 1:
        step = abs(canonical.step)
        offset = Binary(WIDE, where, "*", number, _literal(step, where))
    if constant(canonical.first) == 0 and canonical.step > 0:
        return Cast(canonical.type, where, offset)
    moved = Binary(WIDE, where, "+" if canonical.step > 0 else "-", canonical.first, offset)
    return Cast(canonical.type, where, moved)
