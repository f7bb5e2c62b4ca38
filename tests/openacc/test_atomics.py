"""The atomic construct in all its forms, for all types, in memory and in shared memory; where it may stand."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import atomics
import pytest
from families import some
from workshop import Workshop

from accache.base.options import Options
from accache.driver import translate

# of the types of one size make matrix tries the others
SOME_TYPES = ("unsigned short", "int", "double")


def written(workshop: Workshop, name: str, text: str) -> Path:
    """A program of this session."""
    source = workshop.folder / f"{name}.c"
    if not source.exists():
        source.write_text(text)
    return source


def of_type(workshop: Workshop, ctype: str, *, in_gang: bool = False) -> Path:
    name = f"atomics_{ctype.replace(' ', '_')}{'_gang' * in_gang}"
    return written(workshop, name, atomics.program(ctype, in_gang=in_gang))


@pytest.mark.parametrize(
    "ctype",
    [pytest.param(ctype, marks=() if ctype in SOME_TYPES else pytest.mark.matrix) for ctype in atomics.TYPES],
)
def test_every_form(ctype: str, workshop: Workshop) -> None:
    workshop.same(of_type(workshop, ctype), Options(), seed=1)


@pytest.mark.parametrize("ctype", some(["unsigned char", "int", "double", "long"], 2))
def test_every_form_in_shared_memory(ctype: str, workshop: Workshop) -> None:
    workshop.same(of_type(workshop, ctype, in_gang=True), Options(), seed=2)


@pytest.mark.parametrize("ctype", ["signed char", "unsigned short", "float"])
def test_bytes_and_halves_are_swapped_inside_of_words(ctype: str, workshop: Workshop) -> None:
    source = of_type(workshop, ctype)
    result = workshop.run(source, Options(), check=False)
    assert result.stdout == workshop.sequential(source)


@pytest.mark.nvcc
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize("number", ["75", "80", "90"])
def test_nvcc_takes_every_form_without_a_warning(number: str, workshop: Workshop, tmp_path: Path) -> None:
    types = {"75": ("short", "long"), "80": ("_Bool", "float"), "90": ("unsigned char", "double")}[number]
    for ctype in types:
        source = tmp_path / "device.cu"
        source.write_text(workshop.translation(of_type(workshop, ctype), Options()).device)
        command = ["nvcc", f"-arch=sm_{number}", "-Werror", "all-warnings", "-c", source, "-o", tmp_path / "device.o"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:3000]


_SPELLING = """
void f({type} *x, {type} *v, {other} e, int n)
{{
#pragma acc parallel loop present(x[0:n], v[0:n])
    for (int i = 0; i < n; ++i) {{
#pragma acc atomic {clause}
        {statement}
    }}
}}
"""
SPELLINGS = {
    ("int", "int", "", "x[i % 3]++;"): "atomicAdd(&x[i%3], 1);",
    ("int", "int", "", "x[0] -= e;"): "atomicSub(&x[0], e);",
    ("int", "long", "", "x[0] += e;"): "atomicAdd(&x[0], e);",
    ("int", "double", "", "x[0] *= e;"): "accache_atomic_mul(&x[0], e);",
    ("int", "double", "", "x[0] += e;"): "accache_atomic_add(&x[0], e);",
    ("unsigned", "unsigned", "", "*x |= e;"): "atomicOr(x, e);",
    ("long", "long", "", "x[0]--;"): "atomicAdd((unsigned long long *)&x[0], -1ULL);",
    ("long", "unsigned", "", "x[0] -= e;"): "atomicAdd((unsigned long long *)&x[0], -(unsigned long long)e);",
    ("long", "int", "", "x[0] = x[0] < e ? e : x[0];"): "atomicMax((long long *)&x[0], e);",
    ("unsigned", "int", "", "x[0] = x[0] < e ? e : x[0];"): "accache_atomic_max(&x[0], e);",
    ("float", "float", "", "x[0]++;"): "atomicAdd(&x[0], 1.0f);",
    ("float", "float", "", "x[0] = x[0] - e;"): "atomicAdd(&x[0], -e);",
    ("float", "float", "", "x[0] += 0.5;"): "atomicAdd(&x[0], 0.5);",
    ("float", "float", "", "x[0] += 0.1;"): "accache_atomic_add(&x[0], 0.1);",
    ("float", "float", "", "x[0] = e - x[0];"): "accache_atomic_reversed_sub(&x[0], e);",
    ("double", "float", "", "x[0] += e;"): "atomicAdd(&x[0], e);",
    ("double", "int", "", "x[0] -= e;"): "atomicAdd(&x[0], -(double)e);",
    ("double", "double", "", "x[0] = x[0] > e ? x[0] : e;"): "accache_atomic_max_gt(&x[0], e);",
    ("double", "double", "", "x[0] = fmin(e, x[0]);"): "accache_atomic_fmin(&x[0], e);",
    ("int", "int", "read", "v[i] = x[0];"): "v[i] = accache_atomic_read(&x[0]);",
    ("char", "int", "write", "x[0] = e;"): "accache_atomic_write(&x[0], e);",
    ("int", "int", "capture", "v[i] = x[0]++;"): "v[i] = atomicAdd(&x[0], 1);",
    ("int", "int", "capture", "v[i] = --x[0];"): "v[i] = atomicSub(&x[0], 1) - 1;",
    ("int", "int", "capture", "{ x[0] = x[0] & e; v[i] = x[0]; }"): "v[i] = atomicAnd(&x[0], e) & e;",
    ("float", "int", "capture", "v[i] = x[0] += e;"): "v[i] = accache_atomic_add_fetch(&x[0], e);",
    ("double", "int", "capture", "{ v[i] = x[0]; x[0] = e; }"): "v[i] = accache_atomic_exchange(&x[0], e);",
    ("volatile int", "int", "", "x[0] += e;"): "atomicAdd((int *)&x[0], e);",
}


@pytest.mark.parametrize("case", SPELLINGS, ids=lambda case: " ".join(case))
def test_it_is_spelled_as_a_programmer_would(case: tuple[str, str, str, str], tmp_path: Path) -> None:
    ctype, other, clause, statement = case
    source = tmp_path / "a.c"
    text = _SPELLING.format(type=ctype, other=other, clause=clause, statement=statement)
    source.write_text("#include <math.h>\n" + text)
    lines = [line.strip() for line in translate(str(source), Options()).device.splitlines()]
    assert SPELLINGS[case] in lines, [line for line in lines if "atomic" in line]


def device(text: str, tmp_path: Path) -> str:
    """The kernels of a program."""
    source = tmp_path / "a.c"
    source.write_text(text)
    return translate(str(source), Options()).device


def test_a_value_that_stands_twice_is_computed_once(tmp_path: Path) -> None:
    text = device(
        _SPELLING.format(type="int", other="int", clause="capture", statement="v[i] = x[0] += v[i + n];"), tmp_path
    )
    assert "const int value = v[i + n];" in text
    assert "v[i] = atomicAdd(&x[0], value) + value;" in text


def test_a_thread_needs_no_atomic_access_of_its_own_variable(tmp_path: Path) -> None:
    text = device(
        """
