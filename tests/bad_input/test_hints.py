"""Mistakes as learners make them, each with the hint that says what to write instead."""

from __future__ import annotations

import pytest

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import translate

LOOP = "    for (int i = 1; i < n - 1; i++)"
BODY = "b[i] = a[i];"
PARALLEL = "#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])\n"


@pytest.mark.parametrize(
    ("body", "code", "hint"),
    [
        (f"{LOOP} {BODY}\n{PARALLEL}", "ACC206", "move it in front of the loop"),
        (f"{PARALLEL}{{\n{LOOP} {BODY} }}", "ACC206", "take out the brace in front of the loop"),
        (f"int i = 0;\n{PARALLEL}while (i < n) {{ {BODY} i++; }}", "ACC206", "write the loop with for: how often"),
        (f"{PARALLEL}n = 3;\n{LOOP} {BODY}", "ACC206", "move it to the line in front of for"),
        (f"#pragma acc cache(a[0:4])\n{LOOP} {BODY}", "ACC243", "move it into a loop with '#pragma acc parallel loop'"),
        (f"#pragma acc loop\n{LOOP} {BODY}", "ACC243", "write '#pragma acc parallel loop' in front of the loop"),
        (f"{PARALLEL}{LOOP} {{ if (n > 5) break; {BODY} }}", "ACC244", "put what depends on it into an if"),
        (f"#pragma acc parallel\n{{ {LOOP} {BODY} return; }}", "ACC244", "a structured block ends at its end"),
        (f"#pragma acc parallel loop copyin(a[0:n])\n copyout(b[0:n])\n{LOOP} {BODY}", "ACC104", "behind a '\\'"),
        (
            f"#pragma acc parallel loop cache(a[i-1:3])\n{LOOP} {BODY}",
            "ACC212",
            "'acc cache' is a directive of its own",
        ),
        (f"#pragma acc parallel loop copyinout(b[0:n])\n{LOOP} {BODY}", "ACC212", "did you mean 'copy'?"),
        (f"#pragma acc parallel loop num_threads(128)\n{LOOP} {BODY}", "ACC212", "did you mean 'vector_length'?"),
        (f"#pragma acc parallel loop for\n{LOOP} {BODY}", "ACC212", "take it out"),
        (f"#pragma acc parallel loop gang(vector)\n{LOOP} {BODY}", "ACC302", "as in 'gang vector'"),
        (f"{PARALLEL}{LOOP} {{\n#pragma acc cache(a[j-1:3])\n{BODY} }}", "ACC302", "declared here are a, b, i, n"),
        (f"{PARALLEL}{LOOP} {BODY}\n#pragma acc end parallel", "ACC201", "a construct ends with its statement"),
        (f"#pragma acc copyin(a[0:n])\n{LOOP} {BODY}", "ACC201", "did you mean 'data copyin'?"),
        (f"{PARALLEL}{LOOP} {{ {BODY}\n#pragma acc barrier\n}}", "ACC201", "at the end of a loop"),
        (f"{PARALLEL}{LOOP} {{\n#pragma acc cache(readonly: b[i:1])\n{BODY} }}", "ACC401", "take 'readonly:' out"),
        (
            f"#pragma acc parallel loop collapse(2)\n{LOOP} {{ n; for (int j = 0; j < 4; j++) b[i] = j; }}",
            "ACC308",
            "or leave collapse out",
        ),
        (f"#pragma acc parallel loop tile(8, 8)\n{LOOP} {BODY}", "ACC308", "or leave tile out"),
        (f"{PARALLEL}{LOOP} {{\n#pragma acc update host(b[0:n])\n{BODY} }}", "ACC242", "in front of the construct"),
        (f"{PARALLEL}{LOOP} {{\n#pragma acc parallel loop\n{LOOP} {BODY} }}", "ACC242", "write 'acc loop'"),
        (f"{PARALLEL}{LOOP} {{\n#pragma acc cache(a[i-1..i+1])\n{BODY} }}", "ACC204", "[first:length]"),
        (f"{PARALLEL}{LOOP} {{\n#pragma acc cache(a[i-R:3])\n{BODY} }}", "ACC302", "-D R=VALUE defines a macro"),
        (f"#pragma acc parallel loop \\\n{LOOP} {BODY}", "ACC212", "'\\' at the end of the line above"),
        (f"{LOOP} {BODY}\n}}\n#pragma acc parallel loop\nint unused(void) {{ return 0;", "ACC211", "into a function"),
        (f"#pragma parallel loop copyin(a[0:n])\n{LOOP} {BODY}", "ACC255", "write '#pragma acc parallel loop'"),
        (f"{PARALLEL}for (int i = 1; i < n; i *= 2) {BODY}", "ACC306", "i += step) with integers and a constant step"),
        (
            f"#pragma acc parallel loop collapse(2)\n{LOOP} for (int j = 0; j < i; j++) b[i] = j;",
            "ACC306",
            "let it run to the largest limit",
        ),
        (f"{PARALLEL}{LOOP} {{ __shared__ float t[64]; {BODY} }}", "ACC104", "name the array in a cache directive"),
        (f"{PARALLEL}{LOOP} {{ {BODY} __syncthreads(); }}", "ACC318", "they wait for each other at the end of a loop"),
        (f"{PARALLEL}{LOOP} b[threadIdx.x] = a[i];", "ACC302", "use the variables of loops"),
        (f"{PARALLEL}{LOOP} atomicAdd(&b[0], a[i]);", "ACC318", "write '#pragma acc atomic' in front of the update"),
        (f"{PARALLEL}{LOOP} b[i] = tgamma_r(a[i]);", "ACC318", "functions of <math.h> on numbers"),
        (f"#pragma cache(a[0:4])\n{LOOP} {BODY}", "ACC255", "write '#pragma acc cache(...)'"),
    ],
)
def test_a_mistake_comes_with_what_to_write(body: str, code: str, hint: str) -> None:
    text = f"void f(int n, const float *restrict a, float *restrict b)\n{{\n{body}\n}}\n"
    try:
        diagnostics = translate(SourceFile("t.c", text), Options(method="rbi")).diagnostics
    except CompileError as error:
        diagnostics = error.diagnostics
    told = [found.hint for found in diagnostics if found.code == code]
    assert any(hint in each for each in told), diagnostics
