"""Where copies can be made: at the kernel's entry, and in chunks of loops that all threads of a block run alike.

Threads that have returned still take part: they copy and wait, and what the program does they leave out. So every
statement around such a loop must be a block, a condition, or a loop that is uniform itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from accache.analysis.canonical import canonical_loop, constant_trips, loop_variable
from accache.analysis.uniformity import leaving_jumps
from accache.cuda.kernel import KernelView
from accache.cuda.words import BARRIER
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.names import user_name
from accache.ir.tree import (
    Block,
    Call,
    Declare,
    Evaluate,
    Expr,
    For,
    If,
    InitList,
    Jump,
    Stmt,
    Switch,
    Unary,
    Variable,
    While,
)
from accache.ir.types import integer_of
from accache.ir.walk import children, nodes_of, used_variables, walk
from accache.preload.references import Arrays, Path, loop_of
from accache.preload.uniform import is_harmless, is_uniform_loop

WIDE_BYTES = 8
FAR = 1 << 31
"""The first number that an int does not hold."""
LONGEST = 64
"""A loop with a constant number of iterations, up to this many, is part of what one copy serves."""


Block3 = tuple[int, int, int]


class ChunkLoop(Struct, frozen=True):
    """A loop that can be cut into chunks, with the statements around it and the offset of its text."""

    loop: For
    counted: CanonicalLoop
    path: Path
    offset: int


def chunk_loops(view: KernelView, arrays: Arrays, block: Block3) -> tuple[tuple[ChunkLoop, ...], str]:
    """The loops of a kernel that can be cut into chunks, and what stands in the way of others.

    Threads that differ in nothing race for what they write, and a barrier would change who wins.
    """
    used = used_variables(view.body).union(*(used_variables(item.body) for item in view.routines if item.body))
    alike = [axis for axis, size in zip("xyz", block, strict=True) if size > 1 and f"threadIdx_{axis}" not in used]
    if alike and arrays.written:
        return (), f"threads that differ in {alike[0]} alone write to the same places"
    called = {node.function for node in nodes_of(view.body, Call)}
    if BARRIER in called:
        return (), "the kernel has barriers of its own"
    if view.meets_by:
        return (), f"its threads may wait for each other by {view.meets_by}"
    if view.has_conditionals:
        return (), "the preprocessor may leave out parts of the kernel"
    if _is_of_macros(view):
        return (), "it declares a reference" if _has_references(view) else "a macro holds a statement"
    found: list[ChunkLoop] = []
    reasons: list[str] = []
    for item in _uniform_loops(view.body, (), arrays, reasons):
        reason = _obstacle(item, view)
        offset = view.where(item[0].location, "for")
        if reason or offset is None or not _is_condition_in_text(item[0], view):
            reasons.append(reason or "a macro holds the loop")
        else:
            found.append(ChunkLoop(*item, offset))
    return tuple(found), next(iter(reasons), "")


def _is_of_macros(view: KernelView) -> bool:
    """Whether statements do not stand in the text as they are: a guard before a macro's name guards one of them."""
    for node in walk(view.body):
        words = _words(node)
        if words and all(view.where(node.location, word) is None for word in words):
            return True
        if isinstance(node, Block):
            places = [view.where(item.location) for item in node.items if isinstance(item, Evaluate)]
            if None in places or len(set(places)) < len(places):
                return True
    return False


def _is_condition_in_text(loop: For, view: KernelView) -> bool:
    """Whether a loop's condition names its variable in the text: the chunks' condition has another name there."""
    name = loop_variable(loop)
    nodes = [] if loop.condition is None or name is None else list(walk(loop.condition))
    places = [node.location for node in nodes if isinstance(node, Variable) and node.name == name]
    return all(view.where(place, user_name(name or "")) is not None for place in places)


def _has_references(view: KernelView) -> bool:
    """Whether a variable may be a reference: in the view it is the address of something, and its text another one."""
    return any(
        isinstance(node, Declare)
        and isinstance(node.init, Unary)
        and node.init.op == "&"
        and all(view.where(node.location, word) is None for word in _words(node))
        for node in walk(view.body)
    )


def _words(node: Stmt | Expr) -> tuple[str, ...]:
    """The words that one finds at the place of a statement; none where it may begin with anything."""
    if isinstance(node, For):
        return ("for",)
    if isinstance(node, If):
        return ("if",)
    if isinstance(node, While):
        return ("do",) if node.at_end else ("while",)
    if isinstance(node, Declare):  # a constant table of the file stands at the kernel's brace
        return user_name(node.name), "*", "(", "{"
    return ("switch",) if isinstance(node, Switch) else (node.keyword,) if isinstance(node, Jump) else ()


def _uniform_loops(
    stmt: Stmt, path: Path, arrays: Arrays, reasons: list[str]
) -> Iterator[tuple[For, CanonicalLoop, Path]]:
    """The counted loops that all threads run alike, in nothing but such loops, blocks and conditions."""
    inner = (*path, stmt)
    if isinstance(stmt, Block):
        for item in stmt.items:
            yield from _uniform_loops(item, inner, arrays, reasons)
    elif isinstance(stmt, If):
        for branch in (stmt.then, stmt.otherwise):
            if branch is not None:
                yield from _uniform_loops(branch, inner, arrays, reasons)
    elif isinstance(stmt, For):
        loop = loop_of(stmt)
        names = arrays.uniform | {each.variable for part in path if (each := loop_of(part)) is not None}
        if loop is None or not is_uniform_loop(loop, names):
            same = "the loop's bounds are not the same for all threads of a block"
            reasons.append(same if loop is not None else f"the loop is not counted upwards: {_not_counted(stmt)}")
            return
        yield stmt, loop, path
        yield from _uniform_loops(stmt.body, inner, arrays, reasons)
    elif isinstance(stmt, (Switch, While)) and any(nodes_of(stmt, For)):
        around = "switch" if isinstance(stmt, Switch) else "while loop"
        reasons.append(f"the loop stands in a {around}")


