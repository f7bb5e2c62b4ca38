"""What cvt computes."""

from __future__ import annotations

from accache.ptx.rules.modifiers import Modifiers, Unsupported
from accache.ptx.rules.operation import Operation, is_floating, one
from accache.ptx.rules.types import TYPES, Type

_TO_INTEGER = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_ROUNDINGS = ("rn", "rz", "rm", "rp")


def convert(opcode: str, left: Modifiers) -> Operation:
    """Cvt between all types of up to 64 bits."""
    integral, rounding = left.one_of(*_TO_INTEGER), left.one_of(*_ROUNDINGS)
    flush, saturate, relu = left.flag("ftz"), left.flag("sat"), left.flag("relu")
    target, source = left.type(), left.type()
    if target.name.endswith("x2"):
        return _pack(target, source, rounding, relu)
    if source.name.endswith("x2") or (relu and not is_floating(target)):
        raise Unsupported(f"not from .{source.name}")
    if not is_floating(source):
        return _from_integer(target, source, rounding, saturate)
    value = _in_double(source, flush)
    if integral:
        value = f"{_TO_INTEGER[integral]}_f64({value})"
    if not is_floating(target):
        if not integral:
            raise Unsupported("without a rounding to an integer")
        return one(target, (source,), f"clamp_{target.name}_f64({value})")
    if saturate:
        value = f"sat_f64({value})"
    if relu:
        value = f"relu_f64({value})"
    return one(target, (source,), _from_double(target, value, rounding or "rn", flush))


def _in_double(source: Type, flush: bool) -> str:
    if source.name in ("f16", "bf16"):
        return f"from_{source.name}(a)"
    value = "ftz_f32(a)" if flush and source.name == "f32" else "a"
    return f"to_f64({value})"


def _from_double(target: Type, value: str, rounding: str, flush: bool) -> str:
    """A double rounded to a type."""
    if target.name == "f64":
        return value
    suffix = "" if rounding == "rn" else f"_{rounding}"
    if target.name == "f32":
        text = f"round_f32{suffix}({value})"
        return f"ftz_f32({text})" if flush else text
    return f"to_{target.name}{suffix}({value})"


def _from_integer(target: Type, source: Type, rounding: str, saturate: bool) -> Operation:
    if is_floating(target):
        if target.name in ("f16", "bf16"):  # an integer of 64 bits is rounded to odd in double first
            value = f"odd_f64_{source.name}(a)"
            text = _from_double(target, f"sat_f64({value})" if saturate else value, rounding or "rn", False)
            return one(target, (source,), text)
        text = f"{target.name}_{source.name}_{rounding or 'rn'}(a)"
        return one(target, (source,), f"sat_{target.name}({text})" if saturate else text)
    if saturate:
        return one(target, (source,), f"clamp_{target.name}_{source.name}(a)")
    return one(target, (source,), f"to_{target.name}(a)")


def _pack(target: Type, source: Type, rounding: str, relu: bool) -> Operation:
    """cvt.f16x2.f32 d, a, b: a becomes the upper half."""
    if source.name != "f32" or target.name not in ("f16x2", "bf16x2"):
        raise Unsupported(f"not from .{source.name} to .{target.name}")
    half = TYPES[target.name.removesuffix("x2")]
    values = [f"relu_f64(to_f64({name}))" if relu else f"to_f64({name})" for name in "ba"]
    low, high = (_from_double(half, value, rounding or "rn", False) for value in values)
    return one(target, (source, source), f"pack16({low}, {high})")
