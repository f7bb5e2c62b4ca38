"""Values that steps of the reference machine read, and what atomic steps make of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from accache.ptx.machine.program import Constant, Flipped, FrameAddress, Source, Special
from accache.ptx.reference.interpreted_warp import Lanes, as_type
from accache.ptx.rules.lane_functions import FUNCTIONS
from accache.ptx.rules.types import TYPES, Type

if TYPE_CHECKING:
    from accache.ptx.reference.interpreted_steps import Runner

_NAMESPACE: dict[str, Any] = {**FUNCTIONS, "__builtins__": {}}
_LANE = np.arange(32, dtype=np.uint64)
_LOW, _HIGH = FUNCTIONS["low16"], FUNCTIONS["high16"]
_ONE, _ALL = np.uint64(1), np.uint64(0xFFFFFFFF)


@lru_cache(maxsize=4096)
def _compiled(expression: str) -> CodeType:
    return compile(expression, "<expression>", "eval")


def evaluate(expression: str, values: Mapping[str, Lanes]) -> Lanes:
    """An expression of the instruction table, of operands by name."""
    found: Lanes = eval(_compiled(expression), _NAMESPACE, dict(values))
    return found


def read(runner: Runner, source: Source, type_: Type) -> Lanes:
    """A value of every lane of the runner's warp, as one of a type."""
    if isinstance(source, Constant):
        size = type_.bytes
        bits = np.full(32, source.bits & ((1 << 8 * size) - 1), f"u{size}")
        return bits.view(type_.numpy)
    if isinstance(source, Flipped):
        return as_type(runner.frame.registers[source.register.number] ^ 1, type_)
    if isinstance(source, FrameAddress):
        return as_type((runner.warp.base + source.offset).astype(np.uint64), type_)
    if isinstance(source, Special):
        return as_type(np.broadcast_to(_special(runner, source.name), (32,)).astype(np.uint64), type_)
    return as_type(runner.frame.registers[source.number], type_)


def _special(runner: Runner, name: str) -> Lanes:
    base, _, component = name.partition(".")
    if component:
        axis = "xyzw".index(component)
        x, y, _ = runner.launch.grid
        block = (runner.block % x, runner.block // x % y, runner.block // x // y)
        vectors = {
            "%tid": runner.warp.tid,
            "%ctaid": block,
            "%ntid": runner.launch.block,
            "%nctaid": runner.launch.grid,
        }
        return np.asarray(0 if axis == 3 else vectors[base][axis])
    x, y, z = runner.launch.block
    below: Lanes = (_ONE << _LANE) - _ONE
    shared = len(runner.space.shared)
    found: dict[str, Lanes] = {
        "%laneid": _LANE,
        "%warpid": np.array(runner.warp.number),
        "%nwarpid": np.array(-(-x * y * z // 32)),
        "%smid": np.array(0),
        "%nsmid": np.array(1),
        "%gridid": np.array(1),
        "%lanemask_eq": _ONE << _LANE,
        "%lanemask_lt": below,
        "%lanemask_le": below | (_ONE << _LANE),
        "%lanemask_gt": _ALL & ~(below | (_ONE << _LANE)),
        "%lanemask_ge": _ALL & ~below,
        "%dynamic_smem_size": np.array(shared - runner.program.shared_bytes),
        "%total_smem_size": np.array(shared),
        "%clock_hi": np.array(runner.instructions >> 32),
        "%globaltimer_hi": np.array(runner.instructions >> 32),
    }
    return found.get(name, np.array(runner.instructions))


def exchange(change: str, type_: Type, a: Lanes, b: Lanes, *new: Lanes) -> Lanes:
    """What an atomic step makes of the bits ``a`` in memory; ``new`` is what a compare-and-swap puts there."""
    if change == "exch":
        return b
    if change == "cas":
        return np.where(a == b, new[0], a)
    if change in ("and", "or", "xor"):
        return {"and": a & b, "or": a | b, "xor": a ^ b}[change]
    if change == "inc":
        return np.where(a >= b, 0, a + 1)
    if change == "dec":
        return np.where((a == 0) | (a > b), b, a - 1)
    with np.errstate(all="ignore"):
        if type_.name.endswith("x2"):
            half = TYPES[type_.name.removesuffix("x2")]
            low, high = (
                (exchange(change, half, part(a), part(b))) for part in (FUNCTIONS["low16"], FUNCTIONS["high16"])
            )
            return FUNCTIONS["pack16"](low, high)
        if type_.name in ("f16", "bf16"):
            name = "add_odd_f64" if change == "add" else f"{change}_f64"
            value = FUNCTIONS[name](*(FUNCTIONS[f"from_{type_.name}"](part) for part in (a, b)))
            return FUNCTIONS[f"to_{type_.name}"](value)
        x, y = as_type(a, type_), as_type(b, type_)
        if type_.kind == "f":
            return FUNCTIONS[f"add_rn_{type_.name}"](x, y).view(a.dtype)
        found: Lanes = {"add": np.add, "min": np.minimum, "max": np.maximum}[change](x, y)
        return found.view(a.dtype)
