"""Cache directives to tiles (paper 004, sections 3 and 4.2).

Before: Cache statements. After: CacheRegion statements with tiles, their references replaced by
TileAccess. Every subarray of every directive leaves a Decision, whatever became of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from accache.analysis.affine import index_polynomial
from accache.analysis.delinearise import common_pitch, delinearise
from accache.analysis.places import ArrayUse, Definitions, Place, UseCollector
from accache.analysis.ranges import bounds as proved_bounds
from accache.analysis.uniformity import barrier_obstacle, varying_names
from accache.analysis.walk import (
    assigned_variables,
    declared_variables,
    rewrite,
    single_definitions,
    walk,
)
from accache.diagnostics import Reporter
from accache.ir.polynomial import Polynomial
from accache.ir.regions import Subarray
from accache.ir.simt import CacheRegion, ParallelFor, Tile, TileDimension
from accache.ir.tree import (
    Block,
    Cache,
    Declare,
    Expr,
    For,
    If,
    Stmt,
    Switch,
    Variable,
)
from accache.ir.types import Arithmetic, Array, CType, Pointer, Record, is_scalar, resolve
from accache.options import Options
from accache.planning.bounds import BoundsReader, Refusal, misreadings
from accache.planning.decisions import Decision
from accache.planning.extents import inside_array
from accache.planning.mapping import MappedKernel
from accache.planning.methods import AUTOMATIC, METHODS, method_named
from accache.planning.questions import (
    first_unproved,
    has_effect,
    is_array,
    is_thread_level,
    is_wide,
    plain,
    shape,
    threads,
    uses_old_value,
)
from accache.planning.requests import Request
from accache.planning.serving import owned_access, serve
from accache.planning.sharing import share
from accache.planning.sizes import sizeof, tile_bytes
from accache.planning.targets import STATIC_SHARED_BYTES, target_named

ZERO = Polynomial.constant(0)


@dataclass(frozen=True)
class CachedKernel:
    """A mapped kernel whose cache directives are decided."""

    kernel: MappedKernel
    body: Stmt
    decisions: tuple[Decision, ...]

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """All tiles of the kernel in source order."""
        return tuple(tile for node in walk(self.body) if isinstance(node, CacheRegion) for tile in node.tiles)


def plan_caches(kernel: MappedKernel, options: Options, names: frozenset[str], reporter: Reporter) -> CachedKernel:
    """Decide every cache directive of a kernel; ``names`` are taken and not used for tiles."""
    planner = _Planner(kernel, options, reporter, set(names))
    body = planner.statement(kernel.body, ())
    return CachedKernel(kernel, body, tuple(sorted(planner.decisions, key=lambda decision: decision.location)))


def without_caches(kernel: MappedKernel) -> CachedKernel:
    """The kernel with its cache directives taken out: the fallback when arrays turn out to overlap."""
    return CachedKernel(kernel, without_directives(kernel.body), ())


def without_directives(stmt: Stmt) -> Stmt:
    """A statement without cache directives; the statements of a region stay in the block they stood in."""

    def flattened(item: Stmt) -> tuple[Stmt, ...]:
        if not isinstance(item, Cache):
            return (item,)
        inner = item.body.items if isinstance(item.body, Block) else (item.body,)
        return tuple(part for statement in inner for part in flattened(statement))

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if isinstance(node, Block):
            return replace(node, items=tuple(part for item in node.items for part in flattened(item)))
        return node

    body = rewrite(stmt, change)
    return rewrite(body, lambda node: node.body if isinstance(node, Cache) else node)


def _last_indices(use: ArrayUse, definitions: Definitions) -> Iterator[Polynomial]:
    """The index of a use in the first dimension, and the highest value that index takes in the loops around it."""
    index = index_polynomial(use.subscripts[0], definitions)
    if index is None:
        return
    yield index
    for facts in use.place.facts:
        for name in reversed(tuple(name for name, _ in facts.intervals)):
            high = proved_bounds(index, facts, frozenset((name,))).high
            if high is not None:
                yield high


@dataclass
class _Planner:
    """Walks one kernel; ``path`` holds the statements around the current one, outermost first."""

    kernel: MappedKernel
    options: Options
    reporter: Reporter
    taken: set[str]
    decisions: list[Decision] = field(default_factory=list)

    def __post_init__(self) -> None:
        body = self.kernel.body
        self.definitions = single_definitions(body)
        self.varying = varying_names(body)
        self.assigned = assigned_variables(body)
        self.declared = declared_variables(body)
        target = target_named(self.options.arch)
        self.budget = target.shared_per_block if target is not None else STATIC_SHARED_BYTES
        self.used = sum(sizeof(node.type) for node in walk(body) if isinstance(node, Declare) and is_array(node.type))

    def statement(self, stmt: Stmt, path: tuple[Stmt, ...]) -> Stmt:
        """Plan the directives inside a statement."""
        if isinstance(stmt, Cache):
            return self.cache(stmt, path)
        if isinstance(stmt, Switch):
            return self._without_caches(stmt)
        inner = (*path, stmt)
        if isinstance(stmt, Block):
            return replace(stmt, items=tuple(part for item in stmt.items for part in self._item(item, inner)))
        if isinstance(stmt, If):
            otherwise = self.statement(stmt.otherwise, inner) if stmt.otherwise else None
            return replace(stmt, then=self.statement(stmt.then, inner), otherwise=otherwise)
        body = getattr(stmt, "body", None)
        if isinstance(body, Stmt):
            return replace(stmt, body=self.statement(body, inner))  # type: ignore[call-arg]
        return stmt

    def _without_caches(self, stmt: Stmt) -> Stmt:
        """A statement that cache regions cannot stand in; each one is recorded."""
        for node in walk(stmt):
            if isinstance(node, Cache):
                for subarray in node.subarrays:
                    self._record(subarray, Refusal("ACC402", "it stands in a switch"))
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
        for subarray in stmt.subarrays:
            tile = self.subarray(subarray, replace(stmt, body=body), path, tuple(tiles))
            if tile is not None:
                body = serve(body, tile, self.definitions)
                tiles.append(tile)
        return CacheRegion(stmt.location, tuple(tiles), body) if tiles else body

    def subarray(
        self, subarray: Subarray, stmt: Cache, path: tuple[Stmt, ...], before: tuple[Tile, ...]
    ) -> Tile | None:
        """Decide one subarray; reports and records what became of it."""
        refused = self._lint(subarray, path, before)
        if refused is not None:
            self._record(subarray, refused)
            return None
        request = self._request(subarray, stmt, path)
        if isinstance(request, Refusal):
            self._record(subarray, request)
            return None
        if subarray.readonly and request.is_written:
            use = next(use for use in request.uses if use.is_written)
            self.reporter.report("ACC401", use.expr.location, array=plain(request.array))
        tile, reason = self._choose(request)
        if tile is not None and not self._fits(tile):
            tile, reason = self._smaller(request, tile)
        elif tile is not None and self.options.method == "auto" and tile.method != AUTOMATIC[0]:
            self.reporter.report("ACC409", subarray.location, method=tile.method, name=subarray.text, reason=reason)
        if tile is None:
            self._record(subarray, Refusal("ACC416" if "bytes of shared memory" in reason else "ACC402", reason))
            return None
        tile = replace(tile, starts=self._start_names(tile), wide=is_wide(subarray))
        if tile.tracking in ("owner", "flag"):
            tile = replace(tile, owned=owned_access(request, tile))
        self.decisions.append(
            Decision(subarray.text, subarray.location, tile.method, reason, tile, request.share_obstacle)
        )
        return tile

    def _record(self, subarray: Subarray, refusal: Refusal) -> None:
        """Note a subarray that is not cached; the diagnostic's code says which kind of reason it is."""
        method = {"ACC403": "register", "ACC404": "scratch", "ACC405": "local", "ACC406": "off"}.get(
            refusal.code, "none"
        )
        where, name = subarray.location, subarray.text
        self.reporter.report(refusal.code, where, length=len(subarray.name), name=name, reason=refusal.reason)
        self.decisions.append(Decision(name, where, method, refusal.reason, None, ""))

    def _lint(self, subarray: Subarray, path: tuple[Stmt, ...], before: tuple[Tile, ...]) -> Refusal | None:
        """Why a subarray gets no tile whatever its references are."""
        base = subarray.base
        if not isinstance(base, Variable):
            return Refusal("ACC417", "it is a member of a structure; copy the pointer to a variable of its own")
        ctype = resolve(base.type)
        if base.name in self._private_arrays(path):
            return Refusal("ACC404", "one copy a block lies in shared memory")
        if base.name in self.declared:
            if isinstance(ctype, Array):
                return Refusal("ACC405", "it belongs to one thread")
            if is_scalar(ctype) and not isinstance(ctype, Pointer):
                return Refusal("ACC403", "a scalar lives in a register")
        if isinstance(ctype, Arithmetic):
            return Refusal("ACC403", "a scalar lives in a register")
        if isinstance(ctype, Record):
            return Refusal("ACC414", "a whole structure cannot be cached; name the array inside")
        if self.options.method == "none":
            return Refusal("ACC406", "--method none")
        if not subarray.dimensions and not isinstance(ctype, Array):
            return Refusal("ACC415", "a pointer without a subarray has no known length")
        if any(tile.array == base.name for tile in before):
            return Refusal("ACC402", "another subarray of the same array is cached here already")
        if not any(isinstance(stmt, ParallelFor) for stmt in path):
            return Refusal("ACC402", "it stands outside of every parallel loop")
        return None

    def _private_arrays(self, path: tuple[Stmt, ...]) -> frozenset[str]:
        """The arrays each block has one copy of: declared, or private, outside of loops over threads."""
        found: set[str] = set()
        for depth, stmt in enumerate(path):
            if any(isinstance(outer, ParallelFor) and outer.block for outer in path[: depth + 1]):
                break
            if isinstance(stmt, ParallelFor):
                found |= set(stmt.private)
            if isinstance(stmt, Block):
                found |= {item.name for item in stmt.items if isinstance(item, Declare) and is_array(item.type)}
        spread = any(isinstance(node, ParallelFor) and node.block for node in walk(self.kernel.body))
        return frozenset(found) if spread else frozenset()

    def _request(self, subarray: Subarray, stmt: Cache, path: tuple[Stmt, ...]) -> Request | Refusal:
        """The request for a method, or why no method can be asked."""
        base = subarray.base
        assert isinstance(base, Variable)
        flat, element, lengths = shape(base.type)
        count = len(subarray.dimensions) or len(lengths) + 1
        rank = 1 if flat else count
        if not flat and count != len(lengths) + 1:
            return Refusal("ACC402", f"the subarray has {count} dimensions, the array {len(lengths) + 1}")
        if isinstance(resolve(element), Arithmetic) and getattr(resolve(element), "volatile", False):
            return Refusal("ACC402", "its elements are volatile")
        place = Place()
        for outer in path:
            place = place.inside(outer, self.definitions)
        collector = UseCollector(base.name, rank, self.definitions)
        collector.statement(stmt.body, place)
        if collector.other is not None:
            return Refusal("ACC418", f"line {collector.other.location.line} uses it other than by its elements")
        if not collector.uses:
            return Refusal("ACC402", "the region does not refer to it")
        if isinstance(resolve(element), Record) and any(use.is_written for use in collector.uses):
            return Refusal("ACC402", "members of its elements are written")
        if any(any(True for node in walk(use.expr) if has_effect(node)) for use in collector.uses):
            return Refusal("ACC402", "a subscript has a side effect")
        if uses_old_value(stmt.body, base.name):
            return Refusal("ACC402", "the value before ++ or -- is used")
        uses = tuple(collector.uses)
        reader = self._reader(path, uses, element)
        self._lint_lengths(reader, subarray)
        bounds = reader.read(subarray, base.type)
        if isinstance(bounds, Refusal):
            return bounds
        pitches, indices = self._indices(uses, count if flat else 0, place)
        if pitches is None:
            return Refusal("ACC402", "its references do not agree on one row length")
        obstacle = self._share_obstacle(subarray, stmt, path, pitches)
        dimensions, problem = share(bounds, path, self.varying, self._stable(path), place)
        obstacle = obstacle or problem
        name = self._fresh(f"{plain(base.name)}_tile")
        clipped = not inside_array(base.name, bounds, pitches, lengths, place, self.kernel.region, self.definitions)
        if clipped and self._is_device_pointer(base.name):
            return Refusal(
                "ACC402", "the size of what a deviceptr points to is not known, and the subarray may pass its end"
            )
        inner = any(isinstance(node, ParallelFor) for node in walk(stmt.body))
        redundant = not is_thread_level(path, self.kernel)
        written = any(use.is_written for use in uses)
        if written and pitches and not self._columns_stay(dimensions, pitches, place):
            return Refusal("ACC402", "it is written, and its columns are not proved to stay inside their row")
        return Request(
            name=name,
            array=base.name,
            array_type=base.type,
            flat=rank == 1,
            element=element,
            element_bytes=sizeof(element),
            subarray=subarray,
            dimensions=dimensions,
            pitches=pitches,
            uses=uses,
            indices=indices,
            unproved=first_unproved(uses, indices, dimensions),
            share_obstacle=obstacle,
            written_by_others=written and (inner or redundant),
            threads=threads(self.kernel),
            axes=frozenset(loop.block for loop in path if isinstance(loop, ParallelFor) and loop.threads > 1),
            stable_names=self._stable(path),
            clipped=clipped,
            options=self.options,
        )

    def _is_device_pointer(self, array: str) -> bool:
        region = self.kernel.region
        return any(
            clause.action == "deviceptr"
            and isinstance(clause.subarray.base, Variable)
            and clause.subarray.base.name == array
            for clause in (*region.enclosing_data, *region.data)
        )

    def _reader(self, path: tuple[Stmt, ...], uses: tuple[ArrayUse, ...], element: CType) -> BoundsReader:
        indices = tuple(last for use in uses for last in _last_indices(use, self.definitions))
        changing = (self.assigned & self.declared) - self._loop_names()
        return BoundsReader(self.definitions, changing, self._stable(path), indices, sizeof(element))

    def _lint_lengths(self, reader: BoundsReader, subarray: Subarray) -> None:
        """Report lengths that look like ends."""
        for dimension, misread in misreadings(reader, subarray):
            assert dimension.length is not None
            code = "ACC413" if misread.inclusive else "ACC412"
            meant = " ".join(misread.meant.to_c().replace("#", " ").split())
            self.reporter.report(code, dimension.length.location, name=subarray.text, meant=meant)

    def _loop_names(self) -> frozenset[str]:
        return frozenset(
            name
            for node in walk(self.kernel.body)
            if isinstance(node, (For, ParallelFor))
            for name, _ in (Place().inside(node, self.definitions)).ranges
        )

    def _stable(self, path: tuple[Stmt, ...]) -> frozenset[str]:
        """Names that every thread of the block knows and agrees on, and that the region does not change."""
        free = {variable.name for variable in self.kernel.region.variables} - self.assigned
        loops: set[str] = set()
        for stmt in path:
            loops |= {name for name, _ in Place().inside(stmt, self.definitions).ranges}
        return frozenset(free | (loops - self.varying))

    def _indices(
        self, uses: tuple[ArrayUse, ...], dimensions: int, place: Place
    ) -> tuple[tuple[Polynomial, ...] | None, tuple[tuple[Polynomial | None, ...], ...]]:
        """Pitches of a flat array's view (None: no agreement) and every use's index in each dimension."""
        polynomials = tuple(
            tuple(index_polynomial(subscript, self.definitions) for subscript in use.subscripts) for use in uses
        )
        if dimensions <= 1:
            return (), polynomials
        flat = [item[0] for item in polynomials]
        known = [polynomial for polynomial in flat if polynomial is not None]
        if len(known) != len(flat):
            return None, ()
        facts = max((use.place for use in uses), key=lambda place: len(place.ranges)).facts[0]
        pitches = common_pitch(known, dimensions, facts)
        if pitches is None or not all(pitch.names <= self._stable(()) for pitch in pitches):
            return None, ()
        split = [delinearise(polynomial, pitches) for polynomial in known]
        if any(item is None for item in split):
            return None, ()
        return pitches, tuple(item for item in split if item is not None)

    def _share_obstacle(
        self, subarray: Subarray, stmt: Cache, path: tuple[Stmt, ...], pitches: tuple[Polynomial, ...]
    ) -> str:
        """Why the block cannot fetch a tile together; '' if it can."""
        if not self.options.sharing:
            return "--sharing off"
        return barrier_obstacle(path, self.kernel.body, self.varying)

    def _columns_stay(
        self, dimensions: tuple[TileDimension, ...], pitches: tuple[Polynomial, ...], place: Place
    ) -> bool:
        inner = dimensions[-1]
        inside = place.proves_nonnegative(inner.lower)
        return inside and place.proves_nonnegative(pitches[-1] - inner.lower - inner.length)

    def _choose(self, request: Request) -> tuple[Tile | None, str]:
        """The first method that can serve the request, the user's choice first, and why it is that one."""
        wanted = self.options.method
        where = request.subarray.location
        if wanted == "scratch":
            self.reporter.report("ACC407", where, name=request.subarray.text)
            wanted = "auto"
        if wanted in tuple(method.name for method in METHODS):
            reason = method_named(wanted).check(request)
            if not reason:
                return method_named(wanted).plan(request), "asked for"
            self.reporter.report("ACC408", where, method=wanted, name=request.subarray.text, reason=reason)
        reasons: list[str] = []
        for name in AUTOMATIC:
            reason = method_named(name).check(request)
            if not reason:
                return method_named(name).plan(request), reasons[-1] if reasons else "every reference is in range"
            reasons.append(reason)
        return None, reasons[-1]

    def _fits(self, tile: Tile) -> bool:
        """Whether shared memory has room for one more tile; claims it if so."""
        size = tile_bytes(tile)
        if self.used + size > self.budget:
            return False
        self.used += size
        return True

    def _smaller(self, request: Request, tile: Tile) -> tuple[Tile | None, str]:
        """A method that needs less shared memory than the tile that does not fit, or the reason for none."""
        reason = f"it needs {tile_bytes(tile)} bytes of shared memory, and {self.budget - self.used} are left"
        emulated = method_named("ehc")
        if tile.method != "ehc" and not emulated.check(request):
            small = emulated.plan(request)
            if self._fits(small):
                self.reporter.report(
                    "ACC408", request.subarray.location, method=tile.method, name=request.subarray.text, reason=reason
                )
                return small, reason
        return None, reason

    def _start_names(self, tile: Tile) -> tuple[str, ...]:
        """A variable a dimension: ``a_start``, or ``a_row`` and ``a_column``."""
        suffixes = {1: ("start",), 2: ("row", "column")}.get(len(tile.dimensions))
        suffixes = suffixes or tuple(f"start{number}" for number in range(len(tile.dimensions)))
        return tuple(self._fresh(f"{plain(tile.array)}_{suffix}") for suffix in suffixes)

    def _fresh(self, name: str) -> str:
        candidate, count = name, 1
        while candidate in self.taken:
            count += 1
            candidate = f"{name}{count}"
        self.taken.add(candidate)
        return candidate
