"""What a pass made, as text: complete, in lines of bounded length, whatever its depth."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, field

from accache.base.dump import WIDTH, dumped
from accache.base.options import Options
from accache.driver import PASSES, dump_after

SAMPLE = Path(__file__).parents[2] / "samples" / "stencil.c"
VALUES = st.recursive(
    st.integers() | st.text(max_size=5) | st.none(),
    lambda parts: st.lists(parts) | st.tuples(parts) | st.tuples(parts, parts) | st.dictionaries(st.text(), parts),
)


@given(VALUES)
def test_the_text_is_the_value(value: object) -> None:
    text = dumped(value)
    assert eval(text) == value
    assert "\n" in text or text == repr(value)


class Part(Struct, frozen=True):
    name: str
    items: tuple[object, ...]
    number: int = 0
    made: dict[str, int] = field(default_factory=dict)


def test_records_have_the_names_of_their_parts_and_no_defaults() -> None:
    assert dumped((Part("a", ()),)) == "(Part(name='a', items=()),)"
    assert (
        dumped(Part("a", (False,), number=True, made={"b": 1}))
        == "Part(name='a', items=(False,), number=True, made={'b': 1})"
    )
    assert dumped(Part("x" * WIDTH, ())).splitlines()[1:] == [f"  name='{'x' * WIDTH}',", "  items=(),", ")"]


def test_a_long_record_stands_there_once() -> None:
    part = Part("a", ("x" * WIDTH,))
    assert dumped([part, part]).splitlines()[-2:] == ["  Part(name='a', ...),", "]"]


def test_a_value_may_have_a_text_of_its_own() -> None:
    assert dumped(Part("a", (1, 2)), lambda value: "two" if value == (1, 2) else None) == "Part(name='a', items=two)"


def test_sets_have_an_order() -> None:
    assert dumped(frozenset("cab")) == "frozenset({'a', 'b', 'c'})"


@pytest.mark.parametrize("name", PASSES)
def test_every_pass_has_a_text(name: str) -> None:
    text = dump_after(str(SAMPLE), Options(), name)
    assert "stencil" in text
    assert len(text) > len(SAMPLE.read_text())


def test_a_deep_tree_has_a_text_in_time_that_its_depth_allows(tmp_path: Path) -> None:
    path = tmp_path / "deep.c"
    terms = "a[i]" + " + a[i]" * 1000
    path.write_text(
        "void f(int *a, int n)\n{\n#pragma acc parallel loop copy(a[0:n])\n"
        f"    for (int i = 0; i < n; ++i)\n        a[i] = {terms};\n}}\n"
    )
    assert dump_after(str(path), Options(), "parse").count("a[i]") > 1000
