"""A directive that caches nothing says what to write instead, where that is known."""

from __future__ import annotations

import pytest

from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import translate


@pytest.mark.parametrize(
    ("directive", "statement", "reason", "hint"),
    [
        ("a[i:1]", "b[i] = 0;", "the region does not refer to it", "inside of the loop's braces"),
        ("t[i:n][0:1]", "b[i] = t[i][0];", "its length is not a constant", "write a number, or a macro that is one"),
        ("t[i:2]", "b[i] = t[i][0];", "the subarray has 1 dimension, the array 2", "one [first:length] for each"),
        ("a[i:3], a[i:3]", "b[i] = a[i] + a[i + 2];", "other subarrays of the array serve all references", "take it"),
    ],
)
def test_in_a_loop(directive: str, statement: str, reason: str, hint: str) -> None:
    told(
        f"#pragma acc loop\nfor (int i = 0; i < n; i++) {{\n#pragma acc cache({directive})\n{statement} }}",
        reason,
        hint,
    )


def test_in_no_loop() -> None:
    reason = "it stands outside of every parallel loop"
    told("#pragma acc cache(a[0:4])\nb[0] = a[0] + a[1];", reason, "move it into a loop with '#pragma acc loop'")


def told(body: str, reason: str, hint: str) -> None:
    text = f"""void f(int n, const float *restrict a, const float t[restrict 64][64], float *restrict b)
{{
#pragma acc parallel copyin(a[0:n+4], t[0:64]) copyout(b[0:n])
{{
{body}
}}
}}
"""
    found = translate(SourceFile("t.c", text), Options(method="rbi")).diagnostics
    (one,) = (item for item in found if reason in item.message)
    assert one.code == "ACC402"
    assert hint in one.hint
