"""Room for the frames of the interpreter's calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])
WORDS = 1 << 16
"""Of a chunk that holds a frame of so many words, half a megabyte or more is left."""


def with_room_for_frames(function: Function) -> Function:
    """The same function, with room behind its frame for those of all that it calls.

    CPython keeps frames in chunks of 16 KB, and asks the system for one at each call that crosses the end of a chunk:
    calls in a loop that begins there each map memory, touch it, and give it back. Behind a large frame the rest of its
    chunk is free, and nothing of it is touched before it is used.
    """
    function.__code__ = function.__code__.replace(co_stacksize=WORDS)
    return function
