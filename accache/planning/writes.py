"""Write policy of a tile (paper 004, section 4.3): write-back or write-through, and how write-back tracks.

No element the block did not write is ever written back. Where every write of a thread hits the
thread's own element, the thread writes it back itself: always (``owner``), or if it wrote at all
(``flag``). Else ``mask`` marks the elements written.
"""

from __future__ import annotations

from dataclasses import dataclass

from accache.planning.questions import first_unproved
from accache.planning.requests import Request


@dataclass(frozen=True)
class WritePolicy:
    """``policy`` is '' (no writes), back or through; ``tracking`` is '', mask, flag or owner; ``reason`` says why."""

    policy: str = ""
    tracking: str = ""
    reason: str = ""


def write_policy(request: Request, shared: bool) -> WritePolicy:
    """Choose the policy for a request; the user's ``--write`` is obeyed."""
    writes = [use for use in request.uses if use.is_written]
    if not writes:
        return WritePolicy()
    wanted = request.options.write
    if wanted == "through":
        return WritePolicy("through", "", "asked for")
    if wanted == "auto" and any(use.guard == "if" for use in writes):
        return WritePolicy("through", "", "some writes are conditional, so few elements may change")
    reason = "asked for" if wanted == "back" else "every thread writes what it computes"
    tracking = "mask"
    if shared and _owned(request):
        tracking = "flag" if all(use.guard for use in writes) else "owner"
    return WritePolicy("back", tracking, reason)


def useless(request: Request, shared: bool) -> str:
    """Why keeping a copy would serve nobody; '' if it may."""
    if not request.is_read and write_policy(request, shared).policy == "through":
        return "it is only written, and write-through sends every write to memory at once"
    return ""


def _owned(request: Request) -> bool:
    """Whether all writes of a thread hit one element of its subarray that no other thread of the block writes."""
    pairs = [pair for pair in zip(request.uses, request.indices, strict=True) if pair[0].is_written]
    uses, indices = tuple(use for use, _ in pairs), tuple(index for _, index in pairs)
    if len(set(indices)) != 1 or first_unproved(uses, indices, request.dimensions) is not None:
        return False
    index = indices[0]
    axes = set()
    for position, dimension in zip(index, request.dimensions, strict=True):
        if position is None or not position.names <= request.stable_names | {dimension.variable}:
            return False
        if dimension.axis:
            rate = position.coefficient(dimension.variable)
            if rate is None or rate.constant_value in (None, 0):
                return False
            axes.add(dimension.axis)
    return axes == request.axes
