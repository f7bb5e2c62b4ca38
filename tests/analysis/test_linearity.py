"""Linearity in sympy's algebra against brute force and against the integer polynomials."""

import pytest
from affine_forms import affine_form
from hypothesis import given, settings
from hypothesis import strategies as st

from accache.analysis.linearity import (
    algebra,
    from_sympy,
    get_linear_params,
    is_linear,
    linear_form,
    shared_extent,
    symbol,
    to_sympy,
)
from accache.ir.polynomial import Polynomial

sympy = algebra()
i, j, n, m = map(symbol, "ijnm")
floor, Mod, Min, Max = sympy.floor, sympy.Mod, sympy.Min, sympy.Max


@pytest.mark.parametrize(
    ("lower", "rate", "offset"),
    [
        (i, 1, 0),
        (2 * i + 1, 2, 1),
        (3 * i + 4, 3, 4),
        (n * i - m, n, -m),
        ((n + 1) * (i + m), n + 1, n * m + m),
        (2 * i * n / n, 2, 0),
        (floor((4 * i + m) / sympy.Integer(4)), 1, floor(m / 4)),
        (floor((2 * i * n + m) / n), 2, floor(m / n)),
        (Min(i + 3, i + n), 1, Min(3, n)),
        (Max(n * i, n * i + m), n, Max(0, m)),
        (i + Mod(i * n + m, n), 1, Mod(m, n)),
        (floor(Min(2 * i, 2 * i + n) / 2), 1, floor(Min(0, n) / 2)),
        (i + Mod(Max(4 * i, 4 * i + n), 4), 1, Mod(Max(0, n), 4)),
        (i + j - j, 1, 0),
    ],
)
def test_rate_and_offset_of_one_variable(lower, rate, offset):
    params = get_linear_params(lower, (i, j))
    assert params.variable == i
    assert sympy.expand(params.rate - rate) == 0
    assert sympy.expand(params.offset - offset) == 0


@pytest.mark.parametrize(
    "lower", [i * i, i + i * i, i * j, floor(i / 2), Mod(i, 4), Min(i, n), 2**i, i + j, n, i - i, abs(i)]
)
def test_what_is_not_linear_in_one_variable(lower):
    assert get_linear_params(lower, (i, j)) is None


def test_several_variables_at_once():
    form = linear_form(n * i + Min(j, j + m) + 5, (i, j))
    assert form.rates == ((i, n), (j, 1))
    assert form.offset == Min(0, m) + 5


@pytest.mark.parametrize(("step", "counted"), [(1, True), (-7, True), (n, True), (0, False), (i, False), (j, False)])
def test_the_loops_step_has_to_be_known(step, counted):
    assert is_linear(2 * i, (i, j), {i: step}) is counted


def test_a_loop_that_is_not_counted():
    assert not is_linear(i, (i, j), {j: 1})


NAMES = "ijnm"
POLYNOMIALS = st.lists(
    st.tuples(st.lists(st.sampled_from(NAMES), max_size=3).map(tuple), st.integers(-5, 5)), max_size=5
).map(Polynomial.of)
VALUES = st.fixed_dictionaries({name: st.integers(-6, 6) for name in NAMES})


@settings(max_examples=150, deadline=None)
@given(POLYNOMIALS)
def test_integer_polynomials_give_the_same_answers(polynomial):
    assert from_sympy(to_sympy(polynomial)) == polynomial
    ours, theirs = affine_form(polynomial, "i"), linear_form(to_sympy(polynomial), (i,))
    assert (ours is None) == (theirs is None)
    if ours is not None:
        assert to_sympy(ours.rate) == dict(theirs.rates).get(i, 0)
        assert from_sympy(theirs.offset) == ours.offset


LINEAR = st.builds(lambda a, b, c, d: a * i + b * j + c * n + d, *[st.integers(-4, 4)] * 4)


def combined(below):
    divisor = st.integers(1, 4)
    return st.one_of(
        st.builds(lambda a, b: a + b, below, below),
        st.builds(lambda a, k: a * k, below, st.sampled_from([-2, 3, n, m])),
        st.builds(lambda a, k: floor(a / k), below, divisor),
        st.builds(lambda a, k: Mod(a, k), below, divisor),
        st.builds(Min, below, below),
        st.builds(Max, below, below),
    )


@settings(max_examples=150, deadline=None)
@given(st.recursive(LINEAR, combined, max_leaves=4), VALUES)
def test_what_is_linear_computes_the_same_values(expr, values):
    form = linear_form(expr, (i, j))
    if form is None:
        return
    assert not form.offset.free_symbols & {i, j}
    at = {symbol(name): value for name, value in values.items()}
    written_out = form.offset + sum((rate * variable for variable, rate in form.rates), sympy.Integer(0))
    assert expr.subs(at) == written_out.subs(at)


@given(st.integers(-4, 4).filter(bool), st.integers(-3, 3).filter(bool), st.integers(1, 9), st.integers(1, 8))
def test_the_extent_spans_every_threads_elements(rate, step, length, width):
    lowers = [rate * step * thread for thread in range(width)]
    assert shared_extent(rate, step, length, width) == max(lowers) + length - min(lowers)


def test_a_symbolic_extent():
    assert shared_extent(n, 1, 3, 4) == 3 * sympy.Abs(n) + 3


@pytest.mark.parametrize("expr", [i / 2, floor(i / 2), 1 / i, 2**i])
def test_what_is_no_integer_polynomial(expr):
    assert from_sympy(expr) is None
