"""The programs without their cache directives, under ``--auto-cache``: they print what the sequential ones print."""

from __future__ import annotations

import pytest
from test_constructs_run import LIKE_SEQUENTIAL, PROGRAMS
from workshop import Workshop

from accache.base.options import Options
from accache.workflows.without_directives import without_cache_directives

FEW = ("between_loops", "constant_trips", "level_routines")
"""The programs of the default run."""
ALL = [pytest.param(name, marks=() if name in FEW else pytest.mark.matrix) for name in LIKE_SEQUENTIAL]


@pytest.mark.parametrize("name", ALL)
def test_programs_without_directives(name: str, workshop: Workshop) -> None:
    source = workshop.folder / f"{name}_bare.c"
    source.write_bytes(
        without_cache_directives((PROGRAMS / f"{name}.c").read_bytes().decode("latin-1")).encode("latin-1")
    )
    arguments = LIKE_SEQUENTIAL[name]
    for options in (Options(auto_cache=True, coarsen="off"), Options(auto_cache=True, method="rbc")):
        translation = workshop.translation(source, options)
        assert not any(found.code.startswith("ACC4") for found in translation.diagnostics)
        workshop.same(source, options, arguments[:1], seed=1)
        for number, argument in enumerate(arguments[1:]):
            workshop.same(source, options, (argument,), seed=number)


WORKERS = """
int printf(const char *format, ...);
static void f(int n, int m, const unsigned *restrict b, unsigned *restrict c, unsigned *results,
              const short *restrict a)
{
#pragma acc parallel loop gang num_workers(4) vector_length(32) copyin(a[0:n*m], b[0:4*n*m]) copy(c[0:4*n*m], \\
                                                                                                   results[0:4*n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop worker
        for (int v = 0; v < 4; ++v) {
            unsigned w = a[i*m + 6] >> ((a[i*m + 3] == a[i*m + 4] ? results[4*i + v] : (unsigned)a[i*m + 4]) & 7);
            if (w == (unsigned)a[i*m + 5]) {
                unsigned unused = a[i*m + 2] ^ (results[4*i + v] ^ a[i*m + 2]);
                results[4*i + v] |= a[i*m + 7];
            } else
                w |= (a[i*m + 3] | w) ^ 0;
            for (int k = 0; k < 2; ++k) {
#pragma acc loop vector
                for (int j = 0; j < m; ++j)
                    c[(4*i + v)*m + j] ^= b[(4*i + v)*m + m - 1 - j] ^ a[i*m];
            }
        }
    }
}
int main(int argc, char **argv)
{
    enum { N = 9, M = 33 };
    unsigned b[4*N*M], c[4*N*M], results[4*N], sum = argc;
    short a[M*N];
    for (int i = 0; i < 4*N*M; ++i)
        b[i] = c[i] = i;
    for (int i = 0; i < 4*N; ++i)
        results[i] = i;
    for (int i = 0; i < M*N; ++i)
        a[i] = i*7 % 5;
    f(N, M, b, c, results, a);
    for (int i = 0; i < 4*N*M; ++i)
        sum = sum*31 + c[i];
    for (int i = 0; i < 4*N; ++i)
        sum = sum*31 + results[i];
    printf("%u", sum);
    return 0;
}
"""


def test_no_directive_makes_threads_wait_that_need_not(workshop: Workshop) -> None:
    """A directive that nobody wrote needed a barrier that not all threads came to, and the program was refused."""
    source = workshop.folder / "workers.c"
    source.write_text(WORKERS)
    options = Options(auto_cache=True, tune="off", coarsen="off")
    workshop.same(source, options, (), seed=1)
