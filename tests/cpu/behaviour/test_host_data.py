"""What the host's copy of an array and the device's have to do with each other: all cases share one program."""

from __future__ import annotations

import shutil

import pytest

from accache.base.options import Options
from accache.cpu.build import Program
from accache.cpu.findings import Finding
from accache.cpu.run import run
from accache.driver import translate
from accache.workflows.building import build_translation

pytestmark = [pytest.mark.skipif(not shutil.which("g++"), reason="needs g++"), pytest.mark.xdist_group("host-data")]

HEAD = """
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#define N 100
struct pair { double first, second; };
struct padded { char c; int i; short s; };
struct tail { double d; int i; };
static int a[N], b[N], sum;
static unsigned char m[N];
static short h[N];
static struct pair p[N];
static struct padded v[N];
static struct tail q[N];
"""
MAIN = """
int main(int argc, char **argv)
{
    for (int i = 0; i < N; i++)
        a[i] = i;
    ways[atoi(argv[1])]();
    return 0;
}
"""
ADD = "#pragma acc parallel loop\nfor (int i = 0; i < N; i++) a[i] += 1;\n"

# the host writes what it has a newer value of on the device
LOST = f"#pragma acc data copy(a)\n{{\n{ADD}a[50] = 7;\n}}\n"
LOST_BESIDE_SAME = f"#pragma acc data copy(a)\n{{\n{ADD}a[48] = 49;\na[50] = 7;\n}}\n"
LOST_WHOLE = f"#pragma acc data copyin(a)\n{{\n{ADD}for (int i = 0; i < N; i++) a[i] = 2 * i;\n"
SAME = f"#pragma acc data copy(a)\n{{\n{ADD}for (int i = 0; i < N; i++) a[i] = i + 1;\n}}\n"
UPDATED = f"#pragma acc data copy(a)\n{{\na[50] = 49 + 1;\n#pragma acc update self(a)\n{ADD}}}\n"
OWN = (
    "#pragma acc data copyin(a)\n{\nfor (int i = 0; i < N; i++) a[i] = 3 * i;\n"
    "for (int i = 0; i < N; i++) sum += a[i];\n#pragma acc update device(a)\n"
    "#pragma acc parallel loop reduction(+:sum)\nfor (int i = 0; i < N; i++) sum += a[i];\n}\n"
)
AMONG_DEVICES = (
    "#pragma acc data copyin(a) create(b)\n{\na[3] = 3;\n"
    "acc_memcpy_device(acc_deviceptr(b), acc_deviceptr(a), sizeof a);\n#pragma acc update self(b)\n}\n"
)


def _out(clauses: str, *statements: str) -> str:
    return f"#pragma acc parallel loop {clauses}\nfor (int i = 0; i < N; i++) {{ {' '.join(statements)} }}\n"


BY_ROUTINE = "acc_create(q, sizeof q);\n{}acc_copyout(q, sizeof q);\n"