void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        int own = 0, row[3] = {0};
#pragma acc atomic
        own += a[i];
#pragma acc atomic capture
        own = row[1]++;
        a[i] = own;
    }
}
""",
        tmp_path,
    )
    assert "own += a[i];" in text
    assert "own = row[1]++;" in text
    assert "atomicAdd" not in text


def test_a_condition_chooses_the_plain_statement(tmp_path: Path) -> None:
    statement = "x[0] += e;"
    text = device(_SPELLING.format(type="int", other="int", clause="if(n > 5)", statement=statement), tmp_path)
    lines = [line.strip(" {}") for line in text.splitlines()]
    at = lines.index("if (n > 5)")
    assert lines[at : at + 4] == ["if (n > 5)", "atomicAdd(&x[0], e);", "else", "x[0] += e;"]


def test_host_code_keeps_its_plain_statement(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("void f(int *x)\n{\n#pragma acc atomic capture\n    { x[0]++; x[1] = x[0]; }\n}\n")
    assert "void f(int *x)\n{\n    { x[0]++; x[1] = x[0]; }\n}\n" in translate(str(source), Options()).host


# ---- between gang and vector loops ----

GANG = r"""
#include "show.h"

int main(void)
{
    int rows = 23, n = 70, tickets = 0, most = 0, seen = 0;
    int *a = new_ints(rows * n, 1), *count = new_ints(rows, 2), *slots = new_ints(rows * n, 3);
    fill(slots, rows * n, 0);
#pragma acc parallel loop gang vector_length(64) \
    copyin(a[0:rows*n]) copy(count[0:rows], slots[0:rows*n], tickets, most, seen)
    for (int r = 0; r < rows; ++r) {
        int odd = r, first, now;
#pragma acc loop vector
        for (int j = 0; j < n; ++j) {
            if (a[r * n + j] & 1) {
#pragma acc atomic
                odd++;
            }
        }
        odd -= r;
        count[r] = odd;
#pragma acc atomic capture
        {
            first = tickets;
            tickets += odd;
        }
#pragma acc atomic
        most = odd > most ? odd : most;
#pragma acc atomic read
        now = tickets;
        if (now >= first + odd) {
#pragma acc loop vector
            for (int j = 0; j < odd; ++j)
                slots[first + j] += 1;
#pragma acc atomic
            ++seen;
        }
    }
    SHOW("count", count, rows);
    SHOW("slots", slots, rows * n);
    printf("%d %d %d\n", tickets, most, seen);
    return 0;
}
"""


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_one_thread_of_a_gang_does_it_and_all_know_the_result(seed: int, workshop: Workshop) -> None:
    workshop.same(written(workshop, "atomic_gang", GANG), Options(), seed=seed)


COPIES = r"""
#include "show.h"

