"""Every form that is not obeyed as written has a diagnostic of its own, at the right place, with what to write."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from accache.base.diagnostics import CompileError, Diagnostic
from accache.base.options import Options
from accache.driver import translate

HEAD = """typedef struct { float weight[4]; float shift; } Filter;
typedef struct { int ncols; float *data; } Image;
void f(float *restrict a, const float *restrict b, float *restrict u, int n, int m, int r)
{
    Filter filter = {{1, 2, 3, 4}, 5};
    float weight = 2;
    Image image = {n, u};
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n+4], u[0:n*m])
    for (int i = 1; i < n - 1; ++i) {
        int start = i;
"""


@dataclass(frozen=True)
class Form:
    """What stands in the list, the body of the region, and what must be said of it."""

    subarray: str
    body: str
    code: str
    text: str
    hint: str = ""


FORMS = {
    "scalar": Form("weight", "a[i] = weight;", "ACC403", "register"),
    "structure": Form("filter", "a[i] = filter.shift;", "ACC414", "structure"),
    "member": Form("image.data[i-1:3]", "a[i] = image.ncols;", "ACC417", "member"),
    "pointer without bounds": Form("b", "a[i] = b[i];", "ACC415", "length"),
    "too big": Form("b[0:200000]", "a[i] = b[i];", "ACC416", "800000 bytes"),
    "too big, but used again": Form("b[0:200000]", "a[i] = b[i] + b[i+1];", "ACC416", "800000 bytes"),
    "no gain": Form(
        "b[i:1]", "a[i] = b[i];", "ACC419", "256 global loads without a tile, 256 with one", "--method rbi"
    ),
    "a length that is an end": Form("b[start:start+4]", "a[i] = b[i] + b[i+3];", "ACC412", "not an end", "4"),
    "a variable end": Form("b[i:i+3]", "a[i] = b[i] + b[i+2];", "ACC412", "not an end", "3"),
    "inclusive bounds": Form("b[i-1:i+1]", "a[i] = b[i-1] + b[i+1];", "ACC413", "inclusive", "3"),
    "address taken": Form("b[i:2]", "{ const float *p = b; a[i] = *++p; }", "ACC418", "other than by its elements"),
    "passed on": Form("b[i:2]", "{ const float *p = b; p += i; a[i] = *p; }", "ACC418", "other than by its elements"),
    "no reference": Form("b[i:2]", "a[i] = i;", "ACC402", "does not refer"),
}

# an emulated cache serves a subarray larger than itself; what only costs time is done if it is asked for
OBEYED = {"too big": ("ehc",), "too big, but used again": ("ehc",), "no gain": ("rbi", "rbc", "ehc")}


def diagnostics_of(tmp_path: Path, form: Form, method: str = "auto") -> list[Diagnostic]:
    """What is said on the line of the cache directive; the program translates."""
    source = tmp_path / "form.c"
    source.write_text(f"{HEAD}#pragma acc cache({form.subarray})\n        {form.body}\n    }}\n}}\n")
    translation = translate(str(source), Options(method=method, tune="off"))
    line = HEAD.count("\n") + 1
    return [found for found in translation.diagnostics if found.location and found.location.line == line]


@pytest.mark.parametrize("name", [name for name in FORMS if FORMS[name].code])
def test_a_form_has_its_own_diagnostic(name: str, tmp_path: Path) -> None:
    form = FORMS[name]
    found = [item for item in diagnostics_of(tmp_path, form) if item.code == form.code]
    assert len(found) == 1
    assert form.text in found[0].message
    assert form.hint in found[0].hint
    assert found[0].location is not None
    assert found[0].location.column >= len("#pragma acc cache(") + 1


def test_the_forms_that_wild_programs_mean_otherwise_have_different_codes() -> None:
    names = ("scalar", "structure", "pointer without bounds", "too big", "a length that is an end", "inclusive bounds")
    assert len({FORMS[name].code for name in names}) == len(names)


@pytest.mark.parametrize("method", ["rbi", "rbc", "ehc", "scratch", "none"])
@pytest.mark.parametrize("name", FORMS)
def test_no_form_breaks_any_method(name: str, method: str, tmp_path: Path) -> None:
    said = diagnostics_of(tmp_path, FORMS[name], method)
    assert bool(said) == (method not in OBEYED.get(name, ()))


def test_a_directive_in_front_of_the_construct_is_a_warning(tmp_path: Path) -> None:
    source = tmp_path / "above.c"
    source.write_text(
        "void f(float *a, int n)\n{\n#pragma acc cache(a[0:8])\n#pragma acc parallel loop copy(a[0:n])\n"
        "    for (int i = 0; i < n; ++i)\n        a[i] += 1;\n}\n"
    )
    found = [item for item in translate(str(source), Options()).diagnostics if item.code == "ACC411"]
    assert [item.location.line for item in found if item.location] == [3]
    assert "move" in found[0].hint


@pytest.mark.parametrize("write", ["a[i] = 1;", "a[i] += 1;", "a[i]++;", "--a[i - 1];"])
def test_a_write_to_what_is_cached_readonly_is_an_error(write: str, tmp_path: Path) -> None:
    source = tmp_path / "readonly.c"
    source.write_text(f"{HEAD}#pragma acc cache(readonly: a[i-1:3])\n        {write}\n    }}\n}}\n")
    with pytest.raises(CompileError) as caught:
        translate(str(source), Options())
    (found,) = [item for item in caught.value.diagnostics if item.code == "ACC401"]
    assert found.location is not None
    assert found.location.line == HEAD.count("\n") + 2
    assert "'a'" in found.message
