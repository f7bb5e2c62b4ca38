"""Barriers where, and only where, threads of a block pass data to each other.

Before: a list of steps all threads take together, each with the memory it touches. After: the
same list with a Barrier before each step that conflicts with a step of *other* threads since the
last barrier. A loop whose end conflicts with its beginning gets one at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from accache.diagnostics import Reporter
from accache.ir.simt import Barrier
from accache.ir.tree import Expr, Stmt
from accache.planning.accesses import ANYWHERE, NOTHING, Accesses
from accache.text import Location

Overlap = Callable[[str, str], bool]


@dataclass(frozen=True)
class Step:
    """Something all threads of a block do together.

    ``owner`` names how work is split: two steps with the same owner give each thread the same
    elements, so no barrier is needed between them ('' never matches). ``inner`` are the steps of
    a loop's or condition's body; ``build`` makes the statement from the inner statements.
    ``synchronises`` is a step that ends with a barrier of its own. A ``guarded`` step is each
    thread's own work, done by threads that meet its ``guards``; a ``movable`` one computes
    something that is the same anywhere in its list. ``divergent`` says why not all threads may go
    through it, '' if they do.
    """

    location: Location
    accesses: Accesses = NOTHING
    owner: str = ""
    stmt: Stmt | None = None
    inner: tuple[tuple[Step, ...], ...] = ()
    build: Callable[[tuple[tuple[Step, ...], ...]], Stmt] | None = None
    is_loop: bool = False
    synchronises: bool = False
    guarded: bool = False
    guards: tuple[Expr, ...] = ()
    movable: bool = False
    divergent: str = ""


@dataclass(frozen=True)
class _Access:
    """What one step touched since the last barrier; ``position`` is its place in the current list, -1 before it."""

    owner: str
    accesses: Accesses
    position: int = -1

    def conflicts(self, owner: str, accesses: Accesses, overlap: Overlap) -> bool:
        """Whether another thread's later step may meet this one in memory."""
        return (not owner or owner != self.owner) and conflict(self.accesses, accesses, overlap)


_Pending = tuple[_Access, ...]


def place_barriers(steps: tuple[Step, ...], overlap: Overlap) -> tuple[Step, ...]:
    """Insert the barriers a list of steps needs; ``overlap`` tells whether two names may be one memory."""
    return _place(steps, (), overlap)[0]


def _place(steps: tuple[Step, ...], pending: _Pending, overlap: Overlap) -> tuple[tuple[Step, ...], _Pending]:
    """Place barriers right behind the last step a later one conflicts with; what is pending at the end."""
    placed: list[Step] = []
    pending = tuple(replace(access, position=-1) for access in pending)
    for step in steps:
        for owner, accesses in _entry(step):
            found = [access.position for access in pending if access.conflicts(owner, accesses, overlap)]
            if found:
                cut = max(found)
                placed.insert(cut + 1, Step(step.location, stmt=Barrier(step.location), synchronises=True))
                pending = tuple(
                    replace(access, position=access.position + 1) for access in pending if access.position > cut
                )
        if step.inner:
            step, pending = _place_inside(step, pending, len(placed), overlap)
        elif step.synchronises:
            pending = ()
        else:
            pending = (*pending, _Access(step.owner, step.accesses, len(placed)))
        placed.append(step)
    return tuple(placed), pending


def _place_inside(step: Step, pending: _Pending, position: int, overlap: Overlap) -> tuple[Step, _Pending]:
    """Barriers inside a loop or condition; what is pending after it."""
    bodies: list[tuple[Step, ...]] = []
    after = pending
    for body in step.inner:
        placed, left = _place(body, pending, overlap)
        if step.is_loop and any(
            access.conflicts(owner, accesses, overlap) for access in left for owner, accesses in _entry_of(placed)
        ):
            placed = (*placed, Step(step.location, stmt=Barrier(step.location), synchronises=True))
            left = ()
        bodies.append(placed)
        fresh = tuple(replace(access, position=position) for access in left if access.position >= 0)
        after = (*after, *(access for access in fresh if access not in after))
    return replace(step, inner=tuple(bodies)), after


def _entry(step: Step) -> list[tuple[str, Accesses]]:
    """What a step touches before its first certain barrier; conservatively all it touches."""
    if not step.inner:
        return [(step.owner, step.accesses)]
    return [item for body in step.inner for item in _entry_of(body)]


def _entry_of(body: tuple[Step, ...]) -> list[tuple[str, Accesses]]:
    """What a list of steps touches before its first barrier."""
    found: list[tuple[str, Accesses]] = []
    for step in body:
        if step.synchronises:
            break
        found += _entry(step)
    return found


def conflict(before: Accesses, after: Accesses, overlap: Overlap) -> bool:
    """Whether two steps touch one memory and at least one of them writes it."""
    return (
        _meet(before.writes, after.reads, overlap)
        or _meet(before.writes, after.writes, overlap)
        or _meet(before.reads, after.writes, overlap)
    )


def _meet(first: frozenset[str], second: frozenset[str], overlap: Overlap) -> bool:
    return any(a == b or ANYWHERE in (a, b) or overlap(a, b) for a in first for b in second)


def refuse_divergent_barriers(steps: tuple[Step, ...], reporter: Reporter, reason: str = "") -> None:
    """A barrier that not every thread of the block reaches is refused, whoever asked for it."""
    for step in steps:
        if step.synchronises and reason:
            reporter.report("ACC320", step.location, reason=reason)
        for body in step.inner:
            refuse_divergent_barriers(body, reporter, reason or step.divergent)
