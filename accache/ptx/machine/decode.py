"""Single instructions to what they do: operands resolved, modifiers understood, all else refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from accache.ptx.machine.layout import constant_bits
from accache.ptx.machine.program import (
    CONST,
    LOCAL,
    PARAM,
    SHARED,
    WINDOW,
    WINDOWS,
    Action,
    Branch,
    Choose,
    Compute,
    Constant,
    Exit,
    Flipped,
    FrameAddress,
    Guard,
    Load,
    Nothing,
    Pack,
    Place,
    Register,
    Return,
    Source,
    Special,
    Store,
    Trap,
    Unpack,
)
from accache.ptx.machine.scopes import Argument, Jump, Local, Scope, Shared
from accache.ptx.rules.modifiers import Modifiers, Unsupported
from accache.ptx.rules.opcodes import operation
from accache.ptx.rules.operation import one
from accache.ptx.rules.types import TYPES, Type
from accache.ptx.text.syntax import (
    Address,
    Immediate,
    Instruction,
    Name,
    Negated,
    Operand,
    Pair,
    Predicate,
    Sum,
    Targets,
    Vector,
)

SPACES = ("global", "shared", "local", "const", "param")
# Words that tell caches, or threads of other blocks, what to do: they do not change what an access reads or writes.
_HINTS = (
    *("ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc"),
    *("weak", "mmio", "cta", "cluster", "gpu", "sys", "gl", "unified", "noftz"),
)
_SPECIAL_BASES = (
    *("%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "%warpid", "%nwarpid", "%smid", "%nsmid", "%gridid"),
    *("%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt", "%clock", "%clock_hi"),
    *("%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi", "%dynamic_smem_size", "%total_smem_size"),
)
_NO_EFFECT = ("membar", "fence", "prefetch", "prefetchu", "nanosleep", "applypriority", "griddepcontrol", "discard")


class Names:
    """What the names of an instruction mean: those of its scope, then those of the module."""

    def __init__(self, scope: Scope, addresses: Mapping[str, int], is_kernel: bool) -> None:
        self.scope = scope
        self._addresses = addresses
        self._is_kernel = is_kernel

    def register(self, operand: Operand) -> Register | None:
        """A register that gets a result; None for ``_``."""
        if not isinstance(operand, Name):
            raise Unsupported("this operand must be a register")
        if operand.text == "_":
            return None
        found = self.scope.find(operand.text)
        if not isinstance(found, Register):
            raise Unsupported(f"'{operand.text}' is not a register here")
        return found

    def wanted(self, operand: Operand) -> Register:
        """A register that gets a result and is not ``_``."""
        found = self.register(operand)
        if found is None:
            raise Unsupported("'_' cannot stand here")
        return found

    def source(self, operand: Operand, type_: Type) -> Source:
        """A value that is read as one of a type."""
        if isinstance(operand, Immediate):
            is_truth = type_.kind == "p"  # nvcc writes -1 for true
            return Constant(int(operand.value != 0) if is_truth else constant_bits(operand, type_.name))
        if isinstance(operand, Negated):
            return Flipped(self.wanted(operand.operand))
        if isinstance(operand, Sum):
            return self._named(operand.base.text, operand.offset.value if operand.offset else 0)
        if isinstance(operand, Name):
            return self._named(operand.text, 0)
        raise Unsupported("this operand must be a single value")

    def _named(self, name: str, offset: int) -> Source:
        found = self.scope.find(name)
        if isinstance(found, Register):
            if offset:
                raise Unsupported(f"'{name}' is a register, to which no number is added here")
            return found
        if isinstance(found, Local):
            return FrameAddress(found.offset + offset)
        if isinstance(found, Shared):
            return Constant(found.offset + offset)
        if isinstance(found, Argument):
            if not self._is_kernel:
                raise Unsupported(f"the address of the parameter '{name}' of a function")
            return Constant((PARAM << WINDOW) + found.offset + offset)
        if name in self._addresses:
            return Constant(self._addresses[name] + offset)
        if name.startswith("%") or name == "WARP_SZ":
            return self._special(name)
        raise Unsupported(f"'{name}' is not declared")

    def _special(self, name: str) -> Source:
        if name == "WARP_SZ":
            return Constant(32)
        if name.startswith("%envreg"):
            raise Unsupported(f"'{name}' tells how the threads of a whole grid meet (cooperative groups)")
        if name.split(".")[0] not in _SPECIAL_BASES:
            raise Unsupported(f"the machine has no register '{name}'")
        return Special(name)

    def place(self, operand: Operand, space: str) -> Place:
        """An address in brackets."""
        if not isinstance(operand, Address) or operand.coordinates:
            raise Unsupported("this operand must be an address")
        offset = operand.offset.value if operand.offset else 0
        if isinstance(operand.base, Immediate):
            return Place(space, Constant(operand.base.value), offset)
        name = operand.base.text
        found = self.scope.find(name)
        if isinstance(found, Argument):
            if space != "param":
                raise Unsupported(f"'{name}' is a parameter")
            return self._argument(found, offset)
        return Place(space, self._named(name, 0), offset)

    def _argument(self, found: Argument, offset: int) -> Place:
        """A parameter of the kernel, or a value in the function's argument area; calls of kernels lie there too."""
        if self._is_kernel and found.offset < self.scope.frame.kernel_bytes:
            return Place("param", Constant(PARAM << WINDOW), found.offset + offset)
        return Place("argument", Constant(0), found.offset + offset)

    def argument(self, operand: Operand) -> tuple[int, int]:
        """A parameter of a call: its range in the argument area."""
        found = self.scope.find(operand.text) if isinstance(operand, Name) else None
        if not isinstance(found, Argument):
            raise Unsupported("arguments of calls must be .param variables")
        return found.offset, found.bytes

    def label(self, operand: Operand) -> int:
        """The step a label stands before."""
        found = self.scope.find(operand.text) if isinstance(operand, Name) else None
        if not isinstance(found, Jump):
            raise Unsupported("this operand must be a label of the function")
        return found.index

    def labels(self, operand: Operand) -> tuple[int, ...]:
        """The steps that a list of targets names."""
        found = self.scope.find(operand.text) if isinstance(operand, Name) else None
        if not isinstance(found, Targets):
            raise Unsupported("this operand must name .branchtargets")
        return tuple(self.label(Name(name)) for name in found.targets)

    def guard(self, predicate: Predicate | None) -> Guard | None:
        """Which lanes take part."""
        if predicate is None:
            return None
        return Guard(self.wanted(Name(predicate.register)), predicate.is_negated)


