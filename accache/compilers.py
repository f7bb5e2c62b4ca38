"""What C compilers say of a translated program, as our own diagnostics."""

from __future__ import annotations

from accache.diagnostics import CompileError, Reporter
from accache.environment import first_error


def rejected(output: str) -> CompileError:
    """The error of a program that translates but does not compile or link."""
    found = first_error(output)
    if found is not None:
        return Reporter().fail("ACC602", found[0], reason=found[1])
    lines = [line for line in output.strip().splitlines() if "undefined reference" in line or "error" in line]
    return Reporter().fail("ACC602", reason=(lines or output.strip().splitlines() or ["no message"])[0])
