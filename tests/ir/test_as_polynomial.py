import subprocess
import sys

import pytest
from affine_forms import AffineForm, affine_form, sympy_affine_form
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from trees import DOUBLE, HERE, INT, LONG, SHORT, SIZE_T, UINT, bin_, cast, index, lit, neg, symbols, var

from accache.ir.as_polynomial import index_polynomial, polynomial_of
from accache.ir.polynomial import ZERO, Polynomial
from accache.ir.tree import Unary
from accache.ir.types import Arithmetic, Enum, Named

VI, J, M, N = (var(name) for name in "ijmn")
i, j, m, n, s, u = symbols("ijmnsu")
BIG = var("k", LONG)
U = var("u", UINT)
S = var("s", SIZE_T)
VOLATILE = var("v", Arithmetic("int", volatile=True))


def exact(expr):
    """The expression marked as one that does not wrap."""
    return replace(expr, is_exact=True)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (lit(3), Polynomial.constant(3)),
        (bin_(VI, "-", lit(1)), i - 1),
        (bin_(bin_(VI, "*", M), "+", J), i * m + j),
        (neg(bin_(VI, "-", N)), n - i),
        (Unary(INT, HERE, "+", VI), i),
        (bin_(VI, "<<", lit(3)), 8 * i),
        (bin_(VI, "<<", J), None),
        (bin_(VI, "<<", lit(-1)), None),
        (bin_(VI, ">>", lit(1)), None),
        (bin_(VI, "<", N), None),
        (Unary(INT, HERE, "~", VI), None),
        (index("a", VI), None),
        (var("x", DOUBLE), None),
        (VOLATILE, None),
        (var("t", Named("count", INT)), Polynomial.symbol("t")),
        (bin_(var("e", Enum("E")), "+", lit(1)), Polynomial.symbol("e") + 1),
    ],
)
def test_expressions(expr, expected):
    assert polynomial_of(expr) == expected


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (bin_(bin_(lit(4), "*", VI), "/", lit(2)), 2 * i),
        (bin_(bin_(bin_(lit(2), "*", VI), "*", N), "/", N), 2 * i),
        (bin_(bin_(bin_(VI, "*", VI), "-", lit(1)), "/", bin_(VI, "-", lit(1))), i + 1),
        (bin_(VI, "/", lit(2)), None),
        (bin_(bin_(VI, "/", lit(2)), "*", lit(2)), None),
        (bin_(lit(-7), "/", lit(2)), Polynomial.constant(-3)),
        (bin_(lit(-7), "%", lit(2)), Polynomial.constant(-1)),
        (bin_(lit(7), "/", lit(0)), None),
        (bin_(bin_(lit(4), "*", VI), "%", lit(2)), ZERO),
        (bin_(VI, "%", lit(2)), None),
    ],
)
def test_divisions_count_only_where_exact(expr, expected):
    assert polynomial_of(expr) == expected


