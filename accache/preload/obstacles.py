"""Constructs of a kernel that no copy goes with: what the first of them is, and where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from accache.analysis.uniformity import divergence, varying_names
from accache.base.text import Location
from accache.cuda.kernel import KernelView
from accache.cuda.words import BARRIER
from accache.ir.names import user_name
from accache.ir.tree import Call, Declare, Stmt, Variable
from accache.ir.walk import nodes_of, walk
from accache.preload.references import placed


class Obstacle(Struct, frozen=True):
    """A construct in words, and its place in the tree."""

    reason: str
    place: Location


def obstacle(view: KernelView) -> Obstacle | None:
    """What keeps a kernel from copies, whatever its blocks are but for one thread along x; None if nothing does."""
    finders = (_unknown_shared(view), _recursion(view), _divergent_barriers(view, (2, 1, 1)))
    return next((found for finder in finders for found in finder), None)


def _unknown_shared(view: KernelView) -> Iterator[Obstacle]:
    """Shared memory whose size only the launch knows, or that is the file's: how much room it leaves is not known."""
    bodies = (view.body, *(item.body for item in view.routines if item.body is not None))
    nodes = [node for body in bodies for node in walk(body) if isinstance(node, Declare | Variable)]
    places = {user_name(node.name): node.location for node in reversed(nodes)}
    declared = {user_name(node.name) for node in nodes if isinstance(node, Declare)}
    for name in sorted(view.text.shared):
        place = places.get(name, view.body.location)
        if name in view.text.dynamic:
            yield Obstacle(f"only its launches know the size of the shared array '{name}'", place)
        elif name not in declared:
            yield Obstacle(f"the shared array '{name}' stands outside of functions", place)


def _recursion(view: KernelView) -> Iterator[Obstacle]:
    """Device functions that call themselves, or each other."""
    bodies = {item.name: item.body for item in view.routines if item.body is not None}
    called = {name: {call.function for call in _calls(body)} & set(bodies) for name, body in bodies.items()}
    for call in _calls(view.body):
        for name in sorted(_reached(call.function, called)):
            if name in _reached(name, called, from_itself=False):
                yield Obstacle(f"the device function '{user_name(name)}' is recursive", call.location)


def _reached(name: str, called: Mapping[str, set[str]], *, from_itself: bool = True) -> set[str]:
    """The functions with bodies that a call of one leads to; itself among them if it is so by calling."""
    seen: set[str] = {name} & set(called) if from_itself else set()
    waiting = list(called.get(name, ()))
    while waiting:
        following = waiting.pop()
        if following not in seen:
            seen.add(following)
            waiting += called[following]
    return seen


def divergent_barrier(view: KernelView, block: tuple[int, int, int]) -> Obstacle | None:
    """The first barrier that only some threads of a block come to, by their positions; None if there is none."""
    return next(_divergent_barriers(view, block), None)


def _divergent_barriers(view: KernelView, block: tuple[int, int, int]) -> Iterator[Obstacle]:
    waiting = {BARRIER}
    for routine in view.routines:
        if routine.body is not None and any(call.function == BARRIER for call in _calls(routine.body)):
            waiting.add(routine.name)
    if not any(call.function in waiting for call in _calls(view.body)):
        return
    positions = frozenset(f"threadIdx_{axis}" for axis, extent in zip("xyz", block, strict=True) if extent > 1)
    varying = varying_names(view.body, positions)
    for node, path in placed(view.body):
        if isinstance(node, Call) and node.function in waiting:
            reason = divergence(path, varying)
            if reason:
                yield Obstacle(f"not all threads of a block may come to this barrier: {reason}", node.location)


def _calls(body: Stmt) -> Iterable[Call]:
    return nodes_of(body, Call)
