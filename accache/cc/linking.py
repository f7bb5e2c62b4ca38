"""Link with the host compiler, and with what kernels need besides."""

from __future__ import annotations

import re
from pathlib import Path

from accache.cc.command import Command, is_source
from accache.cc.settings import Settings, UsageError
from accache.cc.targets import TARGETS, LinkWords, shared_flags
from accache.cc.words import Role, Word

_SHARED_LIBRARY = re.compile(r".*\.so(\.\d+)*")


def link_words(command: Command, settings: Settings, folder: Path) -> LinkWords:
    """What the link of a command needs besides its own words; nothing where the user links without libraries.

    Raises CompileError if the runtime cannot be made on this machine.
    """
    if command.has("-r", "-nostdlib", "-nodefaultlibs"):
        return LinkWords()
    if settings.check and command.has("-shared"):
        raise UsageError("--check makes programs, and no shared libraries")
    inputs = [text for word in command.words if _may_hold_kernels(word) for text in word.texts]
    return TARGETS[settings.target].link(inputs, folder, shared_flags(command.compile_flags), settings)


def _may_hold_kernels(word: Word) -> bool:
    """Whether the link's device part must see a word: object files, archives, and where to look for them."""
    if word.role is Role.INPUT:
        return not is_source(word) and _SHARED_LIBRARY.fullmatch(word.value) is None
    return word.texts[0].startswith(("-l", "-L"))
