"""Barriers where, and only where, threads of a block pass data to each other.

Before: a list of steps all threads take together, each with the memory it touches. After: the
same list with a Barrier before each step that conflicts with a step of *other* threads since the
last barrier. A loop whose end conflicts with its beginning gets one at its end, or at its beginning
where a ``continue`` may skip the end. Where each warp has iterations of its own, its lanes pass data to
each other alone: they wait for no other warps, and other warps need not arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.accesses import ANYWHERE, HEAP, NOTHING, Accesses
from accache.analysis.uniformity import leaving_jumps
from accache.base.diagnostics import Reporter
from accache.base.properties import cached_property
from accache.base.text import Location
from accache.ir.kernels.simt import Barrier, BarrierScope, BlockReduce, Fetch
from accache.ir.tree import Expr, Stmt
from accache.lowering.thread_ownership import NO_CELLS, Cells

Overlap = Callable[[str, str], bool]
Wait = BarrierScope | Literal[""]
"""For which threads a thread waits, if for any."""


class Divergence(Struct, frozen=True):
    """Why not all threads of the block, and not all lanes of a warp, go the same way; '' if they do."""

    block: str = ""
    warp: str = ""

    def among(self, threads: Wait) -> str:
        """The reason that keeps some of those threads from meeting."""
        return self.warp if threads == "warp" else self.block

    def inside(self, outer: Divergence) -> Divergence:
        """This one in the midst of another."""
        return Divergence(outer.block or self.block, outer.warp or self.warp)


CONVERGENT = Divergence()


class Step(Struct, frozen=True, dict=True):
    """Something all threads of a block do together.

    ``owner`` names how work is split: two steps with the same owner give each thread the same
    elements, so no barrier is needed between them ('' never matches). ``inner`` are the steps of
    a loop's or condition's body; ``build`` makes the statement from the inner statements.
    ``synchronises`` says for whom threads have waited at the end of the step, ``waits`` for whom inside of it.
    ``warp`` names the loop whose iterations each warp has for itself, and lanes together: what steps of one loop
    touch in an instance of it, no other warp's steps change.
    A ``guarded`` step is each thread's own work, done by threads that meet its ``guards``; a ``movable`` one computes
    something that is the same anywhere in its list. ``divergent`` says why not all threads may go
    through it. ``control`` is the memory every thread reads to decide the way
    through ``inner``: at its beginning, and for a loop before each round and after the last; ``start`` what
    a loop reads before its first round alone. Steps owned by ``round_owner`` split work in each round of a
    loop as in the one before; those owned by ``round_leader`` are one thread's in all rounds. ``cells``
    says of arrays and tiles which of their cells each thread touches, where ``round`` stands for the value of a
    loop's variable, another one in each round. A declaration that ``is_partial`` gives a value only to threads that
    meet the guards.
    """

    location: Location
    accesses: Accesses = NOTHING
    owner: str = ""
    stmt: Stmt | None = None
    inner: tuple[tuple[Step, ...], ...] = ()
    build: Callable[[tuple[tuple[Step, ...], ...]], Stmt] | None = None
    is_loop: bool = False
    synchronises: Wait = ""
    waits: Wait = ""
    warp: str = ""
    guarded: bool = False
    guards: tuple[Expr, ...] = ()
    movable: bool = False
    divergent: Divergence = CONVERGENT
    control: Accesses = NOTHING
    start: Accesses = NOTHING
    round_owner: str = ""
    round_leader: str = ""
    cells: Cells = NO_CELLS
    round: str = ""
    is_partial: bool = False

    @cached_property
    def head(self) -> _Touch:
        """What it reads around ``inner``."""
        return _Touch(self.start | self.control, warp=self.warp)

    @cached_property
    def left_inside(self) -> tuple[_Touch, ...]:
        """What is pending behind a loop or condition, of what happens inside of it."""
        touches: list[_Touch] = []
        for body in self.inner:
            touches += _left(body)
            touches += _left_early(body, ("continue", "break")) if self.is_loop else ()
        return tuple(touch for position, touch in enumerate(touches) if touch not in touches[:position])


class _Touch(Struct, frozen=True):
    """What one step touches, how its work is split, and which cells are each thread's own.

    Of a step in a loop whose iterations each ``warp`` has for itself, the lanes may have ``met``: behind it, if it is
    pending, or before it, if it is to come.
    """

    accesses: Accesses
    owner: str = ""
    cells: Cells = NO_CELLS
    warp: str = ""
    met: bool = False


_Touches = tuple[_Touch, ...]


class Memory(Struct, frozen=True):
    """What is known of names: which may be one memory, and which lie in shared memory.

    Shared memory is used anew in each round of a loop: who owned a place may change. So it may where one array lies
    in the place of another one, which is a ``reuse``.
    """

    overlap: Overlap
    shared: frozenset[str] = frozenset()
    reuse: Overlap | None = None


def place_barriers(steps: tuple[Step, ...], memory: Memory) -> tuple[Step, ...]:
    """Insert the barriers a list of steps needs."""
    return _place(steps, (), memory)


def _place(steps: tuple[Step, ...], pending: _Touches, memory: Memory) -> tuple[Step, ...]:
    """Barriers as late as possible, so that each serves all conflicts open by then, then moved up to their causes."""
    placed: list[Step] = []
    for step in steps:
        if scope := _conflicts(pending, _entry(step), memory):
            placed.append(_barrier(step, scope))
            pending = _after(placed[-1], pending)
        if step.inner:
            step = _place_inside(step, pending, memory)
        placed.append(step)
        pending = _after(step, pending)
    return _moved_up(placed, memory)


def _place_inside(step: Step, pending: _Touches, memory: Memory) -> Step:
    """Barriers inside a loop or condition, and between the rounds of a loop."""
    bodies = []
    before = (*pending, step.head)
    for body in step.inner:
        placed = _place(body, before, memory)
        if step.is_loop:
            early = _left_early(placed, ("continue",))
            if _conflicts_around(step, early, (), memory):
                reason = "a round that ends early changes what decides about the next one"
                step = replace(step, divergent=Divergence(reason, reason))
            if scope := _conflicts_around(step, early, _entry_of(placed), memory):
                placed = _place((_barrier(step, scope), *body), before, memory)
            if scope := _conflicts_around(step, _left(placed), _entry_of(placed), memory):
                placed = (*placed, _barrier(step, scope))
        bodies.append(placed)
    return replace(step, inner=tuple(bodies))


def _after(step: Step, pending: _Touches) -> _Touches:
    """What is pending after a step."""
    if step.synchronises == "block":
        return ()
    if step.synchronises == "warp":
        pending = _met(pending, frozenset((step.warp,)))
    if not step.inner:
        return (*pending, _touch(step))
    result = (*pending, step.head)
    return (*result, *(item for item in step.left_inside if item not in result))


def _left(steps: tuple[Step, ...]) -> _Touches:
    """What is pending at the end of a list of steps, of what they do themselves."""
    left: _Touches = ()
    for step in steps:
        left = _after(step, left)
    return left


def _left_early(steps: tuple[Step, ...], jumps: tuple[str, ...], pending: _Touches = ()) -> _Touches:
    """What is pending where a jump ends the round of a loop whose body, or part of it, these steps are."""
    found: _Touches = ()
    for step in steps:
        if step.inner and not step.is_loop:
            for body in step.inner:
                found = (*found, *_left_early(body, jumps, (*pending, step.head)))
        elif step.stmt is not None and any(jump.keyword in jumps for jump in leaving_jumps(step.stmt)):
            found = (*found, *pending, _touch(step))
        pending = _after(step, pending)
    return found


def _moved_up(placed: list[Step], memory: Memory) -> tuple[Step, ...]:
    """Move each barrier up past steps that nothing behind it conflicts with: own work then stands together.

    Fetches stay before it, so that all their loads are on the way while threads wait.
    """
    for position in range(len(placed)):
        if not isinstance(placed[position].stmt, Barrier):
            continue
        here = position
        barrier = placed[here]
        while here and not _serves(placed[here - 1], barrier) and not placed[here - 1].inner:
            before = placed[here - 1]
            is_apart = isinstance(before.stmt, Fetch) or (barrier.warp and before.warp != barrier.warp)
            if is_apart or _conflicts((_touch(before),), _segment(placed, here + 1, barrier), memory):
                break
            placed[here - 1], placed[here] = placed[here], before
            here -= 1
    near = zip(placed, [None, *placed], [*placed[1:], None], strict=False)
    return tuple(step for step, *others in near if not any(_is_within(step, other) for other in others))


def _is_within(step: Step, other: Step | None) -> bool:
    """Whether a step is a barrier for threads that wait in one right beside it, too."""
    barriers = [item.stmt for item in (step, other) if item is not None and isinstance(item.stmt, Barrier)]
    return [barrier.scope for barrier in barriers] == ["warp", "block"]


def _segment(placed: list[Step], start: int, barrier: Step) -> _Touches:
    """All that is touched from a position up to the next barrier that serves as this one does."""
    found: _Touches = ()
    for step in placed[start:]:
        if _serves(step, barrier):
            break
        found = (*found, *_everything(step))
    return found


def _serves(step: Step, barrier: Step) -> bool:
    """Whether a step makes all those wait for each other that a barrier does."""
    is_of_warp = step.synchronises == "warp" and barrier.warp != "" and step.warp == barrier.warp
    return step.synchronises == "block" or is_of_warp


def _everything(step: Step) -> _Touches:
    if not step.inner:
        return (_touch(step),)
    inside = (item for body in step.inner for inner in body for item in _everything(inner))
    return (step.head, *inside)


def _barrier(before: Step, scope: BarrierScope) -> Step:
    """A barrier beside a step, or at one end of a loop's rounds."""
    warp = before.warp if scope == "warp" else ""
    return Step(before.location, stmt=Barrier(before.location, scope), synchronises=scope, warp=warp)


