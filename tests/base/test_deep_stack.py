"""Deep recursion in several threads at a time leaves the interpreter as it was."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from accache.base.deep_stack import DEEP_STACK, RECURSION_LIMIT


def state() -> tuple[int, int, bool]:
    return sys.getrecursionlimit(), threading.stack_size(), gc.isenabled()


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    before = state()
    yield
    assert state() == before


def depth(levels: int) -> int:
    return 0 if levels == 0 else 1 + depth(levels - 1)


def test_there_is_room_for_deep_recursion() -> None:
    assert DEEP_STACK.run(lambda: depth(50_000)) == 50_000


def test_an_error_comes_out() -> None:
    with pytest.raises(RecursionError):
        DEEP_STACK.run(lambda: depth(2 * RECURSION_LIMIT))


@pytest.mark.parametrize("first_ends_first", [True, False])
def test_two_threads_that_overlap(first_ends_first: bool) -> None:
    """Each waits until the other has begun; then they end in either order."""
    begun = [threading.Event(), threading.Event()]
    may_end = [threading.Event(), threading.Event()]
    found = []

    def work(number: int) -> Callable[[], None]:
        def inside() -> None:
            begun[number].set()
            assert may_end[number].wait(30)
            found.append((number, sys.getrecursionlimit(), gc.isenabled()))
            depth(20_000)

        return lambda: DEEP_STACK.run(inside)

    threads = [threading.Thread(target=work(number)) for number in (0, 1)]
    for number in (0, 1):
        threads[number].start()
        assert begun[number].wait(30)
    order = (0, 1) if first_ends_first else (1, 0)
    for number in order:
        may_end[number].set()
        threads[number].join()
    assert found == [(number, RECURSION_LIMIT, False) for number in order]


def test_a_limit_that_was_set_meanwhile_stays() -> None:
    before = sys.getrecursionlimit()
    try:
        DEEP_STACK.run(lambda: sys.setrecursionlimit(before + 7))
        assert sys.getrecursionlimit() == before + 7
    finally:
        sys.setrecursionlimit(before)
