import pytest
from msgspec.structs import replace
from trees import DOUBLE, HERE, INT, assign, bin_, block, cast, declare, index, lit, loop, var

from accache.ir.kernels.simt import CanonicalLoop, Formula, ParallelFor, SharedArray
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    Call,
    Case,
    Evaluate,
    Expr,
    If,
    IntLiteral,
    Jump,
    Label,
    Member,
    SizeOf,
    Switch,
    Unary,
    Variable,
    While,
)
from accache.ir.types import Arithmetic, Array, Pointer
from accache.ir.walk import (
    assigned_variables,
    children,
    declared_variables,
    rewrite,
    single_definitions,
    used_variables,
    varying_variables,
    walk,
)

VI, J, M, N, X = (var(name) for name in "ijmnx")
IM1 = declare("im1", bin_(VI, "-", lit(1)))
VLA = Array(DOUBLE, bin_(N, "+", lit(1)))


def names(nodes):
    return [node.name for node in nodes if isinstance(node, Variable)]


def test_children_come_in_source_order():
    tree = loop("i", N, assign(X, VI))
    assert [type(node).__name__ for node in children(tree)] == ["Declare", "Binary", "Unary", "Block"]
    assert children(If(HERE, VI, block()))[0] is VI
    assert children(lit(1)) == ()
    assert [type(node) for node in children(Call(INT, HERE, "f", (VI, J)))] == [Variable, Variable]


def test_walk_is_preorder():
    assert names(walk(bin_(bin_(VI, "*", M), "+", index("a", J)))) == ["i", "m", "a", "j"]
    assert walk(X)[0] is X


def test_deep_trees_are_walked():
    deep = X
    for _ in range(5000):
        deep = bin_(deep, "+", lit(1))
    assert used_variables(deep) == {"x"}


def test_lengths_in_written_types_count():
    assert used_variables(declare("row", None, VLA)) == {"n"}
    assert used_variables(SizeOf(INT, HERE, VLA)) == {"n"}
    assert used_variables(cast(Pointer(VLA), X)) == {"n", "x"}
    assert used_variables(SharedArray(HERE, "tile", VLA)) == {"n"}
    assert used_variables(Variable(VLA, HERE, "a")) == {"a"}


def rename(old, new):
    def change(node):
        return replace(node, name=new) if isinstance(node, Variable) and node.name == old else node

    return change


def test_rewriting_reaches_everything():
    tree = block(declare("row", None, Pointer(VLA)), loop("i", N, assign(index("a", VI), bin_(VI, "*", N))))
    changed = rewrite(tree, rename("n", "k"))
    assert used_variables(changed) == {"k", "i", "a"}
    assert used_variables(tree) == {"n", "i", "a"}


def test_an_unchanged_tree_is_the_same_object():
    tree = block(declare("row", None, VLA), loop("i", N, assign(index("a", VI), lit(0))))
    assert rewrite(tree, rename("zzz", "k")) is tree
    changed = rewrite(tree, rename("a", "b"))
    assert changed is not tree
    assert changed.items[0] is tree.items[0]


def test_rewriting_is_bottom_up():
    def fold(node):
        if hasattr(node, "op") and all(isinstance(part, IntLiteral) for part in children(node)):
            return lit(sum(part.value for part in children(node)))
        return node

    assert rewrite(bin_(bin_(lit(1), "+", lit(2)), "+", lit(3)), fold) == lit(6)


def test_limits_of_parallel_loops_are_children():
    counted = CanonicalLoop("k", INT, M, "<", N, 1, HERE)
    tree = ParallelFor(HERE, counted, "x", "x", 128, True, block(assign(X, J)))
    assert names(walk(tree)) == ["m", "n", "x", "j"]
    assert rewrite(tree, rename("n", "w")).loop == replace(counted, limit=var("w"))
    assert rewrite(tree, rename("zzz", "w")) is tree


def test_formulas_use_their_symbols():
    assert used_variables(bin_(X, "+", Formula(INT, HERE, Polynomial.symbol("n") - 1))) == {"x", "n"}


