"""How many iterations of its parallel loops a thread has: as many as share what they load.

Registers are the nearest memory on the chip: a thread with several iterations loads what they share once. The estimate
of ``cost`` says whether that, a tile, or neither takes the fewest clocks an iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import ceil, inf, prod

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.canonical import constant_trips
from accache.base.options import Options
from accache.caching.cached import CachedKernel
from accache.caching.decisions import Decision, with_tile
from accache.caching.estimates.banks import WARP
from accache.caching.estimates.candidates import Candidate, of_iterations
from accache.caching.estimates.cost import FREE, Cost
from accache.caching.estimates.kernel_cost import (
    SIZE,
    joined_cost,
    kernel_cost,
    plain_cost,
    with_joined_copies,
)
from accache.caching.estimates.operations import has_slow_path
from accache.caching.shared_fetches import with_tiles
from accache.caching.survey import Survey
from accache.caching.uncached import plain_kernel
from accache.ir.kernels.alignment import Alignment
from accache.ir.kernels.simt import ParallelFor
from accache.ir.kernels.tiles import Tile
from accache.ir.names import FIRST
from accache.ir.sizes import sizeof
from accache.ir.tree import Atomic, Cache, Declare, Expr, For, While
from accache.ir.types import is_array
from accache.ir.walk import remembered, rewrite, walk
from accache.mapping.blocks import Outputs
from accache.mapping.coarsening.coarse_kernels import coarsened, follows_block, inner_part
from accache.mapping.mapped import MappedKernel
from accache.mapping.mapping import in_smaller_blocks

ROWS, COLUMNS, PLANES = (1, 2, 4, 8), (1, 2, 4), (4, 8)
USUAL_REGISTERS, MOST_REGISTERS = 32, 64
"""So many registers of a thread may hold what its iterations have each for themselves, and so many where that pays."""
WORTH_REGISTERS = 0.9
"""The part of the clocks that must be left for more registers than usual: fewer threads then fit a multiprocessor."""
WORTH = 0.95
"""The part of the clocks that must be left for threads to get more iterations, of which a launch then has fewer."""
WORTH_A_TILE = 0.85
"""The same where threads with one iteration have tiles, which small launches then go without."""
WORTH_UNASKED = 0.8
"""The same where no cache directive asks for it: what is emitted becomes three times as long."""
NEAR = 0.95
"""Of numbers of iterations whose clocks differ by less, the smallest is taken."""
MORE = 0.98
"""The part of the clocks that must be left for twice as many iterations to be tried, too."""
SAME = 0.999
"""Clocks that differ by less are the same."""
THREADS = 128
"""Threads of a block where the user gave no size: each has more to do, and small blocks fill more multiprocessors."""
FEWEST_THREADS = 16384
"""In launches of fewer threads, every iteration gets a thread of its own: 128 of them on each of an H100's 132
multiprocessors. With 4096 threads several iterations took up to 2.6 times as long there as one, and with 16,384 0.44
times (gemm at n = 256 and 512 in bench/results)."""
MEASURED_ITERATIONS = 16
"""So many iterations a thread had there."""
FILLING_THREADS = 131072
"""The same of kernels whose loops have operations with slow paths, which a thread's iterations wait for one after the
other: 31 warps on each multiprocessor. With 8 warps, two iterations a thread took 1.2 and 1.4 times as long on an H100
as one (nbody and forces in bench/results), with 31 of them 0.97 times."""


OVER_L1 = 0.8
"""The part of the clocks that a kernel may take in which L1 serves what tiles hold that move along a loop, for it to be
taken in the place of one with these: its warps wait for L2 in the midst of what they compute. Beside products of
matrices with tiles, those without took 1.4 to 3.7 times as long on an H100 as was counted, from n = 2048 on."""
WORTH_ALIGNMENT = 0.9
"""The part of the clocks that must be left for a kernel to need rows of a length that some programs do not have."""
WORTH_ALIGNED_BASES = 0.98
"""The same for it to need arrays that begin at aligned addresses. With the weights of a star loaded at once, which is
estimated to save 0.3 %, ptxas took six registers more, and the kernel 1.2 times as long (star3d in bench/results)."""


class Coarse(Struct, frozen=True):
    """A kernel whose threads have several iterations, and what an iteration is estimated to cost.

    ``decisions`` tell of the directives whose tiles stand in the kernel's body. Launches whose rows are not aligned
    take the ``unaligned`` one, if there is one. Launches of fewer than ``fewest_blocks`` have threads of one
    iteration. ``counted`` is ``CachedKernel.counted``.
    """

    kernel: MappedKernel
    cost: Cost
    unaligned: Coarse | None = None
    decisions: tuple[Decision, ...] = ()
    fewest_blocks: int = 0
    counted: CachedKernel | None = None

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The tiles that all iterations have in common."""
        return tuple(item.tile for item in self.decisions if item.tile is not None)

    @property
    def iterations(self) -> int:
        """How many a thread has."""
        return prod(number for _, number in self.kernel.outputs)

    @property
    def candidate(self) -> Candidate:
        """What is told of it."""
        return of_iterations(self.kernel, self.cost, _registers(self.kernel), self.tiles)