def space_of(left: Modifiers) -> str:
    """The space of memory that an access names; ``generic`` if it names none."""
    for word in (*SPACES, "shared::cta", "shared::cluster", "param::entry", "param::func"):
        if left.flag(word):
            return word.split("::")[0]
    return "generic"


def without_hints(left: Modifiers) -> None:
    """Take what does not change the value of an access."""
    while left.one_of(*_HINTS):
        pass
    left.starting("L1::", "L2::", "level::")


def compute(instruction: Instruction, names: Names) -> Action:
    """An instruction of the table."""
    if instruction.opcode == "mov":
        vector = _vector_move(instruction, names)
        if vector is not None:
            return vector
    found = operation(instruction.opcode, instruction.modifiers)
    first, *rest = instruction.operands
    results: tuple[Register | None, ...]
    if isinstance(first, Pair):
        results = (names.register(first.first), names.register(first.second))
    else:
        results = (names.register(first), *((None,) * (len(found.results) - 1)))
    if len(rest) != len(found.operands) or len(results) != len(found.results):
        raise Unsupported(f"with {1 + len(rest)} operands")
    operands = tuple(names.source(operand, type_) for operand, type_ in zip(rest, found.operands, strict=True))
    return Compute(found, results, operands)


def _vector_move(instruction: Instruction, names: Names) -> Action | None:
    """Mov between a value and its parts."""
    target, source = instruction.operands
    vector = target if isinstance(target, Vector) else source
    if not isinstance(vector, Vector):
        return None
    (word,) = instruction.modifiers
    bits = 128 if word == "b128" else TYPES[word].bits
    if bits // len(vector.elements) not in (8, 16, 32, 64) or bits > 64:
        raise Unsupported(f"not with .{word}")
    part = TYPES[f"b{bits // len(vector.elements)}"]
    if vector is target:
        return Unpack(tuple(map(names.register, vector.elements)), names.source(source, TYPES[f"b{bits}"]), part)
    return Pack(names.wanted(target), tuple(names.source(element, part) for element in vector.elements), part)


