"""Structures of which only members are on the device: what a construct cannot use stops the run with a message."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import Workshop

from accache.base.options import Options

PROGRAM = """struct pair {{ int a, b; }};
int main(void)
{{
    struct pair v = {{1, 2}};
{enter}
#pragma acc serial present({present})
    {{ v.a += {used}; }}
    return 0;
}}
"""


@pytest.mark.parametrize(
    ("enter", "present", "used", "message"),
    [
        ("copyin(v.a)", "v.a", "v.a", ""),
        ("copyin(v)", "v.a, v.b", "v.b", ""),
        ("copyin(v.a)", "v.a", "v.b", "v (8 bytes at "),
        ("copyin(v.b)|copyin(v.a)", "v.a, v.b", "v.b", ""),
    ],
)
def test_members(enter: str, present: str, used: str, message: str, workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "members.c"
    lines = "\n".join(f"#pragma acc enter data {clause}" for clause in enter.split("|"))
    source.write_text(PROGRAM.format(enter=lines, present=present, used=used))
    result = workshop.run(source, Options())
    assert result.returncode == bool(message)
    assert message in result.stderr


@pytest.mark.parametrize(
    ("before", "clause"),
    [
        ("acc_copyin(&v.b, sizeof v.b);\n    acc_copyin(&v.a, sizeof v.a);", "present(v.a, v.b)"),
        ("acc_copyin(&v.a, sizeof v.a);", "present(v.a) copy(v.b)"),
    ],
)
def test_routines_know_of_no_structures(before: str, clause: str, workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "routines.c"
    source.write_text(
        "#include <openacc.h>\nstruct pair { int a, b; };\nint main(void)\n{\n    struct pair v = {1, 2};\n"
        f"    {before}\n#pragma acc serial {clause}\n    {{ v.b += v.a; }}\n    return v.b != 3;\n}}\n"
    )
    result = workshop.run(source, Options())
    assert result.returncode == 1
    assert "the members of v were brought to the device one by one: name v as a whole" in result.stderr


def test_a_member_that_the_construct_brings_lies_beside_the_others(workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "beside.c"
    source.write_text(
        "struct pair { int a, b; };\nint main(void)\n{\n    struct pair v = {1, 2};\n#pragma acc data copyin(v.a)\n"
        "    {\n#pragma acc serial copy(v.b)\n        { v.b += v.a; }\n    }\n    return v.b != 3;\n}\n"
    )
    result = workshop.run(source, Options())
    assert (result.returncode, result.stderr) == (0, "")


BEHIND = """#include <stdio.h>
struct table {{ int n; int values[500]; float *p; }};
int main(void)
{{
    float p[5] = {{1, 2, 3, 4, 5}};
    struct table v = {{5, {{7, 8}}, p}}, *s = &v;
    int found = 0;
#pragma acc data {mapped} copy(p)
#pragma acc parallel copy(found)
    {{
        found = {used};
    }}
    return found != {right};
}}
"""


@pytest.mark.parametrize(
    ("mapped", "used", "right", "message"),
    [
        ("copyin(s->n)", "s->n", 5, ""),
        ("copyin(s[0:1])", "s->values[1]", 8, ""),
        ("copyin(s->n, s->values)", "s->n", 5, ""),
        (
            "copyin(s->n)",
            "s->values[300]",
            0,
            "members in the first 2004 bytes of the structure at s, and on the device are 4",
        ),
        (
            "copyin(s->n)",
            "(*s).values[1]",
            8,
            "members in the first 2004 bytes of the structure at s, and on the device are 4",
        ),
        (
            "copyin(s->n) copy(s->p[0:5])",
            "s->p[1] == 2",
            1,
            "bytes of the structure at s, and on the device are 4; a data clause such as copyin(s[0:1])",
        ),
    ],
)
def test_a_pointer_leads_to_the_members_that_a_kernel_uses(
    mapped: str, used: str, right: int, message: str, workshop: Workshop, tmp_path: Path
) -> None:
    source = tmp_path / "behind.c"
    source.write_text(BEHIND.format(mapped=mapped, used=used, right=right))
    result = workshop.run(source, Options(), check=False)
    assert result.returncode == bool(message)
    assert message in result.stderr
    assert bool(workshop.run(source, Options(), check=True).returncode) == bool(message)  # it finds the access itself
