from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from trees import symbols

from accache.analysis.ranges import (
    Facts,
    Interval,
    bounds,
    is_nonnegative,
    is_positive,
    loop_interval,
)
from accache.ir.polynomial import ZERO, Polynomial

i, j, k, m, n = symbols("ijkmn")
between = Interval.between
GRID = Facts.of({"i": between(1, n - 2), "j": between(0, m - 1)})


def constant(value):
    return Polynomial.constant(value)


@given(
    st.integers(-9, 9),
    st.sampled_from(["<", "<=", ">", ">=", "!="]),
    st.integers(-2, 30),
    st.integers(-9, 9).filter(bool),
)
@settings(max_examples=400)
def test_loop_intervals_are_exact_for_constants(first, operator, distance, step):
    limit = first + distance if step > 0 else first - distance
    compare = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__, "!=": int.__ne__}[operator]
    values, value = [], first
    while compare(value, limit) and len(values) < 50:
        values.append(value)
        value += step
    interval = loop_interval(constant(first), operator, constant(limit), step)
    if len(values) == 50:
        assert operator == "!=" or interval.low is None or interval.high is None
    elif not values:
        assert interval.extent is None or interval.extent.constant_value <= 0
    elif interval.low is None or interval.high is None:
        assert (operator[0] == "<") != (step > 0)
    else:
        assert (interval.low.constant_value, interval.high.constant_value) == (min(values), max(values))


@pytest.mark.parametrize(
    ("first", "operator", "limit", "step", "low", "high"),
    [
        (ZERO, "<", n, 1, ZERO, n - 1),
        (i - 1, "<=", i + 1, 1, i - 1, i + 1),
        (n - 1, ">=", ZERO, -1, ZERO, n - 1),
        (n, ">", ZERO, -1, constant(1), n),
        (ZERO, "!=", n, 1, ZERO, n - 1),
        (n, "!=", ZERO, -1, constant(1), n),
        (ZERO, "<", n, 2, ZERO, n - 1),
        (ZERO, "<", 2 * n, 2, ZERO, 2 * n - 2),
        (ZERO, "!=", n, 2, ZERO, n - 2),
        (ZERO, ">", n, 1, ZERO, None),
        (n, "<", ZERO, -1, None, n),
        (n, "<", m, 0, n, n),
    ],
)
def test_loop_intervals(first, operator, limit, step, low, high):
    assert loop_interval(first, operator, limit, step) == Interval(low, high)


def test_bounds_of_a_window_do_not_mention_its_centre():
    facts = Facts.of({"i": between(1, n - 2), "j": between(i - 1, i + 1)})
    assert bounds(j - (i - 1), facts) == between(0, 2)
    assert bounds(j, facts) == between(0, n - 1)
    assert bounds(j, facts, frozenset("j")) == Interval(i - 1, i + 1)


def test_bounds_of_a_flat_index():
    assert bounds(i * m + j, GRID) == Interval(m, (n - 1) * m - 1)
    assert bounds(n - i, GRID) == Interval(constant(2), n - 1)


def test_the_order_of_facts_does_not_matter():
    facts = Facts.of({"j": between(i - 1, i + 1), "i": between(1, n - 2)})
    assert bounds(j, facts) == between(0, n - 1)


def test_unknown_ends_and_signs_give_no_bound():
    facts = Facts.of({"i": between(0, None), "j": between(0, 9)})
    assert bounds(i + j, facts) == between(0, None)
    assert bounds(j - i, facts) == between(None, 9)
    assert bounds(n * j, facts) == Interval()
    assert bounds(n * j, facts.assuming(n)) == Interval(ZERO, 9 * n)
    assert bounds(n * j, facts.assuming(-n)) == Interval(9 * n, ZERO)


def test_powers_are_bounded_where_monotone():
    assert bounds(i * i + i, Facts.of({"i": between(2, 5)})) == between(6, 30)
    assert bounds(i * i, Facts.of({"i": between(-2, 5)})) == Interval()


def test_circular_facts_end():
    facts = Facts.of({"i": between(j * j + 1, k), "j": between(i * i + 1, i * k), "k": between(i * j, i)})
    assert not is_nonnegative(i * j * k - n, facts)


@pytest.mark.parametrize(
    ("polynomial", "facts"),
    [
        (constant(0), Facts()),
        (n - 1, Facts((), (n - 1,))),
        (2 * n - 1, Facts((), (n - 1,))),
        (n - m + 1, Facts((), (n - k, k - m))),
        (n * m, Facts((), (n, m))),
        (n * m - n, Facts((), (n, m - 1))),
        (m - 1, GRID),
        (i * m + j - m, GRID),
        (n * m - 1 - i * m - j, GRID),
        (m * (n - i) - j, GRID),
        (i * j, GRID),
        (i - j, Facts.of({"i": between(0, n), "j": between(0, i)})),
        ((n - i) * j, Facts.of({"i": between(0, n - 1), "j": between(0, m - 1)})),
        (i * i - 4, Facts.of({"i": between(2, None)})),
        (n - i, Facts.of({"i": between(0, None)}, [n - i - 2])),
    ],
)
def test_nonnegative(polynomial, facts):
    assert is_nonnegative(polynomial, facts)


