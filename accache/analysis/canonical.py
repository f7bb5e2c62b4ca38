"""Canonical loops: ``for (i = first; i < limit; i += step)`` with a constant step."""

from __future__ import annotations

from msgspec.structs import replace

from accache.analysis.calls import changed_variables
from accache.base.text import Location
from accache.ir.build import BOOL, INT, WIDE, number
from accache.ir.constants import constant as constant
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor
from accache.ir.tree import (
    STEPPING,
    Assign,
    Binary,
    Block,
    Cast,
    Conditional,
    Declare,
    Evaluate,
    Expr,
    For,
    IntLiteral,
    Member,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import (
    Arithmetic,
    CType,
    Pointer,
    Record,
    exceeds_int,
    holds,
    integer_of,
    is_integer,
    is_number,
    resolve,
    widens,
)
from accache.ir.walk import (
    assigned_place,
    assigned_variables,
    children,
    place_variable,
    remembered,
    used_variables,
    walk,
)

_SMALL = (1 << 30) - 1
"""Two such numbers are together within every integer type of 32 bits."""
FAR = 1 << 14
"""How far past its limit an int index may lie; beyond, positions are compared in its place, and counted in 64 bits."""
SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


def loop_variable(loop: For) -> str | None:
    """The variable that a loop gives its first value; None if there is no single one."""
    start = loop.init[0] if len(loop.init) == 1 else None
    if isinstance(start, Declare):
        return start.name
    first = start.expr if isinstance(start, Evaluate) else None
    target = first.target if isinstance(first, Assign) and first.op == "=" else None
    return target.name if isinstance(target, Variable) else None


def with_condition(loop: For, condition: Expr) -> For:
    """A loop with one of its conditions alone: the same object where that is all it has, as what is known of it is."""
    return loop if condition is loop.condition else replace(loop, condition=condition)


@remembered
def canonical_loop(loop: For) -> CanonicalLoop | str:
    """The canonical form of a loop, or in words why it has none (OpenACC 3.3, section 2.9.1)."""
    start = _first_value(loop)
    if isinstance(start, str):
        return start
    variable, ctype, first = start
    condition = loop.condition
    if not isinstance(condition, Binary) or condition.op not in SWAPPED:
        return "its condition is not a comparison with a limit"
    compared = _limit(condition, variable, first)
    if compared is None:
        return "its condition does not compare the loop variable"
    operator, limit = compared
    if not is_integer(limit.type):
        return "its limit is not an integer"
    if not is_number(first.type):
        return "its variable does not start from a number"
    if variable in used_variables(limit) or variable in used_variables(first):
        return "its limit depends on its variable"
    step = _step(loop.step, variable)
    if not step:
        return "its step is not a constant"
    if operator == "!=" and _arrives(constant(first), constant(limit), step):
        operator = "<" if step > 0 else ">"
    if operator != "!=" and (operator[0] == "<") != (step > 0):
        return "its step leads away from its limit"
    if operator == "!=" and abs(step) != 1:
        return "its condition is != and its steps are not known to arrive at the limit"
    if any(isinstance(node, Assign) or (isinstance(node, Unary) and node.op in STEPPING) for node in walk(condition)):
        return "its condition changes something"
    if operator == "!=" and _may_wrap(integer_of(ctype), constant(first), constant(limit), step):
        return "its condition is != and its variable may pass the end of its type on the way to the limit"
    if _passes(integer_of(ctype), operator, constant(first), constant(limit), step=step):
        return "a step of its variable may lead past the limit and the end of its type"
    changed = assigned_variables(loop.body)
    if variable in changed:
        return "its variable is changed in its body"
    if changed & used_variables(limit) and _changes(loop.body, limit):
        return "its limit is changed in its body"
    return CanonicalLoop(
        variable,
        ctype,
        _converted(first, ctype, step),
        operator,
        limit=_compared(limit, ctype, step),
        step=step,
        location=loop.location,
    )


def _first_value(loop: For) -> tuple[str, CType, Expr] | str:
    """A loop's variable, its type and its first value, or in words why there is no such variable."""
    if len(loop.init) != 1:
        return "its initialisation is not a single assignment"
    start = loop.init[0]
    if isinstance(start, Declare) and start.init is not None:
        found = start.name, start.type, start.init
    elif (
        isinstance(start, Evaluate)
        and isinstance(start.expr, Assign)
        and start.expr.op == "="
        and isinstance(start.expr.target, Variable)
    ):
        found = start.expr.target.name, start.expr.target.type, start.expr.value
    else:
        return "its initialisation is not an assignment to a variable"
    if not is_integer(found[1]):
        if isinstance(resolve(found[1]), Pointer):
            return "its variable is a pointer, and its start and its limit are not known to be elements of one array"
        return "its variable is not an integer"
    return found


def _arrives(first: int | None, limit: int | None, step: int) -> bool:
    """Whether steps from a known number lead to another one."""
    return first is not None and limit is not None and (limit - first) * step >= 0 and (limit - first) % step == 0


def _limit(condition: Binary, variable: str, first: Expr) -> tuple[str, Expr] | None:
    """The operator and the limit of a loop's condition, with the variable alone to the left of them."""
    sides = ((condition.op, condition.left, condition.right), (SWAPPED[condition.op], condition.right, condition.left))
    for operator, left, right in sides:
        if _is_variable(left, variable):
            return operator, right
        if isinstance(left, Binary) and left.op in ("+", "-"):
            place, offset = left.left, left.right
            if left.op == "+" and _is_variable(offset, variable):
                place, offset = offset, place
            if _is_variable(place, variable) and variable not in used_variables(offset):
                limit = _without_offset(operator, left, offset, right, first=first)
                return (operator, limit) if limit is not None else None
    return None


def _without_offset(operator: str, left: Binary, offset: Expr, limit: Expr, *, first: Expr) -> Expr | None:
    """What ``i`` is compared with, if ``left``, which is ``i + offset`` or ``i - offset``, is compared with a limit.

    Signed numbers are computed in 64 bits. From a known number that is not negative, ``i`` counts up to an unsigned
    limit without a sum that passes its type's end; a limit that is no greater than the offset is never reached.
    """
    if not all(is_integer(part.type) for part in (left.left, left.right, limit)):
        return None
    where, kinds = left.location, [integer_of(part.type) for part in (left, limit)]
    if not any(kind.unsigned and kind.size >= INT.size for kind in kinds):
        opposite = "-" if left.op == "+" else "+"
        return Binary(WIDE, where, opposite, limit if constant(limit) == 0 else Cast(WIDE, where, limit), offset)
    start, amount = constant(first), constant(offset)
    is_up = left.op == "+" and operator == "<"
    is_small = start is not None and amount is not None and 0 <= start <= _SMALL and 0 <= amount <= _SMALL
    if not is_up or not is_small or not all(kind.unsigned for kind in kinds):
        return None
    reached = Binary(INT, where, ">", limit, offset)
    return Conditional(limit.type, where, reached, Binary(limit.type, where, "-", limit, offset), _zero(where))


def _zero(where: Location) -> Expr:
    return IntLiteral(INT, where, 0, "0")


def _converted(first: Expr, ctype: CType, step: int) -> Expr:
    """The first value as the loop's variable holds it.

    What counts down from a signed number in an unsigned variable is left as it is: from below zero it would hardly end.
    """
    target = integer_of(ctype)
    if is_integer(first.type):
        source, value = integer_of(first.type), constant(first)
        downwards = step < 0 and target.unsigned and target.size >= max(source.size, INT.size)
        if holds(target, value) or (value is None and (downwards or widens(source, target))):
            return first
    return Cast(ctype, first.location, first)


def _compared(limit: Expr, ctype: CType, step: int) -> Expr:
    """The limit as C compares it: what is negative becomes large beside unsigned numbers.

    What counts up to a signed variable is left as it is: to one below zero it would hardly end.
    """
    value, variable, kind = constant(limit), integer_of(ctype), integer_of(limit.type)
    wins = variable.unsigned and kind.size <= variable.size >= INT.size and not kind.unsigned
    may_be_negative = value < 0 if value is not None else step < 0
    return Cast(ctype, limit.location, limit) if wins and may_be_negative else limit


def _may_wrap(kind: Arithmetic, first: int | None, limit: int | None, step: int) -> bool:
    """Whether C may count on from the other end of a variable's type, with less than some 2**32 rounds."""
    if kind.size >= INT.size and not kind.unsigned:
        return False
    lowest, highest = (first, limit) if step > 0 else (limit, first)
    if lowest is not None and highest is not None:
        return not (holds(kind, lowest) and holds(kind, highest) and lowest <= highest)
    return kind.size < INT.size and not (kind.unsigned and lowest == 0)


def _passes(kind: Arithmetic, operator: str, first: int | None, limit: int | None, *, step: int) -> bool:
    """Whether a step of a variable of less than 32 bits may lead past a known limit and the end of its type."""
    if abs(step) == 1 or kind.size >= INT.size or limit is None or holds(kind, limit + step):
        return False
    if first is None or not holds(kind, first):
        return True
    behind = limit + (1 if step > 0 else -1) if operator in ("<=", ">=") else limit
    return not holds(kind, first + max(0, -((first - behind) // step)) * step)


def _changes(body: Stmt, limit: Expr) -> bool:
    """Whether a loop's body may change its limit: a member of a structure is not changed with its neighbours."""
    changed = changed_variables(body) & used_variables(limit)
    read = [part for part in walk(limit) if isinstance(part, (Variable, Member))]
    within = {id(part.base) for part in read if isinstance(part, Member)}
    whole = [part for part in read if isinstance(part, Variable) and id(part) not in within]
    if not changed or any(part.name in changed for part in whole):
        return bool(changed)
    members = {_member_of_variable(part) for part in read} - {None}
    written = [place for part in walk(body) if (place := assigned_place(part)) is not None]
    return any(place_variable(place) in changed and _outermost(place) in {*members, None} for place in written)


def _outermost(place: Expr) -> tuple[str, str] | None:
    """The member of a structure variable that holds a place; None for the whole of a variable, and for unions."""
    while isinstance(place, (Member, Subscript)):
        if (found := _member_of_variable(place)) is not None:
            return found
        place = place.base
    return None


def _member_of_variable(place: Expr) -> tuple[str, str] | None:
    if not isinstance(place, Member) or place.arrow or not isinstance(place.base, Variable):
        return None
    record = resolve(place.base.type)
    is_structure = isinstance(record, Record) and record.keyword == "struct"
    return (place.base.name, place.field) if is_structure else None


def _is_variable(expr: Expr, name: str) -> bool:
    return isinstance(expr, Variable) and expr.name == name


def _step(step: Expr | None, variable: str) -> int:
    """The constant added each iteration; 0 if there is none."""
    if isinstance(step, Unary) and _is_variable(step.operand, variable):
        return {"++": 1, "p++": 1, "--": -1, "p--": -1}.get(step.op, 0)
    sign, amount = signed_step(step, variable) or (0, None)
    return sign * ((constant(amount) if amount is not None else None) or 0)


def signed_step(step: Expr | None, variable: str) -> tuple[int, Expr] | None:
    """The sign and the amount of ``i += s``, ``i -= s``, ``i = i + s``, ``i = i - s`` and ``i = s + i``."""
    if not isinstance(step, Assign) or not _is_variable(step.target, variable):
        return None
    if step.op in ("+=", "-="):
        return (1 if step.op == "+=" else -1), step.value
    if step.op != "=" or not isinstance(step.value, Binary) or step.value.op not in ("+", "-"):
        return None
    left, right = step.value.left, step.value.right
    if step.value.op == "+" and _is_variable(right, variable):
        left, right = right, left
    return (1 if step.value.op == "+" else -1, right) if _is_variable(left, variable) else None


def is_counter(body: Stmt, name: str) -> bool:
    """Whether a variable is used only as the counter of for loops that initialise it."""
    if isinstance(body, For):
        for item in body.init:
            if isinstance(item, Evaluate) and isinstance(item.expr, Assign) and _sets(item.expr, name):
                return name not in used_variables(item.expr.value)
            if name in used_variables(item):
                return False
    if isinstance(body, (Block, For)) or any(isinstance(child, Stmt) for child in children(body)):
        parts = children(body)
        return all(
            is_counter(part, name) if isinstance(part, Stmt) else name not in used_variables(part) for part in parts
        )
    gets_value = isinstance(body, Declare) and body.name == name and body.init is not None
    return name not in used_variables(body) and not gets_value


def _sets(assign: Assign, name: str) -> bool:
    return assign.op == "=" and isinstance(assign.target, Variable) and assign.target.name == name


def trip_count(loop: CanonicalLoop, first: Expr) -> Expr:
    """How many iterations there are from ``first`` on, in 64 bits."""
    where = loop.location
    if loop.may_not_start or may_start_far(loop):
        starts = Binary(BOOL, where, loop.operator, first, loop.limit)
        span = remaining(
            CanonicalLoop(
                loop.variable, loop.limit.type, first, loop.operator, limit=loop.limit, step=loop.step, location=where
            ),
            first,
        )
        return Conditional(WIDE, where, starts, Cast(WIDE, where, span), number(0, where))
    limit: Expr = Cast(WIDE, where, loop.limit)
    start: Expr = Cast(WIDE, where, first)
    return remaining(
        CanonicalLoop(loop.variable, WIDE, start, loop.operator, limit=limit, step=loop.step, location=where), start
    )


def may_start_far(loop: CanonicalLoop) -> bool:
    """Whether a loop counts numbers of 64 bits without a sign, and may start where one with a sign is below zero."""
    kind = integer_of(loop.type)
    return kind.unsigned and kind.size > INT.size and loop.operator in ("<", "<=") and constant(loop.first) is None


def remaining(loop: CanonicalLoop, first: Expr) -> Expr:
    """How many iterations there are from ``first`` on."""
    where, ctype, distance = loop.location, loop.type, abs(loop.step)
    ends = (loop.limit, first) if loop.step > 0 else (first, loop.limit)
    span = ends[0] if constant(ends[1]) == 0 else Binary(ctype, where, "-", *ends)
    extra = distance - 1 + (loop.operator in ("<=", ">="))
    if extra:
        span = Binary(ctype, where, "+", span, number(extra, where))
    return span if distance == 1 else Binary(ctype, where, "/", span, number(distance, where))


def may_wrap(loop: ParallelFor) -> bool:
    """Whether an index past the loop's end may leave its type, so that positions are compared in its place.

    A limit that is no constant is taken to be further from the type's end than the threads of a block reach, unless
    the loop starts anywhere, too. Of an unsigned one the launch has to make sure.
    """
    if loop.tests_limit:
        return False
    return may_pass_end(loop.loop, loop.threads * loop.per_thread, is_over_blocks=bool(loop.grid))


def may_pass_end(loop: CanonicalLoop, threads: int, *, is_over_blocks: bool = True) -> bool:
    """The same of a loop of which a block has so many iterations."""
    plain = resolve(loop.type)
    if not isinstance(plain, Arithmetic) or plain.size < INT.size or loop.may_not_start:
        return True
    if plain.unsigned and not counts_up_unsigned(loop):
        return True
    limit, first = constant(loop.limit), constant(loop.first)
    if limit is not None:
        near_the_end = abs(limit) >> (8 * plain.size - 2) > 0
    elif plain.unsigned:
        # from a small number to near the end of 64 bits, a loop would hardly come
        near_the_end = not (exceeds_int(plain) and first is not None and holds(INT, first))
    else:
        near_the_end = is_over_blocks and not exceeds_int(plain) and first is None
    return near_the_end or (abs(loop.step) * threads > FAR and not exceeds_int(plain))


def counts_up_unsigned(loop: CanonicalLoop) -> bool:
    """Whether a loop counts up numbers without signs that are no narrower than int."""
    plain = resolve(loop.type)
    is_unsigned = isinstance(plain, Arithmetic) and plain.unsigned and plain.size >= INT.size
    return is_unsigned and loop.step > 0 and loop.operator in ("<", "<=") and not loop.may_not_start


def ends_in_lower_half(loop: CanonicalLoop) -> bool:
    """Whether the limit of a loop with iterations is surely none of the upper half of its unsigned type's numbers."""
    own, limit = integer_of(loop.type), integer_of(loop.limit.type)
    return limit.size < own.size or (limit.size == own.size and not limit.unsigned)


def with_tested_limit(loop: ParallelFor) -> ParallelFor:
    """A loop over blocks of whose limit the launch makes sure that no index of a thread passes its type's end."""
    is_small = loop.loop.step * loop.threads <= FAR
    needs_test = bool(loop.grid) and loop.covered and counts_up_unsigned(loop.loop) and may_wrap(loop)
    return replace(loop, tests_limit=True) if needs_test and is_small else loop


def constant_trips(loop: CanonicalLoop) -> int:
    """How many iterations a loop has; 0 if that is no constant, or none."""
    first, limit = constant(loop.first), constant(loop.limit)
    if first is None or limit is None or loop.may_not_start:
        return 0
    span = (limit - first) * (1 if loop.step > 0 else -1) + (loop.operator in ("<=", ">="))
    return max(0, -(-span // abs(loop.step)))
