"""docs/evaluation.md has the numbers that ``bench/papers.py --keep`` has written."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from figures.document import parts  # the folder is on the path only now
from figures.figure import Chart, Figure
from figures.kept import PATH, keep, kept
from papers import FIGURES

OF_USERS_PROGRAMS = {"002-counters", "002-tornado"}
"""Figures that say something of the user's programs alone."""
NOT_SHOWN = {"002-figure-7", "003-table", "001-table", "004-table-2"}
"""Figures of which words alone tell, or whole numbers that are too small to be changed here."""


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def document() -> str:
    return squeezed((Path(__file__).parents[2] / "docs" / "evaluation.md").read_text())


def test_all_that_is_said_of_the_kept_figures_is_there(document: str) -> None:
    missing = [part for part in parts(kept()) if squeezed(part) not in document]
    assert not missing, "docs/evaluation.md lacks:\n" + "\n".join(missing)


def test_other_numbers_would_be_missed(document: str, tmp_path: Path) -> None:
    """With other numbers in its last columns, each figure says something that is not there."""
    record = json.loads(PATH.read_text())
    unseen = set()
    for name, figure in record.items():
        rows = enumerate(figure["rows"], 2)
        changed = [row[:2] + [_more(value, number) for value in row[2:]] for number, row in rows]
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({**record, name: {**figure, "rows": changed}}))
        with suppress(KeyError, ValueError):  # a row that the document is made of is not there any more
            if all(squeezed(part) in document for part in parts(kept(path))):
                unseen.add(name)
    assert unseen - OF_USERS_PROGRAMS == NOT_SHOWN


def _more(value: object, times: int) -> object:
    """Another number, but for those by which rows are known."""
    is_counted = isinstance(value, float) or (isinstance(value, int) and value > 128)
    return times * value + 0.5 if is_counted and isinstance(value, int | float) else value


def test_every_figure_is_kept() -> None:
    assert {name for name, _ in FIGURES} - OF_USERS_PROGRAMS <= set(kept().rows)


def test_a_figure_takes_the_place_of_the_one_that_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "papers.json"
    for name, rows in (("b", ((1, "x"),)), ("a", ((2, None),)), ("b", ((3, "y"), (4, "z")))):
        keep(name, Figure("", "", ("size", "form"), rows, Chart("size", "size", "form")), 1.6, path)
    found = kept(path)
    assert list(found.rows) == ["a", "b"]
    assert found.rows["b"] == [{"size": 3, "form": "y"}, {"size": 4, "form": "z"}]
    assert found.seconds == {"a": 2, "b": 2}
    assert len(path.read_text().splitlines()) == 9
