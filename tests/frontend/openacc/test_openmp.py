"""Files with OpenMP's directives alone: which directive of OpenACC is named for them."""

from __future__ import annotations

import pytest

from accache.base.options import Options
from accache.base.text import SourceFile
from accache.driver import translate
from accache.frontend.openacc.openmp import nearest
from accache.frontend.source.tokens import tokenise


@pytest.mark.parametrize(
    ("openmp", "openacc"),
    [
        ("parallel for", "parallel loop"),
        ("parallel for reduction(+:s) schedule(static) num_threads(4)", "parallel loop reduction(+:s)"),
        ("parallel for if(n > 3) private(i, j)", "parallel loop if(n>3) private(i, j)"),
        (
            "target teams distribute parallel for map(tofrom: a[0:n]) map(to: b) collapse(2)",
            "parallel loop copy(a[0:n]) copyin(b) collapse(2)",
        ),
        ("target data map(a[0:n]) map(always, from: b[0:n])", "data copy(a[0:n]) copyout(b[0:n])"),
        ("target enter data map(to: a[0:n])", "enter data copyin(a[0:n])"),
        ("target update from(a[0:n])", "update self(a[0:n])"),
        ("for private(j)", "loop private(j)"),
        ("simd", "loop vector"),
        ("atomic capture", "atomic capture"),
        ("declare target", "routine seq"),
        ("critical (name)", ""),
        ("barrier", ""),
        ("parallel for reduction(+:s", "parallel loop"),
    ],
)
def test_the_nearest_directive(openmp: str, openacc: str) -> None:
    assert nearest(tokenise(SourceFile("", openmp))) == openacc


OPENMP = "void f(int n, float *a)\n{\n#pragma omp parallel for\n    for (int i = 0; i < n; i++)\n        a[i] = 0;\n}\n"


def test_a_file_without_openacc_is_told_of_and_stays_as_it_is() -> None:
    made = translate(SourceFile("t.c", OPENMP), Options())
    (note,) = made.diagnostics
    assert (note.code, note.message) == (
        "ACC256",
        "accache reads OpenACC, and leaves this directive of OpenMP to your C compiler",
    )
    assert note.hint == "the nearest of OpenACC is '#pragma acc parallel loop'"
    assert made.joined == OPENMP
    assert str(made.report).startswith("no compute construct: ")


def test_beside_openacc_openmp_is_not_mentioned() -> None:
    text = OPENMP.replace("parallel for\n", "parallel for\n#pragma acc parallel loop copy(a[0:n])\n")
    assert not any(found.code == "ACC256" for found in translate(SourceFile("t.c", text), Options()).diagnostics)
