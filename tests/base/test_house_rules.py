"""Rules of the sources that no linter knows."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_classes_of_nodes_are_told_apart_by_singledispatchmethod_or_match() -> None:
    """A method that is looked up by a class's name is one that no tool finds the callers of."""
    sources = sorted((ROOT / "accache").rglob("*.py"))
    assert sources
    assert [path for path in sources if "getattr(self, f" in path.read_text()] == []
