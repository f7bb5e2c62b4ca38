"""Variables replaced by others: by a copy of their own for a construct or loop, perhaps of a part of an array only."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import formula
from accache.ir.constants import constant
from accache.ir.kernels.simt import Formula, ParallelFor
from accache.ir.openacc.regions import LoopSpec, Reduction, Subarray
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Cache, Expr, For, IntLiteral, Stmt, Subscript, Variable
from accache.ir.types import Arithmetic, CType, Pointer, element_type, exceeds_int
from accache.ir.walk import rewrite


class Successor(Struct, frozen=True):
    """What stands for a variable: element ``lower`` of an array is element 0 of its successor."""

    name: str
    type: CType
    lower: Expr | None = None

    @property
    def shift(self) -> Expr | None:
        """By how much the successor's indices are smaller; None if they are the same."""
        return None if self.lower is None or constant(self.lower) == 0 else self.lower

    def whole(self, node: Variable) -> Expr:
        """What stands for the variable where no element of it is named."""
        successor = replace(node, name=self.name, type=self.type)
        if self.shift is None:
            return successor
        return Binary(Pointer(element_type(self.type) or node.type), node.location, "-", successor, self.shift)


def renamed(stmt: Stmt, successors: Mapping[str, Successor]) -> Stmt:
    """A statement, its loop and cache directives included, with other variables."""
    by_name = {item.name: item for item in successors.values()}
    symbols = {name: Polynomial.symbol(item.name) for name, item in successors.items()}

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if isinstance(node, Variable) and node.name in successors:
            return successors[node.name].whole(node)
        if isinstance(node, Formula):
            return replace(node, polynomial=node.polynomial.substitute(symbols))
        if isinstance(node, Subscript):
            return _moved(node, by_name)
        if isinstance(node, For) and node.loop is not None:
            return replace(node, loop=_in_directive(node.loop, successors))
        if isinstance(node, ParallelFor):
            return replace(node, reductions=tuple(_reduction(item, successors) for item in node.reductions))
        if isinstance(node, Cache):
            return replace(node, subarrays=tuple(_subarray(item, change) for item in node.subarrays))
        return node

    return rewrite(stmt, change)


def _moved(node: Subscript, successors: Mapping[str, Successor]) -> Subscript:
    """A reference of an array's part, counted from the part's first element."""
    base = node.base.left if isinstance(node.base, Binary) else node.base
    successor = successors.get(base.name) if isinstance(base, Variable) else None
    if successor is None or isinstance(node.base, Binary) is (successor.shift is None):
        return node
    index = node.index if successor.shift is None else difference(node.index, successor.shift)
    return replace(node, type=element_type(successor.type) or node.type, base=base, index=index)


def _in_directive(spec: LoopSpec, successors: Mapping[str, Successor]) -> LoopSpec:
    private = tuple(
        replace(item, name=successors[item.name].name) if item.name in successors else item for item in spec.private
    )
    reductions = tuple(_reduction(item, successors) for item in spec.reductions)
    return replace(spec, private=private, reductions=reductions)


def _reduction(reduction: Reduction, successors: Mapping[str, Successor]) -> Reduction:
    """A reduction of a variable's successor; of a part of an array, counted from the successor's first element."""
    successor = successors.get(reduction.variable)
    subarray = reduction.subarray
    if successor is None:
        return reduction
    if subarray is None:
        return replace(reduction, variable=successor.name, type=successor.type)
    base = Variable(successor.type, subarray.base.location, successor.name)
    if not subarray.dimensions:
        return replace(reduction, variable=successor.name, type=successor.type, subarray=replace(subarray, base=base))
    first = subarray.dimensions[0]
    if successor.shift is not None:
        zero = IntLiteral(Arithmetic("int"), base.location, 0, "0")
        first = replace(first, lower=difference(first.lower or zero, successor.shift))
    moved = replace(subarray, base=base, dimensions=(first, *subarray.dimensions[1:]))
    return replace(reduction, variable=successor.name, subarray=moved)


def difference(left: Expr, right: Expr) -> Expr:
    """``left - right``, simplified where it is a polynomial."""
    minuend, subtrahend = index_polynomial(left), index_polynomial(right)
    if minuend is None or subtrahend is None:
        return Binary(left.type, left.location, "-", left, right)
    return formula(minuend - subtrahend, left.location, right.type if exceeds_int(right.type) else left.type)


def _subarray(subarray: Subarray, change: object) -> Subarray:
    """A subarray of a cache directive."""
    assert callable(change)
    dimensions = tuple(
        replace(
            item,
            lower=rewrite(item.lower, change) if item.lower is not None else None,
            length=rewrite(item.length, change) if item.length is not None else None,
        )
        for item in subarray.dimensions
    )
    return replace(subarray, base=rewrite(subarray.base, change), dimensions=dimensions)
