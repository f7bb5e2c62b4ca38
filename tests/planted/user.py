"""Faults in C with OpenACC: what users write, as bodies of functions of one program; and bodies without a fault."""

from __future__ import annotations

from dataclasses import dataclass

COMPARED = "ACC702"
HEAD = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 128
#pragma acc routine seq
static int next(int i) { return i + 1; }
#pragma acc routine seq
static int sign(int x) { int s; if (x < 0) s = -1; if (x > 0) s = 1; return s; }
#pragma acc routine seq
static int right_sign(int x) { int s; if (x < 0) s = -1; else s = x > 0; return s; }
static int a[N], b[N], c[N + 1], g[16][8], total, one = 1, eight = 8, *heap;
static double x[N], y[N];
struct pair { int first, last[3]; };
static struct pair pairs[N];
"""
MAIN = """
int main(int argc, char **argv)
{
    int n = N;
    heap = malloc(N * sizeof *heap);
    for (int i = 0; i < N; i++)
        a[i] = i * 7 % 31, b[i] = -i, c[i] = 3, heap[i] = i, x[i] = i, y[i] = 1, pairs[i].first = i;
    for (int i = 0; i < N; i++)
        g[i / 8][i % 8] = i;
    ways[atoi(argv[1])](n);
    int hash = total;
    for (int i = 0; i < N; i++)
        hash = hash * 31 + (a[i] ^ b[i] ^ c[i] ^ g[i / 8][i % 8] ^ heap[i] ^ (int)(x[i] + y[i]) ^ pairs[i].last[1]);
    printf("%08x\\n", hash);
    return 0;
}
"""


@dataclass(frozen=True)
class Body:
    """A function's body; ``finds`` are kinds of findings, or codes of differences, of which one must be told."""

    name: str
    finds: tuple[str, ...]
    text: str


def _loop(clauses: str, statement: str, loop: str = "int i = 0; i < n; i++") -> str:
    return f"#pragma acc parallel loop {clauses}\nfor ({loop}) {{ {statement} }}\n"


def _fault(name: str, finds: str, *parts: str) -> Body:
    return Body(name, tuple(finds.split()), "".join(parts))


_DATA = "#pragma acc data {}\n{{\n"
_WAIT = "#pragma acc wait\n"

