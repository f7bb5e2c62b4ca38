"""What a statement is certain to write and to read, against what random executions of it do."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import DOUBLE, HERE, INT, LONG, SIZE_T, UINT, assign, bin_, block, cast, declare, index, lit, loop, var

from accache.analysis.must_write import Effect, effect
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    Assign,
    Binary,
    Block,
    Declare,
    Evaluate,
    Expr,
    For,
    If,
    IntLiteral,
    Jump,
    Label,
    Stmt,
    Subscript,
    Unary,
    Variable,
    While,
)
from accache.ir.types import Arithmetic

CONDITIONS = ("c0", "c1", "c2")
BOUNDS = ("n0", "n1")


def effect_of(stmt: Stmt) -> Effect:
    """The effect on array w; i and the bounds keep their values."""

    def polynomials(subscripts: tuple[Expr, ...]) -> tuple[Polynomial, ...] | None:
        found = index_polynomial(subscripts[0])
        return None if found is None else (found,)

    return effect(stmt, "w", polynomials, frozenset(("i", *BOUNDS)), definitions={})


def element(position: Expr) -> Expr:
    return index("w", position)


def at(base: str, offset: int, *names: str) -> Expr:
    """``base + offset + names``."""
    found = bin_(var(base), "+", lit(offset))
    for name in names:
        found = bin_(found, "+", var(name))
    return found


def write(position: Expr) -> Stmt:
    return assign(element(position), lit(1))


def read(position: Expr) -> Stmt:
    return assign(var("sum", DOUBLE), element(position))


def statements(names: tuple[str, ...], depth: int) -> st.SearchStrategy[Stmt]:
    """Writes, reads and updates of w around element i, in loops and conditions; ``names`` are loops around."""
    indices = st.builds(
        lambda offset, some: at("i", offset, *some), st.integers(0, 4), st.lists(st.sampled_from(names), max_size=2)
        if names
        else st.just([]),
    )  # fmt: skip
    plain = st.one_of(
        st.builds(write, indices),
        st.builds(read, indices),
        st.builds(lambda position: assign(element(position), lit(1), "+="), indices),
        st.builds(lambda to, source: assign(element(to), element(source)), indices, indices),
    )
    if not depth:
        return plain
    inner = st.lists(statements(names, depth - 1), min_size=1, max_size=3).map(lambda items: block(*items))
    name = f"q{depth}"
    looped = st.lists(statements((*names, name), depth - 1), min_size=1, max_size=3)
    branch = st.builds(
        lambda condition, then, other: If(HERE, var(condition), then, other),
        st.sampled_from(CONDITIONS),
        inner,
        st.one_of(st.none(), inner),
    )
    counted = st.builds(lambda count, items: loop(name, lit(count), *items), st.integers(0, 3), looped)
    unknown = st.builds(lambda bound, items: loop(name, var(bound), *items), st.sampled_from(BOUNDS), looped)
    left = st.builds(
        lambda condition, items: loop(name, lit(3), If(HERE, var(condition), Jump(HERE, "break"), None), *items),
        st.sampled_from(CONDITIONS),
        looped,
    )
    return st.one_of(plain, inner, branch, counted, unknown, left)


class Break(Exception):
    """A loop is left."""


class Machine:
    """Runs a statement with values for all variables; notes what is accessed and written, and reads of what was not."""

    def __init__(self, values: dict[str, int]) -> None:
        self.values = dict(values)
        self.accessed: set[int] = set()
        self.written: set[int] = set()
        self.reads_old = False

    def run(self, stmt: Stmt) -> None:
        if isinstance(stmt, Block):
            for item in stmt.items:
                self.run(item)
        elif isinstance(stmt, If):
            taken = stmt.then if self.value(stmt.condition) else stmt.otherwise
            self.run(taken or block())
        elif isinstance(stmt, For):
            self.repeat(stmt)
        elif isinstance(stmt, Jump):
            raise Break
        elif isinstance(stmt, Evaluate) and isinstance(stmt.expr, Assign):
            self.assign(stmt.expr)

    def assign(self, expr: Assign) -> None:
        if isinstance(expr.value, Subscript):
            self.accessed.add(self.value(expr.value.index))
            self.reads_old |= self.value(expr.value.index) not in self.written
        if isinstance(expr.target, Subscript):
            place = self.value(expr.target.index)
            self.reads_old |= expr.op != "=" and place not in self.written
            self.accessed.add(place)
            self.written.add(place)

    def repeat(self, stmt: For) -> None:
        counter, condition = stmt.init[0], stmt.condition
        assert isinstance(counter, Declare)
        assert isinstance(condition, Binary)
        for number in range(self.value(condition.right)):
            self.values[counter.name] = number
            try:
                self.run(stmt.body)
            except Break:
                return

    def value(self, expr: Expr) -> int:
        if isinstance(expr, Binary):
            return self.value(expr.left) + self.value(expr.right)
        if isinstance(expr, IntLiteral):
            return expr.value
        assert isinstance(expr, Variable)
        return self.values[expr.name]


def executions(stmt: Stmt) -> list[Machine]:
    """One run for every combination of conditions and trip counts."""
    found = []
    for bits in product((0, 1), repeat=len(CONDITIONS)):
        for sizes in product((0, 1, 3), repeat=len(BOUNDS)):
            values = (
                {"i": 100, "sum": 0} | dict(zip(CONDITIONS, bits, strict=True)) | dict(zip(BOUNDS, sizes, strict=True))
            )
            machine = Machine(values)
            machine.run(stmt)
            found.append((machine, values))
    return found


@given(st.lists(statements((), 3), min_size=1, max_size=4))
def test_what_is_certain_happens_in_every_execution(items: list[Stmt]) -> None:
    stmt = block(*items)
    found = effect_of(stmt)
    for machine, values in executions(stmt):
        certain = {part[0].evaluate(values) for part in found.written}
        assert certain <= machine.written
        assert {part[0].evaluate(values) for part in found.accessed} <= machine.accessed
        assert found.reads_old or not machine.reads_old


def subarray(low: int, length: int) -> list[tuple[Polynomial, int]]:
    return [(Polynomial.symbol("i") + low, length)]


def test_a_loop_with_a_constant_trip_count_fills_a_subarray() -> None:
    found = effect_of(loop("q", lit(4), write(at("i", 1, "q"))))
    assert found.fills(subarray(1, 4))
    assert not found.fills(subarray(1, 5))
    assert not found.fills(subarray(0, 2))
    assert not found.reads_old


def test_a_loop_may_begin_anywhere() -> None:
    step = Unary(INT, HERE, "p++", var("j"))
    from_i = For(HERE, (declare("j", at("i", 0)),), bin_(var("j"), "<=", at("i", 3)), step, write(var("j")))
    assert effect_of(from_i).fills(subarray(0, 4))


def test_an_unsigned_loop_that_may_wrap_is_not_counted() -> None:
    step = Unary(UINT, HERE, "p++", var("j", UINT))
    low, high = cast(UINT, at("i", 0)), bin_(var("u", UINT), "+", lit(3), UINT)
    assert not effect_of(For(HERE, (declare("j", low, UINT),), bin_(var("j", UINT), "<", high), step, block())).written
    low = bin_(var("n0", UINT), "+", lit(0), UINT)
    high = bin_(var("n0", UINT), "+", lit(3), UINT)
    wraps = For(HERE, (declare("j", low, UINT),), bin_(var("j", UINT), "<", high), step, write(var("j", UINT)))
    assert not effect_of(wraps).written


@pytest.mark.parametrize(("ctype", "count"), [(LONG, 3), (SIZE_T, 0)], ids=["signed", "unsigned"])
def test_a_64_bit_loop_is_counted_unless_its_limit_may_wrap(ctype: Arithmetic, count: int) -> None:
    step = Unary(ctype, HERE, "p++", var("j", ctype))
    low = bin_(var("n0", ctype), "+", lit(0), ctype)
    high = bin_(var("n0", ctype), "+", lit(3), ctype)
    stmt = For(HERE, (declare("j", low, ctype),), bin_(var("j", ctype), "<", high), step, write(var("j", ctype)))
    assert len(effect_of(stmt).written) == count


def test_both_branches_are_certain() -> None:
    assert effect_of(If(HERE, var("c0"), write(at("i", 0)), write(at("i", 0)))).fills(subarray(0, 1))
    assert not effect_of(If(HERE, var("c0"), write(at("i", 0)), None)).written


def test_an_operand_that_may_be_skipped_is_not_certain() -> None:
    chosen = bin_(var("c0"), "&&", assign(element(at("i", 0)), lit(1)).expr)
    assert not effect_of(assign(var("sum"), chosen)).written


def test_what_is_read_or_written_is_accessed() -> None:
    body = block(read(at("i", 0)), write(at("i", 1)), If(HERE, var("c0"), read(at("i", 2)), write(at("i", 2))))
    found = effect_of(body)
    assert found.uses_all(subarray(0, 3))
    assert not found.uses_all(subarray(0, 4))
    assert effect_of(loop("q", lit(4), read(at("i", 1, "q")))).uses_all(subarray(1, 4))
    skipped = bin_(var("c0"), "&&", element(at("i", 0)))
    assert not effect_of(assign(var("sum"), skipped)).accessed


def test_a_value_is_read_before_it_is_written() -> None:
    assert effect_of(assign(element(at("i", 0)), element(at("i", 0)))).reads_old
    assert effect_of(assign(element(at("i", 0)), lit(1), "+=")).reads_old


def test_an_index_that_changes_is_not_known() -> None:
    moved = block(write(var("k")), assign(var("k"), lit(3)), read(var("k")))
    assert effect_of(moved) == Effect(frozenset(), True)


def test_jumps_into_a_statement_leave_nothing_certain() -> None:
    skipped = block(Jump(HERE, "goto", label="out"), write(at("i", 0)), Label(HERE, "out", block()), read(at("i", 0)))
    assert effect_of(skipped) == Effect(frozenset(), True)


def test_a_jump_out_leaves_no_write_certain() -> None:
    left = block(If(HERE, var("c0"), Jump(HERE, "continue"), None), write(at("i", 0)), read(at("i", 0)))
    assert effect_of(left) == Effect(frozenset(), False)


def test_a_while_loop_may_not_run() -> None:
    found = effect_of(While(HERE, var("c0"), write(at("i", 0)), False))
    assert not found.written


def parallel(count: int, *body: Stmt, grid: str = "") -> ParallelFor:
    canonical = CanonicalLoop("q", INT, lit(0), "<", lit(count), 1, HERE)
    return ParallelFor(HERE, canonical, grid, "x", 64, False, block(*body))


def test_threads_together_fill_what_a_loop_over_threads_writes() -> None:
    stmt = block(parallel(8, write(at("i", 0, "q"))), parallel(8, read(at("i", 7))))
    assert effect_of(stmt).fills(subarray(0, 8))
    assert not effect_of(stmt).reads_old


def test_iterations_of_a_parallel_loop_do_not_see_each_other() -> None:
    assert effect_of(parallel(8, write(at("i", 0, "q")), read(at("i", 0)))).reads_old


def test_other_blocks_write_what_a_loop_over_blocks_writes() -> None:
    assert not effect_of(parallel(8, write(at("i", 0, "q")), grid="x")).written
