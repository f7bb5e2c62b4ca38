"""From a subarray as it is written to the request that methods are asked: its references, bounds and sharing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accache.analysis.aliasing import keeps_its_memory, may_share
from accache.analysis.calls import has_effect, root_of
from accache.analysis.delinearise import common_pitch, delinearise
from accache.analysis.loop_context import ArrayUse, Definitions, LoopContext, UseCollector
from accache.analysis.must_write import NO_ELEMENTS, Effect, effect
from accache.analysis.points_to import ANYWHERE, place_origins, places
from accache.analysis.ranges import bounds as proved_bounds
from accache.analysis.uniformity import leaving_jumps
from accache.analysis.unrollable import unrollable
from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.caching.methods import method_named
from accache.caching.requests import References, Request, Sharing, first_unproved, is_proved
from accache.caching.sizing.bounds import Bound, BoundsReader, Refusal, misreadings
from accache.caching.sizing.boxes import box_of, joined_box, section
from accache.caching.sizing.extents import Room, room_of
from accache.caching.sizing.footprints import hull
from accache.caching.sizing.padding import neighbour_steps
from accache.caching.sizing.sharing import share
from accache.caching.survey import Site, Survey
from accache.ir.arrays import has_const_member
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.simt import ParallelFor
from accache.ir.kernels.tiles import Extent, TileAccess, TileDimension
from accache.ir.names import user_name
from accache.ir.openacc.atomics import atomic_access
from accache.ir.openacc.regions import Subarray
from accache.ir.polynomial import Polynomial
from accache.ir.sizes import sizeof
from accache.ir.tree import Atomic, Cache, Evaluate, Expr, For, Member, Stmt, Subscript, Unary, Variable, While
from accache.ir.types import CType, Pointer, Record, is_const, resolve, shape, unqualified
from accache.ir.walk import nodes_of, used_variables, walk

Indices = tuple[tuple[Polynomial | None, ...], ...]
View = tuple[tuple[Polynomial, ...], Indices]
"""The pitches of a flat array's view, and every use's index in each dimension."""


def request_for(
    subarray: Subarray, stmt: Cache, site: Site, options: Options, *, reporter: Reporter
) -> Request | Refusal:
    """What a subarray of a directive asks of a cache method, or why none can be asked.

    ``site`` is where the directive stands. Reports lengths that look like ends.
    """
    base = subarray.base
    assert isinstance(base, Variable)
    flat, element, lengths = shape(base.type)
    count = len(subarray.dimensions) or len(lengths) + 1
    if not flat and count != len(lengths) + 1:
        reason = f"the subarray has {count} dimension{'s' * (count != 1)}, the array {len(lengths) + 1}"
        return Refusal("ACC402", reason, hint="write one [first:length] for each dimension of the array")
    uses = references(base, 1 if flat else count, element, stmt, site=site)
    if isinstance(uses, Refusal):
        return uses
    bounds = _bounds(subarray, base.type, element, uses, site=site, reporter=reporter)
    if isinstance(bounds, Refusal):
        return bounds
    view = view_of(uses, count if flat else 0, site.survey)
    if view is None:
        return Refusal("ACC402", "its references do not agree on one row length")
    request = _request(subarray, uses, view, bounds, stmt=stmt, site=site, options=options)
    return unsafe(request, site) or request


def _request(
    subarray: Subarray,
    uses: tuple[ArrayUse, ...],
    view: View,
    bounds: tuple[Bound, ...],
    *,
    stmt: Cache,
    site: Site,
    options: Options,
) -> Request:
    """The request for a subarray whose references and bounds are known."""
    base, survey = subarray.base, site.survey
    assert isinstance(base, Variable)
    _, element, lengths = shape(base.type)
    dimensions, problem = share(bounds, site.path, survey.varying, site.stable)
    unproved = first_unproved(uses, view[1], dimensions, survey.initial_values)
    is_again = subarray in survey.named_again
    instead = () if is_again else _instead(subarray, uses, view[1], bounds, site=site)
    proved = _certain(uses, view[1], dimensions, survey.initial_values)
    is_partial, served = _served(uses, proved, is_again, options)
    uses, view = tuple(uses[number] for number in served), (view[0], tuple(view[1][number] for number in served))
    room = room_of(base.name, lengths, survey)
    clipped, assumed = _clipping(room if room and room.holds(bounds, view[0], site.context) else None, survey)
    asked = References(
        uses,
        view[1],
        steps=tuple(neighbour_steps(index, survey.along_x) for index in view[1]),
        unproved=first_unproved(uses, view[1], dimensions, survey.initial_values),
        named_again=is_again,
        misread=any(bound.is_misread for bound in bounds),
        columns_stay=_columns_stay(uses, view, dimensions, site.context),
        is_partial=is_partial,
        left_out=unproved if is_partial and not is_again else None,
        repeated=len(uses) > 1 or is_used_in_loop(stmt.body, base.name),
        instead=instead,
        outside=unproved.expr.location.line if unproved is not None else 0,
    )
    return Request(
        array=base.name,
        array_type=base.type,
        element=element,
        element_bytes=sizeof(element),
        subarray=subarray,
        options=options,
        references=asked,
        sharing=sharing_of(uses, stmt, site, _share_obstacle(site, options) or problem),
        effect=_effect(base.name, uses, view[0], stmt, site=site),
        left_at=next((jump.location.line for jump in leaving_jumps(stmt.body)), 0),
        dimensions=dimensions,
        pitches=view[0],
        clipped=clipped,
        assumed=assumed,
        unrolled=unrollable(stmt.body, survey.definitions),
    )


def sharing_of(uses: tuple[ArrayUse, ...], stmt: Cache, site: Site, obstacle: str = "") -> Sharing:
    """The threads at a site that may share what they use of an array, and what stands in the way."""
    inner = any(nodes_of(stmt.body, ParallelFor)) or not site.is_thread_level
    by_others = inner and any(use.is_written for use in uses)
    return Sharing(
        site.survey.kernel.shape.threads, site.axes, site.stable, written_by_others=by_others, obstacle=obstacle
    )


def _served(
    uses: tuple[ArrayUse, ...], certain: tuple[int, ...], is_again: bool, options: Options
) -> tuple[bool, tuple[int, ...]]:
    """Whether a tile may leave out some of the uses, ``certain`` ones aside, and the numbers of those that it serves.

    Others serve those that it leaves out where its array ``is_again`` named, else memory does.
    """
    everything = tuple(range(len(uses)))
    if any(use.is_written for use in uses):
        return False, everything
    is_partial = is_again or (0 < len(certain) < len(uses) and _may_leave_out(options))
    return is_partial, certain if is_partial and certain else everything


def _may_leave_out(options: Options) -> bool:
    """Whether references that are not proved to lie in a tile may go to memory, so that the others need no comparison.

    Whoever asks for a method that compares, or trusts the range, has all of them served.
    """
    compares = options.names_method and method_named(options.method).traits.may_miss
    return (options.chooses_method or options.names_method) and not compares and not options.trust_range


def _instead(
    subarray: Subarray, uses: tuple[ArrayUse, ...], indices: Indices, bounds: tuple[Bound, ...], *, site: Site
) -> tuple[str, ...]:
    """What holds what is written and all references, by dimension; '' for one that does as it is written.

    Nothing where that is so in all of them, or no constant lengths hold all references.
    """
    written = tuple(bound.lower for bound in bounds), tuple(bound.length for bound in bounds)
    box = box_of(uses, indices, site.context) if not any(bound.limit for bound in bounds) else None
    both = joined_box(written, box) if box is not None else None
    if both is None:
        return ()
    pairs = zip(bounds, *both, strict=True)
    parts = tuple(
        "" if (bound.lower, bound.length) == (lower, length) and not bound.is_misread else section(lower, length)
        for bound, lower, length in pairs
    )
    return parts if any(parts) else ()


def _certain(
    uses: tuple[ArrayUse, ...], indices: Indices, dimensions: tuple[TileDimension, ...], initial: Mapping[str, Expr]
) -> tuple[int, ...]:
    """The uses proved to lie in a subarray, none of which stands for one that is not, by its text and place."""
    proved = [is_proved(use, index, dimensions, initial) for use, index in zip(uses, indices, strict=True)]
    elsewhere = {use.expr for use, is_here in zip(uses, proved, strict=True) if not is_here}
    return tuple(number for number, use in enumerate(uses) if proved[number] and use.expr not in elsewhere)


def references(
    base: Variable, rank: int, element: CType, stmt: Cache, *, site: Site, parts: bool = False
) -> tuple[ArrayUse, ...] | Refusal:
    """The references a tile would serve, or what forbids to keep copies of the elements.

    Members of elements are written in ``parts`` only where the method can do that.
    """
    if getattr(resolve(element), "volatile", False):
        return Refusal("ACC402", "its elements are volatile")
    if is_const(unqualified(element)):
        return Refusal("ACC402", "its elements are const, and their type has no name without it")
    if has_const_member(element):
        return Refusal("ACC402", "its elements have const members and cannot be assigned")
    array = base.name
    collector = UseCollector(array, rank, site.survey.definitions)
    collector.statement(stmt.body, site.context)
    if collector.other is not None:
        return Refusal("ACC418", f"line {collector.other.location.line} uses it other than by its elements")
    if not collector.uses:
        if any(isinstance(node, TileAccess) and node.tile.array == array for node in walk(stmt.body)):
            return Refusal("ACC402", "other subarrays of the array serve all references", hint="take it out")
        reached = _reached(array, stmt, site)
        if reached is not None:
            reason = f"line {reached.location.line} reaches it through another pointer, and nothing by its name"
            return Refusal("ACC402", reason, hint=f"write {user_name(array)}[...] there")
        hint = "put the directive in front of the statements that use it, inside of the loop's braces"
        return Refusal("ACC402", "the region does not refer to it", hint=hint)
    atomic = next((node for node in nodes_of(stmt.body, Atomic) if _accesses(node, array)), None)
    if atomic is not None:
        return Refusal("ACC402", f"line {atomic.location.line} accesses it atomically")
    if not parts and isinstance(resolve(element), Record) and any(use.is_written for use in collector.uses):
        return Refusal("ACC402", "members of its elements are written")
    if any(has_effect(use.expr) for use in collector.uses):
        return Refusal("ACC402", "a subscript has a side effect", hint="count in a statement of its own")
    if uses_old_value(stmt.body, array):
        return Refusal("ACC402", "the value before ++ or -- is used", hint="count in a statement of its own")
    other = _other_way(base, any(use.is_written for use in collector.uses), stmt, site)
    if other is not None:
        reason = f"line {other.location.line} may reach its elements through another pointer"
        plain = resolve(base.type)
        if isinstance(plain, Pointer) and plain.restrict:
            return Refusal("ACC402", reason, hint=f"write {user_name(array)}[...] there")
        return Refusal("ACC402", reason, hint="declare it with restrict if no other pointer leads to its elements")
    return tuple(collector.uses)


def _other_way(base: Variable, is_written: bool, stmt: Cache, site: Site) -> Expr | None:
    """A place in a region that may be an element of an array, reached in another way, one of the two written.

    Whether pointers of the host meet, the launch finds out. What lies in memory leads to no ``restrict`` pointer's
    unless its address has gone there.
    """
    own = any(item.name == base.name and keeps_its_memory(item) for item in site.survey.kernel.region.variables)
    forbidden = {base.name} if own else {base.name, ANYWHERE}
    others = (place for place, may_change in places(stmt.body) if is_written or may_change)
    for place in others:
        root = root_of(place)
        is_direct = root is not None and root.name == base.name
        origins = place_origins(place, site.survey.pointers)
        if is_direct or not origins & forbidden:
            continue
        if not site.survey.kernel.region.types_tell_apart or may_share(place.type, base.type):
            return place
    return None


def _reached(array: str, stmt: Cache, site: Site) -> Expr | None:
    """The first place in a region to which a pointer leads that has its address from the array."""
    found = (place for place, _ in places(stmt.body) if array in place_origins(place, site.survey.pointers))
    return next(found, None)


def _accesses(atomic: Atomic, array: str) -> bool:
    """Whether an array's elements are what an atomic construct accesses."""
    place = atomic_access(atomic).place
    while isinstance(place, (Subscript, Member)):
        place = place.base
    return isinstance(place, Variable) and place.name == array