def _not_counted(stmt: For) -> str:
    """In words, why a loop is none that counts upwards to a limit."""
    loop = canonical_loop(stmt)
    if isinstance(loop, str):
        return loop
    if loop.step < 1:
        return "its step is below zero"
    is_mixed = "it may compare what is below zero as a number without a sign"
    return is_mixed if loop.may_not_start else "its condition is !="


def _obstacle(item: tuple[For, CanonicalLoop, Path], view: KernelView) -> str:
    """Why a loop cannot be cut into chunks; '' if it can.

    Who returns in a block inside of the kernel's takes no part in what follows that block, or in a loop's next round.
    """
    loop, counted, path = item
    if any(jump.keyword != "continue" for jump in leaving_jumps(loop.body)):
        return "a jump leaves the loop"
    for place, stmt in enumerate((*path, loop)):
        if isinstance(stmt, Block):
            following = path[place + 1] if place + 1 < len(path) else loop
            if any(_is_filled(each) for each in stmt.items):
                return "an array is initialised with what only some threads may compute"
            passed = (*filter(is_guard, stmt.items), *filter(_is_return, stmt.items[-1:])) if place == 0 else ()
            kept = (each for each in stmt.items if each is not following and each not in passed)
            if any(any(leaving_jumps(each)) for each in kept):
                return "threads leave the kernel, or a loop around, in the middle of a statement"
    if _is_conditional(path) and not all(map(_always_has_bounds, (*path, loop))):
        return "its bounds may divide by zero for threads that do not come to it"
    if not isinstance(loop.init[0], Declare) and _is_used_outside(counted.variable, view.body):
        return "the loop's variable is used outside of the loop"
    return "its variable has 64 bits and no sign, and may start far from 0" if _may_start_far(counted) else ""


def _is_conditional(path: Path) -> bool:
    """Whether some threads may not come to a loop, which in chunks all come to."""
    return any(isinstance(part, If) for part in path) or any(is_guard(item) for item in _items(path[0]))


def _items(stmt: Stmt) -> tuple[Stmt, ...]:
    return stmt.items if isinstance(stmt, Block) else ()


def _always_has_bounds(stmt: Stmt) -> bool:
    """Whether any thread may compute a loop's bounds."""
    loop = loop_of(stmt)
    return loop is None or all(map(is_harmless, (loop.first, loop.limit)))


def is_wide_unsigned(counted: CanonicalLoop) -> bool:
    """Whether a loop's variable has 64 bits and no sign."""
    kind = integer_of(counted.type)
    return kind.unsigned and kind.size == WIDE_BYTES


def _may_start_far(counted: CanonicalLoop) -> bool:
    """Whether chunks may begin near the end of the type that counts them, and be counted past it."""
    value, kind = constant(counted.first), integer_of(counted.first.type)
    is_near = 0 <= value < 1 << 32 if value is not None else kind.unsigned and kind.size < WIDE_BYTES
    return is_wide_unsigned(counted) and not is_near


def _is_filled(stmt: Stmt) -> bool:
    return isinstance(stmt, Declare) and isinstance(stmt.init, InitList) and not is_harmless(stmt.init)


def is_guard(stmt: Stmt) -> bool:
    """Whether a statement is ``if (...) return;``, or does something else before it returns, and then always does."""
    if not isinstance(stmt, If) or stmt.otherwise is not None:
        return False
    done = _items(stmt.then) or (stmt.then,)
    return _is_return(done[-1]) and not any(any(leaving_jumps(each)) for each in done[:-1])


def _is_return(stmt: Stmt) -> bool:
    return isinstance(stmt, Jump) and stmt.keyword == "return"


def _is_used_outside(name: str, body: Stmt) -> bool:
    """Whether a variable is used where no loop over it is around."""
    uses = [0]

    def count(stmt: Stmt) -> None:
        if isinstance(stmt, For) and loop_variable(stmt) == name:
            return
        for child in _parts(stmt):
            if isinstance(child, Variable) and child.name == name:
                uses[0] += 1
            elif isinstance(child, Stmt):
                count(child)

    count(body)
    return uses[0] > 0


def _parts(stmt: Stmt) -> Iterator[object]:
    for child in children(stmt):
        if isinstance(child, Stmt):
            yield child
        else:
            yield from walk(child)


def constant_range(stmt: Stmt) -> tuple[str, range] | None:
    """The values of a loop's variable where its bounds are constants, as an int has them: that is how tiles count."""
    loop = loop_of(stmt)
    first = constant(loop.first) if loop is not None else None
    if loop is None or first is None or not 0 < constant_trips(loop) <= LONGEST:
        return None
    start = (first + FAR) % (2 * FAR) - FAR
    values = range(start, start + constant_trips(loop) * loop.step, loop.step)
    return (loop.variable, values) if values[-1] < FAR else None
