"""Which declarations are announced to the checker."""

from __future__ import annotations

import pytest

from accache.base.text import SourceFile, splice
from accache.cpu.locals import local_edits
from accache.cpu.tokens import tokenise


def announced(text: str) -> list[str]:
    """The names announced in a text."""
    return [edit.text.strip() for edit in local_edits(text, tokenise(text))]


def words(*names: str) -> list[str]:
    """What stands there for some declarations."""
    return [" ".join(f"ACCACHE_CPU_LOCAL({name})" for name in one.split()) for one in names]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("int x; use(x);", ["x"]),
        ("int x, *p, y[4], z = 1; use(x, p);", ["x p y"]),
        ("unsigned long x; { const float y[2][2]; } use(x, p);", ["x", "y"]),
        ("auto f = [&] { real x; return x + 1; };", ["x"]),
        ("if (i) { int x; while (i) x += 1; }", ["x"]),
        ("if (i) { use(p); } int x; use(x);", ["x"]),
        # it is plainly set first
        ("int x; x = 1; use(x);", []),
        ("int x = 1; use(x); int y = x; { use(y); }", []),
        ("int x; if (i) x = 2; else { x = 3; }", []),
        # loops fill it before anything else
        ("int y[4]; for (int i = 0; i < 4; ++i) { y[i] = 0; } use(y);", []),
        ("int y[N][2]; for (int i = 0; i < N; ++i) { for (int j = 0; j < 2; ++j) { y[i][j] = a[j]; } } use(y);", []),
        ("int y[4]; for (int i = 0; i < 3; ++i) { y[i] = 0; } use(y);", ["y"]),
        ("int y[4]; for (int i = 1; i < 4; ++i) { y[i] = 0; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; i += 2) { y[i] = 0; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { y[3 - i] = 0; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { y[i] += 1; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { y[i] = i ? y[i - 1] : 0; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { y[i] = 0; if (a[i]) break; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { if (a[i]) y[i] = 0; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { y[i] == 0; } use(y);", ["y"]),
        ("int y[4]; use(y); for (int i = 0; i < 4; ++i) { y[i] = 0; }", ["y"]),
        ("int y[2][2]; for (int i = 0; i < 2; ++i) { for (int j = 0; j < 2; ++j) { y[j][i] = 0; } } use(y);", ["y"]),
        ("int y[2][2]; for (int i = 0; i < 2; ++i) { for (int i = 0; i < 2; ++i) { y[i][i] = 0; } } use(y);", ["y"]),
        ("int y[2][2]; for (int i = 0; i < 2; ++i) { y[i] = 0; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { y[i] = 0; } end: use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { y[i] = 0; } case 3: use(y);", ["y"]),
        # a loop may fill several, and declarations and other loops may come before
        (
            "int x[2], y[2]; float z[2]; for (int i = 0; i < 2; ++i) { int j = 4 * i; x[i] = j; y[i] = 1; z[i] = 2; }",
            [],
        ),
        ("int x[2]; int y[2]; for (int i = 0; i < 2; ++i) { x[i] = 1; } for (int i = 0; i < 2; ++i) { y[i] = 1; }", []),
        ("int x[2]; int y[2]; for (int i = 0; i < 2; ++i) { x[i] = 1; if (a[i]) { y[i] = 1; } } use(y);", ["y"]),
        ("int x[2]; int y[2]; for (int i = 0; i < 2; ++i) { x[i] = 1; if (a[i]) ; else y[i] = 1; } use(y);", ["y"]),
        ("int x[2]; int y[2]; for (int i = 0; i < 2; ++i) { x[i] = 1; for (; a[i]; y[i] = 1) ; } use(y);", ["y"]),
        ("int x[2]; int y[2]; for (int i = 0; i < 2; ++i) { if (a[i]) continue; x[i] = 1; y[i] = x[i]; }", ["x", "y"]),
        ("int x[2]; int y[2]; for (int i = 0; i < 2; ++i) { x[i] = 1; y[i] = x[i]; }", ["x"]),
        ("int y[2][2]; for (int i = 0; i < 2; ++i) { for (int j = 0; j < 2; ++j) { y[i][j] = 0; } use(y); }", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { y[i] = 1; i++; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { ++i; y[i] = 1; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { y[i] = 1; i += 2; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { i = 3; y[i] = 1; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { f(&i); y[i] = 1; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { int &j = i; ++j; y[i] = 1; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { y[i] = 1; i <<= 2; } use(y);", ["y"]),
        ("int y[4]; for (int i = 0; i < 4; ++i) { f(i); y[i] = 1; } use(y);", ["y"]),
        ("int x; int y[2]; while (i) y[0] = 1; for (int i = 0; i < 2; ++i) { y[i] = 1; } use(x);", ["x", "y"]),
        # an exchange may give it a value that nobody wrote
        ("int x; x = atomicExch(p, 1); use(x);", ["x"]),
        ("int x, y; x = (int)atomicExch(p, 1); y = x;", ["x"]),
        # no variables without a value, or not the thread's own
        ("int x = 1, y(2), z{3}; static int s; __shared__ float t[4]; extern int u; typedef int v;", []),
        ("struct S { int x; }; enum { A, B }; return x; goto y; a[i] = x; f(x); for (int j; j < 3; ++j);", []),
        ("int d; cudaGetDevice(&d); use(d);", []),
    ],
)
def test_declarations(body: str, names: list[str]) -> None:
    for head in ("__global__ void k(int i)", "static __device__ int f(int i) const", "[=] __device__"):
        assert announced(f"{head} {{ {body} }}") == words(*names)


@pytest.mark.parametrize(
    "text",
    [
        "int host() { int x; return x; }",
        "__device__ int x; __device__ int f(int y);",
        "__device__ void a_fetch(int i) { int x; use(x); }",
        "namespace accache_private { __device__ int f() { int x; return x; } }",
        "#define DECLARE __device__ int f() { int x; return x; }\n",
    ],
)
def test_not_announced(text: str) -> None:
    assert announced(text) == []


def test_members_and_macros_are_functions_of_the_device_too() -> None:
    text = (
        "#define ON_DEVICE inline __device__\nstruct S { ON_DEVICE S(int a) : a(a), b{1} { int x; use(x); }\n"
        "__device__ bool operator==(S o) { int y; return y; } int a, b; };"
    )
    assert announced(text) == words("x", "y")


def test_lines_keep_their_numbers() -> None:
    text = "__global__ void k() {\n  int x; // so\n  use(x);\n}\n"
    edited = splice(SourceFile("", text), tuple(local_edits(text, tokenise(text))))
    assert edited == text.replace("int x;", "int x; ACCACHE_CPU_LOCAL(x)")


def test_variables_that_may_lose_their_value() -> None:
    text = "__global__ void k(int p) { int x = 1, y = 2; float z = 0; p = y; x = z = atomicExch(a, y); }"
    assert announced(text) == []
    text = text.replace("x = z = atomicExch(a, y)", "x = atomicExch(a, y); z = p = atomicExch_block(a, 1)")
    assert announced(text) == ["ACCACHE_CPU_SET_LOCAL(x)"]
    text = text.replace("p = atomicExch_block", "(int)atomicExch_block")
    assert announced(text) == ["ACCACHE_CPU_SET_LOCAL(x)", "ACCACHE_CPU_SET_LOCAL(z)"]
    assert announced("__global__ void k() { int x = atomicExch(a, 1); x = atomicExch(a, 2); }") == []


def test_values_that_are_brought_to_shuffles() -> None:
    text = (
        "__global__ void k() { int x, y = 1; if (f(y)) x = y; x = __shfl_sync(m(a, b), x, 0);"
        " y = __shfl_up_sync(1, y, 2); g.shfl(x, 0); p->shfl_xor(x, 1);"
        " shfl(x, 0); g.shfl(x + 1, 0); __shfl_sync(m, x); }"
    )
    assert announced(text) == ["ACCACHE_CPU_LOCAL(x)", *["ACCACHE_CPU_BROUGHT(x)"] * 3]
