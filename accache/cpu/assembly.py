"""Rewrite PTX in asm statements as C++, as far as it is known.

asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    ->  do { auto &&accache_0 = lane; ::accache_cpu::ptx::set(accache_0, ...); } while (0);
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from accache.base.text import Edit, Span
from accache.cpu.definitions import separated
from accache.cpu.tokens import Token, closing

ASSEMBLY = ("asm", "__asm__", "__asm")
_QUALIFIERS = ("volatile", "__volatile__", "inline")
_NAMESPACE = "::accache_cpu::ptx::"
_SIGNS = {"u": "u", "s": "", "b": "u"}
_INTEGERS = {f"{kind}{bits}": f"{sign}int{bits}_t" for bits in (16, 32, 64) for kind, sign in _SIGNS.items()}
_TYPES = {**_INTEGERS, "f32": "float", "f64": "double"}
_CACHING = frozenset(("ca", "cg", "cs", "lu", "cv", "nc", "wb", "wt", "global", "volatile", "L1::no_allocate"))
_SHAPES = {"tid": "threadIdx", "ntid": "blockDim", "ctaid": "blockIdx", "nctaid": "gridDim"}
_SPECIAL = {
    **{f"%{name}.{axis}": f"{shape}.{axis}" for name, shape in _SHAPES.items() for axis in "xyz"},
    "%laneid": "accache_cpu_lane()",
    "%warpid": f"({_NAMESPACE}linear_thread() / 32)",
    "%nwarpid": f"{_NAMESPACE}warps()",
    "%smid": "0u",
    "%nsmid": "1u",
    "%clock": "(unsigned)clock64()",
    "%clock64": "clock64()",
    "%globaltimer": "clock64()",
    "%lanemask_eq": "(1u << accache_cpu_lane())",
    "%lanemask_lt": "((1u << accache_cpu_lane()) - 1)",
    "%lanemask_le": "((2u << accache_cpu_lane()) - 1)",
    "%lanemask_gt": "~((2u << accache_cpu_lane()) - 1)",
    "%lanemask_ge": "~((1u << accache_cpu_lane()) - 1)",
    "WARP_SZ": "32",
}
_FENCES = ("membar", "fence.acq_rel", "fence.sc")
# Whole instructions without operands that matter.
_STATEMENTS = {
    **{f"{name} 0": "__syncthreads()" for name in ("bar.sync", "barrier.sync", "barrier.cta.sync")},
    **{f"{name}.cta": "__threadfence_block()" for name in _FENCES},
    **{f"{name}.{scope}": "__threadfence()" for name in _FENCES for scope in ("gl", "gpu", "sys")},
    "trap": "__trap()",
    "bar.warp.sync 0xffffffff": "__syncwarp()",
    "bar.warp.sync -1": "__syncwarp()",
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
# Instructions: the routine, how many sources there are, and the types of those that have not the instruction's.
_ROUTINES: dict[str, tuple[str, int, dict[int, str]]] = {
    "mov": ("mov", 1, {}),
    "add": ("add", 2, {}),
    "sub": ("sub", 2, {}),
    "mul.lo": ("mul_lo", 2, {}),
    "mul.hi": ("mul_hi", 2, {}),
    "mul.wide": ("mul_wide", 2, {}),
    "mad.lo": ("mad_lo", 3, {}),
    "mad.hi": ("mad_hi", 3, {}),
    "mad.wide": ("mad_wide", 3, {2: f"{_NAMESPACE}Wide<T>"}),
    "min": ("min", 2, {}),
    "max": ("max", 2, {}),
    "and": ("bit_and", 2, {}),
    "or": ("bit_or", 2, {}),
    "xor": ("bit_xor", 2, {}),
    "not": ("bit_not", 1, {}),
    "neg": ("neg", 1, {}),
    "abs": ("abs", 1, {}),
    "shl": ("shl", 2, {1: "uint32_t"}),
    "shr": ("shr", 2, {1: "uint32_t"}),
    "popc": ("popc", 1, {}),
    "clz": ("clz", 1, {}),
    "brev": ("brev", 1, {}),
    "sad": ("sad", 3, {}),
    "bfe": ("bfe", 3, {1: "uint32_t", 2: "uint32_t"}),
    "bfi": ("bfi", 4, {2: "uint32_t", 3: "uint32_t"}),
    "selp": ("selp", 3, {2: "bool"}),
}
_ON_FLOATS = {f"{name}{rounding}": name for name in ("add", "sub", "mul") for rounding in ("", ".rn")} | {
    "fma.rn": "fma"
}
_ALSO_FLOATS = frozenset(("mov", "neg", "selp"))
_ON_PREDICATES = frozenset(("and", "or", "xor"))
# CUDA's own intrinsics do these, on 32 bits.
_INTRINSICS = {
    "prmt.b32": "__byte_perm",
    "shf.l.wrap.b32": "__funnelshift_l",
    "shf.r.wrap.b32": "__funnelshift_r",
    "shf.l.clamp.b32": "__funnelshift_lc",
    "shf.r.clamp.b32": "__funnelshift_rc",
    "dp4a.s32.s32": "(int)__dp4a",
    "dp4a.u32.u32": "__dp4a",
}


@dataclass(frozen=True)
class Statement:
    """An asm statement with PTX: the tokens ``first`` to ``last`` (inclusive), and the C++ for it, if that is known."""

    first: int
    last: int
    text: str
    code: str | None


class _UnknownError(Exception):
    """An instruction or operand that C++ is not made of."""


def ptx_statements(text: str, tokens: tuple[Token, ...]) -> Iterator[Statement]:
    """The asm statements of a text whose assembly is PTX."""
    for first, token in enumerate(tokens):
        if token.text not in ASSEMBLY:
            continue
        opening = first + 1
        while opening < len(tokens) and tokens[opening].text in _QUALIFIERS:
            opening += 1
        if opening + 1 >= len(tokens) or tokens[opening].text != "(":
            continue
        last = closing(tokens, opening)
        end = opening + 1
        assembly = ""
        while tokens[end].kind == "string":
            assembly += _string(tokens[end].text)
            end += 1
        if is_ptx(assembly):
            yield Statement(first, last, " ".join(assembly.split()), _code(text, tokens, assembly, end, last=last))


def is_ptx(assembly: str) -> bool:
    """Whether assembly is PTX: its instructions end in a semicolon and have types, which no processor's have."""
    if assembly.lstrip().startswith("{"):
        return True
    words = assembly.split()
    plain = ("exit", "trap", "brkpt", "bra", "ret")
    return bool(words) and ("." in words[0] or words[0].startswith("@") or words[0].rstrip(";") in plain)


