"""Kernels in headers become kernels; what is said of them names the header."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.driver import translate
from accache.workflows.execution import run

HEADERS = Path(__file__).parent / "headers"


def test_kernels_of_headers_run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("ACCACHE_NOTIFY", "1")
    translation = translate(str(HEADERS / "main.c"), Options())
    result = run(translation, Options(), (), target="cpu", check=True, seed=1)
    printed = capfd.readouterr()
    assert (result.status, result.findings, printed.out) == (0, (), "7 5\n")
    launches = [line.split()[-1] for line in printed.err.splitlines() if " launch " in line]
    places = [place.removeprefix(f"{HEADERS}/") for place in launches]
    assert places == ["fill.h:5", "fill.h:5", "kernels/scale.h:7", "kernels/once.h:6", "main.c:20"]


def test_headers_lie_beside_the_file_and_may_define_functions_of_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A header of the same name in the current folder is another one, and a user's trunc is not the library's."""
    (tmp_path / "sub").mkdir()
    for folder, number in (("sub", 100), (".", 200)):
        text = f"static double trunc(double x) {{ return x + {number}; }}\n"
        (tmp_path / folder / "own.h").write_text(text)
    (tmp_path / "sub" / "a.c").write_text(
        '#include <stdio.h>\n#include "own.h"\nint main(void)\n{\n    double a[2], b = 0;\n'
        "#pragma acc parallel loop copyout(a)\n    for (int i = 0; i < 2; ++i)\n        a[i] = trunc(i);\n"
        '    b = trunc(b);\n    printf("%g %g %g\\n", a[0], a[1], b);\n    return 0;\n}\n'
    )
    monkeypatch.chdir(tmp_path)
    result = run(translate("sub/a.c", Options()), Options(), (), target="cpu", check=False, seed=0)
    assert (result.status, capfd.readouterr().out) == (0, "100 101 100\n")


def test_every_other_byte_stays(tmp_path: Path) -> None:
    translation = translate(str(HEADERS / "main.c"), Options())
    text = (HEADERS / "main.c").read_text()
    assert text[: text.index('#include "kernels')] in translation.host
    assert text[text.index("int main") : text.index("#pragma acc parallel loop copy(a)")] in translation.host
    assert '#include "kernels/scale.h"\n' in translation.host  # the second one, which brings nothing


@pytest.mark.parametrize(
    ("old", "new", "place"), [("copy(b", "copi(b", "once.h:5:21"), ("b[i] += 1", "b[k] += 1", "once.h:7:11")]
)
def test_errors_name_the_header(old: str, new: str, place: str, tmp_path: Path) -> None:
    shutil.copytree(HEADERS, tmp_path / "copy")
    header = tmp_path / "copy" / "kernels" / "once.h"
    header.write_text(header.read_text().replace(old, new))
    with pytest.raises(CompileError) as caught:
        translate(str(tmp_path / "copy" / "main.c"), Options())
    assert [str(found.location).rpartition("/")[2] for found in caught.value.diagnostics] == [place]


def test_decisions_name_the_header(tmp_path: Path) -> None:
    (tmp_path / "smooth.h").write_text(
        "static void smooth(const float *restrict a, float *restrict b, int n)\n{\n"
        "#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])\n    for (int i = 1; i < n - 1; ++i) {\n"
        "#pragma acc cache(a[i-1:3])\n        b[i] = a[i - 1] + a[i] + a[i + 1];\n    }\n}\n"
    )
    main = tmp_path / "main.c"
    main.write_text('int unrelated;\n\n#include "smooth.h"\n\nint main(void)\n{\n    return 0;\n}\n')
    (kernel,) = translate(str(main), Options(tune="off")).report.kernels
    assert kernel.line == 3
    assert [(item.line, item.method) for item in kernel.subarrays] == [(5, "rbi")]


def test_an_include_may_have_several_lines(tmp_path: Path) -> None:
    (tmp_path / "fill.h").write_text((HEADERS / "fill.h").read_text())
    main = tmp_path / "main.c"
    main.write_text('int before;\n#define TYPE float\n#include \\\n  \\\n    "fill.h"\nint behind[] = {__LINE__};\n')
    translation = translate(str(main), Options(line=True))
    assert "int before;" in translation.host
    assert "int behind[] = {__LINE__};" in translation.host
    assert '"fill.h"' not in translation.host.replace('/fill.h"', "")
