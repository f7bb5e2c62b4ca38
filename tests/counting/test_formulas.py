"""Counts: closed forms have the values of brute force and of the old formulas, and what is proved of them holds."""

from __future__ import annotations

from types import ModuleType

import old_formulas
import pytest
from formula_values import evaluate
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from accache.counting import algebra, closed_forms, formulas
from accache.counting.formulas import Count, as_count, fixed, greater, least, plus, product, rounds, total
from accache.ir.polynomial import Polynomial

VARIABLE, J, N, M = (Polynomial.symbol(name) for name in "ijnm")
POLYNOMIALS = st.dictionaries(
    st.lists(st.sampled_from("ijnm"), max_size=2).map(tuple), st.integers(-6, 6), max_size=3
).map(lambda terms: Polynomial.of(terms.items()))
FIRSTS = st.sampled_from([Polynomial(), M, N, M - 3])
SPANS = st.sampled_from([N, N + M, Polynomial.constant(9), Polynomial.constant(1), M])
STEPS = st.sampled_from([1, 4, -3, 2])
VALUES = st.fixed_dictionaries(
    {"i": st.integers(1, 3), "j": st.integers(1, 5)} | dict.fromkeys("nm", st.integers(1, 24))
)

# A recipe says how a count is made, by the old formulas or by the new.
RECIPES = st.recursive(
    POLYNOMIALS.map(lambda value: ("polynomial", value)),
    lambda inner: st.one_of(
        st.tuples(st.just("plus"), inner, inner),
        st.tuples(st.just("product"), inner, inner),
        st.tuples(st.just("least"), inner, inner),
        st.tuples(st.just("rounds"), inner, st.integers(-16, 300).filter(bool)),
        st.tuples(st.just("total"), FIRSTS, SPANS, STEPS, inner),
    ),
    max_leaves=4,
)


def made(recipe: tuple, by: ModuleType) -> Count:
    """What a module makes of a recipe; the variable of sums is i."""
    kind, *parts = recipe
    if kind == "polynomial":
        return by.as_count(parts[0])
    if kind == "rounds":
        return by.rounds(made(parts[0], by), parts[1])
    if kind == "total":
        first, span, step, body = parts
        return by.total("i", first, by.as_count(span), step, body=made(body, by))
    sides = [made(part, by) for part in parts]
    return by.least(tuple(sides)) if kind == "least" else getattr(by, kind)(*sides)


@given(RECIPES, VALUES)
@settings(max_examples=50, deadline=None)
def test_closed_forms_have_the_values_of_the_old_formulas(recipe: tuple, values: dict[str, int]) -> None:
    count = made(recipe, formulas)
    expected = made(recipe, old_formulas).evaluate(values)
    assert count.evaluate(values) == expected
    assert evaluate(algebra.closed_form(count), values) == expected
    assert evaluate(formulas.plain(str(count)), values) == expected


