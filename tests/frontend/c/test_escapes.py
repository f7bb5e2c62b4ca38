"""Addresses that stay in the function which has them, and those that may get anywhere."""

from __future__ import annotations

import pytest

from accache.frontend.c.escapes import Escapes, declared_once
from accache.frontend.source.parser import parse_c

FILE = """
void *malloc(unsigned long n); void *memcpy(void *a, const void *b, unsigned long n); void free(void *p);
int printf(const char *format, ...); void foreign(float *p);
void each(float *p, void (*visit)(float *));
void quiet(float *p) {{ p[0] = *(p + 1); }}
void keeping(float *p) {{ static float *kept; kept = p; }}
float *same(float *p) {{ return p; }}
void passing(int n, float *p) {{ quiet(p + n); }}
void leading(float *p) {{ foreign(p); }}
void entering(float *p)
{{
#pragma acc enter data create(p[0:8])
}}
void computing(float *p)
{{
#pragma acc parallel present(p[0:8])
p[0] = 1;
}}
void f(int n)
{{
    float *p = malloc(8), q[8][8], *other, (*row)[8];
    {statement}
}}
"""
LIBRARY = frozenset(("malloc", "memcpy", "free", "printf", "each"))
STAYING = (
    "p[3] = p[n] + 1;",
    "*p = *(p + n);",
    "n = sizeof p;",
    "if (p == 0 || !p) n = 1;",
    "free(p);",
    "p = (float *)malloc(4);",
    "p = 0;",
    'printf("%p %g", (void *)p, p[1]);',
    "memcpy(p, p + 1, 4);",
    "quiet(p); quiet(&p[2]); quiet(p + n);",
    "passing(n, p);",
    "computing(p);",
    "foreign(other); other = same(other);",
)
LEAVING = (
    "other = p;",
    "other = &p[1];",
    "p = other;",
    "p++;",
    "foreign(p);",
    "foreign(p + 1);",
    "keeping(p);",
    "each(p, keeping);",
    "leading(p);",
    "entering(p);",
    "other = memcpy(p, p + 1, 4);",
    "other = same(p);",
    "other = n ? p : 0;",
    "(void)(float *[]){p};",
    "n = p - other;",
    "void (*call)(float *) = quiet; call(p);",
)


def stays(statement: str, name: str, depth: int) -> bool:
    tree = parse_c(FILE.format(statement=statement))
    functions = {node.decl.name: node for node in tree.ext if hasattr(node, "body")}
    escapes = Escapes(functions, LIBRARY, frozenset(("malloc", "memcpy", "same")), frozenset(("int", "float")))
    return escapes.stays(functions["f"].body, name, depth)


@pytest.mark.parametrize("statement", STAYING)
def test_memory_that_is_accessed_or_lent_stays(statement: str) -> None:
    assert stays(statement, "p", 1)


@pytest.mark.parametrize("statement", LEAVING)
def test_an_address_that_is_kept_leaves(statement: str) -> None:
    assert not stays(statement, "p", 1)


def test_a_row_is_an_address() -> None:
    assert stays("q[1][2] = *(q[2] + 1); free(q[1]);", "q", 2)
    assert not stays("other = q[1];", "q", 2)
    assert not stays("row = q;", "q", 2)


def test_a_second_variable_of_a_name_is_seen() -> None:
    (node,) = parse_c("void f(int a) { int b; { int b; } }").ext
    assert [declared_once(node, name) for name in "ab"] == [True, False]
