"""What C compilers say of a translated program, as our own diagnostics."""

from __future__ import annotations

import re

from accache.base.diagnostics import CompileError, Reporter
from accache.base.environment import first_error

_MISSING = re.compile(r"undefined reference to \W*(\w*)\S*")
_SEVERAL = "accache run takes one file; accache cc links several"


def rejected(output: str) -> CompileError:
    """The error of a program that translates but does not compile or link."""
    found = first_error(output)
    if found is not None:
        return Reporter().fail("ACC602", found[0], reason=found[1], hint="")
    missing = _MISSING.search(output)
    if missing is not None:
        is_main = missing[1] == "main"
        hint = "the file has no function main, and a whole program is run" if is_main else _SEVERAL
        return Reporter().fail("ACC602", reason=missing[0], hint=hint)
    lines = [line for line in output.strip().splitlines() if "error" in line]
    return Reporter().fail("ACC602", reason=(lines or output.strip().splitlines() or ["no message"])[0], hint="")
