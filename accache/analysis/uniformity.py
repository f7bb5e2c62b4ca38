"""Which values every thread of a block agrees on, and where a barrier is therefore legal.

A barrier may stand only where all threads of the block arrive. ``varying_names`` finds the
variables that may differ between threads; ``barrier_obstacle`` says in words what on the way
from the kernel's start to a statement could keep a thread from arriving. Both answer for the threads
that differ in their place on some axes of the block: on all of them, or, for the lanes of a warp, on x.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from accache.analysis.calls import acts, passed
from accache.analysis.canonical import is_counter
from accache.analysis.effects import written_through
from accache.ir.builtins import is_pure_call
from accache.ir.kernels.simt import AXES, ParallelFor
from accache.ir.openacc.atomics import atomic_access
from accache.ir.tree import (
    STEPPING,
    Assign,
    Atomic,
    Call,
    Case,
    Declare,
    Expr,
    For,
    If,
    Jump,
    Label,
    Member,
    Stmt,
    Subscript,
    Switch,
    Unary,
    Variable,
    While,
)
from accache.ir.types import Record, resolve
from accache.ir.walk import children, declared_variables, nodes_of, remembered, used_variables, walk


def varying_names(kernel: Stmt, positions: frozenset[str] = frozenset(), axes: Container[str] = AXES) -> frozenset[str]:
    """The variables of a mapped kernel whose values may differ between threads that differ in their place on axes.

    A loop variable spread over threads varies; so does what is computed from a varying value, what is
    assigned under varying control, and what is loaded from memory that the kernel writes. In a kernel that
    is written for a thread, ``positions`` are the names that tell threads from each other.
    """
    if not positions and axes is AXES:
        return _usually_varying(kernel)
    return _varying(kernel, positions, axes)


@remembered
def _usually_varying(kernel: Stmt) -> frozenset[str]:
    return _varying(kernel, frozenset(), AXES)


def _varying(kernel: Stmt, positions: frozenset[str], axes: Container[str]) -> frozenset[str]:
    written = written_arrays(kernel)
    varying = {*_skipped_counters(kernel), *positions}
    while True:
        before = len(varying)
        _spread(kernel, False, varying, written, combined=frozenset(), axes=axes)
        if len(varying) == before:
            return frozenset(varying)


def differing_names(kernel: Stmt, axes: Container[str]) -> frozenset[str]:
    """The variables whose values may differ between threads that have an iteration, and differ in their place on axes.

    No barrier may rest on it: threads without one have none of the values. It tells what lanes access together.
    """
    spread = [loop for loop in nodes_of(kernel, ParallelFor) if loop.block]
    inner = [loop for loop in spread if not any(nodes_of(loop.body, ParallelFor))]
    varying = {loop.loop.variable for loop in spread if loop.block in axes} | set(_skipped_counters(kernel))
    written = written_arrays(kernel)
    while True:
        before = len(varying)
        for loop in inner:
            _spread(loop.body, False, varying, written, combined=frozenset(), axes=AXES)
        if len(varying) == before:
            break
    own = frozenset[str]().union(*(declared_variables(loop.body) for loop in inner))
    return frozenset(varying) | (varying_names(kernel) - own - {loop.loop.variable for loop in spread})


@remembered
def _skipped_counters(kernel: Stmt) -> frozenset[str]:
    """Variables that loops count with and others use, too, where threads without an iteration may skip the loop."""
    found = set()
    spread = (loop for loop in nodes_of(kernel, ParallelFor) if loop.block)
    for loop in (inner for around in spread for inner in walk(around) if isinstance(inner, (For, While))):
        own = {item.name for item in loop.init if isinstance(item, Declare)} if isinstance(loop, For) else set()
        changed = (_written(node) for part in _control(loop) for node in walk(part))
        names = {_whole(target) for target in changed if target is not None} - own - {""}
        found |= {name for name in names if not is_counter(kernel, name)}
    return frozenset(found)


@remembered
def written_arrays(stmt: Stmt) -> frozenset[str]:
    """The variables through which elements are written, here or by routines, or may be, their address given away."""
    found = set()
    for target in _targets(stmt):
        root = _memory_root(target)
        if root is not None:
            found.add(root)
    return frozenset(found | written_through(stmt))


def is_uniform(expr: Expr, varying: Iterable[str], written: frozenset[str]) -> bool:
    """Whether all threads of a block compute the same value for an expression.

    ``written`` is empty where they do so in step: what changes memory, one of them does for all.
    """
    if not used_variables(expr).isdisjoint(varying):
        return False
    for node in walk(expr) if written else ():
        if isinstance(node, (Subscript, Member, Unary)) and (_memory_root(node) or "") in written:
            return False
        if isinstance(node, Call) and not _agrees(node):
            return False
        if isinstance(node, Assign) or (isinstance(node, Unary) and node.op in STEPPING):
            return False
    return True


def _agrees(call: Call) -> bool:
    """Whether a function gives all threads that call it with the same arguments the same value."""
    if call.callee is None:
        return is_pure_call(call.function)
    if acts(call) or call.callee.uses_residents:
        return False
    return call.callee.level != "seq" or not any((*call.callee.reads, *call.callee.writes))


def barrier_obstacle(
    path: tuple[Stmt, ...],
    kernel: Stmt,
    varying: frozenset[str],
    among_threads: bool = False,
    *,
    axes: Container[str] = AXES,
) -> str:
    """Why not all threads may reach the end of a path of nested statements; '' if all do.

    The threads are those that differ in their place on axes, and ``varying`` names differ between them.
    Outside of loops over threads (``among_threads`` false) all threads read memory in step, between
    the same barriers, so what they load from one address is the same for all.
    """
    written = written_arrays(kernel)
    for stmt in path:
        reason = _obstacle(stmt, varying, written if among_threads else frozenset(), among_threads)
        if reason:
            return f"{reason} (line {stmt.location.line})"
        among_threads = among_threads or (isinstance(stmt, ParallelFor) and stmt.block in axes)
        varying |= reduced_by_threads(stmt)
    return ""


def divergence(path: tuple[Stmt, ...], varying: frozenset[str]) -> str:
    """Why the values of ``varying`` names keep threads from the end of a path of nested statements; '' if they do not.

    As ``barrier_obstacle`` of a kernel that is written for a thread; that all come to a switch or a label is not asked.
    """
    around = (stmt for stmt in path if isinstance(stmt, (If, For, While)))
    return next((found for stmt in around if (found := _obstacle(stmt, varying, frozenset(), False))), "")


def reduced_by_threads(stmt: Stmt) -> frozenset[str]:
    """The variables that a loop over threads reduces: in it, each thread has a copy of its own."""
    if not isinstance(stmt, ParallelFor) or not stmt.block:
        return frozenset()
    return frozenset(item.variable for item in stmt.reductions)


def _obstacle(stmt: Stmt, varying: frozenset[str], written: frozenset[str], among_threads: bool) -> str:
    if isinstance(stmt, If) and not is_uniform(stmt.condition, varying, written):
        return "the condition may differ between threads"
    if isinstance(stmt, (Switch, Case, Label)):
        return "it stands in a switch or behind a label"
    if isinstance(stmt, ParallelFor):
        bounds = (stmt.loop.first, stmt.loop.limit)
        if stmt.block and not stmt.covered and not all(is_uniform(bound, varying, written) for bound in bounds):
            return "the bounds of the parallel loop may differ between threads"
        if any(jump.keyword != "return" for jump in leaving_jumps(stmt.body)):
            return "the parallel loop contains continue"
    if isinstance(stmt, (For, While)):
        if jump := _jump_apart(stmt.body, varying, written, among_threads):
            return f"not all threads may take the {jump} in the loop"
        if not all(_is_uniform_control(part, varying, written) for part in _control(stmt)):
            return "the loop's trip count may differ between threads"
    return ""


def _jump_apart(body: Stmt, varying: frozenset[str], written: frozenset[str], among_threads: bool) -> str:
    """A way out of a round of a sequential loop that not all threads may take together, by its keyword.

    In a loop over threads, those without an iteration take none.
    """
    for jump in leaving_jumps(body):
        if among_threads or jump.keyword not in ("break", "continue"):
            return jump.keyword
        for way in _ways_to(jump, body):
            if any(_obstacle(stmt, varying, written, among_threads) for stmt in way):
                return jump.keyword
    return ""


def _control(loop: For | While) -> Iterator[Expr]:
    """The expressions that decide how often a loop runs."""
    if isinstance(loop, While):
        yield loop.condition
        return
    for init in loop.init:
        if isinstance(init, Declare) and init.init is not None:
            yield init.init
        elif not isinstance(init, Declare):
            yield from (child for child in children(init) if isinstance(child, Expr))
    yield from (part for part in (loop.condition, loop.step) if part is not None)


def _is_uniform_control(expr: Expr, varying: frozenset[str], written: frozenset[str]) -> bool:
    """Like is_uniform for an expression that may step the loop variable."""
    if isinstance(expr, Assign):
        return is_uniform(expr.value, varying, written) and is_uniform(expr.target, varying, written)
    if isinstance(expr, Unary) and expr.op in STEPPING:
        return is_uniform(expr.operand, varying, written)
    return is_uniform(expr, varying, written)


def round_obstacle(
    body: Stmt, kernel: Stmt, varying: frozenset[str], among_threads: bool, *, axes: Container[str] = AXES
) -> str:
    """Why not all threads may reach the end of a round of a parallel loop; '' if all do, or none.

    ``among_threads`` says whether the iterations of that loop or of one around it are spread over threads.
    """
    ways = (way for jump in leaving_jumps(body) for way in _ways_to(jump, body))
    obstacles = (barrier_obstacle(way, kernel, varying, among_threads, axes=axes) for way in ways)
    return next(filter(None, obstacles), "")


def parting(workers: ParallelFor, kernel: Stmt, varying: frozenset[str]) -> str:
    """Why workers may not come together to all loops over vectors in an iteration of their loop; '' if they do."""
    loops = (node for node in nodes_of(workers.body, ParallelFor) if node.block == "x")
    ways = (way for loop in loops for way in _ways_to(loop, workers.body))
    obstacles = (barrier_obstacle(way, kernel, varying, among_threads=True) for way in ways)
    return next(filter(None, obstacles), "") or round_obstacle(workers.body, kernel, varying, True)


def _ways_to(place: Stmt, stmt: Stmt) -> Iterator[tuple[Stmt, ...]]:
    """The statements around a place, the outermost first, each time it stands in a statement."""
    if stmt is place:
        yield ()
    for child in children(stmt):
        if isinstance(child, Stmt):
            yield from ((stmt, *way) for way in _ways_to(place, child))


def leaving_jumps(body: Stmt) -> Iterator[Jump]:
    """The jumps in a loop's body that leave the iteration: its own break and continue, return, goto."""
    return _leaving_jumps(body, False, False) if nodes_of(body, Jump) else iter(())