def _touch(step: Step) -> _Touch:
    return _Touch(step.accesses, step.owner, step.cells, step.warp)


def _conflicts(pending: _Touches, later: Iterable[_Touch], memory: Memory) -> Wait:
    """For whom to wait because another thread's later step may meet an earlier one in memory."""

    def meet(before: _Touch, after: _Touch) -> bool:
        if after.owner and after.owner == before.owner:
            return _reuses(before, after, memory)
        return _meets(before, after, memory.overlap)

    return _widest((before, after) for after in later for before in pending if meet(before, after))


def _widest(pairs: Iterable[tuple[_Touch, _Touch]]) -> Wait:
    """For whom to wait between touches that meet: the lanes of a warp, if all are of iterations that a warp has."""
    found: Wait = ""
    for before, after in pairs:
        if not before.warp or before.warp != after.warp:
            return "block"
        found = found if before.met or after.met else "warp"
    return found


def _reuses(before: _Touch, after: _Touch, memory: Memory) -> bool:
    """Whether an array takes the place of another one, in which threads then have other elements than before."""
    if memory.reuse is None:
        return False
    first, second = (touch.accesses.reads | touch.accesses.writes for touch in (before, after))
    return any(memory.reuse(one, other) for one in first for other in second)


def _conflicts_around(step: Step, left: _Touches, entry: _Touches, memory: Memory) -> Wait:
    """For whom to wait because the end of a loop's round conflicts with the beginning of the next."""

    def meet(before: _Touch, after: _Touch) -> bool:
        if after.owner and after.owner == before.owner == step.round_leader:
            return False
        if after.owner and after.owner == before.owner == step.round_owner:
            before, after = (replace(touch, accesses=touch.accesses.within(memory.shared)) for touch in (before, after))
        return _meets(before, after, memory.overlap, step.round)

    later = (_Touch(step.control, warp=step.warp), *entry)
    pairs = ((before, after) for after in later for before in left if meet(before, after))
    return _widest(pairs) if step.warp else next(("block" for _ in pairs), "")


