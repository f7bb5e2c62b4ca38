"""What C compilers say of a translated program, as our own diagnostics."""

from __future__ import annotations

import re

from accache.base.diagnostics import CompileError, Reporter
from accache.base.environment import first_error

_MISSING = re.compile(r"undefined reference to \S+")


def rejected(output: str) -> CompileError:
    """The error of a program that translates but does not compile or link."""
    found = first_error(output)
    if found is not None:
        return Reporter().fail("ACC602", found[0], reason=found[1], hint="")
    missing = _MISSING.search(output)
    if missing is not None:
        return Reporter().fail("ACC602", reason=missing[0], hint="accache run takes one file; accache cc links several")
    lines = [line for line in output.strip().splitlines() if "error" in line]
    return Reporter().fail("ACC602", reason=(lines or output.strip().splitlines() or ["no message"])[0], hint="")
