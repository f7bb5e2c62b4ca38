"""Where findings are: the index that the program has, whatever lies beside the array in the checker's memory."""

from __future__ import annotations

from pathlib import Path

import accache

SECTION = """void f(int n, const float *restrict a, float *restrict b)
{
#pragma acc data copyin(a[2:n-3])
#pragma acc parallel loop copyout(b[0:n])
    for (int i = 0; i < n; i++)
        b[i] = 2 * a[i];
}
int main(void)
{
    float a[64] = {0}, b[64];
    f(64, a, b);
    return 0;
}
"""
OWN_SECTION = SECTION.replace("#pragma acc data copyin(a[2:n-3])\n", "").replace("loop ", "loop copyin(a[2:n-3]) ")
BEFORE = """void f(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(a[-2:n]) copyout(b[0:n])
    for (int i = 0; i < n; i++)
        b[i] = a[i - 3];
}
int main(void)
{
    float a[64] = {0}, b[64];
    f(62, a + 2, b);
    return 0;
}
"""
PART = """void f(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:n*64]) copyout(b[0:n*64])
    for (int g = 0; g < n; g++) {
        float part[256];
#pragma acc cache(part)
#pragma acc loop vector
        for (int x = 0; x < 64; x++)
            part[5 * x] = a[g * 64 + x];
#pragma acc loop vector
        for (int x = 0; x < 64; x++)
            b[g * 64 + x] = part[5 * (63 - x)];
    }
}
int main(void)
{
    float a[128] = {0}, b[128];
    f(2, a, b);
    return 0;
}
"""


def places(text: str, folder: Path) -> list[str]:
    path = folder / "p.c"
    path.write_text(text)
    return [found.place for found in accache.run(path).findings]


def test_an_index_counts_from_the_begin_of_the_array_and_not_of_its_section(tmp_path: Path) -> None:
    (place,) = places(SECTION, tmp_path)
    assert place in [f"global array a[{index}] (a[2:61] is on the device)" for index in (0, 1, 63)]


def test_so_does_one_of_a_section_in_the_constructs_own_clause(tmp_path: Path) -> None:
    assert "loop copyin(a[2:n-3])" in OWN_SECTION
    (place,) = places(OWN_SECTION, tmp_path)
    assert place in [f"global array a[{index}] (a[2:61] is on the device)" for index in (0, 1, 63)]


def test_a_section_may_begin_before_its_pointer(tmp_path: Path) -> None:
    assert "global array a[-3] (a[-2:62] is on the device)" in places(BEFORE, tmp_path)


def test_an_index_in_shared_memory_counts_from_the_kernels_own_array(tmp_path: Path) -> None:
    found = places(PART, tmp_path)
    assert len(found) == 2
    assert set(found) <= {f"shared array part[{5 * x}] (it has 256 elements)" for x in range(52, 64)}
