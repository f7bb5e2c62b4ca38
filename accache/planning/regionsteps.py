"""Cache regions to steps: where the tiles start, fetches, the body, write-backs."""

from __future__ import annotations

from accache.analysis.walk import used_variables
from accache.ir.simt import CacheRegion, Fetch, Tile, WriteBack
from accache.ir.tree import Declare, IntLiteral, Stmt
from accache.planning.barriers import Step
from accache.planning.indices import BOOL
from accache.planning.state import Context, State
from accache.planning.tilecode import start_steps


def before_body(region: CacheRegion, context: Context, state: State) -> list[Step]:
    """Starts, fetches and flags of a region's tiles."""
    steps: list[Step] = []
    used = used_variables(region.body)
    declared: set[str] = set()
    for tile in region.tiles:
        needed = tile.is_fetched or tile.is_collected or bool(used & set(tile.starts))
        if needed and not declared >= set(tile.starts):
            steps += start_steps(tile, state.scope, context.guards, state.axes, state.shared)
            declared |= set(tile.starts)
    steps += [
        _transfer(Fetch(region.location, (tile,)), tile, context, state) for tile in region.tiles if tile.is_prepared
    ]
    return steps + [_flag(region, tile, state) for tile in region.tiles if tile.tracking == "flag"]


def behind_body(region: CacheRegion, context: Context, state: State) -> list[Step]:
    """Write-backs of a region's tiles."""
    return [
        _transfer(WriteBack(region.location, (tile,)), tile, context, state)
        for tile in region.tiles
        if tile.policy == "back"
    ]


def _flag(region: CacheRegion, tile: Tile, state: State) -> Step:
    """A thread's note whether it wrote its element; not yet."""
    name = state.names.of(f"{tile.name}@dirty")
    false = IntLiteral(BOOL, region.location, 0, "false")
    return Step(region.location, stmt=Declare(region.location, name, BOOL, false), movable=True)


def _transfer(stmt: Stmt, tile: Tile, context: Context, state: State) -> Step:
    """A fetch or write-back: all threads together for a block's tile, each its own otherwise."""
    together = tile.scope == "block" and not (isinstance(stmt, WriteBack) and tile.tracking in ("owner", "flag"))
    touched = state.touched(stmt)
    if together:
        return Step(stmt.location, touched, "", stmt)
    return Step(stmt.location, touched, context.owner, stmt, guarded=True, guards=context.guards)
