"""References of a cached array to positions in its tile (paper 004, section 4.4: index mapping)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from accache.analysis.calls import has_effect
from accache.analysis.delinearise import delinearise
from accache.analysis.loop_context import Definitions
from accache.caching.requests import Request
from accache.ir.arrays import inner_lengths
from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import formula
from accache.ir.kernels.simt import Formula
from accache.ir.kernels.tiles import Tile, TileAccess, TileDimension
from accache.ir.names import FIRST
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Block, Declare, Expr, Member, Stmt, Subscript, Variable
from accache.ir.types import Array, element_type, resolve
from accache.ir.walk import children, nodes_of, rewrite


def owned_access(request: Request, tile: Tile) -> TileAccess:
    """The element each thread writes, in terms that hold outside of the region too."""
    use, index = next(pair for pair in request.references.pairs if pair[0].is_written)
    where = use.expr.location
    parts = [part for part in index if part is not None]
    if tile.range.pitches:
        flat = parts[-1]
        for part, pitch in zip(parts, tile.range.pitches, strict=False):
            flat = flat + part * pitch
        subscripts: list[Polynomial] = [flat]
    else:
        subscripts = parts
    original: Expr = use.expr
    while isinstance(original, Subscript):
        original = original.base
    for subscript in subscripts:
        element = element_type(original.type) or tile.element
        original = Subscript(element, where, original, formula(subscript, where, use.subscripts[0].type))
    positions = tuple(
        _position(part, use.expr, dimension, first)
        for part, dimension, first in zip(parts, tile.range.dimensions, _first_indices(tile), strict=True)
    )
    return TileAccess(use.expr.type, where, tile, positions, original)


def serve(body: Stmt, tile: Tile, only: frozenset[Expr], definitions: Definitions) -> Stmt:
    """Replace every reference of a tile's array by a TileAccess, or ``only`` some if there are any."""
    rank = len(inner_lengths(tile.array_type)) + 1

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if tile.lines is not None and isinstance(node, Member):
            return _member(node, tile)
        if not isinstance(node, Subscript) or (only and node not in only):
            return node
        subscripts: list[Expr] = []
        base: Expr = node
        while isinstance(base, Subscript):
            subscripts.insert(0, base.index)
            base = base.base
        if not isinstance(base, Variable) or base.name != tile.array or len(subscripts) != rank:
            return node
        return TileAccess(node.type, node.location, tile, _positions(subscripts, tile, definitions), node)

    return _without_dead(body, rewrite(body, change))


def _member(node: Member, tile: Tile) -> Expr:
    """A member of an element: lines serve it by its own address, where it has one."""
    base = node.base
    is_served = isinstance(base, TileAccess) and base.tile.name == tile.name and not node.arrow
    if not is_served or node.bits is not None or isinstance(resolve(node.type), Array):
        return node
    assert isinstance(base, TileAccess)
    return TileAccess(node.type, node.location, tile, base.positions, replace(node, base=base.original))


def _without_dead(before: Stmt, after: Stmt) -> Stmt:
    """The statement without temporaries of indices that only replaced references used."""
    while True:
        dead = printed_names(before) - printed_names(after)
        declared = {node.name: node.init for node in nodes_of(after, Declare)}
        dead &= {name for name, init in declared.items() if init is not None and not has_effect(init)}
        if not dead:
            return after
        removed = frozenset(dead)

        def change(node: Expr | Stmt, removed: frozenset[str] = removed) -> Expr | Stmt:
            if not isinstance(node, Block):
                return node
            kept = (item for item in node.items if not (isinstance(item, Declare) and item.name in removed))
            return replace(node, items=tuple(kept))

        before, after = after, rewrite(after, change)


def printed_names(stmt: Stmt) -> frozenset[str]:
    """The variables that a statement's text names: where a tile serves a reference, those of its position."""
    names: set[str] = set()
    pending: list[Expr | Stmt] = [stmt]
    while pending:
        node = pending.pop()
        if isinstance(node, Variable):
            names.add(node.name)
        elif isinstance(node, Formula):
            names |= node.polynomial.names
        if isinstance(node, TileAccess) and node.tile.is_direct:
            pending += node.positions
        else:
            pending += children(node)
    return frozenset(names)


def _positions(subscripts: list[Expr], tile: Tile, definitions: Definitions) -> tuple[Expr, ...]:
    """Where a reference lies in each dimension of the tile (section 4.4: index mapping)."""
    if not tile.range.dimensions:
        return tuple(subscripts)
    if not tile.range.pitches:
        indices = [index_polynomial(subscript, definitions) for subscript in subscripts]
    else:
        flat = index_polynomial(subscripts[0], definitions)
        split = delinearise(flat, tile.range.pitches) if flat is not None else None
        assert split is not None
        indices = list(split)
        subscripts = [subscripts[0]] * len(indices)
    return tuple(
        _position(index, subscript, dimension, first)
        for index, subscript, dimension, first in zip(
            indices, subscripts, tile.range.dimensions, _first_indices(tile), strict=True
        )
    )


def _first_indices(tile: Tile) -> Iterator[Polynomial]:
    """The first index in each dimension of a tile."""
    for depth, start in enumerate(tile.range.starts):
        value = tile.first_index(depth)
        yield Polynomial.symbol(start) if value is None else Polynomial.constant(value)


def _position(index: Polynomial | None, subscript: Expr, dimension: TileDimension, first: Polynomial) -> Expr:
    """An array index less the tile's first one; in terms of the thread's position where the first one cancels out."""
    if index is None:
        if not first.terms:
            return subscript
        return Binary(
            subscript.type, subscript.location, "-", subscript, Formula(subscript.type, subscript.location, first)
        )
    relative = index - dimension.start
    if dimension.variable:
        thread = Polynomial.symbol(f"@thread.{dimension.axis}")
        of_block = Polynomial.symbol(FIRST.format(dimension.variable))
        relative = relative.substitute({dimension.variable: of_block + dimension.step * thread})
    if any(name.endswith(("@first", "@width")) for name in relative.names) or relative.total_degree > 1:
        relative = index - first
    if _is_large(relative, first):
        return formula(relative, subscript.location, subscript.type)
    return Formula(subscript.type, subscript.location, relative)


def _is_large(position: Polynomial, first: Polynomial) -> bool:
    """Whether a part of a position may be large, though the position lies in a tile."""
    parts = ((names, factor) for names, factor in position.terms if not all(map(_is_thread, names)))
    return any(first.names & set(names) or len(names) > 1 or abs(factor) > 1 for names, factor in parts)


def _is_thread(name: str) -> bool:
    return name.startswith("@thread.")