# a body: the findings as kind, array, element, and what else the text says
FAULTS = {
    "the host's value is lost": (LOST, ("stale", "a", 50, "this copy undoes it")),
    "the same value is not": (LOST_BESIDE_SAME, ("stale", "a", 50, "")),
    "all of the host's values are lost": (LOST_WHOLE + "#pragma acc update self(a)\n}\n", ("stale", "a", 0, "")),
    "a second member": (
        _out("copyout(p)", "p[i].first = i;"),
        (
            "unwritten",
            "p",
            0,
            "of 100 elements that come to the host here, 100 were never written on the device, or in part",
        ),
    ),
    "a first member": (_out("copyout(p)", "p[i].second = i;"), ("unwritten", "p", 0, "or in part only")),
    "a second member of one": (
        _out("copyout(p)", "p[i].first = i; if (i != 9) p[i].second = i;"),
        ("unwritten", "p", 9, "1 were never written on the device, or in part only"),
    ),
    "each fourth byte": (
        _out("copyout(m)", "if (i % 4 == 0) m[i] = i;"),
        ("unwritten", "m", 1, "75 were never written"),
    ),
    "each second short": (
        _out("copyout(h)", "if (i % 2 == 0) h[i] = i;"),
        ("unwritten", "h", 1, "50 were never written"),
    ),
    "a member between paddings": (_out("copyout(v)", "v[i].c = 1; v[i].s = 2;"), ("unwritten", "v", 0, "")),
    "what a routine mapped": (
        BY_ROUTINE.format(_out("present(q)", "if (i < 50) q[i].d = 1;")),
        ("unwritten", None, None, ""),
    ),
}
CLEARED = "for (int i = 0; i < N; i++) a[i] = 0;\n"
FETCHED = "#pragma acc update self(a)\n}\n"
SET = "#pragma acc parallel loop\nfor (int i = 0; i < N; i++) a[i] = i + 3;\n"
FAULTS |= {
    # with one memory for both the zeros would stay
    "the host clears what the device has computed": (
        f"#pragma acc data copyin(a)\n{{\n{SET}{CLEARED}{FETCHED}",
        ("stale", "a", 0, "this copy undoes it"),
    ),
    "the host clears what the device computes in part": (
        f"#pragma acc data copyin(a)\n{{\n{CLEARED}{SET.replace('i < N', 'i < 40')}{FETCHED}",
        ("stale", "a", 40, "this copy undoes it"),
    ),
}
RIGHT = {
    "the host clears what the device then computes": f"#pragma acc data copyin(a)\n{{\n{CLEARED}{SET}{FETCHED}",
    "the host clears what the device then adds up": (
        "#pragma acc data create(a)\n{\n"
        f"{CLEARED}{SET}#pragma acc parallel loop\nfor (int i = 0; i < N; i++) {{\n"
        f"#pragma acc atomic\na[i] += 1;\n}}\n{FETCHED}"
    ),
    "the host puts back what it has cleared": f"#pragma acc data copyin(a)\n{{\n{CLEARED}"
    f"for (int i = 0; i < N; i++) a[i] = i;\n{FETCHED}",
    "the host writes what the device has": SAME,
    "the host writes before an update": UPDATED,
    "the host reads its own newer values": OWN,
    "a copy on the device of what the host wrote again": AMONG_DEVICES,
    "an exchange whose old value is not used": _out(
        "copyout(a)", "int old;\n#pragma acc atomic capture\n{ old = a[i]; a[i] = i; }\n(void)old;"
    ),
    "padding": _out("copyout(v)", "v[i].c = 1; v[i].i = 2; v[i].s = 3;"),
    "padding of what a routine mapped": BY_ROUTINE.format(_out("present(q)", "q[i].d = 1; q[i].i = 2;")),
    "all bytes": _out("copyout(m, h)", "m[i] = i; h[i] = i;"),
}
BODIES = [*(body for body, _ in FAULTS.values()), *RIGHT.values()]
NAMES = [*FAULTS, *RIGHT]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """All bodies; its argument is the number of one."""
    folder = tmp_path_factory.mktemp("host-data")
    ways = "".join(f"static void way_{number}(void)\n{{\n{body}}}\n" for number, body in enumerate(BODIES))
    table = (
        "static void (*const ways[])(void) = {" + ", ".join(f"way_{number}" for number in range(len(BODIES))) + "};\n"
    )
    source = folder / "user.c"
    source.write_text(HEAD + ways + table + MAIN)
    return build_translation(translate(str(source), Options()), Options(), folder, check=True).program


def findings(program: Program, name: str) -> tuple[Finding, ...]:
    result = run(program, (str(NAMES.index(name)),), seed=0, timeout=60)
    assert result.returncode == 0, result.stderr
    return result.findings


@pytest.mark.parametrize("name", FAULTS)
def test_is_told(program: Program, name: str) -> None:
    kind, array, element, words = FAULTS[name][1]
    (found,) = findings(program, name)
    assert found.kind == kind
    assert array is None or (found.array, found.element) == (array, element)
    assert words in found.detail


@pytest.mark.parametrize("name", RIGHT)
def test_is_right(program: Program, name: str) -> None:
    assert [str(found) for found in findings(program, name)] == []
