"""docs/api.md: its examples run, and it tells of every name and option."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import accache
from accache.base.options import CHOICES, Options
from accache.library.modelling import ModelOptions
from accache.library.schemas import SCHEMAS

ROOT = Path(__file__).parents[3]
DOCUMENT = ROOT / "docs" / "api.md"
TEXT = DOCUMENT.read_text()


def test_the_examples_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(DOCUMENT), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.failed == 0
    assert found.attempted > 5


@pytest.mark.parametrize("name", accache.__all__)
def test_every_name_is_described(name: str) -> None:
    assert re.search(rf"\b{name}\b", TEXT) or name == "__version__"


@pytest.mark.parametrize("name", sorted(set(Options.__struct_fields__) - {"runtime", "choices"}))
def test_every_option_is_described(name: str) -> None:
    rows = (line for line in TEXT.splitlines() if line.startswith("|"))
    row = "".join(row for row in rows if f"`{name}`" in row.split("|")[1])
    assert row
    values = CHOICES.get(name, ()) if name != "coarsen" else ()
    missing = [value for value in values if f'`"{value}"`' not in row]
    assert not missing, f"docs/api.md: the row of {name} lacks {missing}"


@pytest.mark.parametrize("name", [*ModelOptions.__annotations__, *SCHEMAS])
def test_options_of_the_model_and_schemas_are_described(name: str) -> None:
    assert f"`{name}`" in TEXT or f'`"{name}"`' in TEXT