Base = Callable[[MappedKernel, Outputs], CachedKernel]
"""Makes of a kernel without directives one with the tiles that all iterations share; it tells what was decided."""


def without_tiles(kernel: MappedKernel, _: Outputs) -> CachedKernel:
    """A kernel as it is, in which registers alone serve directives."""
    return CachedKernel(kernel, kernel.body, ())


def asked_for(options: Options, kernel: MappedKernel, base: Base | None = None) -> Coarse | None:
    """The kernel with as many iterations a thread as the user asks for; None if that is one, or cannot be.

    It has the tiles of a ``base``, if there is one.
    """
    if options.coarsen in ("auto", "off"):
        return None
    kernel = in_coarse_blocks(kernel)
    outputs = _outputs_of(options.coarsen, kernel)
    survey = Survey(_fitting(kernel, outputs), options.fast_math)
    found = list(_layouts(survey, outputs, options.wide != "off", base=base or without_tiles))
    return _preferred([item for item in found if item.tiles or base is None], options.wide)


def _outputs_of(coarsen: str, kernel: MappedKernel) -> Outputs:
    """What an option asks for, along the axes that a kernel has: rows of planes where it has no planes."""
    first, *others = map(int, coarsen.split("x"))
    if len(others) > 1 and _has_planes(kernel):
        return (("x", 1), ("z", first))
    if kernel.block[1] == 1:
        return (("x", first),)
    return (("y", first), ("x", others[-1] if others else 1))


def in_coarse_blocks(kernel: MappedKernel) -> MappedKernel:
    """A kernel without cache directives in blocks for threads with several iterations."""
    plain = plain_kernel(kernel)
    return in_smaller_blocks(plain, THREADS) if plain.is_block_ours and plain.threads > THREADS else plain


def _short_loops(kernel: MappedKernel) -> dict[str, int]:
    """The numbers of iterations of loops that no block has to share, where that is a constant, by their axis."""
    loops = (node for node in walk(kernel.body) if isinstance(node, ParallelFor))
    lengths = ((loop.block, constant_trips(loop.loop), loop.threads) for loop in loops)
    return {axis: trips for axis, trips, threads in lengths if 0 < trips <= threads}


def _factors(usual: tuple[int, ...], length: int | None) -> tuple[int, ...]:
    """The numbers of iterations to try of a loop: of a short one those that divide it."""
    if length is None or len(usual) == 1:
        return usual
    return tuple(number for number in range(1, max(usual) + 1) if length % number == 0)


def _fitting(kernel: MappedKernel, outputs: Outputs) -> MappedKernel:
    """The kernel in blocks that have a thread for so many iterations each of its short loops, if sizes are ours."""
    is_short = bool(_short_loops(kernel).keys() & {axis for axis, number in outputs if number > 1})
    return in_smaller_blocks(kernel, THREADS, outputs) if is_short and kernel.is_block_ours else kernel


