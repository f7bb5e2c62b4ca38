"""What a function may read behind a statement."""

from __future__ import annotations

import pytest
from pycparser import c_ast, c_parser

from accache.frontend.liveness import live_after

CASES = {
    "work(i); i = 3; return i;": "",
    "work(i); return i;": "i",
    "work(i); if (n) i = 3; return i;": "i n",
    "work(i); if (n) i = 3; else i = n; return i;": "n",
    "work(i); for (i = 0; i < n; i++) j += i; return j;": "j n",
    "work(i); while (i < n) i++;": "i n",
    "while (n) { j = i; work(i); i = n; }": "n",
    "while (n) { j = i; work(i); }": "i n",
    "do { work(i); if (n) break; i = 2; } while (j); return i;": "i j n",
    "for (j = 0; j < n; j++) { work(i); if (j) continue; i = 2; }": "i j n",
    "for (; i < n; i++) { work(i); }": "i n",
    "switch (n) { case 1: work(i); case 2: return j; }": "i j n",
    "int *p = &i; work(i); i = 3; j = *p; return j;": "i p",
    "again: work(i); i = 3; if (n) goto again;": "i n",
    "work(i); { int i = 2; n = i; }": "",
    "work(i); i += 2;": "i",
}


@pytest.mark.parametrize("text", CASES)
def test_names_are_live_that_may_be_read_before_they_are_assigned(text: str) -> None:
    body = c_parser.CParser().parse(f"int f(int i, int j, int n) {{ {text} }}").ext[0].body
    stack, found = [body], None
    after = live_after(body)
    while stack:
        node = stack.pop()
        if isinstance(node, c_ast.FuncCall):
            found = node
        stack += [child for _, child in node.children()]
    assert after[id(found)] - {"work"} == frozenset(CASES[text].split())
