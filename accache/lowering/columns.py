"""Reduced arrays whose elements only the run chooses: in shared memory, where each thread has a column of its own.

Before: ``T own[16]; loop { own[group[i]] += x[i]; } reduce own``. After: ``T columns[16][threads]``, of which the loop
adds to ``columns[group[i]][thread]``, and behind it ``own[k] = columns[k][thread]`` for the reduction. Registers have
no numbers that a thread computes: ptxas chooses among all elements one by one, or lays them into local memory, where
lanes with different elements touch different lines. In shared memory no two lanes meet in a bank.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop, constant_trips
from accache.analysis.unrollable import UNROLLED
from accache.caching.cached import CachedKernel
from accache.ir.arrays import extents
from accache.ir.build import formula, number
from accache.ir.constants import constant
from accache.ir.kernels.combining import BYTES_EXCHANGED, MOST_EXCHANGED, WARP
from accache.ir.kernels.simt import BlockReduce, CanonicalLoop, SharedArray
from accache.ir.names import thread, user_name
from accache.ir.sizes import sizeof
from accache.ir.tree import Atomic, Declare, Expr, For, Stmt, Subscript, Unary, Variable
from accache.ir.types import Arithmetic, Array, resolve, unqualified
from accache.ir.walk import Node, is_computed, nodes_of, rewrite, used_variables
from accache.lowering.indices import IndexNames
from accache.lowering.placement import initial_values
from accache.mapping.data.elements import assigned, each_element


def with_columns(
    items: Sequence[Stmt], cached: CachedKernel, names: IndexNames, room: int
) -> tuple[list[Stmt], dict[str, SharedArray]]:
    """A kernel's statements, and the arrays that some of its own have in shared memory, of ``room`` bytes at most.

    Together they take no more than what is exchanged when they are combined, so that as many blocks are resident.
    """
    found, kernel = list(items), cached.kernel
    arrays: dict[str, SharedArray] = {}
    threads, room = kernel.shape.threads, min(room, MOST_EXCHANGED)
    if kernel.is_routine or kernel.shape.block[1:] != (1, 1) or threads <= WARP:
        return found, arrays
    for declared in [item for item in items if isinstance(item, Declare) and _is_row(item)]:
        taken = sizeof(declared.type) * threads
        first, last = found.index(declared), _combined_at(found, declared.name)
        if last is None or taken > room:
            continue
        changed = _in_columns(declared, found[first + 1 : last], threads, names)
        if changed is not None:
            arrays[declared.name], found[first:last] = changed
            room -= taken
    return found, arrays


def _is_row(declared: Declare) -> bool:
    """Whether a declaration is of a short array of numbers."""
    plain = resolve(declared.type)
    is_numbers = isinstance(plain, Array) and isinstance(resolve(plain.element), Arithmetic)
    return is_numbers and extents(plain) is not None and sizeof(plain) <= BYTES_EXCHANGED


def _combined_at(items: Sequence[Stmt], name: str) -> int | None:
    """Where the block combines an array, if it does that once, and in no loop."""
    places = [index for index, item in enumerate(items) for node in nodes_of(item, BlockReduce) if _is_of(node, name)]
    return places[0] if len(places) == 1 and isinstance(items[places[0]], BlockReduce) else None


def _is_of(reduce: BlockReduce, name: str) -> bool:
    return reduce.reduction.variable == name


def _in_columns(
    declared: Declare, body: Sequence[Stmt], threads: int, names: IndexNames
) -> tuple[SharedArray, list[Stmt]] | None:
    """The columns, and the statements that use them up to where the array is combined; None if it stays as it is."""
    where, name, whole = declared.location, declared.name, resolve(declared.type)
    started = initial_values(declared)
    if started is None or not isinstance(whole, Array) or not _is_chosen_from(body, name):
        return None
    stmts = (*started, *body)
    if any(_escapes(stmt, name) for stmt in stmts):
        return None
    row = Array(unqualified(whole.element), number(threads, where))
    array = SharedArray(where, names.fresh(f"{user_name(name)}_columns"), replace(whole, element=row))

    def own(index: Expr) -> Expr:
        columns = Subscript(row, where, Variable(array.type, where, array.name), index)
        return Subscript(row.element, where, columns, formula(thread("x"), where))

    def change(node: Node) -> Node:
        return own(node.index) if _is_element(node, name) and isinstance(node, Subscript) else node

    def taken(element: Expr) -> Stmt:
        assert isinstance(element, Subscript)
        return assigned(element, own(element.index))

    changed = [rewrite(stmt, change, Subscript) for stmt in stmts]
    return array, [*changed, replace(declared, init=None), each_element(Variable(whole, where, name), taken)]


def _is_chosen_from(body: Sequence[Stmt], name: str) -> bool:
    """Whether an element is chosen by anything but constants, and counters of loops that are unrolled."""
    loops = (canonical_loop(loop) for stmt in body for loop in nodes_of(stmt, For))
    counters = frozenset(loop.variable for loop in loops if isinstance(loop, CanonicalLoop) and _is_unrolled(loop))
    elements = (node for stmt in body for node in nodes_of(stmt, Subscript) if _is_element(node, name))
    return any(not is_computed(node.index) or not used_variables(node.index) <= counters for node in elements)


def _is_unrolled(loop: CanonicalLoop) -> bool:
    return constant(loop.first) is not None and 0 < constant_trips(loop) <= UNROLLED


def _escapes(stmt: Stmt, name: str) -> bool:
    """Whether an array is used otherwise than element by element, or something has an element's address."""
    uses = sum(node.name == name for node in nodes_of(stmt, Variable))
    elements = sum(_is_element(node, name) for node in nodes_of(stmt, Subscript))
    apart: list[Node] = [node for node in nodes_of(stmt, Unary) if node.op == "&"]
    apart += nodes_of(stmt, Atomic)
    is_hidden = any(node.name == name for node in nodes_of(stmt, Declare))
    return is_hidden or uses != elements or any(name in used_variables(node) for node in apart)


def _is_element(node: Node, name: str) -> bool:
    return isinstance(node, Subscript) and isinstance(node.base, Variable) and node.base.name == name