def assembly_edits(text: str, tokens: tuple[Token, ...]) -> list[Edit]:
    """Edits that put C++ in the place of the PTX that is known."""
    edits = []
    for statement in ptx_statements(text, tokens):
        if statement.code is not None:
            span = Span(tokens[statement.first].start, tokens[statement.last].end)
            breaks = re.findall(r"\\?\n", text[span.start : span.end])
            edits.append(Edit(span, statement.code + "".join(breaks)))
    return edits


def _string(literal: str) -> str:
    try:
        value = ast.literal_eval(literal)
    except (SyntaxError, ValueError):
        return literal.strip('"')
    return value if isinstance(value, str) else ""


def _code(text: str, tokens: tuple[Token, ...], assembly: str, colon: int, *, last: int) -> str | None:
    try:
        operands = tuple(_operands(text, tokens, colon, last))
        declarations = "".join(operands)
        names = {f"%{number}": f"accache_{number}" for number in range(len(operands))}
        return f"do {{ {declarations}{''.join(_instructions(assembly, names))}}} while (0)"
    except _UnknownError:
        return None


def _operands(text: str, tokens: tuple[Token, ...], colon: int, last: int) -> Iterator[str]:
    """A declaration for each operand; outputs are references."""
    part, position, number = 0, colon, 0
    while position < last:
        if tokens[position].text in (":", "::"):
            part += len(tokens[position].text)
            end = position + 1
            while end < last and tokens[end].text not in (":", "::"):
                end = closing(tokens, end) + 1 if tokens[end].text == "(" else end + 1
            for first, stop in separated(tokens, position + 1, end) if part < 3 else ():
                opening = next((index for index in range(first, stop) if tokens[index].text == "("), None)
                if opening is None or tokens[first].text.strip('"=+&') not in ("r", "l", "h", "f", "d"):
                    raise _UnknownError
                expression = text[tokens[opening].start : tokens[closing(tokens, opening)].end]
                plain = " ".join(expression.replace("\\\n", " ").split())
                yield f"{'auto &&' if part == 1 else 'const auto '}accache_{number} = {plain}; "
                number += 1
            position = end
        else:
            raise _UnknownError


def _instructions(assembly: str, names: dict[str, str]) -> Iterator[str]:
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", " ", assembly, flags=re.S).replace("%%", "%")
    known = dict(names)
    for part in re.sub(r"[{}]", ";", plain).split(";"):
        instruction = " ".join(part.split())
        if instruction.startswith(".reg "):
            registers = instruction.split(maxsplit=2)[2:]
            for name in "".join(registers).replace(" ", "").split(","):
                if not re.fullmatch(r"%?[A-Za-z_]\w*", name):
                    raise _UnknownError
                known[name] = f"accache_register_{name.lstrip('%')}"
                yield f"unsigned long long {known[name]} = 0; "
        elif instruction:
            yield _instruction(instruction, known)


