"""abort and assert in kernels end the program with an error that names the place."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from families import some
from workshop import Workshop

from accache.base.options import Options

BEGINNING = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
AROUND = "int main(int argc, char **argv)\n{\n    int n = argc, a[64] = {0};\n"
END = '    printf("behind\\n");\n    return 0;\n}\n'
LOOP = "    for (int i = 0; i < 64; ++i)"
FAILING = {  # by what is called: line, function, message
    "#pragma acc parallel copy(a)\n    if (n == 2) abort();\n": (9, "main", "abort()"),
    f"#pragma acc parallel loop copy(a)\n{LOOP} assert(i + n < 65);\n": (9, "main", "i + n < 65"),
    f"#pragma acc kernels copy(a)\n{LOOP} if (i + n > 64) __builtin_abort();\n": (9, "main", "abort()"),
    f"#pragma acc parallel loop gang copy(a)\n{LOOP} a[i] = half(n + i % 2 * n);\n": (4, "half", "n % 2 == 1"),
    "#pragma acc serial async(1)\n    assert(n < 2);\n#pragma acc wait\n": (9, "main", "n < 2"),
}
UNWAITED = "#pragma acc serial\n    n += n > 9;\n#pragma acc serial async(1)\n    assert(n < 2);\n"
ROUTINE = "static int half(int n) { assert(n % 2 == 1); return n / 2; }\n"


def whole(text: str) -> str:
    return BEGINNING + (ROUTINE if "half" in text else "\n") + AROUND + text + END


@pytest.mark.parametrize(
    ("text", "check"), [*product(FAILING, [True]), *some(product(FAILING, [False]), len(FAILING), 3)]
)
def test_program_ends_with_an_error(text: str, check: bool, workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "failing.c"
    source.write_text(whole(text))
    line, function, what = FAILING[text]
    result = workshop.run(source, Options(), ("more",), check=check)
    assert result.returncode == 1
    assert result.stdout == ""
    head, _, rest = result.stderr.partition(" block: ")
    assert head.rpartition("/")[2] == f"failing.c:{line}: {function}:"
    assert f"Assertion `{what}` failed." in rest
    assert "device-side assert triggered" in rest


@pytest.mark.parametrize("text", FAILING)
def test_nothing_happens_where_it_holds(text: str, workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "holding.c"
    source.write_text(whole(text.replace("half(n + i % 2 * n)", "half(n)")))
    result = workshop.run(source, Options(), check=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "behind\n", "")


def test_a_program_that_does_not_wait_ends_with_an_error(workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "unwaited.c"
    source.write_text(whole(UNWAITED))
    result = workshop.run(source, Options(), ("more",), check=False)
    assert (result.returncode, result.stdout) == (1, "behind\n")
    assert "Assertion `n < 2` failed." in result.stderr
    assert "at the end of the program: device-side assert triggered" in result.stderr
    assert workshop.run(source, Options(), check=True).returncode == 0


def test_a_pointer_alone_leads_to_no_memory_of_the_host(workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "alone.c"
    source.write_text(
        "#include <stdlib.h>\nint main(void)\n{\n    int *p = malloc(400);\n#pragma acc parallel loop copy(p)\n"
        "    for (int i = 0; i < 100; ++i)\n        p[i] = i;\n    free(p);\n    return 0;\n}\n"
    )
    result = workshop.run(source, Options())
    assert result.returncode == 1
    assert (
        ":5: accache: p leads to memory of the host, and a clause maps the pointer alone: write p[0:n]" in result.stderr
    )


NAMED = """#include <assert.h>
#pragma acc routine seq
int checked(int n, int i) { assert(i != n); return i; }
int main(void)
{
    int a[300];
#pragma acc parallel loop copyout(a) vector_length(128)
    for (int i = 0; i < 300; ++i)
        a[i] = checked(265, i);
    return 0;
}
"""


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("text", [NAMED, NAMED.replace("a[i] = checked(265, i);", "{ assert(i != 265); a[i] = i; }")])
def test_an_assertion_tells_its_thread(text: str, check: bool, workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "named.c"
    source.write_text(text)
    result = workshop.run(source, Options(), check=check)
    assert " block: [2,0,0], thread: [9,0,0] Assertion `i != " in result.stderr
