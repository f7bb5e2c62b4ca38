"""A scalar that a kernels construct reads lies in device memory only where something may have put it there before."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
#include <stdio.h>
{file}
static void own(int *address) {{ *address = 1; }}
void other(int *address);
extern void (*hook)(void);
static int hidden = 1;
int known = 1;
int main(void)
{{
    int a[10], s = 3;
    {before}
#pragma acc kernels copyout(a)
    for (int i = 0; i < 10; ++i)
        a[i] = {name};
    printf("%d\\n", a[3]);
}}
"""
ENTER = "\n#pragma acc enter data copyin({name})\n"
ENTER_OTHER = ENTER.format(name="a")


@pytest.mark.parametrize(
    ("file", "before", "name", "in_memory"),
    [
        ("", "", "s", False),
        ("", 'scanf("%d", &s);', "s", False),
        ("", "own(&s);", "s", False),
        ("", ENTER_OTHER, "s", False),
        ("", ENTER.format(name="s"), "s", True),
        ("", "int *p = &s;" + ENTER.format(name="p[0:1]"), "s", True),
        ("", ENTER_OTHER + "own(&s);", "s", True),
        ("", "other(&s);", "s", True),
        ("", "other(0);", "s", False),
        ("#include <openacc.h>", "acc_copyin(&s, sizeof s);", "s", True),
        ("#include <openacc.h>", "acc_copyin(a, sizeof a);", "s", False),
        ("", "", "known", False),
        ("", ENTER_OTHER, "known", False),
        ("", "other(0);", "known", True),
        ("", "other(0);", "hidden", False),
        ("", "hook();", "known", True),
        ("", "other(&hidden);", "hidden", True),
        ("static void f(int *p) {\n#pragma acc data copy(p[0:1])\n;}", "", "hidden", False),
    ],
)
def test_what_may_be_present(tmp_path: Path, file: str, before: str, name: str, in_memory: bool) -> None:
    source = tmp_path / "a.c"
    source.write_text(PROGRAM.format(file=file, before=before, name=name))
    device = translate(str(source), Options()).device
    kernel = device[device.index("static __global__") :].split("\n")[0]
    assert (f"int *{name}" in kernel) is in_memory
