"""The types of PTX values: their sizes, and what holds them in numpy and in C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from accache.base.properties import cached_property

TypeKind: TypeAlias = Literal["b", "u", "s", "f", "p"]


@dataclass(frozen=True)
class Type:
    """A type of PTX: its kind (b, u, s, f, or p for predicates) and its size."""

    name: str
    kind: TypeKind
    bits: int

    @cached_property
    def bytes(self) -> int:
        """The size in memory."""
        return max(8, self.bits) // 8

    @cached_property
    def c(self) -> str:
        """The C type that holds it: u8 to u64, s8 to s64, f32, f64; half floats are bits."""
        if self.kind == "f" and self.bits >= 32:
            return self.name
        return f"{'s' if self.kind == 's' else 'u'}{8 * self.bytes}"

    @cached_property
    def numpy(self) -> DTypeLike:
        """The numpy type that holds it."""
        if self.kind == "f" and self.bits >= 32:
            return np.dtype(f"f{self.bytes}")
        return np.dtype(f"{'i' if self.kind == 's' else 'u'}{self.bytes}")


_PACKED = {"f16x2": 32, "bf16x2": 32, "u16x2": 32, "s16x2": 32}
_FLOATS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
_WIDTHS: tuple[TypeKind, ...] = ("b", "u", "s")
"""The kinds with a type of each width from 8 to 64 bits."""
TYPES: dict[str, Type] = {
    "pred": Type("pred", "p", 1),
    **{f"{kind}{bits}": Type(f"{kind}{bits}", kind, bits) for kind in _WIDTHS for bits in (8, 16, 32, 64)},
    **{name: Type(name, "f", bits) for name, bits in _FLOATS.items()},
    **{name: Type(name, "b", bits) for name, bits in _PACKED.items()},
}


def bits_type(size: int) -> Type:
    """The type of so many bytes without a meaning: b8 to b64."""
    return TYPES[f"b{8 * size}"]
