"""Reads of memory that nothing has written: each is told where the text shows it, and no right program is blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

import accache
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import translate

READ = "\n#pragma acc parallel loop copy(b)\nfor (int i = 0; i < 64; i++) b[i] += a[i];\n"
WRITE = "\n#pragma acc parallel loop\nfor (int i = 0; i < 64; i++) a[i] = i;\n"
GUARDED = READ.replace("b[i] +=", "if (n > i) b[i] +=")
DATA = "\n#pragma acc data create(a)\n{{{0}}}\n".format
ENTER = "\n#pragma acc enter data create(a)\n"
EXIT = "\n#pragma acc exit data delete(a)\n"
UPDATE = "\n#pragma acc update device(a)\n"
FILE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openacc.h>
{file}
void other(float *p);
static void set(float *p, int n) {{ for (int i = 0; i < n; i++) p[i] = 1; }}
static void on_device(float *p, int n)
{{
#pragma acc parallel loop present(p[0:n])
    for (int i = 0; i < n; i++) p[i] = 1;
}}
static void enter(float *p)
{{
#pragma acc enter data copyin(p[0:64])
}}
static float *same(float *p) {{ return p; }}
void f(int n)
{{
    float a[64], b[64] = {{0}}, c[64];
    set(a, 64);
    {body}
    printf("%g\\n", b[3]);
}}
"""
BLAMED = {
    "data": DATA(READ),
    "enter": ENTER + READ + EXIT,
    "construct": READ.replace("copy(b)", "create(a) copy(b)"),
    "copyout": READ.replace("copy(b)", "copy(b) copyout(a)"),
    "a guard": DATA(GUARDED),
    "read, then written": DATA(READ + WRITE),
    "read first in a loop": DATA("for (int t = 0; t < n; t++) {" + READ + WRITE + "}"),
    "never written in a loop": DATA("for (int t = 0; t < n; t++) if (t > 1) {" + READ + "}"),
    "read and written by one": DATA(READ.replace("b[i] += a[i]", "a[i] += b[i]")),
    "another is written": DATA(WRITE.replace("a[i]", "b[i]").replace("loop", "loop copyout(b)") + READ),
    "clauses of constructs": DATA(READ.replace("copy(b)", "copy(b) copyin(a)")),
    "a call of the library": DATA("memset(a, 0, sizeof a);" + READ),
    "a call of another file": DATA("other(b);" + READ),
    "a quiet function": DATA("set(a, 64);" + READ),
    "a function with constructs, before": "\n#pragma acc data copy(a)\non_device(a, 64);" + DATA(READ),
    "a loop around": "for (int t = 0; t < n; t++) {" + DATA(READ + WRITE) + "}",
    "update self": DATA(READ.replace("parallel", "kernels") + "\n#pragma acc update self(a)\n"),
    "perhaps the host before": DATA(READ.replace("copy(b)", "copy(b) if(n > 64)") + READ),
    "the runtime started": "acc_init(acc_device_default);" + DATA(READ),
    "an atomic update": DATA(READ.replace("b[i] += a[i]", "{\n#pragma acc atomic\na[0] += 1;\n}")),
    "whole loops": DATA(READ.replace("b[i] += a[i]", "for (int k = 0; k < n; k++) { b[i] += a[k]; a[k] = 0; }")),
}
SILENT = {
    "written before": DATA(WRITE + READ),
    "written in a branch": DATA("if (n) {" + WRITE + "}" + READ),
    "updated": DATA(UPDATE + READ),
    "updated in a branch": DATA("if (n)\n{" + UPDATE + "}" + READ),
    "host_data": DATA("\n#pragma acc host_data use_device(a)\nother(a);\n" + READ),
    "copied": "\n#pragma acc data copyin(a)\n{" + READ + "}\n",
    "data around": "\n#pragma acc data copyin(a)\n{" + DATA(READ) + "}\n",
    "entered before": "\n#pragma acc enter data copyin(a)\n" + DATA(READ) + EXIT,
    "entered by a function": "enter(a);" + DATA(READ),
    "given to another file": "other(a);" + DATA(READ),
    "given away": "float *p = a; other(p);" + DATA(READ),
    "an element's address": "float *p = &a[0]; other(p);" + DATA(READ),
    "returned": "other(same(a));" + DATA(READ),
    "written by a function": DATA("on_device(a, 64);" + READ),
    "run-time library": "acc_copyin(a, sizeof a);" + DATA(READ),
    "copied on the device": DATA("acc_memcpy_to_device(acc_deviceptr(a), b, sizeof a);" + READ),
    "another device": DATA("acc_set_device_num(0, acc_device_host);" + READ),
    "another device by a directive": DATA("\n#pragma acc set device_num(0)\n" + READ),
    "another device before": "acc_set_device_type(acc_device_host);" + DATA(READ),
    "perhaps the host": DATA(READ.replace("copy(b)", "copy(b) if(n > 64)")),
    "perhaps the host, which has it": DATA(
        READ.replace("b[i] += a[i]", "a[i] += b[i]").replace("copy(b)", "copy(b) if(n > 64)")
    ),
    "perhaps the host, written first": DATA(WRITE.replace("loop", "loop if(n > 64)") + READ),
    "updated at a loop's end": DATA("for (int t = 0; t < n; t++) { if (t) {" + READ + "}" + UPDATE + "}"),
    "entered again": "for (int t = 0; t < n; t++) {" + WRITE + ENTER + "if (t) {" + READ + "} }",
    "entered in a branch": "if (n > 3) {" + ENTER + "}" + READ,
    "guarded, written later in a loop": DATA("for (int t = 0; t < n; t++) { if (t) {" + READ + "}" + WRITE + "}"),
    "skipped in the first iteration": DATA(
        "for (int t = 0; t < n; t++) { if (!t) {" + WRITE + "continue; }" + READ + "}"
    ),
    "a guard, written later in a loop": DATA("for (int t = 0; t < n; t++) {" + GUARDED + WRITE + "}"),
    "no iteration at first": DATA(
        "int k = 0; for (int t = 0; t < n; t++) {" + READ.replace("i < 64", "i < k") + WRITE + "k = 64; }"
    ),
    "an inner loop": DATA("for (int t = 0; t < n; t++) { for (int k = 0; k < t; k++) {" + READ + "}" + WRITE + "}"),
    "if": DATA(READ).replace("create(a)", "create(a) if(n > 3)"),
    "zeros": DATA(READ).replace("create(a)", "create(zero: a)"),
    "zeros again": DATA(READ.replace("copy(b)", "copy(b) create(zero: a)")),
    "another part": DATA(READ).replace("create(a)", "create(a[0:32]) copyin(a[32:32])"),
    "its first elements": DATA(READ.replace("b[i] += a[i]", "{ for (int k = 0; k < i; k++) b[i] += a[k]; a[i] = 1; }")),
    "guarded by what is set": DATA(READ.replace("b[i] += a[i]", "{ if (i > 3) b[i] += a[i]; a[i] = 1; }")),
    "written under a guard": DATA(READ.replace("b[i] += a[i]", "{ if (i > 3) a[i] = 1; b[i] += a[i]; }")),
    "of no length": DATA(READ.replace("b[i] += a[i]", "for (int k = 0; k < 0; k++) b[i] += a[k]")),
    "never": DATA(READ.replace("b[i] += a[i]", "if (0) b[i] += a[i]")),
    "its size": DATA(READ.replace("a[i];", "sizeof a[i];")),
    "private": DATA(READ.replace("copy(b)", "copy(b) private(a)").replace("b[i] +=", "a[i] = 1, b[i] +=")),
    "firstprivate": "\n#pragma acc data create(a)\n{\n#pragma acc parallel firstprivate(a) copy(b)\nb[0] = a[1];\n}",
    "a label": DATA(READ) + "if (n++ < 3) goto again; again:;",
    "another of its name": DATA(READ) + "{ float a[3]; other(a); }",
}