def _leaving_jumps(body: Stmt, in_loop: bool, in_switch: bool) -> Iterator[Jump]:
    if isinstance(body, Jump):
        inner = (body.keyword == "break" and (in_loop or in_switch)) or (body.keyword == "continue" and in_loop)
        if not inner:
            yield body
        return
    loop = isinstance(body, (For, While, ParallelFor))
    for child in children(body):
        if isinstance(child, Stmt):
            yield from _leaving_jumps(child, in_loop or loop, in_switch or isinstance(body, Switch))


def _spread(
    stmt: Stmt,
    divergent: bool,
    varying: set[str],
    written: frozenset[str],
    *,
    combined: frozenset[str],
    axes: Container[str],
    among_threads: bool = False,
) -> None:
    """Add the variables one statement makes varying; ``divergent`` means not all threads run it.

    ``combined`` are the reduction variables of loops that spread a gang's work: the
    names outside of these loops stand for values all threads agree on. Inside a loop over threads
    (``among_threads``) they differ from thread to thread all the same. What an atomic access captures there does too;
    elsewhere one thread captures it for all. There a statement is skipped by threads without an iteration, so what
    it assigns varies; the heads of loops are not skipped.
    """
    seen = written if among_threads else frozenset[str]()
    if isinstance(stmt, ParallelFor):
        bounds = (stmt.loop.first, stmt.loop.limit)
        bounds_vary = not all(is_uniform(bound, varying | combined, seen) for bound in bounds)
        if stmt.block in axes or bounds_vary:
            varying.add(stmt.loop.variable)
        if not divergent and not bounds_vary and not among_threads:
            combined |= reduced_by_threads(stmt)
        inside = divergent or (bounds_vary and not stmt.covered)
        among_threads = among_threads or stmt.block in axes
        _spread(stmt.body, inside, varying, written, combined=combined, axes=axes, among_threads=among_threads)
        return
    if isinstance(stmt, Declare):
        _spread_declaration(stmt, divergent or among_threads, varying, seen, combined=combined)
        return
    if isinstance(stmt, Atomic):
        captured = atomic_access(stmt).captured
        name = _whole(captured) if captured is not None else ""
        if name and name not in combined and (divergent or among_threads):
            varying.add(name)
        return
    control = _divergent_control(stmt, combined | varying, seen, among_threads)
    for child in children(stmt):
        if isinstance(stmt, For) and any(child is item for item in stmt.init):
            _spread_head(child, divergent or control, varying, seen, combined=combined)
        elif isinstance(child, Stmt):
            inside = divergent or control
            _spread(child, inside, varying, written, combined=combined, axes=axes, among_threads=among_threads)
        elif isinstance(child, Expr):
            _spread_expression(
                child, divergent or _is_skipped(stmt, among_threads, control), varying, seen, combined=combined
            )


