"""The ranges of blocks: against brute force, and what is kept of them."""

import json
import subprocess
import sys

import pytest
from affine_forms import affine_form
from hypothesis import given
from hypothesis import strategies as st

from accache.analysis import block_ranges, kept
from accache.analysis.block_ranges import shared_range
from accache.base.store import Store
from accache.ir.polynomial import ONE, Polynomial

i, n = Polynomial.symbol("i#2"), Polynomial.symbol("n")
ASK = """
import sys
from accache.analysis.block_ranges import shared_range
from accache.ir.polynomial import Polynomial
found = shared_range(Polynomial.symbol({name!r}) * 3 + 4, {name!r}, 1, 5, threads=3)
print(found.rate, found.offset, found.extent, 'sympy' in sys.modules)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A cache folder of the test's own."""
    monkeypatch.setenv("ACCACHE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def ask(name="i"):
    return subprocess.run(
        [sys.executable, "-c", ASK.format(name=name)], check=True, capture_output=True, text=True
    ).stdout.split()


def entries(folder):
    return [path for path in (folder / "linearity").rglob("*") if path.is_file()]


@given(st.integers(-4, 4), st.integers(-9, 9), st.integers(-3, 3).filter(bool), st.integers(1, 9), st.integers(1, 9))
def test_the_range_has_every_threads_elements(rate, offset, step, length, threads):
    lower = i * rate + n * offset + offset
    found = shared_range(lower, "i#2", step, length, threads=threads)
    if not rate:
        assert found is None
        return
    form = affine_form(lower, "i#2")
    assert (found.rate, found.offset) == (form.rate, form.offset)
    lowers = [rate * step * thread for thread in range(threads)]
    assert found.extent == max(lowers) + length - min(lowers)


@pytest.mark.parametrize("lower", [i * i, i * n, n, ONE])
def test_no_constant_rate(lower):
    assert shared_range(lower, "i#2", 1, 3, threads=4) is None


def test_the_second_process_does_without_sympy(folder):
    assert ask() == ["3", "4", "11", "True"]
    assert len(entries(folder)) == 1
    assert ask() == ["3", "4", "11", "False"]
    assert ask("row#7") == ["3", "4", "11", "False"]  # names do not matter


def test_a_damaged_entry_is_made_again(folder):
    ask()
    (entry,) = entries(folder)
    entry.write_bytes(entry.read_bytes()[:-3])
    assert ask() == ["3", "4", "11", "True"]
    assert ask() == ["3", "4", "11", "False"]


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"[]",
        b'{"rate":7}',
        json.dumps({"rate": [[[], 2]], "offset": [[[], 4]], "extent": 11}).encode(),
        json.dumps({"rate": [[[], 3]], "offset": [[[], 4]], "extent": 4}).encode(),
    ],
)
def test_an_entry_that_cannot_be_right_is_not_used(wrong, monkeypatch):
    monkeypatch.setattr(Store, "get", lambda *_: wrong)
    found = shared_range(i * 3 + 4, "i#2", 1, 5, threads=3)
    assert (found.rate.constant_value, found.offset.constant_value, found.extent) == (3, 4, 11)


def test_another_sympy_asks_again(folder, monkeypatch):
    shared_range(i, "i#2", 1, 5, threads=3)
    monkeypatch.setattr(kept, "_made_with", lambda _: b"another version")
    block_ranges._answer.cache_clear()
    shared_range(i, "i#2", 1, 5, threads=3)
    assert len(entries(folder)) == 2


def test_a_folder_that_cannot_be_made(folder):
    folder.write_text("a file")
    assert ask() == ["3", "4", "11", "True"]
