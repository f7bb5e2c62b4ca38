"""What a function may read behind a statement."""

from __future__ import annotations

import pytest
from pycparser import c_ast, c_parser

from accache.frontend.c.liveness import live_after

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
    "switch (n) { case 1: work(i); case 2: return j; }": "j",
    "int *p = &i; work(i); i = 3; j = *p; return j;": "i p",
    "again: work(i); i = 3; if (n) goto again;": "n",
    "work(i); { int i = 2; n = i; }": "",
    "work(i);\n#pragma acc update self(a[0:i]) if(n)\ni = 3; return i;": "i n acc update self a if",
    "work(i); i = __accache_statement_expression;": "i __accache_statement_expression",
    "work(i); { int i = 2; n = i; } return i;": "i",
    "{ work(i); int i = 2; n = i; } return i;": "i",
    "{ int i = 2; work(i); n = j; } return i;": "i j",
    "work(i); for (int i = 0; i < 2; i++) n = i; return n;": "n",
    "work(i); for (int i = 0; i < 2; i++) n = i; return i + n;": "i n",
    "while (n) { { work(i); int i = 2; if (i) break; } i = 3; } return i;": "i n",
    "work(i); for (int i = 0; i < n; i++) if (j) goto end; i = 2; end: return i;": "i j n",
    "work(i); i = j = 0; return i + j + n;": "n",
    "work(i); for (i = 0, j = n; i < j; i++) n = i;": "n",
    "work(i); if (n) goto end; i = 3; return i; end: return j;": "j n",
    "work(i); if (n) goto end; i = 3; end: return i;": "i n",
    "again: if (n) { j = i; goto end; } work(i); i = 3; goto again; end: return j;": "n",
    "switch (n) { case 1: work(i); break; case 2: return j; default: i = 3; } return n;": "n",
    "switch (n) { case 1: work(i); case 2: i = 4; break; default: return j; } return i;": "",
    "switch (n) { case 1: while (j) { case 2: work(i); } } return n;": "i j n",
    "work(i); i += 2;": "i",
}


@pytest.mark.parametrize("text", CASES)
def test_names_are_live_that_may_be_read_before_they_are_assigned(text: str) -> None:
    body = c_parser.CParser().parse(f"int f(int i, int j, int n) {{ {text} }}").ext[0].body
    stack, found = [body], None
    after = live_after(body, lambda pragma: pragma.string)
    while stack:
        node = stack.pop()
        if isinstance(node, c_ast.FuncCall):
            found = node
        stack += [child for _, child in node.children()]
    assert after[id(found)] - {"work"} == frozenset(CASES[text].split())
