"""The walk of a kernel that decides each cache directive, and has references served by tiles."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from accache.base.architectures import architecture
from accache.base.choices import Fate
from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.caching.cached import CachedKernel
from accache.caching.choice import Key, SharedMemory, choose
from accache.caching.decisions import Decision, with_tile
from accache.caching.eligibility import ineligible
from accache.caching.line_streams import NO_STREAMS, Streams
from accache.caching.methods import by_lines, keeps_lines
from accache.caching.methods.registers import register_bytes, with_unrolled_loops
from accache.caching.requests import Request
from accache.caching.rewrite_references import owned_access, serve
from accache.caching.shared_fetches import start_together, with_tiles
from accache.caching.shared_parts import expected_layout
from accache.caching.sizing.bounds import Refusal
from accache.caching.sizing.subarrays import request_for
from accache.caching.survey import Site, Survey
from accache.caching.tile_lifetimes import Path
from accache.caching.uncached import without_directives
from accache.caching.whole_arrays import around_loop, streams_of, together, whole_request, why_no_lines
from accache.ir.kernels.simt import CacheRegion
from accache.ir.kernels.tiles import Tile
from accache.ir.names import free_name, user_name
from accache.ir.openacc.regions import Subarray
from accache.ir.tree import Block, Cache, Expr, For, If, Stmt, Switch, While
from accache.ir.types import is_wide
from accache.ir.walk import rewrite, walk

FATES: Mapping[str, Fate] = {"ACC403": "register", "ACC404": "scratch", "ACC405": "local", "ACC406": "off"}
"""What became of a subarray that is not cached, by the diagnostic's code; "none" of others."""


