"""Which old values of atomic exchanges are marked as used, or as those of variables."""

from __future__ import annotations

import pytest

from accache.base.text import SourceFile, splice
from accache.cpu.exchanges import exchange_edits
from accache.cpu.tokens import tokenise

CALL = "atomicExch(p + f(i), 1)"
OLD = f"ACCACHE_CPU_OLD({CALL})"


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
        ("f(); const unsigned int old = X;", f"f(); const unsigned int old = {CALL}; ACCACHE_CPU_OLD_LOCAL(old)"),
    ],
)
def test_what_is_marked(text: str, expected: str) -> None:
    text = f"void k() {{ {text} }}".replace("X", CALL)
    edits = exchange_edits(tokenise(text))
    assert splice(SourceFile("", text), tuple(edits)) == f"void k() {{ {expected} }}"


@pytest.mark.parametrize(
    "text",
    [
        "X;",
        "(void)X;",
        "if (i) X; else X;",
        "old = X;",
        "b[i] = X;",
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
    assert exchange_edits(tokenise(f"void k() {{ {text} }}".replace("X", CALL))) == []


def test_other_scopes_and_the_declaration_of_one() -> None:
    text = "float atomicExch(float *p, float v) { return atomicExch_block(p, v) + 1; }"
    assert [edit.text for edit in exchange_edits(tokenise(text))] == ["ACCACHE_CPU_OLD(", ")"]
