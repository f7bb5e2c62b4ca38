"""Counts: what they print is a Python expression with their value, and sums are those of brute force."""

from __future__ import annotations

from itertools import product as every

import pytest
from sample_reports import evaluate

from accache.counting.formulas import Count, as_count, greater, least, plus, product, rounds, total
from accache.ir.polynomial import Polynomial

VARIABLE, J, N, M = (Polynomial.symbol(name) for name in "ijnm")
POINTS = [dict(zip("ijnm", values, strict=True)) for values in every((0, 3), (1, 5), (2, 7, 48), (1, 33))]
COUNTS = [
    as_count(0),
    as_count(-3),
    as_count(N - 2),
    as_count(3 * N - 6),
    as_count(2 * N * M),
    rounds(as_count(N - 2), 256),
    rounds(rounds(as_count(N + M), 7), -3),
    plus(as_count(N), as_count(4 - N)),
    plus(product(as_count(2 * M), as_count(N - 2)), as_count(N - 2)),
    plus(rounds(as_count(N), 16), product(as_count(-5), rounds(as_count(N), 16)), as_count(M)),
    product(plus(as_count(N), rounds(as_count(N), 16)), plus(as_count(M), rounds(as_count(M), 16)), as_count(7)),
    least((as_count(16), as_count(N - VARIABLE), as_count(30))),
    product(as_count(-1), least((as_count(M), as_count(N - VARIABLE)))),
]


@pytest.mark.parametrize("count", COUNTS, ids=str)
@pytest.mark.parametrize("values", POINTS, ids=str)
def test_text_is_a_python_expression_of_the_value(count: Count, values: dict[str, int]) -> None:
    assert evaluate(str(count), values) == count.evaluate(values)


@pytest.mark.parametrize("body", COUNTS, ids=str)
@pytest.mark.parametrize(
    ("first", "span", "step"), [(N - N, N, 1), (M, N, 4), (N, N, -3), (N, Polynomial.constant(9), 2)]
)
def test_sums_are_those_of_brute_force(body: Count, first: Polynomial, span: Polynomial, step: int) -> None:
    found = total("i", first, as_count(span), step, body)
    for values in POINTS:
        start, steps = first.evaluate(values), -(-span.evaluate(values) // abs(step))
        expected = sum(body.evaluate({**values, "i": start + step * k}) for k in range(steps))
        assert found.evaluate(values) == expected == evaluate(str(found), values)


def test_the_greater_count_is_a_bound_of_both() -> None:
    assert greater(as_count(N), as_count(N - 2)) == greater(as_count(N - 2), as_count(N)) == as_count(N)
    assert greater(as_count(3), as_count(0)) == as_count(3)
    for first, second in every(COUNTS, COUNTS):
        found = greater(first, second)
        for values in POINTS:
            sides = first.evaluate(values), second.evaluate(values)
            assert found.evaluate(values) in (max(sides), sum(sides))


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
