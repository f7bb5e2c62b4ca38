"""Tiles of one region that lie alike share what can be shared (paper 004, sections 3.4 and 4.4).

Before: ``cache(x[t:256])`` around ``cache(y[t:256])``, each with a variable for its first index.
After: one region whose tiles start at one variable; their fetches can then share one loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.simt import CacheRegion, Formula
from accache.ir.kernels.tiles import Tile, TileAccess
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Block, Expr, Stmt
from accache.ir.types import shape
from accache.ir.walk import nodes_of, rewrite, walk

NAMES = {1: ("tile_start",), 2: ("tile_row", "tile_column")}


def start_together(body: Stmt, fresh: Callable[[str], str]) -> tuple[Stmt, dict[str, Tile]]:
    """A kernel's body whose tiles share start variables, and the tiles that changed, by name."""
    body = rewrite(body, _flattened, CacheRegion)
    starts: dict[str, str] = {}
    for node in walk(body):
        if isinstance(node, CacheRegion):
            for group in _alike(node.tiles):
                names = NAMES.get(len(group[0].range.starts)) or tuple(
                    f"tile_start{number}" for number, _ in enumerate(group[0].range.starts)
                )
                common = tuple(map(fresh, names))
                starts |= {old: new for tile in group for old, new in zip(tile.range.starts, common, strict=True)}
    tiles = [tile for node in nodes_of(body, CacheRegion) for tile in node.tiles]
    renamed = {tile.name: _renamed(tile, starts) for tile in tiles if starts.keys() & set(tile.range.starts)}
    return (rewrite(body, with_tiles(renamed, starts)) if starts else body), renamed


def _flattened(node: Expr | Stmt) -> Expr | Stmt:
    """A region that holds nothing but another one takes that one's tiles."""
    if not isinstance(node, CacheRegion):
        return node
    inner = node.body
    while isinstance(inner, Block) and len(inner.items) == 1:
        inner = inner.items[0]
    return CacheRegion(node.location, node.tiles + inner.tiles, inner.body) if isinstance(inner, CacheRegion) else node


def _alike(tiles: tuple[Tile, ...]) -> list[list[Tile]]:
    """The tiles that are copied and start where others do, in groups of two or more."""
    groups: dict[object, list[Tile]] = {}
    for tile in tiles:
        if tile.range.dimensions and (tile.is_fetched or tile.is_collected):
            places = tuple((dimension.lower, dimension.start, dimension.axis) for dimension in tile.range.dimensions)
            groups.setdefault((tile.scope, tile.range.wide, places), []).append(tile)
    return [group for group in groups.values() if len(group) > 1]


def _renamed(tile: Tile, starts: dict[str, str]) -> Tile:
    """A tile with other names for its starts."""
    held = replace(tile.range, starts=tuple(starts.get(start, start) for start in tile.range.starts))
    plain = replace(tile, storage=held, owned=None)
    if tile.owned is None:
        return plain
    owned = rewrite(tile.owned, with_tiles({tile.name: plain}, starts))
    assert isinstance(owned, TileAccess)
    return replace(plain, owned=owned)


def with_tiles(tiles: Mapping[str, Tile], starts: Mapping[str, str]) -> Callable[[Expr | Stmt], Expr | Stmt]:
    """Replaces tiles by others of the same names, and the names of their starts."""
    symbols = {old: Polynomial.symbol(new) for old, new in starts.items()}

    def change(part: Expr | Stmt) -> Expr | Stmt:
        if isinstance(part, Formula) and part.polynomial.names & symbols.keys():
            return replace(part, polynomial=part.polynomial.substitute(symbols))
        if isinstance(part, TileAccess):
            return replace(part, tile=tiles.get(part.tile.name, part.tile))
        if isinstance(part, CacheRegion):
            return replace(part, tiles=tuple(tiles.get(tile.name, tile) for tile in part.tiles))
        return part

    return change


def copied_alike(first: Tile, second: Tile) -> bool:
    """Whether one loop can fetch, or write back, two tiles: the same cells of both are in use."""
    return bool(first.range.dimensions) and _cells(first) == _cells(second) is not None


def _cells(tile: Tile) -> object:
    """What decides which cells of a tile are in use, and how its rows lie in memory; None if that is not known."""
    dimensions = []
    for dimension in tile.range.dimensions:
        sigma = abs(dimension.rate * dimension.step)
        variable = dimension.variable if sigma else ""
        dimensions.append((dimension.length, dimension.extent, variable, sigma, dimension.limit))
    pitches: tuple[Polynomial | None, ...] = tile.range.pitches
    if not pitches:
        _, _, lengths = shape(tile.array_type)
        pitches = tuple(index_polynomial(length) if length is not None else None for length in lengths)
    if None in pitches:
        return None
    return tile.scope, tile.threads, tile.range.wide, tuple(dimensions), pitches
