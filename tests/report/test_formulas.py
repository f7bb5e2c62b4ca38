"""Counts: what they print is a Python expression with their value, and sums are those of brute force."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_reports import evaluate

from accache.counting.formulas import Count, as_count, greater, least, plus, product, rounds, total
from accache.ir.polynomial import Polynomial

VARIABLE, J, N, M = (Polynomial.symbol(name) for name in "ijnm")
POLYNOMIALS = st.dictionaries(
    st.lists(st.sampled_from("ijnm"), max_size=2).map(tuple), st.integers(-6, 6), max_size=3
).map(lambda terms: Polynomial.of(terms.items()))


def compound(counts: st.SearchStrategy[Count]) -> st.SearchStrategy[Count]:
    """Counts made of others in each way there is but sums."""
    steps = st.integers(-16, 300).filter(bool)
    several = st.lists(counts, min_size=2, max_size=3)
    return st.one_of(
        several.map(lambda parts: plus(*parts)),
        several.map(lambda parts: product(*parts)),
        several.map(lambda parts: least(tuple(parts))),
        st.builds(rounds, counts, steps),
    )


COUNTS = st.recursive(POLYNOMIALS.map(as_count), compound, max_leaves=4)
VALUES = st.fixed_dictionaries(
    {"i": st.integers(0, 3), "j": st.integers(1, 5)} | dict.fromkeys("nm", st.integers(1, 48))
)


@given(COUNTS, VALUES)
@settings(max_examples=400)
def test_text_is_a_python_expression_of_the_value(count: Count, values: dict[str, int]) -> None:
    assert evaluate(str(count), values) == count.evaluate(values)


@given(
    COUNTS,
    st.sampled_from([N - N, M, N, M - 3]),
    st.sampled_from([N, N + M, Polynomial.constant(9), Polynomial.constant(1)]),
    st.sampled_from([1, 4, -3, 2]),
    VALUES,
)
@settings(max_examples=300)
def test_sums_are_those_of_brute_force(
    body: Count, first: Polynomial, span: Polynomial, step: int, values: dict[str, int]
) -> None:
    found = total("i", first, as_count(span), step, body)
    start, steps = first.evaluate(values), -(-span.evaluate(values) // abs(step))
    expected = sum(body.evaluate({**values, "i": start + step * k}) for k in range(steps))
    assert found.evaluate(values) == expected == evaluate(str(found), values)


def test_the_greater_of_counts_that_differ_by_a_constant() -> None:
    assert greater(as_count(N), as_count(N - 2)) == greater(as_count(N - 2), as_count(N)) == as_count(N)
    assert greater(as_count(3), as_count(0)) == as_count(3)


@given(COUNTS, COUNTS, VALUES)
def test_the_greater_count_is_a_bound_of_both(first: Count, second: Count, values: dict[str, int]) -> None:
    sides = first.evaluate(values), second.evaluate(values)
    assert greater(first, second).evaluate(values) in (max(sides), sum(sides))


def test_a_strip_mined_loop_covers_all_there_is() -> None:
    inner = least((as_count(256), as_count(N - VARIABLE)))
    assert str(total("i", Polynomial(), as_count(N), 256, inner)) == "n"
    assert str(total("i", M, as_count(N - M), 256, inner)) == "n - m"
    assert "sum(" in str(total("i", M, as_count(N), 256, inner))


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (plus(product(as_count(2 * M), as_count(N - 2)), as_count(N - 2)), "(2*m + 1)*(n - 2)"),
        (plus(as_count(N - 2), product(as_count(2), rounds(as_count(N - 2), 256))), "n - 2 + 2*ceil((n - 2)/256)"),
        (total("i", Polynomial(), as_count(N), 1, as_count(VARIABLE)), "sum(i for i in range(0, n))"),
        (total("i", N, as_count(N), -1, as_count(VARIABLE * VARIABLE)), "sum(i*i for i in range(n, 0, -1))"),
        (total("i", Polynomial(), as_count(4), 1, as_count(VARIABLE + J)), "2*(2*j + 3)"),
    ],
)
def test_spelling(count: Count, text: str) -> None:
    assert str(count) == text
