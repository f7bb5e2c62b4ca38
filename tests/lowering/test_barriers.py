"""A barrier stands exactly where threads pass data to each other: in whole kernels, given by files, and among steps.

``wx`` writes x and ``rx`` reads it, ``Fx`` fetches a tile x, ``sync`` is a step that ends with a barrier of its own,
``break`` and ``continue`` are steps; ``loop{ }`` and ``if{ }`` hold others. ``|`` stands for a barrier that was placed.
``wx@o`` is split among threads as ``o`` says. Arrays p and q may be one. ``wx/l`` is done in an iteration of a loop l
that a warp has for itself, ``sync/l`` makes its lanes wait, and ``|/l`` is a barrier for them.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from plans import Plan, emitted, plans

from accache.analysis.accesses import ANYWHERE, HEAP, Accesses
from accache.base.diagnostics import Reporter
from accache.base.text import Location
from accache.ir.build import INT
from accache.ir.kernels.simt import Barrier, BlockReduce, Fetch
from accache.ir.openacc.regions import Reduction
from accache.ir.tree import Jump
from accache.lowering.barriers import Divergence, Memory, Step, conflict, place_barriers, refuse_divergent_barriers


@pytest.mark.parametrize("case", plans(__file__, "barriers"), ids=str)
def test_barriers(case: Plan, update_golden: bool) -> None:
    case.holds(emitted(case), update_golden)


@pytest.mark.parametrize("case", plans(__file__, "ownership"), ids=str)
def test_none_for_cells_that_a_thread_keeps_to_itself(case: Plan, update_golden: bool) -> None:
    case.holds(emitted(case), update_golden)


HERE = Location("a.c", 1)


def steps_of(words: Iterator[str]) -> tuple[Step, ...]:
    """The steps up to a closing brace."""
    steps = []
    for word in words:
        if word == "}":
            break
        kind, _, warp = word.partition("/")
        if kind in ("loop{", "if{"):
            steps.append(Step(HERE, inner=(steps_of(words),), is_loop=kind == "loop{", warp=warp))
        else:
            steps.append(step_of(word))
    return tuple(steps)


def step_of(word: str) -> Step:
    word, _, warp = word.partition("/")
    if word == "sync":
        return Step(HERE, synchronises="warp" if warp else "block", warp=warp)
    if word in ("break", "continue"):
        return Step(HERE, stmt=Jump(HERE, word), warp=warp)
    touched, _, owner = word.partition("@")
    names = frozenset(touched[1:])
    stmt = Fetch(HERE, ()) if word[0] == "F" else None
    accesses = Accesses(names) if word[0] == "r" else Accesses(writes=names)
    return Step(HERE, accesses, owner, stmt, warp=warp)


def text_of(steps: tuple[Step, ...]) -> Iterator[str]:
    for step in steps:
        of_warp = f"/{step.warp}" if step.warp else ""
        if step.inner:
            yield ("loop{" if step.is_loop else "if{") + of_warp
            for body in step.inner:
                yield from text_of(body)
            yield "}"
        elif isinstance(step.stmt, Barrier):
            assert (step.stmt.scope == "warp") == bool(of_warp)
            yield "|" + of_warp
        elif step.synchronises or isinstance(step.stmt, Jump):
            yield (step.stmt.keyword if isinstance(step.stmt, Jump) else "sync") + of_warp
        else:
            kind = "F" if isinstance(step.stmt, Fetch) else "w" if step.accesses.writes else "r"
            names = "".join(sorted(step.accesses.reads | step.accesses.writes))
            yield f"{kind}{names}{'@' * bool(step.owner)}{step.owner}{of_warp}"


def may_be_one(one: str, other: str) -> bool:
    return {one, other} == {"p", "q"}


MEMORY = Memory(may_be_one)


def loop_of(text: str) -> Step:
    (loop,) = steps_of(iter(f"loop{{ {text} }}".split()))
    return loop


def placed(text: str) -> str:
    return " ".join(text_of(place_barriers(steps_of(iter(text.split())), MEMORY)))


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("wx rx", "wx | rx"),
        ("rx ry", "rx ry"),
        ("wx ry rx", "wx | ry rx"),
        ("wx Fy rx", "wx Fy | rx"),
        ("wx wz rx sync rz", "wx | wz rx sync rz"),
        ("wx wz rx rz", "wx wz | rx rz"),
        ("wx loop{ ry } rx", "wx loop{ ry } | rx"),
        ("wx@o rx@u", "wx@o | rx@u"),
        ("wp rq", "wp | rq"),
        ("w* rx", "w* | rx"),
    ],
)
def test_a_barrier_stands_right_behind_its_cause_and_any_fetch(steps: str, expected: str) -> None:
    assert placed(steps) == expected


@pytest.mark.parametrize(
    "steps", ["wx sync rx", "loop{ wx sync } rx", "if{ wx } ry", "if{ rx }", "loop{ rx }", "wx@o rx@o"]
)
def test_none_where_nothing_is_open(steps: str) -> None:
    assert placed(steps) == steps


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("if{ wx } rx", "if{ wx } | rx"),
        ("loop{ rx sync wx sync rx } wx", "loop{ rx sync wx sync rx } | wx"),
        ("if{ if{ wx } ry } rx", "if{ if{ wx } ry } | rx"),
    ],
)
def test_what_happens_inside_is_open_behind(steps: str, expected: str) -> None:
    assert placed(steps) == expected


@pytest.mark.parametrize("jump", ["break", "continue"])
@pytest.mark.parametrize("early", ["{}", "if{{ {} }}", "if{{ ry if{{ {} }} }}"])
def test_what_is_open_at_a_jump_is_open_behind_the_loop(jump: str, early: str) -> None:
    steps = f"loop{{ wx {early.format(jump)} sync ry }} rx"
    assert placed(steps).endswith("| rx")
    assert placed(steps.replace(f"{early.format(jump)} ", "")).endswith("} rx")


def test_a_jump_out_of_an_inner_loop_stays_in_the_outer_one() -> None:
    steps = "loop{ wx loop{ break } sync } rx"
    assert placed(steps) == steps


def test_one_arm_of_a_condition_is_no_round() -> None:
    assert placed("if{ wx }") == "if{ wx }"
    assert placed("loop{ wx }") == "loop{ wx | }"


def test_a_round_that_ends_early_waits_at_the_head_of_the_next() -> None:
    assert placed("loop{ sync wx continue sync ry }") == "loop{ sync wx continue sync ry }"
    assert placed("loop{ rx sync wx continue sync ry }") == "loop{ | rx sync wx continue sync ry }"


def test_a_round_that_ends_early_must_not_decide_about_the_next() -> None:
    for jump, body in (("continue", "wc continue sync"), ("", "wc sync")):
        (found,) = place_barriers((replace(loop_of(body), control=Accesses(frozenset("c"))),), MEMORY)
        assert bool(found.divergent.block) == bool(found.divergent.warp) == bool(jump)


@pytest.mark.parametrize(
    ("body", "rounds", "expected"),
    [
        ("rx@o wx@o", {}, "rx@o wx@o |"),
        ("rx@o wx@o", {"round_owner": "o"}, "rx@o wx@o"),
        ("rx@o wx@o", {"round_owner": "u"}, "rx@o wx@o |"),
        ("rx@u sync wx@o", {"round_owner": "o"}, "rx@u sync wx@o |"),
        ("rs@o ws@o", {"round_owner": "o"}, "rs@o ws@o |"),
        ("rs@o ws@o", {"round_leader": "o"}, "rs@o ws@o"),
        ("rs@u sync ws@o", {"round_leader": "o"}, "rs@u sync ws@o |"),
    ],
)
def test_threads_may_have_the_same_work_in_each_round(body: str, rounds: dict[str, str], expected: str) -> None:
    memory = Memory(may_be_one, frozenset("s"))
    found = place_barriers((replace(loop_of(body), **rounds),), memory)
    assert " ".join(text_of(found)) == f"loop{{ {expected} }}"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("wx/l rx/l", "wx/l |/l rx/l"),
        ("wx rx/l", "wx | rx/l"),
        ("wx/l rx", "wx/l | rx"),
        ("wx/l rx/m", "wx/l | rx/m"),
        ("wx/l wy rx/l ry", "wx/l wy | rx/l ry"),
        ("wx/l sync/l rx/l rx", "wx/l | sync/l rx/l rx"),
        ("wx/l sync/m rx/l", "wx/l sync/m |/l rx/l"),
        ("wx/l sync rx/l rx", "wx/l sync rx/l rx"),
        ("wx sync/l rx/l", "wx | sync/l rx/l"),
        ("wx/l ry/l rx/l", "wx/l |/l ry/l rx/l"),
        ("wx ry/l sync/l rx/l", "wx | ry/l sync/l rx/l"),
        ("wx/l if{/l sync/l rx/l }", "wx/l if{/l sync/l rx/l }"),
        ("wx if{/l sync/l rx/l }", "wx | if{/l sync/l rx/l }"),
        ("loop{/l rx/l wx/l }", "loop{/l rx/l |/l wx/l |/l }"),
        ("loop{/l sync/l rx/l wx/l }", "loop{/l sync/l rx/l |/l wx/l }"),
        ("loop{/l rx/l sync/l wx/l continue/l }", "loop{/l |/l rx/l sync/l wx/l continue/l }"),
    ],
)
def test_lanes_of_a_warp_that_has_an_iteration_wait_for_each_other_alone(steps: str, expected: str) -> None:
    assert placed(steps) == expected


def test_in_another_round_warps_have_other_iterations() -> None:
    assert placed("loop{ sync/l rx/l sync/l wx/l }") == "loop{ sync/l rx/l sync/l wx/l | }"


def accesses(reads: str = "", writes: str = "", updates: str = "") -> Accesses:
    return Accesses(frozenset(reads.split()), frozenset(writes.split()), frozenset((name, "+") for name in updates))


@pytest.mark.parametrize(
    ("before", "after", "meet"),
    [
        (accesses(writes="x"), accesses(reads="x"), True),
        (accesses(reads="x"), accesses(reads="x"), False),
        (accesses(writes="x"), accesses(reads="y"), False),
        (accesses(writes=ANYWHERE), accesses(reads="x"), True),
        (accesses(writes="x"), accesses(reads=ANYWHERE), True),
        (accesses(writes=HEAP), accesses(writes=HEAP), False),
        (accesses(writes=HEAP), accesses(reads=ANYWHERE), False),
        (accesses("x", "x", "x"), accesses("x", "x", "x"), False),
        (accesses("x", "x", "x"), accesses("x", "x"), True),
        (accesses("x", "x"), accesses("x", "x", "x"), True),
        (accesses("x", "x y", "x"), accesses("y", "", "y"), True),
    ],
)
def test_accesses_meet_if_one_writes(before: Accesses, after: Accesses, meet: bool) -> None:
    assert conflict(before, after, may_be_one) is meet


def test_updates_of_two_kinds_meet() -> None:
    before = accesses("x", "x", "x")
    assert conflict(before, replace(before, updates=frozenset((("x", "max"),))), may_be_one)


def test_who_keeps_to_cells_of_an_array_may_meet_others_in_an_alias() -> None:
    own = frozenset("p")
    assert not conflict(accesses(writes="p"), accesses(reads="p"), may_be_one, own)
    assert conflict(accesses(writes="p"), accesses(reads="q"), may_be_one, own)


@pytest.mark.parametrize(
    ("divergent", "steps", "told"),
    [
        ("d", "sync", True),
        ("", "sync", False),
        ("d", "rx", False),
        ("d", "if{ loop{ sync } }", True),
    ],
)
def test_barriers_where_not_all_threads_come_are_refused(divergent: str, steps: str, told: bool) -> None:
    reporter = Reporter()
    refuse_divergent_barriers((replace(loop_of(steps), divergent=Divergence(divergent)),), reporter)
    assert [found.code for found in reporter.diagnostics] == ["ACC320"] * told


@pytest.mark.parametrize(
    ("divergent", "told"), [(Divergence("d"), False), (Divergence("d", "lanes"), True), (Divergence(), False)]
)
def test_lanes_may_wait_where_other_warps_do_not_come(divergent: Divergence, told: bool) -> None:
    reporter = Reporter()
    refuse_divergent_barriers((replace(loop_of("if{/l sync/l }"), divergent=divergent),), reporter)
    assert ["lanes" in found.message for found in reporter.diagnostics] == [True] * told


def test_the_outermost_reason_is_told() -> None:
    inner = replace(loop_of("sync"), divergent=Divergence("inner"))
    reporter = Reporter()
    refuse_divergent_barriers((Step(HERE, inner=((inner,),), divergent=Divergence("outer")),), reporter)
    (found,) = reporter.diagnostics
    assert "outer" in found.message


def test_a_reduction_is_told_alone() -> None:
    beside = Step(HERE, stmt=BlockReduce(HERE, Reduction("+", "sum", INT), ("x",)), synchronises="block")
    reporter = Reporter()
    refuse_divergent_barriers((beside, *steps_of(iter(("sync",)))), reporter, Divergence("not all threads come"))
    assert reporter.diagnostics == []
