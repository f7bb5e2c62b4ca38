"""Keeps the user's macros away from text of ours that stands in the same file."""

from __future__ import annotations

import re

_WORD = r"""(?s)//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?P<word>[^\W\d]\w*)"""
_ATTRIBUTES = frozenset({"always_inline"})  # what CUDA's forced inlining says to the host compiler


def without_macros(text: str, macros: frozenset[str]) -> str:
    r"""A text behind which nothing of the user's comes: macros that it would meet are undefined.

    >>> without_macros("int k; // a b", frozenset("bk"))
    '#undef k\nint k; // a b'
    """
    return "".join(f"#undef {name}\n" for name in _met(text, macros)) + text


def beside_macros(text: str, macros: frozenset[str]) -> str:
    """A text in the midst of the user's: macros that it would meet are put aside, and come back."""
    met = _met(text, macros)
    before = "".join(f'#pragma push_macro("{name}")\n#undef {name}\n' for name in met)
    after = "".join(f'#pragma pop_macro("{name}")\n' for name in met)
    return before + text + after


def _met(text: str, macros: frozenset[str]) -> list[str]:
    """The macros whose names the code of a text has, in order; CUDA's keywords are macros for the word inside."""
    if not any(name in text or name in _ATTRIBUTES for name in macros):
        return []
    words = {found["word"] or "" for found in re.finditer(_WORD, text)}
    words |= {word.strip("_") for word in words} | _ATTRIBUTES
    return sorted(macros & words)
