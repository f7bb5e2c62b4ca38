"""Forward gotos become flags and breaks: which statements each skips, in a kernel's text."""

from __future__ import annotations

import pytest

from accache import translate


def body(text: str) -> str:
    """What a thread does for an iteration, on one line."""
    loop = f"for (int i = 0; i < n; ++i) {{ {text} }}"
    source = f"void f(int *restrict a, int n) {{\n#pragma acc parallel loop copy(a[0:n])\n{loop} }}"
    device = translate(source, coarsen="off", wide="off").cuda
    kernel = device[device.index("f_L2_kernel(") :].partition("if (i < n) {")[2].partition("\n}")[0]
    return " ".join(kernel.split()).removesuffix("}").strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "if (a[i]) goto out; a[i] = 1; out: a[i] += 2;",
            "bool to_out = false; if (a[i]) to_out = true; if (!to_out) a[i] = 1; a[i] += 2;",
        ),
        (
            "{ if (a[i]) goto out; a[i] = 1; } a[i] = 3; out: a[i] += 2;",
            "bool to_out = false; if (a[i]) to_out = true; if (!to_out) a[i] = 1; if (!to_out) a[i] = 3; a[i] += 2;",
        ),
        (
            "for (int j = 0; j < 3; ++j) { if (a[i] == j) { goto out; } a[i] ^= j; } a[i] = 1; out: a[i] += 2;",
            "bool to_out = false; for (int j = 0; j < 3; ++j) { if (a[i] == j) { to_out = true; break; } a[i] ^= j; } "
            "if (!to_out) a[i] = 1; a[i] += 2;",
        ),
        (
            "while (a[i]) { do { if (a[i] == 2) goto out; a[i]--; } while (a[i] > 9); a[i] /= 2; } out: a[i] += 2;",
            "bool to_out = false; while (a[i]) { do { if (a[i] == 2) { to_out = true; break; } a[i]--; } "
            "while (a[i] > 9); if (to_out) break; a[i] /= 2; } a[i] += 2;",
        ),
        (
            "if (a[i]) goto out; const int b = a[i] + 5; a[i] = b; out: a[i] += b;",
            "int b; bool to_out = false; if (a[i]) to_out = true; if (!to_out) { b = a[i] + 5; a[i] = b; } a[i] += b;",
        ),
        (
            "if (a[i]) { a[i] = 4; goto out; a[i] = 1; } out:;",
            "bool to_out = false; if (a[i]) { a[i] = 4; to_out = true; }",
        ),
    ],
)
def test_what_a_goto_skips(text: str, expected: str) -> None:
    assert body(text) == expected