STRUCT = var("s")


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (assign(X, VI), {"x"}),
        (assign(X, VI, "+="), {"x"}),
        (assign(index("a", VI), X), set()),
        (assign(Member(INT, HERE, STRUCT, "f", False), X), {"s"}),
        (assign(Member(INT, HERE, STRUCT, "f", True), X), set()),
        (Evaluate(HERE, Unary(INT, HERE, "++", X)), {"x"}),
        (Evaluate(HERE, Unary(INT, HERE, "p--", X)), {"x"}),
        (Evaluate(HERE, Unary(INT, HERE, "-", X)), set()),
        (Evaluate(HERE, Call(INT, HERE, "f", (Unary(Pointer(INT), HERE, "&", X),))), {"x"}),
        (declare("x", lit(1)), set()),
        (loop("i", N, assign(X, VI)), {"i", "x"}),
    ],
)
def test_assigned_variables(tree, expected):
    assert assigned_variables(tree) == expected


def test_varying_variables_are_declared_or_assigned():
    counted = CanonicalLoop("k", INT, lit(0), "<", N, 1, HERE)
    body = block(declare("t", VI), assign(X, VI), ParallelFor(HERE, counted, "x", "x", 128, True, block()))
    assert declared_variables(body) == {"t", "k"}
    assert varying_variables(body) == {"t", "x", "k"}


def definitions(*body, around=()):
    return set(single_definitions(block(*around, loop("i", N, *body))))


USE = assign(index("a", var("im1")), lit(0))


def test_an_offset_of_the_loop_variable_is_a_definition():
    assert single_definitions(block(loop("i", N, IM1, USE))) == {"im1": IM1.init}


def test_definitions_may_stand_on_definitions():
    assert definitions(IM1, declare("row", bin_(var("im1"), "*", M)), USE) == {"im1", "row"}


@pytest.mark.parametrize(
    "after",
    [
        assign(var("im1"), lit(3)),
        Evaluate(HERE, Unary(INT, HERE, "p++", var("im1"))),
        Evaluate(HERE, Call(INT, HERE, "f", (Unary(Pointer(INT), HERE, "&", var("im1")),))),
        assign(VI, bin_(VI, "+", lit(1)), "+="),
        If(HERE, X, block(assign(VI, lit(0)))),
    ],
)
def test_a_later_assignment_ends_a_definition(after):
    assert definitions(IM1, USE, after) == set()


def test_an_earlier_assignment_does_not():
    assert definitions(assign(X, lit(2)), declare("t", X)) == {"t"}
    assert definitions(declare("t", X), assign(X, lit(2))) == set()


def test_an_assignment_after_the_scope_does_not():
    tree = block(block(declare("t", X), assign(index("a", var("t")), lit(0))), assign(X, lit(1)))
    assert set(single_definitions(tree)) == {"t"}


@pytest.mark.parametrize(
    "init",
    [
        None,
        index("ids", VI),
        Call(INT, HERE, "f", (VI,)),
        Unary(INT, HERE, "p++", VI),
        Unary(INT, HERE, "*", var("p", Pointer(INT))),
        Member(INT, HERE, STRUCT, "f", False),
        var("v", Arithmetic("int", volatile=True)),
    ],
)
def test_what_reads_memory_or_has_effects_defines_nothing(init):
    assert definitions(declare("t", init)) == set()


def test_only_plain_scalars_are_defined():
    assert definitions(replace(IM1, static=True)) == set()
    assert definitions(declare("t", VI, Arithmetic("int", volatile=True))) == set()
    assert definitions(declare("t", bin_(VI, "+", lit(1)), DOUBLE)) == {"t"}


def test_scopes_of_loops_cases_and_labels():
    assert "i" not in single_definitions(loop("i", N))
    stepping = assign(X, bin_(X, "+", lit(1)))
    assert not single_definitions(While(HERE, X, block(declare("t", X), stepping)))
    case = Case(HERE, lit(1), (declare("t", X), Jump(HERE, "break")))
    assert set(single_definitions(Switch(HERE, VI, block(case)))) == {"t"}
    assert not single_definitions(Switch(HERE, VI, block(case, Case(HERE, lit(2), (stepping,)))))
    assert not single_definitions(block(Label(HERE, "again", declare("t", X)), stepping))


def test_rewriting_an_expression_gives_an_expression():
    result = rewrite(bin_(VI, "+", J), rename("i", "k"))
    assert isinstance(result, Expr)
    assert used_variables(result) == {"k", "j"}
