"""Hints for words that look misspelt."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module


def similar(word: str, choices: Iterable[str]) -> str:
    """A hint that names the choice most like a word; empty if none is."""
    close = closest(word, sorted(choices))
    return f"did you mean '{close}'?" if close else ""


def closest(word: str, choices: Iterable[str], least: float = 0.6) -> str:
    """The choice most like a word, of those that are alike at ``least`` by difflib's ratio; empty if none is."""
    difflib = import_module("difflib")  # few programs need it
    return next(iter(difflib.get_close_matches(word, choices, 1, least)), "")
