"""What a kernel takes for granted of unsigned sums, so that the launch tests it, and the kernel without that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from accache.analysis.loop_context import subscripts_of
from accache.analysis.sums import Sums, assumed_sums, without_assumptions
from accache.ir.kernels.simt import ParallelFor
from accache.ir.kernels.tiles import Tile
from accache.ir.openacc.regions import DataClause, Dimension, LoopSpec, Region, Subarray
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Cache, Expr, For, Stmt, Subscript, Variable
from accache.ir.types import is_integer
from accache.ir.walk import (
    Node,
    assigned_variables,
    declared_variables,
    nodes_of,
    single_definitions,
    used_variables,
    walk,
)
from accache.mapping.mapped import MappedKernel


def with_exact_sums(region: Region, is_launched: bool = True) -> Region:
    """A region whose unsigned sums are marked that do not wrap, in its body and in the clauses around it.

    Of what a routine gets, which is not launched, only its callers know the values.
    """
    own = {item.name for item in (*region.private, *region.firstprivate)}
    own |= {item.variable for item in region.reductions} | assigned_variables(region.body)
    scalars = frozenset(item.name for item in region.variables if is_integer(item.type) and item.name not in own)
    known = scalars - declared_variables(region.body) if is_launched else frozenset[str]()
    sums = Sums(single_definitions(region.body), known)
    body = sums.marked(region.body)
    assert isinstance(body, Stmt)
    around = {"data": region.data, "enclosing_data": region.enclosing_data}
    return replace(region, body=body, **{name: tuple(_marked(item, sums) for item in around[name]) for name in around})


def _marked(clause: DataClause, sums: Sums) -> DataClause:
    """A clause with the sums in its bounds marked."""

    def bound(expr: Expr | None) -> Expr | None:
        new = sums.marked(expr) if expr is not None else None
        assert new is None or isinstance(new, Expr)
        return new

    parts = (Dimension(bound(part.lower), bound(part.length), part.is_element) for part in clause.subarray.dimensions)
    return replace(clause, subarray=replace(clause.subarray, dimensions=tuple(parts)))


def loop_specs(piece: Stmt, region: Region) -> tuple[LoopSpec, ...]:
    """The directives of a kernel's loops; in a kernels region each loop has one."""
    loops = nodes_of(piece, For)
    plain = LoopSpec(piece.location, auto=True)
    return tuple(loop.loop or plain for loop in loops if loop.loop is not None or region.kind == "kernels")


def spread(kernel: MappedKernel) -> tuple[tuple[object, ...], ...]:
    """Which loops of a kernel are spread over which axes."""
    loops = nodes_of(kernel.body, ParallelFor)
    return tuple((loop.location, loop.loop.variable, loop.grid, loop.block, loop.threads) for loop in loops)


def reduced_by(kernel: MappedKernel) -> frozenset[str]:
    """The variables that a kernel reduces."""
    loops = nodes_of(kernel.body, ParallelFor)
    found = [item for loop in loops for item in loop.reductions]
    return frozenset(item.variable for item in (*found, *kernel.results, *kernel.region.reductions))


def without_assumed_sums(kernel: MappedKernel) -> MappedKernel:
    """A kernel that takes no unsigned sum for exact that might wrap."""
    body = without_assumptions(kernel.body)
    assert isinstance(body, Stmt)
    return kernel if body is kernel.body else replace(kernel, body=body)


def tested_sums(kernel: MappedKernel, tiles: tuple[Tile, ...]) -> tuple[Polynomial, ...]:
    """The greatest values that sums have where the tiles lie, in their arrays' references, and in loops.

    Of a kernel whose loops might depend on each other, all sums count.
    """
    definitions = single_definitions(kernel.body)
    nodes: list[Node] = [kernel.body] if kernel.variants.sequential is not None else list(_deciding(kernel, tiles))
    seen: set[str] = set()
    for node in nodes:  # grows by what the names in it stand for
        for name in sorted(used_variables(node) & definitions.keys() - seen):
            seen.add(name)
            nodes.append(definitions[name])
    return assumed_sums(nodes)


def _deciding(kernel: MappedKernel, tiles: tuple[Tile, ...]) -> Iterator[Node]:
    """The bounds of tiles, of loops, and of what is on the device, and the subscripts of the arrays' references."""
    arrays = {tile.array for tile in tiles}
    inside = {tile.array for tile in tiles if not tile.is_bounded}
    clauses = (*kernel.region.data, *kernel.region.enclosing_data)
    yield from _bounds(item.subarray for item in clauses if item.subarray.variable in inside)
    for node in walk(kernel.body):
        if isinstance(node, Cache):
            yield from _bounds(item for item in node.subarrays if item.variable in arrays)
        elif isinstance(node, ParallelFor):
            yield from (node.loop.first, node.loop.limit)
        elif isinstance(node, For):
            yield from (part for part in (*node.init, node.condition) if part is not None)
        elif isinstance(node, Subscript):
            base, subscripts = subscripts_of(node)
            if isinstance(base, Variable) and base.name in arrays:
                yield from subscripts


def _bounds(subarrays: Iterable[Subarray]) -> Iterator[Expr]:
    parts = (part for subarray in subarrays for part in subarray.dimensions)
    return (bound for part in parts for bound in (part.lower, part.length) if bound is not None)
