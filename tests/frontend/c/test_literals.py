"""What constants of C are worth."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from accache.frontend.c.literals import double_digits
from accache.frontend.c.types import string_type
from accache.ir.constants import constant

CONVERTED = (
    "1.79769313486231570814527423731704357e+308L",
    "2.22044604925031308084726333618164062e-16l",
    "4.94065645841246544176568792868221373e-324L",
    "0.1L",
    "3.L",
    ".5e-3L",
    "0.0L",
)


@pytest.mark.parametrize("spelling", CONVERTED)
def test_a_long_double_becomes_the_double_that_the_compiler_makes_of_it(spelling: str, tmp_path: Path) -> None:
    digits = double_digits(spelling)
    assert digits is not None
    source = tmp_path / "a.c"
    source.write_text(
        f"#include <stdio.h>\nint main(void) {{ volatile long double x = {spelling};"
        f' double y = {digits}; printf("%a %a", (double)x, y); }}\n'
    )
    subprocess.run(["gcc", "-o", tmp_path / "a", source], check=True)
    converted, direct = subprocess.run([tmp_path / "a"], check=True, capture_output=True, text=True).stdout.split()
    assert converted == direct


@pytest.mark.parametrize("spelling", ["1e400L", "9007199254740993.0L", "0x1.8p3L", "1.5", "1.5f"])
def test_no_digits_where_the_way_by_a_long_double_may_matter(spelling: str) -> None:
    assert double_digits(spelling) is None


@pytest.mark.parametrize(
    "spelling", ['"\udce4"', 'u8"\u00e4"', '"\\u00e4b"', 'U"\u00e4b"', 'L"\U0001f600"', 'u"\U0001f600"']
)
def test_strings_have_the_lengths_that_the_compiler_gives_them(spelling: str, tmp_path: Path) -> None:
    """Also in files that are not UTF-8: their bytes are no characters."""
    source, element = tmp_path / "a.c", {"L": 4, "U": 4, "u": 2, "u8": 1}.get(spelling.partition('"')[0], 1)
    count = constant(string_type(spelling).length)
    text = f'_Static_assert(sizeof({spelling})/{element} == {count}, "");\n'
    source.write_bytes(text.encode("utf-8", "surrogateescape"))
    subprocess.run(["gcc", "-std=gnu17", "-fsyntax-only", source], check=True)