FAULTS = (
    # iterations that depend on each other
    _fault("sum without reduction", "race ACC702", _loop("copy(total) copyin(a)", "total = 3 * total + a[i];")),
    _fault("neighbour read", "race", _loop("copy(a)", "a[i] = a[i + 1] + 1;", "int i = 0; i < n - 1; i++")),
    _fault("neighbour before read", "race", _loop("copy(a)", "a[i] = a[i - 1] + 1;", "int i = 1; i < n; i++")),
    _fault("all write one element", "race ACC702", _loop("copy(b) copyin(a)", "b[0] = a[i];")),
    _fault("histogram without atomic", "race", _loop("copyin(a) copy(b)", "b[a[i]]++;")),
    _fault("a temporary of all", "race", _loop("create(c) copyin(a) copyout(b)", "c[0] = a[i]; b[i] = c[0];")),
    _fault("flag of all", "race ACC702", _loop("copyin(a) copy(total)", "if (a[i] == 30) total = i;")),
    _fault("reversed in place", "race", _loop("copy(a)", "a[i] = a[n - 1 - i];")),
    _fault(
        "swap of neighbours",
        "race",
        _loop("copy(a)", "int t = a[i]; a[i] = a[i + 1]; a[i + 1] = t;", "int i = 0; i < n - 1; i++"),
    ),
    _fault("shift by a routine", "race", _loop("copy(a)", "a[next(i)] = a[i];", "int i = 0; i < n - 1; i++")),
    _fault(
        "overlapping rows",
        "race",
        _loop("copy(heap[0:n])", "heap[i] = i; heap[i + 1] = i;", "int i = 0; i < n - 1; i++"),
    ),
    _fault(
        "independent is a lie",
        "race",
        "#pragma acc kernels copy(a)\n#pragma acc loop independent\nfor (int i = 1; i < n; i++) a[i] += a[i - 1];\n",
    ),
    _fault(
        "columns of one row",
        "race",
        _loop("collapse(2) copy(g)", "g[i][0] += j;", "int i = 0; i < 16; i++) for (int j = 0; j < 8; j++"),
    ),
    _fault(
        "atomic beside a plain read",
        "race",
        "#pragma acc parallel loop copyin(a) copy(b)\nfor (int i = 0; i < n; i++) {\n"
        "#pragma acc atomic\nb[0] += a[i];\nif (i == 5) b[1] = b[0];\n}\n",
    ),
    _fault("gangs that share a copy", "race", _loop("copy(pairs)", "pairs[i / 2].last[1] += i;")),
    _fault(
        "vector lanes share",
        "race",
        "#pragma acc parallel loop gang copy(b)\nfor (int i = 0; i < 4; i++) {\n#pragma acc loop vector\n"
        "for (int j = 0; j < 32; j++) b[i * 32 + j / 2] += j;\n}\n",
    ),
    # indices
    _fault("one past the end", "out-of-bounds", _loop("copyin(a) copyout(b)", "b[i] = a[i + 1];")),
    _fault("one before the start", "out-of-bounds", _loop("copyin(a) copyout(b)", "b[i] = a[i - 1];")),
    _fault(
        "limit too large", "out-of-bounds index", _loop("copy(heap[0:n])", "heap[i] = i;", "int i = 0; i <= n; i++")
    ),
    _fault("section too short", "out-of-bounds", _loop("copyin(a[0:n-1]) copyout(b)", "b[i] = a[i];")),
    _fault("section too late", "out-of-bounds", _loop("copyin(heap[1:n-1]) copyout(b)", "b[i] = heap[i * one];")),
    _fault("row overrun", "index", _loop("copy(g)", "g[i][eight] = i;", "int i = 0; i < 15; i++")),
    _fault("row underrun", "index", _loop("copy(g)", "g[i][eight - 9] = i;", "int i = 1; i < 16; i++")),
    _fault(
        "member overrun", "index", _loop("copy(pairs)", "pairs[i].last[eight - 5] = i;", "int i = 0; i < n - 1; i++")
    ),
    _fault(
        "own array overrun",
        "index",
        _loop(
            "copyin(a) copyout(b)", "int t[8]; for (int j = 0; j < 8; j++) t[j] = a[i] * j; b[i] = t[(i & 7) + one];"
        ),
    ),
    _fault(
        "own array written past",
        "index out-of-bounds",
        _loop("copyout(b)", "int t[8]; for (int j = 0; j < 8; j++) t[j + one] = j; b[i] = t[(i & 3) + 2];"),
    ),
    _fault("negative index", "out-of-bounds", _loop("copyin(a) copyout(b)", "b[i] = a[a[i] - 2];")),
    _fault(
        "gang's array overrun",
        "index out-of-bounds",
        "#pragma acc parallel loop gang copy(b)\nfor (int i = 0; i < 4; i++) {\nint t[32];\n#pragma acc loop vector\n"
        "for (int j = 0; j < 32; j++) t[j + one] = j;\n#pragma acc loop vector\n"
        "for (int j = 0; j < 31; j++) b[i * 32 + j] = t[j + 1];\n}\n",
    ),
    _fault("shift too wide", "wide-shift", _loop("copy(a)", "a[i] = 1 << i;")),
    # data
    _fault("copyin for copy", "stale ACC702", _loop("copyin(a)", "a[i] += 1;")),
    _fault("create for copyin", "uninitialised", _loop("create(a) copyout(b)", "b[i] = a[i];")),
    _fault("copyout for copy", "uninitialised", _loop("copyout(b)", "b[i] += i;")),
    _fault("copyout of half", "unwritten", _loop("copyout(b)", "b[i] = i;", "int i = 0; i < n / 2; i++")),
    _fault(
        "copyout without borders",
        "unwritten",
        _loop("copyin(a) copyout(b)", "b[i] = a[i - 1] + a[i + 1];", "int i = 1; i < n - 1; i++"),
    ),
    _fault("copyout of chosen elements", "unwritten", _loop("copyin(a) copyout(b)", "if (a[i] > 3) b[i] = 1;")),
    _fault("read without update self", "stale", _DATA.format("copy(a)"), _loop("", "a[i] += 1;"), "total = a[3];\n}\n"),
    _fault(
        "update of another array",
        "stale",
        _DATA.format("copy(a, b)"),
        _loop("", "a[i] += 1;"),
        "#pragma acc update self(b)\ntotal = a[3];\n}\n",
    ),
    _fault(
        "update of a part",
        "stale",
        _DATA.format("copy(a)"),
        _loop("", "a[i] += 1;"),
        "#pragma acc update self(a[0:n/2])\ntotal = a[n - 1];\n}\n",
    ),
    _fault(
        "write without update device",
        "stale",
        _DATA.format("copyin(a) copyout(b)"),
        "a[5] = 1000;\n",
        _loop("", "b[i] = a[i];"),
        "}\n",
    ),
    _fault(
        "update device of a part",
        "stale",
        _DATA.format("copyin(a) copyout(b)"),
        "for (int i = 0; i < n; i++) a[i] = 50 - i;\n#pragma acc update device(a[1:n-1])\n",
        _loop("", "b[i] = a[i];"),
        "}\n",
    ),
    _fault(
        "exit data delete",
        "stale",
        "#pragma acc enter data copyin(a)\n",
        _loop("present(a)", "a[i] += 1;"),
        "#pragma acc exit data delete(a)\n",
    ),
    _fault(
        "memset without update device",
        "stale",
        _DATA.format("copyin(a) copyout(b)"),
        "memset(a, 1, sizeof a);\n",
        _loop("", "b[i] = a[i];"),
        "}\n",
    ),
    _fault(
        "scalar of the region is old",
        "stale ACC702",
        _DATA.format("copyin(total) copyout(b)"),
        "total = 7;\n",
        _loop("", "b[i] = total;"),
        "}\n",
    ),
    _fault(
        "create read after the loop",
        "stale",
        _DATA.format("create(c) copyin(a)"),
        _loop("", "c[i] = a[i];"),
        "}\n",
        "total = c[9];\n",
    ),
    # queues
    _fault(
        "read before wait", "unfinished", _loop("async copyin(a) copyout(b)", "b[i] = a[i];"), "total = b[2];\n", _WAIT
    ),
    _fault(
        "write before wait", "unfinished", _loop("async(3) copyin(a) copyout(b)", "b[i] = a[i];"), "a[2] = 5;\n", _WAIT
    ),
    _fault(
        "wait for another queue",
        "unfinished",
        _loop("async(1) copyin(a) copyout(b)", "b[i] = a[i];"),
        _loop("async(2) copyout(x)", "x[i] = i;"),
        "#pragma acc wait(2)\ntotal = b[2];\n",
        _WAIT,
    ),
    _fault(
        "sum before wait",
        "unfinished",
        _loop("async(1) copyin(a) reduction(+:total)", "total += a[i];"),
        "a[0] = total;\n",
        _WAIT,
    ),
    _fault(
        "two queues, one array",
        "race",
        _DATA.format("copy(a)"),
        _loop("async(1)", "a[i] += 1;"),
        _loop("async(2)", "a[i] *= 2;"),
        _WAIT,
        "}\n",
    ),
    _fault(
        "one queue reads what another writes",
        "race",
        _DATA.format("copyin(a) copyout(b) create(c)"),
        _loop("async(1)", "c[i] = a[i];"),
        _loop("async(2)", "b[i] = c[i];"),
        _WAIT,
        "}\n",
    ),
    _fault(
        "one queue writes what another reads",
        "race",
        _DATA.format("copy(a) copyout(b)"),
        _loop("async(1)", "b[i] = a[i];"),
        _loop("async(2)", "a[i] = 0;"),
        _WAIT,
        "}\n",
    ),
    _fault(
        "a queue that was busy for long",
        "race",
        _DATA.format("copy(a, b, c[0:n])"),
        _loop("async(1)", "a[i] = i;"),
        _loop("", "b[i] = i;"),
        _loop("", "c[i] = b[i];"),
        _loop("", "c[i] += a[i];"),
        _WAIT,
        "}\n",
    ),
    _fault(
        "one queue changes what another reads",
        "race",
        _DATA.format("copy(a) copyout(b)"),
        _loop("async(1)", "b[i] = a[i];"),
        _loop("async(2)", "a[i] += 1;"),
        _WAIT,
        "}\n",
    ),
    _fault(
        "changed while a copy is on its way",
        "race",
        _DATA.format("copy(a)"),
        "#pragma acc update self(a) async(1)\n",
        _loop("", "a[i] += 1;"),
        _WAIT,
        "}\n",
    ),
    _fault(
        "read behind a copy of what a queue writes",
        "race",
        _DATA.format("copy(a) copyout(b)"),
        _loop("async(1)", "a[i] = i;"),
        "#pragma acc update self(a) async(1)\n",
        _loop("", "b[i] = a[i];"),
        _WAIT,
        "}\n",
    ),
    _fault(
        "a copy between what a queue reads and a write",
        "race",
        _DATA.format("copy(a) copyout(b)"),
        _loop("async(1)", "b[i] = a[i];"),
        "#pragma acc update self(a)\n",
        _loop("", "a[i] += 1;"),
        _WAIT,
        "}\n",
    ),
    _fault(
        "update in another queue",
        "race",
        _DATA.format("copyin(a) create(b)"),
        _loop("async(1)", "b[i] = a[i];"),
        "#pragma acc update self(b) async(2)\n",
        _WAIT,
        "}\n",
    ),
    _fault(
        "upload in another queue",
        "race",
        _DATA.format("copyin(a) copyout(b)"),
        _loop("async(1)", "b[i] = a[i];"),
        "#pragma acc update device(a) async(2)\n",
        _WAIT,
        "}\n",
    ),
    # a thread's own
    _fault(
        "scalar set by some", "uninitialised", _loop("copyin(a) copyout(b)", "int t; if (a[i] > 3) t = 1; b[i] = t;")
    ),
    _fault("private comes with a value", "uninitialised", "int t = 1;\n", _loop("private(t) copyout(b)", "b[i] = t;")),
    _fault(
        "sum that begins nowhere",
        "uninitialised",
        _loop("copyin(g) copyout(b)", "int s; for (int j = 0; j < 8; j++) s += g[i / 8][j]; b[i] = s;"),
    ),
    _fault(
        "first element of a local array",
        "uninitialised",
        _loop("copyin(a) copyout(b)", "int t[8]; for (int j = 1; j < eight; j++) t[j] = a[i] * j; b[i] = t[i & 7];"),
    ),
    _fault("local of a routine", "uninitialised", _loop("copyin(a) copyout(b)", "b[i] = sign(a[i] - 9);")),
    _fault(
        "not set in the last round",
        "uninitialised",
        _loop("copyout(b)", "for (int j = 0; j < 4; j++) { int t; if (j < 3) t = j; b[i] = t; }"),
    ),
    _fault(
        "private array", "uninitialised", "int t[4];\n", _loop("private(t) copyout(b)", "t[i & 1] = i; b[i] = t[1];")
    ),
    # what only a comparison sees
    _fault("every gang counts", "ACC702", "#pragma acc parallel num_gangs(4) reduction(+:total)\ntotal += 1;\n"),
    _fault(
        "the last value lost",
        "ACC702",
        "int last = 0;\n",
        _loop("private(last) copy(b)", "last = i; b[i] = last;"),
        _loop("copy(c)", "c[i] = last;"),
    ),
    _fault(
        "firstprivate changes",
        "ACC702",
        "int seed = 3;\n",
        _loop("firstprivate(seed) copy(b)", "seed = seed * 5 + 1; b[i] = seed;"),
    ),
    _fault(
        "private between loops",
        "ACC702",
        "int t = 1;\n",
        _loop("private(t) copy(b)", "t = b[i]; b[i] = t * 2;"),
        _loop("copy(c)", "c[i] += t;"),
    ),
)

