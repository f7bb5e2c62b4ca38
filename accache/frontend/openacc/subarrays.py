"""Cache directives that no compiler can obey: subarrays that their variables cannot have (OpenACC 3.3, 2.10)."""

from __future__ import annotations

from accache.base.diagnostics import Reporter
from accache.ir.constants import constant
from accache.ir.nodes import nodes_below
from accache.ir.openacc.regions import Dimension, Subarray
from accache.ir.tree import Cache, Member
from accache.ir.types import Array, CType, Pointer, Void, is_integer, resolve


def verify_caches(root: object, reporter: Reporter) -> None:
    """Report subarrays with bounds, lengths or dimensions that mean nothing."""
    for node in nodes_below(root):
        if isinstance(node, Cache):
            for subarray in node.subarrays:
                _verify(subarray, reporter)


def _verify(subarray: Subarray, reporter: Reporter) -> None:
    where, text, count = subarray.location, subarray.text, len(subarray.dimensions)
    indexed = _indexed(subarray.base.type)
    if isinstance(resolve(subarray.base.type), Void):  # it is told elsewhere that nobody declares it
        return
    if count and not indexed:
        reporter.report("ACC427", where, name=text, what=f"'{subarray.name}' is no array")
    elif count > len(indexed) and not _is_flat(subarray.base.type):
        several = f"{len(indexed)} dimension{'s' * (len(indexed) > 1)}"
        reporter.report("ACC427", where, name=text, what=f"'{subarray.name}' has {several}")
    else:
        for number, dimension in enumerate(subarray.dimensions):
            array = indexed[number] if number < len(indexed) else None
            _verify_dimension(dimension, subarray, array if isinstance(array, Array) else None, reporter)


def _verify_dimension(dimension: Dimension, subarray: Subarray, array: Array | None, reporter: Reporter) -> None:
    bounds = {"lower bound": dimension.lower, "length": None if dimension.is_element else dimension.length}
    for part, bound in bounds.items():
        if bound is not None and not is_integer(bound.type):
            reporter.report("ACC425", subarray.location, part=part, name=subarray.text)
    length = constant(dimension.length) if dimension.length is not None else 1
    if length is not None and length <= 0:
        reporter.report("ACC426", subarray.location, name=subarray.text, length=length)
    if dimension.length is None and not dimension.is_element and array is None:
        reporter.report("ACC428", subarray.location, name=subarray.text)
    if array is not None and length is not None and length > 0:
        _verify_extent(dimension, subarray, array, reporter)


def _verify_extent(dimension: Dimension, subarray: Subarray, array: Array, reporter: Reporter) -> None:
    """Report constant bounds of which one is no element of an array of constant length."""
    extent = constant(array.length)
    if extent is None or (isinstance(subarray.base, Member) and extent <= 1):  # a last member may stand for more
        return
    lower = constant(dimension.lower) if dimension.lower is not None else 0
    length = 1 if dimension.is_element else constant(dimension.length)
    beyond = length is not None and (lower or 0) + length > extent
    if beyond or (lower is not None and not 0 <= lower < extent):
        reporter.report("ACC429", subarray.location, name=subarray.text, extent=extent)


def _indexed(ctype: CType) -> list[CType]:
    """The arrays and pointers that the subscripts of a variable lead through."""
    found: list[CType] = []
    plain = resolve(ctype)
    while isinstance(plain, (Array, Pointer)):
        if isinstance(plain, Pointer) and isinstance(resolve(plain.target), Void):
            break
        found.append(plain)
        plain = resolve(plain.element if isinstance(plain, Array) else plain.target)
    return found


def _is_flat(ctype: CType) -> bool:
    """Whether a variable points to elements, which a directive may see as rows and columns."""
    return len(_indexed(ctype)) == 1 and isinstance(resolve(ctype), Pointer)
