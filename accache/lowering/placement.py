"""Where declared variables lie that several threads share: shared memory, or a slice of device memory.

A gang's array of constant size lies in shared memory, one copy a block. Between worker and vector loops
each worker has a copy of its own there. An array whose length only the launch knows, or that is too large,
gets a slice of memory that the launch provides, for each block, worker or thread.
"""

from __future__ import annotations

from math import prod

from msgspec.structs import replace

from accache.base.architectures import architecture
from accache.base.text import Location
from accache.caching.cached import CachedKernel
from accache.caching.shared_parts import array_part, copies_of, expected_calls, tile_parts
from accache.caching.sizing.padding import padding
from accache.ir.arrays import extents
from accache.ir.build import INT, WIDE, formula, plus
from accache.ir.kernels.shared_layout import SharedLayout
from accache.ir.kernels.simt import AXES, SharedArray, Slices
from accache.ir.names import block, grid, thread, user_name
from accache.ir.polynomial import ONE, Polynomial
from accache.ir.tree import Binary, Block, Cast, Declare, Expr, InitList, IntLiteral, Stmt, Subscript, Unary, Variable
from accache.ir.types import Arithmetic, Array, CType, Pointer, assignable, is_array, resolve
from accache.ir.walk import assigned_variables, nodes_of, rewrite, single_definitions, used_variables
from accache.lowering.state import State
from accache.mapping.data.elements import initialised

Axes = frozenset[str]
NOWHERE = Location("", 0)
SCALAR_BYTES = 4096
"""Shared memory left to the scalars that threads hand to each other."""


def room_for_arrays(cached: CachedKernel, arch: str) -> int:
    """Bytes of a block's shared memory that tiles and reductions leave to arrays."""
    tiles = tuple(part for tile in cached.tiles for part in tile_parts(tile))
    return architecture(arch).shared_per_block - SharedLayout(tiles, expected_calls(cached.kernel)).most - SCALAR_BYTES


def shared_array(stmt: Declare, spread: Axes, state: State) -> tuple[Stmt, ...]:
    """What stands for the declaration of an array that threads share; ``spread`` are the axes its copies differ along.

    Raises CompileError where there can be no such array (ACC314).
    """
    if initial_values(stmt) is None:
        raise state.reporter.fail("ACC314", stmt.location, name=user_name(stmt.name))
    stmt = replace(stmt, type=assignable(stmt.type))
    if extents(stmt.type) is None:
        return (sliced(stmt, spread, state),)
    pad = 0 if spread else padding(state.cached.body, stmt.name, stmt.type, single_definitions(state.cached.body))
    array = SharedArray(stmt.location, stmt.name, stmt.type, pad)
    if not state.cached.kernel.is_routine and not _fits(array, spread, state):
        return (sliced(stmt, spread, state),)
    if spread:
        return (_of_worker(stmt, spread, state),)
    state.shared[stmt.name] = array
    return ()


def shared_scalar(stmt: Declare, spread: Axes, state: State) -> tuple[Stmt, ...]:
    """The same for a scalar."""
    stmt = replace(stmt, type=assignable(stmt.type))
    if not spread:
        state.shared[stmt.name] = SharedArray(stmt.location, stmt.name, stmt.type)
        return ()
    state.references |= {stmt.name}
    own = shared_copies(stmt.name, "workers", stmt.type, spread, state=state)
    where = stmt.location
    address = Unary(Pointer(stmt.type), where, "&", replace(own, location=where))
    return (Declare(where, stmt.name, Pointer(stmt.type, const=True), address),)


def with_array_addresses(body: Block) -> Block:
    """A lowered kernel in which the address of an array that stands behind a pointer is that pointer, converted."""
    pointers = {node.name for node in nodes_of(body, Declare) if isinstance(resolve(node.type), Pointer)}

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, Unary) or node.op != "&" or not isinstance(node.operand, Variable):
            return node
        is_behind = is_array(node.operand.type) and node.operand.name in pointers
        return Cast(node.type, node.location, node.operand) if is_behind else node

    return Block(body.location, tuple(rewrite(item, change, Unary) for item in body.items) if pointers else body.items)