@pytest.mark.parametrize(
    ("expr", "value", "address"),
    [
        (cast(LONG, VI), i, i),
        (cast(INT, BIG), None, None),
        (cast(SHORT, VI), None, None),
        (cast(SHORT, lit(7)), Polynomial.constant(7), Polynomial.constant(7)),
        (cast(SHORT, lit(70000)), None, None),
        (cast(SIZE_T, VI), None, i),
        (cast(SIZE_T, lit(5)), Polynomial.constant(5), Polynomial.constant(5)),
        (cast(SIZE_T, lit(-5)), None, Polynomial.constant(-5)),
        (cast(UINT, VI), None, None),
        (cast(LONG, U), Polynomial.symbol("u"), Polynomial.symbol("u")),
        (cast(INT, U), None, None),
        (cast(INT, var("c", Arithmetic("char"))), Polynomial.symbol("c"), Polynomial.symbol("c")),
        (bin_(S, "-", lit(1), SIZE_T), None, Polynomial.symbol("s") - 1),
        (bin_(S, "+", lit(1), SIZE_T), Polynomial.symbol("s") + 1, Polynomial.symbol("s") + 1),
        (bin_(S, "+", lit(-1), SIZE_T), None, Polynomial.symbol("s") - 1),
        (bin_(U, "-", lit(1), UINT), None, None),
        (bin_(cast(LONG, bin_(U, "-", lit(1), UINT)), "+", VI, LONG), None, None),
        (bin_(bin_(cast(SIZE_T, VI), "*", M, SIZE_T), "+", J, SIZE_T), None, i * m + j),
        (bin_(U, "+", VI, UINT), None, None),
        (bin_(lit(3, UINT), "-", lit(1, UINT), UINT), Polynomial.constant(2), Polynomial.constant(2)),
        (bin_(bin_(S, "-", bin_(S, "*", lit(3), SIZE_T), SIZE_T), "/", lit(2), SIZE_T), None, None),
        (bin_(U, "+", lit(1, UINT), UINT), None, None),
        (exact(bin_(U, "+", lit(1, UINT), UINT)), u + 1, u + 1),
        (exact(bin_(bin_(U, "*", lit(1000000, UINT), UINT), "+", U, UINT)), 1000001 * u, 1000001 * u),
        (cast(LONG, exact(bin_(U, "+", U, UINT))), 2 * u, 2 * u),
        (exact(bin_(cast(LONG, bin_(U, "+", U, UINT)), "+", VI, LONG)), None, None),
        (exact(bin_(U, "+", lit(2**31 - 1, UINT), UINT)), u + (2**31 - 1), u + (2**31 - 1)),
        (exact(bin_(U, "+", lit(2**31, UINT), UINT)), None, None),
        (exact(bin_(U, "+", lit(2**32 - 1, UINT), UINT)), None, None),
        (bin_(cast(LONG, U), "+", lit(2**32 - 1, LONG), LONG), u + (2**32 - 1), u + (2**32 - 1)),
        (bin_(U, "*", lit(2**28, UINT), UINT), None, None),
        (bin_(U, "*", lit(954437177, UINT), UINT), None, None),
        (bin_(U, "<<", lit(31, UINT), UINT), None, None),
        (exact(bin_(U, "<<", lit(3, UINT), UINT)), 8 * u, 8 * u),
        (bin_(VI, "<<", lit(30)), 2**30 * i, 2**30 * i),
        (bin_(lit(2**31, UINT), "+", lit(2**31, UINT), UINT), None, None),
        (lit(2**64 - 1, SIZE_T), Polynomial.constant(2**64 - 1), Polynomial.constant(-1)),
        (bin_(S, "+", lit(2**64 - 1, SIZE_T), SIZE_T), None, s - 1),
        (bin_(S, "*", lit(2**64 - 1, SIZE_T), SIZE_T), None, -s),
        (bin_(S, "+", lit(2**62, SIZE_T), SIZE_T), s + 2**62, s + 2**62),
        (bin_(S, "*", lit(2**61, SIZE_T), SIZE_T), None, None),
        (bin_(bin_(U, "*", lit(2**27, UINT), UINT), "/", lit(2**27, UINT), UINT), None, None),
        (bin_(bin_(S, "*", lit(8, SIZE_T), SIZE_T), "/", lit(8, SIZE_T), SIZE_T), s, s),
    ],
)
def test_conversions_and_unsigned_arithmetic(expr, value, address):
    assert polynomial_of(expr) == value
    assert index_polynomial(expr) == address


def test_definitions_are_followed():
    definitions = {"im1": bin_(VI, "-", lit(1)), "row": bin_(var("im1"), "*", M)}
    assert polynomial_of(bin_(var("row"), "+", J), definitions) == (i - 1) * m + j


@pytest.mark.parametrize("text", ["a", "b"])
def test_cyclic_definitions_are_no_polynomial(text):
    assert polynomial_of(var(text), {"a": bin_(var("b"), "+", lit(1)), "b": var("a")}) is None


