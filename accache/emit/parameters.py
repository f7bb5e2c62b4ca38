"""The types of kernels' array parameters."""

from __future__ import annotations

from accache.ir.arrays import is_variable_length
from accache.ir.types import Array, CType, Pointer, Void, as_const, element_type, resolve


def device_type(ctype: CType, written: bool, restrict: bool) -> CType:
    """The kernel's type of an array parameter: a pointer to its elements, const if the kernel only reads."""
    element = element_type(ctype)
    assert element is not None
    return Pointer(element if written else as_const(element), restrict=restrict)


def array_type(ctype: CType, written: bool, restrict: bool) -> CType:
    """The kernel's type of an array parameter, flat if the inner dimensions are not constants."""
    make = flat_type if is_variable_length(ctype) else device_type
    return make(ctype, written, restrict)


def flat_type(ctype: CType, written: bool, restrict: bool) -> CType:
    """Like device_type for an array whose inner dimensions are not constants: a pointer to single elements."""
    element = element_type(ctype)
    while element is not None and isinstance(resolve(element), Array):
        element = element_type(element)
    return Pointer((element or Void()) if written else as_const(element or Void()), restrict=restrict)
