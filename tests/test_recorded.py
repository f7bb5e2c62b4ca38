"""The tool that tells which tests a change of the translator can reach."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import Recorder, compare

from accache import driver
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.emit import program

TEXT = """void f(int n, float *a)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
}
"""


def test_only_tests_are_named_whose_translations_differ(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = Recorder(tmp_path).pytest_runtest_protocol(request.node)
    next(protocol)
    driver.translate(SourceFile("f.c", TEXT), Options())
    driver.translate(SourceFile("g.c", "int g;\n"), Options())
    with pytest.raises(StopIteration):
        protocol.send(None)
    assert compare(tmp_path) == {}
    monkeypatch.setattr(program, "KERNELS", program.KERNELS + "\n")
    assert compare(tmp_path) == {request.node.nodeid: ["f.c"]}
