"""How many iterations of its parallel loops a thread has: as many as share what they load.

The estimate of ``cost`` says whether that, a tile, or neither takes the fewest clocks an iteration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from accache.base.architectures import architecture
from accache.base.choices import WideChoice
from accache.base.options import Options
from accache.caching.estimates.candidates import Candidate
from accache.caching.estimates.coarse_forms import (
    NEAR,
    ROWS,
    USUAL_REGISTERS,
    Base,
    Coarse,
    fewest_blocks_of,
    forms,
    has_planes,
    in_coarse_blocks,
    in_fitting_blocks,
    layouts_of,
    own_registers,
    reason_unfit,
)
from accache.caching.estimates.cost import Cost
from accache.caching.estimates.grouped_forms import WORTH_JOINING, coarse_in_groups, coarse_in_joined_chunks
from accache.caching.estimates.kernel_cost import kernel_cost
from accache.caching.survey import Survey
from accache.ir.kernels.alignment import Alignment
from accache.ir.kernels.simt import CacheRegion
from accache.ir.kernels.tiles import Tile
from accache.ir.names import FIRST
from accache.ir.tree import Atomic, Cache, For, Stmt, While
from accache.ir.walk import nodes_of
from accache.mapping.blocks import Outputs
from accache.mapping.coarsening.coarse_kernels import follows_block, inner_part, is_half_used
from accache.mapping.mapped import MappedKernel

WORTH_REGISTERS = 0.9
"""The part of the clocks that must be left for more registers than usual: fewer threads then fit a multiprocessor."""
WORTH = 0.95
"""The part of the clocks that must be left for threads to get more iterations, of which a launch then has fewer."""
WORTH_A_TILE = 0.85
"""The same where threads with one iteration have tiles, which small launches then go without."""
WORTH_UNASKED = 0.8
"""The same where no cache directive asks for it: what is emitted becomes three times as long."""
SAME = 0.999
"""Clocks that differ by less are the same."""
OVER_L1 = 0.8
"""The part of the clocks that a kernel may take in which L1 serves what tiles hold that move along a loop, for it to be
taken in the place of one with these: its warps wait for L2 in the midst of what they compute. Beside products of
matrices with tiles, those without took 1.4 to 3.7 times as long on an H100 as was counted, from n = 2048 on."""
FEWEST_SLOTS = 320
"""So many instructions each warp must have between two barriers for that: the latency of L2, some 250 clocks, is then a
fifth of what four warps a scheduler issue."""
FEWEST_RESIDENT = 512
"""So many threads of a multiprocessor there must be room for beside tiles: fewer do not cover the latency of L2."""
WORTH_FEWER = 0.7
"""The part of the clocks with one iteration a thread that must be left for a version with fewer iterations, which one
more launch shape takes."""
FEWER = 4
"""So many iterations a thread has in that version at most, and no more than half of what it has in large launches."""
WORTH_ALIGNMENT = 0.9
"""The part of the clocks that must be left for a kernel to need rows of a length that some programs do not have."""
WORTH_ALIGNED_BASES = 0.98
"""The same for it to need arrays that begin at aligned addresses. With the weights of a star loaded at once, which is
estimated to save 0.3 %, ptxas took six registers more, and the kernel 1.2 times as long (star3d in bench/results)."""


def asked_for(options: Options, kernel: MappedKernel, base: Base | None = None) -> Coarse | None:
    """The kernel with as many iterations a thread as the user asks for; None if that is one, or cannot be.

    It has the tiles of a ``base``, if there is one.
    """
    if options.coarsen in ("auto", "off"):
        return None
    kernel = in_coarse_blocks(kernel)
    outputs = _outputs_of(options.coarsen, kernel)
    survey = Survey(in_fitting_blocks(kernel, outputs), options.fast_math)
    found = list(layouts_of(survey, outputs, options.wide != "off", base=base))
    return _preferred(found, options.wide)


def _outputs_of(coarsen: str, kernel: MappedKernel) -> Outputs:
    """What an option asks for, along the axes that a kernel has: rows of planes where it has no planes."""
    first, *others = map(int, coarsen.split("x"))
    if len(others) > 1 and has_planes(kernel):
        return (("x", 1), ("z", first))
    if kernel.shape.block[1] == 1:
        return (("x", first),)
    return (("y", first), ("x", others[-1] if others else 1))


def cheapest(
    kernel: MappedKernel, usual: Cost, is_tiled: bool, options: Options, *, bases: Sequence[Base], of_block: Base | None
) -> tuple[Coarse | None, tuple[Candidate, ...]]:
    """The kernel with the fewest iterations a thread that take nearly the fewest clocks each; None if one is better.

    And all that were tried. ``usual`` is what a warp takes whose threads have one iteration, in a kernel that
    ``is_tiled`` or not. More iterations a thread are fewer threads, each of which has more registers. Tiles that all
    iterations share are those of the ``bases``, tiles that hold what all of them use those ``of_block``. A form that
    the options choose for this kernel is taken whatever is estimated.
    """
    if any(nodes_of(kernel.body, Atomic)):
        return None, ()  # what these cost depends on the data
    is_asked = any(nodes_of(kernel.source, Cache))
    part = WORTH_A_TILE if is_tiled else WORTH if is_asked else WORTH_UNASKED
    joins = options.wide == "on" or (options.wide == "auto" and is_asked)
    plain = in_coarse_blocks(kernel)
    if not is_half_used(plain):
        return None, ()
    candidates = [*forms(plain, joins, options.fast_math)]
    for base in bases:
        candidates += forms(plain, joins, options.fast_math, base)
    refusals = (_refusal(item, usual, WORTH if item.tiles else part, options.arch) for item in candidates)
    tried = list(zip(candidates, refusals, strict=True))
    few = [item for item, refused in tried if not refused and own_registers(item.kernel) <= USUAL_REGISTERS]
    usually = _preferred(few, options.wide)
    tried = [(item, refused or _greedy(item, usually)) for item, refused in tried]
    best = _preferred([item for item, refused in tried if not refused], options.wide)
    if best is not None and joins and not best.tiles:
        for made, worth in ((coarse_in_groups, WORTH_ALIGNMENT), (coarse_in_joined_chunks, WORTH_JOINING)):
            forms_in_groups = made(plain, _outputs(best), options.fast_math)
            grouped = [(item, _refusal(item, usual, part, options.arch)) for item in forms_in_groups]
            tried += grouped
            best = _in_groups([item for item, refused in grouped if not refused], best, worth)
    without = best
    saves = best is not None and _least_with_tiles(best, candidates) < NEAR * best.cost.clocks
    if best is not None and of_block is not None and (saves or _stand_in_loops(kernel.body)):
        forms_of_block = _with_tiles_of_block(plain, best, joins, options.fast_math, base=of_block, moving=not saves)
        tiled = [(item, _refusal(item, usual, WORTH, options.arch)) for item in forms_of_block]
        tried += tiled
        instead = [item for item, refused in tiled if not refused and _is_preferred(item, best, options.fast_math)]
        best = _preferred(instead, options.wide) or best
    best = _named([item for item, _ in tried], dict(options.choices).get(kernel.name, "")) or best
    if best is not None and without is not None:
        best = replace(_with_unaligned(best, without), fewer=_fewer(best, candidates, usual, options.wide))
    told = (replace(item.candidate, refused=refused or _lost(item, best)) for item, refused in tried)
    return best, tuple(told)


def _in_groups(found: list[Coarse], best: Coarse, worth: float) -> Coarse:
    """The quickest of some kernels whose loops go in groups, which asks least of launches; the best one if that is.

    A part of its clocks must be left for another to be ``worth`` what it asks.
    """
    quick = _within(SAME, found)
    quickest = min(quick, key=lambda item: len(item.kernel.alignment.arrays), default=best)
    if quickest.cost.clocks > worth * best.cost.clocks:
        return best
    return replace(quickest, unaligned=best.unaligned or best)


def _outputs(coarse: Coarse) -> Outputs:
    """The iterations of a thread, along all axes."""
    return tuple(sorted({"x": 1, **dict(coarse.kernel.coarse.outputs)}.items()))


def _least_with_tiles(best: Coarse, found: Iterable[Coarse]) -> float:
    """The fewest clocks with tiles of the best kernel: sectors of L1 and what L2 is asked for again are saved.

    Instructions hardly are: of 534 programs none had tiles that stay and were worth it for these.
    """
    return max(best.cost.limits["issue"], min(item.cost.limits["L2"] for item in found))


def _stand_in_loops(body: Stmt) -> bool:
    """Whether cache directives stand in sequential loops, along which tiles may move."""
    loops: tuple[For | While, ...] = (*nodes_of(body, For), *nodes_of(body, While))
    return any(True for loop in loops for _ in nodes_of(loop.body, Cache))


def _with_tiles_of_block(
    plain: MappedKernel, best: Coarse, joins: bool, fast_math: bool, *, base: Base, moving: bool
) -> Iterator[Coarse]:
    """The kernel with as many iterations a thread as the best one has, and twice as many, and tiles for all of them.

    Where only ``moving`` tiles may be better, one of them moves along a loop.
    """
    several = {"x": 1, **dict(best.kernel.coarse.outputs)}
    doubled = {**several, "y": 2 * several.get("y", 1)}
    has_rows = plain.shape.block[1] > 1 and "z" not in several
    survey = Survey(plain, fast_math)

    def is_wanted(tiles: tuple[Tile, ...]) -> bool:
        return any(map(follows_block, tiles)) and (not moving or _moves(tiles, plain))

    for outputs in (several, doubled) if has_rows and doubled["y"] <= max(ROWS) else (several,):
        for item in layouts_of(survey, tuple(sorted(outputs.items())), joins, base=base, is_wanted=is_wanted):
            yield replace(item, fewest_blocks=fewest_blocks_of(plain, item.kernel, fast_math))


def _with_unaligned(coarse: Coarse, without: Coarse) -> Coarse:
    """A kernel, and the one for rows that are not aligned: that ``without`` tiles if there is no other."""
    if not coarse.kernel.alignment.multiples or coarse.unaligned is not None:
        return coarse
    return replace(coarse, unaligned=without.unaligned if without.kernel.alignment.multiples else without)


def _fewer(best: Coarse, found: Iterable[Coarse], usual: Cost, wide: WideChoice) -> Coarse | None:
    """The best kernel for launches that have too few iterations for the ``best`` one, and many for one a thread."""
    few = (item for item in found if item.iterations <= min(FEWER, best.iterations // 2))
    fitting = (item for item in few if 0 < item.fewest_iterations < best.fewest_iterations and not item.tiles)
    cheap = (item for item in fitting if item.cost.clocks <= WORTH_FEWER * usual.clocks)
    return _preferred([item for item in cheap if not reason_unfit(item)], wide)


def _is_preferred(tiled: Coarse, without: Coarse, fast_math: bool) -> bool:
    """Whether tiles for all iterations of a block are better than none.

    Less is asked of those that move along a loop, since L1 would have to keep what they hold.
    """
    if tiled.cost.clocks < NEAR * without.cost.clocks:
        return True
    is_near = OVER_L1 * tiled.cost.clocks < without.cost.clocks
    return is_near and _moves(tiled.tiles, tiled.kernel) and _slots_a_round(tiled, fast_math) >= FEWEST_SLOTS


def _slots_a_round(coarse: Coarse, fast_math: bool) -> float:
    """The instructions that a warp issues between two barriers around what tiles hold in a round of a loop."""
    part = inner_part(coarse.kernel.body)
    survey = Survey(replace(coarse.kernel, body=part), fast_math)
    regions = nodes_of(part, CacheRegion)
    return min((kernel_cost(survey, region.body, region.tiles).slots for region in regions), default=0.0)


def _moves(tiles: Iterable[Tile], kernel: MappedKernel) -> bool:
    """Whether a tile holds something else in each round of a loop in its block."""
    starts = (part.start for tile in tiles if tile.has_range for part in tile.range.dimensions)
    names = frozenset[str]().union(*(start.names for start in starts)) - kernel.launched_numbers
    return any(not name.endswith(FIRST.format("")) for name in names)


def _crowded(item: Coarse, arch: str) -> str:
    """Reason a kernel is ruled out whose tiles leave room for few threads on a multiprocessor, or ''."""
    if not item.tiles:
        return ""
    threads = item.kernel.shape.threads
    resident = threads * architecture(arch).resident_blocks(threads, item.candidate.shared_bytes)
    if resident >= FEWEST_RESIDENT:
        return ""
    return f"its tiles leave room for {resident} threads on a multiprocessor, fewer than {FEWEST_RESIDENT}"


def _named(tried: list[Coarse], name: str) -> Coarse | None:
    """The kernel of a name, with the best one for launches whose rows are not aligned."""
    found = next((item for item in tried if item.candidate.name == name), None)
    if found is None or not found.kernel.alignment.multiples:
        return found
    return replace(found, unaligned=_unaligned(found, tried))


def _refusal(item: Coarse, usual: Cost, part: float, arch: str) -> str:
    """Reason a kernel is ruled out whatever the other candidates take, or ''."""
    unfit = reason_unfit(item) or _crowded(item, arch)
    if not unfit and item.cost.clocks > part * usual.clocks:
        return f"it saves less than {1 - part:.0%} of the {usual} that one iteration a thread takes"
    return unfit


def _greedy(item: Coarse, usually: Coarse | None) -> str:
    """Reason a kernel is ruled out that takes more registers than usual, beside the best that does not, or ''."""
    registers = own_registers(item.kernel)
    if usually is None or registers <= USUAL_REGISTERS:
        return ""
    if item.cost.clocks <= WORTH_REGISTERS * usually.cost.clocks:
        return ""
    part = f"{1 - WORTH_REGISTERS:.0%} of the clocks with {USUAL_REGISTERS} or fewer"
    return f"its iterations have {registers} registers for themselves, and it saves less than {part}"


def _lost(item: Coarse, best: Coarse | None) -> str:
    """Reason the best candidate is preferred to a kernel about as fast, or ''."""
    if best is None or item.cost.clocks * NEAR > best.cost.clocks or item.kernel is best.kernel:
        return ""
    if _moves(best.tiles, best.kernel) and not _moves(item.tiles, item.kernel):
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


def _preferred(found: list[Coarse], wide: WideChoice) -> Coarse | None:
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
