"""The command ``accache``, and ``python -m accache``: where a call of the compiler driver goes its own way at once.

A build makes many of these calls, and click, which all other commands need, takes longer than one that is repeated.
"""

import gc
import sys
from importlib import import_module

from accache.base.frames import with_room_for_frames
from accache.cc.console import compiler


@with_room_for_frames
def main() -> None:
    """Run the command; at its end the interpreter looks through nothing for garbage, which takes it a tenth."""
    if sys.argv[1:2] == ["cc"]:
        compiler(sys.argv[2:])
    try:
        import_module("accache.cli.main").main()
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
