"""What counters hold at least in the loops that count with them."""

from __future__ import annotations

import re

import pytest
from pycparser import c_ast, c_parser

from accache.frontend.c.counting_up import counters_of

STARTS = {
    "for (int i = 0; i < n; ++i) work(i);": True,
    "for (i = 2; i < n; i += 3) work(i);": True,
    "for (i = 0, j = 1; i < n; i++) work(i);": True,
    "for (i = 0; i < n; i++) { for (j = i; j < n; j++) n = i + j; }": True,
    "for (i = 0; i < n; i++) switch (n) { case 1: work(i); }": True,
    "for (i = 0; i < n; i++) {\n#pragma acc parallel copyin(a[0:i])\n{ a[i] = i; }\n}": True,
    "for (i = 0; i < n; --i) work(i);": False,
    "for (; i < n; ++i) work(i);": False,
    "for (i = 0; i < n; ++j) work(i);": False,
    "for (i = 0; i < n; i += n) work(i);": False,
    "for (i = 0; i < n; i += -1) work(i);": False,
    "for (i = 0; i++ < n; ++i) work(i);": False,
    "for (i = 0; i < n; ++i) i -= 2;": False,
    "for (i = 0; i < n; ++i) { if (n) i = n; }": False,
    "for (i = 0; i < n; ++i) change(&i);": False,
    "int *p = &i; for (i = 0; i < n; ++i) *p = -1;": False,
    "for (i = 0; i < n; ++i) { again: work(i); } i = -1; goto again;": False,
    "switch (n) { case 1: for (i = 0; i < n; ++i) { case 2: work(i); } }": False,
    "for (i = 0; i < n; ++i) n = __accache_statement_expression;": False,
    "for (i = 0; i < n; ++i) {\n#pragma acc update self(i)\nwork(i); }": False,
    "for (i = 0; i < n; ++i) {\n#pragma acc parallel private(n, i)\n{ a[i] = n; }\n}": False,
    "for (i = 0; i < n; ++i) {\n#pragma acc parallel reduction(+ : i)\n{ a[i] = n; }\n}": False,
}


@pytest.mark.parametrize("text", STARTS)
def test_counters_that_only_count_up_start_at_the_least(text: str) -> None:
    tree = c_parser.CParser().parse(f"void f(int i, int j, int n, int *a) {{ {text} }}")
    body = tree.ext[0].body
    loops = [node for node in _nodes(body) if isinstance(node, c_ast.For)]
    found = counters_of(body, lambda pragma: str(pragma.string)).start(loops[0])
    assert (found is not None) == STARTS[text]
    if found is not None:
        assert (found[0], found[1].value) == ("i", re.findall(r"i = (\d+)", text)[0])


def _nodes(node: c_ast.Node) -> list[c_ast.Node]:
    return [node, *(inner for _, child in node.children() for inner in _nodes(child))]