def test_a_variable_whose_definition_is_no_polynomial_is_a_symbol():
    assert polynomial_of(bin_(var("t"), "+", VI), {"t": index("ids", VI)}) == Polynomial.symbol("t") + i


def test_a_narrowing_definition_is_not_followed():
    assert polynomial_of(var("t"), {"t": bin_(BIG, "+", lit(1), LONG)}) == Polynomial.symbol("t")
    assert polynomial_of(var("t", LONG), {"t": bin_(BIG, "+", lit(1), LONG)}) == Polynomial.symbol("k") + 1


def test_repeated_squares_are_given_up():
    definitions = {f"t{k}": bin_(var(f"t{k - 1}"), "*", var(f"t{k - 1}")) for k in range(1, 40)}
    assert polynomial_of(var("t3"), definitions).names == {"t0"}
    assert polynomial_of(var("t39"), definitions).names.isdisjoint({"t0"})


def test_shared_definitions_are_read_once():
    definitions = {f"t{k}": bin_(var(f"t{k - 1}"), "+", var(f"t{k - 1}")) for k in range(1, 60)}
    assert polynomial_of(var("t50"), definitions) == Polynomial.symbol("t0") * 2**50


@pytest.mark.parametrize("rate", range(-2, 4))
@pytest.mark.parametrize("step", [-2, -1, 1, 2, 7])
def test_rate_is_the_difference_between_iterations(rate, step):
    expr = bin_(bin_(lit(rate), "*", VI), "+", N)
    form = affine_form(expr, "i")
    assert form == AffineForm(Polynomial.constant(rate), n, "i")
    p = polynomial_of(expr)
    assert p.evaluate({"i": 4 + step, "n": 9}) - p.evaluate({"i": 4, "n": 9}) == rate * step


def test_symbolic_rates_and_non_affine_forms():
    assert affine_form(i * m + j, "i") == AffineForm(m, j, "i")
    assert affine_form(i * m + j, "k") == AffineForm(ZERO, i * m + j, "k")
    assert affine_form(i * i, "i") is None
    assert affine_form(index("a", VI), "i") is None


def test_sympy_is_not_imported_by_the_fast_path():
    code = (
        "import sys, accache.ir.as_polynomial, accache.analysis.dependence, accache.driver\n"
        "sys.exit('sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


LEAVES = st.one_of(st.integers(-4, 4).map(lit), st.sampled_from("ijn").map(var))


def combine(below):
    return st.one_of(
        st.builds(bin_, below, st.sampled_from(["+", "-", "*", "/"]), below),
        below.map(neg),
        below.map(lambda operand: cast(INT, operand)),
    )


EXPRESSIONS = st.recursive(LEAVES, combine, max_leaves=8)


def run(expr, values):
    """What C computes; None after a division by zero."""
    if hasattr(expr, "value"):
        return expr.value
    if hasattr(expr, "name"):
        return values[expr.name]
    if not hasattr(expr, "left"):
        operand = run(expr.operand, values)
        return operand if operand is None or not isinstance(expr, Unary) else -operand
    a, b = run(expr.left, values), run(expr.right, values)
    if a is None or b is None or (expr.op == "/" and b == 0):
        return None
    if expr.op == "/":
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return {"+": a + b, "-": a - b, "*": a * b}[expr.op]


@given(EXPRESSIONS, st.fixed_dictionaries({name: st.integers(-5, 5) for name in "ijn"}))
def test_polynomials_compute_what_c_computes(expr, values):
    p, value = polynomial_of(expr), run(expr, values)
    if p is not None and value is not None:
        assert p.evaluate(values) == value


@settings(max_examples=200)
@given(EXPRESSIONS)
def test_sympy_agrees(expr):
    form = affine_form(expr, "i")
    assert sympy_affine_form(expr, "i") == form
    if form is not None:
        assert form.to_polynomial() == polynomial_of(expr)
