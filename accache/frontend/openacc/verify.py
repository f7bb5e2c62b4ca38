"""What no later pass can handle inside a compute region is refused here, before anything is planned."""

from __future__ import annotations

from collections.abc import Iterator

from accache.base.diagnostics import Reporter
from accache.base.text import Location
from accache.frontend.c.expressions import UNREADABLE
from accache.frontend.c.jumps import UNTIL_ITS_END
from accache.frontend.openacc.subarrays import verify_caches
from accache.frontend.source.alignment import Unit
from accache.frontend.source.cuda_words import INSTEAD
from accache.frontend.source.gnu import MEANING
from accache.ir.builtins import ENDING_CALLS, HEAP_CALLS, MEMORY_CALLS, PRINT, is_pure_call
from accache.ir.constants import constant
from accache.ir.keywords import KEYWORDS, replacement
from accache.ir.names import user_name
from accache.ir.nodes import below, nodes_below
from accache.ir.openacc.atomics import same
from accache.ir.openacc.regions import Program, Region
from accache.ir.openacc.routines import Routine
from accache.ir.tree import (
    Call,
    Cast,
    Comma,
    Conditional,
    Declare,
    Evaluate,
    Expr,
    For,
    Jump,
    Label,
    SizeOf,
    Stmt,
    Unary,
    Variable,
)
from accache.ir.types import (
    COMPLEX_PARTS,
    SIZES,
    Arithmetic,
    Array,
    Complex,
    CType,
    Enum,
    Function,
    Named,
    Pointer,
    Record,
    Void,
    resolve,
)

UNCOMMON = ("++", "--", "p++", "p--", "~")
"""Operators of complex numbers that only GNU C has."""

GOTO = "a goto that leads backward, into a statement, or out of a switch or a parallel loop"
_CALLABLE = (
    "functions of <math.h> on numbers, abs, malloc, free, memcpy, memset, printf, abort, and functions that this file "
    "defines or makes routines can be"
)


def verify(program: Program, reporter: Reporter) -> None:
    """Report calls, jumps, types and declarations a kernel cannot have."""
    callable_names = frozenset(item.name for item in program.routines) | {name for name, _ in program.bound}
    for routine in program.routines:
        _verify_routine(routine, callable_names, reporter)
        verify_caches(routine.body, reporter)
    for region in program.regions:
        labels = {node.name for node in _nodes(region.body) if isinstance(node, Label)}
        for node in _nodes(region.body):
            if isinstance(node, Call):
                _verify_call(node, callable_names, reporter)
            elif isinstance(node, Jump) and node.keyword == "goto" and node.label in labels:
                reporter.report("ACC301", node.location, construct=GOTO)
            elif isinstance(node, Jump) and node.keyword in ("return", "goto"):
                reporter.report(
                    "ACC244", node.location, keyword=node.keyword, construct=region.kind, hint=UNTIL_ITS_END
                )
            elif isinstance(node, Declare) and node.static and not _keeps_its_value(node.type):
                reporter.report("ACC317", node.location, name=user_name(node.name))
            elif isinstance(node, Declare) and _has_variable_length(node.type):
                reporter.report("ACC301", node.location, construct="an array of variable length")
            _verify_types(node, reporter)
        _verify_printing(region.body, reporter)
        _verify_default(region, reporter)
        _verify_clauses(region, reporter)
        _verify_sections(region, reporter)
        verify_caches(region.body, reporter)
        if region.execution.condition is not None:
            _verify_host_version(region, reporter)


def verify_names(unit: Unit, reporter: Reporter) -> None:
    """Report names that kernels need for names that are keywords of C++."""
    used = frozenset(unit.tokens)
    for keyword in sorted(used & KEYWORDS):
        name = replacement(keyword)
        if name in used:
            reporter.report("ACC354", unit.location(unit.tokens.index(name)), name=name, keyword=keyword)