def _bounds(
    subarray: Subarray,
    ctype: CType,
    element: CType,
    uses: tuple[ArrayUse, ...],
    *,
    site: Site,
    reporter: Reporter,
) -> tuple[Bound, ...] | Refusal:
    """The subarray's lower bounds and lengths; reports lengths that look like ends."""
    survey = site.survey
    indices = tuple(last for use in uses for last in _last_indices(use, survey.definitions))
    reader = BoundsReader(survey.definitions, site.changing, site.stable, indices, sizeof(element))
    for dimension, misread in misreadings(reader, subarray):
        assert dimension.length is not None
        code = "ACC413" if misread.inclusive else "ACC412"
        meant = " ".join(misread.meant.to_c().replace("#", " ").split())
        reporter.report(code, dimension.length.location, name=subarray.text, meant=meant)
    return reader.read(subarray, ctype)


def _last_indices(use: ArrayUse, definitions: Definitions) -> Iterator[Polynomial]:
    """The index of a use in the first dimension, and the highest value that index takes in the loops around it."""
    index = index_polynomial(use.subscripts[0], definitions)
    if index is None:
        return
    yield index
    for facts in use.context.facts:
        for name in reversed(tuple(name for name, _ in facts.intervals)):
            high = proved_bounds(index, facts, frozenset((name,))).high
            if high is not None:
                yield high


