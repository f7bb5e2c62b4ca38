"""The integer polynomials that C expressions compute."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct, field

from accache.ir.kernels.simt import Formula
from accache.ir.polynomial import ZERO, Polynomial
from accache.ir.tree import Binary, Cast, Conditional, Expr, IntLiteral, Unary, Variable
from accache.ir.types import Arithmetic, CType, holds, integer_of, is_integer, resolve, widens

NO_DEFINITIONS: Mapping[str, Expr] = MappingProxyType({})
MAX_DEGREE = 8
MAX_TERMS = 200
ADDRESS_SIZE = 8
LARGEST_FACTOR = {4: 1 << 28, 8: 1 << 32}
"""What a symbol is multiplied with in an unsigned type of so many bytes is less, or the product is taken to wrap."""


def polynomial_of(expr: Expr, definitions: Mapping[str, Expr] = NO_DEFINITIONS) -> Polynomial | None:
    """The integer polynomial an expression computes; None where it is none, or might not compute it.

    Variables become symbols; those in ``definitions`` (single-assignment temporaries, see
    ``walk.single_definitions``) are replaced by what defines them. Signed arithmetic is taken as exact, since C
    leaves its overflow undefined. A conversion that may change a value gives None, and so does a subtraction in an
    unsigned type, if ``differences`` has not proved it exact. Divisions and remainders count only where they are exact
    by their form, such as ``(2*i*n)/n``, and not in an unsigned type of 32 bits.

    Unsigned sums and products wrap. Those of 32 bits count only where ``analysis/sums`` has marked them exact: proved,
    or to be made sure of by the launch. Parts of one are taken modulo 2**32, since only the value of the whole counts.
    Those of 64 bits are taken as exact but for what is written as a large number: an offset from half the type's
    range on, which stands for a negative one, or a factor from ``LARGEST_FACTOR`` on.
    """
    return _Reader(definitions, wraps=False).read(expr)


def index_polynomial(expr: Expr, definitions: Mapping[str, Expr] = NO_DEFINITIONS) -> Polynomial | None:
    """Like ``polynomial_of`` for an expression that is used as a subscript or pointer offset.

    An address wraps at 64 bits just as ``size_t`` does, so conversions to a 64-bit unsigned type and subtractions in
    one are exact here: ``a[(size_t)i*m + j - 1]`` is the element i*m + j - 1. So is ``i + SIZE_MAX``, which is i - 1.
    """
    return _Reader(definitions, wraps=True).read(expr)


def residue_polynomial(expr: Expr, definitions: Mapping[str, Expr] = NO_DEFINITIONS) -> Polynomial | None:
    """What an unsigned expression of 32 bits computes modulo 2**32, whatever wraps in it; None for other types.

    It holds no variables of more bits.
    """
    if not is_integer(expr.type):
        return None
    kind = integer_of(expr.type)
    is_narrow = kind.unsigned and kind.size < ADDRESS_SIZE
    return _Reader(definitions, wraps=True, is_residue=True).read(expr, inner=True) if is_narrow else None


class _Reader(Struct, dict=True):
    """One reading of an expression; ``wraps`` says that 64-bit values matter modulo 2**64 only.

    Of a residue, differences of ``inner`` operands count modulo their type's range, as sums do.
    """

    definitions: Mapping[str, Expr]
    wraps: bool
    is_residue: bool = False
    known: dict[str, Polynomial | None] = field(default_factory=dict)
    is_cyclic: bool = False

    def read(self, expr: Expr, inner: bool = False) -> Polynomial | None:
        """The polynomial of an expression of integer type; that of an ``inner`` one holds modulo its type's range."""
        if not is_integer(expr.type):
            return None
        if isinstance(expr, IntLiteral):
            return self.unwrapped(Polynomial.constant(expr.value), expr.type, inner)
        if isinstance(expr, Variable):
            return self.variable(expr)
        if isinstance(expr, Formula):
            return expr.polynomial  # which is computed without overflow
        if isinstance(expr, Cast):
            return self.converted(expr.operand, expr.type, inner)
        if isinstance(expr, Unary) and expr.op in ("+", "-"):
            operand = self.converted(expr.operand, expr.type)
            return operand if expr.op == "+" else self.difference(ZERO, operand, expr.type)
        return self.binary(expr, inner) if isinstance(expr, Binary) else None

    def variable(self, use: Variable) -> Polynomial | None:
        """What defines the variable, or a symbol where that is no polynomial; a cycle of definitions gives None."""
        plain = resolve(use.type)
        if isinstance(plain, Arithmetic) and plain.volatile:
            return None
        if use.name not in self.definitions:
            return Polynomial.symbol(use.name)
        if use.name in self.known:
            self.is_cyclic = self.is_cyclic or self.known[use.name] is None
            return self.known[use.name]
        self.known[use.name] = None
        value = self.converted(self.definitions[use.name], use.type)
        self.known[use.name] = Polynomial.symbol(use.name) if value is None and not self.is_cyclic else value
        return self.known[use.name]

    def binary(self, expr: Binary, inner: bool) -> Polynomial | None:
        """One of ``+ - * << / %`` in the type C computes it in."""
        if expr.op in ("/", "%"):
            exact = _Reader(self.definitions, wraps=False)
            left, right = exact.converted(expr.left, expr.type), exact.converted(expr.right, expr.type)
            kind = integer_of(expr.type)
            return _divided(expr.op, left, right, may_wrap=kind.unsigned and kind.size < ADDRESS_SIZE)
        left = self.converted(expr.left, expr.type, inner=True)
        is_shift = expr.op == "<<"
        right = self.power_of_two(expr.right) if is_shift else self.converted(expr.right, expr.type, inner=True)
        if left is None or right is None:
            return None
        trusted = inner or expr.is_exact
        if expr.op == "-" and not expr.is_exact and not (self.is_residue and inner):
            return self.difference(left, right, expr.type)
        if expr.op in ("+", "-"):
            return self.unwrapped(left + right if expr.op == "+" else left - right, expr.type, inner, trusted)
        return self.unwrapped(left * right, expr.type, inner, trusted) if expr.op in ("*", "<<") else None

    def power_of_two(self, places: Expr) -> Polynomial | None:
        """What a shift to the left by a constant multiplies with."""
        value = self.read(places)
        constant = None if value is None else value.constant_value
        return None if constant is None or not 0 <= constant < 63 else Polynomial.constant(1 << constant)

    def difference(self, left: Polynomial, right: Polynomial | None, ctype: CType) -> Polynomial | None:
        """``left - right``, unless an unsigned type might wrap below zero."""
        if right is None:
            return None
        result, kind = left - right, integer_of(ctype)
        if kind.unsigned and not (self.wraps and kind.size == ADDRESS_SIZE) and not holds(kind, result.constant_value):
            return None
        return self.unwrapped(result, ctype)

    def unwrapped(
        self, value: Polynomial, ctype: CType, inner: bool = False, trusted: bool = True
    ) -> Polynomial | None:
        """What was computed in a type, unless it grew past any use or may wrap; ``trusted`` not to in 32 bits."""
        kind = integer_of(ctype)
        if value.total_degree > MAX_DEGREE or len(value.terms) > MAX_TERMS:
            return None
        if not kind.unsigned:
            return value
        if self.wraps and kind.size == ADDRESS_SIZE:
            value = _nearest(value, 8 * kind.size)
        elif inner and kind.size < ADDRESS_SIZE:
            return value
        elif value.constant_value is not None:
            return value if holds(kind, value.constant_value) else None
        elif kind.size < ADDRESS_SIZE and not trusted:
            return None
        return value if _is_small(value, kind.size) else None

    def converted(self, operand: Expr, to: CType, inner: bool = False) -> Polynomial | None:
        """The operand converted to an integer type, if that keeps its value (its address, where values wrap).

        Modulo the type's range, as what ``inner`` operands of a sum give counts, it does where the type stays.
        """
        target = integer_of(to)
        stays = inner and is_integer(operand.type) and same_unsigned(operand.type, to)
        value = self.read(operand, stays)
        if value is None or stays:
            return value
        same_address = self.wraps and target.size == ADDRESS_SIZE
        kept = same_address or holds(target, value.constant_value) or widens(integer_of(operand.type), target)
        return value if kept else None


