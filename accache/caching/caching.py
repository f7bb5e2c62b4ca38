"""Cache directives to tiles (paper 004, sections 3 and 4.2).

Before: Cache statements. After: CacheRegion statements with tiles, their references replaced by
TileAccess. Every subarray of every directive leaves a Decision, whatever became of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import prod

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.sums import without_assumptions
from accache.base.architectures import architecture
from accache.base.diagnostics import Diagnostic, Reporter
from accache.base.options import Options
from accache.caching.bounds import Refusal
from accache.caching.candidates import PLAIN, Candidate, decided, fewer, of_tiles
from accache.caching.choice import Key, SharedMemory, choose
from accache.caching.cost import FREE
from accache.caching.decisions import Decision, with_tile
from accache.caching.eligibility import ineligible
from accache.caching.kernel_cost import kernel_cost
from accache.caching.line_streams import NO_STREAMS, Streams
from accache.caching.methods import by_lines, keeps_lines
from accache.caching.outputs import Coarse, aligned, asked_for, cheapest, fewest_blocks
from accache.caching.paying import all_but, not_paying
from accache.caching.requests import Request
from accache.caching.rewrite_references import owned_access, serve
from accache.caching.shared_fetches import start_together, with_tiles
from accache.caching.shared_parts import expected_layout
from accache.caching.subarrays import request_for
from accache.caching.survey import Site, Survey
from accache.caching.uncached import plain_kernel, without_directives
from accache.caching.whole_arrays import around_loop, streams_of, together, whole_request
from accache.ir.names import free_name, user_name
from accache.ir.polynomial import Polynomial
from accache.ir.regions import Subarray
from accache.ir.simt import CacheRegion, Extent, Tile
from accache.ir.tree import Block, Cache, Expr, If, Stmt, Switch
from accache.ir.types import is_wide
from accache.ir.walk import rewrite, walk
from accache.mapping.loops.crosswise import FEWEST_BLOCKS
from accache.mapping.mapped import MappedKernel
from accache.mapping.mapping import in_smaller_blocks
from accache.mapping.wrapping import tested_sums, without_assumed_sums

OF_TILES = ("ACC409", "ACC419", "ACC421")
"""What is reported of subarrays that have a tile, or do better without."""
SMALLEST_BLOCK = 32
"""Blocks are not made smaller than a warp."""


class CachedKernel(Struct, frozen=True, dict=True):
    """A mapped kernel whose cache directives are decided; ``candidates`` are what was estimated for that.

    ``Candidate.refused`` is empty for what is emitted. Where threads have several iterations, ``single`` is the kernel
    in which each has one, for launches of fewer than ``fewest_blocks``, and ``unaligned`` one without wide accesses,
    for launches whose rows are not aligned.
    """

    kernel: MappedKernel
    body: Stmt
    decisions: tuple[Decision, ...]
    candidates: tuple[Candidate, ...] = ()
    single: MappedKernel | None = None
    unaligned: MappedKernel | None = None
    fewest_blocks: int = 0

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """All tiles of the kernel in source order."""
        return tuple(tile for node in walk(self.body) if isinstance(node, CacheRegion) for tile in node.tiles)

    @property
    def has_lines(self) -> bool:
        """Whether threads have lines of their own, for which the launch has to find room."""
        return any(tile.lines is not None for tile in self.tiles)

    @property
    def assumptions(self) -> tuple[tuple[str, Extent], ...]:
        """The arrays, and the elements of each, that have to be on the device for this kernel to be launched."""
        return tuple(dict.fromkeys((tile.array, tile.assumed) for tile in self.tiles if tile.assumed is not None))

    @cached_property
    def sums(self) -> tuple[Polynomial, ...]:
        """The greatest values of unsigned sums that must fit into 32 bits for this kernel to be launched."""
        return tested_sums(self.kernel, self.tiles)


class _Attempt(Struct, frozen=True):
    """A kernel planned in blocks of one size, what there was to report, and which tiles did not fit.

    ``gave_up`` if tiles that would be legal do not pay.
    """

    cached: CachedKernel
    diagnostics: tuple[Diagnostic, ...]
    misfits: Mapping[Key, str]
    gave_up: bool

    @property
    def fitting(self) -> dict[Key, Tile]:
        """The tiles that hold whole subarrays."""
        return {(tile.location, tile.text): tile for tile in self.cached.tiles if not tile.entries}


def plan_caches(kernel: MappedKernel, options: Options, names: frozenset[str], reporter: Reporter) -> CachedKernel:
    """Decide every cache directive of a kernel; ``names`` are taken and not used for tiles.

    Where tiles do not fit and the block's size is nobody's choice but ours, smaller blocks are tried. The largest
    in which most tiles fit is taken, so the result's kernel may be another one than was given. Fewer threads hide
    less of the memory's latency, so there a tile must save half of the accesses.
    """
    attempts = tuple(_attempts(kernel, options, names))
    wanted = dict(options.choices).get(kernel.name, "")
    usual, best = attempts[0], max(attempts, key=lambda attempt: len(attempt.fitting))
    single_form = _as_wanted(kernel, options, names, attempts, wanted)
    best = single_form or best
    cached = best.cached
    if best.gave_up and not cached.tiles and options.tune != "off":
        plain = plain_kernel(kernel)
        cached = replace(cached, kernel=plain, body=without_directives(plain.body))
    tried = fewer([item for attempt in attempts for item in attempt.cached.candidates])
    single = _with_one_iteration(cached, tried, options)
    coarse, iterations = _coarse(kernel, cached, single, options)
    if single_form is not None or wanted == PLAIN:
        coarse = None
    asked = asked_for(options, kernel) if not cached.tiles else None
    emitted = coarse or asked
    found = fewer([*tried.values(), *iterations, *(item.candidate for item in (asked,) if item and single)])
    chosen = emitted.candidate.name if emitted else single.name if single else ""
    overruled = (
        "--coarsen asks for another" if asked else "it was measured to be slower" if wanted == chosen != "" else ""
    )
    cached = replace(cached, candidates=decided(found.values(), chosen, overruled))
    if coarse is not None:
        return _in_registers(cached, coarse, best.diagnostics, reporter)
    reporter.include(best.diagnostics)
    _tell_of_smaller_blocks(kernel, usual, best, reporter)
    if asked is None:
        return _in_one_way_more(cached, options)
    return replace(cached, kernel=asked.kernel, body=asked.kernel.body, single=cached.kernel, unaligned=asked.unaligned)


def _attempts(kernel: MappedKernel, options: Options, names: frozenset[str]) -> Iterator[_Attempt]:
    """The kernel planned as it is mapped, and in smaller blocks as long as tiles do not fit."""
    attempt = _attempt(kernel, options, names, 1)
    threads = kernel.threads
    yield attempt
    while attempt.misfits and kernel.is_block_ours and threads > SMALLEST_BLOCK:
        threads //= 2
        attempt = _attempt(in_smaller_blocks(kernel, threads), options, names, 2)
        yield attempt


def _as_wanted(
    kernel: MappedKernel, options: Options, names: frozenset[str], attempts: tuple[_Attempt, ...], wanted: str
) -> _Attempt | None:
    """The kernel planned with the tiles of the form that is wanted; None if threads have several iterations in it."""
    candidates = (item for attempt in attempts for item in attempt.cached.candidates)
    found = next((item for item in candidates if item.name == wanted), None)
    if found is None:
        return None
    is_smaller = bool(found.subarrays) and found.block != kernel.block
    in_blocks = in_smaller_blocks(kernel, prod(found.block)) if is_smaller else kernel
    attempt = _attempt(in_blocks, options, names, 1, frozenset(found.subarrays))
    return replace(attempt, cached=replace(attempt.cached, candidates=()))


def _tell_of_smaller_blocks(kernel: MappedKernel, usual: _Attempt, best: _Attempt, reporter: Reporter) -> None:
    threads = best.cached.kernel.threads
    for (where, name), reason in usual.misfits.items():
        if threads < kernel.threads and (where, name) in best.fitting:
            reporter.report("ACC420", where, name=name, threads=threads, usual=kernel.threads, reason=reason)


def _in_one_way_more(cached: CachedKernel, options: Options) -> CachedKernel:
    """A kernel whose threads have one iteration each, with what launches of some shapes only can take."""
    if cached.kernel.lengthwise is not None:
        return replace(cached, fewest_blocks=FEWEST_BLOCKS)
    is_ours = (options.method, options.tune, options.coarsen) == ("auto", "model", "auto")
    if cached.tiles or not is_ours:
        return cached
    return replace(cached, kernel=aligned(cached.kernel, options))


def _with_one_iteration(cached: CachedKernel, tried: dict[str, Candidate], options: Options) -> Candidate | None:
    """The planned kernel with its estimate; None where no estimate decides. It is one of those ``tried``, or added."""
    if options.tune == "off" or options.method not in ("auto", "scratch") or cached.has_lines:
        return None
    tiles = tuple(tile for tile in cached.tiles if not tile.entries)
    name = of_tiles(cached.kernel, FREE, tiles).name
    if name not in tried:
        cost = kernel_cost(Survey(cached.kernel, options.fast_math), cached.body, tiles)
        tried[name] = of_tiles(cached.kernel, cost, tiles)
    return tried[name]


def _coarse(
    kernel: MappedKernel, cached: CachedKernel, single: Candidate | None, options: Options
) -> tuple[Coarse | None, tuple[Candidate, ...]]:
    """The kernel with several iterations a thread, where that pays, and what was tried of such.

    Registers then serve its directives. ``single`` is the one with one iteration a thread.
    """
    if single is None or (options.method, options.coarsen) != ("auto", "auto"):
        return None, ()
    return cheapest(kernel, single.cost, bool(cached.tiles), options)


def _in_registers(
    cached: CachedKernel, coarse: Coarse, found: tuple[Diagnostic, ...], reporter: Reporter
) -> CachedKernel:
    """A kernel whose threads have several iterations; what is decided and ``found`` says so in the place of tiles."""
    single = (item.cost for item in cached.candidates if not item.outputs)
    usual = min(single, key=lambda cost: cost.clocks)
    reason = f"each thread has {_several(coarse.kernel)}, and takes an estimated {coarse.cost} for each"
    reason += f", {usual} with one"
    served = {item.location for item in found if item.code == "ACC419"}
    served |= {item.location for item in cached.decisions if item.tile is not None}
    reporter.include(item for item in found if item.location not in served or item.code not in OF_TILES)
    decisions = []
    for item in cached.decisions:
        if item.location in served:
            reporter.report("ACC422", item.location, name=item.text, reason=reason)
            item = replace(item, method="register", reason=reason, tile=None, share_obstacle="")
        decisions.append(item)
    return replace(
        cached,
        kernel=coarse.kernel,
        body=coarse.kernel.body,
        decisions=tuple(decisions),
        single=plain_kernel(cached.kernel),
        unaligned=coarse.unaligned,
        fewest_blocks=fewest_blocks(coarse.kernel),
    )


def _several(kernel: MappedKernel) -> str:
    """How many iterations a thread has, in words: ``4 x 2 iterations``."""
    return " x ".join(str(number) for _, number in reversed(kernel.outputs)) + " iterations"


def _attempt(
    kernel: MappedKernel, options: Options, names: frozenset[str], factor: int, kept: frozenset[str] | None = None
) -> _Attempt:
    """Plan a kernel as it is mapped.

    Where the choice is accache's, tiles that leave more than one ``factor``-th of the accesses of global memory are
    given up, and all is planned again; or, of subarrays that are ``kept`` for a measured form, all others.
    """
    survey = Survey(kernel, options.fast_math)
    given_up: dict[Key, Refusal] = {}
    candidates: tuple[Candidate, ...] = ()
    while True:
        planner = _Planner(survey, options, Reporter(), set(names), given_up)
        cached = planner.kernel()
        if kept is None:
            useless, estimated = not_paying(survey, cached.body, cached.decisions, factor, options)
            candidates += estimated
        else:
            useless = all_but(kept, cached.tiles)
        if not useless:
            cached = replace(cached, candidates=candidates)
            return _Attempt(cached, tuple(planner.reporter.diagnostics), planner.memory.misfits, bool(given_up))
        given_up |= useless


def without_caches(kernel: MappedKernel) -> CachedKernel:
    """The kernel with its cache directives taken out, which takes no unsigned sum for exact that might wrap."""
    kernel = without_assumed_sums(kernel)
    return CachedKernel(kernel, without_directives(kernel.body), ())


def without_doubts(cached: CachedKernel) -> CachedKernel:
    """A kernel without tiles, which takes no unsigned sum for exact that might wrap."""
    body = without_assumptions(cached.body)
    assert isinstance(body, Stmt)
    return replace(cached, kernel=without_assumed_sums(cached.kernel), body=body)


class _Planner(Struct, dict=True):
    """Walks one kernel; ``path`` holds the statements around the current one, outermost first.

    ``served`` are the references that are left to a tile, by its name, where several have one array; ``instead`` the
    subarrays that would hold more references than those written.
    """

    survey: Survey
    options: Options
    reporter: Reporter
    taken: set[str]
    given_up: Mapping[Key, Refusal]
    decisions: list[Decision] = field(default_factory=list)
    served: dict[str, frozenset[Expr]] = field(default_factory=dict)
    instead: dict[Key, tuple[str, ...]] = field(default_factory=dict)

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
                    refusal = Refusal("ACC402", "it stands in a switch")
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
        body = self.statement(stmt.body, (*path, stmt))
        tiles: list[Tile] = []
        streams = self._streams(replace(stmt, body=body), path)
        for subarray in stmt.subarrays:
            tile = self.subarray(subarray, replace(stmt, body=body), path, tuple(tiles), streams)
            if tile is not None:
                body = serve(body, tile, self.served.get(tile.name, frozenset()), self.survey.definitions)
                tiles.append(tile)
        if any(tile.lines for tile in tiles):
            numbered = together(tiles)
            self.decisions[:] = [with_tile(item, numbered) for item in self.decisions]
            tiles, body = list(numbered.values()), rewrite(body, with_tiles(numbered, {}))
        return CacheRegion(stmt.location, tuple(tiles), body) if tiles else body

    def _streams(self, stmt: Cache, path: tuple[Stmt, ...]) -> Streams:
        """The streams of a directive, chosen where they make lines pay and it asks for no method."""
        site = Site(self.survey, path)
        if keeps_lines(self.options.method):
            return streams_of(stmt, site, self.options)
        is_ours = self.options.method == "auto" and bool(stmt.subarrays)
        refused = is_ours and any(
            ineligible(item, stmt, path, (), self.survey, by_lines(self.options)) for item in stmt.subarrays
        )
        return streams_of(stmt, site, self.options) if is_ours and not refused else NO_STREAMS

    def subarray(
        self, subarray: Subarray, stmt: Cache, path: tuple[Stmt, ...], before: tuple[Tile, ...], streams: Streams
    ) -> Tile | None:
        """Decide one subarray; reports and records what became of it."""
        found = self._decision(subarray, stmt, path, before, streams)
        decision = self._refused(subarray, found) if isinstance(found, Refusal) else found
        decision = replace(decision, instead=self.instead.get((subarray.location, subarray.text), ()))
        self.decisions.append(decision)
        return decision.tile

    def _decision(
        self, subarray: Subarray, stmt: Cache, path: tuple[Stmt, ...], before: tuple[Tile, ...], streams: Streams
    ) -> Decision | Refusal:
        """The tile that serves a subarray, or why none does."""
        options = by_lines(self.options) if streams.chosen else self.options
        refused = ineligible(subarray, stmt, path, before, self.survey, options)
        if refused is not None:
            return refused
        site = Site(self.survey, path)
        if keeps_lines(options.method):
            request = whole_request(subarray, stmt, site, options, before, tuple(self.decisions), streams)
        else:
            request = request_for(subarray, stmt, site, self.options, self.reporter)
        if isinstance(request, Refusal):
            return request
        self.instead[subarray.location, subarray.text] = request.instead
        if subarray.readonly and request.is_written:
            use = next(use for use in request.uses if use.is_written)
            self.reporter.report("ACC401", use.expr.location, array=user_name(request.array))
        key = (subarray.location, subarray.text)
        if key in self.given_up:
            return self.given_up[key]
        chosen = choose(request, self.memory, self.reporter)
        if isinstance(chosen, Refusal):
            return chosen
        tile, reason = self._named(request, chosen[0]), chosen[1]
        if request.is_partial:
            self.served[tile.name] = frozenset(use.expr for use in request.uses)
        if tile.policy == "through" and self.options.write == "back":
            self.reporter.report("ACC421", subarray.location, name=subarray.text, reason=tile.reason)
        where, density = subarray.location, subarray.density
        return Decision(subarray.text, where, tile.method, reason, tile, request.share_obstacle, density)

    def _refused(self, subarray: Subarray, refusal: Refusal) -> Decision:
        """Report a subarray that is not cached; the diagnostic's code says which kind of reason it is."""
        method = {"ACC403": "register", "ACC404": "scratch", "ACC405": "local", "ACC406": "off"}.get(
            refusal.code, "none"
        )
        where, name = subarray.location, subarray.text
        self.reporter.report(refusal.code, where, name=name, reason=refusal.reason, method=refusal.method)
        return Decision(name, where, method, refusal.reason, None, "", subarray.density)

    def _named(self, request: Request, tile: Tile) -> Tile:
        """The tile with names for itself and for a variable a dimension: ``a_start``, or ``a_row`` and ``a_column``."""
        array = user_name(tile.array)
        name = self.fresh(f"{array}_tile")
        suffixes = {1: ("start",), 2: ("row", "column")}.get(len(tile.dimensions))
        suffixes = suffixes or tuple(f"start{number}" for number in range(len(tile.dimensions)))
        starts = tuple(self.fresh(f"{array}_{suffix}") for suffix in suffixes)
        indices = [dimension.lower for dimension in request.subarray.dimensions if dimension.lower is not None]
        if tile.traits.may_miss and not tile.entries:  # which compares positions of elements that lie anywhere
            indices += [index for use in request.uses for index in use.subscripts]
        tile = replace(tile, name=name, starts=starts, wide=is_wide(indices))
        return replace(tile, owned=owned_access(request, tile)) if tile.tracking in ("owner", "flag") else tile

    def fresh(self, name: str) -> str:
        """A name nothing else has, ``name`` itself if it is free."""
        name = free_name(name, self.taken.__contains__)
        self.taken.add(name)
        return name
