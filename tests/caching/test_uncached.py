"""Kernels as the program without cache directives has them."""

from __future__ import annotations

from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.caching.uncached import plain_kernel, without_directives
from accache.driver import map_source
from accache.ir.tree import Cache
from accache.ir.walk import nodes_of
from accache.mapping.mapped import MappedKernel

COUNTS = """
void f(int n, unsigned *restrict counts, const int *restrict a)
{
#pragma acc kernels loop independent copyin(a[0:n + 2]) copy(counts[0:64])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:3])
#pragma acc atomic
        counts[a[i] % 64u] += a[i + 1];
#pragma acc atomic
        counts[a[i + 1] % 64u] += a[i + 2];
    }
}
"""


def kernel(text: str) -> MappedKernel:
    """The kernel of a program."""
    [[found]] = map_source(SourceFile("counts.c", text), Options(), Reporter()).mapped
    return found


def test_a_kernel_without_directives_is_that_of_the_program_without_them() -> None:
    plain = plain_kernel(kernel(COUNTS))
    assert plain.body == kernel(COUNTS.replace("#pragma acc cache(a[i:3])", "")).body


def test_it_is_the_kernel_itself_where_the_program_without_them_has_other_kernels() -> None:
    """The work of the region is shared in another way there: the rest of it would be lost."""
    found = kernel(COUNTS)
    assert found.written is not None
    other = replace(found.written, kernels=((found.line, 1), (found.line, 2)))
    plain = plain_kernel(replace(found, written=other))
    assert plain.body == without_directives(found.body)
    assert not nodes_of(plain.body, Cache)
