"""What ``accache suggest`` finds, as values."""

from __future__ import annotations

from dataclasses import dataclass

from accache.base.architectures import fills_l1
from accache.base.choices import Fate
from accache.density.measure import Density

RULES = {
    "written": "the kernel writes the array",
    "atomic": "atomic operations change the array",
    "volatile": "loads of the array are volatile or ordered",
    "irregular": "indices look like data, not like positions",
    "sparse": "too few threads share an element of the box that would be copied",
    "not uniform": "threads of a block make different numbers of loads, and all of them together do not fit",
    "does not fit": "the smallest copy takes blocks from the multiprocessor",
    "saves nothing": "copies move no fewer bytes than the loads do",
    "refused": "the directive that asks for it is not kept",
    "unproved": "no directive can ask for it that accache proves",
    "outdone": "beside the other copies it does not fit, or saves nothing more",
}
"""The reasons against a copy, in the order in which they are looked for."""
PROOFS = (
    "no other pointer to the array is written through",
    "indices are affine in positions and loop variables",
    "where a copy starts is the same for all threads of a block",
    "all threads of a block reach the barriers",
    "the copy stays inside of the array",
)
"""What a trace cannot tell: it has to be proved of the source before an array is copied."""


@dataclass(frozen=True)
class Directive:
    """A cache directive of a C program, or one that ``--apply`` writes, and what becomes of it when it is translated.

    ``method`` and ``reason`` are those that ``accache explain`` tells. A warp takes ``clocks`` in the emitted kernel,
    and ``clocks_without`` in one without tiles, in words; they are '' where nothing was estimated. A written one may be
    worse than the ``better`` ones that --auto-cache would add if none were there: with these, a warp takes
    ``clocks_then``.
    """

    line: int
    column: int
    text: str
    array: str
    is_written: bool
    is_kept: bool
    method: Fate
    reason: str
    shared: int
    clocks: str
    clocks_without: str
    better: str = ""
    clocks_then: str = ""


@dataclass(frozen=True)
class Suggestion:
    """An array of a kernel: sectors that its loads move, and what a copy of it in shared memory would do.

    ``asked`` are the sectors that move without L1, ``with_l1`` those that move from L2 to L1 with it, and
    ``with_copy`` those that copies move. ``shared`` are the bytes of a block's copy, ``saved`` the bytes from L2 that
    the copy alone saves, the cost of its carve-out to all other arrays taken off. ``rule`` is one of RULES, or empty
    if the array should be copied. A ``directive`` keeps the array all the same, as it saves clocks.
    """

    array: str
    lines: tuple[int, ...]
    density: Density
    asked: int
    with_l1: int
    with_copy: int
    shared: int
    saved: int
    rule: str
    directive: Directive | None = None

    @property
    def is_chosen(self) -> bool:
        """Whether the array should be copied."""
        return not self.rule


@dataclass(frozen=True)
class OwnLines:
    """Lines of ``line_bytes`` that each thread of a kernel could have of some arrays (docs/private.md).

    ``resident`` threads are on a multiprocessor at a time, in ``filled`` bytes of the lines of its ``l1_bytes`` of L1.
    ``moved`` bytes go between L1 and L2 for these arrays now, and ``moved_then`` with lines.
    """

    arrays: tuple[str, ...]
    line_bytes: int
    resident: int
    filled: int
    l1_bytes: int
    moved: int
    moved_then: int

    @property
    def pays(self) -> bool:
        """Whether the lines of L1 fill it, and those of the threads save bytes."""
        return fills_l1(self.filled, self.l1_bytes, self.line_bytes) and self.moved > self.moved_then


@dataclass(frozen=True)
class KernelSuggestions:
    """A kernel's arrays, those that save most first.

    ``blocks`` are resident, and stay so with up to ``room`` bytes of shared memory more; without ``registers`` these
    are at most as many. ``saved`` are the bytes from L2 that all chosen copies together save. ``own_lines`` are what
    threads could have instead, None where no array is theirs to go through. ``directives`` are those of a C program.
    """

    kernel: str
    block: tuple[int, int, int]
    threads: int
    registers: int
    blocks: int
    room: int
    shared: int
    saved: int
    suggestions: tuple[Suggestion, ...]
    own_lines: OwnLines | None = None
    directives: tuple[Directive, ...] = ()
