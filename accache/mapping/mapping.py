"""Compute regions and routines to kernels: each nest of a kernels region becomes one, and kernels have numbers.

Before: loops that carry loop directives. After: mapped kernels, whose loops ``spreading`` has given
to blocks and threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from accache.analysis.calls import collective_calls
from accache.analysis.canonical import constant_trips
from accache.analysis.differences import with_exact_differences
from accache.analysis.points_to import is_followed
from accache.analysis.sums import without_assumptions
from accache.analysis.uniformity import leaving_jumps
from accache.base.architectures import MAX_THREADS
from accache.base.diagnostics import Diagnostic, Reporter
from accache.ir.kernels.simt import ParallelFor
from accache.ir.names import user_name
from accache.ir.openacc.regions import Reduction, Region
from accache.ir.tree import Cache, Expr, For, Jump, Stmt
from accache.ir.walk import nodes_of, remembered, rewrite
from accache.mapping.blocks import MAX_WORKERS_OF_ROUTINES, BlockExtents, Outputs
from accache.mapping.data.array_references import with_array_references
from accache.mapping.data.quotients import with_quotients
from accache.mapping.data.temporaries import with_own_temporaries
from accache.mapping.kernels_regions import kernels_pieces, with_locals_in_front
from accache.mapping.loops.collapse import only_statement
from accache.mapping.loops.counters import localise_counters
from accache.mapping.loops.crosswise import with_crosswise_loops
from accache.mapping.loops.early_ends import without_early_ends
from accache.mapping.loops.gang_lanes import with_lanes_for_gangs
from accache.mapping.loops.hoist_calls import lifted
from accache.mapping.loops.inner_loops import with_parallel_inner_loops
from accache.mapping.loops.joined_levels import with_joined_levels
from accache.mapping.loops.pointer_loops import with_indexed_pointers
from accache.mapping.loops.strips import with_whole_strips
from accache.mapping.loops.switches import with_plain_switches
from accache.mapping.loops.triangles import with_rectangle
from accache.mapping.loops.variable_steps import with_numbered_iterations
from accache.mapping.loops.warps import lengths_for_lanes, with_a_warp_an_iteration
from accache.mapping.mapped import MappedKernel, Variants, Written, lines_and_numbers
from accache.mapping.nests import is_parallel
from accache.mapping.reductions.block_counts import with_block_counts
from accache.mapping.reductions.found_reductions import found_reductions, with_found_reductions
from accache.mapping.reductions.outer_reductions import with_outer_reductions
from accache.mapping.spreading import Mapper
from accache.mapping.wrapping import loop_specs, reduced_by, spread, with_exact_sums


def map_region(region: Region, reporter: Reporter) -> tuple[MappedKernel, ...]:
    """Map every kernel of a compute region; counters of sequential loops become local to their loops.

    A kernels region with several loop nests becomes several kernels. Reports loops that must run
    sequentially and sizes that cannot be obeyed. Where arrays may overlap for all that is known, the kernel of a
    parallel region is mapped for arrays that do not, if that makes a difference, and has a variant for those that do.
    """
    kernels = _settled_for_overlap(region, reporter)
    if not any(nodes_of(region.body, Cache)):
        return kernels
    written = Written(region, lines_and_numbers(kernels))
    return tuple(replace(kernel, written=written) for kernel in kernels)


def _settled_for_overlap(region: Region, reporter: Reporter) -> tuple[MappedKernel, ...]:
    """The kernels of a region, for arrays that are apart where that makes a difference."""
    told = Reporter()
    kernels = _mapped(region, told)
    counts = any(item.is_array for item in _handed_over(kernels[0]))
    if region.kind == "parallel" and (kernels[0].doubtful_pairs or counts):
        other = Reporter()
        (found,) = _mapped(replace(region, are_apart=True), other)
        careful = None if _is_alike(found, kernels[0]) else _for_overlapping(region, found, kernels[0])
        if careful is not None:
            kernels = (replace(found, variants=careful),)
            told = other
    reporter.include(told.diagnostics)
    return kernels


def _for_overlapping(region: Region, found: MappedKernel, kernel: MappedKernel) -> Variants | None:
    """What a launch takes for arrays that overlap where it takes ``found`` for those that do not; None if nothing can.

    Of a kernel whose blocks update copies of an array that is reduced, and hand nothing over, it is one thread.
    """
    if _may_stand_for(found, kernel):
        return replace(found.variants, overlapping=kernel)
    is_counted = any(item.is_array for item in _handed_over(kernel)) and not _handed_over(found)
    if not is_counted or not is_followed(found.body):
        return None
    prepared = _prepared_whole(region, Reporter())
    alone = _by_one_thread(prepared, prepared.body, has_reductions=False)
    return replace(found.variants, sequential=alone) if not _handed_over(alone) else None


def _mapped(region: Region, reporter: Reporter) -> tuple[MappedKernel, ...]:
    """Map every kernel of a compute region, whose arrays may overlap or are apart as it says."""
    region = _prepared_whole(region, reporter)
    pieces = kernels_pieces(region, reporter) if region.kind == "kernels" else [region.body]
    pieces = [with_block_counts(piece, region, reporter) for piece in pieces]
    lines = Counter[int]()
    kernels = []
    for piece in pieces:
        kernel = _settled(region, piece, reporter)
        lines[kernel.line] += 1
        kernels.append(replace(kernel, number=lines[kernel.line]))
    return tuple(kernels)


def _prepared_whole(region: Region, reporter: Reporter) -> Region:
    """A region as its pieces are mapped."""
    region = with_quotients(region)
    region = replace(region, body=lifted(_prepared(region, reporter), reporter))
    region = with_whole_strips(replace(region, body=with_lanes_for_gangs(region)))
    return with_locals_in_front(with_exact_sums(region))


def _is_alike(kernel: MappedKernel, other: MappedKernel) -> bool:
    """Whether two kernels do the same in the same blocks."""
    is_same = kernel.body == other.body and kernel.shape == other.shape
    if kernel.variants.lengthwise is None or other.variants.lengthwise is None:
        return is_same and kernel.variants.lengthwise is other.variants.lengthwise
    return is_same and _is_alike(kernel.variants.lengthwise, other.variants.lengthwise)


def _may_stand_for(found: MappedKernel, kernel: MappedKernel) -> bool:
    """Whether a launch may take a kernel for arrays that are apart, and the other one for those that overlap.

    All pairs of arrays must be known. What blocks hand over to the launch is combined for one grid.
    """
    if found.variants.sequential is not None or kernel.variants.sequential is not None or not is_followed(found.body):
        return False
    if bool(_handed_over(found)) != bool(_handed_over(kernel)):
        return False
    return not _handed_over(found) or (found.variants.lengthwise is None and found.shape == kernel.shape)


def _handed_over(kernel: MappedKernel) -> tuple[Reduction, ...]:
    """What blocks hand over for the launch to combine."""
    loops = (node for node in nodes_of(kernel.body, ParallelFor) if node.grid)
    return (*kernel.results, *kernel.region.reductions, *(item for loop in loops for item in loop.reductions))


def _settled(region: Region, piece: Stmt, reporter: Reporter) -> MappedKernel:
    """A mapped kernel; where loops of it would run sequentially, in the way in which fewest of them do.

    Reductions that nobody named may be found. If loops are independent only where arrays do not overlap, the kernel
    gets a ``sequential`` version.
    """
    local = Reporter()
    kernel = _proved(region, piece, local)
    kept = len(_kept_sequential(local))
    if kept and is_run_by_any_number_of_gangs(region, piece):
        naming = with_found_reductions(piece, region)
        tried = [naming] if naming is not piece else []
        ways = [(region, item) for item in tried]
        ways += [(replace(region, are_apart=True), item) for item in (piece, *tried)]
        for around, item in ways:
            other = Reporter()
            found = _proved(around, item, other) if around is region else _apart(around, item, other)
            if found is not None and len(_kept_sequential(other)) < kept and not other.has_errors:
                kept = len(_kept_sequential(other))
                kernel, local = found, _with_notes(other, piece, item)
    reporter.include(local.diagnostics)
    return _with_other_levels(region, piece, kernel)


def _with_other_levels(region: Region, piece: Stmt, kernel: MappedKernel) -> MappedKernel:
    """A kernel of a nest that reduces whose threads are given to its levels in a better way; the kernel itself if none.

    Where only the launch knows whether that way is better, it has the kernel as it was for the ``lengthwise`` one.
    """
    for other in (with_crosswise_loops(piece, region), with_a_warp_an_iteration(piece, region)):
        if other is not piece:
            found = _map(region, other, MAX_THREADS, Reporter())
            is_known = any(constant_trips(loop) for loop in found.shape.counted_loops)
            undecided = replace(found, variants=replace(found.variants, lengthwise=kernel))
            return found if is_known and not lengths_for_lanes(undecided) else undecided
    return kernel


def _kept_sequential(reporter: Reporter) -> list[Diagnostic]:
    """What is said of loops that run sequentially."""
    return [item for item in reporter.diagnostics if item.code == "ACC307"]


def _with_notes(reporter: Reporter, before: Stmt, after: Stmt) -> Reporter:
    """What there is to report, and the reductions that nobody named (ACC326)."""
    for spec, item in found_reductions(before, after):
        name = user_name(item.variable)
        reporter.report("ACC326", spec.location, name=name, operator=item.operator)
    return reporter


def _apart(region: Region, piece: Stmt, reporter: Reporter) -> MappedKernel | None:
    """A kernel of a region whose arrays are apart, and its ``sequential`` version.

    None if no launch can test that, or if the one thread, which takes no unsigned sum for exact, would not hand over
    what the kernel reduces.
    """
    kernel = _map(region, piece, MAX_THREADS, reporter)
    if any(collective_calls(kernel.body)) or not is_followed(kernel.body):
        return None
    alone = _by_one_thread(region, piece, bool(reduced_by(kernel)))
    return (
        replace(kernel, variants=replace(kernel.variants, sequential=alone))
        if reduced_by(alone) == reduced_by(kernel)
        else None
    )


def _by_one_thread(region: Region, piece: Stmt, has_reductions: bool) -> MappedKernel:
    """A kernel that one thread runs in the program's order, and that takes nothing for granted; nothing is reported.

    One that reduces hands over its results as that does which many threads run.
    """
    body, doubted = without_assumptions(region.body), without_assumptions(piece)
    assert isinstance(body, Stmt)
    assert isinstance(doubted, Stmt)
    if not has_reductions:
        return _map(replace(region, kind="serial", body=body), doubted, MAX_THREADS, Reporter())
    region, doubted = without_sizes(replace(region, body=body)), unsized(doubted)
    return Mapper(region, Reporter(), BlockExtents(region, Reporter(), 1), is_strided=True).kernel(doubted)


def _proved(region: Region, piece: Stmt, reporter: Reporter) -> MappedKernel:
    """A mapped kernel; with a ``sequential`` version where its loops are independent only if no unsigned sum wraps.

    What such a kernel reduces, and routines that all threads call together, want the threads it is mapped to: it is
    mapped without taking anything for granted.
    """
    local = Reporter()
    kernel = _map(region, piece, MAX_THREADS, local)
    doubted = without_assumptions(piece)
    if doubted is not piece and any(region.is_unproved(spec) for spec in loop_specs(piece, region)):
        assert isinstance(doubted, Stmt)
        body = without_assumptions(region.body)
        assert isinstance(body, Stmt)
        careful = replace(region, body=body)
        other = Reporter()
        without = _map(careful, doubted, MAX_THREADS, other)
        if spread(without) != spread(kernel):
            if reduced_by(kernel) or any(collective_calls(kernel.body)):
                kernel, local = without, other
            else:
                kernel = replace(
                    kernel,
                    variants=replace(
                        kernel.variants, sequential=_by_one_thread(careful, doubted, has_reductions=False)
                    ),
                )
    reporter.include(local.diagnostics)
    return kernel


def in_smaller_blocks(kernel: MappedKernel, threads: int, outputs: Outputs = ()) -> MappedKernel:
    """A kernel mapped once more with so many threads a block at most, where no size is the user's.

    Blocks are fitted to threads that will have several iterations along axes. Nothing is reported: mapping the kernel
    for the first time has said all there is to say.
    """
    smaller = _map(kernel.region, kernel.source, threads, Reporter(), outputs=outputs)
    return _as_before(smaller, kernel)


@remembered
def in_rectangle(kernel: MappedKernel) -> MappedKernel:
    """A kernel over the rectangle that holds the triangle of its nest; the kernel itself if that is none."""
    is_whole = not (kernel.is_routine or kernel.results or kernel.prologue or kernel.shape.gangs)
    source = with_rectangle(kernel.source, kernel.body) if is_whole else kernel.source
    if source is kernel.source:
        return kernel
    return replace(_as_before(_map(kernel.region, source, MAX_THREADS, Reporter()), kernel), is_rectangle=True)


def mapped_anew(kernel: MappedKernel, source: Stmt) -> MappedKernel:
    """A kernel mapped once more from another source, such as its own without cache directives; nothing is reported."""
    anew = _map(kernel.region, source, MAX_THREADS, Reporter())
    return _as_before(_with_other_levels(kernel.region, source, anew), kernel)


def _as_before(kernel: MappedKernel, before: MappedKernel) -> MappedKernel:
    """A kernel mapped once more, with what was settled beside its mapping."""
    return replace(
        kernel,
        routine_parts=before.routine_parts,
        number=before.number,
        written=before.written,
        is_rectangle=before.is_rectangle,
        variants=replace(before.variants, lengthwise=kernel.variants.lengthwise or before.variants.lengthwise),
    )


def map_routine(region: Region, level: str, reporter: Reporter) -> MappedKernel:
    """Map a routine, given as a region: blocks of any shape call it, all threads of each together."""
    region = with_exact_sums(replace(region, body=lifted(_prepared(region, reporter), reporter)), is_launched=False)
    block = BlockExtents(region, reporter, extents={"x": MAX_THREADS, "y": MAX_WORKERS_OF_ROUTINES})
    return Mapper(region, reporter, block, level).kernel(region.body)


def _prepared(region: Region, reporter: Reporter) -> Stmt:
    refuse_exits(region.body, reporter)
    region = replace(region, body=with_plain_switches(region.body, reporter))
    region = replace(region, body=without_early_ends(region.body))
    region = replace(region, body=localise_counters(region, reporter))
    region = replace(region, body=with_own_temporaries(region))
    region = replace(region, body=with_array_references(region))
    region = replace(region, body=with_outer_reductions(region, reporter))
    region = replace(region, body=with_indexed_pointers(region.body, region))
    region = replace(region, body=with_exact_differences(with_numbered_iterations(region.body, region)))
    return with_parallel_inner_loops(region)


def _map(region: Region, body: Stmt, threads: int, reporter: Reporter, *, outputs: Outputs = ()) -> MappedKernel:
    if not any(nodes_of(body, Cache)):  # a tile may be what the threads of a gang share
        body = with_joined_levels(replace(region, body=body))
    return Mapper(region, reporter, BlockExtents(region, reporter, threads, outputs=outputs)).kernel(body)


def is_run_by_any_number_of_gangs(region: Region, piece: Stmt) -> bool:
    """Whether the number of gangs makes no difference to a kernel: all that it does are iterations that gangs share."""
    return region.kind == "kernels" or (not region.gangs and is_parallel(only_statement(piece), region))


def without_sizes(region: Region) -> Region:
    """A region for whose gangs, workers and vectors nobody gave a number."""
    return replace(region, sizes=(), body=unsized(region.body))


def unsized(body: Stmt) -> Stmt:
    """A statement whose loops name no levels and sizes, and are not cut into tiles."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or node.loop is None:
            return node
        return replace(node, loop=replace(node.loop, levels=frozenset(), sizes=(), tile=()))

    result = rewrite(body, change)
    assert isinstance(result, Stmt)
    return result


def refuse_exits(body: Stmt, reporter: Reporter) -> None:
    """Report what leaves a loop under a loop directive other than ``seq`` (OpenACC 3.3, section 2.9)."""
    exits = (jump for node in nodes_of(body, For) for jump in _exits(node))
    for location, keyword in dict.fromkeys((jump.location, jump.keyword) for jump in exits):
        hint = "iterations run at the same time, and none ends the others: put what depends on it into an if"
        reporter.report("ACC244", location, keyword=keyword, construct="loop", hint=hint)


def _exits(loop: For) -> Iterator[Jump]:
    """The jumps that leave one of the loops that a loop's directive is for."""
    spec = loop.loop
    if spec is None or spec.seq:
        return
    current: Stmt = loop
    for _ in range(max(spec.collapse, len(spec.tile))):
        if isinstance(current, For):
            yield from (jump for jump in leaving_jumps(current.body) if jump.keyword != "continue")
            current = only_statement(current.body)