def _meets(before: _Touch, after: _Touch, overlap: Overlap, another: str = "") -> bool:
    """Whether threads may meet in memory, but for arrays of which each has cells of its own.

    The name of ``another`` value stands for two of them.
    """
    kept = (before.cells & after.cells) if before.cells else ()
    own = frozenset(name for name, (_, offset) in kept if another not in offset.names)
    return conflict(before.accesses, after.accesses, overlap, own)


def _entry(step: Step) -> _Touches:
    """What a step touches before its first certain barrier; conservatively all it touches."""
    if not step.inner:
        return (_touch(step),)
    return (step.head, *(item for body in step.inner for item in _entry_of(body)))


def _entry_of(body: tuple[Step, ...]) -> _Touches:
    """What a list of steps touches before its first barrier."""
    found: list[_Touch] = []
    warps = frozenset[str]()
    for step in body:
        if step.synchronises == "block":
            break
        if step.synchronises:
            warps |= {step.warp}
        found += _met(_entry(step), warps)
    return tuple(found)


def _met(touches: _Touches, warps: frozenset[str]) -> _Touches:
    """The touches, those of some loops' iterations on the other side of a barrier of their lanes."""
    return tuple(replace(touch, met=True) if touch.warp in warps else touch for touch in touches) if warps else touches


def conflict(before: Accesses, after: Accesses, overlap: Overlap, own: frozenset[str] = frozenset()) -> bool:
    """Whether two steps touch one memory and at least one of them writes it; ``own`` names meet others alone.

    Atomic updates that may be done in any order do not disturb each other.
    """

    def meet(first: frozenset[str], second: frozenset[str]) -> bool:
        pairs = ((a, b) for a in first for b in second if HEAP not in (a, b) and not (a == b and a in own))
        pairs = ((a, b) for a, b in pairs if not (commuting and _commute(before, after, a, b)))
        return any(a == b or ANYWHERE in (a, b) or overlap(a, b) for a, b in pairs)

    commuting = before.updates and after.updates
    return meet(before.writes, after.reads) or meet(before.writes, after.writes) or meet(before.reads, after.writes)


def _commute(before: Accesses, after: Accesses, first: str, second: str) -> bool:
    """Whether two steps only update two arrays, or one, in a way that does not depend on the order."""
    classes = {kind for name, kind in before.updates if name == first}
    return bool(classes & {kind for name, kind in after.updates if name == second})


def refuse_divergent_barriers(steps: tuple[Step, ...], reporter: Reporter, around: Divergence = CONVERGENT) -> None:
    """A barrier that not every thread it is for reaches is refused, whoever asked for it.

    Those beside a reduction, which is refused itself, go without a word of their own.
    """
    is_told = any(isinstance(step.stmt, BlockReduce) for step in steps)
    for step in steps:
        waits = step.waits or ("" if is_told else step.synchronises)
        if waits and (reason := around.among(waits)):
            reporter.report("ACC320", step.location, reason=reason)
        for body in step.inner:
            refuse_divergent_barriers(body, reporter, step.divergent.inside(around))
