"""The instance of a kernel's template that a file launches."""

from __future__ import annotations

from accache.base.text import Span
from accache.cpu.definitions import angles_end, separated
from accache.cpu.launches import launch_places
from accache.cuda.items import Item
from accache.cuda.text import Cuda, NoViewError


def launched_arguments(cuda: Cuda, kernel: Item) -> dict[str, str]:
    """What the parameters of a template stand for in all launches of a file; nothing for a kernel that is none.

    Raises:
        NoViewError: launches differ, or leave arguments open, or there are none.
    """
    if not kernel.is_template:
        return {}
    places = [first for first, mark, _ in launch_places(cuda.tokens) if cuda.tokens[first].text == kernel.name]
    found = {arguments_at(cuda, first) for first in places}
    written = next(iter(found)) if len(found) == 1 else ()
    if not written or len(written) != len(kernel.template):
        token = cuda.tokens[kernel.first]
        reason = "it is a template whose launches have several instances, or leave arguments to be found out"
        raise NoViewError(reason, Span(token.start, token.end))
    return dict(zip(kernel.template, written, strict=True))


def arguments_at(cuda: Cuda, first: int) -> tuple[str, ...]:
    """The arguments of a template as they are written behind its name."""
    if cuda.tokens[first + 1].text != "<":
        return ()
    close = angles_end(cuda.tokens, first + 1)
    return tuple(cuda.spelled(a, b) for a, b in separated(cuda.tokens, first + 2, close))