def _spread_head(
    item: Stmt | Expr, divergent: bool, varying: set[str], written: frozenset[str], *, combined: frozenset[str]
) -> None:
    """Add what the first part of a for loop's head makes varying."""
    if isinstance(item, Declare):
        _spread_declaration(item, divergent, varying, written, combined=combined)
    else:
        _spread_expression(item, divergent, varying, written, combined=combined)


def _spread_declaration(
    stmt: Declare, divergent: bool, varying: set[str], written: frozenset[str], *, combined: frozenset[str]
) -> None:
    """Add a variable whose initial value varies, and what computing that value makes varying."""
    if stmt.init is not None:
        if divergent or not is_uniform(stmt.init, varying | combined, written):
            varying.add(stmt.name)
        _spread_expression(stmt.init, divergent, varying, written, combined=combined)


def _is_skipped(stmt: Stmt, among_threads: bool, control: bool) -> bool:
    """Whether some threads may not compute an expression of a statement."""
    return control if isinstance(stmt, (For, While)) else among_threads


def _divergent_control(stmt: Stmt, varying: frozenset[str], written: frozenset[str], among_threads: bool) -> bool:
    if isinstance(stmt, If):
        return not is_uniform(stmt.condition, varying, written)
    if isinstance(stmt, Switch):
        return not is_uniform(stmt.value, varying, written)
    if isinstance(stmt, (For, While)):
        uniform = all(_is_uniform_control(part, varying, written) for part in _control(stmt))
        return not uniform or bool(_jump_apart(stmt.body, varying, written, among_threads))
    return False


