"""Write policy of a tile (paper 004, section 4.3): write-back or write-through, and how write-back tracks.

No element the block did not write is ever written back. Where every write of a thread hits the
thread's own element, the thread writes it back itself: always (``owner``), or if it wrote at all
(``flag``). Where each thread is certain to write its whole subarray, and no element lies in two of
them or between them, the threads write back all the block holds (``whole``, the paper's brute
force). Else ``mask`` marks the elements written.
"""

from __future__ import annotations

from msgspec import Struct

from accache.analysis.loop_context import ArrayUse
from accache.caching.requests import Request, first_unproved
from accache.ir.kernels.tiles import Policy, Tracking


class WritePolicy(Struct, frozen=True):
    """``policy`` is '' (no writes), back or through; ``tracking`` is '' or as above; ``reason`` says why."""

    policy: Policy = ""
    tracking: Tracking = ""
    reason: str = ""


def write_policy(request: Request, shared: bool, ranged: bool = True) -> WritePolicy:
    """Choose the policy for a request; the user's ``--write`` is obeyed.

    ``shared`` if the block has one tile, ``ranged`` if it holds a range.
    """
    writes = [use for use in request.references.uses if use.is_written]
    if not writes:
        return WritePolicy()
    wanted = request.options.write
    if wanted == "through":
        return WritePolicy("through", "", "asked for")
    if request.left_at:
        return WritePolicy("through", "", f"line {request.left_at} leaves the region, past a write-back at its end")
    tracking, obstacle = _tracking(request, writes, shared) if ranged else ("mask", "")
    sure = tracking in ("owner", "whole")
    if wanted == "auto" and not sure and any(use.guard == "if" for use in writes):
        return WritePolicy("through", "", "some writes are conditional, so few elements may change")
    reason = "asked for" if wanted == "back" else "every thread writes what it computes"
    return WritePolicy("back", tracking, f"{reason}, but {obstacle}" if obstacle else reason)


def _tracking(request: Request, writes: list[ArrayUse], shared: bool) -> tuple[Tracking, str]:
    """How write-back tracks, and what makes a mask necessary."""
    if shared and _owned(request):
        return "flag" if all(use.guard for use in writes) else "owner", ""
    obstacle = _brute_force_obstacle(request, shared)
    return ("mask", obstacle) if obstacle else ("whole", "")


def useless(request: Request, shared: bool) -> str:
    """Reason a tile would be useless, or ''."""
    if not request.is_read and write_policy(request, shared).policy == "through":
        return "it is only written, and write-through sends every write to memory at once"
    return ""


def _brute_force_obstacle(request: Request, shared: bool) -> str:
    """Reason a tile must not be written back whole, or '' if each element is certain to be written by its one owner."""
    if any(dimension.limit is not None for dimension in request.dimensions):
        return "the length is known only at run time"
    if not request.effect.fills([(dimension.lower, dimension.length) for dimension in request.dimensions]):
        return "not every element is certain to be written"
    if not shared:
        return ""
    following = [dimension for dimension in request.dimensions if dimension.axis]
    if {dimension.axis for dimension in following} != request.sharing.axes:
        return "threads share elements"
    for dimension in following:
        distance = abs(dimension.rate * dimension.step)
        if distance != dimension.length:
            return "neighbours share elements" if distance < dimension.length else "gaps lie between the subarrays"
    return ""


def _owned(request: Request) -> bool:
    """Whether all writes of a thread hit one element of its subarray that no other thread of the block writes."""
    pairs = [pair for pair in request.references.pairs if pair[0].is_written]
    uses, indices = tuple(use for use, _ in pairs), tuple(index for _, index in pairs)
    if len(set(indices)) != 1 or first_unproved(uses, indices, request.dimensions) is not None:
        return False
    index = indices[0]
    axes = set()
    for position, dimension in zip(index, request.dimensions, strict=True):
        if position is None or not position.names <= request.sharing.stable_names | {dimension.variable}:
            return False
        if dimension.axis:
            rate = position.coefficient(dimension.variable)
            if rate is None or rate.constant_value in (None, 0):
                return False
            axes.add(dimension.axis)
    return axes == request.sharing.axes
