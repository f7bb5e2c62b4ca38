"""Forms of GNU C that kernels cannot have are refused at their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.driver import translate


@pytest.mark.parametrize(
    ("statement", "construct"),
    [
        ("x = x++ ?: 3;", "this operator of a place with effects"),
        ("x = (a[i] = 2) ?: 3;", "this operator of a place with effects"),
        ("switch (x) { case 0 ... 300: x = 3; }", "a range of more than 256 labels"),
        ("int q[4] = {[0 ... 2] = x++}; x = q[i % 4];", "this designator"),
    ],
)
def test_form_is_refused(statement: str, construct: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(f"""
void f(int n, int *a)
{{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {{
        int x = i;
        {statement}
        a[i] = x;
    }}
}}
""")
    with pytest.raises(CompileError) as caught:
        translate(str(source), Options())
    (found,) = caught.value.diagnostics
    assert found.code == "ACC301"
    assert found.message.startswith(construct)
    assert found.location is not None
    assert found.location.line == 7