MAIN = "int main(void) {{ static float x[64], y[64]; {0} f(64, x, y); return y[3]; }}".format
F = """void f(int n, float *restrict x, float *y)
{{
{0}
#pragma acc parallel loop copyin(x[0:n]) copyout(y[0:n])
    for (int i = 0; i < n; i++) y[i] += x[i];
{1}
}}
""".format
G = F("", "").replace("copyout(y[0:n])", "copy(y[0:n]) create(g)").replace("+= x", "+= g")
WHOLE_BLAMED = {
    "a parameter": F("", "") + MAIN(""),
    "a static array": "static float g[64];"
    + F("", "").replace("copyout(y[0:n])", "copy(y[0:n]) create(g)").replace("+= x", "+= g"),
    "a visible array": "float g[64];"
    + F("", "").replace("copyout(y[0:n])", "copy(y[0:n]) create(g)").replace("+= x", "+= g")
    + MAIN(""),
}
WHOLE_SILENT = {
    "no main": F("", ""),
    "a parameter and a variable of its name": F("{ float y[3]; y[0] = n; }", ""),
    "a caller's data": F("", "") + MAIN("\n#pragma acc data copy(y)\n"),
    "an outer caller's data": F("", "") + "void g(float *a, float *b) { f(64, a, b); }"
    "int main(void) { float y[64] = {0};\n#pragma acc data copy(y)\n{ g(y, y); } }",
    "entered": F("", "") + MAIN("\n#pragma acc enter data copyin(y)\n"),
    "by the run-time library": "#include <openacc.h>\n" + F("", "") + MAIN("acc_copyin(y, sizeof y);"),
    "another file": "void other(float *);" + F("", "") + MAIN("other(y);"),
    "by a pointer": F("", "") + "int main(void) { void (*p)(int, float *, float *) = f; float a[9]; p(9, a, a); }",
    "handed on": "#include <stdlib.h>\n"
    + F("", "")
    + "static float v[64]; static void g(void) { f(64, v, v); } int main(void) { atexit(g); }",
    "perhaps written by another name": F("", "").replace("y[i] += x[i];", "{ x[i] = 1; y[i] += 1; }") + MAIN(""),
    "perhaps the same": F("\n#pragma acc data copyin(x[0:n])\n{", "}").replace("*restrict x", "*x") + MAIN(""),
    "a visible array, no main": "float g[64];" + G,
    "an array given away": "static float g[64]; void other(float *); void h(void) { other(g); }" + G,
    "an array that others write": "static float g[64]; void h(void)\n{\n#pragma acc parallel present(g)\ng[0] = 1;\n}\n"
    + G,
}
PRIVATE = """
void f(int n, const float *restrict a, float *restrict b)
{{
    float t = 1, v[4]; int k; struct {{ float v[4]; }} s;
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n]) private(t, v, k, s)
    for (int i = 0; i < n; i++) {{
        {0}
    }}
}}
""".format
PRIVATE_BLAMED = (
    "t += a[i];",
    "b[i] = t;",
    "if (a[i] > 0) b[i] = t;",
    "b[i] = v[2]; v[2] = 1;",
    "b[k] = 1;",
    "t++;",
    "b[i] = s.v[1];",
)
PRIVATE_SILENT = (
    "t = a[i]; b[i] = t;",
    "if (i > 3) t = 1; b[i] = t;",
    "for (k = 0; k < 4; k++) v[k] = k; b[i] = v[2];",
    "for (k = 0; k < 4; k++) s.v[k] = k; b[i] = s.v[2];",
    "for (k = 0; k < i; k++) b[i] = t; t = 1;",
    "float *p = &t; *p = 1; b[i] = t;",
    "float *p = s.v; p[1] = 1; b[i] = s.v[1];",
    "b[i] = sizeof t + sizeof v;",
)


