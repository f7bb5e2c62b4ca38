"""Compilers and other programs that we call: the environment they find, and the errors they print."""

from __future__ import annotations

import os
import re

from accache.base.text import Location

# "file:line:column: error: text" and, from nvcc, "file(line): error: text"
_MESSAGE = (
    r"(?m)^(?P<file>.+?)(?::(?P<line>\d+)(?::(?P<column>\d+))?|\((?P<number>\d+)\))"
    r": (?:fatal |catastrophic )?error\b[^:]*: (?P<text>.*)$"
)


NESTED = "ACCACHE_NESTED"
"""The variable that tells accache how often it was called on the way: a user's CC may be a script that calls it."""


def nested() -> dict[str, str]:
    """The user's environment for a C compiler that may be accache again."""
    level = os.environ.get(NESTED, "")
    return {**os.environ, NESTED: str(int(level) + 1 if level.isdecimal() else 1)}


def is_notified() -> bool:
    """Whether programs that we run tell of each launch, as ``ACCACHE_NOTIFY`` asks them to."""
    found = re.match(r"\s*\+?0*[1-9]", os.environ.get("ACCACHE_NOTIFY", ""))
    return found is not None


def plain_english() -> dict[str, str]:
    """The same with messages in English and in ASCII: what we read and print is the same everywhere."""
    return {**nested(), "LC_ALL": "C"}


def first_error(messages: str) -> tuple[Location, str] | None:
    """Place and text of the first error in a compiler's output."""
    found = re.search(_MESSAGE, messages)
    if found is None:
        return None
    return Location(found["file"], int(found["line"] or found["number"]), int(found["column"] or 0)), found["text"]
