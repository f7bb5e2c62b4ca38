"""References through pointers that a construct declares, and through sums of addresses, made references to arrays.

Before: ``const float *row = a + i*m;``, then ``cache(row[j-1:3])`` and ``row[j - 1]``, or ``*(a + j)``. After:
``cache(a[i*m+j-1:3])``, ``a[i*m + j - 1]`` and ``a[j]``, and ``cache(a)`` of ``cache(row)``; nothing is left of a
pointer that has no other use. What is known of arrays then holds for these references, too: which iterations share an
element, and whether they depend on each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.uniformity import written_arrays
from accache.base.properties import cached_property
from accache.ir.arrays import extents
from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import formula, number
from accache.ir.constants import constant
from accache.ir.names import user_name
from accache.ir.openacc.regions import FreeVariable, LoopSpec, Region, Subarray
from accache.ir.tree import Binary, Block, Cache, Declare, Expr, For, Member, Stmt, Subscript, Unary, Variable
from accache.ir.types import Array, CType, Pointer, element_type, holds_volatile, is_integer, resolve
from accache.ir.walk import is_computed, nodes_of, rewrite, single_addresses, used_variables
from accache.mapping.data.positions import Position, Positions, promotes_to_int

_MOST_ELEMENTS = (1 << 31) - 1


def with_array_references(region: Region) -> Stmt:
    """A region's body, with arrays in the place of sums, and of its own pointers that stand for one address each."""
    found = _Places(region)
    places = found.known
    body = rewrite(region.body, _InArrays(places, found.arrays, found.fitting).changed)
    while (left := _without_declarations(body, places.keys() - used_variables(body))) is not body:
        body = left
    return body


def _without_declarations(body: Stmt, names: AbstractSet[str]) -> Stmt:
    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, Block):
            return node
        items = tuple(item for item in node.items if not (isinstance(item, Declare) and item.name in names))
        return node if len(items) == len(node.items) else replace(node, items=items)

    return rewrite(body, change)


class _Places(Struct, frozen=True, dict=True):
    """Where the pointers lead that a region declares."""

    region: Region

    @cached_property
    def known(self) -> Mapping[str, Position]:
        """The positions that pointers stand for, of those for which that is certain."""
        found = {name: self.of_pointer(name) for name in self.addresses}
        known = {name: place for name, place in found.items() if place is not None and is_computed(place.offset)}
        written = written_arrays(self.region.body)
        promised = written | {place.root for name, place in known.items() if name in written}  # if it says restrict
        return {
            name: place
            for name, place in known.items()
            if not (_is_restrict(self.types[name]) and place.root in promised)
        }

    @cached_property
    def specs(self) -> list[LoopSpec]:
        """The loop directives of the region."""
        return [node.loop for node in nodes_of(self.region.body, For) if node.loop is not None]

    @cached_property
    def copied(self) -> frozenset[str]:
        """The variables of which gangs or threads have copies."""
        of_loops = (item.name for spec in self.specs for item in spec.private)
        return frozenset(of_loops) | {item.name for item in (*self.region.private, *self.region.firstprivate)}

    @cached_property
    def types(self) -> Mapping[str, CType]:
        """The types of the region's own variables."""
        return {node.name: node.type for node in nodes_of(self.region.body, Declare)}

    @cached_property
    def addresses(self) -> Mapping[str, Expr]:
        """What the region's own pointers stand for."""
        found = single_addresses(self.region.body)
        return {name: init for name, init in found.items() if name in self.types.keys() - self.copied}

    @cached_property
    def arrays(self) -> Mapping[str, FreeVariable]:
        """The host's arrays and pointers."""
        return {item.name: item for item in self.region.variables if item.name not in self.copied}

    def of_pointer(self, name: str) -> Position | None:
        """The place in one of the host's arrays that an own pointer stands for, if it is known."""
        target, address = element_type(self.types[name]), self.addresses[name]
        found = None if target is None or holds_volatile(target) else Positions(target, subscripts=True).of(address)
        if target is None or found is None or not isinstance(found.origin, Variable):
            return None
        outer = self.of_pointer(found.root) if found.root in self.addresses else self.of_array(found.origin)
        positions = Positions(target, subscripts=True, fit=outer is not None and outer.root in self.fitting)
        inner = positions.of(address)
        if outer is None or inner is None:
            return None
        offset = positions.sum(outer.offset, "+", inner.offset)
        simple = index_polynomial(offset, {}) if constant(outer.offset) is None and positions.fit else None
        return replace(outer, offset=formula(simple, offset.location) if simple is not None else offset)

    def of_array(self, array: Variable) -> Position | None:
        """The first place of one of the host's arrays."""
        target = element_type(array.type)
        if array.name not in self.arrays or target is None or holds_volatile(target):
            return None
        return Position(array.name, array, number(0, array.location))

    @cached_property
    def fitting(self) -> frozenset[str]:
        """The arrays the numbers of whose elements fit into an int, by their types or by clauses that map them."""
        shapes = {name: extents(item.type) for name, item in self.arrays.items()}
        found = {name for name, shape in shapes.items() if shape and shape[0] <= _MOST_ELEMENTS}
        clauses = (*self.region.data, *self.region.enclosing_data)
        return frozenset(
            found | {clause.subarray.variable for clause in clauses if _is_counted_by_int(clause.subarray)}
        )