def initial_values(stmt: Declare) -> tuple[Stmt, ...] | None:
    """The statements that give an array its initial values; None if there can be none."""
    if stmt.init is None:
        return ()
    array = Variable(stmt.type, stmt.location, stmt.name)
    return initialised(array, stmt.init) if isinstance(stmt.init, InitList) else None


def shared_copies(name: str, role: str, ctype: CType, spread: Axes, *, state: State) -> Expr:
    """The thread's own of some new variables in shared memory, one for each position along axes."""
    where = state.cached.body.location
    axes = [axis for axis in reversed(AXES) if axis in spread]
    whole = ctype
    for axis in reversed(axes):
        whole = Array(whole, _number(state.extent(axis)))
    printed = state.names.fresh(f"{user_name(name)}_{role}")
    state.shared[printed] = SharedArray(where, printed, whole)
    own: Expr = Variable(whole, where, printed)
    for axis in axes:
        inner = resolve(own.type)
        assert isinstance(inner, Array)
        own = Subscript(inner.element, where, own, formula(thread(axis), where))
    return own


def sliced(stmt: Declare, spread: Axes, state: State) -> Stmt:
    """A pointer to a slice of the launch's memory; refused where the launch does not know the length (ACC314)."""
    ctype, where = resolve(stmt.type), stmt.location
    assert isinstance(ctype, Array)
    known = set(state.free) - assigned_variables(state.cached.body)
    if (
        state.cached.kernel.is_routine
        or ctype.length is None
        or extents(ctype.element) is None
        or not used_variables(ctype.length) <= known
    ):
        raise state.reporter.fail("ACC314", where, name=user_name(stmt.name))
    name = state.names.fresh(f"{user_name(stmt.name)}_slices")
    owners = prod(state.extent(axis) for axis in spread)
    state.slices = (*state.slices, Slices(name, ctype.element, ctype.length, owners))
    state.pointers |= {stmt.name} if spread < state.axes else set()
    first = Binary(WIDE, where, "*", _owner(spread, owners, state), ctype.length)
    pointer = Pointer(ctype.element)
    slices = Variable(pointer, where, name)
    return Declare(where, stmt.name, replace(pointer, const=True), Binary(pointer, where, "+", slices, first))


def _of_worker(stmt: Declare, spread: Axes, state: State) -> Stmt:
    """A pointer to the worker's copy in shared memory."""
    ctype = resolve(stmt.type)
    assert isinstance(ctype, Array)
    state.pointers |= {stmt.name}
    own = shared_copies(stmt.name, "workers", stmt.type, spread, state=state)
    return Declare(stmt.location, stmt.name, Pointer(ctype.element, const=True), own)


def _owner(spread: Axes, owners: int, state: State) -> Expr:
    """The number of the slice: that of the block, and within it that of the worker or thread."""
    where = state.cached.body.location
    blocks, stride = Polynomial.constant(0), ONE
    for axis in AXES[: state.cached.kernel.shape.grid_rank]:
        blocks, stride = blocks + block(axis) * stride, stride * grid(axis)
    inner, distance = Polynomial.constant(0), 1
    for axis in AXES:
        if axis in spread:
            inner, distance = inner + thread(axis) * distance, distance * state.extent(axis)
    if owners == 1:
        return formula(blocks, where, WIDE)
    before = Binary(WIDE, where, "*", IntLiteral(WIDE, where, owners, f"{owners}LL"), formula(blocks, where))
    return plus(before, inner, INT)


def _fits(array: SharedArray, spread: Axes, state: State) -> bool:
    """Whether a block's copies have room beside the arrays that lie in shared memory already."""
    needed = copies_of(array_part(array), map(state.extent, spread))
    arrays = (array_part(item) for item in state.shared.values() if is_array(item.type))
    return SharedLayout((needed, *arrays)).most <= state.room


def _number(value: int) -> IntLiteral:
    return IntLiteral(Arithmetic("int"), NOWHERE, value, str(value))
