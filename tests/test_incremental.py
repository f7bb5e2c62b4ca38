"""A program translated with what is kept of its constructs is the one that is translated as a whole."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from families import some

from accache import constructs, driver, incremental
from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.base.store import Store
from accache.cc.translation import digest

ROOT = Path(__file__).parents[1]
PROGRAMS = [*sorted(ROOT.glob("samples/*.c")), *sorted(ROOT.glob("bench/kernels/*.c"))]
OPTIONS = Options(preprocessor=("-I", str(ROOT / "samples"), "-DRADIUS=3"))
TWO = """
void scale(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop copyin(b[0:n]) copyout(a[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(b[i - 1:3])
        a[i] = (b[i - 1] + b[i] + b[i + 1])/3;
    }
}

void shift(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += 7;
}
"""
IF_CLAUSE = TWO.replace("copy(a[0:n])", "copy(a[0:n]) if(n > 99)")
ROUTINE = """
#pragma acc routine seq
static int more(int value) { return value + 7; }
""" + TWO.replace("a[i] += 7", "a[i] = more(a[i])")
ATOMIC = TWO.replace("        a[i] += 7;", "#pragma acc atomic\n        a[0] *= 7;")
LATIN = TWO.replace("a[i] += 7", 'a[i] += "\udce4"[0]')

FORMS = {"two": TWO, "if": IF_CLAUSE, "routine": ROUTINE, "atomic": ATOMIC, "latin": LATIN}
STATEMENT = """
import sys
from pathlib import Path
from accache import incremental
from accache.base.options import Options
from accache.base.store import Store
from accache.cc.translation import digest
keeping = incremental.Keeping(Store(Path(sys.argv[2])), digest)
incremental.translate(sys.argv[1], Options(), keeping)
print("accache.constructs" in sys.modules)
"""


@pytest.fixture
def keeping(tmp_path: Path) -> incremental.Keeping:
    return incremental.Keeping(Store(tmp_path / "constructs"), digest)


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions around the constructs that are translated."""
    found: list[str] = []
    real = constructs.translate_construct

    def noting(region: constructs.Region, names: frozenset[str], options: Options) -> constructs.Alone | None:
        found.append(region.function)
        return real(region, names, options)

    monkeypatch.setattr(constructs, "translate_construct", noting)
    return found


def assert_is_the_same(path: Path, options: Options, keeping: incremental.Keeping) -> None:
    whole = driver.translate(str(path), options)
    for _ in range(2):
        parts = incremental.translate(str(path), options, keeping)
        assert (parts.host, parts.device) == (whole.host, whole.device)
        assert (parts.diagnostics, parts.maps_parts) == (whole.diagnostics, whole.maps_parts)


@pytest.mark.parametrize("path", some(PROGRAMS, 6), ids=lambda path: path.stem)
def test_programs_are_the_same(path: Path, keeping: incremental.Keeping, anew: list[str]) -> None:
    assert_is_the_same(path, OPTIONS, keeping)
    again = list(anew)
    assert_is_the_same(path, OPTIONS, keeping)
    assert anew == again != []


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("options", [Options(), Options(line=True), Options(auto_cache=True)], ids=["", "line", "auto"])
def test_forms_are_the_same(text: str, options: Options, keeping: incremental.Keeping, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    assert_is_the_same(path, options, keeping)


def test_only_what_changed_is_translated(keeping: incremental.Keeping, anew: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.c"

    def translated(text: str, options: Options = OPTIONS) -> list[str]:
        anew.clear()
        path.write_text(text)
        assert_is_the_same(path, options, keeping)
        return list(anew)

    assert translated(TWO) == ["scale", "shift"]
    assert translated(TWO + "/* more */\n") == []
    assert translated(TWO.replace("+= 7", "+= 8")) == ["shift"]
    assert translated(TWO.replace("a[i] +=", "a [i] +=")) == ["shift"]  # in another column
    assert translated(TWO.replace(")/3;", ")/5;")) == ["scale"]
    assert translated("\n" + TWO) == ["scale", "shift"]  # emitted text tells lines
    assert translated(TWO + "int fresh;\n") == ["scale", "shift"]  # a name that is taken now
    assert translated(TWO, Options(coarsen="off")) == ["scale", "shift"]
    assert translated(TWO.replace("float *restrict a", "float *a")) == ["scale"]
    assert translated(TWO) == []


def test_a_mistake_is_told_as_usual(keeping: incremental.Keeping, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(TWO.replace("a[i] += 7;", "a[i] += __builtin_ia32_rdtsc();"))
    found = []
    for translate in (driver.translate, lambda *words: incremental.translate(*words, keeping)):
        with pytest.raises(CompileError) as error:
            translate(str(path), OPTIONS)
        found.append(error.value.diagnostics)
    assert found[0] == found[1]


def test_another_process_plans_nothing(tmp_path: Path) -> None:
    """Sets, as of the levels of a loop, have another order in it."""
    path = tmp_path / "a.c"
    path.write_text(TWO.replace("parallel loop", "parallel loop gang worker vector"))
    said = []
    for seed in ("1", "2", "3"):
        words = [sys.executable, "-c", STATEMENT, str(path), str(tmp_path / "constructs")]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
        said.append(done.stdout.strip())
    assert said == ["True", "False", "False"]


def test_a_value_with_sets_has_one_key(keeping: incremental.Keeping) -> None:
    orders = ["frozenset({'gang', 'vector'})", "frozenset({'vector', 'gang'})"]
    texts = {re.sub(incremental._SET, incremental._in_order, f"levels={order}, seq") for order in orders}
    assert len(texts) == 1
