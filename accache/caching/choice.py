"""Which method serves a subarray, within the shared memory that a block has (paper 004, section 3)."""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from accache.base.architectures import architecture
from accache.base.diagnostics import Reporter
from accache.base.text import Location
from accache.caching.methods import ALONE, AUTOMATIC, is_second_choice, method_named
from accache.caching.requests import Request
from accache.caching.shared_parts import tile_bytes, tile_parts
from accache.caching.sizing.bounds import Refusal
from accache.caching.tile_lifetimes import Path, are_apart
from accache.ir.kernels.shared_layout import SharedLayout
from accache.ir.kernels.tiles import Tile

Key = tuple[Location, str]
"""A subarray of a directive: where it stands, and its text."""

IN_RANGE = "every reference is in range"
"""Reason the first method suffices: its tile serves all references."""


class SharedMemory(Struct, dict=True):
    """The shared memory of a block: the bytes that there are, what is taken, and why some tiles did not fit.

    ``taken`` are the tiles that lie there, each with the way to its region.
    """

    limit: int
    layout: SharedLayout
    misfits: dict[Key, str] = field(default_factory=dict)
    taken: list[tuple[Tile, Path]] = field(default_factory=list)

    @property
    def left(self) -> int:
        """What is free."""
        return self.limit - self.layout.most

    def fitted(self, tile: Tile, path: Path) -> Tile | None:
        """One more tile as it fits in, told where it may lie; None if there is not enough room."""
        for is_short in (False, True):
            found = replace(tile, apart=self._apart(tile, path, is_short))
            if self.layout.with_own(tile_parts(found)).most <= self.limit:
                return found
        return None

    def take(self, tile: Tile, path: Path) -> None:
        """Take the room of a tile that fits, by its name."""
        self.layout = self.layout.with_own(tile_parts(tile))
        self.taken.append((tile, path))

    def _apart(self, tile: Tile, path: Path, is_short: bool) -> frozenset[str]:
        """The tiles in whose place a tile may lie: a block's, whose regions all threads come to together."""
        if tile.scope != "block":
            return frozenset()
        others = ((other, way) for other, way in self.taken if other.scope == "block")
        return frozenset(other.name for other, way in others if are_apart(path, way, is_short))


def choose(request: Request, memory: SharedMemory, path: Path, reporter: Reporter) -> tuple[Tile, str] | Refusal:
    """The tile of the first method that can serve a request and fits, the user's choice first, and why that one.

    ``path`` leads to the region. The tile is yet to be named, and to take its room.
    """
    found = _first_able(request, reporter)
    if isinstance(found, Refusal):
        return found
    tile, reason = found
    fitted = memory.fitted(tile, path)
    if fitted is None:
        reason = f"it needs {tile_bytes(tile)} bytes of shared memory, and {memory.left} are left"
        memory.misfits[tile.location, tile.text] = reason
        return Refusal("ACC416", reason)
    is_told = request.options.chooses_method and is_second_choice(tile)
    if is_told or request.references.left_out is not None:
        where, name = request.subarray.location, request.subarray.text
        reporter.report("ACC409", where, method=tile.method, name=name, reason=reason)
    return fitted, reason


def _first_able(request: Request, reporter: Reporter) -> tuple[Tile, str] | Refusal:
    """The tile of the first method that can serve a request, whatever its size."""
    options, wanted = request.options, request.options.method
    where, name = request.subarray.location, request.subarray.text
    if options.wants_gang_arrays:
        reporter.report("ACC407", where, name=name)
    elif options.names_method:
        reason = method_named(wanted).check(request)
        if not reason:
            return method_named(wanted).plan(request), _because(request)
        if method_named(wanted).traits.by_lines:  # the directive need not tell what another method must know
            return Refusal("ACC408", reason, wanted)
        reporter.report("ACC408", where, method=wanted, name=name, reason=reason)
    elif request.unshared and options.tune != "off":
        able = next((method for method in map(method_named, ALONE) if not method.check(request)), None)
        if able is not None:
            return able.plan(request), f"each thread has its own: {request.unshared}"
    reasons: list[str] = []
    for method in map(method_named, AUTOMATIC):
        reason = method.check(request)
        if not reason:
            return method.plan(request), reasons[-1] if reasons else _in_range(request)
        reasons.append(reason)
    return Refusal("ACC402", reasons[-1])


def _because(request: Request) -> str:
    """Reason a method was taken that had no competitor."""
    if not request.lines.streams.chosen:
        return f"asked for; {_in_range(request)}" if request.references.left_out is not None else "asked for"
    target = architecture(request.options.arch)
    count = f"{request.lines.streams.count} array{'s' if request.lines.streams.count > 1 else ''}"
    return (
        f"each thread goes through {count} in records of its own; the lines that {target.threads_per_sm} threads of a "
        f"multiprocessor are in fill its {target.unified >> 10} KB of L1"
    )


def _in_range(request: Request) -> str:
    """Reason the first method suffices."""
    if not request.references.is_partial:
        return IN_RANGE
    if request.references.left_out is not None:
        line = request.references.left_out.expr.location.line
        return f"the reference at line {line} is not proved to lie in the range, and goes to memory"
    count = len(request.references.uses)
    return f"{count} of the array's references {'is' if count == 1 else 'are'} proved to lie in it"