class Planner(Struct, dict=True):
    """Walks one kernel; ``path`` holds the statements around the current one, outermost first.

    ``served`` are the references that are left to a tile, by its name, where several have one array; ``instead`` the
    subarrays that would hold more references than those written, and the line of the first reference outside of these.
    """

    survey: Survey
    options: Options
    reporter: Reporter
    taken: set[str]
    given_up: Mapping[Key, Refusal]
    decisions: list[Decision] = field(default_factory=list)
    served: dict[str, frozenset[Expr]] = field(default_factory=dict)
    instead: dict[Key, tuple[tuple[str, ...], int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        limit = architecture(self.options.arch).shared_per_block
        self.memory = SharedMemory(limit, expected_layout(self.survey, limit))

    def kernel(self) -> CachedKernel:
        """Plan the whole kernel."""
        body, tiles = start_together(self.statement(self.survey.kernel.body, ()), self.fresh)
        ordered = sorted((with_tile(item, tiles) for item in self.decisions), key=lambda decision: decision.location)
        return CachedKernel(self.survey.kernel, body, tuple(ordered))

    def statement(self, stmt: Stmt, path: tuple[Stmt, ...]) -> Stmt:
        """Plan the directives inside a statement."""
        if isinstance(stmt, Switch):
            return self._without_caches(stmt)
        whole = around_loop(stmt)
        if isinstance(whole, Cache) and (keeps_lines(self.options.method) or self._streams(whole, path).chosen):
            stmt = whole
        if isinstance(stmt, Cache):
            return self.cache(stmt, path)
        inner = (*path, stmt)
        if isinstance(stmt, Block):
            return replace(stmt, items=tuple(part for item in stmt.items for part in self._item(item, inner)))
        if isinstance(stmt, If):
            otherwise = self.statement(stmt.otherwise, inner) if stmt.otherwise else None
            return replace(stmt, then=self.statement(stmt.then, inner), otherwise=otherwise)
        body = getattr(stmt, "body", None)
        if isinstance(body, Stmt):
            return replace(stmt, body=self.statement(body, inner))
        return stmt

    def _without_caches(self, stmt: Stmt) -> Stmt:
        """A statement that cache regions cannot stand in; each one is recorded."""
        for node in walk(stmt):
            if isinstance(node, Cache):
                for subarray in node.subarrays:
                    refusal = Refusal("ACC402", "it stands in a switch", hint="write if in the place of switch")
                    self.decisions.append(self._refused(subarray, refusal))
        return without_directives(stmt)

    def _item(self, item: Stmt, path: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """An item of a block; the statements of a region that keeps no tile stay in the block."""
        planned = self.statement(item, path)
        if isinstance(item, Cache) and isinstance(planned, Block):
            return planned.items
        return (planned,)

    def cache(self, stmt: Cache, path: tuple[Stmt, ...]) -> Stmt:
        """Decide every subarray of one region, then replace the references the tiles serve."""
        region = (*path, stmt)
        body = self.statement(stmt.body, region)
        tiles: list[Tile] = []
        streams = self._streams(replace(stmt, body=body), path)
        for subarray in stmt.subarrays:
            tile = self.subarray(subarray, replace(stmt, body=body), region, tuple(tiles), streams=streams)
            if tile is not None:
                body = serve(body, tile, self.served.get(tile.name, frozenset()), self.survey.definitions)
                tiles.append(tile)
        if any(tile.lines for tile in tiles):
            numbered = together(tiles, self.options)
            self.decisions[:] = [with_tile(item, numbered) for item in self.decisions]
            tiles, body = list(numbered.values()), rewrite(body, with_tiles(numbered, {}))
        if any(tile.traits.in_registers for tile in tiles):
            body = with_unrolled_loops(body, self.survey.definitions)
        return CacheRegion(stmt.location, tuple(tiles), body) if tiles else body

    def _streams(self, stmt: Cache, path: tuple[Stmt, ...]) -> Streams:
        """The streams of a directive, chosen where they make lines pay and it asks for no method."""
        site = Site(self.survey, path)
        if keeps_lines(self.options.method):
            return streams_of(stmt, site, self.options)
        is_ours = self.options.chooses_method and bool(stmt.subarrays)
        refused = is_ours and any(
            ineligible(item, stmt, path, (), survey=self.survey, options=by_lines(self.options))
            for item in stmt.subarrays
        )
        return streams_of(stmt, site, self.options) if is_ours and not refused else NO_STREAMS

    def subarray(
        self, subarray: Subarray, stmt: Cache, region: Path, before: tuple[Tile, ...], *, streams: Streams
    ) -> Tile | None:
        """Decide one subarray; reports and records what became of it."""
        found = self._decision(subarray, stmt, region, before, streams=streams)
        decision = self._refused(subarray, found) if isinstance(found, Refusal) else found
        instead, outside = self.instead.get((subarray.location, subarray.text), ((), 0))
        decision = replace(decision, instead=instead, outside=outside)
        self.decisions.append(decision)
        return decision.tile

    def _decision(
        self, subarray: Subarray, stmt: Cache, region: Path, before: tuple[Tile, ...], *, streams: Streams
    ) -> Decision | Refusal:
        """The tile that serves a subarray, or why none does; ``region`` is the way to the inside of its region."""
        path = region[:-1]
        options = by_lines(self.options) if streams.chosen else self.options
        refused = ineligible(subarray, stmt, path, before, survey=self.survey, options=options)
        if refused is not None:
            return self._without_lines(refused, subarray, stmt, path)
        site = Site(self.survey, path)
        if keeps_lines(options.method):
            request = whole_request(
                subarray, stmt, site, options, before=before, decided=tuple(self.decisions), streams=streams
            )
        else:
            request = request_for(subarray, stmt, site, self.options, reporter=self.reporter)
        if isinstance(request, Refusal):
            return request
        request = replace(request, kept_bytes=sum(register_bytes(item.tile) for item in self.decisions if item.tile))
        self.instead[subarray.location, subarray.text] = request.references.instead, request.references.outside
        if subarray.readonly and request.is_written:
            use = next(use for use in request.references.uses if use.is_written)
            self.reporter.report("ACC401", use.expr.location, array=user_name(request.array))
        key = (subarray.location, subarray.text)
        if key in self.given_up:
            return self.given_up[key]
        chosen = choose(request, self.memory, region, self.reporter)
        if isinstance(chosen, Refusal):
            return chosen
        tile, reason = self._fitting(self._named(request, chosen[0])), chosen[1]
        self.memory.take(tile, region)
        if request.references.is_partial:
            self.served[tile.name] = frozenset(use.expr for use in request.references.uses)
        if tile.policy == "through" and self.options.write == "back":
            self.reporter.report("ACC421", subarray.location, name=subarray.text, reason=tile.reason)
        where, density, obstacle = subarray.location, subarray.density, request.sharing.obstacle
        return Decision(subarray.text, where, tile.method, reason, tile=tile, share_obstacle=obstacle, density=density)

    def _without_lines(self, refused: Refusal, subarray: Subarray, stmt: Cache, path: tuple[Stmt, ...]) -> Refusal:
        """The same refusal; of a whole array, to which ``auto`` might give lines, also why it does not."""
        if refused.code != "ACC415" or not self.options.chooses_method:
            return refused
        options = by_lines(self.options)
        place = next((index for index in reversed(range(len(path))) if not isinstance(path[index], Block)), 0)
        loop = path[place] if path else stmt
        around = around_loop(replace(loop, body=stmt)) if isinstance(loop, (For, While)) else None
        if isinstance(around, Cache):  # lines last from round to round of the loop that it stands in
            stmt, path = around, path[:place]
        for item in stmt.subarrays:
            other = ineligible(item, stmt, path, (), survey=self.survey, options=options)
            if other is not None:
                whose = "it" if item is subarray else f"'{item.text}' beside it"
                reason = f"{whose} can have no line of each thread's own: {other.reason}"
                return replace(refused, reason=f"{refused.reason}; {reason}")
        reason = why_no_lines(subarray, stmt, Site(self.survey, path), options)
        return replace(refused, reason=f"{refused.reason}; {reason}")

    def _fitting(self, tile: Tile) -> Tile:
        """A tile that holds its subarray whole, or else is not taken: where accache chooses and the launch can tell."""
        held = tile.range
        limits = [dimension.limit for dimension in held.dimensions if dimension.limit is not None]
        is_known = all(limit.names <= self.survey.kernel.launched_numbers for limit in limits)
        if not self.options.chooses_method or not limits or not is_known:
            return tile
        dimensions = (replace(item, fits=item.limit is not None) for item in held.dimensions)
        return replace(tile, storage=replace(held, dimensions=tuple(dimensions)))

    def _refused(self, subarray: Subarray, refusal: Refusal) -> Decision:
        """Report a subarray that is not cached; the diagnostic's code says which kind of reason it is."""
        method = FATES.get(refusal.code, "none")
        where, name = subarray.location, subarray.text
        self.reporter.report(
            refusal.code, where, name=name, reason=refusal.reason, method=refusal.method, hint=refusal.hint
        )
        return Decision(name, where, method, refusal.reason, tile=None, share_obstacle="", density=subarray.density)

    def _named(self, request: Request, tile: Tile) -> Tile:
        """The tile with names for itself and for a variable a dimension: ``a_start``, or ``a_row`` and ``a_column``."""
        array, held = user_name(tile.array), tile.range
        tile = replace(tile, name=self.fresh(f"{array}_tile"))
        if not tile.has_range:
            return tile
        suffixes = {1: ("start",), 2: ("row", "column")}.get(len(held.dimensions))
        suffixes = suffixes or tuple(f"start{number}" for number in range(len(held.dimensions)))
        starts = tuple(self.fresh(f"{array}_{suffix}") for suffix in suffixes)
        indices = [dimension.lower for dimension in request.subarray.dimensions if dimension.lower is not None]
        if tile.traits.may_miss:  # which compares positions of elements that lie anywhere
            indices += [index for use in request.references.uses for index in use.subscripts]
        tile = replace(tile, storage=replace(held, starts=starts, wide=is_wide(indices)))
        return replace(tile, owned=owned_access(request, tile)) if tile.tracking in ("owner", "flag") else tile

    def fresh(self, name: str) -> str:
        """A name nothing else has, ``name`` itself if it is free."""
        name = free_name(name, self.taken.__contains__)
        self.taken.add(name)
        return name