def cheapest(
    kernel: MappedKernel, usual: Cost, is_tiled: bool, options: Options, *, bases: Sequence[Base], of_block: Base | None
) -> tuple[Coarse | None, tuple[Candidate, ...]]:
    """The kernel with the fewest iterations a thread that take nearly the fewest clocks each; None if one is better.

    And all that were tried. ``usual`` is what a warp takes whose threads have one iteration, in a kernel that
    ``is_tiled`` or not. More iterations a thread are fewer threads, each of which has more registers. Tiles that all
    iterations share are those of the ``bases``, tiles that hold what all of them use those ``of_block``. A form that
    the options choose for this kernel is taken whatever is estimated.
    """
    if any(isinstance(node, Atomic) for node in walk(kernel.body)):
        return None, ()  # what these cost depends on the data
    is_asked = any(isinstance(node, Cache) for node in walk(kernel.source))
    part = WORTH_A_TILE if is_tiled else WORTH if is_asked else WORTH_UNASKED
    joins = options.wide == "on" or (options.wide == "auto" and is_asked)
    plain = in_coarse_blocks(kernel)
    candidates = [*_candidates(plain, joins, options.fast_math)]
    for base in bases:
        candidates += (item for item in _candidates(plain, joins, options.fast_math, base) if item.tiles)
    tried = [(item, _refusal(item, usual, WORTH if item.tiles else part)) for item in candidates]
    few = [item for item, refused in tried if not refused and _registers(item.kernel) <= USUAL_REGISTERS]
    usually = _preferred(few, options.wide)
    tried = [(item, refused or _greedy(item, usually)) for item, refused in tried]
    best = _preferred([item for item, refused in tried if not refused], options.wide)
    if best is not None and of_block is not None:
        tiled = list(_with_tiles_of_block(plain, best, joins, options.fast_math, base=of_block))
        tried += [(item, _refusal(item, usual, WORTH)) for item in tiled]
        instead = [item for item in tiled if _part(item) * item.cost.clocks < best.cost.clocks]
        found = _preferred([item for item, refused in tried if not refused and item in instead], options.wide)
        best = _with_unaligned(found, best) if found is not None else best
    best = _named([item for item, _ in tried], dict(options.choices).get(kernel.name, "")) or best
    told = (replace(item.candidate, refused=refused or _lost(item, best)) for item, refused in tried)
    return best, tuple(told)


def _with_tiles_of_block(
    plain: MappedKernel, best: Coarse, joins: bool, fast_math: bool, *, base: Base
) -> Iterator[Coarse]:
    """The kernel with as many iterations a thread as the best one has, and twice as many, and tiles for all of them."""
    several = {"x": 1, **dict(best.kernel.outputs)}
    doubled = {**several, "y": 2 * several.get("y", 1)}
    survey = Survey(plain, fast_math)
    for outputs in (several, doubled) if "z" not in several and doubled["y"] <= max(ROWS) else (several,):
        for item in _layouts(survey, tuple(sorted(outputs.items())), joins, base=base):
            if any(map(follows_block, item.tiles)):
                yield replace(item, fewest_blocks=_fewest_blocks(plain, item.kernel, fast_math))


def _with_unaligned(tiled: Coarse, plain: Coarse) -> Coarse:
    """A kernel with tiles, and the one for rows that are not aligned: that without tiles if there is no other."""
    if not tiled.kernel.alignment.multiples or tiled.unaligned is not None:
        return tiled
    return replace(tiled, unaligned=plain.unaligned if plain.kernel.alignment.multiples else plain)


def _part(tiled: Coarse) -> float:
    """The part of the clocks with tiles for all iterations of a block for which they are taken."""
    return OVER_L1 if any(map(_moves, tiled.tiles)) else 1 / NEAR