def view_of(uses: tuple[ArrayUse, ...], dimensions: int, survey: Survey) -> View | None:
    """A flat array as rows and columns; None if the uses do not agree."""
    polynomials = tuple(
        tuple(index_polynomial(subscript, survey.definitions) for subscript in use.subscripts) for use in uses
    )
    if dimensions <= 1:
        return (), polynomials
    known = [item[0] for item in polynomials if item[0] is not None]
    if len(known) != len(polynomials):
        return None
    facts = max((use.context for use in uses), key=lambda context: len(context.ranges)).facts[0]
    pitches = common_pitch(known, dimensions, facts)
    if pitches is None or not all(pitch.names <= survey.stable(()) for pitch in pitches):
        return None
    split = [delinearise(polynomial, pitches) for polynomial in known]
    found = tuple(item for item in split if item is not None)
    return (pitches, found) if len(found) == len(split) else None


def _clipping(room: Room | None, survey: Survey) -> tuple[bool, Extent | None]:
    """Whether a fetch is clipped, and what has to be on the device if not; the subarray is proved to lie in ``room``.

    The launch can look for it where there is another kernel to take if it does not find it.
    """
    if room is None:
        return True, None
    if room.is_sure:
        return False, None
    return (False, room.elements) if survey.has_second_kernel else (True, None)


