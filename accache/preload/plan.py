"""The copies that a kernel gets: boxes of references that are dense enough, that pay, and that fit.

The criterion is that of ``--auto-cache`` and ``suggest`` (``caching.auto.densities``), the selection that of
``density.selection``. A copy pays in one of two currencies: bytes from L2, or wavefronts of L1 and shared memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from accache.caching.auto.densities import ThreadDensity
from accache.cuda.kernel import KernelView
from accache.density.boxes import SECTOR_BYTES
from accache.density.footprints import LINE_BYTES, Measures, measured
from accache.density.selection import Candidate, Option, select
from accache.ir.kernels.shared_layout import POOL_ALIGNMENT, SharedLayout, SharedPart, aligned
from accache.ir.polynomial import Polynomial
from accache.ir.sizes import sizeof
from accache.ir.tree import Expr, For, While
from accache.ir.types import Pointer, Record, resolve
from accache.preload.boxes import Box, boxes_of
from accache.preload.references import Arrays, Reference, arrays_of, loop_of, shadowed
from accache.preload.regions import ChunkLoop, chunk_loops, constant_range
from accache.preload.uniform import with_members

CHUNK = "@chunk"
"""The symbol of how far a chunk's iteration is from its first one, in values of the loop's variable."""
LENGTHS = (8, 16, 32)
TRIPS = 1024
"""How many iterations a loop is taken to have whose bounds are not known."""
UNKNOWN_TRIPS = 4
"""The same of a loop inside of a region, which is not part of what is copied."""
MOST_ACCESSES = 1 << 22
"""The most accesses of a region that are counted one by one."""
_VECTOR = re.compile(r"(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]")
"""CUDA's own structures, whose sizes are those of their members."""


class Limits(Struct, frozen=True):
    """What the GPU gives: shared memory of a block, bytes of L1 (0: loads pass it by), and resident blocks."""

    shared: int
    l1: int
    blocks: int


class Tile(Struct, frozen=True):
    """A copy: of which array, for which region (None: from the kernel's entry on), in chunks of how many iterations."""

    array: str
    box: Box
    loop: ChunkLoop | None
    chunk: int
    element_bytes: int
    measures: Measures

    @property
    def shared_bytes(self) -> int:
        """What it takes of a block's shared memory."""
        return self.box.padded * self.element_bytes

    @property
    def key(self) -> str:
        """What tells it from the other copies of its kernel: where its first reference stands."""
        return f"{self.array}@{self.box.references[0].offset}"

    @property
    def regions(self) -> int:
        """How often a block makes the copy, as far as is known."""
        return TRIPS // self.chunk if self.loop is not None else 1


class Decision(Struct, frozen=True):
    """What was decided of an array: its tile, or the reason against one; the best box, if there is any.

    ``offsets`` are those of the texts of its loads.
    """

    array: str
    tile: Tile | None
    reason: str = ""
    best: Tile | None = None
    offsets: tuple[int, ...] = ()


class Plan(Struct, frozen=True):
    """The copies that one kernel gets in blocks of these extents, and what was decided of each of its arrays.

    ``computed`` is what symbols of where copies begin stand for that are no names.
    """

    view: KernelView
    block: tuple[int, int, int]
    tiles: tuple[Tile, ...]
    decisions: tuple[Decision, ...]
    written: tuple[str, ...]
    computed: Mapping[str, Expr]

    @property
    def layout(self) -> SharedLayout:
        """Where the copies lie, by their keys: those for loops that follow each other in one place.

        Where sizes of elements are not certain each copy has a place of its own.
        """
        return SharedLayout(tuple(self._part(tile) for tile in self.tiles))

    def _part(self, tile: Tile) -> SharedPart:
        others = () if _are_separate(self.view) else self.tiles
        apart = frozenset(other.key for other in others if _are_apart(tile, other))
        size = tile.element_bytes
        return SharedPart(tile.key, tile.shared_bytes, min(size & -size, POOL_ALIGNMENT), tile.key, apart)