def _moves(tile: Tile) -> bool:
    """Whether a tile holds something else in each round of a loop in its block."""
    names = frozenset[str]().union(*(dimension.start.names for dimension in tile.range.dimensions))
    return any(not name.endswith(FIRST.format("")) for name in names)


def _named(tried: list[Coarse], name: str) -> Coarse | None:
    """The kernel of a name, with the best one for launches whose rows are not aligned."""
    found = next((item for item in tried if item.candidate.name == name), None)
    if found is None or not found.kernel.alignment.multiples:
        return found
    return replace(found, unaligned=_unaligned(found, tried))


def _refusal(item: Coarse, usual: Cost, part: float) -> str:
    """Reason a kernel is ruled out whatever the other candidates take, or ''."""
    unfit = _unfit(item)
    if not unfit and item.cost.clocks > part * usual.clocks:
        return f"it saves less than {1 - part:.0%} of the {usual} that one iteration a thread takes"
    return unfit


def _greedy(item: Coarse, usually: Coarse | None) -> str:
    """Reason a kernel is ruled out that takes more registers than usual, beside the best that does not, or ''."""
    registers = _registers(item.kernel)
    if usually is None or registers <= USUAL_REGISTERS:
        return ""
    if item.cost.clocks <= WORTH_REGISTERS * usually.cost.clocks:
        return ""
    part = f"{1 - WORTH_REGISTERS:.0%} of the clocks with {USUAL_REGISTERS} or fewer"
    return f"its iterations have {registers} registers for themselves, and it saves less than {part}"


def _unfit(item: Coarse) -> str:
    """Reason a kernel is ruled out, and all with more iterations a thread, or ''."""
    registers = _registers(item.kernel)
    if registers > MOST_REGISTERS:
        return f"its iterations have {registers} registers for themselves, more than {MOST_REGISTERS}"
    if _is_small(item.kernel, item.fewest_blocks):
        return f"its launches have fewer than {item.fewest_blocks} blocks"
    return ""


def _lost(item: Coarse, best: Coarse | None) -> str:
    """Reason the best candidate is preferred to a kernel about as fast, or ''."""
    if best is None or item.cost.clocks * NEAR > best.cost.clocks or item.kernel is best.kernel:
        return ""
    if any(map(_moves, best.tiles)) and not any(map(_moves, item.tiles)):
        return (
            f"L1 serves what the tiles of the chosen one hold, of whose clocks it must save {1 - OVER_L1:.0%} for that"
        )
    if any(map(follows_block, item.tiles)) and not any(map(follows_block, best.tiles)):
        return f"its tiles save less than {1 - NEAR:.0%} of the chosen one, which has none of these"
    if item.kernel.alignment.multiples and not best.kernel.alignment.multiples:
        return f"it needs aligned rows, and saves less than {1 - WORTH_ALIGNMENT:.0%} of the chosen one"
    if item.kernel.alignment and not best.kernel.alignment and item.iterations <= best.iterations:
        return f"it needs aligned arrays, and saves less than {1 - WORTH_ALIGNED_BASES:.0%} of the chosen one"
    return f"it saves less than {1 / NEAR - 1:.0%} of the chosen one, which has fewer iterations"


@remembered
def obstacle(kernel: MappedKernel) -> str:
    """Why threads of a kernel cannot have several iterations; '' if they can."""
    if any(isinstance(node, Atomic) for node in walk(kernel.body)):
        return "what its atomic operations cost depends on the data"
    plain = in_coarse_blocks(kernel)
    found = [coarsened(plain, ((axis, 2),)) for axis in ("x", "y")]
    return next((item for item in found if isinstance(item, str)), "") if all(map(_is_text, found)) else ""


def _is_text(found: MappedKernel | str) -> bool:
    return isinstance(found, str)