def _instruction(instruction: str, names: dict[str, str]) -> str:
    guard = re.match(r"@(!?)(\S+) ", instruction)
    if guard:
        condition = f"{guard[1]}{_value(guard[2], 'bool', names)}"
        return f"if ({condition}) {{ {_instruction(instruction[guard.end() :], names)}}} "
    if instruction in _STATEMENTS:
        return f"{_STATEMENTS[instruction]}; "
    operation, _, rest = instruction.partition(" ")
    sources = [word.strip() for word in rest.split(",")]
    stem, _, suffix = operation.rpartition(".")
    name, *modifiers = stem.split(".") if stem else (suffix,)
    if name in ("ld", "ldu", "st") and len(sources) == 2 and set(modifiers) <= _CACHING and suffix in _TYPES:
        return _memory(name, _TYPES[suffix], sources, names)
    if name == "prefetch":
        return ""
    if operation == "activemask.b32":
        return _set(sources[0], "__activemask()", names)
    if (
        name == "setp"
        and len(modifiers) == 1
        and modifiers[0] in _COMPARISONS
        and suffix in _TYPES
        and len(sources) == 3
    ):
        a, b = (_value(source, _TYPES[suffix], names) for source in sources[1:])
        return _set(sources[0], f"{a} {_COMPARISONS[modifiers[0]]} {b}", names)
    return _set(sources[0], _computed(operation, stem, suffix, sources[1:], names=names), names)


def _computed(operation: str, stem: str, suffix: str, sources: list[str], *, names: dict[str, str]) -> str:
    if operation == "lop3.b32" and len(sources) == 4:
        return f"{_NAMESPACE}lop3({', '.join(_value(source, 'uint32_t', names) for source in sources)})"
    if operation in _INTRINSICS and len(sources) == 3:
        kind = "int" if operation.startswith("dp4a.s") else "unsigned"
        return f"{_INTRINSICS[operation]}({', '.join(_value(source, kind, names) for source in sources)})"
    if suffix not in _TYPES and suffix != "pred":
        raise _UnknownError
    kind = _TYPES.get(suffix, "bool")
    if suffix in ("f32", "f64") and stem in _ON_FLOATS:
        routine, count, others = _ON_FLOATS[stem], 3 if stem == "fma.rn" else 2, dict[int, str]()
    elif stem in _ROUTINES and (suffix in _INTEGERS or stem in (_ON_PREDICATES if suffix == "pred" else _ALSO_FLOATS)):
        routine, count, others = _ROUTINES[stem]
    else:
        raise _UnknownError
    if len(sources) != count:
        raise _UnknownError
    kinds = [others.get(position, kind).replace("<T>", f"<{kind}>") for position in range(count)]
    values = ", ".join(_value(source, each, names) for source, each in zip(sources, kinds, strict=True))
    return f"{_NAMESPACE}{routine}<{kind}>({values})"


def _memory(name: str, kind: str, operands: list[str], names: dict[str, str]) -> str:
    place = operands[0] if name == "st" else operands[1]
    found = re.fullmatch(r"\[\s*(%?\w+)\s*(?:\+\s*(-?\d+)\s*)?\]", place)
    if not found or found[1] not in names:
        raise _UnknownError
    cell = f"{_NAMESPACE}at<{kind}>({_value(found[1], 'uint64_t', names)} + {found[2] or 0})"
    return f"{cell} = {_value(operands[1], kind, names)}; " if name == "st" else _set(operands[0], cell, names)


def _set(target: str, value: str, names: dict[str, str]) -> str:
    if target not in names:
        raise _UnknownError
    return f"{_NAMESPACE}set({names[target]}, {value}); "


def _value(operand: str, kind: str, names: dict[str, str]) -> str:
    """An operand as a number of a type: a register, a constant or a special register."""
    if operand in names:
        return f"{_NAMESPACE}get<{kind}>({names[operand]})"
    if operand in _SPECIAL:
        return f"({kind}){_SPECIAL[operand]}"
    if re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|\d+)U?", operand):
        return f"({kind}){operand.rstrip('U')}ll"
    bits = re.fullmatch(r"0[fF]([0-9a-fA-F]{8})|0[dD]([0-9a-fA-F]{16})", operand)
    if bits and kind in ("float", "double"):
        return f"{_NAMESPACE}number<{kind}>(0x{bits[1] or bits[2]}ull)"
    raise _UnknownError
