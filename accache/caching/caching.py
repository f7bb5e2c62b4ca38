"""Cache directives to tiles (paper 004, sections 3 and 4.2).

Before: Cache statements. After: CacheRegion statements with tiles, their references replaced by
TileAccess. Every subarray of every directive leaves a Decision, whatever became of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil, prod

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import Diagnostic, Reporter
from accache.base.options import Options
from accache.base.tuning import tuning_path
from accache.caching.cached import CachedKernel, without_caches
from accache.caching.choice import Key
from accache.caching.decisions import Decision
from accache.caching.directives_outward import common_directives, with_directives_inside, with_directives_outward
from accache.caching.estimates.candidates import PLAIN, Candidate, decided, fewer, of_tiles
from accache.caching.estimates.coarse_choice import asked_for, cheapest
from accache.caching.estimates.coarse_forms import THREADS, Base, Coarse
from accache.caching.estimates.cost import FREE
from accache.caching.estimates.paying import UNSAVING, all_but, not_paying, tiled_cost
from accache.caching.estimates.plain_forms import plain_candidate, plain_form
from accache.caching.iterations_tiles import with_iterations_tiles
from accache.caching.planner import Planner
from accache.caching.sizing.bounds import Refusal
from accache.caching.survey import Survey
from accache.caching.uncached import plain_kernel, told_of_plain, without_directives
from accache.ir.kernels.tiles import Tile
from accache.ir.tree import Cache
from accache.ir.walk import nodes_of
from accache.mapping.blocks import Outputs
from accache.mapping.coarsening.kept_elements import kept_arrays
from accache.mapping.mapped import MappedKernel
from accache.mapping.mapping import in_smaller_blocks

OF_TILES = ("ACC409", "ACC419", "ACC421")
"""What is reported of subarrays that have a tile, or do better without."""
OF_BOUNDS = frozenset(("ACC402", "ACC408", "ACC409", "ACC412", "ACC413"))
"""What tells already that a subarray does not hold a reference."""
KEPT = "a register holds its element while the loop that changes it goes on"
SMALLEST_BLOCK = 32
"""Blocks are not made smaller than a warp."""


class _Attempt(Struct, frozen=True):
    """A kernel planned in blocks of one size, what there was to report, and which tiles did not fit."""

    cached: CachedKernel
    diagnostics: tuple[Diagnostic, ...]
    misfits: Mapping[Key, str]

    @property
    def fitting(self) -> dict[Key, Tile]:
        """The tiles that hold whole subarrays."""
        return {(tile.location, tile.text): tile for tile in self.cached.tiles if tile.has_range}


def plan_caches(kernel: MappedKernel, options: Options, names: frozenset[str], reporter: Reporter) -> CachedKernel:
    """Decide every cache directive of a kernel; ``names`` are taken and not used for tiles.

    What does not hold a reference that it could is told, whatever is decided.
    """
    cached = _planned(kernel, options, names, reporter)
    told = {found.location for found in reporter.diagnostics if found.code in OF_BOUNDS}
    for item in cached.decisions:
        is_meant = options.trust_range or item.density > 0
        if item.instead and item.outside and item.location not in told and not is_meant:
            reporter.report("ACC423", item.location, name=item.text, line=item.outside)
    return cached


def _planned(kernel: MappedKernel, options: Options, names: frozenset[str], reporter: Reporter) -> CachedKernel:
    """Decide every cache directive of a kernel.

    Where tiles do not fit and the block's size is nobody's choice but ours, smaller blocks are tried. The largest
    in which most tiles fit is taken, so the result's kernel may be another one than was given. Fewer threads hide
    less of the memory's latency, so there a tile must save half of the accesses.
    """
    attempts = tuple(_attempts(kernel, options, names))
    wanted = dict(options.choices).get(kernel.name, "")
    usual, best = attempts[0], max(attempts, key=lambda attempt: len(attempt.fitting))
    single_form = _as_wanted(kernel, options, names, attempts, wanted=wanted)
    best = single_form or best
    cached = best.cached
    is_plain = bool(cached.decisions) and not cached.tiles and options.chooses_method and options.tune != "off"
    if is_plain:
        plain = plain_kernel(kernel)
        best = _with_kept_elements(best, kernel, plain)
        cached = replace(best.cached, kernel=plain, body=without_directives(plain.body))
    tried = fewer([item for attempt in attempts for item in attempt.cached.candidates])
    single = _with_one_iteration(kernel, cached, tried, options)
    coarse, iterations = _coarse(kernel, cached, single, names, options=options)
    if single_form is not None or wanted == PLAIN:
        coarse = None
    asked = _asked_for(kernel, cached, names, options)
    emitted = coarse or asked
    found = fewer([*tried.values(), *iterations, *(item.candidate for item in (asked,) if item and single)])
    chosen = emitted.candidate.name if emitted else single.name if single else ""
    overruled = (
        "--coarsen asks for another" if asked else "it was measured to be slower" if wanted == chosen != "" else ""
    )
    cached = replace(cached, candidates=decided(found.values(), chosen, overruled))
    if emitted is not None or is_plain:
        reporter.include(told_of_plain(kernel))
    if coarse is not None:
        return _in_registers(cached, coarse, best.diagnostics, reporter, options=options)
    reporter.include(best.diagnostics)
    _tell_of_smaller_blocks(kernel, usual, best, reporter)
    if asked is None:
        return _in_one_way_more(cached, options)
    return replace(
        cached,
        kernel=asked.kernel,
        body=asked.kernel.body,
        decisions=tuple(_kept(asked).get((item.location, item.text), item) for item in cached.decisions),
        single=without_caches(cached.kernel),
        unaligned=_unaligned(asked.unaligned),
        counted=asked.counted,
    )


def _with_kept_elements(attempt: _Attempt, kernel: MappedKernel, plain: MappedKernel) -> _Attempt:
    """A kernel without tiles; elements that registers hold in the ``plain`` one need none, which it says so."""
    kept = kept_arrays(plain.body)
    subarrays = (item for node in nodes_of(kernel.body, Cache) for item in node.subarrays)
    held = {(item.location, item.text) for item in subarrays if item.variable in kept}
    reporter = Reporter()
    decisions = []
    for item in attempt.cached.decisions:
        if (item.location, item.text) in held:
            reporter.report("ACC403", item.location, name=item.text, reason=KEPT)
            item = replace(item, method="register", reason=KEPT, share_obstacle="")
        decisions.append(item)
    places = {where for where, _ in held}
    reporter.include(item for item in attempt.diagnostics if item.location not in places or item.code not in OF_TILES)
    cached = replace(attempt.cached, decisions=tuple(decisions))
    return replace(attempt, cached=cached, diagnostics=tuple(reporter.diagnostics))


def _kept(coarse: Coarse) -> dict[Key, Decision]:
    """What was decided of the directives that tiles serve where threads have several iterations."""
    return {(item.location, item.text): item for item in coarse.decisions if item.tile is not None}


def _attempts(kernel: MappedKernel, options: Options, names: frozenset[str]) -> Iterator[_Attempt]:
    """The kernel planned as it is mapped, and in smaller blocks as long as tiles do not fit."""
    attempt = _attempt(kernel, options, names, 1)
    threads = kernel.shape.threads
    yield attempt
    while attempt.misfits and kernel.is_block_ours and threads > SMALLEST_BLOCK:
        threads //= 2
        attempt = _attempt(in_smaller_blocks(kernel, threads), options, names, 2)
        yield attempt


def _as_wanted(
    kernel: MappedKernel, options: Options, names: frozenset[str], attempts: tuple[_Attempt, ...], *, wanted: str
) -> _Attempt | None:
    """The kernel planned with the tiles of the form that is wanted; None if threads have several iterations in it."""
    candidates = (item for attempt in attempts for item in attempt.cached.candidates)
    found = next((item for item in candidates if item.name == wanted), None)
    if found is None:
        return None
    is_smaller = bool(found.subarrays) and found.block != kernel.shape.block
    in_blocks = in_smaller_blocks(kernel, prod(found.block)) if is_smaller else kernel
    attempt = _attempt(in_blocks, options, names, 1, kept=frozenset(found.subarrays))
    return replace(attempt, cached=replace(attempt.cached, candidates=()))


def _tell_of_smaller_blocks(kernel: MappedKernel, usual: _Attempt, best: _Attempt, reporter: Reporter) -> None:
    threads = best.cached.kernel.shape.threads
    for (where, name), reason in usual.misfits.items():
        if threads < kernel.shape.threads and (where, name) in best.fitting:
            reporter.report("ACC420", where, name=name, threads=threads, usual=kernel.shape.threads, reason=reason)


def _in_one_way_more(cached: CachedKernel, options: Options) -> CachedKernel:
    """A kernel whose threads have one iteration each, with what launches of some shapes only can take."""
    if cached.tiles:
        return _aligned(cached, options)
    kernel = cached.kernel
    form = plain_form(kernel if cached.body is kernel.body else replace(kernel, body=cached.body), options)
    found = replace(cached, kernel=form.kernel, body=form.kernel.body)
    unaligned = without_caches(form.unaligned) if form.unaligned is not None else None
    if found.kernel.variants.lengthwise is not None:
        return replace(found, unaligned=unaligned, fewest_blocks=found.kernel.fewest_blocks)
    return replace(found, single=unaligned)


def _aligned(cached: CachedKernel, options: Options) -> CachedKernel:
    """A kernel with tiles that launches with aligned arrays fill by wide accesses, where that pays."""
    survey = Survey(cached.kernel, options.fast_math)
    tiles = tuple(tile for tile in cached.tiles if tile.has_range)
    _, alignment = tiled_cost(survey, cached.body, tiles, options)
    if options.tune == "off" or not alignment:
        return cached
    return replace(cached, kernel=replace(cached.kernel, alignment=alignment), unaligned=cached)


def _with_one_iteration(
    kernel: MappedKernel, cached: CachedKernel, tried: dict[str, Candidate], options: Options
) -> Candidate | None:
    """The planned kernel with its estimate; None where there is none. It is one of those ``tried``, or added.

    It is estimated for what a warp of the ``kernel`` as it is mapped does, as all of them are.
    """
    has_none = cached.has_lines or not all(tile.has_range for tile in cached.tiles)
    if options.tune == "off" or has_none:
        return None
    tiles = tuple(tile for tile in cached.tiles if tile.has_range)
    name = of_tiles(cached.kernel, FREE, tiles).name
    if name not in tried and tiles:
        cost, _ = tiled_cost(Survey(cached.kernel, options.fast_math), cached.body, tiles, options)
        tried[name] = of_tiles(cached.kernel, cost, tiles)
    elif name not in tried:
        tried[name] = plain_candidate(kernel, options)
    return tried[name]


def _coarse(
    kernel: MappedKernel, cached: CachedKernel, single: Candidate | None, names: frozenset[str], *, options: Options
) -> tuple[Coarse | None, tuple[Candidate, ...]]:
    """The kernel with several iterations a thread, where that pays, and what was tried of such.

    Registers then serve its directives, but for those that all iterations have in common. ``single`` is the one with
    one iteration a thread.
    """
    if single is None or not options.chooses_method or options.coarsen != "auto":
        return None, ()
    bases = tuple(_bases(kernel, cached, names, options)) if cached.tiles else ()
    is_asked = any(nodes_of(kernel.body, Cache))
    of_block = _of_iterations(kernel, names, options) if is_asked else None
    return cheapest(kernel, single.cost, bool(cached.tiles), options, bases=bases, of_block=of_block)


def _asked_for(kernel: MappedKernel, cached: CachedKernel, names: frozenset[str], options: Options) -> Coarse | None:
    """The kernel with as many iterations a thread as the user asks for, with tiles that hold what all of them use."""
    if not cached.tiles:
        return asked_for(options, kernel)
    return asked_for(options, kernel, _of_iterations(kernel, names, options))


def _of_iterations(kernel: MappedKernel, names: frozenset[str], options: Options) -> Base:
    """The kernel with tiles that hold what all iterations of a block use."""
    is_ours = options.chooses_method and options.tune != "off"
    directed = with_directives_outward(kernel) if is_ours else kernel
    return lambda plain, outputs: with_iterations_tiles(directed, plain, outputs, options, names=names)


def _bases(kernel: MappedKernel, cached: CachedKernel, names: frozenset[str], options: Options) -> Iterator[Base]:
    """The kernel with tiles that are the same for all iterations: around what one does, and where directives stand."""
    directives = common_directives(kernel.body)
    if directives:

        def around(plain: MappedKernel, _: Outputs) -> CachedKernel:
            survey = Survey(with_directives_inside(plain, directives), options.fast_math)
            found = Planner(survey, options, Reporter(), set(names), {}).kernel()
            return replace(found, kernel=plain)

        yield around
    if len(directives) < len(cached.tiles) and all(map(_is_for_all, cached.tiles)):
        is_small = not kernel.is_block_ours or kernel.shape.threads <= THREADS
        found = cached if is_small else _attempt(in_smaller_blocks(kernel, THREADS), options, names, 1).cached
        yield lambda *_: found


def _is_for_all(tile: Tile) -> bool:
    """Whether a tile holds the same for all threads of a block, wherever it lies, and none of them writes to it."""
    is_same = tile.has_range and not any(dimension.variable for dimension in tile.range.dimensions)
    return is_same and tile.scope == "block" and not tile.policy


def _in_registers(
    cached: CachedKernel, coarse: Coarse, found: tuple[Diagnostic, ...], reporter: Reporter, *, options: Options
) -> CachedKernel:
    """A kernel whose threads have several iterations; what is decided and ``found`` says so in the place of tiles.

    In launches of few blocks each thread has one iteration, with tiles if threads with several share some.
    """
    single = (item.cost for item in cached.candidates if not item.outputs and item.refused != UNSAVING)
    usual = min(single, key=lambda cost: cost.clocks)
    reason = f"each thread has {_several(coarse.kernel)}, and takes an estimated {coarse.cost} for each"
    reason += f", {usual} with one"
    served = {item.location for item in found if item.code == "ACC419"}
    served |= {item.location for item in cached.decisions if item.tile is not None}
    reporter.include(item for item in found if item.location not in served or item.code not in OF_TILES)
    kept = _kept(coarse)
    decisions = []
    for item in cached.decisions:
        if (item.location, item.text) in kept:
            item = kept[item.location, item.text]
        elif item.location in served:
            reporter.report("ACC422", item.location, name=item.text, reason=reason)
            item = replace(item, method="register", reason=reason, tile=None, share_obstacle="")
        decisions.append(item)
    return replace(
        cached,
        kernel=coarse.kernel,
        body=coarse.kernel.body,
        decisions=tuple(decisions),
        single=replace(cached, candidates=()) if kept else _with_one(cached.kernel, coarse.fewest_blocks, options),
        unaligned=_unaligned(coarse.unaligned),
        fewest_blocks=coarse.fewest_blocks,
        fewer=_fewer(coarse, coarse.fewer) if coarse.fewer is not None else None,
        counted=coarse.counted,
    )


def _fewer(coarse: Coarse, other: Coarse) -> CachedKernel:
    """The version with fewer iterations a thread of a kernel whose threads have several."""
    blocks = ceil(other.fewest_iterations / (coarse.kernel.shape.threads * coarse.iterations))
    return CachedKernel(other.kernel, other.kernel.body, other.decisions, fewest_blocks=blocks)


def _with_one(kernel: MappedKernel, fewest_blocks: int, options: Options) -> CachedKernel:
    """The kernel whose threads have one iteration: with wide accesses, where small launches take it, and that pays."""
    plain = plain_kernel(kernel)
    form = plain_form(plain, options)
    if not fewest_blocks or not form.kernel.alignment:
        return without_caches(plain)
    unaligned = without_caches(form.unaligned) if form.unaligned is not None else None
    return replace(without_caches(form.kernel), unaligned=unaligned)


def _unaligned(coarse: Coarse | None) -> CachedKernel | None:
    """The version for rows that are not aligned of a kernel whose threads have several iterations."""
    return CachedKernel(coarse.kernel, coarse.kernel.body, coarse.decisions) if coarse is not None else None


def _several(kernel: MappedKernel) -> str:
    """How many iterations a thread has, in words: ``4 x 2 iterations``."""
    return " x ".join(str(number) for _, number in reversed(kernel.coarse.outputs)) + " iterations"


def _attempt(
    kernel: MappedKernel, options: Options, names: frozenset[str], factor: int, *, kept: frozenset[str] | None = None
) -> _Attempt:
    """Plan a kernel as it is mapped.

    Where the choice is accache's, tiles that leave more than one ``factor``-th of the accesses of global memory are
    given up, and all is planned again; or, of subarrays that are ``kept`` for a measured form, all others.
    """
    if options.chooses_method and options.tune != "off":
        kernel = with_directives_outward(kernel)
    survey = Survey(kernel, options.fast_math)
    given_up: dict[Key, Refusal] = {}
    candidates: tuple[Candidate, ...] = ()
    while True:
        planner = Planner(survey, options, Reporter(), set(names), given_up)
        cached = planner.kernel()
        if kept is None:
            useless, estimated = not_paying(survey, cached.body, cached.decisions, factor, options=options)
            candidates += estimated
        else:
            useless = all_but(kept, cached.tiles)
        if not useless:
            cached = replace(cached, candidates=candidates)
            return _Attempt(cached, tuple(planner.reporter.diagnostics), planner.memory.misfits)
        given_up |= useless


def check_choices(cached: CachedKernel, options: Options, path: str, reporter: Reporter) -> None:
    """Report a kernel of several forms that was not measured, and one whose measured form there is no more."""
    if options.tune != "measure" or len(cached.candidates) < 2:
        return
    kernel = cached.kernel
    chosen = dict(options.choices).get(kernel.name)
    if chosen is None:
        reporter.report("ACC430", kernel.region.location, what=f"not kernel '{kernel.name}'", name=tuning_path(path))
    elif all(item.name != chosen for item in cached.candidates):
        reporter.report("ACC432", kernel.region.location, kernel=kernel.name, form=chosen)
