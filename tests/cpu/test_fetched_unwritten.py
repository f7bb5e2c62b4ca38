"""What comes to the host and no thread has written: the finding says what to write instead."""

from __future__ import annotations

import accache

TEXT = """#define N 64
int main(void)
{
    static float a[N], b[N];
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:N])
    for (int i = 1; i < N - 1; i++)
        b[i] = a[i - 1] + a[i + 1];
    return 0;
}
"""


def test_a_halo_that_is_copied_out_and_never_written() -> None:
    (found,) = accache.run(TEXT, check=True).findings
    assert "of 64 elements that come to the host here, 2 were never written on the device" in str(found)
    assert "bring home what is written alone, or copy them in, too" in str(found)


def test_what_is_written_alone_is_no_finding() -> None:
    assert not accache.run(TEXT.replace("b[0:N]", "b[1:N-2]"), check=True).findings