int main(void)
{
    int n = 200, start = 5, result[4] = {0};
#pragma acc parallel num_gangs(4) vector_length(32) firstprivate(start) copy(result)
    {
#pragma acc loop gang
        for (int g = 0; g < 4; ++g) {
#pragma acc loop vector
            for (int i = 0; i < n; ++i) {
#pragma acc atomic
                start += i % 3;
            }
            result[g] = start;
            start = 5;
        }
    }
    for (int g = 0; g < 4; ++g)
        printf("%d\n", result[g]);
    return 0;
}
"""


def test_a_gang_has_a_copy_its_threads_share(workshop: Workshop) -> None:
    workshop.same(written(workshop, "atomic_copies", COPIES), Options(), seed=1)


# ---- dependence and caches ----

KERNELS = """
void f(int *restrict bins, const int *restrict keys, int n)
{{
    int count = 0, other = 0;
#pragma acc kernels copy(bins[0:n]) copyin(keys[0:n])
    for (int i = 0; i < n; ++i) {{
        {body}
    }}
    bins[0] = count + other;
}}
"""
PARALLEL = (
    '_Pragma("acc atomic") bins[keys[i]]++;',
    '_Pragma("acc atomic") bins[keys[i]] += 2;\n _Pragma("acc atomic") bins[i] -= keys[i];',
    '_Pragma("acc atomic") count = count > keys[i] ? count : keys[i];',
    'if (keys[i] > 3) { _Pragma("acc atomic") ++count; }',
)
SEQUENTIAL = (
    "bins[keys[i]]++;",
    '_Pragma("acc atomic") bins[keys[i]]++;\n _Pragma("acc atomic") bins[i] *= 2;',
    '_Pragma("acc atomic") bins[keys[i]]++; bins[i] = 0;',
    '_Pragma("acc atomic") bins[keys[i]] += bins[i + 1];',
    '_Pragma("acc atomic") bins[keys[i]] = 7 - bins[keys[i]];',
    'int v;\n _Pragma("acc atomic capture") v = bins[keys[i]]++;',
    '_Pragma("acc atomic write") bins[keys[i]] = i;',
    '_Pragma("acc atomic") count++; other = count;',
    '_Pragma("acc atomic") count++;\n _Pragma("acc atomic") count *= 2;',
    '_Pragma("acc atomic") count += other;\n _Pragma("acc atomic") other++;',
)


@pytest.mark.parametrize("body", PARALLEL + SEQUENTIAL)
def test_updates_of_one_kind_do_not_make_a_loop_sequential(body: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(KERNELS.format(body=body))
    codes = [item.code for item in translate(str(source), Options()).diagnostics]
    assert ("ACC307" not in codes) == (body in PARALLEL), codes


def test_what_is_accessed_atomically_is_not_cached(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(
        """
void f(int *restrict a, int *restrict b, int n)
{
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3], b[i-1:3])
#pragma acc atomic
        a[i - 1] += b[i + 1] - b[i - 1];
    }
}
"""
    )
    translation = translate(str(source), Options(tune="off"))
    assert [(item.code, item.message) for item in translation.diagnostics] == [
        ("ACC402", "'a[i-1:3]' is not cached: line 8 accesses it atomically")
    ]
    assert "atomicAdd(&a[i - 1], b_tile[threadIdx.x + 2] - b_tile[threadIdx.x]);" in translation.device


ROUTINE = r"""
#include <stdio.h>
#pragma acc routine seq
static int ticket(int *counter, double *product, int x)
{
    int mine = 0, v;
#pragma acc atomic
    mine += x;
#pragma acc atomic
    *product *= 0.5;
#pragma acc atomic capture
    v = (*counter)++;
    return v + mine - x;
}
int main(void)
{
    int n = 100, taken = 0, seen[100] = {0}, all = 1;
    double product = 1;
#pragma acc parallel loop copy(taken, product, seen)
    for (int i = 0; i < n; ++i)
        seen[ticket(&taken, &product, i)]++;
    for (int i = 0; i < n; ++i)
        all &= seen[i] == 1;
    printf("%d %a %d\n", taken, product, all);
    return 0;
}
"""


def test_a_routine_accesses_atomically(workshop: Workshop) -> None:
    source = written(workshop, "atomic_routine", ROUTINE)
    workshop.same(source, Options(), seed=1)
    assert "    mine += x;" in workshop.translation(source, Options()).device