def told(text: str, code: str = "ACC332") -> list[str]:
    found = translate(SourceFile("t.c", text), Options()).diagnostics
    return [str(item) for item in found if item.code == code]


@pytest.mark.parametrize("body", BLAMED.values(), ids=BLAMED.keys())
def test_what_nothing_has_written_is_told(body: str) -> None:
    assert len(told(FILE.format(file="", body=body))) == 1


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT.keys())
def test_what_may_have_been_written_is_not_told(body: str) -> None:
    assert not told(FILE.format(file="", body=body))


def test_what_is_told_is_found_when_it_runs(tmp_path: Path) -> None:
    """All programs that are blamed in one: under --check each of their functions reads what has no value."""
    head = (
        FILE.format(file="", body="").partition("void f(int n)")[0].replace("other(float *p);", "other(float *p) { }")
    )
    parts = [FILE.format(file="", body=body).partition("void f(int n)")[2] for body in BLAMED.values()]
    functions = "".join(f"void f{number}(int n){part}" for number, part in enumerate(parts))
    calls = "".join(f"f{number}(9);" for number in range(len(parts)))
    source = tmp_path / "all.c"
    source.write_text(f"{head}{functions}int main(void) {{ {calls} }}")
    found = accache.run(source, check=True).findings
    kernels = {item.kernel.partition("_")[0] for item in found if item.kind == "uninitialised"}
    assert kernels == {f"f{number}" for number in range(len(parts))}


@pytest.mark.parametrize("text", WHOLE_BLAMED.values(), ids=WHOLE_BLAMED.keys())
def test_what_nothing_in_a_program_has_written_is_told(text: str) -> None:
    assert len(told(text)) == 1


@pytest.mark.parametrize("text", WHOLE_SILENT.values(), ids=WHOLE_SILENT.keys())
def test_what_may_be_on_the_device_already_is_not_told(text: str) -> None:
    assert not told(text)


@pytest.mark.parametrize("statements", PRIVATE_BLAMED)
def test_private_variables_without_a_value_are_told(statements: str) -> None:
    assert len(told(PRIVATE(statements), "ACC333")) == 1


@pytest.mark.parametrize("statements", PRIVATE_SILENT)
def test_private_variables_that_may_have_one_are_not(statements: str) -> None:
    assert not told(PRIVATE(statements), "ACC333")