def _verify_routine(routine: Routine, callable_names: frozenset[str], reporter: Reporter) -> None:
    for ctype in (routine.result, *(item.type for item in routine.parameters)):
        _verify_type(routine.location, ctype, reporter)
    for node in _nodes(routine.body):
        if isinstance(node, Call):
            _verify_call(node, callable_names, reporter)
        elif isinstance(node, Jump) and node.keyword == "goto":
            reporter.report("ACC301", node.location, construct=GOTO)
        elif isinstance(node, Declare) and node.static and not _keeps_its_value(node.type):
            reporter.report("ACC317", node.location, name=user_name(node.name))
        elif isinstance(node, Declare) and _has_variable_length(node.type):
            reporter.report("ACC301", node.location, construct="an array of variable length")
        _verify_types(node, reporter)
    _verify_printing(routine.body, reporter)


def _verify_printing(root: object, reporter: Reporter, used: bool = False) -> None:
    """Report calls of printf whose value is ``used``: CUDA's does not count what it prints."""
    if isinstance(root, Call) and root.function == PRINT and used:
        reporter.report("ACC355", root.location)
    for node in below(root):
        if isinstance(node, CType):
            continue
        is_void = isinstance(node, Expr) and isinstance(root, Cast) and isinstance(resolve(root.type), Void)
        first = isinstance(root, Comma) and node is root.left
        inner = isinstance(root, (Comma, Conditional)) and used
        keeps = isinstance(root, Comma) or (isinstance(root, Conditional) and node is not root.condition)
        apart = isinstance(root, Evaluate) or (isinstance(root, For) and node is root.step)
        plain = is_void or first or apart or (keeps and not inner) or not isinstance(node, Expr)
        _verify_printing(node, reporter, not plain)


def _keeps_its_value(ctype: CType) -> bool:
    """Whether a variable can never change, so that it does not matter how many of it there are."""
    plain = resolve(ctype)
    while isinstance(plain, Array):
        ctype, plain = plain.element, resolve(plain.element)
    return bool(getattr(ctype, "const", False) or getattr(plain, "const", False))


def _has_variable_length(ctype: CType) -> bool:
    """Whether a type is that of an array whose length a program computes, or of a pointer to one."""
    plain = resolve(ctype)
    while isinstance(plain, (Array, Pointer)):
        if isinstance(plain, Array) and plain.length is not None and constant(plain.length) is None:
            return True
        plain = resolve(plain.element if isinstance(plain, Array) else plain.target)
    return False


def _verify_call(call: Call, callable_names: frozenset[str], reporter: Reporter) -> None:
    if call.function in UNREADABLE:
        reporter.report("ACC301", call.location, construct=UNREADABLE[call.function])
    elif call.function in ENDING_CALLS and call.function not in callable_names:
        reporter.report("ACC356", call.location, name=call.function)
    elif call.function not in callable_names and not (is_pure_call(call.function) or _is_known_call(call)):
        hint = INSTEAD.get(call.function, _CALLABLE)
        reporter.report("ACC318", call.location, name=call.function, hint=hint)


def _is_known_call(call: Call) -> bool:
    """Whether a call means printf, memcpy or memset, or malloc or free of <stdlib.h> and is declared so."""
    if call.function == PRINT or (call.function in MEMORY_CALLS and len(call.arguments) == 3):
        return True
    result = Pointer if call.function == "malloc" else Void
    return call.function in HEAP_CALLS and len(call.arguments) == 1 and isinstance(resolve(call.type), result)


def _verify_types(node: object, reporter: Reporter) -> None:
    """The types of what a node computes, declares or measures."""
    if isinstance(node, (Expr, Declare)):
        _verify_type(node.location, node.type, reporter)
    if isinstance(node, SizeOf):
        _verify_type(node.location, node.of, reporter)
    if isinstance(node, Variable) and isinstance(resolve(node.type), Function):
        reporter.report("ACC365", node.location, name=node.name)
    if isinstance(node, Unary) and node.op in UNCOMMON and isinstance(resolve(node.operand.type), Complex):
        reporter.report("ACC301", node.location, construct=f"{node.op.lstrip('p')} of a complex number")


def _verify_type(where: Location, ctype: CType, reporter: Reporter) -> None:
    plain = resolve(ctype)
    if isinstance(ctype, Named) and ctype.name in UNREADABLE:
        reporter.report("ACC301", where, construct=UNREADABLE[ctype.name])
    elif (name := _altered(ctype)) is not None:
        if not any(found.code == "ACC324" and found.location == where for found in reporter.diagnostics):
            reporter.report("ACC324", where, type=name)
    elif isinstance(plain, Complex) and plain.of not in COMPLEX_PARTS:
        reporter.report("ACC319", where, type=f"{plain.of} _Complex")
    elif isinstance(plain, Complex) and plain.volatile:
        reporter.report("ACC301", where, construct="a volatile complex number")
    elif isinstance(plain, Arithmetic) and (plain.name == "long double" or plain.name not in SIZES):
        reporter.report("ACC319", where, type=plain.name)


