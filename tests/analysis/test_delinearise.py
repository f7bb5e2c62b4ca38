import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import symbols

from accache.analysis.delinearise import common_pitch, delinearise, find_pitch
from accache.analysis.ranges import Facts, Interval
from accache.ir.polynomial import ZERO, Polynomial

h, i, j, k, m, n, w = symbols("hijkmnw")
between = Interval.between
INDICES = frozenset("hijk")
UNRANGED = Facts.of({name: Interval() for name in "hijk"})
GRID = Facts.of({"i": between(0, n - 1), "j": between(0, m - 1)})


@pytest.mark.parametrize(
    ("flat", "pitches", "expected"),
    [
        (i * m + j + 1, (m,), (i, j + 1)),
        ((i + 1) * m + (j - 1), (m,), (i + 1, j - 1)),
        (i * m + m - 1, (m,), (i + 1, ZERO - 1)),
        (i * m + k + n, (m,), (i, k + n)),
        (i * 1024 + j, (Polynomial.constant(1024),), (i, j)),
        (i * 1024 + j - 1, (Polynomial.constant(1024),), (i, j - 1)),
        (i * 1024 - 1024 + j, (Polynomial.constant(1024),), (i - 1, j)),
        (i * 1025, (Polynomial.constant(1024),), (i, i)),
        (2 * i * m + m + j, (m,), (2 * i + 1, j)),
        (2 * i * m + j, (2 * m,), (i, j)),
        (i * (m + 2) + j, (m + 2,), (i, j)),
        ((i - 1) * (m + 2) + j + 1, (m + 2,), (i - 1, j + 1)),
        ((i * n + j) * m + k - 1, (n * m, m), (i, j, k - 1)),
        (((h * 8 + i) * n + j) * m + k, (8 * n * m, n * m, m), (h, i, j, k)),
        (i * m * m + j * m + k, (m * m, m), (i, j, k)),
        (j, (m,), (ZERO, j)),
        (i, (), (i,)),
        (i, (ZERO,), None),
        (i, (Polynomial.constant(-4),), None),
    ],
)
def test_delinearise(flat, pitches, expected):
    assert delinearise(flat, pitches) == expected


@pytest.mark.parametrize(
    ("flat", "pitch"),
    [
        (i * m + j, m),
        ((i + 1) * m + (j - 1), m),
        (i * 1024 + j, Polynomial.constant(1024)),
        ((n - 1 - i) * m + j, m),
        (i * (m + 2) + j, m + 2),
        (i * m, m),
        (i + j, None),
        (i - j, None),
        (w, None),
        (i * j + k, None),
        (i * i, None),
    ],
)
def test_find_pitch(flat, pitch):
    assert find_pitch(flat, INDICES) == pitch


@pytest.mark.parametrize(
    ("flats", "dimensions", "pitches"),
    [
        ([i * m + j, (i + 1) * m + j, i * m + j - 1], 2, (m,)),
        ([i * m + j, j], 2, (m,)),
        ([i * m + k], 2, (m,)),
        ([i * 1024 + j, (i - 1) * 1024 + j], 2, (Polynomial.constant(1024),)),
        ([(i * n + j) * m + k, (i * n + j + 1) * m + k], 3, (n * m, m)),
        ([i * m + j], 1, ()),
        ([i * m + j, i * w + j], 2, None),
        ([i * m + j, i * 64 + j], 2, (m,)),
        ([i + j], 2, None),
        ([i * m + j], 3, None),
        ([2 * i * m + j, 2 * i * m + m + j], 2, (m,)),
        ([2 * i * m + j, i * m + j], 2, (m,)),
        ([i * j], 2, None),
        ([], 2, None),
        ([i], 0, None),
    ],
)
def test_common_pitch(flats, dimensions, pitches):
    assert common_pitch(flats, dimensions, UNRANGED) == pitches


def test_a_proved_pitch_is_preferred():
    assert common_pitch([2 * i * m + j, 2 * i * m + m + j], 2, GRID) == (m,)
    wide = GRID.with_interval("j", between(0, 2 * m - 1)).assuming(m - 1)
    assert common_pitch([2 * i * m + j], 2, wide) == (2 * m,)


@given(
    st.lists(st.tuples(st.lists(st.sampled_from("ijmn"), max_size=3).map(tuple), st.integers(-40, 40)), max_size=5),
    st.sampled_from([m, n * m, m + 2, 2 * m - 1, Polynomial.constant(16), m * m - n]),
)
def test_the_parts_always_add_up(terms, pitch):
    flat = Polynomial.of(terms)
    row, column = delinearise(flat, (pitch,))
    assert row * pitch + column == flat


@given(st.integers(-9, 9), st.integers(-3, 3), st.sampled_from([8, 16, 100]))
def test_halo_offsets_stay_with_their_row(row, column, pitch):
    flat = (i + row) * pitch + j + column
    assert delinearise(flat, (Polynomial.constant(pitch),)) == (i + row, j + column)
