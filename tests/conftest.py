"""Which tests run in one process, as they share something slow to make; which are slow. How long examples may take.

``pytest --update-golden`` writes files with expected text anew.
"""

from __future__ import annotations

import pytest
from hypothesis import settings
from slow import listed

settings.register_profile("patient", deadline=None)  # a busy machine makes any example slow
settings.load_profile("patient")


OTHERS = ("matrix", "mutate", "ptx", "nvcc", "private", "planted", "playground", "thorough")
"""Marks of tests that make targets of their own run."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write expected text anew instead of comparing it")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether to write expected text."""
    return bool(request.config.getoption("--update-golden"))


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the groups, and pytest at the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep tests with fixtures of their module together, and those that look at one program of a workshop.

    Mark the slow ones of those that make test would run, but where files are named to be run.
    """
    slow = frozenset() if any(".py" in word for word in config.args) else listed()
    for item in items:
        if not any(item.get_closest_marker(name) for name in OTHERS) and _name(item) in slow:
            item.add_marker(pytest.mark.slow)
        if isinstance(item, pytest.Function) and item.get_closest_marker("xdist_group") is None:
            group = _group(item)
            if group:
                item.add_marker(pytest.mark.xdist_group(group))


def _name(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0].partition("@")[0]


def _group(item: pytest.Function) -> str:
    folder = next(each.name for each in item.path.parents if each.name != "behaviour")
    if folder == "l1" or item.path.stem == "test_traces":
        return "the compiled cache model"
    if folder == "runtime":
        return "the run-time library on its own"
    definitions = item._fixtureinfo.name2fixturedefs.values()
    if any(definition.scope == "module" for found in definitions for definition in found):
        return f"{folder}/{item.path.stem}"
    name = item.callspec.params.get("name") if hasattr(item, "callspec") else None
    return f"{folder}/{name}" if isinstance(name, str) else ""
