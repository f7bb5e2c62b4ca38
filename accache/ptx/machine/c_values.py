"""Values of the machine as C: reading and writing registers of a lane."""

from __future__ import annotations

from accache.ptx.machine.program import Constant, Flipped, FrameAddress, Guard, Register, Source, Special
from accache.ptx.rules.types import Type

_SPECIALS = {
    "%laneid": "l",
    "%warpid": "w->number",
    "%nwarpid": "c->warp_count",
    "%smid": "0",
    "%nsmid": "1",
    "%gridid": "1",
    "%lanemask_eq": "(1u << l)",
    "%lanemask_lt": "((1u << l) - 1)",
    "%lanemask_le": "(ALL >> (31 - l))",
    "%lanemask_gt": "(~(ALL >> (31 - l)))",
    "%lanemask_ge": "(~((1u << l) - 1))",
    "%clock": "(u32)c->report->warp_instructions",
    "%clock_hi": "(c->report->warp_instructions >> 32)",
    "%clock64": "c->report->warp_instructions",
    "%globaltimer": "c->report->warp_instructions",
    "%globaltimer_lo": "(u32)c->report->warp_instructions",
    "%globaltimer_hi": "(c->report->warp_instructions >> 32)",
    "%dynamic_smem_size": "(u32)(c->launch->shared_bytes - c->launch->static_shared)",
    "%total_smem_size": "(u32)c->launch->shared_bytes",
}
_VECTORS = {"%tid": "w->tid[{}][l]", "%ctaid": "c->ctaid[{}]", "%ntid": "(u32)c->launch->block[{}]",
            "%nctaid": "(u32)c->launch->grid[{}]"}  # fmt: skip


def register(found: Register) -> str:
    """A register in the lane ``l``."""
    return f"f->r{found.number}[l]"


def read(source: Source, type_: Type) -> str:
    """A value of a lane as one of a type."""
    if isinstance(source, Constant):
        return _constant(source.bits, type_)
    if isinstance(source, Flipped):
        return f"(u8)({register(source.register)} ^ 1)"
    if isinstance(source, FrameAddress):
        return f"({type_.c})(w->base[l] + {source.offset}u)"
    if isinstance(source, Special):
        return f"({type_.c})({special(source.name)})"
    if type_.c in ("f32", "f64"):
        return f"{type_.c}_of((u{type_.bits}){register(source)})"
    return f"({type_.c}){register(source)}"


def _constant(bits: int, type_: Type) -> str:
    if type_.c in ("f32", "f64"):
        return f"{type_.c}_of({bits & (1 << type_.bits) - 1:#x}ull)"
    return f"({type_.c}){bits & (1 << 8 * type_.bytes) - 1:#x}ull"


def special(name: str) -> str:
    """A special register in the lane ``l``."""
    base, _, component = name.partition(".")
    if component:
        return "0" if component == "w" else _VECTORS[base].format("xyz".index(component))
    return _SPECIALS[base]


def written(target: Register, type_: Type, value: str) -> str:
    """A value of a type as the bits of a register: what has a sign keeps it in a wider one."""
    held = f"u{8 * target.type.bytes}"
    if type_.c in ("f32", "f64"):
        return f"({held})bits_of_{type_.c}({value})"
    return f"({held})({type_.c})({value})"


def write(target: Register, type_: Type, value: str) -> str:
    """The statement that gives a register a value of a type."""
    return f"{register(target)} = {written(target, type_, value)};"


def holds(guard: Guard) -> str:
    """Whether a lane takes part in a guarded step."""
    return f"{'!' if guard.is_negated else ''}f->r{guard.register.number}[l]"
