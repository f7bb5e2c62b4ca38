import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from trees import symbols

from accache.ir.polynomial import ONE, ZERO, Polynomial

i, j, m, n, w, x = symbols("ijmnwx")
TERMS = st.tuples(st.lists(st.sampled_from("ijn"), max_size=3).map(tuple), st.integers(-5, 5))
POLYNOMIALS = st.lists(TERMS, max_size=5).map(Polynomial.of)
POINTS = st.fixed_dictionaries({name: st.integers(-6, 6) for name in "ijn"})


def to_sympy(p):
    return sum((c * sympy.prod([sympy.Symbol(s) for s in mono]) for mono, c in p.terms), start=sympy.Integer(0))


@pytest.mark.parametrize(
    ("polynomial", "text"),
    [
        (ZERO, "0"),
        (ONE * -3, "-3"),
        (i - 1, "i - 1"),
        (2 * i + 1, "2*i + 1"),
        (n * m - 1, "m*n - 1"),
        (n - i, "n - i"),
        (1 - i, "1 - i"),
        (-i - 1, "-i - 1"),
        (-2 * i * j + 3 * i - n, "3*i - 2*i*j - n"),
        (i * i * 4, "4*i*i"),
        (j + i, "i + j"),
    ],
)
def test_c_text(polynomial, text):
    assert polynomial.to_c() == text


@pytest.mark.parametrize(
    ("polynomial", "text"),
    [
        (256 * i + j - 100, "256*(long)i + j - 100"),
        (j - 5, "(long)j - 5"),
        (9 - i - j, "9 - (long)i - j"),
        (i * m - 1, "(long)i*m - 1"),
        (n - 1, "(long)n - 1"),
        (1 - n, "1 - n"),
        (n, "n"),
        (2 * n, "2*(long)n"),
        (2 * n + m, "m + 2*(long)n"),
        (n + m, "(long)m + n"),
        (n + w, "n + w"),
        (w - 2 * n, "w - 2*(long)n"),
        (w - n - m, "w - m - n"),
        (m + n + w, "(long)m + n + w"),
        (n * w - 3 * w, "n*w - 3*w"),
        (3 * n * w, "3*(long)n*w"),
        (m * n * w, "(long)m*n*w"),
        (3 * w * x, "3*w*x"),
        (n * m + i, "(long)m*n + i"),
        (3 * j, "3*(long)j"),
        (-j, "-(long)j"),
        (w + i, "(long)i + w"),
        (j + w, "(long)j + w"),
    ],
)
def test_c_text_in_a_wider_type(polynomial, text):
    assert polynomial.to_c("long", frozenset(("i", "j")), frozenset(("w",))) == text


def test_no_negative_number_meets_an_unsigned_position():
    assert (-3 * i - 5).to_c("", frozenset("i")) == "-(3*i) - 5"
    assert (-3 * i - 5).to_c() == "-3*i - 5"
    assert (-i - 5).to_c("", frozenset("i")) == "-i - 5"


def test_canonical_form_is_hashable_and_equal():
    assert (i + 1) * (i - 1) == i * i - 1
    assert len({(i + j) * m, j * m + m * i, i * m + j * m}) == 1
    assert i - i == ZERO == Polynomial.constant(0)
    assert 3 - i == -(i - 3)


def test_constants():
    assert (i * 0 + 7).constant_value == 7
    assert ZERO.constant_value == 0
    assert (i + 7).constant_value is None
    assert (i + 7).constant_term == 7
    assert i.constant_term == 0


def test_degrees_and_coefficients():
    p = 2 * i * m + 3 * i + j * j + 5
    assert p.names == {"i", "m", "j"}
    assert (p.degree("i"), p.degree("j"), p.degree("x"), p.total_degree) == (1, 2, 0, 2)
    assert p.coefficient("i") == 2 * m + 3
    assert p.coefficient("j") is None
    assert p.coefficient("x") == ZERO
    assert p.without("i") == j * j + 5
    assert (6 * i - 4).content == 2


def test_substitution_is_simultaneous():
    assert (i - j).substitute({"i": j, "j": i}) == j - i
    assert (i * i).substitute({"i": n - 1}) == n * n - 2 * n + 1


def test_evaluation_needs_every_symbol():
    with pytest.raises(KeyError, match="n"):
        (i * n).evaluate({"i": 1})


@pytest.mark.parametrize(
    ("dividend", "divisor", "quotient"),
    [
        (4 * i, 2, 2 * i),
        (4 * i + 2, 4, None),
        (2 * i * n, n, 2 * i),
        (i * i - 1, i - 1, i + 1),
        (i * i - 2, i - 1, None),
        (i * (n + 2), n + 2, i),
        (i, i * i, None),
        (ZERO, i, ZERO),
        (i, 0, None),
        (ONE, 2, None),
    ],
)
def test_exact_division(dividend, divisor, quotient):
    assert dividend.divided_by(divisor) == quotient


@given(POLYNOMIALS, POLYNOMIALS, POINTS)
def test_arithmetic_is_that_of_the_values(p, q, point):
    a, b = p.evaluate(point), q.evaluate(point)
    assert (p + q).evaluate(point) == a + b
    assert (p - q).evaluate(point) == a - b
    assert (p * q).evaluate(point) == a * b
    assert eval(p.to_c(), {}, dict(point)) == a


@given(POLYNOMIALS, POLYNOMIALS)
def test_arithmetic_agrees_with_sympy(p, q):
    assert sympy.expand(to_sympy(p) * to_sympy(q) - to_sympy(p * q - p + p)) == 0
    assert (p == q) == (sympy.expand(to_sympy(p) - to_sympy(q)) == 0)


@given(POLYNOMIALS, POLYNOMIALS)
def test_division_finds_every_quotient(p, q):
    if q.terms:
        assert (p * q).divided_by(q) == p
        found = p.divided_by(q)
        assert found is None or found * q == p


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS, POINTS)
def test_substitution_then_evaluation(p, for_i, for_j, point):
    inner = {**point, "i": for_i.evaluate(point), "j": for_j.evaluate(point)}
    assert p.substitute({"i": for_i, "j": for_j}).evaluate(point) == p.evaluate(inner)


@given(POLYNOMIALS)
def test_powers_add_up(p):
    assert sum((p.power_coefficient("i", k) * _power(k) for k in range(4)), start=ZERO) == p


def _power(k):
    return ONE if k == 0 else i * _power(k - 1)
