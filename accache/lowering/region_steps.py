"""Cache regions to steps: where the tiles start, fetches, the body, write-backs."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.calls import has_effect
from accache.analysis.uniformity import leaving_jumps
from accache.base.properties import cached_property
from accache.ir.build import BOOL
from accache.ir.kernels.simt import CacheRegion, Fetch, Round, WriteBack
from accache.ir.kernels.tiles import Tile, TileAccess
from accache.ir.tree import Block, Declare, Expr, For, IntLiteral, Stmt, While
from accache.ir.walk import items_of, nodes_of, rewrite, used_variables, walk
from accache.lowering.barriers import Step
from accache.lowering.state import Context, State
from accache.lowering.thread_ownership import COPIED, Cells
from accache.lowering.tile_code import start_steps


class Transfers(Struct, frozen=True, dict=True):
    """What stands around the body of one region."""

    region: CacheRegion
    context: Context
    state: State

    def before_body(self) -> list[Step]:
        """Starts, fetches and flags of the tiles."""
        tiles = self.region.tiles
        fetches = [self._fetch(tile) for tile in tiles if tile.is_prepared]
        return self._starts() + fetches + [self._flag(tile) for tile in tiles if tile.tracking == "flag"]

    def behind_body(self) -> list[Step]:
        """Write-backs of the tiles."""
        by_lines = tuple(tile for tile in self.region.tiles if tile.lines is not None)
        flush = [self._alone(WriteBack(self.region.location, by_lines))] if by_lines else []
        others = (tile for tile in self.region.tiles if tile.policy == "back" and tile.lines is None)
        return flush + [self._write_back(tile) for tile in others]

    def body(self) -> Stmt:
        """The body of the region, each round of a loop told to the lines that serve it."""
        by_lines = next((tile for tile in self.region.tiles if tile.lines is not None), None)
        return _with_rounds(self.region.body, by_lines) if by_lines is not None else self.region.body

    @cached_property
    def cells(self) -> Cells:
        """The cells that each thread touches in the body."""
        return self.state.cells(self.region.body, self.context)

    def _starts(self) -> list[Step]:
        """The tiles' first indices, those that several share once."""
        steps: list[Step] = []
        used = used_variables(self.region.body)
        declared: set[str] = set()
        for tile in self.region.tiles:
            needed = tile.is_fetched or tile.is_collected or bool(used & set(tile.range.starts))
            if needed and not declared >= set(tile.range.starts):
                state = self.state
                steps += start_steps(tile, state.scope, self.context.guards, state.axes, shared=state.shared)
                declared |= set(tile.range.starts)
        return steps

    def _flag(self, tile: Tile) -> Step:
        """A thread's note whether it wrote its element; not yet."""
        where = self.region.location
        name = self.state.names.of(f"{tile.name}@dirty")
        return Step(where, stmt=Declare(where, name, BOOL, IntLiteral(BOOL, where, 0, "false")), movable=True)

    def _fetch(self, tile: Tile) -> Step:
        stmt = Fetch(self.region.location, (tile,), self._is_own(tile))
        return self._together(stmt, tile) if tile.scope == "block" else self._alone(stmt)

    def _write_back(self, tile: Tile) -> Step:
        stmt = WriteBack(self.region.location, (tile,))
        if tile.scope == "block" and tile.is_collected:
            return self._together(stmt, tile)
        if tile.owned is None:
            return self._alone(stmt)
        leaders = tuple(self.state.leaders(self.context))
        return self._alone(stmt, self.state.cells(tile.owned, self.context), leaders)

    def _together(self, stmt: Fetch | WriteBack, tile: Tile) -> Step:
        """A copy by all threads; it is each thread's own work if none uses cells that another one copies."""
        owner = self.context.owner if self._is_own(tile) else ""
        return Step(stmt.location, self.state.touched(stmt), owner, stmt, cells=frozenset(((tile.name, COPIED),)))

    def _is_own(self, tile: Tile) -> bool:
        """Whether each thread uses only the cells that it would copy."""
        return (tile.name, COPIED) in self.cells

    def _alone(self, stmt: Stmt, cells: Cells = frozenset(), leaders: tuple[Expr, ...] = ()) -> Step:
        """A copy that each thread makes for itself; ``leaders`` says which one of those that no loop tells apart."""
        guards = (*self.context.guards, *leaders)
        owner = self.state.leader(self.context) if leaders else self.context.owner
        return Step(stmt.location, self.state.touched(stmt), owner, stmt, guarded=True, guards=guards, cells=cells)


def _with_rounds(body: Stmt, tile: Tile) -> Stmt:
    """The body of a region that ``tile`` and others serve by lines, each round told to them as it begins.

    Before: ``for (...) b[i] = a[i];``. After: ``for (...) { Round; b[i] = a[i]; }``, in the innermost such loops alone.
    Where monitoring and the rest have a copy each (``--split-slices``)::

        int i = 0;
        for (; i < n; ++i) { Round(monitored); b[i] = a[i]; }
        for (; i < n; ++i) { Round(decided); b[i] = a[i]; }
    """
    assert tile.lines is not None
    is_split = tile.lines.in_slices and tile.lines.calls > 0

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, (For, While)) or any(nodes_of(node, Round)):
            return node
        where = node.location
        if not any(isinstance(part, TileAccess) and part.tile.lines is not None for part in walk(node)):
            return node
        return _in_slices(node, tile) if is_split and _can_be_split(node) else _with_round(node, Round(where, tile))

    return rewrite(body, change)


def _with_round(loop: For | While, begin: Round) -> For | While:
    return replace(loop, body=Block(loop.body.location, (begin, *items_of(loop.body))))


def _can_be_split(loop: For | While) -> bool:
    """Whether a second loop can go on where the first one stopped before a round; that computes the condition again."""
    is_tested_first = isinstance(loop, For) or not loop.at_end
    has_effects = loop.condition is not None and has_effect(loop.condition)
    leaves = any(jump.keyword != "continue" for jump in leaving_jumps(loop.body))
    return is_tested_first and not has_effects and not leaves


def _in_slices(loop: For | While, tile: Tile) -> Stmt:
    """The copy that monitors, and the one for the rounds behind it."""
    where = loop.location
    start = loop.init if isinstance(loop, For) else ()
    rest = replace(loop, init=()) if isinstance(loop, For) else loop
    copies = (_with_round(rest, Round(where, tile, part)) for part in ("monitored", "decided"))
    return Block(where, (*start, *copies))