@pytest.mark.parametrize(
    ("polynomial", "facts"),
    [
        (constant(-1), Facts()),
        (n, Facts()),
        (n - 2, Facts((), (n - 1,))),
        (n * m, Facts((), (n,))),
        (i * m - m - 1, GRID),
        (n * m - i * m - j - m - 2, GRID),
        (i - j, Facts.of({"i": between(0, n), "j": between(0, n)})),
        (i, Facts.of({"i": between(None, 5)})),
    ],
)
def test_not_proved_nonnegative(polynomial, facts):
    assert not is_nonnegative(polynomial, facts)


def test_positive_is_at_least_one():
    assert is_positive(n, Facts((), (n - 1,)))
    assert not is_positive(n, Facts((), (n,)))


def test_an_index_of_a_grid_stays_between_its_ends():
    index = i * m + j
    assert is_nonnegative(index - m, GRID)
    assert is_nonnegative(n * m - m - 1 - index, GRID)
    assert not is_nonnegative(index - m - 1, GRID)
    assert not is_nonnegative(n * m - m - 2 - index, GRID)


def test_a_row_is_not_left():
    first = i * m
    assert is_nonnegative(i * m + j - first, GRID)
    assert is_nonnegative(first + m - 1 - (i * m + j), GRID)
    assert not is_nonnegative(first + m - 1 - (i * m + j + 1), GRID)


def test_facts_are_replaced_not_added():
    facts = GRID.with_interval("j", between(3, 4))
    assert facts.interval("j") == between(3, 4)
    assert facts.interval("x") == Interval()
    assert facts.names == {"i", "j"}
    assert hash(facts) != hash(GRID)


def test_extent():
    assert between(i - 1, i + 1).extent == constant(3)
    assert between(None, 3).extent is None


SMALL = range(-3, 5)
LINEAR = st.builds(lambda a, b, c: a * n + b * i + c, st.integers(-1, 1), st.integers(-1, 1), st.integers(-2, 2))
OUTER = st.builds(lambda a, c: a * n + c, st.integers(-1, 1), st.integers(-2, 2))
TERM = st.tuples(st.lists(st.sampled_from("ijn"), max_size=2).map(tuple), st.integers(-3, 3))
POLYNOMIALS = st.lists(TERM, max_size=4).map(Polynomial.of)


def maybe(ends):
    return st.one_of(ends, ends, ends, st.none())


FACTS = st.builds(
    lambda a, b, c, d, known: Facts.of({"i": Interval(a, b), "j": Interval(c, d)}, known),
    maybe(OUTER),
    maybe(OUTER),
    maybe(LINEAR),
    maybe(LINEAR),
    st.lists(LINEAR, max_size=2),
)


def points(facts):
    """The small points at which the facts hold."""
    for values in product(SMALL, repeat=3):
        point = dict(zip("ijn", values, strict=True))
        known = [part for name in "ij" for part in facts.interval(name).nonnegative(Polynomial.symbol(name))]
        if all(part.evaluate(point) >= 0 for part in (*known, *facts.assumptions)):
            yield point


@settings(max_examples=250)
@given(POLYNOMIALS, FACTS)
def test_bounds_hold_everywhere(polynomial, facts):
    found = bounds(polynomial, facts)
    assert not found.names & {"i", "j"}
    for point in points(facts):
        value = polynomial.evaluate(point)
        assert found.low is None or found.low.evaluate(point) <= value
        assert found.high is None or found.high.evaluate(point) >= value


@settings(max_examples=250)
@given(POLYNOMIALS, FACTS)
def test_nonnegative_is_never_claimed_wrongly(polynomial, facts):
    values = [polynomial.evaluate(point) for point in points(facts)]
    assume(values)
    for shift in (min(values), min(values) - 1):
        if is_nonnegative(polynomial - shift, facts):
            assert shift <= min(values)
    assert not is_nonnegative(polynomial - min(values) - 1, facts)


@settings(max_examples=150)
@given(FACTS)
def test_refuting_points_satisfy_the_facts(facts):
    parts = [part for name in "ij" for part in facts.interval(name).nonnegative(Polynomial.symbol(name))]
    assert not any(facts.refute(part) for part in (*parts, *facts.assumptions))
