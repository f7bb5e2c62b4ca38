"""What comes to the host and no thread has written: the finding says what to write instead, a plain run warns."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize("kind", ["float", "double", "int", "struct { float x; double y; }"])
def test_a_plain_run_warns_once_of_what_was_never_written(kind: str) -> None:
    body = "b[i] = a[i]" if kind.startswith("struct") else "b[i] = (a[i] + a[i]) / 2"
    text = f"""typedef {kind} item;
int main(void)
{{
    static item a[64], b[64];
    for (int round = 0; round < 2; round++) {{
#pragma acc parallel loop copyin(a) copyout(b)
        for (int i = 1; i < 63; i++)
            {body};
    }}
    return 0;
}}
"""
    assert accache.run(text.replace("copyout(b)", "copy(b)"), check=False).stderr == ""
    ran = accache.run(text, check=False)
    assert ran.status == 0
    assert ran.stderr.count("2 of the 64 elements of 'b' that come to the host here were never written") == 1


@pytest.mark.parametrize("kind", ["float", "double"])
def test_a_plain_run_warns_of_numbers_computed_from_memory_that_was_never_written(kind: str) -> None:
    text = TEXT.replace("float", kind).replace("copyin(a[0:N])", "create(a[0:N])").replace("b[0:N]", "b[1:N-2]")
    assert "62 of the 62 elements of 'b'" in accache.run(text, check=False).stderr


def test_a_plain_run_says_nothing_of_padding() -> None:
    text = """typedef struct { double x; int k; } item;
int main(void)
{
    static item b[64];
#pragma acc parallel loop copyout(b)
    for (int i = 0; i < 64; i++) {
        b[i].x = i;
        b[i].k = i;
    }
    return 0;
}
"""
    assert accache.run(text, check=False).stderr == ""
    assert "1 of the 64 elements" in accache.run(text.replace("int i = 0", "int i = 1"), check=False).stderr
