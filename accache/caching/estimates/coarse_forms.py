"""Kernels whose threads have several iterations of their parallel loops, and what an iteration of each costs.

Registers are the nearest memory on the chip: a thread with several iterations loads what they share once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import ceil, inf, prod

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop, constant_trips
from accache.analysis.unrollable import UNROLLED
from accache.caching.cached import CachedKernel
from accache.caching.decisions import Decision, tiles_of, with_tile
from accache.caching.estimates.banks import WARP
from accache.caching.estimates.candidates import Candidate, of_iterations
from accache.caching.estimates.cost import FREE, Cost
from accache.caching.estimates.grid_search import Point, climb
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
from accache.ir.constants import constant
from accache.ir.kernels.alignment import Alignment
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor
from accache.ir.kernels.tiles import Tile
from accache.ir.sizes import sizeof
from accache.ir.tree import Atomic, Declare, Expr, For, While
from accache.ir.types import is_array
from accache.ir.walk import is_computed, nodes_of, remembered, rewrite, used_variables, walk
from accache.mapping.blocks import Outputs
from accache.mapping.coarsening.coarse_kernels import coarsened, inner_part, is_half_used
from accache.mapping.mapped import MappedKernel
from accache.mapping.mapping import in_rectangle, in_smaller_blocks

ROWS, COLUMNS, PLANES = (1, 2, 4, 8), (1, 2, 4), (4, 8)
MORE = 0.98
"""The part of the clocks that must be left for twice as many iterations to be tried, too."""
NEAR = 0.95
"""Of numbers of iterations whose clocks differ by less, the smallest is taken."""
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
OUTSIDE = 24
"""Slots in which a warp finds that it has nothing to do."""
USUAL_REGISTERS, MOST_REGISTERS = 32, 64
"""So many registers of a thread may hold what its iterations have each for themselves, and so many where that pays."""


class Coarse(Struct, frozen=True):
    """A kernel whose threads have several iterations, and what an iteration is estimated to cost.

    ``decisions`` tell of the directives whose tiles stand in the kernel's body. Launches whose rows are not aligned
    take the ``unaligned`` one, if there is one. Launches of fewer than ``fewest_blocks`` have threads of one
    iteration, or take the one with ``fewer``, if there is one and they have as many blocks as that asks for.
    ``counted`` is ``CachedKernel.counted``.
    """

    kernel: MappedKernel
    cost: Cost
    unaligned: Coarse | None = None
    decisions: tuple[Decision, ...] = ()
    fewest_blocks: int = 0
    fewer: Coarse | None = None
    counted: CachedKernel | None = None

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The tiles that all iterations have in common."""
        return tiles_of(self.decisions)

    @property
    def iterations(self) -> int:
        """How many a thread has."""
        return prod(number for _, number in self.kernel.coarse.outputs)

    @property
    def fewest_iterations(self) -> int:
        """How many iterations a launch has for which there are threads enough."""
        return self.fewest_blocks * self.kernel.shape.threads * self.iterations

    @property
    def candidate(self) -> Candidate:
        """What is told of it."""
        return of_iterations(self.kernel, self.cost, own_registers(self.kernel), self.tiles)


Base = Callable[[MappedKernel, Outputs], CachedKernel]
"""Makes of a kernel without directives one with the tiles that all iterations share; it tells what was decided."""


def in_coarse_blocks(kernel: MappedKernel) -> MappedKernel:
    """A kernel without cache directives in blocks for threads with several iterations."""
    plain = in_rectangle(plain_kernel(kernel))
    return in_smaller_blocks(plain, THREADS) if plain.is_block_ours and plain.shape.threads > THREADS else plain


@remembered
def obstacle(kernel: MappedKernel) -> str:
    """Why threads of a kernel cannot have several iterations; '' if they can."""
    if any(nodes_of(kernel.body, Atomic)):
        return "what its atomic operations cost depends on the data"
    plain = in_coarse_blocks(kernel)
    if not is_half_used(plain):
        return "only launches know which part of the rectangle around it is a triangle"
    found = [coarsened(plain, ((axis, 2),)) for axis in ("x", "y")]
    return next((item for item in found if isinstance(item, str)), "") if all(map(_is_text, found)) else ""


def _is_text(found: MappedKernel | str) -> bool:
    return isinstance(found, str)


