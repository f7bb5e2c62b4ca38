"""Compute constructs, levels of parallelism, dependences and data, as whole programs."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from families import some
from workshop import Workshop

from accache.base.options import Options

PROGRAMS = Path(__file__).parent / "programs"
# each prints what its sequential run prints; sizes around the edges of blocks
LIKE_SEQUENTIAL = {
    "aliased_variables": ("300", "1", "257"),
    "aligned_structures": ("300", "1", "257"),
    "anonymous_members": ("0",),
    "array_reductions": ("300", "1", "257"),
    "between_loops": ("40", "1", "33"),
    "bounds_of_clauses": ("300", "9", "257"),
    "compiler_functions": ("300", "1", "257"),
    "compilers_words": ("300", "1", "257"),
    "cached_dimensions": ("0",),
    "counted_beside": ("300", "20", "5000"),
    "cached_deviceptr": ("300", "3", "257"),
    "complex_cached": ("300", "1", "257"),
    "complex_edges": ("1", "5"),
    "complex_numbers": ("300", "7", "257"),
    "counters": ("300", "4", "257"),
    "const_elements": ("300", "1", "257"),
    "const_variables": ("300", "1", "257"),
    "constant_trips": ("300", "1", "33", "257"),
    "declared_lengths": ("300", "1", "257"),
    "dependence": ("300", "4", "21"),
    "dereferenced_conditions": ("1", "3", "5"),
    "empty_constructs": ("4", "1"),
    "enumerations": ("300", "1"),
    "firstprivate_written": ("300", "1", "257"),
    "grouped_pragmas": ("300", "1"),
    "gang_data": ("37", "1", "130"),
    "groups_of_compute": ("300", "1", "257"),
    "groups_of_conditions": ("300", "1"),
    "heap": ("40", "1", "33"),
    "hidden_dependences": ("300", "4", "21"),
    "hidden_directives": ("300", "4", "257"),
    "initialisers": ("300", "1", "257"),
    "kept_rows": ("300", "1", "5", "70"),
    "keywords": ("300", "1", "257"),
    "keywords_joined": ("40", "1", "3", "17"),
    "kernels_order": ("300", "1", "257"),
    "kernels_gangs": ("4000", "3", "300"),
    "lane_stores": ("37", "1", "130"),
    "leaders": ("60", "1", "33"),
    "lone_reductions": ("300", "1", "257"),
    "level_routines": ("70", "9", "130"),
    "levels": ("13", "3", "16"),
    "limits_on_device": ("300", "7"),
    "loop_starts": ("40", "1", "33"),
    "local_types": ("200", "1", "256"),
    "nameless_types": ("300", "1"),
    "memory_calls": ("50", "1", "257"),
    "named_twice": ("300", "1", "257"),
    "names": ("300", "1"),
    "constant_lanes": ("0",),
    "names_in_blocks": ("0",),
    "old_style": ("300", "1"),
    "qualifiers": ("300", "1"),
    "openacc_constants": ("300", "1"),
    "outside_of_sections": ("300", "9", "257"),
    "own_elements": ("100", "3", "300"),
    "present_scalars": ("300", "1", "257"),
    "routine_caches": ("40", "1", "7"),
    "parts_of_rows": ("0",),
    "recursion": ("0",),
    "pointer_loops": ("300", "1", "0", "1499"),
    "punned_pointers": ("300", "1"),
    "reduced_again": ("300", "3", "257"),
    "reduction_shapes": ("40", "1", "33"),
    "residents": ("300", "1", "257"),
    "routines": ("300", "1", "257"),
    "row_pointers": ("200", "1", "257"),
    "loop_clauses": ("9", "1", "40"),
    "printing": ("3", "1", "9"),
    "private_and_cached": ("0",),
    "private_arrays": ("70", "1", "33"),
    "routine_calls": ("0",),
    "striding_reductions": ("600000", "262145", "700"),
    "structure_members": ("0",),
    "searching_loops": ("300", "1", "257"),
    "same_names": ("300", "4", "257"),
    "scalar_roles": ("300", "2", "257"),
    "switches": ("300", "1", "257"),
    "temporaries": ("60", "1", "33"),
    "truth_values": ("300", "1", "257"),
    "typed_loops": ("300", "1", "257"),
    "types": ("300", "1", "257"),
    "cuda_names": ("300", "3"),
    "cuda_types": ("300", "1"),
    "members_alone": ("0",),
    "mixed_loops": ("1",),
    "macros_with_directives": ("300", "2", "5"),
    "forward_gotos": ("300", "1", "257"),
    "uniform_exits": ("30", "1", "33"),
    "warps_apart": ("0",),
    "variable_steps": ("0",),
    "whole_rows": ("40", "1", "33"),
    "worker_addresses": ("24", "1", "33"),
    "wide_loops": ("300", "1", "257"),
    "wrapping_indices": ("0",),
    "loop_macros": ("300", "2", "33"),
    "loops_from_far": ("0",),
}
# each knows what it must find: host and device memory differ inside of data regions
SELF_CHECKING = (
    *("constants", "data_clauses", "data_lifetimes", "declare", "device_clauses", "devices"),
    *(
        "firstprivate_arrays",
        "host_versions",
        "implied",
        "members_together",
        "pointers_alone",
        "queues",
        "reduced_on_device",
        "runtime_routines",
    ),
    *("shared_structures", "structures"),
)
OF_ELEMENTS = (
    *("cached_deviceptr", "cached_dimensions", "constant_trips", "parts_of_rows", "punned_pointers"),
    "wrapping_indices",
)
METHODS = ("auto", "rbi", "rbc", "ehc")
FOR_USERS = list(LIKE_SEQUENTIAL).index("firstprivate_written") % 4
"""Every fourth program from here on runs as users get it, and every fourth between these as it is without tuning."""
# every loop in them has more iterations than one
COUNTED = ("dependence", "hidden_dependences", "levels")
_LAUNCH = re.compile(r"accache: launch (\w+) grid=\((\d+),(\d+),(\d+)\) block=\((\d+),(\d+),(\d+)\) .*:(\d+)$")


# what programs do on purpose that look at both copies of an array
OF_TWO_MEMORIES = ("stale", "unwritten")


def source_of(name: str) -> Path:
    return PROGRAMS / f"{name}.c"


def test_every_program_is_listed() -> None:
    others = {"far_strides", "near_ends"}
    assert {path.stem for path in PROGRAMS.glob("*.c")} == {*LIKE_SEQUENTIAL, *SELF_CHECKING, *others}


@pytest.mark.parametrize("name", some(LIKE_SEQUENTIAL, 4, FOR_USERS))
def test_what_users_get_has_the_sequential_result(name: str, users_workshop: Workshop) -> None:
    for seed, size in enumerate(LIKE_SEQUENTIAL[name]):
        users_workshop.same(source_of(name), Options(), (size,), seed=seed)


@pytest.mark.parametrize("name", some(LIKE_SEQUENTIAL, 4, (FOR_USERS + 2) % 4))
def test_the_result_is_the_sequential_one(name: str, workshop: Workshop) -> None:
    for seed, size in enumerate(LIKE_SEQUENTIAL[name]):
        workshop.same(source_of(name), Options(), (size,), seed=seed)


@pytest.mark.parametrize(("name", "method", "write"), some(product(OF_ELEMENTS, METHODS, ("back", "through")), 11))
def test_elements_are_those_of_c_whatever_the_method(name: str, method: str, write: str, workshop: Workshop) -> None:
    workshop.same(source_of(name), Options(method=method, write=write), (), seed=7)


@pytest.mark.parametrize("name", some(SELF_CHECKING, 3))
def test_host_and_device_hold_what_they_must(name: str, workshop: Workshop) -> None:
    result = workshop.run(source_of(name), Options(), seed=1)
    lines = result.stdout.splitlines()
    assert [line for line in lines if not line.endswith(" ok")] == []
    calls = re.findall(r"^ +expect\(", source_of(name).read_text(), re.MULTILINE)
    assert len(lines) >= len(calls)
    assert result.returncode == 0, result.stderr
    assert [str(found) for found in result.findings if found.kind not in OF_TWO_MEMORIES] == []


@pytest.mark.parametrize("name", COUNTED)
def test_loops_run_on_many_threads_unless_they_depend(name: str, workshop: Workshop) -> None:
    lines = source_of(name).read_text().splitlines()
    alone = {number for number, line in enumerate(lines, 1) if "/* one thread */" in line}
    launches = [match for line in workshop.notices(source_of(name), Options()) if (match := _LAUNCH.search(line))]
    single = {int(match[8]) for match in launches if {*match.groups()[4:7]} == {"1"}}
    assert single == alone
    assert len(launches) > 4 + len(alone)


@pytest.mark.parametrize(("less", "there"), [("1", "1 to 299"), ("-2", "0 to 297")], ids=["in front", "behind"])
@pytest.mark.parametrize("method", ["rbi", "rbc", "auto", "none"])
def test_elements_that_are_not_mapped_end_the_run(method: str, less: str, there: str, workshop: Workshop) -> None:
    result = workshop.run(source_of("outside_of_sections"), Options(method=method), ("300", less), check=False)
    assert result.returncode == 1
    assert f"the kernel uses elements 0 to 299 of a, and on the device are {there}" in result.stderr


def test_parts_of_rows_end_the_run(workshop: Workshop) -> None:
    result = workshop.run(source_of("whole_rows"), Options(), ("40", "23"))
    assert result.returncode == 1
    assert (
        "whole_rows.c:12: accache: table[0:n][0:m] is not contiguous in memory: it names parts of rows" in result.stderr
    )


def test_a_limit_within_a_stride_of_the_end_of_int_ends_the_run(workshop: Workshop) -> None:
    program = source_of("near_ends")
    last = 2**31 - 1 - 400
    for limit in (1 << 20, last):
        assert workshop.run(program, Options(), (str(limit),)).stdout == workshop.sequential(program, (str(limit),))
    result = workshop.run(program, Options(), (str(last + 1),))
    assert result.returncode == 1
    expected = f"the loop over i ends at {last + 1}, which is too near to the end of int for threads that stride by 400"
    assert f"near_ends.c:8: accache: {expected}" in result.stderr


def test_an_index_that_would_pass_the_end_of_int_ends_the_run(workshop: Workshop) -> None:
    program = source_of("far_strides")
    last = 2**31 - 1 - 262144
    assert workshop.run(program, Options(), (str(last),)).stdout == workshop.sequential(program, (str(last),))
    result = workshop.run(program, Options(), (str(last + 1),))
    assert result.returncode == 1
    expected = f"the loop over i ends at {last + 1}, which is too near to the end of int for threads that stride"
    assert f"far_strides.c:8: accache: {expected}" in result.stderr
