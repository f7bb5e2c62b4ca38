"""Requests for whole arrays, of which each thread keeps the lines that it is at: no bounds, no range to share.

What a thread's own lines must not meet is looked for here: other threads' work inside of the region, calls that may
reach memory, parts of elements that have no address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from accache.analysis.loop_context import ArrayUse
from accache.analysis.must_write import NO_ELEMENTS, Effect
from accache.analysis.uniformity import leaving_jumps
from accache.base.architectures import architecture
from accache.base.options import Options
from accache.caching.decisions import Decision
from accache.caching.line_streams import NO_STREAMS, Streams, stream
from accache.caching.methods import private
from accache.caching.requests import OwnLines, References, Request
from accache.caching.sizing.bounds import Refusal
from accache.caching.sizing.subarrays import references, sharing_of, unsafe
from accache.caching.survey import Site
from accache.ir.arrays import innermost
from accache.ir.kernels.simt import ParallelFor
from accache.ir.kernels.tiles import CALLS, Lines, Tile
from accache.ir.openacc.regions import Subarray
from accache.ir.sizes import sizeof
from accache.ir.tree import (
    STEPPING,
    Assign,
    Block,
    Cache,
    Call,
    Expr,
    For,
    Jump,
    Member,
    Stmt,
    Subscript,
    Unary,
    Variable,
    While,
)
from accache.ir.types import Array, CType, Record, resolve, shape
from accache.ir.walk import walk

MOST = 31
"""How many arrays have lines together."""


def whole_request(
    subarray: Subarray,
    stmt: Cache,
    site: Site,
    options: Options,
    *,
    before: tuple[Tile, ...],
    decided: tuple[Decision, ...],
    streams: Streams = NO_STREAMS,
) -> Request | Refusal:
    """What a directive asks of a method that holds any part of an array.

    ``before`` are the tiles of its earlier subarrays; ``decided`` is what became of these, and of other directives.
    """
    base = subarray.base
    assert isinstance(base, Variable)
    _, element, lengths = shape(base.type)
    lines = (item.tile for item in decided if item.tile is not None and item.tile.lines is not None)
    others = tuple(tile for tile in lines if tile not in before)
    uses = references(base, len(lengths) + 1, element, stmt, site=site, parts=True)
    if isinstance(uses, Refusal):
        return uses
    request = Request(
        array=base.name,
        array_type=base.type,
        element=element,
        element_bytes=sizeof(element),
        subarray=subarray,
        options=options,
        references=References(uses, tuple(() for _ in uses)),
        sharing=sharing_of(uses, stmt, site),
        effect=Effect(NO_ELEMENTS, True),
        left_at=next((jump.location.line for jump in leaving_jumps(stmt.body)), 0),
        lines=OwnLines(
            _obstacle(stmt, site, before, others) or _part_obstacle(stmt.body, element, uses),
            neighbours=len(stmt.subarrays),
            stream=stream(uses, stmt.body, sizeof(element), site.survey.definitions, along=site.survey.along_x),
            streams=streams,
        ),
    )
    return unsafe(request, site) or request


def around_loop(stmt: Stmt) -> Stmt:
    """A directive around the loop whose body it began and filled: lines last from round to round. Else the statement.

    Before: ``for (...) { cache(a): b[i] = a[i]; }``. After: ``cache(a): for (...) b[i] = a[i];``.
    """
    if not isinstance(stmt, (For, While)):
        return stmt
    body = stmt.body
    while isinstance(body, Block) and len(body.items) == 1:
        body = body.items[0]
    return replace(body, body=replace(stmt, body=body.body)) if isinstance(body, Cache) else stmt


def together(tiles: Sequence[Tile], options: Options) -> dict[str, Tile]:
    """The tiles of a region whose arrays have lines, each with its number among them, by name.

    Those that are known to gain most come first: where there are fewer lines than arrays, or until threads have seen
    more, these have them. Where all is known there is nothing to see, and lines of half a sector become sectors where
    they are written back.
    """
    lines = {tile.name: tile.lines for tile in tiles if tile.lines is not None}
    order = sorted(lines, key=lambda name: -(lines[name].gain or 0))
    is_known = all(found.gain is not None for found in lines.values())
    written = {tile.name for tile in tiles if tile.policy}
    is_mixed = options.private_line in ("auto", "mixed") and not any(
        _calls(found, is_known) for found in lines.values()
    )
    wide = private.wide_arrays(options, [name in written for name in order]) if is_mixed else 0
    numbered = {}
    for tile in tiles:
        if tile.name not in lines:
            continue
        found, number = lines[tile.name], order.index(tile.name)
        calls = _calls(found, is_known)
        storage = replace(found, number=number, arrays=len(lines), calls=calls)
        if wide and found.bytes == private.NARROW:
            size = private.WIDE if wide >> number & 1 else private.NARROW
            storage = replace(storage, bytes=size, unit=private.NARROW, wide=wide)
        numbered[tile.name] = replace(tile, storage=storage)
    return numbered


def _calls(lines: Lines, is_known: bool) -> int:
    """How many accesses of a thread are monitored."""
    return lines.calls or (0 if is_known else CALLS)


def streams_of(stmt: Cache, site: Site, options: Options) -> Streams:
    """The streams of a directive's arrays, for a method by lines, or for ``auto`` to choose it where they fill L1.

    ``auto`` leaves lines out where the directive names parts of arrays, or where one of its arrays cannot have lines.
    """
    is_asked = not options.chooses_method
    if not is_asked and any(item.dimensions for item in stmt.subarrays):
        return NO_STREAMS
    found = [_stream_of(item, stmt, site, options) for item in stmt.subarrays]
    count = sum(bool(each) for each in found)
    if is_asked:
        return Streams(count, chosen=False)
    target = architecture(options.arch)
    line = private.line_bytes(options, len(found)) if count == len(found) else 0
    fills = count > 0 and target.threads_per_sm >= target.threads_that_fill_l1(count, line)
    return Streams(count, chosen=True) if fills and None not in found else NO_STREAMS


def _stream_of(item: Subarray, stmt: Cache, site: Site, options: Options) -> bool | None:
    """Whether a line of an array is known to be hit, by threads with records of their own; None if it has none."""
    request = (
        whole_request(item, stmt, site, options, before=(), decided=()) if isinstance(item.base, Variable) else None
    )
    if not isinstance(request, Request) or request.lines.obstacle or request.left_at:
        return None
    lines = request.lines
    gain = lines.stream.gain(private.line_bytes(options, lines.neighbours)) if lines.stream else None
    return gain is not None and gain > 0 and lines.stream is not None and lines.stream.has_own_records


def why_no_lines(subarray: Subarray, stmt: Cache, site: Site, options: Options) -> str:
    """Why ``auto`` gives a whole array no lines, for which ``options`` ask; nothing forbids a tile of its directive."""
    if any(item.dimensions for item in stmt.subarrays):
        return "lines of each thread's own are of whole arrays, and the directive names parts, too"
    found = []
    ordered = (subarray, *(item for item in stmt.subarrays if item is not subarray))
    for item in ordered:
        request = whole_request(item, stmt, site, options, before=(), decided=())
        obstacle = request.reason if isinstance(request, Refusal) else private.check(request)
        if obstacle:
            whose = "it" if item is subarray else f"'{item.text}' beside it"
            return f"{whose} can have no line of each thread's own: {obstacle}"
        found.append(_stream_of(item, stmt, site, options))
    if not any(found):
        return "no array of the directive is known to hold records of each thread's own, for which lines pay"
    threads = architecture(options.arch).threads_per_sm
    return f"lines of each thread's own do not pay: L1 holds what the {threads} threads of a multiprocessor are at"


def _obstacle(stmt: Cache, site: Site, before: tuple[Tile, ...], others: tuple[Tile, ...]) -> str:
    """Why no array has lines in this region; '' if they may."""
    nodes = walk(stmt.body)
    if not site.is_thread_level or any(isinstance(node, ParallelFor) for node in nodes):
        return "threads work together in the region; loop seq gives a loop to one of them"
    if not any(isinstance(node, (For, While)) for node in nodes):
        return "no sequential loop stands in the region; loop seq makes sure that there is one"
    if others:
        return f"the directive at line {others[0].location.line} has the threads' lines"
    if len(before) == MOST:
        return f"{MOST} arrays have lines already"
    call = next((node for node in nodes if isinstance(node, Call) and node.callee is not None), None)
    if call is not None:
        return f"line {call.location.line} calls {call.function}, which may reach memory"
    jump = next((node for node in nodes if isinstance(node, Jump) and node.keyword == "goto"), None)
    return f"line {jump.location.line} jumps" if jump is not None else ""


def _part_obstacle(body: Stmt, element: CType, uses: tuple[ArrayUse, ...]) -> str:
    """Why an element of this type cannot be read and written by its address, or by that of a member."""
    if any(getattr(part, "volatile", False) for part in _parts(element)):
        return "members of its elements are volatile"
    elements = {use.expr for use in uses}
    for node in walk(body):
        if isinstance(node, Assign):
            root, is_plain = _root(node.target)
        elif isinstance(node, Unary) and node.op in STEPPING:
            root, is_plain = _root(node.operand)
        else:
            continue
        if root in elements and not is_plain:
            return f"line {node.location.line} writes a bit-field or an array inside of an element"
    return ""


def _root(target: Expr) -> tuple[Expr, bool]:
    """The element that a target is, or is a part of, and whether nothing but plain members lead there."""
    is_plain = True
    while True:
        if isinstance(target, Member) and not target.arrow:
            is_plain = is_plain and target.bits is None
        elif isinstance(target, Subscript) and _is_in_member(target):
            is_plain = False
        else:
            return target, is_plain
        target = target.base


def _is_in_member(expr: Subscript) -> bool:
    """Whether a subscript is one of an array that is a structure's member."""
    base: Expr = expr
    while isinstance(base, Subscript):
        base = base.base
    return isinstance(base, Member) and not base.arrow and isinstance(resolve(base.type), Array)


def _parts(ctype: CType) -> Iterator[CType]:
    """A type and those of all members inside of it."""
    plain = resolve(innermost(ctype))
    yield plain
    for member in plain.fields or () if isinstance(plain, Record) else ():
        yield from _parts(member.type)
