"""What macros must stand for above an emitted program, so that its text means what its kernels mean."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

PinKind: TypeAlias = Literal["value", "text", "kept", "absent", "default", "own", "removed"]


class Pin(Struct, frozen=True):
    """What stands for a name at the start of the program.

    ``kind``: ``value``, an integer, so that the preprocessor can tell another one; ``text``, any other definition;
    ``kept``, a definition that the C library looks at, and C++ may have another; ``absent``, a name without one;
    ``default``, an integer that the program itself defines where nobody else does; ``own``, any other default;
    ``removed``, a name of the compiler's or its library's that was not defined. ``definition`` is what stands behind
    the name.
    """

    name: str
    kind: PinKind
    definition: str = ""
