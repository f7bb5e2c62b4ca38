"""Which tiles of a planned kernel do not pay, where the choice is accache's, and what was estimated to say so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accache.base.options import Options
from accache.caching.choice import Key
from accache.caching.decisions import Decision, tiles_of
from accache.caching.estimates.candidates import Candidate, of_tiles
from accache.caching.estimates.coarse_choice import WORTH_ALIGNMENT
from accache.caching.estimates.cost import Cost
from accache.caching.estimates.gain import is_useless, traffic
from accache.caching.estimates.kernel_cost import joined_cost, kernel_cost
from accache.caching.estimates.plain_forms import plain_candidate
from accache.caching.sizing.bounds import Refusal
from accache.caching.survey import Survey
from accache.ir.kernels.alignment import Alignment
from accache.ir.kernels.tiles import Tile
from accache.ir.tree import Stmt

MEASURED = "the kernel was measured to be quicker without it"
UNSAVING = "a tile in it does not save enough accesses of global memory"
UNSURE = 0.85
"""The part of the clocks without it that a tile may take at most whose length or hits only the run knows: where a tile
holds few elements, its fetch and its barriers weigh more than the estimate, which takes sizes for large ones, says."""


def not_paying(
    survey: Survey, body: Stmt, decisions: Sequence[Decision], factor: int, *, options: Options
) -> tuple[dict[Key, Refusal], tuple[Candidate, ...]]:
    """The subarrays whose tiles do not pay, and what was estimated; ``body`` is the planned one.

    A tile must leave at most one ``factor``-th of the accesses of global memory.
    """
    tiles = tiles_of(decisions)
    if options.names_method or not tiles:
        return {}, ()
    useless = dict(_useless(survey, body, decisions, factor))
    if options.tune == "off":
        return useless, ()
    estimated = tuple(tile for tile in tiles if tile.has_range)
    cost, _ = tiled_cost(survey, body, estimated, options)
    whole = of_tiles(survey.kernel, cost, estimated, UNSAVING if useless else "")
    if useless:
        return useless, (whole,)
    others = tuple(_others(survey, body, estimated, options))
    return dict(_losing(whole, others, estimated)), (whole, *others)


def tiled_cost(survey: Survey, body: Stmt, tiles: Sequence[Tile], options: Options) -> tuple[Cost, Alignment]:
    """The cost of a kernel with tiles, and what it needs for wide accesses: those that fill registers."""
    usual = kernel_cost(survey, body, tiles)
    if options.wide == "off" or not any(tile.traits.in_registers for tile in tiles):
        return usual, Alignment()
    cost, alignment = joined_cost(survey, body, tiles)
    is_worth = bool(alignment) and cost.clocks <= WORTH_ALIGNMENT * usual.clocks
    return (cost, alignment) if is_worth else (usual, Alignment())


def all_but(kept: frozenset[str], tiles: Sequence[Tile]) -> dict[Key, Refusal]:
    """The subarrays that have no tiles in the form of a kernel that was measured to be the quickest."""
    refusals = {(tile.location, tile.text): Refusal("ACC419", MEASURED, tile.method) for tile in tiles}
    return {key: refusal for key, refusal in refusals.items() if key[1] not in kept}


def _others(survey: Survey, body: Stmt, tiles: tuple[Tile, ...], options: Options) -> Iterator[Candidate]:
    """The kernel without any of its tiles, and without each one of them."""
    yield plain_candidate(survey.kernel, options)
    if len(tiles) > 1:
        for tile in tiles:
            kept = tuple(other for other in tiles if other is not tile)
            yield of_tiles(survey.kernel, tiled_cost(survey, body, kept, options)[0], kept)


def _losing(whole: Candidate, others: Sequence[Candidate], tiles: tuple[Tile, ...]) -> Iterator[tuple[Key, Refusal]]:
    """The subarrays without whose tiles the kernel is estimated to take fewer clocks: all, or a single one."""
    best = min(others, key=lambda item: item.cost.clocks)
    part = UNSURE if any(map(_is_unsure, tiles)) else 1
    if tiles and part * best.cost.clocks <= whole.cost.clocks:
        reason = f"a warp takes an estimated {whole.cost} with it, {best.cost} without it"
        if best.cost.clocks > whole.cost.clocks:
            reason += f"; it must save {1 - UNSURE:.0%}, as only the run knows how much it holds and serves"
        for tile in tiles:
            if tile.text not in best.subarrays:
                yield (tile.location, tile.text), Refusal("ACC419", reason, tile.method)


def _is_unsure(tile: Tile) -> bool:
    """Whether only the run knows how many elements a tile holds, or which accesses it serves."""
    return tile.traits.may_miss or any(dimension.limit is not None for dimension in tile.range.dimensions)


def _useless(survey: Survey, body: Stmt, decisions: Sequence[Decision], factor: int) -> Iterator[tuple[Key, Refusal]]:
    """The subarrays whose tiles do not save enough, and the numbers."""
    obstacles = {decision.tile.name: decision.share_obstacle for decision in decisions if decision.tile}
    tiles = tiles_of(decisions)
    for tile, found in traffic(survey, body, tiles):
        if is_useless(found, factor):
            apart = f"; it cannot be shared: {obstacles[tile.name]}" if obstacles[tile.name] else ""
            yield (tile.location, tile.text), Refusal("ACC419", f"{found}{apart}", tile.method)
