"""How many threads a block has on each axis: the user's sizes where given, else by the number of loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from msgspec import Struct, field

from accache.analysis.canonical import canonical_loop, constant_trips
from accache.base.architectures import MAX_THREADS
from accache.base.diagnostics import Reporter
from accache.ir.constants import constant
from accache.ir.kernels.simt import AXES, CanonicalLoop
from accache.ir.openacc.regions import LoopSpec, Region
from accache.ir.tree import Expr, For, Stmt
from accache.ir.walk import children, nodes_of, walk

DEFAULT_THREADS = 256
VECTOR_THREADS = 128
WORKER_SHAPE = (32, 4)
CROSSWISE_SHAPE = (32, 16)
TILE_SHAPES = {2: (16, 16), 3: (16, 4, 4)}
PLAIN_SHAPES = {2: (32, 8), 3: (32, 4, 2)}
WARP = 32
MAX_ALONG_Z = 64
MAX_WORKERS_OF_ROUTINES = 32
"""For so many workers routines have copies of what each worker has one of."""

Outputs = tuple[tuple[str, int], ...]
"""How many iterations a thread has along axes of the block, such as ``(("x", 2), ("y", 4))``."""


def iterations_of(outputs: Outputs) -> tuple[int, ...]:
    """How many iterations a thread has: rows and columns, or planes of them.

    >>> iterations_of((("x", 2), ("y", 4))), iterations_of((("y", 4),)), iterations_of((("x", 4),))
    ((4, 2), (4, 1), (4,))
    >>> iterations_of((("z", 8),)), iterations_of(())
    ((8, 1, 1), ())
    """
    several = dict(outputs)
    rank = max((AXES.index(axis) + 1 for axis in several), default=0)
    return tuple(several.get(axis, 1) for axis in reversed(AXES[:rank]))


class BlockExtents(Struct, dict=True):
    """Decides a block's extents as loops ask for them; one that is decided stays, since loops mapped before rely on it.

    ``limit`` is the most threads a block gets where the user gave no size. Threads will have as many iterations along
    axes as ``outputs`` says. Loops over vectors in what a gang does have at most ``longest`` iterations, a constant, if
    that is not 0.
    """

    region: Region
    reporter: Reporter
    limit: int = MAX_THREADS
    extents: dict[str, int] = field(default_factory=dict)
    outputs: Outputs = ()
    longest: int = 0

    @property
    def is_ours(self) -> bool:
        """Whether the user gave no size of vectors, workers or tiles."""
        holders: list[Region | LoopSpec] = [self.region, *_specs(self.region.body)]
        sizes = [holder.size(level) for holder in holders for level in ("vector", "worker")]
        given = any(size is not None and _threads(size) is not None for size in sizes)
        return not given and not any(loop.tile for loop in _specs(self.region.body))

    def on(self, axis: str) -> int:
        """The threads on an axis ('' is none)."""
        return self.extents.get(axis, 1)

    def iterations(self, axis: str) -> int:
        """The iterations of a loop on an axis that a block has."""
        return self.on(axis) * dict(self.outputs).get(axis, 1)

    def spread(
        self, specs: Sequence[LoopSpec], loops: Sequence[CanonicalLoop], has_cache: bool, levels: frozenset[str]
    ) -> None:
        """Give extents to the axes of nested loops over vectors or workers, outermost first; ``specs`` are theirs."""
        shape = self._shape(specs, has_cache, levels)
        if shape == self._usual(len(specs), has_cache, DEFAULT_THREADS) and not any(spec.reductions for spec in specs):
            several = dict(self.outputs)
            inwards = zip(reversed(loops), AXES, strict=False)
            trips = [-(-constant_trips(loop) // several.get(axis, 1)) for loop, axis in inwards]
            shape = _fitted(shape, trips)
        if shape == self._usual(1, has_cache, VECTOR_THREADS) and levels == {"vector"} and self.longest:
            shape = _fitted(shape, (self.longest,))
        if "worker" in levels and len(specs) == 1:
            workers = self._size("worker", specs[0]) or 1
            shape = (max(shape[0], workers) if self._size("vector", specs[0]) is None else shape[0] * workers,)
        if prod(shape) > MAX_THREADS:
            self.reporter.report("ACC310", specs[0].location, threads=prod(shape), limit=MAX_THREADS)
            shape = self._usual(len(specs), has_cache, DEFAULT_THREADS)
        self._claim(dict(zip(AXES, shape, strict=False)))

    def fit(self, body: Stmt) -> None:
        """Note how long the loops over vectors are in what each gang does, and share threads where workers have some.

        Other loops that come before those of workers would take all threads for lanes otherwise. One over workers and
        vectors together has them all, unless the user says how long vectors are.
        """
        self.longest = _longest(body)
        loops = [(node.loop, node.body) for node in nodes_of(body, For) if node.loop is not None]
        around = (
            spec
            for spec, inside in loops
            if spec.levels == {"worker"} and any("vector" in inner.levels for inner in _specs(inside))
        )
        found = next(around, None)
        is_asked_for = self._size("vector", None) is not None
        if found is not None and (is_asked_for or not any(spec.levels == {"worker", "vector"} for spec, _ in loops)):
            self.spread_workers(found)

    def spread_workers(self, spec: LoopSpec) -> None:
        """Give x to the vector loops that stand inside a loop over workers, and y to the workers."""
        usual = self._within_limit(WORKER_SHAPE)
        vectors, workers = self._size("vector", None) or usual[0], self._size("worker", spec) or usual[1]
        if vectors * workers > MAX_THREADS:
            self.reporter.report("ACC310", spec.location, threads=vectors * workers, limit=MAX_THREADS)
        self._claim({"x": vectors, "y": workers})

    def spread_crosswise(self) -> None:
        """Give x to a loop whose neighbouring iterations are a warp's lanes, and y to the loops inside of it."""
        x, y = self._within_limit(CROSSWISE_SHAPE)
        self._claim({"x": x, "y": y})

    def serve(self, levels: set[str]) -> None:
        """Give threads to the loops in routines of some levels, which are spread over x, and over y for workers."""
        x, y = WORKER_SHAPE if levels & {"worker", "gang"} else (VECTOR_THREADS, 1)
        x, y = self._size("vector", None) or x, self._size("worker", None) or y
        if y > MAX_WORKERS_OF_ROUTINES:
            limit = MAX_WORKERS_OF_ROUTINES
            self.reporter.report("ACC352", self.region.location, workers=y, limit=limit)
            y = limit
        if x * y > MAX_THREADS:
            self.reporter.report("ACC310", self.region.location, threads=x * y, limit=MAX_THREADS)
            x, y = WORKER_SHAPE
        x, y = self._within_limit((x, y))
        self._claim({"x": x, "y": y, "z": 1} if levels & {"worker", "gang"} else {"x": x, "z": 1})

    def _claim(self, wanted: dict[str, int]) -> None:
        """Give axes their extents where they have none yet, within what a block can hold."""
        for axis, threads in wanted.items():
            if axis not in self.extents:
                self.extents[axis] = max(1, min(threads, MAX_THREADS // prod(self.extents.values())))

    def _shape(self, specs: Sequence[LoopSpec], has_cache: bool, levels: frozenset[str]) -> tuple[int, ...]:
        """Threads along x, y, z: each loop's own vector size, or the vector length split over the loops."""
        inner = specs[-1]
        tile = [size for size in reversed(inner.tile) if size is not None]
        if tile and len(tile) == len(specs) and prod(tile) <= MAX_THREADS:
            return tuple(tile)
        own = [self._size("vector", spec) if spec.size("vector") is not None else None for spec in reversed(specs)]
        if len({id(spec) for spec in specs}) == len(specs) > 1 and any(own):
            return tuple(size or 1 for size in own)
        length = self._size("vector", inner)
        if length is not None:
            return _split(length, len(specs), has_cache)
        return self._usual(len(specs), has_cache, DEFAULT_THREADS if "gang" in levels else VECTOR_THREADS)

    def _usual(self, loops: int, has_cache: bool, threads: int) -> tuple[int, ...]:
        """The shape for so many loops where nobody gave a size; ``threads`` is that of a single loop."""
        return self._within_limit((threads,) if loops == 1 else (TILE_SHAPES if has_cache else PLAIN_SHAPES)[loops])

    def _within_limit(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return shape if prod(shape) <= self.limit else _cut(shape, self.limit)

    def _size(self, level: str, spec: LoopSpec | None) -> int | None:
        """A level's size where the user gave a constant one."""
        expr = (spec.size(level) if spec else None) or self.region.size(level) or self._size_inside(level)
        if expr is None:
            return None
        threads = _threads(expr)
        if threads is None:
            self.reporter.report("ACC311", expr.location, level=level)
        return threads

    def _size_inside(self, level: str) -> Expr | None:
        """The first size a loop anywhere in the region gives for a level."""
        for node in walk(self.region.body):
            if isinstance(node, For) and node.loop is not None and node.loop.size(level) is not None:
                return node.loop.size(level)
        return None


def _specs(body: Stmt) -> Iterator[LoopSpec]:
    """The directives of the loops in a body."""
    return (node.loop for node in nodes_of(body, For) if node.loop is not None)


def _longest(body: Stmt) -> int:
    """The most iterations of the loops over vectors in what a gang does; 0 if one has no constant number of them.

    It is 0, too, where one reduces or stands in another one, or other loops than these may be spread over lanes.
    """
    trips = [_vector_trips(loop) for loop in _outer_loops(body)]
    return max(trips) if trips and all(trips) else 0


def _outer_loops(body: Stmt) -> Iterator[For]:
    """The loops that each thread of a gang comes to, but for sequential ones, of which the loops inside count."""
    for child in children(body):
        if isinstance(child, For) and not (child.loop is not None and child.loop.seq):
            yield child
        elif isinstance(child, Stmt):
            yield from _outer_loops(child)


def _vector_trips(loop: For) -> int:
    """The iterations of a plain loop over vectors; 0 if their number is no constant, or it is another loop."""
    spec, canonical = loop.loop, canonical_loop(loop)
    if spec is None or spec.levels != {"vector"} or spec.collapse > 1 or spec.reductions or isinstance(canonical, str):
        return 0
    is_alone = not any(isinstance(inner, For) and inner.loop is not None for inner in walk(loop.body))
    return constant_trips(canonical) if is_alone else 0


def _fitted(shape: tuple[int, ...], trips: Sequence[int]) -> tuple[int, ...]:
    """A shape for nested loops, x first, some of which have so few iterations that lanes would have nothing to do.

    ``trips`` are numbers of iterations, 0 where they are no constants.

    >>> _fitted((32, 8), [3, 0]), _fitted((256,), [40])
    ((3, 85), (64,))
    """
    if len(shape) == 1:
        return (min(shape[0], -(-trips[0] // WARP) * WARP or shape[0]),)
    if not any(0 < trip < extent for trip, extent in zip(trips, shape, strict=True)):
        return shape
    found = [min(extent, trip or extent) for trip, extent in zip(trips, shape, strict=True)]
    for axis in reversed(range(len(found))):  # what short loops leave goes to the outermost long one
        if not 0 < trips[axis] <= found[axis]:
            room = prod(shape) // (prod(found) // found[axis])
            most = (room // WARP * WARP or room, MAX_THREADS, MAX_ALONG_Z)  # whole warps along a row
            found[axis] = min(room, most[axis])
            break
    return tuple(found)


def _threads(size: Expr) -> int | None:
    """The value of a size; None if it is not a constant that a block can have."""
    value = constant(size)
    return value if value is not None and 1 <= value <= MAX_THREADS else None


def _split(threads: int, loops: int, has_cache: bool) -> tuple[int, ...]:
    """Threads spread over the axes of one to three loops."""
    if loops == 1:
        return (threads,)
    usual = (TILE_SHAPES if has_cache else PLAIN_SHAPES)[loops]
    *inner, _ = _cut(usual, threads)
    return (*inner, max(1, threads // prod(inner)))


def _cut(shape: tuple[int, ...], threads: int) -> tuple[int, ...]:
    """The part of a shape that so many threads fill, x first."""
    found: list[int] = []
    for extent in shape:
        found.append(max(1, min(extent, threads // prod(found))))
    return tuple(found)