RIGHT = (
    _fault("map", "", _loop("copyin(a) copyout(b)", "b[i] = a[i] * 2;")),
    _fault("sum", "", _loop("copyin(a) reduction(+:total)", "total += a[i];")),
    _fault(
        "atomic",
        "",
        "#pragma acc parallel loop copyin(a) copy(b)\nfor (int i = 0; i < n; i++) {\n"
        "#pragma acc atomic\nb[a[i]]++;\n}\n",
    ),
    _fault(
        "updates",
        "",
        _DATA.format("copyin(a) copyout(b)"),
        "a[3] = 9;\n#pragma acc update device(a[3:1])\n",
        _loop("", "b[i] = a[i];"),
        "#pragma acc update self(b[0:2])\ntotal = b[1];\n}\n",
    ),
    _fault(
        "written again by the host",
        "",
        _DATA.format("copy(a)"),
        _loop("", "a[i] += 1;"),
        "#pragma acc update self(a)\na[3] = a[2];\n#pragma acc update device(a[3:1])\n",
        _loop("", "a[i] *= 2;"),
        "}\n",
    ),
    _fault(
        "queues that wait",
        "",
        _DATA.format("copy(a, b)"),
        _loop("async(1)", "b[i] = a[i];"),
        "#pragma acc wait(1) async(2)\n",
        _loop("async(2)", "a[i] = b[i] + 1;"),
        _WAIT,
        "total = 1;\n}\n",
    ),
    _fault(
        "queues apart",
        "",
        _loop("async(1) copyout(a)", "a[i] = i;"),
        _loop("async(2) copyout(b)", "b[i] = i;"),
        _WAIT,
        "total = a[4] + b[4];\n",
    ),
    _fault(
        "one after the other beside a queue",
        "",
        _DATA.format("copy(a, b, c[0:n])"),
        _loop("async(1)", "a[i] = i;"),
        _loop("", "c[i] = b[i];"),
        _loop("", "c[i] += b[i];"),
        _loop("reduction(+:total)", "total += c[i];"),
        "#pragma acc update self(c[0:n])\n",
        _loop("async(2)", "b[i] = c[i];"),
        _loop("async(2)", "b[i] += 2;"),
        _WAIT,
        "}\n",
    ),
    _fault(
        "changed behind those that read and copy",
        "",
        _DATA.format("copy(a) copyout(b)"),
        _loop("async(1)", "b[i] = a[i];"),
        "#pragma acc update self(a) async(2)\n",
        "#pragma acc wait(1) async(2)\n",
        _loop("async(2)", "a[i] += 1;"),
        "#pragma acc update self(a) async(2)\n#pragma acc wait(2)\n",
        _loop("", "a[i] += b[i];"),
        "}\n",
    ),
    _fault(
        "named by two clauses",
        "",
        _DATA.format("create(b) copyout(b) copyin(a, c[0:n]) copyout(c[0:n])"),
        _loop("", "b[i] = a[i] + 1; c[i] = 5;"),
        "}\n",
    ),
    _fault(
        "both queues read",
        "",
        _DATA.format("copyin(a) copyout(b, c[0:n])"),
        _loop("async(1)", "b[i] = a[i];"),
        _loop("async(2)", "c[i] = a[i];"),
        _WAIT,
        "}\n",
    ),
    _fault("rows", "", _loop("copy(g)", "for (int j = 0; j < eight; j++) g[i][j] += j;", "int i = 0; i < 16; i++")),
    _fault(
        "own array",
        "",
        _loop("copyin(a) copyout(b)", "int t[8]; for (int j = 0; j < 8; j++) t[j] = a[i] * j; b[i] = t[i & 7];"),
    ),
    _fault("scalar set by all", "", _loop("copyin(a) copyout(b)", "int t; if (a[i] > 3) t = 1; else t = 2; b[i] = t;")),
    _fault("private is set", "", "int t = 1;\n", _loop("private(t) copyout(b)", "if (i >= 0) t = i; b[i] = t;")),
    _fault(
        "sum that begins",
        "",
        _loop("copyin(g) copyout(b)", "int s; for (int j = 0; j < 8; j++) s = (j ? s : 0) + g[i / 8][j]; b[i] = s;"),
    ),
    _fault(
        "whole local array",
        "",
        _loop("copyin(a) copyout(b)", "int t[8]; for (int j = 0; j < eight; j++) t[j] = a[i] * j; b[i] = t[i & 7];"),
    ),
    _fault("local of a right routine", "", _loop("copyin(a) copyout(b)", "b[i] = right_sign(a[i] - 9);")),
    _fault(
        "set in each round",
        "",
        _loop("copyout(b)", "for (int j = 0; j < 4; j++) { int t; if (j < 4) t = j; b[i] = t; }"),
    ),
    _fault("private array is set", "", "int t[4];\n", _loop("private(t) copyout(b)", "t[i & 1] = i; b[i] = t[i & 1];")),
    _fault("members", "", _loop("copy(pairs)", "for (int j = 0; j < 3; j++) pairs[i].last[j] = pairs[i].first + j;")),
    _fault(
        "create is the device's alone",
        "",
        _DATA.format("create(c) copyin(a) copyout(b)"),
        _loop("", "c[i] = a[i];"),
        _loop("", "b[i] = c[i];"),
        "}\nmemset(c, 0, sizeof c);\n",
    ),
    _fault(
        "the host writes what the device does not read",
        "",
        _DATA.format("copyin(a) copyout(b)"),
        "a[0] = 77;\n",
        _loop("", "b[i] = a[i];", "int i = 1; i < n; i++"),
        "#pragma acc serial\nb[0] = 0;\n}\n",
    ),
    _fault(
        "the same value written",
        "",
        _DATA.format("copyin(a) copyout(b)"),
        "a[4] = a[4];\n",
        _loop("", "b[i] = a[i];"),
        "}\n",
    ),
)