def _spread_expression(
    expr: Expr | Stmt, divergent: bool, varying: set[str], written: frozenset[str], *, combined: frozenset[str]
) -> None:
    for name, value in _changed_variables(expr):
        if name in combined:
            continue
        if divergent or name in varying or not is_uniform(value, varying | combined, written):
            varying.add(name)


@remembered
def _changed_variables(expr: Expr | Stmt) -> tuple[tuple[str, Expr], ...]:
    """The variables that an expression changes, each with what decides its value."""
    found = []
    for node in walk(expr):
        target = _written(node)
        if target is not None and (name := _whole(target)):
            found.append((name, node.value if isinstance(node, Assign) else target))
    return tuple(found)


def _whole(target: Expr) -> str:
    """The variable that an assignment changes, a member of it perhaps; '' if it changes other memory."""
    is_element = False
    while (isinstance(target, Member) and not target.arrow) or isinstance(target, Subscript):
        is_element = isinstance(target, Subscript) or (is_element and not _is_union(target.base))
        target = target.base
    return target.name if isinstance(target, Variable) and not is_element else ""


def _is_union(expr: Expr) -> bool:
    plain = resolve(expr.type)
    return isinstance(plain, Record) and plain.keyword == "union"


def _written(node: object) -> Expr | None:
    if isinstance(node, Assign):
        return node.target
    if isinstance(node, Unary) and (node.op in STEPPING or node.op == "&"):
        return node.operand
    return None


def _targets(stmt: Stmt) -> Iterator[Expr]:
    handed = {id(item.argument) for node in nodes_of(stmt, Call) for item in passed(node)}
    for node in walk(stmt):
        target = _written(node)
        if target is not None and id(node) not in handed:
            yield target


def _memory_root(expr: Expr) -> str | None:
    """The variable whose memory an lvalue lies in; None for a plain variable."""
    indirect = False
    while True:
        if isinstance(expr, Subscript):
            expr, indirect = expr.base, True
        elif isinstance(expr, Member):
            indirect = indirect or expr.arrow
            expr = expr.base
        elif isinstance(expr, Unary) and expr.op == "*":
            expr, indirect = expr.operand, True
        elif isinstance(expr, Variable):
            return expr.name if indirect else None
        else:
            inner = next(iter(nodes_of(expr, Variable)), None)
            return inner.name if inner is not None and indirect else None
