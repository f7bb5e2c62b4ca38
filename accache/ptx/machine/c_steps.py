"""Single steps of the machine as C, for the lanes of a warp that take part.

Each is written for a mask ``m``: the text ``{lanes}`` in it stands for the loop over the lanes that take part.
"""

from __future__ import annotations

from functools import singledispatch

from accache.ptx.machine.c_values import read, register, write
from accache.ptx.machine.program import (
    Action,
    ActiveMask,
    Atomic,
    Compute,
    Constant,
    Copy,
    External,
    Load,
    Match,
    Nothing,
    Pack,
    Place,
    Reduce,
    Register,
    Routine,
    Shuffle,
    Store,
    Unpack,
    Vote,
)
from accache.ptx.rules.operation import NAMES
from accache.ptx.rules.types import TYPES, Type, bits_type

LOOP = "{lanes}"
_U8, _U32, _U64 = TYPES["u8"], TYPES["u32"], TYPES["u64"]
_FAIL = "return 1;"


def step(action: Action, routine: Routine, pc: int) -> str:
    """The C of a step that does not decide where lanes go next."""
    return _step(action, routine, pc)


@singledispatch
def _step(action: Action, routine: Routine, pc: int) -> str:
    raise TypeError(f"no step: {action!r}")


@_step.register
def _(action: Nothing, routine: Routine, pc: int) -> str:
    return ""


@_step.register
def _(action: Compute, routine: Routine, pc: int) -> str:
    operation = action.operation
    lines = [
        f"const {type_.c} {name} = {read(source, type_)};"
        for name, type_, source in zip(NAMES, operation.operands, action.operands, strict=False)
    ]
    carry = routine.carry
    texts = "".join((*operation.expressions, operation.carry))
    if "k" in _words(texts):
        lines.append(f"const u8 k = {register(carry)};")
    writes = []
    for number, (result, type_, expression) in enumerate(
        zip(action.results, operation.results, operation.expressions, strict=True)
    ):
        if result is not None:
            lines.append(f"const {type_.c} x{number} = {expression};")
            writes.append(write(result, type_, f"x{number}"))
    if operation.carry:
        lines.append(f"const u8 y = {operation.carry};")
        writes.append(write(carry, _U8, "y"))
    return f"{LOOP} {{ {' '.join(lines + writes)} }}"


def _words(text: str) -> set[str]:
    return set("".join(letter if letter.isalnum() or letter == "_" else " " for letter in text).split())


@_step.register
def _(action: Pack, routine: Routine, pc: int) -> str:
    whole = TYPES[f"u{action.part.bits * len(action.parts)}"]
    part = TYPES[f"u{action.part.bits}"]
    terms = [f"({whole.c}){read(source, part)} << {number * part.bits}" for number, source in enumerate(action.parts)]
    return f"{LOOP} {{ const {whole.c} x = {' | '.join(terms)}; {write(action.result, whole, 'x')} }}"


@_step.register
def _(action: Unpack, routine: Routine, pc: int) -> str:
    part = TYPES[f"u{action.part.bits}"]
    whole = TYPES[f"u{part.bits * len(action.results)}"]
    writes = " ".join(
        write(result, part, f"x >> {number * part.bits}")
        for number, result in enumerate(action.results)
        if result is not None
    )
    return f"{LOOP} {{ const {whole.c} x = {read(action.value, whole)}; {writes} }}"


def reached(place: Place, pc: int, size: int, alignment: int, *, writes: bool, name: str = "at") -> str:
    """Code that makes pointers to what every lane accesses."""
    type_ = _U32 if isinstance(place.base, Register) and place.base.type.bits == 32 else _U64
    offset = place.offset & ((1 << type_.bits) - 1)
    value = f"({type_.c})({read(place.base, type_)} + {offset:#x}ull)"
    held = type_.c if place.space == "shared" else "u64"
    lines = f"{held} {name}[LANES]; for (u32 l = 0; l < LANES; l++) {name}[l] = {value};"
    common = f"c, w, {pc}, m, {name}, {size}, {alignment}"
    if place.space in ("global", "generic"):
        return f"{lines} if (reach({common}, {int(writes)})) {_FAIL}"
    function = {"shared": f"reach_shared_{type_.c}", "local": "reach_local"}.get(place.space, "reach_constant")
    return f"{lines} if ({function}({common})) {_FAIL}"


def _pointer(place: Place) -> str:
    """What a lane accesses, after it was reached."""
    return "c->shared + at[l]" if place.space == "shared" else "(u8 *)at[l]"


