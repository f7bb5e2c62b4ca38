"""Arrays of constants that a compute construct reads: kernels declare these themselves, and need none of the host's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set

from msgspec.structs import replace

from accache.base.text import Location
from accache.frontend.c.scope import Symbol
from accache.ir.nodes import nodes_below
from accache.ir.openacc.regions import Region
from accache.ir.tree import Block, Cache, Declare, Expr, For, InitList, Stmt, Subscript, Unary, Variable
from accache.ir.types import is_array
from accache.ir.walk import children


def with_tables(region: Region, symbols: Mapping[str, Symbol]) -> Region:
    """A construct with the constant arrays that it only reads elements of as tables, no longer as variables.

    Data clauses for them go, since nobody can see whether there is a copy. Where the host may run the construct, or a
    directive or the head of a loop asks for an element, which the host then computes with, they stay variables.
    """
    known = {item.name: symbols[item.name].table for item in region.variables if item.name in symbols}
    candidates = {name: table for name, table in known.items() if table is not None}
    if not candidates or region.execution.condition is not None:
        return region
    names = _only_read(region.body, candidates.keys() - _named_outside(region))
    tables = tuple(_declaration(name, candidates[name], region.location) for name in names)
    return replace(
        region,
        variables=tuple(item for item in region.variables if item.name not in names),
        data=tuple(clause for clause in region.data if clause.subarray.variable not in names),
        tables=tables,
    )


def with_own_tables(body: Block, symbols: Mapping[str, Symbol]) -> Block:
    """The body of a routine, which declares the file's arrays of constants of which it only reads elements."""
    used = {node.name for node in nodes_below(body) if isinstance(node, Variable)}
    known = {name: symbols[name].table for name in used & symbols.keys() if symbols[name].is_static}
    candidates = {name: table for name, table in known.items() if table is not None}
    names = _only_read(body, candidates.keys())
    tables = (_declaration(name, candidates[name], body.location) for name in names)
    return replace(body, items=(*tables, *body.items))


def _declaration(name: str, table: InitList, where: Location) -> Declare:
    return Declare(where, name, table.type, table, static=True)


def _only_read(body: Stmt, names: Set[str]) -> list[str]:
    """The arrays among some of which nothing but elements is read, in order; cache directives may name them, too."""
    if not names:
        return []
    uses = Counter(node.name for node in nodes_below(body) if isinstance(node, Variable))
    reads = Counter(_reads(body))
    return sorted(name for name in names if uses[name] == reads[name])


def _named_outside(region: Region) -> frozenset[str]:
    """What the directive of a construct names, but for the arrays of its data clauses."""
    bounds = [clause.subarray.dimensions for clause in region.data]
    parts = [region.sizes, region.private, region.firstprivate, region.reductions, region.attached, bounds]
    named = {item.name for item in (*region.private, *region.firstprivate)}
    named |= {item.variable for item in region.reductions}
    return frozenset(named | {node.name for node in nodes_below(parts) if isinstance(node, Variable)})


def _reads(node: Expr | Stmt) -> Iterator[str]:
    """The arrays of elements that are read, and of cache directives; not in heads of loops, nor where addresses are."""
    if isinstance(node, Subscript) and not is_array(node.type):
        array, indices = _root(node)
        yield array
        for index in indices:
            yield from _reads(index)
        return
    if isinstance(node, Cache):
        yield from (item.variable for item in node.subarrays)
    inner = children(node)
    if isinstance(node, For):
        inner = (node.body,)
    elif isinstance(node, Unary) and node.op == "&":
        inner = children(node.operand)
    for child in inner:
        yield from _reads(child)


def _root(element: Subscript) -> tuple[str, list[Expr]]:
    """The variable whose element is named, '' if it is none, and the indices."""
    base: Expr = element
    indices: list[Expr] = []
    while isinstance(base, Subscript):
        indices.append(base.index)
        base = base.base
    return (base.name, indices) if isinstance(base, Variable) else ("", [*indices, base])