def _preferred(found: list[Coarse], wide: str) -> Coarse | None:
    """The best of some kernels, whose rows need not be aligned unless that pays, or is asked for."""
    always = _best(item for item in found if not item.kernel.alignment.multiples)
    aligned = _best(item for item in found if item.kernel.alignment.multiples)
    if wide == "on":
        always = _best(item for item in found if _is_only_based(item.kernel.alignment)) or always
    elif aligned is not None and always is not None and aligned.cost.clocks > WORTH_ALIGNMENT * always.cost.clocks:
        return always
    return replace(aligned, unaligned=_unaligned(aligned, found)) if aligned is not None else always


def _unaligned(aligned: Coarse, found: Iterable[Coarse]) -> Coarse | None:
    """The best kernel for launches whose rows are not aligned, of those with the same tiles."""
    texts = aligned.candidate.subarrays
    return _best(item for item in found if not item.kernel.alignment.multiples and item.candidate.subarrays == texts)


def _is_only_based(alignment: Alignment) -> bool:
    """Whether wide accesses need nothing but that arrays are aligned."""
    return bool(alignment.arrays) and not alignment.multiples


def _best(candidates: Iterable[Coarse]) -> Coarse | None:
    """Of those that take nearly the fewest clocks the one with the fewest iterations a thread.

    Of several of these the quickest, which needs no aligned arrays unless that pays; where the same bounds them all, as
    turns of a table do, the one with least to do.
    """
    found = list(candidates)
    near = _within(NEAR, found)
    fewest = min((item.iterations for item in near), default=0)
    few = [item for item in near if item.iterations == fewest]
    about = _within(WORTH_ALIGNED_BASES, few)
    alike = _within(SAME, [item for item in about if not item.kernel.alignment] or few)
    return min(alike, key=lambda item: sum(item.cost.limits.values()), default=None)


def _within(part: float, found: list[Coarse]) -> list[Coarse]:
    """Those of which the quickest one takes more than a ``part`` of the clocks."""
    best = min((item.cost.clocks for item in found), default=0)
    return [item for item in found if item.cost.clocks * part <= best]


def _fewest_blocks(plain: MappedKernel, coarse: MappedKernel, fast_math: bool) -> int:
    """How many blocks a launch must have for each thread to have several iterations; in the plain kernel each has one.

    Twice as many iterations a thread as were measured need half as many threads.
    """
    iterations = prod(number for _, number in coarse.outputs)
    threads = _fewest_threads(plain, fast_math) * min(1, MEASURED_ITERATIONS / iterations)
    return ceil(threads / coarse.threads)


def _fewest_threads(kernel: MappedKernel, fast_math: bool) -> int:
    """How many threads a launch must have for each to have several iterations, of a kernel in which each has one."""
    loops = (node for node in walk(kernel.body) if isinstance(node, (For, While)))
    inner = (node for loop in loops for node in walk(loop.body) if isinstance(node, Expr))
    return FILLING_THREADS if any(has_slow_path(node, fast_math) for node in inner) else FEWEST_THREADS


