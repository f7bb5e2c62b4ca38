"""What C compilers say, as our own diagnostics."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

from accache.diagnostics import CompileError, Reporter
from accache.text import Location, SourceFile

MESSAGE = re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<text>.*)$", re.M)


def first_error(output: str) -> tuple[Location, str] | None:
    """Place and text of the first error in a compiler's output."""
    found = MESSAGE.search(output)
    if found is None:
        return None
    return Location(found["file"], int(found["line"]), int(found["column"] or 0)), found["text"]


def first_syntax_error(source: SourceFile, compiler: Sequence[str]) -> tuple[Location, str] | None:
    """What the C compiler itself, called so, finds wrong with a file; None if it accepts it or is missing."""
    command = [*compiler, "-fsyntax-only", "-w", "-x", "c", "-"]
    text = f'#line 1 "{source.name}"\n{source.text}'
    try:
        done = subprocess.run(
            command, input=text.encode("utf-8", "surrogateescape"), capture_output=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return first_error(done.stderr.decode("utf-8", "replace"))


def rejected(output: str) -> CompileError:
    """The error of a program that translates but does not compile or link."""
    found = first_error(output)
    if found is not None:
        return Reporter().fail("ACC602", found[0], reason=found[1])
    lines = [line for line in output.strip().splitlines() if "undefined reference" in line or "error" in line]
    return Reporter().fail("ACC602", reason=(lines or output.strip().splitlines() or ["no message"])[0])
