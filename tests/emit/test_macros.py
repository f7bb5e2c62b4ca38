"""The user's macros do not reach what is emitted, whatever they are called; where none can, none is undefined."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.cpu.toolchain import INCLUDE
from accache.driver import translate
from accache.emit.macros import beside_macros, without_macros

PROGRAM = """\
float sum(const float *a, float *out, int n)
{
    float total = 0;
#pragma acc parallel loop reduction(+: total) copyin(a[0:n]) copy(out[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3])
        out[i] = a[i - 1] + a[i] + a[i + 1];
#pragma acc atomic update
        out[0] += 1;
        total += out[i];
    }
    return total;
}
"""
BEFORE = re.findall(
    r"\w+",
    """
    k row column count first line name host bytes size file action Element T Value value entry active shared global
    device grid block index lane own half partial a_tile a_start i_count out_device min map pair begin end key result
    """,
)
BEHIND = ["a", "out", "n", "i", "total", "float", "int"]  # the program uses these names, until they become macros


def emitted(folder: Path, before: str, behind: str, method: str) -> tuple[str, str]:
    """Both files after preprocessing, without pragmas, and without the lines of barriers and assertions."""
    path = folder / "main.c"
    path.write_text(before + PROGRAM + behind)
    found = translate(str(path), Options(method=method))
    assert found.joined is not None
    texts = []
    for text, language in ((found.joined, "c++"), (found.host, "c")):
        command = ["cc", "-E", "-P", "-x", language, "-I", str(INCLUDE), "-"]
        output = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
        numbered = r"^(#pragma.*|\s*)\n|accache_cpu_barrier\(.*|(?<=\"<stdin>\", )\d+"
        texts.append(re.sub(numbered, "", output, flags=re.M))
    return texts[0], texts[1]


@pytest.mark.parametrize("method", ["rbi", "rbc", "ehc"])
def test_macros_change_nothing(method: str, tmp_path: Path) -> None:
    before = "".join(f"#define {name} 5\n" for name in BEFORE)
    behind = "".join(f"#define {name} 5\n" for name in BEHIND)
    plain = emitted(tmp_path, "\n" * len(BEFORE), "", method)
    assert emitted(tmp_path, before, behind, method) == plain


def test_a_macro_that_clashes_with_nothing_stays(tmp_path: Path) -> None:
    path = tmp_path / "main.c"
    path.write_text("#include <stdio.h>\n#define UNUSED 1\n#define OLD 1\n#undef OLD\n#define k 5\n" + PROGRAM)
    joined = translate(str(path), Options(tune="off")).joined or ""
    assert re.findall(r"^#undef (\w+)", joined.partition("The kernels")[2], re.M)[:1] == ["k"]
    assert not re.search(r"#undef (UNUSED|OLD|NULL|EOF|INT_MAX|_OPENACC)\b", joined.partition("The kernels")[2])


def test_without_macros() -> None:
    macros = frozenset({"a", "b", "c", "d", "shared", "always_inline"})
    assert without_macros('// a\n/* b */ "c" d', macros) == '#undef always_inline\n#undef d\n// a\n/* b */ "c" d'
    assert without_macros("__shared__ x", frozenset({"shared"})) == "#undef shared\n__shared__ x"
    assert without_macros("int x;", frozenset("y")) == "int x;"


def test_beside_macros() -> None:
    text = '#pragma push_macro("k")\n#undef k\nint k;\n#pragma pop_macro("k")\n'
    assert beside_macros("int k;\n", frozenset("kx")) == text
