"""Types that attributes and pragmas change are refused in kernels; their neighbours are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.driver import translate

PROGRAM = """\
#pragma pack(push, 1)
struct packed { char kind; int value; };
#pragma pack(push)
#pragma pack(4)
#pragma pack(pop)
struct still_packed { char kind; int value; };
#pragma pack(pop)
struct plain { char kind; int value; };
struct __attribute__((deprecated)) old { int value; };
struct __attribute__((packed)) first { int value; }; struct second { int value; };
static float row[16] __attribute__((aligned(64)));
typedef int number __attribute__((unused));
void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n]) copyin(row)
    for (int i = 0; i < n; ++i)
        a[i] = row[i] + sizeof(TYPE);
}
"""


def errors(name: str, folder: Path) -> list[str]:
    """The codes of the errors that using a type in a kernel gives."""
    path = folder / "layouts.c"
    path.write_text(PROGRAM.replace("TYPE", name))
    try:
        translate(str(path), Options())
    except CompileError as error:
        return [item.code for item in error.diagnostics]
    return []


@pytest.mark.parametrize("name", ["struct plain", "struct old", "struct second", "number", "float"])
def test_plain_types_are_translated(name: str, tmp_path: Path) -> None:
    assert not errors(name, tmp_path)


@pytest.mark.parametrize("name", ["struct packed", "struct still_packed", "struct first"])
def test_changed_types_are_refused(name: str, tmp_path: Path) -> None:
    assert errors(name, tmp_path) == ["ACC324"]