def _is_counted_by_int(section: Subarray) -> bool:
    """Whether a section of rows, or of elements, begins with the first and has a length of type int."""
    if not section.dimensions:
        return False
    lower, length = section.dimensions[0].lower, section.dimensions[0].length
    return (lower is None or constant(lower) == 0) and length is not None and promotes_to_int(length.type)


def _of_row(node: Unary) -> Subscript | None:
    """``*(a[i] + j)``, or ``*a[i]``, as an element of a row; None if it is no such place."""
    address = node.operand
    row, index = address, number(0, node.location)
    if isinstance(address, Binary) and address.op == "+" and is_integer(address.right.type):
        row, index = address.left, address.right
    is_row = isinstance(row, Subscript) and isinstance(resolve(row.type), Array)
    return Subscript(node.type, node.location, row, index) if is_row else None


def _is_restrict(ctype: CType) -> bool:
    plain = resolve(ctype)
    return isinstance(plain, Pointer) and plain.restrict


class _InArrays(Struct, frozen=True):
    """Puts arrays in the place of pointers, whose ``places`` it has; indices of ``fitting`` arrays fit into an int."""

    places: Mapping[str, Position]
    arrays: Mapping[str, FreeVariable]
    fitting: frozenset[str]

    def changed(self, node: Expr | Stmt) -> Expr | Stmt:
        """A node whose address an own pointer leads to."""
        if isinstance(node, Subscript):
            return self.element(node, node.base, node.index) or node
        if isinstance(node, Unary) and node.op == "*":
            return self.element(node, node.operand, number(0, node.location)) or _of_row(node) or node
        if isinstance(node, Member) and node.arrow:
            target = element_type(node.base.type)
            first = number(0, node.location)
            whole = self.element(replace(node.base, type=target), node.base, first) if target is not None else None
            if isinstance(whole, Subscript) and constant(whole.index) == 0:
                return replace(node, base=whole.base)  # one structure, perhaps parts of which are mapped
            return replace(node, base=whole, arrow=False) if whole is not None else node
        if isinstance(node, Cache):
            subarrays = tuple(map(self.subarray, node.subarrays))
            is_same = all(new is old for new, old in zip(subarrays, node.subarrays, strict=True))
            return node if is_same else replace(node, subarrays=subarrays)
        return node

    def element(self, element: Expr, address: Expr, index: Expr) -> Expr | None:
        """The element so far behind an address, in an array; None if it is none of one, or written so."""
        moved = Positions(element.type, subscripts=True).of(address)
        if moved is None or not isinstance(moved.origin, Variable):
            return None
        place = self.places.get(moved.root)
        if place is None and isinstance(address, Variable):
            return None
        place = replace(moved, offset=number(0, element.location)) if moved.root in self.arrays else place
        if place is None:
            return None
        positions = Positions(element.type, subscripts=True, fit=place.root in self.fitting)
        inner = positions.of(address)
        assert inner is not None
        offset = positions.sum(positions.sum(place.offset, "+", inner.offset), "+", index)
        return Subscript(element.type, element.location, place.origin, offset)

    def subarray(self, item: Subarray) -> Subarray:
        """What a cache directive names."""
        place = self.places.get(item.variable)
        if place is None:
            return item
        whole = replace(item, base=place.origin, name=user_name(place.root))
        if not item.dimensions:
            return whole  # what the pointer leads to is known of its array alone
        (first, *others) = item.dimensions
        positions = Positions(
            element_type(item.base.type) or item.base.type, subscripts=True, fit=place.root in self.fitting
        )
        lower = positions.sum(place.offset, "+", first.lower or number(0, item.location))
        dimensions = (replace(first, lower=lower), *others)
        return replace(whole, dimensions=dimensions)