def forms(kernel: MappedKernel, joins: bool, fast_math: bool, base: Base | None = None) -> tuple[Coarse, ...]:
    """The kernel with more and more iterations a thread along each axis, as long as more of them help."""
    lengths = _short_loops(kernel)
    rows = _factors(ROWS if kernel.shape.block[1] > 1 else (1,), lengths.get("y"))
    columns = _factors(COLUMNS, lengths.get("x"))
    planes = _factors((1, *PLANES), lengths.get("z")) if has_planes(kernel) else (1,)
    tried = _Tried(Survey(kernel, fast_math), joins, base)
    for axis, along, across in (("y", rows, columns), ("z", planes, (1,))):
        clocks = partial(tried.clocks, axis, along, across)
        climb((len(along), len(across)), clocks, worth=MORE, near=NEAR)
    return tuple(tried.found)


class _Tried(Struct):
    """The forms of a surveyed kernel that were estimated, with the tiles of a base or without any."""

    survey: Survey
    joins: bool
    base: Base | None
    found: list[Coarse] = field(default_factory=list)

    def clocks(self, axis: str, along: tuple[int, ...], across: tuple[int, ...], point: Point) -> float:
        """What the best form takes with so many iterations along an axis, and across it along x."""
        if point == (0, 0):
            return plain_cost(self.survey).clocks
        forms = self.forms((("x", across[point[1]]), (axis, along[point[0]])))
        self.found += forms
        return min((item.cost.clocks for item in forms if not reason_unfit(item)), default=inf)

    def forms(self, outputs: Outputs) -> list[Coarse]:
        """The kernel with so many iterations a thread, in all layouts."""
        kernel, fast_math = self.survey.kernel, self.survey.fast_math
        fitting = in_fitting_blocks(kernel, outputs)
        fitted = self.survey if fitting is kernel else Survey(fitting, fast_math)
        layouts = layouts_of(fitted, outputs, self.joins, base=self.base)
        return [replace(item, fewest_blocks=fewest_blocks_of(kernel, item.kernel, fast_math)) for item in layouts]


def layouts_of(
    survey: Survey,
    outputs: Outputs,
    joins: bool,
    *,
    base: Base | None = None,
    is_wanted: Callable[[tuple[Tile, ...]], bool] = bool,
) -> Iterator[Coarse]:
    """A kernel with several iterations a thread that lie a block's width apart along x, or next to each other.

    With a base, it has tiles, and there is none where these are not wanted.
    """
    planned = base(survey.kernel, outputs) if base else CachedKernel(survey.kernel, survey.kernel.body, ())
    if base and not is_wanted(tiles_of(planned.decisions)):
        return
    tiled = planned.kernel if planned.body is planned.kernel.body else replace(planned.kernel, body=planned.body)
    for blocked in (False, True) if joins and dict(outputs)["x"] > 1 else (False,):
        found = coarsened(tiled, outputs, blocked, survey.kernel if planned.decisions else None)
        if isinstance(found, MappedKernel):
            part = at_edges(found)
            others = (plain_cost(survey).times(part) if part else FREE) + beside_triangle(found)
            for item in _estimated(found, planned.decisions, joins, survey.fast_math):
                yield replace(item, cost=item.cost + others, counted=planned.counted)


def at_edges(kernel: MappedKernel) -> float:
    """The part of the warps in which threads go through their iterations one by one, for the program's conditions."""
    if not kernel.coarse.edges:
        return 0
    loops = {node.block: node for node in nodes_of(kernel.body, ParallelFor)}
    factors, lanes = dict(kernel.coarse.outputs), WARP
    parts = {}
    for axis, threads in zip("xyz", kernel.shape.block, strict=True):
        wide = min(lanes, threads)
        lanes //= wide
        iterations = (constant_trips(loops[axis].loop) if axis in loops else 0) or SIZE
        parts[axis] = wide * factors.get(axis, 1) / iterations
    return min(1, sum(parts[axis] for axis in kernel.coarse.edges))


def beside_triangle(kernel: MappedKernel) -> Cost:
    """What threads without work take for each iteration, of which a rectangle has as many outside of its triangle."""
    iterations = prod(number for _, number in kernel.coarse.outputs)
    return Cost(slots=OUTSIDE / iterations) if kernel.is_rectangle else FREE


def _estimated(kernel: MappedKernel, decisions: tuple[Decision, ...], joins: bool, fast_math: bool) -> Iterator[Coarse]:
    """What an iteration takes of threads that have all, without wide accesses where lanes are neighbours, and with."""
    part = inner_part(kernel.body)
    survey = Survey(replace(kernel, body=part), fast_math)
    each = 1 / prod(number for _, number in kernel.coarse.outputs)
    tiles = tiles_of(decisions)
    cost, alignment = joined_cost(survey, part, tiles) if joins else (FREE, Alignment())
    if not kernel.coarse.is_blocked:
        plain = cost if joins and not alignment else kernel_cost(survey, part, tiles)
        yield Coarse(kernel, plain.times(each), decisions=decisions)
    if alignment:
        wider = with_joined_copies(survey, tiles)
        body = rewrite(kernel.body, with_tiles(wider, {})) if wider else kernel.body
        decisions = tuple(with_tile(item, wider) for item in decisions)
        yield Coarse(replace(kernel, body=body, alignment=alignment), cost.times(each), decisions=decisions)