def smaller_of(expr: Expr) -> set[Polynomial | None]:
    """The two values of which an expression is the smaller one; none for another expression."""
    if not isinstance(expr, Conditional) or not isinstance(expr.condition, Binary):
        return set()
    left, right = polynomial_of(expr.condition.left), polynomial_of(expr.condition.right)
    chosen = (polynomial_of(expr.then), polynomial_of(expr.otherwise))
    operator = expr.condition.op
    is_smaller = (operator in ("<", "<=") and chosen == (left, right)) or (
        operator in (">", ">=") and chosen == (right, left)
    )
    return {left, right} if is_smaller else set()


def same_unsigned(first: CType, second: CType) -> bool:
    """Whether sums in two integer types wrap alike."""
    kinds = [integer_of(side) for side in (first, second)]
    return all(kind.unsigned for kind in kinds) and kinds[0].size == kinds[1].size


def _nearest(value: Polynomial, bits: int) -> Polynomial:
    """The value modulo 2**bits, with the numbers in it that are nearest to zero."""
    half = 1 << (bits - 1)
    return Polynomial.of((monomial, (number + half) % (2 * half) - half) for monomial, number in value.terms)


def _is_small(value: Polynomial, size: int) -> bool:
    """Whether an unsigned type of so many bytes has no number in the value that is taken to wrap."""
    half = 1 << (8 * size - 1)
    return all(abs(number) < (LARGEST_FACTOR.get(size, half) if monomial else half) for monomial, number in value.terms)


def _divided(op: str, left: Polynomial | None, right: Polynomial | None, may_wrap: bool) -> Polynomial | None:
    """C's ``left / right`` or ``left % right`` of two constants, or where the division is exact."""
    if left is None or right is None or not right.terms:
        return None
    a, b = left.constant_value, right.constant_value
    if a is not None and b is not None:
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return Polynomial.constant(quotient if op == "/" else a - b * quotient)
    exact = None if may_wrap else left.divided_by(right)
    return ZERO if op == "%" and exact is not None else exact