@given(RECIPES, FIRSTS, SPANS, STEPS, VALUES)
@settings(max_examples=40, deadline=None)
def test_sums_are_those_of_brute_force(
    recipe: tuple, first: Polynomial, span: Polynomial, step: int, values: dict[str, int]
) -> None:
    body = made(recipe, formulas)
    found = total("i", first, as_count(span), step, body=body)
    start, steps = first.evaluate(values), -(-span.evaluate(values) // abs(step))
    expected = sum(body.evaluate({**values, "i": start + step * k}) for k in range(steps))
    assert found.evaluate(values) == expected == evaluate(algebra.closed_form(found), values)


def test_the_quotient_of_an_even_extreme_is_rounded() -> None:
    """Sympy takes a sixth of any even integer for one: the sum was a polynomial."""
    sixths = rounds(least((as_count(0), as_count(-2 * VARIABLE))), 6)
    text = algebra.closed_form(total("i", Polynomial(), as_count(N), 1, body=sixths))
    for n in range(1, 9):
        assert evaluate(text, {"n": n}) == sum(-(2 * i // 6) for i in range(n))


@given(st.integers(1, 9), st.integers(1, 7), st.integers(-2, 2), st.integers(1, 3))
@settings(deadline=None, max_examples=40)
def test_nests_of_loops_run_as_often_as_counted(n: int, m: int, slope: int, step: int) -> None:
    length = slope * VARIABLE + 3 * N  # at least 1 where i < n
    inner = total("j", Polynomial(), rounds(as_count(length), 2), 1, body=as_count(J + 1))
    counted = total("i", Polynomial(), as_count(N), step, body=product(inner, as_count(M)))
    times = 0
    for i in range(0, n, step):
        for j in range(-(-(slope * i + 3 * n) // 2)):
            for _ in range(m):
                times += j + 1
    assert evaluate(algebra.closed_form(counted), {"n": n, "m": m}) == times


@given(RECIPES, RECIPES, st.lists(st.sampled_from([N - 2, N - M, M - 3]), max_size=2), VALUES)
@settings(max_examples=40, deadline=None)
def test_what_is_proved_holds(first: tuple, second: tuple, facts: list[Polynomial], values: dict[str, int]) -> None:
    sides = made(first, formulas), made(second, formulas)
    assume(all(fact.evaluate(values) > 0 for fact in facts) and values["i"] > 0)
    if algebra.never_less(*sides, facts):
        assert sides[0].evaluate(values) >= sides[1].evaluate(values)


STRIPS = total("i", Polynomial(), as_count(N), 256, body=least((as_count(256), as_count(N - VARIABLE))))
LONGEST = product(as_count(256), rounds(as_count(N), 256))


@pytest.mark.parametrize(
    ("first", "second", "facts"),
    [
        (as_count(256 * N), LONGEST, ()),
        (as_count(3 * M - 6), plus(as_count(M - 2), product(as_count(2), rounds(as_count(M - 2), 32))), (M - 2,)),
        (as_count(512 * M), plus(least((as_count(256), as_count(256 * M))), as_count(256)), ()),
        (as_count(N), as_count(M + 1), (N - M,)),
        (LONGEST, as_count(N), ()),
        (total("i", Polynomial(), as_count(N), 1, body=as_count(VARIABLE + 1)), as_count(N), ()),
        (greater(as_count(N), as_count(2 * M)), as_count(N), ()),
        (STRIPS, as_count(N), ()),
    ],
)
def test_proofs(first: Count, second: Count, facts: tuple[Polynomial, ...]) -> None:
    assert closed_forms.never_less(first, second, facts)
    assert not closed_forms.never_less(second, plus(first, as_count(1)), facts)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (as_count(512 * N), as_count(256 * N + 257)),  # not for n = 1
        (as_count(N), as_count(M)),
        (as_count(fixed("i_first")), as_count(0)),  # a loop may start below zero
        (as_count(N - 1), as_count(1)),
        (product(as_count(N - M), rounds(as_count(N), 16)), as_count(0)),  # the factor of what is rounded has any sign
        (product(rounds(as_count(N), 16), rounds(as_count(N), 16)), rounds(as_count(N), 16)),  # true, but not found
    ],
)
def test_what_depends_on_sizes_has_no_proof(first: Count, second: Count) -> None:
    assert not closed_forms.never_less(first, second, ())


def test_the_greater_of_counts_that_differ_by_a_constant() -> None:
    assert greater(as_count(N), as_count(N - 2)) == greater(as_count(N - 2), as_count(N)) == as_count(N)
    assert greater(as_count(3), as_count(0)) == as_count(3)


@given(RECIPES, RECIPES, VALUES)
@settings(deadline=None, max_examples=50)
def test_the_greater_count_is_the_greater(first: tuple, second: tuple, values: dict[str, int]) -> None:
    sides = made(first, formulas), made(second, formulas)
    assert greater(*sides).evaluate(values) == max(side.evaluate(values) for side in sides)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (plus(product(as_count(2 * M), as_count(N - 2)), as_count(N - 2)), "(2*m + 1)*(n - 2)"),
        (plus(as_count(N - 2), product(as_count(2), rounds(as_count(N - 2), 256))), "n - 2 + 2*ceil((n - 2)/256)"),
        (total("i", Polynomial(), as_count(N), 1, body=as_count(VARIABLE)), "n*(n - 1)/2"),
        (total("i", N, as_count(N), -1, body=as_count(VARIABLE * VARIABLE)), "n*(n + 1)*(2*n + 1)/6"),
        (total("i", Polynomial(), as_count(4), 1, body=as_count(VARIABLE + J)), "2*(2*j + 3)"),
        (total("i", fixed("i_first"), as_count(256), 1, body=as_count(VARIABLE + 1)), "128*(2*i_first + 257)"),
        (rounds(rounds(as_count(N), 16), 16), "ceil(n/256)"),
        (product(as_count(M - 2), plus(rounds(as_count(N), 16), as_count(2))), "(ceil(n/16) + 2)*(m - 2)"),
        (product(rounds(as_count(N), 16), rounds(as_count(N), 16)), "ceil(n/16)*ceil(n/16)"),
        (as_count(N * N * N - M * M), "n*n*n - m*m"),
        (as_count(N * N * N * N - M), "n**4 - m"),
        (
            total("i", Polynomial(), as_count(3), 1, body=rounds(as_count(N + VARIABLE), 2)),
            "1 + ceil((n + 1)/2) + 2*ceil(n/2)",
        ),
        (
            total("i", Polynomial(), as_count(N), 1, body=total("j", M, as_count(VARIABLE + M), 1, body=as_count(J))),
            "n*(3*m + n - 2)*(3*m + n - 1)/6",
        ),
        (greater(as_count(256 * N), as_count(512 * N)), "512*n"),
        (greater(as_count(N), as_count(2 * M)), "max(2*m, n)"),
        (STRIPS, "n"),
        (total("i", M, as_count(N - M), 256, body=least((as_count(256), as_count(N - VARIABLE)))), "n - m"),
        (
            total("i", M, as_count(N), 256, body=least((as_count(256), as_count(N - VARIABLE)))),
            "sum(min(256, n - i) for i in range(m, m + n, 256))",
        ),
    ],
)
def test_spelling(count: Count, text: str) -> None:
    assert closed_forms.closed_form(count) == text


def test_names_are_replaced_in_sums_apart_from_their_variable() -> None:
    count = total("i", N, as_count(M), 2, body=as_count(VARIABLE * M))
    found = count.substitute({"n": N + 1, "m": 3 * M, "i": J})
    assert found.names == {"n", "m"}
    assert found.evaluate({"n": 4, "m": 5}) == sum(i * 15 for i in range(5, 20, 2))
