"""What kernels are compiled for: one module a target, ``cpu_target`` and ``cuda_target``, with its row of functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from accache.cc.settings import Settings

# Options for the host's code that concern the kernels' object too.
_SHARED = (
    r"-O.*|-g(?!split-dwarf|record|no-record|strict|z|column).*|-f(no-)?(pic|PIC|pie|PIE|plt)|-m.+"
    r"|-DACCACHE_PRIVATE_NOTIFY(=.*)?"
)


class LinkWords(Struct, frozen=True):
    """What the host's link needs besides the user's words: in front of them and behind them."""

    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()


class Compile(Protocol):
    """What compiles a .cu text, of a file of a name, to an object file in a folder."""

    def __call__(self, text: str, name: str, folder: Path, flags: Sequence[str], *, settings: Settings) -> Path:
        """Compile it."""


class Target(Struct, frozen=True):
    """How to compile a .cu text to an object file, and how to link such objects.

    link: (the link's inputs, folder, flags, settings).
    finish: (program, folder, settings) after the link. tools: the programs whose version counts.
    bounds: flags for files that put parts of arrays on the device.
    """

    compile: Compile
    link: Callable[[Sequence[str], Path, Sequence[str], Settings], LinkWords]
    finish: Callable[[Path, Path, Settings], None]
    tools: Callable[[], tuple[str, ...]]
    bounds: tuple[str, ...] = ()


def shared_flags(flags: Sequence[str]) -> tuple[str, ...]:
    """Those of a C compiler's flags that the kernels' compiler gets too."""
    return tuple(flag for flag in flags if re.fullmatch(_SHARED, flag))


def target_of(settings: Settings) -> Target:
    """The target of a call. Its module is read where kernels are compiled or linked; most calls do neither."""
    target: Target = import_module(f"accache.cc.{settings.target}_target").TARGET
    return target


def if_needed(*words: str) -> tuple[str, ...]:
    """Words of a link that count only where something asks for them."""
    return ("-Wl,--push-state,--as-needed", *words, "-Wl,--pop-state")
