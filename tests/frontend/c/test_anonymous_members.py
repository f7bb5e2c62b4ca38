"""The tree names each anonymous structure or union on the way to a member, so that a union is seen as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import dump_after

TEXT = """
struct one {{ int kind; union {{ int i; struct {{ float x, y; }}; }}; }};
void f(struct one *a, int n)
{{
#pragma acc parallel loop copy(a[0:n])
    for (int k = 1; k < n; ++k)
        a[k].{name} = 1;
}}
"""


@pytest.mark.parametrize(("name", "above"), [("kind", []), ("i", ["union"]), ("y", ["struct", "union"])])
def test_what_holds_a_member_is_in_the_tree(name: str, above: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(TEXT.format(name=name))
    target = dump_after(str(path), Options(), "parse").partition("target=Member(")[2].partition("base=Subscript(")[0]
    found = [text.partition("keyword='")[2].partition("'")[0] for text in target.split("base=Member(")[1:]]
    assert found == above
