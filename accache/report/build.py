"""From planned and lowered kernels to a report."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import astuple, replace

from accache.base.architectures import LARGEST_YZ, architecture
from accache.base.diagnostics import Diagnostic
from accache.base.options import Options
from accache.base.properties import cached_property
from accache.base.text import SourceFile
from accache.caching.cached import CachedKernel
from accache.caching.decisions import Decision
from accache.caching.estimates.banks import BankModel, Conflict
from accache.caching.estimates.candidates import Candidate
from accache.caching.estimates.coarse_forms import obstacle
from accache.caching.shared_parts import array_part, tile_bytes
from accache.counting.closed_forms import closed_form, verdict
from accache.counting.formulas import Count, as_count, least, plain, product, rounds
from accache.counting.loads import LoadCounter
from accache.counting.tallies import FETCHED, OWN, SERVED, Loads, Tally
from accache.counting.trips import trips_of
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.alignment import WIDEST, Alignment, widest
from accache.ir.kernels.simt import AXES, CountThreads, ParallelFor, SharedArray
from accache.ir.kernels.tiles import EmulatedCache, Lines, Tile, TileDimension
from accache.ir.names import WIDTH, user_name
from accache.ir.polynomial import Polynomial
from accache.ir.sizes import sizeof, tile_alignment, tile_shape
from accache.ir.tree import Declare, Expr, IntLiteral
from accache.ir.walk import nodes_of, single_definitions, walk
from accache.launching.versions import KernelVersions, LoweredRegion
from accache.lowering.lowered import LoweredKernel
from accache.mapping.blocks import iterations_of
from accache.mapping.grids import STRIDED_BLOCKS, passes_grid
from accache.mapping.loops.warps import has_warp_an_iteration
from accache.mapping.mapped import MappedKernel
from accache.report.occupancy import occupancy
from accache.report.ranges import Coverage, Share, coverage
from accache.report.records import (
    VERSION,
    BankReport,
    CandidateReport,
    Change,
    DiagnosticReport,
    DimensionReport,
    KernelReport,
    Number,
    SubarrayReport,
)
from accache.report.text import Report

WARP = 32


def make_report(
    source: SourceFile, regions: Sequence[LoweredRegion], options: Options, diagnostics: Sequence[Diagnostic]
) -> Report:
    """The report of a translation."""
    kernels = []
    for region in regions:
        for kernel in region.kernels:
            kernels.append(_Kernel(source, kernel, options, tuple(diagnostics)).report())
    return Report(
        VERSION, source.name, options.arch, tuple(kernels), tuple(map(_diagnostic, diagnostics)), options.fast_math
    )


class _Kernel(Struct, frozen=True, dict=True):
    """Reports on one kernel."""

    source: SourceFile
    versions: KernelVersions
    options: Options
    diagnostics: tuple[Diagnostic, ...]

    @property
    def lowered(self) -> LoweredKernel:
        """The kernel as planned."""
        return self.versions.planned

    def report(self) -> KernelReport:
        mapped = self.lowered.cached.kernel
        function = mapped.region.function
        fewer = self.lowered.cached.fewer
        x, y, z = mapped.shape.block
        whole = self.before(True).total(OWN), self.after(True).total(OWN) + self.after(True).total(FETCHED)
        block = self.before(False).total(OWN), self.after(False).total(OWN) + self.after(False).total(FETCHED)
        return KernelReport(
            name=mapped.name,
            function=function,
            line=mapped.line,
            loops=tuple(dict.fromkeys(plain(name) for name, loop in self.loops.items() if loop.grid or loop.block)),
            block=mapped.shape.block,
            threads=x * y * z,
            grid=tuple(self.number(Tally(count)) for count in self.launched),
            shared_bytes=self.shared_bytes,
            occupancy=occupancy(self.options.arch, x * y * z, self.shared_bytes),
            block_loads=self.change(*block, launch=False),
            launch_loads=self.change(*whole, launch=True),
            launch_fetches=self.number(self.after(True).total(FETCHED)),
            overlap_checks=tuple((plain(a), plain(b)) for a, b in self.versions.pairs),
            extent_checks=tuple(
                (plain(array), plain(first.to_c()), plain((end - 1).to_c()))
                for array, (first, end) in self.lowered.cached.assumptions
            ),
            length_checks=tuple((plain(limit.to_c()), length) for limit, length in self.lowered.cached.lengths),
            subarrays=tuple(self.subarray(decision) for decision in self.lowered.cached.decisions),
            candidates=tuple(map(_candidate, self.lowered.cached.candidates)),
            most_blocks=mapped.shape.most_blocks,
            iterations=iterations_of(mapped.coarse.outputs),
            edges=tuple(plain(name) for name, axis in self.axes if axis in mapped.coarse.edges),
            is_triangle=mapped.is_rectangle,
            fewest_blocks=self.lowered.cached.fewest_blocks,
            fewer=iterations_of(fewer.kernel.coarse.outputs) if fewer is not None else (),
            fewest_blocks_of_fewer=fewer.fewest_blocks if fewer is not None else 0,
            obstacle="" if mapped.coarse.outputs else obstacle(mapped),
            wide_where=_in_words(mapped.alignment),
            warp_an_iteration=has_warp_an_iteration(mapped),
            otherwise=self.versions.otherwise,
            kept_rows=tuple((plain(array), count) for array, count in self.lowered.kept),
            columns=self.lowered.columns,
        )

    @cached_property
    def counted(self) -> CachedKernel:
        """The kernel whose iterations are counted: one in which a thread has one only, if there is such a one."""
        cached = self.lowered.cached
        return cached.counted or cached.narrow_single or cached.unaligned or cached

    @cached_property
    def definitions(self) -> Mapping[str, Expr]:
        return single_definitions(self.counted.kernel.body)

    @cached_property
    def loops(self) -> dict[str, ParallelFor]:
        """The parallel loops by variable, outermost first."""
        body = self.counted.kernel.body
        return {node.loop.variable: node for node in nodes_of(body, ParallelFor)}

    @property
    def axes(self) -> tuple[tuple[str, str], ...]:
        """The parallel loops by variable, outermost first, and the axes of the block that they have."""
        shape = self.lowered.cached.kernel.shape
        if self.lowered.cached.kernel.is_rectangle:
            return tuple((loop.variable, axis) for loop, axis in zip(shape.grid_loops, AXES, strict=False))[::-1]
        return tuple((name, loop.block) for name, loop in self.loops.items())

    @cached_property
    def shared(self) -> tuple[SharedArray, ...]:
        """The gang-local arrays (starts that threads communicate are counted apart)."""
        starts = {start for tile in self.lowered.cached.tiles for start in tile.range.starts}
        return tuple(item for item in self.lowered.shared if item.name not in starts)

    @cached_property
    def shared_bytes(self) -> int:
        """The shared memory of a block."""
        return self.lowered.layout.bytes

    @cached_property
    def grid(self) -> tuple[Count, ...]:
        """The grid's extents, x first."""
        return self.grid_of(self.lowered.cached.kernel)

    def grid_of(self, mapped: MappedKernel) -> tuple[Count, ...]:
        """The extents of a kernel's grid."""
        if mapped.shape.gangs:
            asked = [index_polynomial(size, self.definitions) for size in mapped.shape.gangs]
            return tuple(as_count(size if size is not None else Polynomial.symbol("num_gangs")) for size in asked)
        if mapped.shape.is_general:
            return (as_count(STRIDED_BLOCKS),)
        extents = []
        for loop, threads in zip(mapped.shape.grid_loops, mapped.shape.grid_threads, strict=True):
            known = frozenset(variable.name for variable in mapped.region.variables)
            spread = self.loops[loop.variable]
            spread = replace(spread, loop=loop) if mapped.is_rectangle else spread
            trips = trips_of(spread, self.definitions, known, frozenset())
            unknown = as_count(Polynomial.symbol(f"trips_{loop.location.line}"))
            extents.append(rounds(trips.count if trips is not None else unknown, threads))
        if mapped.shape.most_blocks and len(extents) == 1:
            return (least((as_count(mapped.shape.most_blocks), extents[0])),)
        return tuple(extents) or (as_count(1),)

    @property
    def launched(self) -> tuple[Count, ...]:
        """The grid's extents, where blocks stride over what an axis cannot hold."""
        mapped = self.lowered.cached.kernel
        if mapped.shape.gangs or mapped.shape.is_general or not mapped.shape.grid_loops:
            return self.grid
        needed = zip(self.grid, mapped.shape.grid_loops, AXES, mapped.shape.grid_threads, strict=False)
        largest = as_count(LARGEST_YZ)
        return tuple(largest if passes_grid(loop, axis, threads) else count for count, loop, axis, threads in needed)

    def counter(self, launch: bool, cached: bool) -> LoadCounter:
        """What counts the loads of a block or a launch, without the directives or with them."""
        kernel = self.counted.kernel
        body = self.counted.body if cached else kernel.body
        shared = frozenset(item.name for item in self.lowered.shared)
        return LoadCounter(kernel, body, launch, product(*self.grid_of(kernel)), shared)

    @cached_property
    def tables(self) -> dict[tuple[bool, bool], Loads]:
        """The loads of a block and of a launch, without the directives and with them."""
        return {
            (launch, cached): self.counter(launch, cached).count()
            for launch in (False, True)
            for cached in (False, True)
        }

    def before(self, launch: bool) -> Loads:
        return self.tables[launch, False]

    def after(self, launch: bool) -> Loads:
        return self.tables[launch, True]

    @cached_property
    def banks(self) -> BankModel:
        return BankModel(self.lowered.cached.body, self.lowered.cached.kernel.shape.block)

    def subarray(self, decision: Decision) -> SubarrayReport:
        """One decision."""
        tile = decision.tile
        array = None if tile else self.gang_array(decision)
        conflicts: tuple[Conflict, ...] = ()
        if tile is not None:
            conflicts = () if tile.traits.in_registers else self.banks.of_tile(tile, self.joined_reads(tile))
        elif array is not None:
            conflicts = self.banks.of_array(array)
        where = decision.location
        lines = tile.lines if tile else None
        target = architecture(self.options.arch)
        return SubarrayReport(
            line=where.line,
            column=where.column,
            written=_written(self.source, decision),
            text=plain(decision.text),
            method=decision.method,
            reason=decision.reason,
            scope=tile.scope if tile else "block" if array else "",
            obstacle=decision.share_obstacle if tile and tile.scope == "thread" else "",
            tile=tile.name if tile and not lines else "",
            extents=_extents(tile) if tile and not lines else (),
            padding=tile.range.pad if tile else 0,
            shared_bytes=tile_bytes(tile) if tile else array_part(array).bytes if array else 0,
            in_place_of=tuple(sorted(tile.apart)) if tile else (),
            dimensions=tuple(map(self.dimension, self.dimensions_of(tile))) if tile else (),
            policy=tile.policy if tile else "",
            policy_reason=tile.reason if tile else "",
            tracking=tile.tracking if tile else "",
            loads=self.loads(tile) if tile else None,
            banks=tuple(BankReport(item.line, item.degree, item.reason) for item in conflicts),
            refused=tuple(_diagnostic(found) for found in self.diagnostics if found.location == where),
            density=round(decision.density, 2),
            line_bytes=lines.bytes if lines else 0,
            line_arrays=lines.arrays if lines else 0,
            line_calls=lines.calls if lines else 0,
            line_threads=target.threads_that_fill_l1(lines.streams, _stream_line(lines))
            if lines and lines.streams
            else 0,
            line_streams=lines.streams if lines else 0,
            line_most=target.threads_per_sm if lines else 0,
            line_turn=lines.number + 1 if lines and not lines.calls else 0,
        )

    def joined_reads(self, tile: Tile) -> int:
        """How many neighbours of a tile a thread reads at once: those of its iterations, if they lie side by side."""
        mapped = self.lowered.cached.kernel
        if not mapped.coarse.is_blocked or tile_alignment(tile) < WIDEST:
            return 1
        return min(widest(sizeof(tile.element)), dict(mapped.coarse.outputs).get("x", 1))

    def gang_array(self, decision: Decision) -> SharedArray | None:
        """The gang-local array a decision is about."""
        name = re.match(r"\w+", decision.text)
        if not decision.is_gang_local or name is None:
            return None
        return next((item for item in self.shared if user_name(item.name) == name[0]), None)

    def loads(self, tile: Tile) -> Change:
        """Loads a block by the references that a tile serves: without it, and by its fetches and misses."""
        after = self.after(False)
        fetched = after.total(FETCHED, tile.name) + after.total(OWN, tile.name)
        return self.change(after.total(SERVED, tile.name), fetched, launch=False)

    def number(self, tally: Tally) -> Number:
        """A tally in closed form; sympy is asked for that only where there are directives."""
        asked = bool(self.lowered.cached.decisions)
        text = closed_form(tally.count) if asked else plain(str(tally.count))
        value = int(text) if tally.count.value is None and text.isdigit() else tally.count.value
        return Number(text, value, tally.bound, tally.notes)

    def change(self, before: Tally, after: Tally, launch: bool) -> Change:
        """Two tallies of a block or of a launch, and which is less where names stand in them."""
        numbers = self.number(before), self.number(after)
        if before == after or None not in (number.value for number in numbers):
            return Change(*numbers, "")
        facts = self.counter(launch, True).facts()
        return Change(*numbers, verdict(before, after, facts))

    def dimensions_of(self, tile: Tile) -> tuple[TileDimension, ...]:
        """The dimensions of a tile; of one for several iterations a thread as if each iteration had its own."""
        counted = self.lowered.cached.counted
        same = (item for item in counted.tiles if item.name == tile.name) if counted is not None else ()
        return next(iter(same), tile).range.dimensions

    def share_of(self, loop: ParallelFor) -> Share:
        """What a thread has of the iterations of a loop for which each tile was planned."""
        mapped = self.lowered.cached.kernel
        several = dict(mapped.coarse.outputs).get(loop.block, 1) if self.lowered.cached.counted is not None else 1
        if several == 1:
            return Share()
        return Share(several, 1 if mapped.coarse.is_blocked or loop.block != "x" else loop.threads // several)

    def dimension(self, dimension: TileDimension) -> DimensionReport:
        """One dimension of a tile, seen from the parallel loop it follows."""
        following = [loop for name, loop in self.loops.items() if name in dimension.lower.names and loop.block]
        loop = following[0] if len(following) == 1 else None
        share = self.share_of(loop) if loop is not None else Share()
        covered = None
        if len(following) < 2:
            covered = coverage(dimension.lower, dimension.length, loop, self.definitions, share=share)
        varying = bool(dimension.lower.names & self.banks.varying) and loop is None
        rate = None if varying or following else 0
        if loop is not None and covered is not None:
            rate = covered.stride // loop.loop.step
        variable = loop.loop.variable if loop is not None else ""
        shared = bool(dimension.axis)
        sigma = abs(dimension.rate * dimension.step)
        offset = dimension.lower - Polynomial.symbol(variable) * rate if loop is not None and rate else dimension.lower
        return DimensionReport(
            lower=plain(dimension.lower.to_c()),
            length=dimension.length,
            loop=user_name(variable),
            axis=loop.block if loop is not None else "",
            rate=rate,
            offset=plain(offset.to_c()),
            step=loop.loop.step if loop is not None else 0,
            extent=dimension.extent,
            halo=max(0, dimension.length - sigma) if shared else 0,
            gap=max(0, sigma - dimension.length) if shared else 0,
            width=self.width(dimension) if shared else "",
            full_width=loop.threads // share.iterations if shared and loop is not None else 1,
            ranges=_ranges(covered, "each" if varying else "every"),
            shared_range=covered.shared() if covered is not None and covered.stride and shared else "",
            strip=covered.strip() if covered is not None and covered.stride and shared else (),
            iterations=share.iterations,
            apart=share.apart,
        )

    def width(self, dimension: TileDimension) -> str:
        """How the sharing width along a dimension is found; '' where no code needs it."""
        name = self.lowered.names.get(WIDTH.format(dimension.variable))
        for node in walk(self.lowered.body):
            if isinstance(node, Declare) and node.name == name:
                if isinstance(node.init, CountThreads):
                    return "sync"
                return "fixed" if isinstance(node.init, IntLiteral) else "kernel-args"
        return ""


def _in_words(alignment: Alignment) -> str:
    """What a launch must meet for wide accesses."""
    arrays = [plain(name) for name in alignment.arrays]
    parts = [f"{', '.join(arrays)} begin at multiples of {WIDEST} bytes"] if arrays else []
    parts += [f"{plain(name)} is a multiple of {number}" for name, number in alignment.multiples]
    return " and ".join(parts)


def _candidate(item: Candidate) -> CandidateReport:
    """What was estimated of a kernel in one form."""
    cost = item.cost
    slots, sectors, turns, written, read = (round(part, 2) for part in astuple(cost))
    return CandidateReport(
        subarrays=tuple(map(plain, item.subarrays)),
        clocks=round(cost.clocks, 2),
        bound=cost.bound,
        slots=slots,
        sectors=sectors,
        turns=turns,
        written=written,
        chosen=not item.refused,
        iterations=item.iterations,
        name=plain(item.name),
        block=item.block,
        read=read,
        accesses=item.accesses,
        shared_bytes=item.shared_bytes,
        registers=item.registers,
        refused=item.refused,
    )


def _extents(tile: Tile) -> tuple[int, ...]:
    if isinstance(tile.storage, EmulatedCache):
        return (tile.storage.entries, tile.threads)
    copies = (tile.threads,) if tile.scope == "thread" and not tile.traits.in_registers else ()
    return (*tile_shape(tile), *copies)


def _ranges(covered: Coverage | None, whole: str) -> tuple[str, ...]:
    """Which threads cover what."""
    if covered is None:
        return ()
    return covered.ranges() if covered.stride else (f"{whole} thread -> {covered.of_threads(0, 1)}",)


def _diagnostic(found: Diagnostic) -> DiagnosticReport:
    line, column = (found.location.line, found.location.column) if found.location else (None, None)
    return DiagnosticReport(found.code, found.severity.value, found.message, line, column)


def _stream_line(lines: Lines) -> int:
    """The bytes of the shortest lines where each array that has one is a stream, else 0."""
    return lines.shortest if lines.streams == lines.arrays else 0


def _written(source: SourceFile, decision: Decision) -> str:
    """A subarray as the user wrote it; the expanded text where a macro holds the directive."""
    where = decision.location
    name = re.match(r"\w+", decision.text)
    if name is None or where.file != source.name or not where.column:
        return plain(decision.text)
    start = source.offset(where.line, where.column)
    text = source.text[start : start + 4000].replace("\\\r\n", " ").replace("\\\n", " ")
    if not re.match(rf"{name[0]}\b", text):
        return plain(decision.text)
    end, depth = len(name[0]), 0
    for position in range(end, len(text)):
        depth += (text[position] == "[") - (text[position] == "]")
        if text[position] in ",)\n" and not depth:
            break
        end = position + 1
    return " ".join(text[:end].split())
