"""Imports in our own process: what they are kept from, and that all is as before after them."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

import pytest

from accache.base.imports import quick_imports


def test_a_hidden_library_is_found_again_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "wave", raising=False)
    with quick_imports("wave"), pytest.raises(ImportError):
        import_module("wave")
    import_module("wave")


def test_a_library_that_is_loaded_is_not_hidden() -> None:
    with quick_imports("gc"):
        assert sys.modules["gc"] is gc


@pytest.mark.parametrize("given", [None, "3"])
def test_the_environment_and_the_collector_are_as_before(monkeypatch: pytest.MonkeyPatch, given: str | None) -> None:
    name = "OPENBLAS_NUM_THREADS"
    monkeypatch.delenv(name, raising=False)
    if given:
        monkeypatch.setenv(name, given)
    with quick_imports():
        assert os.environ[name] == (given or "1")
        assert not gc.isenabled()
    assert os.environ.get(name) == given
    assert gc.isenabled()