def _is_small(kernel: MappedKernel, fewest: int) -> bool:
    """Whether all launches are known to have few blocks."""
    trips = [constant_trips(loop) for loop in kernel.counted_loops]
    blocks = prod(-(-trip // threads) for trip, threads in zip(trips, kernel.grid_threads, strict=True))
    return all(trips) and blocks < fewest


def _candidates(kernel: MappedKernel, joins: bool, fast_math: bool, base: Base = without_tiles) -> Iterator[Coarse]:
    """The kernel with more and more iterations a thread along each axis, as long as more of them help."""
    lengths = _short_loops(kernel)
    rows = _factors(ROWS if kernel.block[1] > 1 else (1,), lengths.get("y"))
    columns = _factors(COLUMNS, lengths.get("x"))
    planes = _factors((1, *PLANES), lengths.get("z")) if _has_planes(kernel) else (1,)
    survey = Survey(kernel, fast_math)
    for axis, along, across in (("y", rows, columns), ("z", planes, (1,))):
        clocks = {(0, 0): plain_cost(survey).clocks}
        for y, x in product(range(len(along)), range(len(across))):
            before = [clocks[fewer] for fewer in ((y - 1, x), (y, x - 1)) if fewer in clocks]
            if not before:
                continue
            outputs = (("x", across[x]), (axis, along[y]))
            fitting = _fitting(kernel, outputs)
            fitted = survey if fitting is kernel else Survey(fitting, fast_math)
            layouts = _layouts(fitted, outputs, joins, base=base)
            found = [replace(item, fewest_blocks=_fewest_blocks(kernel, item.kernel, fast_math)) for item in layouts]
            yield from found
            best = min((item.cost.clocks for item in found if not _unfit(item)), default=inf)
            if best < MORE * min(before):
                clocks[y, x] = best


def _has_planes(kernel: MappedKernel) -> bool:
    """Whether blocks of one plane are spread over the planes of a third loop."""
    return kernel.block[2] == 1 and any(
        isinstance(node, ParallelFor) and node.block == "z" for node in walk(kernel.body)
    )


def _layouts(survey: Survey, outputs: Outputs, joins: bool, *, base: Base = without_tiles) -> Iterator[Coarse]:
    """A kernel with several iterations a thread that lie a block's width apart along x, or next to each other."""
    planned = base(survey.kernel, outputs)
    tiled = planned.kernel if planned.body is planned.kernel.body else replace(planned.kernel, body=planned.body)
    for blocked in (False, True) if joins and dict(outputs)["x"] > 1 else (False,):
        found = coarsened(tiled, outputs, blocked, survey.kernel if planned.decisions else None)
        if isinstance(found, MappedKernel):
            part = at_edges(found)
            edges = plain_cost(survey).times(part) if part else FREE
            for item in _estimated(found, planned.decisions, joins, survey.fast_math):
                yield replace(item, cost=item.cost + edges, counted=planned.counted)


def at_edges(kernel: MappedKernel) -> float:
    """The part of the warps in which threads go through their iterations one by one, for the program's conditions."""
    if not kernel.edges:
        return 0
    loops = {node.block: node for node in walk(kernel.body) if isinstance(node, ParallelFor)}
    factors, lanes = dict(kernel.outputs), WARP
    parts = {}
    for axis, threads in zip("xyz", kernel.block, strict=True):
        wide = min(lanes, threads)
        lanes //= wide
        iterations = (constant_trips(loops[axis].loop) if axis in loops else 0) or SIZE
        parts[axis] = wide * factors.get(axis, 1) / iterations
    return min(1, sum(parts[axis] for axis in kernel.edges))


def _estimated(kernel: MappedKernel, decisions: tuple[Decision, ...], joins: bool, fast_math: bool) -> Iterator[Coarse]:
    """What an iteration takes of threads that have all, without wide accesses where lanes are neighbours, and with."""
    part = inner_part(kernel.body)
    survey = Survey(replace(kernel, body=part), fast_math)
    each = 1 / prod(number for _, number in kernel.outputs)
    tiles = tuple(item.tile for item in decisions if item.tile is not None)
    cost, alignment = joined_cost(survey, part, tiles) if joins else (FREE, Alignment())
    if not kernel.is_blocked:
        plain = cost if joins and not alignment else kernel_cost(survey, part, tiles)
        yield Coarse(kernel, plain.times(each), decisions=decisions)
    if alignment:
        wider = with_joined_copies(survey, tiles)
        body = rewrite(kernel.body, with_tiles(wider, {})) if wider else kernel.body
        decisions = tuple(with_tile(item, wider) for item in decisions)
        yield Coarse(replace(kernel, body=body, alignment=alignment), cost.times(each), decisions=decisions)


@remembered
def _registers(kernel: MappedKernel) -> int:
    """The registers that hold what each of a thread's iterations has for itself from one statement to the next."""
    arrays = (node for node in walk(inner_part(kernel.body)) if isinstance(node, Declare) and is_array(node.type))
    return max(prod(number for _, number in kernel.outputs), sum(max(1, sizeof(node.type) // 4) for node in arrays))
