"""What is known of macros by their bodies."""

from __future__ import annotations

import pytest

from accache.frontend.source.macros import loop_macros


@pytest.mark.parametrize(
    ("body", "is_head"),
    [
        ("for (int i = 0; i < (n); ++i)", True),
        ("for(;;)", True),
        ("while (n-- > f(2))", True),
        ("EACH(i, n) EACH (j, m)", True),
        ("EACH(i, n) for (;;)", True),
        ("EACH", True),
        ("for (;;) {", False),
        ("for (;;) if (a)", False),
        ("for (;;) a = f(b)", False),
        ("for (;; f(a)", False),
        ("if (a)", False),
        ("do", False),
        ("f(n)", False),
        ("TRIED(n)", False),
        ("(n)", False),
        ("", False),
    ],
)
def test_macros_that_are_heads_of_loops(body: str, is_head: bool) -> None:
    bodies = {"TRIED": body, "EACH": "for (int i = 0; i < (n); ++i)"}
    assert loop_macros(bodies) == {"EACH", "TRIED"} if is_head else {"EACH"}