def _argument(place: Place) -> str:
    return f"f->arguments[l] + {place.offset}"


@_step.register
def _(action: Load, routine: Routine, pc: int) -> str:
    held = _held(action.type)
    size = action.type.bytes
    place = action.place
    if place.space == "param" and isinstance(place.base, Constant):
        offset = (place.base.bits & 0xFFFFFFFF) + place.offset
        lines = [
            f"{{ {held.c} x; memcpy(&x, c->launch->params + {offset + number * size}, {size}); "
            f"{LOOP} {{ {write(result, held, 'x')} }} }}"
            for number, result in enumerate(action.results)
            if result is not None
        ]
        return " ".join(lines)
    reads = [
        f"{held.c} x{number}; memcpy(&x{number}, p + {number * size}, {size});"
        if number < action.used
        else f"{held.c} x{number} = 0;"
        for number, result in enumerate(action.results)
        if result is not None
    ]
    writes = [write(result, held, f"x{number}") for number, result in enumerate(action.results) if result is not None]
    body = " ".join(reads + writes)
    if place.space == "argument":
        return f"{LOOP} {{ const u8 *p = {_argument(place)}; {body} }}"
    setup = reached(place, pc, size * action.used, size * len(action.results), writes=False)
    return f"{setup} {LOOP} {{ const u8 *p = {_pointer(place)}; {body} }}"


def _held(type_: Type) -> Type:
    """The integer type in which a value is moved: with its sign, if it has one."""
    return type_ if type_.kind == "s" else bits_type(type_.bytes)


@_step.register
def _(action: Store, routine: Routine, pc: int) -> str:
    held, size, place = bits_type(action.type.bytes), action.type.bytes, action.place
    body = " ".join(
        f"{{ const {held.c} x = {read(value, held)}; memcpy(p + {number * size}, &x, {size}); }}"
        for number, value in enumerate(action.values)
    )
    if place.space in ("argument", "param"):
        return f"{LOOP} {{ u8 *p = {_argument(place)}; {body} }}"
    total = size * len(action.values)
    setup = reached(place, pc, total, total, writes=True)
    return f"{setup} {LOOP} {{ u8 *p = {_pointer(place)}; {body} }}"


def changed(change: str, type_: Type) -> str:
    """What an atomic instruction makes of ``a`` in memory with ``b`` and ``d``, as an expression of bits."""
    if type_.name in ("f16x2", "bf16x2"):
        half = TYPES[type_.name.removesuffix("x2")]
        low = changed(change, half).replace("(a)", "(low16(a))").replace("(b)", "(low16(b))")
        return f"pack16({low}, {low.replace('low16', 'high16')})"
    if type_.name in ("f16", "bf16"):
        name = f"{change}_odd_f64" if change == "add" else f"{change}_f64"
        return f"to_{type_.name}({name}(from_{type_.name}(a), from_{type_.name}(b)))"
    if type_.kind == "f":
        return f"bits_of_{type_.name}(add_rn_{type_.name}({type_.name}_of(a), {type_.name}_of(b)))"
    texts = {
        "add": "a + b",
        "and": "a & b",
        "or": "a | b",
        "xor": "a ^ b",
        "exch": "b",
        "cas": "(a == b ? d : a)",
        "inc": "(a >= b ? 0 : a + 1)",
        "dec": "(a == 0 || a > b ? b : a - 1)",
    }
    signed = f"s{type_.bits}"
    compare = "<" if change == "min" else ">"
    order = f"({signed})a {compare} ({signed})b" if type_.kind == "s" else f"a {compare} b"
    return texts.get(change, f"({order} ? a : b)")


@_step.register
def _(action: Atomic, routine: Routine, pc: int) -> str:
    held = bits_type(action.type.bytes)
    if action.type.kind == "f" and action.change in ("exch", "cas"):
        text = changed(action.change, held)
    else:
        text = changed(action.change, action.type)
    operands = [
        f"const {held.c} {name} = {read(source, held)};" for name, source in zip("bd", action.operands, strict=False)
    ]
    result = write(action.result, held, "a") if action.result is not None else ""
    loop = (
        f"{held.c} *p = ({held.c} *)({_pointer(action.place)}); {held.c} a = __atomic_load_n(p, __ATOMIC_RELAXED), x; "
        f"do x = ({held.c})({text}); "
        "while (!__atomic_compare_exchange_n(p, &a, x, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));"
    )
    setup = reached(action.place, pc, held.bytes, held.bytes, writes=True)
    return f"{setup} {LOOP} {{ {' '.join(operands)} {loop} {result} }}"