def planned(view: KernelView, block: tuple[int, int, int], limits: Limits, threshold: float) -> Plan:
    """The plan of a kernel."""
    view = with_members(view)
    arrays = arrays_of(view, block)
    reasons = dict(arrays.reasons)
    if arrays.unknown_writes:
        reasons |= dict.fromkeys(arrays.references, "may alias: the kernel writes to what no parameter points to")
    loops, obstacle = chunk_loops(view, arrays, block)
    finder = _Finder(view, arrays, block, loops)
    best: tuple[tuple[int, int], tuple[Tile, ...]] = ((0, 0), ())
    seen: dict[str, Tile] = {}
    for chunk in dict.fromkeys((*LENGTHS, *(extent for extent in block if 8 <= extent <= 64))):
        tiles = [tile for name in arrays.references if name not in reasons for tile in finder.tiles(name, chunk)]
        for tile in tiles:
            known = seen.get(tile.array)
            if known is None or tile.measures.density > known.measures.density:
                seen[tile.array] = tile
        wanted = [tile for tile in tiles if not _against(tile, limits, threshold)]
        chosen = _selected(_innermost(wanted), limits, _are_separate(view))
        value = sum(map(_value, chosen)), sum(wavefronts_saved(tile) * tile.regions for tile in chosen)
        if chosen and value > best[0]:
            best = value, chosen
    decisions = tuple(
        replace(
            _decision(name, best[1], seen.get(name), reasons, obstacle=obstacle, limits=limits, threshold=threshold),
            offsets=tuple(load.offset for load in arrays.references.get(name, ())),
        )
        for name in (*arrays.references, *(name for name in reasons if name not in arrays.references))
    )
    return Plan(view, block, best[1], decisions, arrays.written, arrays.computed)


def _are_separate(view: KernelView) -> bool:
    """Whether elements may have other sizes than the view tells: of templates, and structures, which C++ may align."""
    targets = ((item.name, resolve(item.type)) for item in view.parameters)
    own = (name for name, to in targets if isinstance(to, Pointer) and isinstance(resolve(to.target), Record))
    return view.item.is_template or any(not _VECTOR.fullmatch(view.elements.get(name, "")) for name in own)


def _innermost(tiles: list[Tile]) -> list[Tile]:
    """The copies without those in loops around a loop that has some: of loops in one another one is cut into chunks."""
    around = [stmt for tile in tiles if tile.loop is not None for stmt in tile.loop.path]
    return [tile for tile in tiles if tile.loop is None or not any(tile.loop.loop is stmt for stmt in around)]


def _selected(tiles: list[Tile], limits: Limits, are_separate: bool) -> tuple[Tile, ...]:
    """The copies to make; those for loops that follow each other share memory, unless they ``are_separate``."""
    everywhere = frozenset[int]().union(*map(_phases, tiles)) or frozenset((0,))
    reuse = len(everywhere) > 1 and not are_separate
    candidates = [
        Candidate(
            (Option(_value(tile), aligned(tile.shared_bytes, POOL_ALIGNMENT) if reuse else tile.shared_bytes),),
            _phases(tile) or everywhere if reuse else everywhere,
        )
        for tile in tiles
    ]
    taken = select(candidates, limits.shared) if candidates else ()
    return tuple(tile for tile, option in zip(tiles, taken, strict=True) if option is not None)


def _phases(tile: Tile) -> frozenset[int]:
    """The loop in which a copy is alive, by its place; nothing where that is from the entry on."""
    return frozenset() if tile.loop is None else frozenset((tile.loop.offset,))


def _are_apart(tile: Tile, other: Tile) -> bool:
    """Whether two copies are never alive together."""
    return tile.loop is not None and other.loop is not None and tile.loop.offset != other.loop.offset


def _value(tile: Tile) -> int:
    """The bytes that loads ask for, less those that copies load: in a block, as far as loops are known."""
    return SECTOR_BYTES * (tile.measures.sectors - tile.measures.copied) * tile.regions


def bytes_saved(tile: Tile, limits: Limits) -> int:
    """The bytes from L2 that a copy saves in one region; L1 holds what is loaded again if it has room for it."""
    measures = tile.measures
    holds = limits.l1 and measures.lines * LINE_BYTES * limits.blocks <= limits.l1
    return SECTOR_BYTES * ((measures.touched if holds else measures.sectors) - measures.copied)


def wavefronts_saved(tile: Tile) -> int:
    """The wavefronts of L1 and shared memory that a copy saves in one region."""
    measures = tile.measures
    return measures.loads - measures.tile_loads - measures.copy


def _against(tile: Tile, limits: Limits, threshold: float) -> str:
    """The rule against a copy, or ''."""
    measures = tile.measures
    if not ThreadDensity(measures.density, measures.asked).is_candidate(threshold):
        return "sparse"
    if tile.shared_bytes > limits.shared:
        return "does not fit"
    saved = bytes_saved(tile, limits)
    if _value(tile) <= 0 or (saved <= 0 and wavefronts_saved(tile) <= 0):
        return "saves nothing"
    # wavefronts alone did not pay: on an H100 kernels with such copies took 1.3 to 2.1 times as long (bench/results)
    return "L1 holds it" if limits.l1 and saved <= 0 else ""


