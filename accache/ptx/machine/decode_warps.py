"""Instructions by which lanes and threads meet, exchange values, or change memory in one step."""

from __future__ import annotations

from collections.abc import Callable

from accache.ptx.machine.decode import Names, space_of, without_hints
from accache.ptx.machine.program import (
    Action,
    ActiveMask,
    Atomic,
    Barrier,
    Copy,
    Match,
    MatchMode,
    Nothing,
    Reduce,
    Register,
    Shuffle,
    ShuffleMode,
    Source,
    Vote,
    VoteMode,
    WarpBarrier,
)
from accache.ptx.rules.modifiers import Modifiers, Unsupported
from accache.ptx.rules.types import TYPES
from accache.ptx.text.syntax import Instruction, Operand, Pair

_U32, _PREDICATE = TYPES["u32"], TYPES["pred"]
_CHANGES = ("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec")
_HALF_CHANGES = ("add", "min", "max")


def atomic(instruction: Instruction, names: Names) -> Action:
    """Atom and red."""
    left = Modifiers(instruction.modifiers)
    space = space_of(left)
    change = left.one_of(*_CHANGES)
    without_hints(left)
    type_ = left.type()
    left.finish()
    if not change or (type_.name in ("f16", "bf16", "f16x2", "bf16x2") and change not in _HALF_CHANGES):
        raise Unsupported(f"not with .{type_.name}")
    if type_.kind == "f" and change not in ("add", "exch", "cas") and type_.bits >= 32:
        raise Unsupported(f"not .{change} with .{type_.name}")
    operands = list(instruction.operands)
    result = names.register(operands.pop(0)) if instruction.opcode == "atom" else None
    address, *values = operands
    if len(values) != (2 if change == "cas" else 1):
        raise Unsupported(f"with {len(instruction.operands)} operands")
    return Atomic(
        names.place(address, space), type_, change, tuple(names.source(value, type_) for value in values), result
    )


def copy(instruction: Instruction, names: Names) -> Action:
    """cp.async: done at once, which is as good a moment as any until the program waits for it."""
    left = Modifiers(instruction.modifiers)
    if not left.flag("async") or left.flag("bulk"):
        raise Unsupported("the machine knows cp.async of 4, 8 and 16 bytes only")
    if left.one_of("commit_group", "wait_group", "wait_all"):
        left.finish()
        return Nothing()
    without_hints(left)
    if not left.one_of("shared", "shared::cta") or not left.flag("global"):
        raise Unsupported("the machine knows copies from global to shared memory only")
    left.finish()
    target, source, count, *more = instruction.operands
    size = names.source(count, _U32)
    available = names.source(more[0], _U32) if more else size
    bits = getattr(size, "bits", 0)
    if bits not in (4, 8, 16) or len(more) > 1:
        raise Unsupported("copies are of 4, 8 or 16 bytes")
    return Copy(names.place(target, "shared"), names.place(source, "global"), bits, available)


def barrier(instruction: Instruction, names: Names) -> Action:
    """Bar and barrier."""
    left = Modifiers(instruction.modifiers)
    left.flag("cta")
    left.flag("aligned")
    operands = list(instruction.operands)
    if left.flag("warp"):
        left.flag("sync")
        left.finish()
        if len(operands) != 1:
            raise Unsupported(f"with {len(operands)} operands")
        return WarpBarrier(names.source(instruction.operands[0], _U32))
    kind = left.one_of("sync", "arrive", "red")
    reduction = left.one_of("popc", "and", "or") if kind == "red" else ""
    if kind == "red":
        left.type()
    left.finish()
    if not kind or (kind == "red" and not reduction):
        raise Unsupported("the machine knows barriers of a block only")
    if len(operands) - 2 * bool(reduction) not in ((2,) if kind == "arrive" else (1, 2)):
        raise Unsupported(f"with {len(operands)} operands")
    result = names.register(operands.pop(0)) if reduction else None
    predicate = names.source(operands.pop(), _PREDICATE) if reduction else None
    number, *threads = (names.source(operand, _U32) for operand in operands)
    return Barrier(kind != "arrive", number, threads[0] if threads else None, reduction, predicate, result)


def _members(left: Modifiers, operands: list[Operand], names: Names) -> Source | None:
    """The mask behind the operands of a .sync instruction."""
    return names.source(operands.pop(), _U32) if left.flag("sync") else None


def _pair(operand: Operand, names: Names) -> tuple[Register | None, Register | None]:
    if isinstance(operand, Pair):
        return names.register(operand.first), names.register(operand.second)
    return names.register(operand), None


def shuffle(instruction: Instruction, names: Names) -> Action:
    """Shfl."""
    left = Modifiers(instruction.modifiers)
    operands = list(instruction.operands)
    members = _members(left, operands, names)
    mode: ShuffleMode = left.required("up", "down", "bfly", "idx")
    left.type()
    left.finish()
    if len(operands) != 4:
        raise Unsupported(f"with {len(instruction.operands)} operands")
    target, value, lane, clamp = operands
    result, valid = _pair(target, names)
    sources = [names.source(operand, _U32) for operand in (value, lane, clamp)]
    return Shuffle(mode, result, valid, sources[0], lane=sources[1], clamp=sources[2], members=members)


def vote(instruction: Instruction, names: Names) -> Action:
    """Vote."""
    left = Modifiers(instruction.modifiers)
    operands = list(instruction.operands)
    members = _members(left, operands, names)
    mode: VoteMode = left.required("all", "any", "uni", "ballot")
    left.type()
    left.finish()
    target, predicate = operands
    return Vote(mode, names.wanted(target), names.source(predicate, _PREDICATE), members)


def match(instruction: Instruction, names: Names) -> Action:
    """match.any and match.all."""
    left = Modifiers(instruction.modifiers)
    mode: MatchMode = left.required("any", "all")
    left.flag("sync")
    type_ = left.type()
    left.finish()
    target, value, members = instruction.operands
    result, agrees = _pair(target, names)
    if result is None:
        raise Unsupported("'_' cannot stand here")
    return Match(mode, type_, result, agrees, names.source(value, type_), names.source(members, _U32))


def reduce(instruction: Instruction, names: Names) -> Action:
    """Redux."""
    left = Modifiers(instruction.modifiers)
    left.flag("sync")
    change = left.one_of("add", "min", "max", "and", "or", "xor")
    type_ = left.type()
    left.finish()
    if type_.bits != 32 or type_.kind == "f":
        raise Unsupported(f"not with .{type_.name}")
    target, value, members = instruction.operands
    return Reduce(change, type_, names.wanted(target), names.source(value, type_), names.source(members, _U32))


def active_mask(instruction: Instruction, names: Names) -> Action:
    """Activemask."""
    return ActiveMask(names.wanted(instruction.operands[0]))


DECODERS: dict[str, Callable[[Instruction, Names], Action]] = {
    "activemask": active_mask,
    "atom": atomic,
    "bar": barrier,
    "barrier": barrier,
    "cp": copy,
    "match": match,
    "red": atomic,
    "redux": reduce,
    "shfl": shuffle,
    "vote": vote,
}