def load(instruction: Instruction, names: Names) -> Action:
    """Ld and ldu."""
    left = Modifiers(instruction.modifiers)
    space, count = space_of(left), _count(left)
    without_hints(left)
    type_ = left.type()
    left.finish()
    target, address = instruction.operands[:2]
    elements = target.elements if isinstance(target, Vector) else (target,)
    if len(elements) != count:
        raise Unsupported(f"with {len(elements)} results")
    used = min(-(-instruction.used_bytes.bit_length() // type_.bytes) or count, count)
    return Load(names.place(address, space), type_, tuple(map(names.register, elements)), used)


def store(instruction: Instruction, names: Names) -> Action:
    """St."""
    left = Modifiers(instruction.modifiers)
    space, count = space_of(left), _count(left)
    without_hints(left)
    type_ = left.type()
    left.finish()
    address, value = instruction.operands[:2]
    elements = value.elements if isinstance(value, Vector) else (value,)
    if len(elements) != count:
        raise Unsupported(f"with {len(elements)} values")
    if space == "const":
        raise Unsupported("constants are not written")
    return Store(names.place(address, space), type_, tuple(names.source(element, type_) for element in elements))


def _count(left: Modifiers) -> int:
    return int((left.one_of("v2", "v4", "v8") or "v1")[1:])


def convert_address(instruction: Instruction, names: Names) -> Action:
    """cvta: addresses of constants and parameters are those of all memory already."""
    left = Modifiers(instruction.modifiers)
    is_to, space, type_ = left.flag("to"), space_of(left), left.type()
    left.finish()
    target, source = instruction.operands
    window = WINDOWS[space] if space in ("shared", "local") else 0
    if window and type_.bits != 64:
        raise Unsupported("not with 32 bits")
    held = TYPES[f"u{type_.bits}"]
    text = f"to_{held.name}(a {'-' if is_to else '+'} to_u64({window}))" if window else "a"
    return Compute(one(held, (held,), text), (names.register(target),), (names.source(source, held),))


def is_space(instruction: Instruction, names: Names) -> Action:
    """Isspacep."""
    left = Modifiers(instruction.modifiers)
    space = space_of(left)
    left.finish()
    numbers = {"const": CONST, "param": PARAM, "shared": SHARED, "local": LOCAL}
    text = f"istrue((a >> {WINDOW}) == {numbers[space]})" if space != "global" else f"istrue((a >> {WINDOW}) < {CONST})"
    u64 = TYPES["u64"]
    target, source = instruction.operands
    return Compute(one(TYPES["pred"], (u64,), text), (names.register(target),), (names.source(source, u64),))


def branch(instruction: Instruction, names: Names) -> Action:
    """Bra and brx.idx."""
    words = Modifiers(instruction.modifiers)
    words.flag("uni")
    if instruction.opcode == "brx":
        words.flag("idx")
        words.finish()
        index, targets = instruction.operands
        return Choose(names.source(index, TYPES["u32"]), names.labels(targets))
    words.finish()
    return Branch(names.label(instruction.operands[0]))


def plain(instruction: Instruction, names: Names) -> Action:
    """ret, exit, trap, and what has no effect that programs here can see."""
    if instruction.opcode == "ret":
        return Return()
    if instruction.opcode == "exit":
        return Exit()
    return Trap() if instruction.opcode == "trap" else Nothing()


DECODERS: dict[str, Callable[[Instruction, Names], Action]] = {
    "bra": branch,
    "brx": branch,
    "cvta": convert_address,
    "exit": plain,
    "isspacep": is_space,
    "ld": load,
    "ldu": load,
    "ret": plain,
    "st": store,
    "trap": plain,
    **dict.fromkeys(_NO_EFFECT, plain),
}
