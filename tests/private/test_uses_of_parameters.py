"""Forms of kernels that lines could get wrong without a word: each has no lines, or the same results."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile, read_source_file
from accache.workflows.execution import run_cuda
from accache.workflows.private_lines.rewriting import Lines, rewrite

PROGRAM = Path(__file__).parent / "programs" / "forms.cu"
TEXT = """
struct pair { int x, y; };
struct deep { pair inner; int v[2]; };
struct counter { int x; __device__ void add(int d) { x += d; } };
struct view { int *p; };
struct writer { int *p; __device__ writer &operator+=(int i) { p[i] += 1; return *this; } };
struct bump { __device__ bump(int i); };
struct flags { volatile int x; };
union bits { int i; float f; };
typedef volatile int told;
typedef int *address;
typedef int row[4];
typedef struct { float x, y, z; } vector;
enum level { low, high = 7 };
const int limit = 40;
__constant__ int factors[4];
__device__ int counted, sums[64];
__device__ int *table;
template <class T> __device__ void forwarded(T &&x) { x = x + 1; }
template <class T> __device__ T larger(T a, T b) { return a < b ? b : a; }
__device__ int max(pair p, int x) { sums[x] = p.x; return x; }
__device__ void inc(int &x) { x = x + 1; }
__device__ int square(int x) { int y = x; for (int i = 0; i < 1; ++i) y *= x; return y + factors[0]; }
__device__ int writes(int x) { counted = x; return x; }
__device__ int sum_of(pair p) { return p.x + p.y; }
__device__ void kept(int x, bump b);
__device__ void noted(int x) { sums[x & 63] += x; }
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define COUNT (limit - 3)
#define STEP(p) ++p
#define REFERENCE const int &
DECLARATIONS
__global__ void f(PARAMETERS)
{
    int i = threadIdx.x;
    for (int k = 0; k < n; ++k) {
        BODY
    }
}
int main() { LAUNCH f<<<1, 32>>>(ARGUMENTS); }
"""
PARAMETERS = "int *__restrict__ a, const int *__restrict__ b, pair *__restrict__ p, view v, int n"


def rewritten(
    body: str, parameters: str = PARAMETERS, declarations: str = "", arguments: str = "", launch: str = ""
) -> tuple[set[str], str, str]:
    """The parameters that have lines, all that is told, and the text."""
    text = TEXT.replace("DECLARATIONS", declarations).replace("PARAMETERS", parameters).replace("BODY", body)
    count = parameters.count(",") + 1
    text = text.replace("ARGUMENTS", arguments or ", ".join("x" * count)).replace("LAUNCH", launch)
    reporter = Reporter()
    after, _ = rewrite(SourceFile("a.cu", text), (), Lines(), reporter)
    names = {line.split()[-2].split("(")[0] for line in after.splitlines() if "accache_private::pointer<acc" in line}
    return names, "; ".join(found.message for found in reporter.diagnostics), after


REFUSED = {
    "reference in braces": ("const int &r{a[i]}; a[i] = 2; b[k] + r;", "b", "a reference to an element is kept"),
    "reference in parentheses": ("const int &r(a[i]); a[i] = b[k] + r;", "b", "a reference to an element is kept"),
    "reference of a choice": ("const int &r = k ? a[i] : b[i]; p[i] = p[k];", "p", "a reference to an element is kept"),
    "reference by auto": ("auto &r = a[i]; r = b[k];", "b", "a reference to an element is kept"),
    "moved reference": ("const auto &&r = a[i]; a[i] = b[k] + r;", "", "stands in it in a way"),
    "reference of a member": ("const int &r = p->x; a[i] = b[k] + r;", "ab", "a reference to an element is kept"),
    "reference of what was assigned": ("const int &r = a[i] = 3; n = b[k] + r;", "b", "a reference to an element"),
    "reference of a macro": ("const int &r = LARGER(a[i], 3); n = b[k] + r;", "b", "a reference to an element is kept"),
    "address of a member": ("const int *q = &p->x; a[i] = b[k] + *q;", "ab", "the address of an element is taken"),
    "address in parentheses": ("int *q = &(a[i]); n = b[k] + *q;", "b", "the address of an element is taken"),
    "array of an element": ("const int *q = d[i].v; n = b[k] + *q;", "b", "its address goes elsewhere"),
    "assignment to a choice": ("(k ? a[i] : a[k]) = b[k];", "b", "it is what a ?: gives"),
    "assignment to a comma": ("(n, a[i]) = b[k];", "b", "it is what a comma gives"),
    "assignment to an assignment": ("(a[i] = 3) += b[k];", "b", "an assignment to it is used as a variable"),
    "member written": ("p[k].x = b[k];", "b", "members of its elements are written"),
    "member stepped": ("++p[k].x; n = b[k];", "b", "members of its elements are written"),
    "member of a member written": ("d[k].inner.x = b[k];", "b", "members of its elements are written"),
    "array in an element written": ("d[k].v[1] = b[k];", "b", "members of its elements are written"),
    "method": ("c[k].add(b[k]);", "", "the type of its elements is not recognised"),
    "forwarded": ("forwarded(a[i]); n = b[k];", "b", "forwarded() may change it"),
    "reference parameter": ("inc(a[i]); n = b[k];", "b", "inc() may change it"),
    "template in an expression": ("a[i] = larger(a[i], b[k]);", "", "larger() may reach memory"),
    "overload of CUDA's name": ("a[i] = max(p[k], b[k]);", "", "max() may reach memory"),
    "writing function": ("a[i] = writes(b[k]);", "", "writes() may reach memory"),
    "conversion of an argument": ("kept(b[k] + 0, k);", "", "kept() may reach memory while it is given elements"),
    "element changed in an argument": ("noted(a[i] = b[k]);", "", "elements change in what noted() is given"),
    "constructor": ("bump x(k); a[i] = b[k];", "", "the type bump is not recognised"),
    "constructor in an expression": ("a[i] = b[k]; bump{k};", "", "this use of bump is not recognised"),
    "operator": ("w += k; a[i] = b[k];", "", "the type of w is not recognised"),
    "operator of vectors": ("float4 q = r[k] + r[k]; a[i] = b[k];", "", "+ may be an operator of its own"),
    "enumerator beside operators": ("a[i] = b[k] + high;", "", "the variable high is not recognised"),
    "function of a class": ("a[i] = counter::square(b[k]);", "", "square may be a member of a class"),
    "call of a function of a class": ("counter::noted(a[i]); n = b[k];", "", "noted may be a member of a class"),
    "comma of structures": ("a[i] = (p[k], b[k]);", "", ", may be an operator of its own"),
    "unknown function": ("a[i] = b[k]; unheard(k);", "", "unheard() may reach memory"),
    "unknown name": ("a[i] = b[k] + UNHEARD;", "", "this use of UNHEARD is not recognised"),
    "static variable": ("static int s; a[i] = b[k] + s;", "", "static stands in it"),
    "step in a macro": ("STEP(a); a[i] = b[k];", "", "its address goes elsewhere"),
    "reference by a macro": ("REFERENCE r = a[i]; a[i] = b[k] + r;", "", "the macro REFERENCE may hide"),
    "union": ("u[k].i = b[k];", "", "the type of its elements is not recognised"),
    "volatile by a name": ("t[k] = b[k];", "b", "its elements are volatile"),
    "volatile member": ("n = g[k].x + b[k];", "", "the type of its elements is not recognised"),
    "large elements": ("n = l[k].inner.x + b[k];", "b", "its elements have more than 16 bytes"),
    "two indices": ("a[i] = b[k, i];", "", ", stands in it in a way"),
    "size of a pointer": ("n = sizeof a + b[k];", "b", "its address goes elsewhere"),
    "pointer in an order": ("n = a < b + 3; n += b[k];", "", "its address goes elsewhere"),
    "pointers that are compared": ("n = a == nullptr + b[k] || b == a;", "", "its address goes elsewhere"),
    "pointer stepped in a condition": ("if (a++) n = b[k];", "b", "its address goes elsewhere"),
    "pointer as a number": ("bool is = a; n = b[k] + is;", "", "its address goes elsewhere"),
    "index first": ("k[a] = b[k];", "", "its address goes elsewhere"),
    "pointer difference": ("n = a - b;", "", "its address goes elsewhere"),
    "literal of the program's own": ("a[i] = b[k] + 3_km;", "", "3_km stands in it"),
}
MORE = "deep *__restrict__ d, counter *c, writer w, const float4 *r, bits *u, told *t, flags *g, wide *__restrict__ l"


@pytest.mark.parametrize("case", REFUSED)
def test_uses_that_are_not_known_have_no_lines(case: str) -> None:
    body, served, reason = REFUSED[case]
    declarations = "struct wide { pair inner, other; int more; };"
    names, told, _ = rewritten(body, f"{PARAMETERS}, {MORE}", declarations)
    assert reason in told, told
    assert names == set(served)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("a[i] += 2; v.p[i] += b[k];", "the kernel may reach its elements in another way"),
        ("a[i] += 2; *v.p = b[k];", "the kernel may reach its elements in another way"),
        ("a[i] += 2; (table + i)[0] += b[k];", "the kernel may reach its elements in another way"),
        ("a[i] += 2; q[i] += b[k];", "the kernel may reach its elements in another way"),
        ("a[i] += 2; counted = b[k];", "the kernel may reach its elements in another way"),
        ("a[i] += sums[k] + b[k];", "the kernel may reach its elements in another way"),
        ("a[i] += 2; e[i] = b[k];", "the kernel may reach its elements in another way"),
        ("a[i] += 2; m[i][k] = b[k];", "the kernel may reach its elements in another way"),
        ("a[i] += 2; s[i] = b[k];", "the kernel may reach its elements in another way"),
        ("int &r = sums[k]; a[i] += b[k]; r = 3;", "the kernel may reach its elements in another way"),
        ("int *const &r = table; a[i] += b[k]; r[i] = 3;", "not recognised"),
    ],
)
def test_other_ways_to_memory_leave_lines_to_restrict(body: str, reason: str) -> None:
    for restrict in ("", "__restrict__"):
        more = "address q, view v, int e[], int m[][4], row s, int n"
        names, told, _ = rewritten(body, f"int *{restrict} a, const int *__restrict__ b, {more}")
        refused = "not recognised" in reason
        assert names == (set() if refused else {"a", "b"} if restrict else {"b"}), told
        assert (reason in told) == (refused or not restrict)


SERVED = [
    "a[i] = b[k] * 2; ++a[i]; a[i]--; a[i] <<= 1; a[i] = ~a[i] & b[k];",
    "(a[i]) = (b[k]); *(a + i) += *(b + k); (a + i)[1] = *a;",
    "p[k] = {b[k], k}; pair q = p[k]; q.x += a[i]; (p[k]) = q; a[i] = sum_of(p[k]) + p->y;",
    "a[i] = square(b[k]) + LARGER(a[i], b[k]) + COUNT + factors[k & 3] + INT_MAX;",
    "auto x = a[i]; const auto y = b[k]; x += y; a[i] = x ? y : b[i]; int z[2] = {a[i], b[k]}; a[i] = z[1];",
    "switch (b[k]) { case 0: a[i]++; break; default: { a[i] = 3; } } if (a[i] > 4) return; else continue;",
    "noted(b[k]); noted(a[i] + 1); a[i] = static_cast<int>(fmaxf(float(b[k]), 2.0f)); a[i] += (int)sizeof(pair);",
    "int x = b[k]; int &r = x; r += 3; const int *q = &x; a[i] = *q;",
    "a[i] = p[k].x + p[k].y; float4 q = make_float4(b[k], 1, 2, 3); a[i] += q.x;",
    "switch (n) { case 1: for (int j = 0; j < b[k]; ++j) case 2: a[i] += j; }",
    "if (a && !(b + 1) || n) n = b ? b[k] : 2; if (a == nullptr || b != nullptr) return; while (a) *a = b[k];",
    "__shared__ int s[COUNT]; s[i] = b[k]; a[i] += s[i]; extern __shared__ int own[]; own[i] = a[i];",
]


@pytest.mark.parametrize("body", SERVED)
def test_known_uses_have_lines(body: str) -> None:
    names, told, _ = rewritten(body)
    assert names == {name for name in "abp" if f"{name}[" in body or f"*{name}" in body}, told


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("n = sizeof*a; n += b[k];", "n = sizeof a.read(0);"),
        ("if (n) n = b[k]; else*a;", "else a.read(0);"),
        (
            "switch (n) { case 1: for (int j = 0; j < b[k]; ++j) case 2: a[i] += j; }",
            "++j) { accache_cache.loop_head(); case 2: a[i] += j; }",
        ),
        (
            "for (int j = 0; j < b[k]; ++j)\n#pragma unroll\nfor (int m = 0; m < 3; ++m) n += m;",
            "++j) { accache_cache.loop_head();\n#pragma unroll\nfor",
        ),
    ],
)
def test_edits_keep_words_apart_and_statements_whole(body: str, after: str) -> None:
    assert after in rewritten(body)[2]


@pytest.mark.parametrize(
    ("declarations", "reason"),
    [
        ("#define int long", "the macro int hides a keyword"),
        ("#define MAKE(name) __device__ int name(int x) { return sums[x]++; }\nMAKE(abs)", "the macro MAKE declares"),
        (
            "__device__ int abs(float x, int y);\n__device__ int abs(int x) { return sums[x]++; }",
            "abs() may reach memory",
        ),
        ("#define FUNC(n) __device__ int n(int x)\nFUNC(abs) { return sums[x]++; }", "abs() may reach memory"),
        ("#define NAME abs\n__device__ int NAME(int x) { return sums[x]++; }", "abs() may reach memory"),
        ('#include "nowhere.h"', "the header nowhere.h is not found"),
        ("#define abs(x) (sums[0] = x)", "the macro abs may hide"),
        ("namespace one { __device__ int abs(int x) { return sums[x]++; } }", "abs() may reach memory"),
        ("#define abs(x) x\n#undef abs\n#define abs(x) (x + 1)", "the macro abs may hide"),
        ("#define abs(x) x\n#undef abs", "the macro abs may hide"),
        ("#define/**/abs(x) (sums[0] = x)", "the macro abs may hide"),
        ("# /* a */ \\\n define abs(x) (sums[0] = x)", "the macro abs may hide"),
        ("%:define abs(x) (sums[0] = x)", "the macro abs may hide"),
        (
            "#ifdef QUIET\n#define abs(x) (x)\n#else\n__device__ int abs(int x) { return sums[x]++; }\n#endif",
            "the macro abs may hide",
        ),
        ('extern "C" __device__ int abs(int x) { return sums[x]++; }', "abs() may reach memory"),
        ("inline namespace one { __device__ int abs(int x) { return sums[x]++; } }", "abs() may reach memory"),
        ("__device__ int (abs)(int x) { return sums[x]++; }", "abs() may reach memory"),
        ("/*\n# a */ __device__ int abs(int x) { return sums[x]++; } /* */", "abs() may reach memory"),
        ("#define M 4 /* a {\n{ */\n__device__ int abs(int x) { return sums[x]++; }", "abs() may reach memory"),
        ("__device__ int ab\\\ns(int x) { return sums[x]++; }", "a name goes on in another line"),
        ("#define MAKE(n) int n;\nMAKE(x) __device__ int abs(int x) { return sums[x]++; }", "the macro MAKE declares"),
        ("#define MAKE(n) n\nMAKE() __device__ int abs(int x) { return sums[x]++; }", "abs() may reach memory"),
        ("#if 1\nvoid one() {\n#else\nvoid two() {\n#endif\n}", "it stands in brackets that do not match"),
    ],
)
def test_what_a_name_stands_for_is_read_in_the_file(declarations: str, reason: str) -> None:
    names, told, _ = rewritten("a[i] = abs(b[k]);", declarations=declarations)
    assert not names
    assert reason in told


def test_a_launch_in_front_of_the_body_chooses() -> None:
    declarations = "__global__ void f(int *__restrict__ a, int n);\nvoid first(int *x) { f<<<1, 32>>>(x, 3); }"
    names, told, text = rewritten("a[k] += 3;", "int *__restrict__ a, int n", declarations)
    assert names == {"a"}
    assert not told
    assert "a, int n);\n[[maybe_unused]] static inline void f_lines(dim3, dim3, size_t, cudaStream_t, int *" in text
    assert "void first(int *x) { f_lines(1, 32, 0, 0, x, 3); }" in text


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize(("size", "calls", "check"), [(16, 6, False), (32, 0, True)])
def test_results_are_the_same(
    size: int, calls: int, check: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    reporter = Reporter()
    text, kernels = rewrite(read_source_file(str(PROGRAM)), (), Lines(size, calls), reporter)
    expected = ("dynamic", "structures", "arrays", "references", "elements", "views")
    assert kernels == expected, [found.message for found in reporter.diagnostics]
    (tmp_path / "lines.cu").write_text(text)
    shutil.copy(PROGRAM.with_suffix(".cuh"), tmp_path)
    assert run_cuda(str(PROGRAM), Options(), (), target="cpu", check=False, seed=0).status == 0
    before = capfd.readouterr().out
    assert before.count("call") == 2
    execution = run_cuda(str(tmp_path / "lines.cu"), Options(), (), target="cpu", check=check, seed=0)
    assert (execution.status, execution.findings) == (0, ())
    assert capfd.readouterr().out == before


@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_nvcc_takes_them(tmp_path: Path) -> None:
    (tmp_path / "lines.cu").write_text(rewrite(read_source_file(str(PROGRAM)), (), Lines(), Reporter())[0])
    shutil.copy(PROGRAM.with_suffix(".cuh"), tmp_path)
    flags = ("-std=c++17", "-arch=sm_90", "-cubin")
    subprocess.run(["nvcc", *flags, tmp_path / "lines.cu", "-o", tmp_path / "lines.cubin"], check=True)
