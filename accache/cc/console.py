"""The command ``accache-cc``, which is ``accache cc`` too: help, signals, and the rest in main."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from accache.base.frames import with_room_for_frames
from accache.base.imports import quick_imports
from accache.base.interruption import interruptible
from accache.base.streams import guarded
from accache.cc.reuse import exact_state, kept_folder, present_state, reused

HELP = """\
Usage: accache cc [OPTION]... FILE...

Compile and link C with OpenACC: gcc's command line, its files and its options. Files that hold acc
directives are translated, all others and all other options go to the C compiler (ACCACHE_CC, else CC, else cc).

As a launcher in front of another compiler: accache cc --accache-launch [OPTION]... COMPILER [WORD]...

Options of accache:
  --target cpu|cuda     What kernels are compiled for (ACCACHE_TARGET; default cpu).
  --check               Make a program for the checker: accache run --check PROGRAM (target cpu).
  -arch ARCH            The GPU, as nvcc names it (default sm_90).
  --accache-method=M, --accache-write=W, --accache-width=W, --accache-scope=S, --accache-tune=model|off,
  --accache-coarsen=C, --accache-sharing=on|off, --accache-wide=W, --accache-ehc-entries=N, --accache-ehc-ways=N,
  --accache-private-line=N, --accache-private-calls=N, --accache-split-slices, --accache-trust-range,
  --accache-auto-cache, --accache-density=D, --accache-fast-math (target cuda)
                        What accache translate calls --method and so on.
  --accache-diagnostics=text|json|sarif
                        How to print accache's errors and warnings.
  --accache-quiet       Print errors of accache only; so does -w.
  --accache-keep        Leave host C and CUDA beside the object: NAME.host.c, NAME.cu.
  --accache-no-cache    Translate and compile anew (ACCACHE_NO_CACHE=1).

Results are kept under ACCACHE_CACHE_DIR, by default the folder accache in the user's cache.
"""

_DONE_WITHOUT = ("typing_extensions", "bz2", "lzma")
"""What msgspec and shutil look for, and do without."""


def run(words: tuple[str, ...]) -> int:
    """Do what the words ask for; an exit status."""
    if words == ("--help",):
        print(HELP, end="")
        return 0
    if reused(words, os.environ):
        return 0
    with quick_imports(*_DONE_WITHOUT):
        modules = import_module("accache.cc.packed_modules").PackedModules(exact_state(), kept_folder(os.environ))
        modules.install()
        driver = import_module("accache.cc.main")  # which takes a while, and is seldom needed
    status: int = driver.main(words)
    modules.keep(present_state)
    return status


def compiler(words: Sequence[str]) -> NoReturn:
    """Do what the words ask for, and end; a signal ends it and all it has started.

    The process ends before garbage would matter, and looking for some takes a fifteenth of the time of a call. It ends
    without the interpreter's own end, which gives back all objects one by one.
    """
    gc.disable()
    try:
        with interruptible(), guarded("accache cc"):
            sys.exit(run(tuple(words)))
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else 1)  # guarded has flushed both streams


@with_room_for_frames
def main() -> None:
    """The command ``accache-cc``."""
    compiler(sys.argv[1:])
