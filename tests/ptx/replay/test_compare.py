"""What counts as a difference between two executions of a launch, and what does not."""

from __future__ import annotations

import math
import struct
from dataclasses import replace

import pytest

from accache.ptx.machine.launch import Allocation, Array, Captured, Launch
from accache.ptx.replay.compare import Difference, Latitude, compare

BASE = 0x1000
LATITUDE = Latitude(2.0**-14, 2.0**-40, 2.0**-6, "because")


def captured(data: bytes, *arrays: Array) -> Captured:
    """A launch that left one allocation with this content."""
    launch = Launch("k", (1, 1, 1), (32, 1, 1), 0, (), (Allocation(BASE, data),))
    return Captured(launch, (Allocation(BASE, data),), 7, arrays)


def differences(cpu: bytes, ptx: bytes, *arrays: Array, latitude: Latitude | None = None) -> tuple[Difference, ...]:
    replayed = (Allocation(BASE, ptx),)
    return tuple(compare(captured(cpu, *arrays), replayed, latitude or Latitude()))


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def array(size: int, element: int, padding: bytes = b"", *, is_float: bool = False, start: int = BASE) -> Array:
    return Array(start, size, "a", element, padding, is_float)


def test_equal_memory_has_no_difference() -> None:
    assert differences(b"12345", b"12345") == ()


def test_tells_the_first_element_and_how_many() -> None:
    cpu, ptx = floats(1, 2, 3, 4), floats(1, 2.5, 3, 5)
    found = differences(cpu, ptx, array(16, 4, is_float=True))
    assert found == (Difference(7, "k", BASE, "a", 4, 2, "2", "2.5"),)


def test_counts_bytes_from_the_start_of_the_array() -> None:
    cpu, ptx = struct.pack("<4i", 0, 1, 2, 3), struct.pack("<4i", 0, 1, 2, 9)
    (found,) = differences(cpu, ptx, array(8, 4, start=BASE + 8))
    assert (found.offset, found.elements, found.cpu, found.ptx) == (4, 1, "3 (0x3)", "9 (0x9)")


def test_takes_memory_it_knows_nothing_of_word_by_word() -> None:
    (found,) = differences(b"\0" * 9, b"\0" * 4 + b"\1" + b"\0" * 4)
    assert (found.array, found.offset, found.elements) == ("", 4, 1)
    assert (found.cpu, found.ptx) == ("0x00000000", "0x00000001")


def test_names_variables() -> None:
    memory = Allocation(BASE, b"\0\0\0\0", "table")
    before = captured(b"\0\0\0\0")
    (found,) = compare(replace(before, after=(memory,)), (replace(memory, data=b"\0\0\0\1"),))
    assert found.array == "table"


def test_padding_does_not_count() -> None:
    padding = b"\0" + b"\1" * 3 + b"\0" * 4
    cpu, ptx = bytearray(16), bytearray(16)
    ptx[1] = ptx[11] = 5
    assert differences(bytes(cpu), bytes(ptx), array(16, 8, padding)) == ()
    ptx[12] = 5
    assert [found.offset for found in differences(bytes(cpu), bytes(ptx), array(16, 8, padding))] == [8]


@pytest.mark.parametrize("kind", ["f", "d"])
def test_one_nan_is_as_good_as_another(kind: str) -> None:
    size = struct.calcsize(kind)
    cpu = struct.pack(f"<{kind}", math.nan)
    ptx = bytes([1]) + cpu[1:-1] + bytes([cpu[-1] ^ 0x80])
    assert differences(cpu, ptx, array(size, size, is_float=True)) == ()
    assert differences(cpu, ptx, array(size, size)) != ()
    assert differences(cpu, struct.pack(f"<{kind}", 1), array(size, size, is_float=True)) != ()


def test_zeros_have_a_sign() -> None:
    assert differences(floats(0.0), floats(-0.0), array(4, 4, is_float=True)) != ()


def test_latitude_is_relative() -> None:
    known = array(8, 4, is_float=True)
    cpu = floats(1, 1000)
    assert differences(cpu, floats(1, 1000.01), known) != ()
    assert differences(cpu, floats(1, 1000.01), known, latitude=LATITUDE) == ()
    assert differences(cpu, floats(1.01, 1000), known, latitude=LATITUDE) != ()
    assert differences(cpu, floats(1.0005, 1000), known, latitude=LATITUDE) == ()  # a little of the greatest
    assert differences(cpu, floats(1, math.inf), known, latitude=LATITUDE) != ()


def test_latitude_is_for_floats_only() -> None:
    assert differences(floats(1000), floats(1000.01), array(4, 4), latitude=LATITUDE) != ()


def test_doubles_are_closer() -> None:
    known = array(8, 8, is_float=True)
    cpu = struct.pack("<d", 1.0)
    assert differences(cpu, struct.pack("<d", 1 + 1e-13), known, latitude=LATITUDE) == ()
    assert differences(cpu, struct.pack("<d", 1 + 1e-9), known, latitude=LATITUDE) != ()


def test_one_difference_an_allocation() -> None:
    two = (Allocation(BASE, b"\0" * 8), Allocation(BASE + 64, b"\0" * 8))
    after = tuple(replace(part, data=b"\1" * 8) for part in two)
    assert len(tuple(compare(replace(captured(b""), after=two), after))) == 2


def test_lost_memory_is_a_bug() -> None:
    with pytest.raises(ValueError, match="lost"):
        list(compare(captured(b"1234"), ()))
