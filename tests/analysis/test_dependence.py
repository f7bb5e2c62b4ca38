from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import HERE, symbols

from accache.analysis.dependence import Reference, carried_dependence
from accache.analysis.ranges import Facts, Interval
from accache.ir.polynomial import Polynomial

i, j, k, m, n, q, t = symbols("ijkmnqt")
between = Interval.between
LINE = Facts.of({"i": between(0, n - 1)})
GRID = Facts.of({"i": between(0, n - 1), "j": between(0, m - 1)})
INSIDE = Facts.of({"i": between(1, n - 2), "j": between(1, m - 2)})
CUBE = Facts.of({"i": between(0, k - 1), "j": between(0, n - 1), "q": between(0, m - 1)})


def write(array, *subscripts):
    return Reference(array, subscripts, True, HERE)


def read(array, *subscripts):
    return Reference(array, subscripts, False, HERE)


def depends(variable, references, facts, inner="", step=1):
    return carried_dependence(variable, step, references, facts, inner=frozenset(inner)) is not None


C = Polynomial.constant


@pytest.mark.parametrize(
    ("name", "references", "facts", "expected"),
    [
        ("reads only", [read("a", i), read("a", i + 1), read("a", C(0))], LINE, False),
        ("other array", [write("a", i), read("b", i + 1)], LINE, False),
        ("scalar", [write("s")], LINE, True),
        ("unknown subscript", [write("a", None)], LINE, True),
        ("unknown read", [write("a", i), read("a", None)], LINE, True),
        ("same element", [write("a", i), read("a", i)], Facts(), False),
        ("one element", [write("a", C(3))], LINE, True),
        ("two constants", [write("a", i), read("b", C(1))], LINE, False),
        ("constant element read", [write("a", i), read("a", C(3))], LINE, True),
        ("constant element outside", [write("a", i), read("a", n)], LINE, False),
        ("constant element before", [write("a", i), read("a", C(-1))], LINE, False),
        ("neighbour", [write("a", i), read("a", i - 1)], LINE, True),
        ("parity", [write("a", 2 * i), read("a", 2 * i + 1)], LINE, False),
        ("gcd", [write("a", 4 * i), read("a", 6 * i + 3)], LINE, False),
        ("gcd meets", [write("a", 4 * i), read("a", 6 * i + 2)], LINE, True),
        ("symbolic offset", [write("a", i + t)], LINE, False),
        ("two symbolic offsets", [write("a", i + t), read("a", i + m)], LINE, True),
        ("beyond the loop", [write("a", i), read("a", i + n)], LINE, False),
        ("just within the loop", [write("a", i), read("a", i + n - 1)], LINE, True),
        ("mirror", [write("a", i), read("a", n - 1 - i)], LINE, True),
        ("mirror outside", [write("a", i), read("a", 2 * n - i)], LINE, False),
        ("unknown rate", [write("a", i * m)], LINE, True),
        ("known rate", [write("a", i * m)], LINE.assuming(m - 1), False),
        ("negative rate", [write("a", -2 * i)], LINE, False),
        ("square", [write("a", i * i)], LINE, False),
        ("square of a sign", [write("a", i * i)], Facts.of({"i": between(-3, 3)}), True),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_one_dimension(name, references, facts, expected):
    assert depends("i", references, facts) == expected


@given(st.integers(-4, 4), st.integers(-9, 9).filter(bool), st.integers(-30, 30))
@settings(max_examples=400)
def test_strong_siv(rate, step, offset):
    """``a[rate*i] = a[rate*i + offset]`` conflicts if the offset is a non-zero number of steps of up to the extent."""
    facts = Facts.of({"i": between(0, 21)})
    distances = [d for d in range(-21, 22) if d and d % step == 0]
    expected = rate == 0 or offset in [rate * d for d in distances]
    assert depends("i", [write("a", rate * i), read("a", rate * i + offset)], facts, step=step) == expected


def test_no_step_proves_nothing():
    assert depends("i", [write("a", i)], LINE, step=0)


def test_a_separating_dimension_suffices():
    assert not depends("i", [write("a", i, j), read("a", i, j + 1)], GRID, "j")
    assert depends("i", [write("a", i, j), read("a", i + 1, j)], GRID, "j")
    assert depends("j", [write("a", i, j), read("a", i, j + 1)], GRID)
    assert not depends("j", [write("a", i, j), read("a", i + 1, j)], GRID)
    assert not depends("i", [write("a", i, None), read("a", i, None)], GRID, "j")
    assert depends("i", [write("a", j, i + j)], GRID, "j")
    assert depends("i", [write("a", i, j), read("a", i)], GRID, "j")


def test_dimensions_may_separate_one_direction_each():
    references = [write("a", i, i), read("a", i + j, i - j)]
    assert not depends("i", references, Facts.of({"j": between(0, 5)}), "j")


@pytest.mark.parametrize("facts", [GRID, INSIDE])
@pytest.mark.parametrize(
    ("variable", "inner", "step", "flat", "expected"),
    [
        ("i", "j", 1, i * m + j, False),
        ("j", "", 1, i * m + j, False),
        ("i", "j", 1, i * m + j - m, True),
        ("j", "", 1, i * m + j - m, False),
        ("j", "", 1, i * m + j - 1, True),
        ("i", "j", 2, i * m + j - m, False),
        ("i", "j", 2, i * m + j + 3 * m, False),
        ("i", "j", 2, i * m + j + 2 * m, True),
        ("i", "j", -1, i * m + j, False),
    ],
)
def test_flat_matrix(facts, variable, inner, step, flat, expected):
    assert depends(variable, [write("b", i * m + j), read("b", flat)], facts, inner, step) == expected


def test_flat_matrix_needs_the_range_of_its_columns():
    wide = GRID.with_interval("j", between(0, m))
    assert depends("i", [write("b", i * m + j)], wide, "j")
    assert depends("i", [write("b", i * m + j)], LINE.assuming(m - 1), "j")
    assert not depends("i", [write("b", i * 64 + j)], GRID.with_interval("j", between(0, 63)), "j")
    assert depends("i", [write("b", i * 64 + j)], GRID.with_interval("j", between(0, 64)), "j")


@pytest.mark.parametrize(("variable", "inner"), [("i", "jq"), ("j", "q"), ("q", "")])
def test_flat_volume(variable, inner):
    assert not depends(variable, [write("b", (i * n + j) * m + q)], CUBE, inner)


def test_flat_volume_with_distant_planes():
    references = [write("b", (i * n + j) * m + q), read("b", ((i + 4) * n + j) * m + q)]
    assert not depends("i", references, CUBE, "jq", step=3)
    assert depends("i", references, CUBE, "jq", step=2)


def test_triangles():
    lower = Facts.of({"i": between(0, n - 1), "j": between(0, i - 1)})
    assert depends("i", [write("a", i), read("a", j)], lower, "j")
    assert not depends("i", [write("a", i, j)], lower, "j")
    assert not depends("i", [write("b", i * n + j)], lower, "j")
    assert depends("i", [write("b", j)], lower, "j")


def test_a_loop_that_may_be_empty_says_nothing_about_references_outside_of_it():
    """With m = 0 the loop over j never runs, and b[i*m] is one element."""
    assert depends("i", [write("b", i * m)], GRID, "j")
    assert not depends("i", [write("b", i * m + j)], GRID, "j")
    assumed = LINE.assuming(j, m - 1 - j)
    assert depends("i", [write("b", i * m)], assumed, "j")
    assert not depends("i", [write("b", i * m + j)], assumed, "j")


def test_windows_as_wide_as_the_step_do_not_meet():
    facts = LINE.with_interval("j", between(0, 3))
    assert not depends("i", [write("a", 2 * i + j)], facts, "j", step=2)
    assert depends("i", [write("a", 2 * i + j)], facts, "j", step=1)


def test_symbols_ranged_by_the_loop_variable_vary_with_it():
    window = Facts.of({"i": between(1, n), "j": between(i - 1, i + 1)})
    assert depends("i", [write("a", 2 * i - j)], window)


def test_temporaries_without_definition_vary():
    assert not depends("i", [write("a", i + t)], LINE)
    assert depends("i", [write("a", i + t)], LINE, "t")


def test_a_limit_that_changes_inside_the_loop_bounds_no_distance():
    assert depends("i", [read("a", i + n), write("a", i)], LINE, "n")
    assert not depends("i", [read("a", i + n), write("a", i)], LINE)


def test_the_pair_is_in_source_order():
    first, second = write("a", i), read("a", i - 1)
    assert carried_dependence("i", 1, [first, second], LINE) == (first, second)
    assert carried_dependence("i", 1, [second, first], LINE) == (second, first)


RANGES = {"n": 4, "m": 3}
SUBSCRIPT = st.builds(
    lambda a, b, c, d, e: a * i + b * j + c + d * m * i + e * m,
    st.integers(-2, 2),
    st.integers(-1, 1),
    st.integers(-3, 3),
    st.sampled_from([0, 0, 1, -1]),
    st.integers(-1, 1),
)
REFERENCES = st.lists(
    st.builds(
        lambda subscripts, is_write: Reference("a", tuple(subscripts), is_write, HERE),
        st.lists(SUBSCRIPT, min_size=2, max_size=2),
        st.booleans(),
    ),
    min_size=1,
    max_size=3,
)
FLAT = REFERENCES.map(lambda refs: [Reference("a", r.subscripts[:1], r.is_write, HERE) for r in refs])


def conflict(references, low, step, rows, columns, triangle):
    """Whether two different iterations touch one element, one of them writing; references with j run in the j loop."""
    touched = {}
    for row in range(low, rows, step):
        width = row + 1 if triangle else columns
        for r in references:
            inside = any("j" in subscript.names for subscript in r.subscripts)
            for column in range(width) if inside else [0]:
                values = {"i": row, "j": column, "m": columns, "n": rows}
                element = tuple(subscript.evaluate(values) for subscript in r.subscripts)
                touched.setdefault(element, []).append((row, r.is_write))
    return any(
        a[0] != b[0] and (a[1] or b[1])
        for uses in touched.values()
        for a, b in product(uses, repeat=2)
        if len(uses) > 1
    )


@settings(max_examples=200)
@given(st.one_of(REFERENCES, FLAT), st.integers(0, 1), st.sampled_from([1, 2, 3]), st.booleans(), st.booleans())
def test_independence_is_never_claimed_wrongly(references, low, step, triangle, positive):
    columns = i if triangle else m - 1
    facts = Facts.of({"i": between(low, n - 1), "j": Interval(C(0), columns)}, [m - 1] if positive else [])
    if not depends("i", references, facts, "j", step):
        for rows, width in product(range(6), range(1 if positive else 0, 5)):
            assert not conflict(references, low, step, rows, width, triangle)


COLUMN_OFFSETS = st.lists(st.tuples(st.integers(-3, 3), st.integers(-2, 2), st.booleans()), min_size=1, max_size=3)


@settings(max_examples=150)
@given(COLUMN_OFFSETS, st.sampled_from([1, 2]))
def test_flat_stencils_are_judged_soundly(offsets, step):
    """References b[(i + r)*m + j + c]; many are independent, so this also counts proofs."""
    references = [Reference("a", ((i + r) * m + j + c,), is_write, HERE) for r, c, is_write in offsets]
    independent = not depends("i", references, GRID, "j", step)
    found = any(conflict(references, 0, step, rows, width, False) for rows, width in product(range(8), range(7)))
    assert not (independent and found)
    if all(c == offsets[0][1] for _, c, _ in offsets):
        assert independent != found


def test_what_holds_at_one_reference_says_nothing_of_another():
    inner = Facts.of({"j": between(0, m - 1)}, [m - 1])
    outside, inside = write("a", i * m), Reference("b", (i * m + j,), True, HERE, facts=inner)
    assert depends("i", [outside, inside], LINE, "j")
    assert not depends("i", [inside], LINE, "j")
    assert not depends("i", [Reference("a", (i * m,), True, HERE, facts=inner), inside], LINE, "j")


def test_one_symbol_may_have_a_range_of_its_own_at_each_reference():
    def at(limit, is_write):
        return Reference("a", (10 * i + j,), is_write, HERE, facts=Facts.of({"j": between(0, limit - 1)}))

    assert depends("i", [at(15, True), at(5, False)], LINE, "j")
    assert depends("i", [at(5, False), at(15, True)], LINE, "j")
    assert not depends("i", [at(10, True), at(5, False)], LINE, "j")
    assert depends("i", [at(10, True), write("a", 10 * i + j)], LINE, "j")