@_step.register
def _(action: Copy, routine: Routine, pc: int) -> str:
    source = reached(action.source, pc, action.bytes, action.bytes, writes=False, name="from")
    target = reached(action.target, pc, action.bytes, action.bytes, writes=True)
    count = f"const u32 n = {read(action.available, _U32)};"
    move = (
        f"u8 *p = {_pointer(action.target)}; memset(p, 0, {action.bytes}); "
        f"memcpy(p, (u8 *)from[l], n < {action.bytes} ? n : {action.bytes});"
    )
    return f"{source} {target} {LOOP} {{ {count} {move} }}"


@_step.register
def _(action: ActiveMask, routine: Routine, pc: int) -> str:
    return f"{LOOP} {{ {write(action.result, _U32, 'm')} }}"


_MODES = {"up": "UP", "down": "DOWN", "bfly": "BUTTERFLY", "idx": "INDEX"}


@_step.register
def _(action: Shuffle, routine: Routine, pc: int) -> str:
    writes = ""
    if action.result is not None:
        writes += write(action.result, _U32, "values[j]") + " "
    if action.valid is not None:
        writes += write(action.valid, _U8, "ok")
    lane = f"shuffled({_MODES[action.mode]}, l, {read(action.lane, _U32)}, {read(action.clamp, _U32)}, &ok)"
    return (
        f"u32 values[LANES]; for (u32 l = 0; l < LANES; l++) values[l] = {read(action.value, _U32)}; "
        f"{LOOP} {{ u8 ok; const u32 j = {lane}; (void)j; {writes} }}"
    )


@_step.register
def _(action: Vote, routine: Routine, pc: int) -> str:
    votes = f"u32 votes = 0; {LOOP} votes |= (u32)({read(action.predicate, _U8)} != 0) << l;"
    found = {"all": "votes == m", "any": "votes != 0", "uni": "votes == m || votes == 0", "ballot": "votes"}[
        action.mode
    ]
    type_ = _U32 if action.mode == "ballot" else _U8
    return f"{votes} {LOOP} {{ {write(action.result, type_, found)} }}"


@_step.register
def _(action: Match, routine: Routine, pc: int) -> str:
    type_ = bits_type(action.type.bytes)
    values = f"{type_.c} values[LANES]; for (u32 l = 0; l < LANES; l++) values[l] = {read(action.value, type_)};"
    same = "u32 same = 0; for (u32 i = 0; i < LANES; i++) same |= (u32)((m >> i & 1) && values[i] == values[l]) << i;"
    agrees = write(action.agrees, _U8, "same == m") if action.agrees is not None else ""
    found = "same" if action.mode == "any" else "same == m ? same : 0"
    return f"{values} {LOOP} {{ {same} {write(action.result, _U32, found)} {agrees} }}"


@_step.register
def _(action: Reduce, routine: Routine, pc: int) -> str:
    start = {"add": "0", "or": "0", "xor": "0", "and": "ALL"}.get(action.change, "values[__builtin_ctz(m)]")
    return (
        f"u32 values[LANES]; for (u32 l = 0; l < LANES; l++) values[l] = {read(action.value, _U32)}; "
        f"u32 all = {start}; "
        f"{LOOP} {{ const u32 a = all, b = values[l]; all = {changed(action.change, action.type)}; }} "
        f"{LOOP} {{ {write(action.result, _U32, 'all')} }}"
    )


@_step.register
def _(action: External, routine: Routine, pc: int) -> str:
    words = [_argument_word(offset, size, f"a{number}") for number, (offset, size) in enumerate(action.arguments)]
    if action.name == "vprintf":
        body = f"u32 x; if (print_lane(c, w, l, a0, a1, &x)) return fail(c, w, OUT_OF_BOUNDS, {pc}, l, a0, 1);"
    elif action.name == "malloc":
        body = "u64 x = take_memory(c, a0);"
    elif action.name == "free":
        return ""
    else:
        return f"{LOOP} return fail(c, w, ASSERTED, {pc}, l, 0, 0);"
    results = "".join(f"memcpy(f->arguments[l] + {offset}, &x, {size});" for offset, size in action.results)
    return f"{LOOP} {{ {' '.join(words)} {body} {results} }}"


def _argument_word(offset: int, size: int, name: str) -> str:
    return f"u64 {name} = 0; memcpy(&{name}, f->arguments[l] + {offset}, {size});"
