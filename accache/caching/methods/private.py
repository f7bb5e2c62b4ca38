"""Lines of each thread's own (S-L1, MEMSYS 2015): a thread that scans its own records keeps a line of each array.

``templates/runtime/accache_private.cuh`` holds the accessors; threads find out at run time which arrays pay.
"""

from __future__ import annotations

from collections.abc import Sequence

from accache.base.architectures import architecture
from accache.base.options import Options
from accache.caching.requests import Request
from accache.ir.kernels.tiles import Lines, Tile

LARGEST = 16
"""The bytes of the largest element that the accessors take."""
NARROW, WIDE = 16, 32
"""The bytes of a line: a quarter of what a warp's instruction reads at once, and a sector."""


def check(request: Request) -> str:
    """A thread's own lines must be the only way to the array in the region, and must be flushed behind it."""
    if request.lines.obstacle:
        return request.lines.obstacle
    if request.left_at:
        return f"line {request.left_at} leaves the region, past the flush of the lines at its end"
    if not 0 < request.element_bytes <= LARGEST:
        return f"its elements have {request.element_bytes} bytes, and the accessors take {LARGEST} at most"
    if request.is_written and request.options.write == "through":
        return "it is written, and lines are written back"
    found = _gain(request)
    if found is not None and found <= 0:
        return "a thread's references are each to another line, and none would find what it asks for there"
    return ""


def plan(request: Request) -> Tile:
    """A line for each thread; only bytes that the thread has written go back, when the line leaves."""
    size = line_bytes(request.options, request.lines.neighbours)
    return Tile(
        name="",
        array=request.array,
        array_type=request.array_type,
        element=request.element,
        method="private",
        scope="thread",
        storage=Lines(
            size,
            number=0,
            arrays=0,
            calls=request.options.private_calls,
            gain=_gain(request),
            streams=request.lines.streams.count,
            launch_decides=request.lines.streams.chosen,
            in_slices=request.options.split_slices,
        ),
        location=request.subarray.location,
        text=request.subarray.text,
        policy="back" if request.is_written else "",
        threads=request.sharing.threads,
        reason="a line goes back when it leaves" if request.is_written else "",
    )


def _gain(request: Request) -> int | None:
    """What a line saves, as the header's ``ranked`` counts it; None where only the run tells."""
    if request.lines.stream is None:
        return None
    found = request.lines.stream.gain(line_bytes(request.options, request.lines.neighbours))
    return found if found is None or found < 0 or request.is_written else 2 * found


def line_bytes(options: Options, arrays: int) -> int:
    """Sectors, where all threads that a multiprocessor can hold find room for one of each array; else half of that."""
    if options.private_line == "mixed":
        return NARROW
    if options.private_line != "auto":
        return int(options.private_line)
    return WIDE if arrays * WIDE <= _room(options) else NARROW


def wide_arrays(options: Options, written: Sequence[bool]) -> int:
    """Which arrays have sectors where lines are half as long: those that are written, as far as there is room.

    A write-back of half a sector moves the sector. A bit for each array, in their order, the first ones first.
    """
    room = _room(options) // NARROW - len(written)
    wide = [number for number, is_written in enumerate(written) if is_written]
    return sum(1 << number for number in wide[: max(0, room)])


def _room(options: Options) -> int:
    """The bytes of lines that each of the threads can have which a multiprocessor can hold."""
    target = architecture(options.arch)
    blocks = target.resident_blocks(NARROW * NARROW, 0)
    return (target.shared_per_sm - blocks * target.reserved_per_block) // target.threads_per_sm
