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
        ("copyin(v.b)|copyin(v.a)", "v.a, v.b", "v.b", "the members of v were brought to the device one by one"),
    ],
)
def test_members(enter: str, present: str, used: str, message: str, workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "members.c"
    lines = "\n".join(f"#pragma acc enter data {clause}" for clause in enter.split("|"))
    source.write_text(PROGRAM.format(enter=lines, present=present, used=used))
    result = workshop.run(source, Options())
    assert result.returncode == bool(message)
    assert message in result.stderr
