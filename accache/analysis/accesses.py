"""Which memory a statement reads and writes, as far as other threads can see it."""

from __future__ import annotations

from functools import reduce

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.calls import Passed, acts, index_parts, passed, points, prints, uses_heap
from accache.ir.kernels.simt import BlockReduce, CacheRegion, Fetch, WriteBack
from accache.ir.kernels.tiles import Tile, TileAccess
from accache.ir.openacc.atomics import atomic_access
from accache.ir.tree import STEPPING, Assign, Atomic, Call, Cast, Expr, Member, Stmt, Subscript, Unary, Variable
from accache.ir.types import Array, Pointer, Record, element_type, resolve
from accache.ir.walk import assigned_variables, children, used_variables

ANYWHERE = "*"
HEAP = "@heap"
"""What calls of malloc and free change. They never meet: the memory is another one each time, until it is free."""
OUTPUT = "@output"
"""What printing changes, and what routines may change of which nothing is known."""
ROUTINES = "@routines"
"""The shared memory that routines use while all threads of a block run them."""


class Accesses(Struct, frozen=True):
    """Names of arrays and tiles read and written; ``*`` is memory reached in a way not understood.

    With some of these names stands in ``updates`` the ``order_class`` of all accesses: they are atomic, and those of
    one class may be done in any order.
    """

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    updates: frozenset[tuple[str, str]] = frozenset()

    def __or__(self, other: Accesses) -> Accesses:
        updates = self.updates | other.updates
        if updates:
            updates = self._agreed(updates) & other._agreed(updates)
        return Accesses(self.reads | other.reads, self.writes | other.writes, updates)

    def _agreed(self, updates: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
        """Those of some updates that are all that these accesses do with their arrays."""
        return frozenset(item for item in updates if item in self.updates or item[0] not in self.reads | self.writes)

    def within(self, names: frozenset[str]) -> Accesses:
        """The part that concerns some names."""
        updates = frozenset(item for item in self.updates if item[0] in names)
        return Accesses(self.reads & names, self.writes & names, updates)


NOTHING = Accesses()
_ANY = Accesses(frozenset((ANYWHERE,)))


def accesses_of(node: Stmt | Expr, private: frozenset[str], memory: frozenset[str] = frozenset()) -> Accesses:
    """The memory below a node.

    Arrays named in ``private`` belong to one thread and do not count; scalars named in ``memory``
    live in device memory and do.
    """
    found = _accesses(node, private)
    if not memory:
        return found
    return found | Accesses(used_variables(node) & memory, assigned_variables(node) & memory)


def _accesses(node: Stmt | Expr, private: frozenset[str]) -> Accesses:
    """The memory of arrays and tiles below a node."""
    if isinstance(node, (Fetch, WriteBack)):
        starts = frozenset(start for tile in node.tiles for start in tile.range.starts)
        tiles = frozenset(tile.name for tile in node.tiles)
        if isinstance(node, Fetch):
            return Accesses(frozenset(tile.array for tile in node.tiles if tile.is_fetched) | starts, tiles)
        return Accesses(tiles | starts, frozenset(tile.array for tile in node.tiles if tile.policy))
    if isinstance(node, BlockReduce):
        return NOTHING
    if isinstance(node, Atomic):
        return _atomic(node, private)
    if isinstance(node, Stmt):
        inner = (_accesses(child, private) for child in children(node))
        extra = NOTHING
        if isinstance(node, CacheRegion):
            for tile in node.tiles:
                if tile.is_prepared:
                    extra |= _accesses(Fetch(node.location, (tile,)), private)
                if tile.policy == "back":
                    extra |= _accesses(WriteBack(node.location, (tile,)), private)
        return reduce(Accesses.__or__, inner, extra)
    return _expression(node, private, read=True, write=False)


def _atomic(node: Atomic, private: frozenset[str]) -> Accesses:
    """What an atomic construct touches, and how it updates the array whose element it does."""
    access = atomic_access(node)
    place = access.place
    found = _accesses(node.body, private)
    if not access.order_class or not isinstance(place, Subscript) or not isinstance(place.base, Variable):
        return found
    name = place.base.name
    values = (place.index,) if access.value is None else (place.index, access.value)
    is_read = any(name in _expression(value, private, True, False).reads for value in values)
    is_known = name in found.writes and not is_read
    return replace(found, updates=frozenset([(name, access.order_class)])) if is_known else found


def _expression(expr: Expr, private: frozenset[str], read: bool, write: bool) -> Accesses:
    if isinstance(expr, TileAccess):
        inner = [_expression(position, private, True, False) for position in expr.positions]
        named = frozenset(name for position in expr.positions for name in used_variables(position))
        starts = Accesses(named.intersection(expr.tile.range.starts))
        return reduce(Accesses.__or__, inner, starts | _tile(expr.tile, read, write))
    if isinstance(expr, Assign):
        target = _expression(expr.target, private, expr.op != "=", True)
        return target | _expression(expr.value, private, True, False)
    if isinstance(expr, Unary) and expr.op in STEPPING:
        return _expression(expr.operand, private, True, True)
    if isinstance(expr, Call) and expr.callee is not None:
        return _call(expr, private)
    if isinstance(expr, Call) and acts(expr):
        return _arguments(expr, private) | _acting(expr) | _freed(expr)
    if isinstance(expr, Call):
        return _arguments(expr, private)
    if isinstance(expr, Unary) and expr.op == "&":
        return _address(expr.operand, private)
    if isinstance(expr, (Subscript, Member)) or (isinstance(expr, Unary) and expr.op == "*"):
        return _address(expr, private) if _is_row(expr) else _lvalue(expr, private, read, write)
    inner = [_expression(child, private, True, False) for child in children(expr) if isinstance(child, Expr)]
    return reduce(Accesses.__or__, inner, NOTHING)


def _arguments(call: Call, private: frozenset[str]) -> Accesses:
    """What the arguments of a function of C's or CUDA's read: of rows, all that is in them."""
    inner = (
        _lvalue(item, private, True, False) if _is_row(item) else _expression(item, private, True, False)
        for item in call.arguments
    )
    return reduce(Accesses.__or__, inner, NOTHING)


def _is_row(expr: Expr) -> bool:
    """Whether a place is an array in another one, whose value is its address."""
    is_place = isinstance(expr, (Subscript, Member)) or (isinstance(expr, Unary) and expr.op == "*")
    return is_place and isinstance(resolve(expr.type), Array)


def _call(call: Call, private: frozenset[str]) -> Accesses:
    """What the arguments of a routine's call read, and what the routine does with the memory it is handed."""
    handed = list(passed(call))
    addresses = {id(item.argument) for item in handed}
    parts = [argument for argument in call.arguments if id(argument) not in addresses]
    parts += [part for item in handed for part in index_parts(item.argument)]
    found = reduce(Accesses.__or__, (_expression(part, private, True, False) for part in parts), NOTHING)
    for item in handed:
        if item.root is not None and (item.root.name in private or not points(item.root.type)):
            continue
        name = frozenset((ANYWHERE if item.root is None or _leads_on(call, item) else item.root.name,))
        found |= Accesses(name, name if item.writes else frozenset())
    found |= _acting(call)
    if call.callee is not None and call.callee.uses_residents:
        found |= _ANY | Accesses(writes=_ANY.reads if call.callee.changes_residents else frozenset())
    if call.callee is not None and call.callee.is_collective:
        found |= Accesses(writes=frozenset((ROUTINES,)))
    return found


def _acting(call: Call) -> Accesses:
    """What a call changes outside of the memory it is handed."""
    heap = frozenset((HEAP,)) if uses_heap(call) else frozenset[str]()
    return Accesses(writes=heap | {OUTPUT} if prints(call) else heap)


def _freed(call: Call) -> Accesses:
    """The memory that a call of free takes away from everybody."""
    if call.function != "free":
        return NOTHING
    address = call.arguments[0]
    while isinstance(address, Cast):
        address = address.operand
    return Accesses(writes=frozenset((address.name if isinstance(address, Variable) else ANYWHERE,)))


def _leads_on(call: Call, item: Passed) -> bool:
    """Whether all threads together may follow addresses that lie in the memory a routine is handed."""
    element = element_type(item.argument.type)
    assert call.callee is not None
    return call.callee.is_collective and element is not None and points(element)


def _lvalue(expr: Expr, private: frozenset[str], read: bool, write: bool) -> Accesses:
    """A subscript, member or dereference: what its subscripts read, and the root it reaches."""
    found = NOTHING
    indirect = follows = False
    while True:
        if isinstance(expr, TileAccess):
            return found | _expression(expr, private, read, write)
        if isinstance(expr, Subscript):
            found |= _expression(expr.index, private, True, False)
            indirect, follows = True, follows or isinstance(resolve(expr.base.type), Pointer)
            expr = expr.base
        elif isinstance(expr, Member):
            indirect, follows = indirect or expr.arrow, follows or expr.arrow
            expr = expr.base
        elif isinstance(expr, Unary) and expr.op == "*":
            indirect = follows = True
            expr = expr.operand
        else:
            break
    if isinstance(expr, Variable):
        plain = resolve(expr.type)
        if not indirect or (expr.name in private and isinstance(plain, Array)):
            return found
        if isinstance(plain, Record) and not follows:  # an array inside of it
            return found
        name = frozenset((expr.name,))
    else:
        found |= _expression(expr, private, True, False)
        name = frozenset((ANYWHERE,))
    return found | Accesses(name if read else frozenset(), name if write else frozenset())


def _address(expr: Expr, private: frozenset[str]) -> Accesses:
    """What computing the address of a place reads: its subscripts, and the pointers on the way to it."""
    if isinstance(expr, Subscript):
        index = _expression(expr.index, private, True, False)
        is_inside = isinstance(resolve(expr.base.type), Array)
        return index | (_address(expr.base, private) if is_inside else _expression(expr.base, private, True, False))
    if isinstance(expr, Member) and not expr.arrow:
        return _address(expr.base, private)
    if isinstance(expr, Member):
        return _expression(expr.base, private, True, False)
    if isinstance(expr, Unary) and expr.op == "*":
        return _expression(expr.operand, private, True, False)
    return NOTHING if isinstance(expr, Variable) else _expression(expr, private, True, True)


def _tile(tile: Tile, read: bool, write: bool) -> Accesses:
    """A tile access; checked and emulated methods, and write-through, reach the array too."""
    if not tile.has_range:
        array = frozenset((tile.array,))
        return Accesses(array if read else frozenset(), array if write else frozenset())
    own = frozenset((tile.name,))
    both = own | {tile.array} if tile.traits.may_miss else own
    written = own | {tile.array} if tile.traits.may_miss or tile.policy == "through" else own
    return Accesses(both if read else frozenset(), written if write else frozenset())
