"""Colours of messages on a terminal, and when there are any."""

from __future__ import annotations

import os
from typing import TextIO

BOLD = "1"
GREEN = "1;32"
OF_SEVERITIES = {"error": "1;31", "warning": "1;35", "note": "1;36"}


def are_wanted(stream: TextIO) -> bool:
    """Whether a stream is to have colours: a terminal's has, unless NO_COLOR is set; FORCE_COLOR gives them to any."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def painted(text: str, colour: str) -> str:
    """A text in a colour, of which the terminal is told by its code."""
    return f"\033[{colour}m{text}\033[0m"
