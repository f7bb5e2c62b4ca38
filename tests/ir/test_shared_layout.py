"""Where shared arrays lie, held to what ptxas says of kernels that declare the same (CUDA 13.0, sm_90)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accache.base.architectures import STATIC_SHARED_BYTES
from accache.ir.shared_layout import SharedLayout, SharedPart

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
