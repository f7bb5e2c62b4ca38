"""Which types may be one memory."""

from __future__ import annotations

import pytest

from accache.analysis.aliasing import may_share
from accache.ir.types import Arithmetic, Array, CType, Field, Pointer, Record

INT, DOUBLE, CHAR = Arithmetic("int"), Arithmetic("double"), Arithmetic("char")


def record(*members: CType) -> Record:
    """A structure with such members."""
    return Record("struct", "s", tuple(Field(f"m{number}", member) for number, member in enumerate(members)))


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ((INT,), False),
        ((INT, Pointer(DOUBLE)), False),
        ((INT, DOUBLE), True),
        ((INT, CHAR), True),
        ((INT, Array(DOUBLE, None)), True),
        ((INT, record(DOUBLE)), True),
        ((INT, record(INT)), False),
        ((INT, Record("struct", "other", None)), True),
    ],
)
def test_numbers_are_parts_of_structures_that_have_such(members: tuple[CType, ...], expected: bool) -> None:
    assert may_share(record(*members), DOUBLE) == may_share(DOUBLE, record(*members)) == expected


def test_any_structure_may_be_one_of_characters() -> None:
    assert may_share(record(INT), CHAR)
