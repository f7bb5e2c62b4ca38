"""Which old values of atomic exchanges are marked as used, or as those of variables."""

from __future__ import annotations

import pytest

from accache.base.text import Edit, SourceFile, splice
from accache.cpu.exchanges import exchange_edits
from accache.cpu.tokens import tokenise

CALL = "atomicExch(p + f(i), 1)"
INTO, MEMBER = "ACCACHE_CPU_OLD_INTO(", "ACCACHE_CPU_EXCHANGE(a[i].exchange(2))"
OLD = f"ACCACHE_CPU_OLD({CALL})"


def edits_of(text: str) -> list[Edit]:
    """The edits of a text."""
    return exchange_edits(text, tokenise(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("while (X != 0) ;", f"while ({OLD} != 0) ;"),
        ("b[i] = 0 == X;", f"b[i] = 0 == {OLD};"),
        ("if (X) f();", f"if ({OLD}) f();"),
        ("while (!X) ;", f"while (!{OLD}) ;"),
        ("b[X] = 1;", f"b[{OLD}] = 1;"),
        ("x = i + X;", f"x = i + {OLD};"),
        ("f(X < 3);", f"f({OLD} < 3);"),
        ("{ int old = X; }", f"{{ int old = {CALL}; ACCACHE_CPU_OLD_LOCAL(old) }}"),
        ("x += X;", f"x += {OLD};"),
        ("{ auto old = (int)X; }", f"{{ auto old = (int){CALL}; ACCACHE_CPU_OLD_LOCAL(old) }}"),
        # it is stored
        ("old = X;", f"{INTO}old = {CALL});"),
        (
            "if (i) *old = X; else b[i].next[f(1)] = (int)X;",
            f"if (i) {INTO}*old = {CALL}); else {INTO}b[i].next[f(1)] = (int){CALL});",
        ),
        ("while ((old = X) != 0) ;", f"while (({INTO}old = {CALL})) != 0) ;"),
        ("*(p + i) = X;", f"{INTO}*(p + i) = {CALL});"),
        ("this->n::x = X; (*p)[i] = X;", f"{INTO}this->n::x = {CALL}); {INTO}(*p)[i] = {CALL});"),
        # a member's old value is one if it is that of an atomic
        ("x = a[i].exchange(2) + 1;", f"x = ACCACHE_CPU_OLD({MEMBER}) + 1;"),
        ("int x = a[i].exchange(2);", f"int x = {MEMBER}; ACCACHE_CPU_OLD_LOCAL(x)"),
        ("x = a[i].exchange(2);", f"{INTO}x = {MEMBER});"),
        ("f(); const unsigned int old = X;", f"f(); const unsigned int old = {CALL}; ACCACHE_CPU_OLD_LOCAL(old)"),
    ],
)
def test_what_is_marked(text: str, expected: str) -> None:
    text = f"__device__ void k() {{ {text} }}".replace("X", CALL)
    edits = edits_of(text)
    assert splice(SourceFile("", text), tuple(edits)) == f"__device__ void k() {{ {expected} }}"


@pytest.mark.parametrize(
    "text",
    [
        "X;",
        "(void)X;",
        "if (i) X; else X;",
        "int a = 1, old = X;",
        "T *old = X;",
        "T &old = X;",
        "x = old = X;",
        "int old{X};",
        "for (;;) (*p) = X;",
        "static_cast<int *>(p)[0] = X;",
        "f(1, old = X);",
        "std::exchange(old, 1) + exchange(2);",
        "cuda::atomic_ref<int>(old).exchange(1);",
        "return X;",
        "f(X);",
        "i ? X : X;",
        "int old = X, other = 1;",
        "for (X; ; ) ;",
        "group.X != 0;",
        "group->X != 0;",
        "static int old = X;",
    ],
)
def test_what_is_not(text: str) -> None:
    assert edits_of(f"__device__ void k() {{ {text} }}".replace("X", CALL)) == []


def test_other_scopes_and_the_declaration_of_one() -> None:
    text = "float atomicExch(float *p, float v) { return atomicExch_block(p, v) + 1; }"
    assert [edit.text for edit in edits_of(text)] == ["ACCACHE_CPU_OLD(", ")"]


def test_members_on_the_host_are_anything() -> None:
    assert edits_of("int old = flag.exchange(1);\nvoid f() { int x = a.exchange(1); x = a.exchange(2) + 1; }") == []
