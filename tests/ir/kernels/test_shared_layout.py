"""Where shared arrays lie, held to what ptxas says of kernels that declare the same (CUDA 13.0, sm_90)."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accache.base.architectures import STATIC_SHARED_BYTES
from accache.ir.kernels.shared_layout import SharedLayout, SharedPart

CASES = {
    (("char", 3), ("double", 5), ("short", 7), ("int", 9)): 100,
    (("double", 5), ("char", 3), ("char", 2), ("float", 9), ("float4", 2)): 128,
    (("char", 97),): 97,
    (("char", 97), ("int", 1), ("char", 1), ("int", 1)): 112,
    (("float4", 3), ("char", 1), ("double", 1), ("char", 1), ("short", 1)): 68,
}
SIZES = {"char": 1, "short": 2, "int": 4, "float": 4, "double": 8, "float4": 16}


def parts(arrays: tuple[tuple[str, int], ...]) -> tuple[SharedPart, ...]:
    return tuple(SharedPart(f"{n}", SIZES[ctype] * count, SIZES[ctype]) for n, (ctype, count) in enumerate(arrays))


@pytest.mark.parametrize("arrays", CASES)
def test_static_bytes_are_those_of_the_assembler(arrays: tuple[tuple[str, int], ...]) -> None:
    assert SharedLayout(parts(arrays)).static_bytes == CASES[arrays]
    assert SharedLayout(called=parts(arrays)).bytes == CASES[arrays]


ARRAYS = st.lists(st.tuples(st.sampled_from(sorted(SIZES)), st.integers(1, 9000)), max_size=5).map(tuple)


@given(ARRAYS, ARRAYS)
def test_arrays_are_apart_aligned_and_within_what_is_claimed(
    own: tuple[tuple[str, int], ...], called: tuple[tuple[str, int], ...]
) -> None:
    layout = SharedLayout(parts(own), parts(called))
    assert layout.bytes <= layout.most
    if not layout.is_dynamic:
        assert not layout.offsets
        assert layout.static_bytes <= STATIC_SHARED_BYTES or not own
        return
    places = sorted((layout.offsets[part.name], part) for part in layout.own)
    ends = [begin + part.bytes for begin, part in places]
    assert all(begin % part.alignment == 0 for begin, part in places)
    assert all(end <= begin for end, (begin, _) in zip(ends, places[1:], strict=False))
    assert ends[-1] <= layout.dynamic_bytes


PARTS = st.lists(
    st.tuples(st.sampled_from(sorted(SIZES)), st.integers(1, 9000), st.sets(st.integers(0, 4))), max_size=5
)


@given(PARTS, ARRAYS)
def test_only_what_is_never_alive_together_lies_in_one_place(
    own: list[tuple[str, int, set[int]]], called: tuple[tuple[str, int], ...]
) -> None:
    named = tuple(
        SharedPart(f"{n}", SIZES[ctype] * count, SIZES[ctype], f"{n}", frozenset(map(str, apart - {n})))
        for n, (ctype, count, apart) in enumerate(own)
    )
    layout = SharedLayout(named, parts(called))
    assert layout.bytes <= layout.most <= SharedLayout(parts(tuple(each[:2] for each in own)), parts(called)).most
    if not layout.is_pooled:
        return
    places = [(layout.offsets[part.name], part) for part in named]
    assert all(begin % part.alignment == 0 and begin + part.bytes <= layout.pool_bytes for begin, part in places)
    for (begin, part), (other_begin, other) in combinations(places, 2):
        is_behind = begin + part.bytes <= other_begin or other_begin + other.bytes <= begin
        assert is_behind or part.is_apart(other)


def test_the_place_is_used_again() -> None:
    first = SharedPart("a", 400, 4, "a")
    second = SharedPart("b", 800, 8, "b", frozenset("a"))
    mask = SharedPart("b@dirty", 100, 1, "b", frozenset("a"))
    layout = SharedLayout((first, second, mask))
    assert layout.offsets == {"a": 0, "b": 0, "b@dirty": 800}
    assert (layout.static_bytes, layout.dynamic_bytes) == (912, 0)
