"""The tree names each anonymous structure or union on the way to a member, so that a union is seen as one."""

from __future__ import annotations

import pytest

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import map_source
from accache.ir.nodes import nodes_below
from accache.ir.tree import Assign, Member
from accache.ir.types import resolve

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
def test_what_holds_a_member_is_in_the_tree(name: str, above: list[str]) -> None:
    program = map_source(SourceFile("a.c", TEXT.format(name=name)), Options(), Reporter()).program
    [store] = [node for node in nodes_below(program.regions[0].body) if isinstance(node, Assign) and node.op == "="]
    assert isinstance(store.target, Member)
    found, base = [], store.target.base
    while isinstance(base, Member):
        found.append(resolve(base.type).keyword)
        base = base.base
    assert found == above