def _share_obstacle(site: Site, options: Options) -> str:
    """Why the block cannot fetch a tile together; '' if it can."""
    if not options.sharing:
        return "--sharing off"
    return site.meeting_obstacle


def unsafe(request: Request, site: Site) -> Refusal | None:
    """Why a fetch or a write-back might touch what it must not."""
    is_bare = request.clipped and site.survey.is_device_pointer(request.array)
    if is_bare and hull(site.survey.kernel, request.array) is None:
        return Refusal(
            "ACC402", "the size of what a deviceptr points to is not known, and the subarray may pass its end"
        )
    if request.is_written and not request.references.columns_stay:
        return Refusal("ACC402", "it is written, and its columns are not proved to stay inside their row")
    return None


def _effect(
    array: str, uses: tuple[ArrayUse, ...], pitches: tuple[Polynomial, ...], stmt: Cache, *, site: Site
) -> Effect:
    """What the region is certain to do to the array."""
    if not any(use.is_written for use in uses):
        return Effect(NO_ELEMENTS, True)

    def index(subscripts: tuple[Expr, ...]) -> tuple[Polynomial, ...] | None:
        parts = tuple(index_polynomial(subscript, site.survey.definitions) for subscript in subscripts)
        known = tuple(part for part in parts if part is not None)
        if len(known) != len(parts):
            return None
        return delinearise(known[0], pitches) if pitches else known

    return effect(stmt.body, array, index, site.lasting, definitions=site.survey.definitions)


def _columns_stay(
    uses: tuple[ArrayUse, ...], view: View, dimensions: tuple[TileDimension, ...], context: LoopContext
) -> bool:
    """Whether no element of a flat array has two places in the view, neither in the subarray nor by a reference.

    What an index has left behind a row's start must lie in that row.
    """
    pitches, indices = view
    if not pitches:
        return True
    lowest = [dimension.lower for dimension in dimensions]
    highest = [dimension.lower + dimension.length - 1 for dimension in dimensions]
    places = [(context, lowest), (context, highest)]
    for use, index in zip(uses, indices, strict=True):
        places.append((use.context, [part for part in index if part is not None]))
    return all(_lies_in_its_row(index, pitches, at) for at, index in places)


def _lies_in_its_row(index: list[Polynomial], pitches: tuple[Polynomial, ...], context: LoopContext) -> bool:
    """Whether what an index has behind each of its dimensions is proved to be less than one step of that dimension."""
    behind = index[-1]
    for pitch, part in zip(reversed(pitches), reversed(index[:-1]), strict=True):
        if not (context.proves_nonnegative(behind) and context.proves_nonnegative(pitch - 1 - behind)):
            return False
        behind = part * pitch + behind
    return True


def uses_old_value(body: Stmt, array: str) -> bool:
    """Whether the result of a postfix operator on an element of the array is used."""
    plain = {id(node.expr) for node in nodes_of(body, Evaluate)}
    plain |= {id(node.step) for node in nodes_of(body, For)}
    return any(
        isinstance(node, Unary)
        and node.op in ("p++", "p--")
        and id(node) not in plain
        and array in used_variables(node)
        for node in walk(body)
    )


def is_used_in_loop(stmt: Stmt, array: str) -> bool:
    """Whether a loop in a statement refers to an array."""
    return any(isinstance(node, (For, While, ParallelFor)) and array in used_variables(node) for node in walk(stmt))