def _decision(
    name: str,
    chosen: tuple[Tile, ...],
    best: Tile | None,
    reasons: Mapping[str, str],
    *,
    obstacle: str,
    limits: Limits,
    threshold: float,
) -> Decision:
    tile = next((each for each in chosen if each.array == name), None)
    if tile is not None:
        return Decision(name, tile)
    if name in reasons:
        return Decision(name, None, reasons[name])
    if best is None:
        return Decision(
            name, None, obstacle or "its indices are not affine in positions, parameters and loop variables"
        )
    return Decision(name, None, _against(best, limits, threshold) or "outdone", best)


class _Finder(Struct, frozen=True):
    """Finds the boxes of an array's references."""

    view: KernelView
    arrays: Arrays
    block: tuple[int, int, int]
    loops: tuple[ChunkLoop, ...]

    def tiles(self, name: str, chunk: int) -> Iterator[Tile]:
        """The copies of an array that are possible: at the entry what can be, in chunks of loops the rest."""
        waiting = self.arrays.references[name]
        for loop in (None, *reversed(self.loops)):
            inside = [ref for ref in waiting if loop is None or any(part is loop.loop for part in ref.path)]
            for tile in self.region(name, inside, loop, chunk):
                yield tile
                waiting = tuple(ref for ref in waiting if not any(ref is other for other in tile.box.references))

    def region(self, name: str, references: list[Reference], loop: ChunkLoop | None, chunk: int) -> Iterator[Tile]:
        """The copies for references in one region."""
        target = resolve(next(item.type for item in self.view.parameters if item.name == name))
        assert isinstance(target, Pointer)
        size = sizeof(target.target)
        values = self.values(references, loop, chunk)
        uniform = self.uniform(loop)
        indices = [self.index(ref, loop) for ref in references]
        known = [(ref, index) for ref, index in zip(references, indices, strict=True) if index is not None]
        ranges = {name: (each[0], each[-1]) for name, each in values.items()}
        for box in boxes_of([ref for ref, _ in known], [index for _, index in known], ranges, uniform):
            counts = tuple(self.count(ref, loop, values) for ref in box.references)
            if not size or any(count == 0 for count in counts) or shadowed(self.arrays.names(_names(box)), self.view):
                continue
            if sum(counts) * prod(self.block) <= MOST_ACCESSES and box.padded * size <= 1 << 16:
                yield Tile(name, box, loop, chunk, size, measured(box.footprint(counts), values, self.block, size))

    def values(self, references: list[Reference], loop: ChunkLoop | None, chunk: int) -> dict[str, range]:
        """The values of what varies in a region: threads, the iterations of a chunk, and short loops inside."""
        found = {f"threadIdx_{axis}": range(size) for axis, size in zip("xyz", self.block, strict=True)}
        if loop is not None:
            found[CHUNK] = range(0, chunk * loop.counted.step, loop.counted.step)
        for part in (part for ref in references for part in ref.path):
            known = constant_range(part)
            if known is not None and (loop is None or part not in (*loop.path, loop.loop)):
                found[known[0]] = known[1]
        return found

    def uniform(self, loop: ChunkLoop | None) -> frozenset[str]:
        """The names that have one value in a region."""
        parts = () if loop is None else (*loop.path, loop.loop)
        own = self.arrays.uniform - set(self.arrays.definitions) | set(self.arrays.computed)
        return own | {each.variable for part in parts if (each := loop_of(part)) is not None}

    def index(self, reference: Reference, loop: ChunkLoop | None) -> Polynomial | None:
        """A reference's index; the variable of a chunk's loop is how far it is from the first iteration, and that."""
        if reference.index is None or loop is None:
            return reference.index
        name = loop.counted.variable
        return reference.index.substitute({name: Polynomial.symbol(name) + Polynomial.symbol(CHUNK)})

    def count(self, reference: Reference, loop: ChunkLoop | None, values: Mapping[str, range]) -> int:
        """How often a thread makes a reference in a region; 0 if that is not known."""
        inner = reference.path if loop is None else reference.path[len(loop.path) + 1 :]
        total = len(values[CHUNK]) if loop is not None else 1
        for part in inner:
            counted = loop_of(part)
            if counted is not None and counted.variable in values:
                total *= len(values[counted.variable])
            elif isinstance(part, (For, While)):
                total *= UNKNOWN_TRIPS
        return total


def _names(box: Box) -> frozenset[str]:
    """The names that its start and its places use."""
    names = box.start.names.union(*(pitch.names for pitch in box.pitches))
    inner = {name for places in box.places for place in places for name, _ in place.terms}
    return frozenset(names | inner) - {CHUNK}
