"""The table of instructions that compute in single lanes: each opcode, and the rule that says what."""

from __future__ import annotations

from accache.ptx.rules import comparison_rules, conversion_rules, float_rules, integer_rules
from accache.ptx.rules.modifiers import Modifiers, Unsupported
from accache.ptx.rules.operation import Operation, Rule

RULES: dict[str, Rule] = {
    "abs": integer_rules.sign,
    "add": integer_rules.add,
    "addc": integer_rules.add_with_carry,
    "and": integer_rules.logic,
    "bfe": integer_rules.field,
    "bfi": integer_rules.field,
    "bfind": integer_rules.find,
    "bmsk": integer_rules.mask,
    "brev": integer_rules.reverse,
    "clz": integer_rules.count_bits,
    "cnot": integer_rules.invert,
    "copysign": float_rules.copysign,
    "cos": float_rules.approximate,
    "cvt": conversion_rules.convert,
    "div": integer_rules.divide,
    "dp2a": integer_rules.dot,
    "dp4a": integer_rules.dot,
    "ex2": float_rules.approximate,
    "fma": float_rules.fma,
    "lg2": float_rules.approximate,
    "lop3": integer_rules.lookup,
    "mad": integer_rules.multiply_add,
    "mad24": integer_rules.multiply_24,
    "madc": integer_rules.multiply_add,
    "max": integer_rules.extreme,
    "min": integer_rules.extreme,
    "mov": integer_rules.move,
    "mul": integer_rules.multiply,
    "mul24": integer_rules.multiply_24,
    "neg": integer_rules.sign,
    "not": integer_rules.invert,
    "or": integer_rules.logic,
    "popc": integer_rules.count_bits,
    "prmt": integer_rules.permute,
    "rcp": float_rules.root,
    "rem": integer_rules.divide,
    "rsqrt": float_rules.approximate,
    "sad": integer_rules.difference,
    "selp": comparison_rules.select,
    "set": comparison_rules.set_value,
    "setp": comparison_rules.set_predicate,
    "shf": integer_rules.funnel,
    "shl": integer_rules.shift,
    "shr": integer_rules.shift,
    "sin": float_rules.approximate,
    "slct": comparison_rules.select,
    "sqrt": float_rules.root,
    "sub": integer_rules.add,
    "subc": integer_rules.add_with_carry,
    "szext": integer_rules.mask,
    "tanh": float_rules.approximate,
    "testp": float_rules.test_property,
    "xor": integer_rules.logic,
}


def operation(opcode: str, modifiers: tuple[str, ...]) -> Operation:
    """What an instruction computes in a lane.

    :raises Unsupported: it is not one that does, or not with these modifiers.

    >>> operation("add", ("s32",)).expressions
    ('to_u32(a + b)',)
    """
    rule = RULES.get(opcode)
    if rule is None:
        raise Unsupported("the machine does not know this instruction")
    left = Modifiers(modifiers)
    found = rule(opcode, left)
    left.finish()
    return found
