"""Which method serves a subarray, within the shared memory that a block has (paper 004, section 3)."""

from __future__ import annotations

from msgspec import Struct, field

from accache.base.architectures import architecture
from accache.base.diagnostics import Reporter
from accache.base.text import Location
from accache.caching.methods import AUTOMATIC, METHODS, method_named
from accache.caching.requests import Request
from accache.caching.shared_parts import tile_bytes, tile_parts
from accache.caching.sizing.bounds import Refusal
from accache.ir.shared_layout import SharedLayout
from accache.ir.tiles import Tile

Key = tuple[Location, str]
"""A subarray of a directive: where it stands, and its text."""


class SharedMemory(Struct, dict=True):
    """The shared memory of a block: the bytes that there are, what is taken, and why some tiles did not fit."""

    limit: int
    layout: SharedLayout
    misfits: dict[Key, str] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """What is free."""
        return self.limit - self.layout.most

    def claim(self, tile: Tile) -> bool:
        """Take the room of one more tile if there is enough."""
        larger = self.layout.with_own(tile_parts(tile))
        if larger.most > self.limit:
            return False
        self.layout = larger
        return True


def choose(request: Request, memory: SharedMemory, reporter: Reporter) -> tuple[Tile, str] | Refusal:
    """The tile of the first method that can serve a request and fits, the user's choice first, and why that one."""
    found = _first_able(request, reporter)
    if isinstance(found, Refusal):
        return found
    tile, reason = found
    if not memory.claim(tile):
        reason = f"it needs {tile_bytes(tile)} bytes of shared memory, and {memory.left} are left"
        memory.misfits[tile.location, tile.text] = reason
        return Refusal("ACC416", reason)
    if request.options.method == "auto" and (tile.method != AUTOMATIC[0] or request.left_out is not None):
        where, name = request.subarray.location, request.subarray.text
        reporter.report("ACC409", where, method=tile.method, name=name, reason=reason)
    return found


def _first_able(request: Request, reporter: Reporter) -> tuple[Tile, str] | Refusal:
    """The tile of the first method that can serve a request, whatever its size."""
    wanted = request.options.method
    where, name = request.subarray.location, request.subarray.text
    if wanted == "scratch":
        reporter.report("ACC407", where, name=name)
    elif wanted in tuple(method.name for method in METHODS):
        reason = method_named(wanted).check(request)
        if not reason:
            return method_named(wanted).plan(request), _because(request)
        if method_named(wanted).traits.by_lines:  # the directive need not tell what another method must know
            return Refusal("ACC408", reason, wanted)
        reporter.report("ACC408", where, method=wanted, name=name, reason=reason)
    reasons: list[str] = []
    for method in map(method_named, AUTOMATIC):
        reason = method.check(request)
        if not reason:
            return method.plan(request), reasons[-1] if reasons else _in_range(request)
        reasons.append(reason)
    return Refusal("ACC402", reasons[-1])


def _because(request: Request) -> str:
    """Why a method is taken that is tried alone."""
    if not request.streams.chosen:
        return "asked for"
    target = architecture(request.options.arch)
    count = f"{request.streams.count} array{'s' if request.streams.count > 1 else ''}"
    return (
        f"each thread goes through {count} in records of its own; the lines that {target.threads_per_sm} threads of a "
        f"multiprocessor are in fill its {target.unified >> 10} KB of L1"
    )


def _in_range(request: Request) -> str:
    """Why the first method will do."""
    if not request.is_partial:
        return "every reference is in range"
    if request.left_out is not None:
        line = request.left_out.expr.location.line
        return f"the reference at line {line} is not proved to lie in the range, and goes to memory"
    count = len(request.uses)
    return f"{count} of the array's references {'is' if count == 1 else 'are'} proved to lie in it"
