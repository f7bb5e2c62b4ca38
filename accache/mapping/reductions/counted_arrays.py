"""Arrays of integers that a loop does nothing with but update them: which they are, and how many elements they have.

In ``for (...) { #pragma acc atomic`` ``bins[x[i]] += 1; }`` under ``copy(bins[0:64])`` it is ``bins``, with 64.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.aliasing import may_overlap_in
from accache.analysis.calls import has_effect
from accache.analysis.canonical import loop_variable
from accache.base.text import Location
from accache.ir.build import BOOL, INT, number
from accache.ir.constants import constant
from accache.ir.names import user_name
from accache.ir.openacc.atomics import AtomicAccess, atomic_access, read_access
from accache.ir.openacc.regions import DataClause, FreeVariable, LoopSpec, Reduction, Region
from accache.ir.tree import Assign, Atomic, Binary, Cast, Declare, Evaluate, Expr, For, Stmt, Subscript, Variable
from accache.ir.types import Arithmetic, Array, CType, element_type, integer_of, is_integer, is_volatile, resolve
from accache.ir.walk import children, nodes_of, rewrite, used_variables, walk

FROM_ZERO = ("+", "-", "|", "^")
"""Operators whose updates a copy that is zero at first collects."""
SIZES = (4, 8)
"""Bytes of the integers that shared memory updates in one step."""
UNKNOWN = float("inf")
FEWEST = 16
"""Elements of a reduced array at least: threads that update one of fewer would wait for each other."""


class CountedArray(Struct, frozen=True):
    """An array of which gangs get copies of so many elements; ``is_whole`` if it has no more."""

    variable: FreeVariable
    element: CType
    count: int
    operator: str
    is_whole: bool
    copy: str

    @property
    def copy_type(self) -> Array:
        """The type of a copy."""
        return Array(self.element, number(self.count, Location("", 0)))


def with_atomic_reductions(loop: For, spec: LoopSpec) -> tuple[For, dict[str, int]]:
    """A loop that updates arrays of integers atomically where it has a reduction clause for them, and their lengths."""
    items = tuple(item for item in spec.reductions if _is_array_of_integers(item))
    names = {item.variable: item.operator for item in items}
    lengths = {item.variable: _length(item.type) for item in items}

    def change(node: Stmt | Expr) -> Stmt | Expr:
        if not isinstance(node, Evaluate):
            return node
        access = read_access("update", node)
        if isinstance(access, str) or access.order_class not in FROM_ZERO or not isinstance(access.place, Subscript):
            return node
        base = access.place.base
        is_reduced = isinstance(base, Variable) and names.get(base.name) == access.order_class
        return Atomic(node.location, "update", node) if is_reduced else node

    if not items or any(length is None or length < FEWEST for length in lengths.values()):
        return loop, {}
    body = rewrite(loop.body, change)
    assert isinstance(body, Stmt)
    if any(_is_used_otherwise(body, name) for name in names) or not _are_scattered(body, frozenset(names), loop):
        return loop, {}
    kept = tuple(item for item in spec.reductions if item not in items)
    known = {name: length for name, length in lengths.items() if length is not None}
    return replace(loop, body=body, loop=replace(spec, reductions=kept)), known


def _are_scattered(body: Stmt, names: frozenset[str], loop: For) -> bool:
    """Whether iterations of a loop update other elements than their neighbours; else a sum a thread is better."""
    varying = {loop_variable(loop) or ""}
    while True:
        found = {name for name, value in _given(body) if used_variables(value) & varying}
        if found <= varying:
            break
        varying |= found
    places = (atomic_access(node).place for node in nodes_of(body, Atomic))
    indices = [
        place.index
        for place in places
        if isinstance(place, Subscript) and isinstance(place.base, Variable) and place.base.name in names
    ]
    return any(used_variables(index) & varying for index in indices)


def _given(body: Stmt) -> Iterator[tuple[str, Expr]]:
    """Variables with the values that they get."""
    for node in walk(body):
        if isinstance(node, Declare) and node.init is not None:
            yield node.name, node.init
        elif isinstance(node, Assign) and isinstance(node.target, Variable):
            yield node.target.name, node.value


def _is_array_of_integers(item: Reduction) -> bool:
    """Whether a reduction is of a whole array, or its first elements, in which each thread may add to what is there."""
    element = element_type(item.type) if item.is_array else None
    starts = item.lower is None or constant(item.lower) == 0
    return (
        element is not None and is_integer(element) and starts and not (item.origin or item.fresh or item.of_one_gang)
    )


def counted_arrays(nest: Sequence[For], region: Region, lengths: Mapping[str, int]) -> Iterator[CountedArray]:
    """The arrays that a nest does nothing with but update them, by updates of one class; some ``lengths`` are known."""
    loop = nest[0]
    updates: dict[str, list[AtomicAccess]] = {}
    for node in walk(loop.body):
        if isinstance(node, Atomic):
            access = atomic_access(node)
            place = access.place
            if isinstance(place, Subscript) and isinstance(place.base, Variable):
                updates.setdefault(place.base.name, []).append(access)
    private = [item for each in nest if each.loop is not None for item in each.loop.private]
    own = {item.name for item in (*region.private, *region.firstprivate, *private)}
    used = used_variables(loop)
    arrays = [item for item in region.variables if item.name in used and _is_memory(item.type)]
    for variable in arrays:
        found = updates.get(variable.name, [])
        if not found or variable.name in own or not _is_only_updated(variable.name, loop, found):
            continue
        if any(other is not variable and may_overlap_in(region, variable, other) for other in arrays):
            continue
        item = _with_count(variable, found[0], region, lengths.get(variable.name))
        if item is not None:
            yield item


def _is_memory(ctype: CType) -> bool:
    return element_type(ctype) is not None


def _is_only_updated(name: str, loop: For, updates: list[AtomicAccess]) -> bool:
    """Whether all that names an array are these updates, which may be done in any order."""
    classes = {update.order_class for update in updates}
    if len(classes) != 1 or "" in classes or any(update.operator not in FROM_ZERO for update in updates):
        return False
    return not _is_used_otherwise(loop, name)


def _parts(update: AtomicAccess) -> tuple[Expr, ...]:
    """The index and the value of an update."""
    assert isinstance(update.place, Subscript)
    return (update.place.index,) if update.value is None else (update.place.index, update.value)


def _is_used_otherwise(node: Stmt | Expr, name: str) -> bool:
    """Whether a variable is named outside of atomic updates of its elements."""
    if isinstance(node, Atomic) and _is_update_of(atomic_access(node), name):
        return False
    if isinstance(node, Variable):
        return node.name == name
    return any(_is_used_otherwise(part, name) for part in children(node))


def _is_update_of(access: AtomicAccess, name: str) -> bool:
    """Whether an atomic update names an array only as what it updates an element of."""
    place = access.place
    is_element = isinstance(place, Subscript) and isinstance(place.base, Variable) and place.base.name == name
    return is_element and not any(_mentions(part, name) for part in _parts(access))


def _mentions(expr: Expr, name: str) -> bool:
    return name in used_variables(expr) or has_effect(expr)


def _with_count(
    variable: FreeVariable, update: AtomicAccess, region: Region, length: int | None
) -> CountedArray | None:
    """An array with the number of elements of a copy; None if that is not known, or nothing for a copy."""
    element = update.place.type
    plain = resolve(element)
    if not isinstance(plain, Arithmetic) or not plain.is_integer or plain.size not in SIZES or is_volatile(element):
        return None
    length = _length(variable.type) if length is None else length
    count = length if length is not None else _mapped(variable, (*region.data, *region.enclosing_data))
    if not count:
        return None
    name = f"{user_name(variable.name)}_block#0{update.place.location.line}"
    return CountedArray(variable, element, count, update.order_class, length is not None, name)


def _length(ctype: CType) -> int | None:
    """How many elements an array has, if that is a constant."""
    array = resolve(ctype)
    return constant(array.length) if isinstance(array, Array) and array.length is not None else None


def _mapped(variable: FreeVariable, clauses: tuple[DataClause, ...]) -> int | None:
    """How many elements of an array a data clause maps from the first one on, if that is a constant."""
    for clause in clauses:
        subarray = clause.subarray
        if subarray.variable != variable.name or len(subarray.dimensions) != 1:
            continue
        (part,) = subarray.dimensions
        starts = part.lower is None or constant(part.lower) == 0
        length = constant(part.length) if part.length is not None else None
        if starts and length is not None:
            return length
    return None


def is_inside(index: Expr, item: CountedArray) -> Expr | None:
    """Whether an index is one of a copy; None if it is one in any case."""
    if item.is_whole or _greatest(index) < item.count:
        return None
    kind = integer_of(index.type)
    unsigned = Arithmetic(kind.name if kind.size >= INT.size else "int", unsigned=True)
    where = index.location
    return Binary(BOOL, where, "<", Cast(unsigned, where, index), number(item.count, where))


def _greatest(index: Expr) -> float:
    """What an index is at most that is never negative; infinity if that is not known."""
    kind, value = integer_of(index.type), constant(index)
    if value is not None:
        return value if value >= 0 else UNKNOWN
    if isinstance(index, Cast) and is_integer(index.operand.type):
        found = _greatest(index.operand)
        return found if found < 1 << 8 * kind.size - 1 else UNKNOWN
    if isinstance(index, Binary) and index.op == "&":
        masks = [constant(side) for side in (index.left, index.right)]
        return min((mask for mask in masks if mask is not None and mask >= 0), default=UNKNOWN)
    if isinstance(index, Binary) and index.op in ("%", "/", ">>"):
        left, right = _greatest(index.left), constant(index.right)
        if right is None or right <= 0 or (left == UNKNOWN and not kind.unsigned):
            return UNKNOWN
        if index.op == "%":
            return min(left, right - 1)
        return left if left == UNKNOWN else int(left) // right if index.op == "/" else int(left) >> right
    return (1 << 8 * kind.size) - 1 if kind.unsigned else UNKNOWN