def _altered(ctype: CType) -> str | None:
    """The name of the type with a layout of its own that a type is, or has in it; None if there is none."""
    if isinstance(ctype, (Record, Enum)) and ctype.altered:
        keyword = ctype.keyword if isinstance(ctype, Record) else "enum"
        return f"'{keyword} {ctype.tag}'" if ctype.tag.isidentifier() else f"this {keyword}"
    if isinstance(ctype, Named):
        own = "this variable" if ctype.name == MEANING else f"'{ctype.name}'"
        return own if ctype.altered else _altered(ctype.type)
    if isinstance(ctype, Array):
        return _altered(ctype.element)
    members = ctype.fields or () if isinstance(ctype, Record) else ()
    return next((name for member in members if (name := _altered(member.type)) is not None), None)


def _verify_clauses(region: Region, reporter: Reporter) -> None:
    """Report private pointers to rows, and calls in sizes and bounds: the launch computes these without functions."""
    loops = [node.loop for node in nodes_below(region.body) if isinstance(node, For)]
    lists = [region.private, region.firstprivate, *(loop.private for loop in loops if loop is not None)]
    for item in (item for items in lists for item in items):
        if isinstance(resolve(item.type), Pointer) and _has_variable_length(item.type):
            reporter.report("ACC301", item.location, construct="a private pointer to arrays of variable length")
    clauses = [region.sizes, region.data, region.attached, region.private, region.firstprivate, region.reductions]
    for node in nodes_below([*clauses, *loops]):
        if isinstance(node, Call) and not is_pure_call(node.function):
            reporter.report("ACC251", node.location, name=node.function)


def _verify_sections(region: Region, reporter: Reporter) -> None:
    """Report what two data clauses name in different ways: kernels have one address for it."""
    met: list[Expr] = []
    for clause in region.data:
        item = clause.subarray
        is_addressed = isinstance(item.base, Variable) or isinstance(resolve(item.base.type), Pointer)
        if is_addressed and any(same(base, item.base) for base in met):
            reporter.report("ACC252", item.location, name=item.text)
        met.append(item.base)


def _verify_host_version(region: Region, reporter: Reporter) -> None:
    """Report what is one loop's copy and another variable elsewhere: the host's version has one copy a construct."""
    private = {
        item.name: loop.location
        for node in nodes_below(region.body)
        if isinstance(node, For) and (loop := node.loop) is not None
        for item in loop.private
    }
    bases = (clause.subarray.base for clause in region.data)
    shared = {base.name for base in bases if isinstance(base, Variable)}
    for name, location in private.items():
        if name in shared or _is_used(region.body, name):
            reporter.report("ACC250", location, name=user_name(name))


def _is_used(root: object, name: str) -> bool:
    """Whether a variable is named outside of the loops that have copies of it."""
    if isinstance(root, For) and root.loop is not None and any(item.name == name for item in root.loop.private):
        return False
    return (isinstance(root, Variable) and root.name == name) or any(_is_used(node, name) for node in below(root))


def _verify_default(region: Region, reporter: Reporter) -> None:
    """``default(none)``: every array needs a data clause (OpenACC 3.3, section 2.5.16)."""
    if region.default != "none":
        return
    named = {clause.subarray.variable for clause in (*region.data, *region.enclosing_data)}
    named |= {item.variable for item in region.reductions}
    named |= {item.name for item in (*region.private, *region.firstprivate)}
    for variable in region.variables:
        if variable.name not in named and type(resolve(variable.type)).__name__ in ("Array", "Pointer", "Record"):
            reporter.report("ACC248", region.location, name=user_name(variable.name))


def _nodes(root: object) -> Iterator[object]:
    if isinstance(root, tuple):
        for item in root:
            yield from _nodes(item)
    elif isinstance(root, (Expr, Stmt)):
        yield root
        for name in root.__struct_fields__:
            yield from _nodes(getattr(root, name))