def reason_unfit(item: Coarse) -> str:
    """Reason a kernel is ruled out, and all with more iterations a thread, or ''."""
    registers = own_registers(item.kernel)
    if registers > MOST_REGISTERS:
        return f"its iterations have {registers} registers for themselves, more than {MOST_REGISTERS}"
    if _is_small(item.kernel, item.fewest_blocks):
        return f"its launches have fewer than {item.fewest_blocks} blocks"
    return ""


@remembered
def own_registers(kernel: MappedKernel) -> int:
    """The registers that hold what each of a thread's iterations has for itself from one statement to the next."""
    arrays = (node for node in nodes_of(inner_part(kernel.body), Declare) if is_array(node.type))
    return max(
        prod(number for _, number in kernel.coarse.outputs), sum(max(1, sizeof(node.type) // 4) for node in arrays)
    )


def has_planes(kernel: MappedKernel) -> bool:
    """Whether blocks of one plane are spread over the planes of a third loop."""
    return kernel.shape.block[2] == 1 and any(
        isinstance(node, ParallelFor) and node.block == "z" for node in walk(kernel.body)
    )


def _short_loops(kernel: MappedKernel) -> dict[str, int]:
    """The numbers of iterations of loops that no block has to share, where that is a constant, by their axis."""
    loops = nodes_of(kernel.body, ParallelFor)
    lengths = ((loop.block, constant_trips(loop.loop), loop.threads) for loop in loops)
    return {axis: trips for axis, trips, threads in lengths if 0 < trips <= threads}


def _factors(usual: tuple[int, ...], length: int | None) -> tuple[int, ...]:
    """The numbers of iterations to try of a loop: of a short one those that divide it."""
    if length is None or len(usual) == 1:
        return usual
    return tuple(number for number in range(1, max(usual) + 1) if length % number == 0)


def in_fitting_blocks(kernel: MappedKernel, outputs: Outputs) -> MappedKernel:
    """The kernel in blocks that have a thread for so many iterations each of its short loops, if sizes are ours."""
    is_short = bool(_short_loops(kernel).keys() & {axis for axis, number in outputs if number > 1})
    return in_smaller_blocks(kernel, THREADS, outputs) if is_short and kernel.is_block_ours else kernel


def fewest_blocks_of(plain: MappedKernel, coarse: MappedKernel, fast_math: bool) -> int:
    """How many blocks a launch must have for each thread to have several iterations; 0 if all have as many.

    In the plain kernel each thread has one. Twice as many iterations a thread as were measured need half as many
    threads.
    """
    iterations = prod(number for _, number in coarse.coarse.outputs)
    threads = _fewest_threads(plain, fast_math) * min(1, MEASURED_ITERATIONS / iterations)
    threads *= 2 if coarse.is_rectangle else 1  # half of them have iterations in the triangle
    fewest = ceil(threads / coarse.shape.threads)
    return 0 if _known_blocks(coarse) >= fewest else fewest


def _fewest_threads(kernel: MappedKernel, fast_math: bool) -> int:
    """How many threads a launch must have for each to have several iterations, of a kernel in which each has one."""
    loops = (node for node in walk(kernel.body) if isinstance(node, (For, While)))
    counted = [loop for loop in map(canonical_loop, nodes_of(kernel.body, For)) if isinstance(loop, CanonicalLoop)]
    short = (loop for loop in counted if constant(loop.first) is not None and 0 < constant_trips(loop) <= UNROLLED)
    constants = frozenset(loop.variable for loop in short)
    nodes = (node for loop in loops for node in walk(loop.body) if isinstance(node, Expr))
    inner = (node for node in nodes if not (is_computed(node) and used_variables(node) <= constants))
    return FILLING_THREADS if any(has_slow_path(node, fast_math) for node in inner) else FEWEST_THREADS


def _is_small(kernel: MappedKernel, fewest: int) -> bool:
    """Whether all launches are known to have few blocks."""
    return 0 < _known_blocks(kernel) < fewest


def _known_blocks(kernel: MappedKernel) -> int:
    """The blocks that all launches have; 0 where only the run knows them."""
    trips = [constant_trips(loop) for loop in kernel.shape.counted_loops]
    return (
        prod(-(-trip // threads) for trip, threads in zip(trips, kernel.shape.grid_threads, strict=True))
        if trips
        else 0
    )
