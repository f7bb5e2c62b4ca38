"""Hints for words that look misspelt."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def similar(word: str, choices: Iterable[str]) -> str:
    """A hint that names the choice most like a word; empty if none is."""
    close = difflib.get_close_matches(word, sorted(choices), 1)
    return f"did you mean '{close[0]}'?" if close else ""
