"""Which updates of one place may be done in any order: C converts each result to the type of the place.

Numbers without a fraction are what remains of a value modulo a power of two, so sums of them are the same in any order.
What cuts off a fraction, or compares with a value that the place cannot hold, is not. Sums of floating-point numbers
count as equal in any order.
"""

from __future__ import annotations

from accache.ir.constants import constant
from accache.ir.tree import Expr
from accache.ir.types import Arithmetic, CType, Enum, holds, is_bool, promoted, resolve, underlying, widens

IN_ANY_ORDER = frozenset(("*", "&", "|", "^", "<<", ">>"))
OF_TRUTH_VALUES = frozenset(("*", "&", "|"))
BIT = Arithmetic("_Bool")
DIGITS = {"float": 24, "double": 53, "long double": 53}
"""How many bits an integer may have that a floating type holds exactly."""


def order_class(operator: str, ctype: CType, value: Expr, test: str = "") -> str:
    """The class of an update of a place of some type; '' if its order counts.

    ``operator`` and ``test`` are those of an ``AtomicAccess``. Updates of one class may change places.
    """
    place, other = _plain(ctype), _plain(value.type)
    if not isinstance(place, Arithmetic) or not place.is_integer:
        return "+" if operator == "-" else operator
    common = promoted(place, other)
    if test.startswith("f"):
        common = Arithmetic("float" if test.endswith("f") else "double")
    if not isinstance(common, Arithmetic):
        return ""
    if operator in ("min", "max"):
        return _choice(operator, place, common, value)
    if not common.is_integer:
        return ""
    if is_bool(place):
        return _truth_value(operator, value)
    if operator == "/":
        return f"{operator} {common.unsigned}" if common.size == place.size else ""
    return "+" if operator in ("+", "-") else operator if operator in IN_ANY_ORDER else ""


def _choice(operator: str, place: Arithmetic, common: Arithmetic, value: Expr) -> str:
    """The class of a minimum or maximum in an integer, which is compared with a value in a ``common`` type."""
    if not common.is_integer:
        is_exact = not is_bool(place) and 8 * place.size <= DIGITS[common.name]
        return f"{operator} {place.unsigned and place.size == 4}" if is_exact else ""
    if common.size == place.size or _is_among(value, place):
        return f"{operator} {common.unsigned}"
    return ""


def _truth_value(operator: str, value: Expr) -> str:
    """The class of an update of a ``_Bool`` by an integer."""
    if operator in OF_TRUTH_VALUES:
        return operator
    if operator in ("^", "-"):
        return "^" if _is_among(value, BIT) else ""
    return operator if operator == "+" and _is_among(value, Arithmetic("short", unsigned=True)) else ""


def _is_among(value: Expr, kind: Arithmetic) -> bool:
    """Whether an integer value is one that a type can hold."""
    plain = _plain(value.type)
    return holds(kind, constant(value)) or (isinstance(plain, Arithmetic) and widens(plain, kind))


def _plain(ctype: CType) -> CType:
    """The type that values are computed with, without qualifiers."""
    plain = resolve(ctype)
    if isinstance(plain, Enum):
        return underlying(plain)
    return Arithmetic(plain.name, plain.unsigned, plain.signed_char) if isinstance(plain, Arithmetic) else plain
