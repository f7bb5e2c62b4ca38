"""Fix-its: what is offered, what is not, and that mended programs translate, run and compute the same."""

from __future__ import annotations

import difflib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import accache
from accache.base.diagnostic_formats import as_json, as_sarif
from accache.base.options import Options
from accache.base.resources import samples
from accache.base.text import SourceFile
from accache.cli.main import main
from accache.workflows.fixes.offers import fixed, offered

sys.path.insert(0, str(Path(__file__).parents[1] / "bad_input"))
from trial import accache as command

HEAD = "void f(int n, const float *restrict a, float *restrict b)\n{\n"
LOOP = "#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])\n"
THREE = "b[i] = a[i - 1] + a[i] + a[i + 1];"
SHORT = "#pragma acc cache(a[i-1:3])\n"
SUM3 = "        b[i] = a[i - 1] + a[i] + a[i + 1];\n    }\n"


def kernel(directive: str, statement: str, before: str = "", head: str = "int i = 1; i < n - 1; i++") -> str:
    return f"{HEAD}{before}{LOOP}    for ({head}) {{\n{directive}        {statement}\n    }}\n}}\n"


def cache(text: str) -> str:
    return f"#pragma acc cache({text})\n"


def changed(text: str, **options: Any) -> list[str]:
    """The lines that go and come when a text is mended."""
    after = fixed(SourceFile("t.c", text), Options(**options)).text
    lines = difflib.ndiff(text.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


@pytest.mark.parametrize(
    ("directive", "statement", "wanted"),
    [
        ("a[i:i+4]", "b[i] = a[i] + a[i + 1] + a[i + 2] + a[i + 3];", "a[i:4]"),
        ("a[i-1:i+1]", "b[i] = a[i - 1] + a[i + 1];", "a[i-1:3]"),
        ("readonly: a[i - 1 : i + 1]", "b[i] = a[i - 1] + a[i + 1];", "readonly: a[i-1:3]"),
        ("a[i:1]", "b[i] = a[i - 1] + a[i] + a[i + 1];", "a[i-1:3]"),
        ("a[i:2]", "{ float s = 0; for (int k = -2; k <= 2; k++) s += a[i + k]; b[i] = s; }", "a[i-2:5]"),
        ("a[i-1:3], b[i:1]", "b[i] = a[i - 1] + a[i + 2];", "a[i-1:4], b[i:1]"),
        ("a(i-1:i+1)", "b[i] = a[i - 1] + a[i + 1];", "a[i-1:3]"),
        ("readonly: a(i - 1 : i + 1)", "b[i] = a[i - 1] + a[i + 1];", "readonly: a[i - 1:3]"),
        ("a(i-1:i+1), b(i)", "b[i] = a[i - 1] + a[i + 1];", "a[i-1:3], b[i]"),
        ("a(i-1:3)", "b[i] = a[i - 1] + a[i + 1];", "a[i-1:3]"),
        ("a(i:i)", "b[i] = a[i - 1] + a[i + 1];", "a[i-1:3]"),
    ],
)
def test_the_list_of_a_directive(directive: str, statement: str, wanted: str) -> None:
    text = kernel(cache(directive), statement)
    assert changed(text) == [f"- #pragma acc cache({directive})", f"+ #pragma acc cache({wanted})"]


def test_a_forgotten_halo_is_found_where_a_method_was_asked_for() -> None:
    text = kernel(cache("a[i:1]"), "b[i] = a[i - 1] + a[i + 1];")
    assert changed(text, method="rbi")[1] == "+ #pragma acc cache(a[i-1:3])"


HALO = kernel(cache("a[i:1]"), THREE, head="int i = 4; i < n - 4; i++")


@pytest.mark.parametrize("options", [{}, {"coarsen": "off"}, {"tune": "off"}, {"method": "ehc"}], ids=str)
def test_a_forgotten_halo_is_found_whatever_else_is_decided(options: dict[str, str]) -> None:
    assert changed(HALO, **options) == ["- #pragma acc cache(a[i:1])", "+ #pragma acc cache(a[i-1:3])"]


@pytest.mark.parametrize(
    ("sample", "written", "short", "mended"),
    [
        ("stencil", "a[i-RADIUS:2*RADIUS+1]", "a[i:1]", "a[i-1:3]"),
        ("jacobi", "b[im1:3][jm1:3]", "b[im1:3][j:1]", "b[im1:3][j-1:3]"),
    ],
)
def test_a_forgotten_halo_of_a_sample_is_mended(sample: str, written: str, short: str, mended: str) -> None:
    text = (samples() / f"{sample}.c").read_text()
    source = SourceFile("t.c", text.replace(written, short))
    assert fixed(source, Options()).text == text.replace(written, mended)


def test_nothing_is_told_of_a_halo_that_is_there_or_a_range_that_is_promised() -> None:
    whole = HALO.replace("a[i:1]", "a[i-1:3]")
    assert all(found.code != "ACC423" for found in offered(SourceFile("t.c", whole), Options()))
    assert all(found.code != "ACC423" for found in offered(SourceFile("t.c", HALO), Options(trust_range=True)))


def test_what_is_right_in_a_dimension_stays_as_it_is_written() -> None:
    text = f"""#define WIDE 4
void f(int n, const float a[restrict 64][64], float b[restrict 64][64])
{{
#pragma acc parallel loop collapse(2) copyin(a[0:64]) copyout(b[0:64])
    for (int i = 1; i < 60; i++)
        for (int j = 0; j < 60; j++) {{
{cache("a[i:1][j : WIDE]")}            b[i][j] = a[i - 1][j] + a[i][j + 3];
        }}
}}
"""
    assert changed(text)[1] == "+ #pragma acc cache(a[i-1:2][j : WIDE])"


@pytest.mark.parametrize("where", ["construct", "loop", "region"])
def test_a_directive_moves_into_its_loop(where: str) -> None:
    directive = cache("a[i-1:3]")
    inner = f"    for (int i = 1; i < n - 1; i++) {{\n{SUM3}"
    text = {
        "construct": HEAD + directive + LOOP + inner + "}\n",
        "loop": HEAD + LOOP + directive + inner + "}\n",
        "region": f"{HEAD}{LOOP.replace(' loop', '')}    {{\n{directive}#pragma acc loop\n{inner}    }}\n}}\n",
    }[where]
    mended = fixed(SourceFile("t.c", text), Options()).text
    assert f"i++) {{\n{directive}        b[i]" in mended
    assert mended.replace(directive, "") == text.replace(directive, "")


@pytest.mark.parametrize("before", ["", "    int i;\n"])
def test_a_directive_moves_into_its_loop_and_then_gets_a_length(before: str) -> None:
    text = kernel("", THREE, before, "i = 1; i < n - 1; i++" if before else "int i = 1; i < n - 1; i++")
    source = SourceFile("t.c", text.replace(LOOP, cache("a[i-1:i+1]") + LOOP))
    (found,) = (item for item in offered(source, Options()) if item.fixes)
    assert [fix.title for fix in found.fixes] == [f"move it into the loop over i, line {5 + bool(before)}"]
    assert fixed(source, Options()).text == text.replace(f"++) {{\n        {THREE}", f"++) {{\n{SHORT}        {THREE}")


@pytest.mark.parametrize(
    ("clauses", "wanted"),
    [
        ("copyin(a[0:n) copyout(b[0:n])", "copyin(a[0:n]) copyout(b[0:n])"),
        ("copyin(a[0:n] copyout(b[0:n])", "copyin(a[0:n]) copyout(b[0:n])"),
        ("copyin(a[0:n], copyout(b[0:n])", "copyin(a[0:n]), copyout(b[0:n])"),
        ("copyin(a[0:n]]) copyout(b[0:n])", "copyin(a[0:n]) copyout(b[0:n])"),
        ("copyin(a[0:n]} copyout(b[0:n])", "copyin(a[0:n]) copyout(b[0:n])"),
        ("copyin(a[0:n]) copyout(b{0:n])", "copyin(a[0:n]) copyout(b[0:n])"),
        ("copyin(a[0:n]) copyout(b[0:n]", "copyin(a[0:n]) copyout(b[0:n])"),
        ("copyin a[0:n] copyout(b[0:n])", "copyin(a[0:n]) copyout(b[0:n])"),
        ("copyin(a[0:n) copyout b[0:n] num_gangs=4", "copyin(a[0:n]) copyout(b[0:n]) num_gangs(4)"),
    ],
)
def test_brackets_of_a_directive(clauses: str, wanted: str) -> None:
    text = kernel("", THREE)
    broken = text.replace("copyin(a[0:n]) copyout(b[0:n])", clauses)
    assert fixed(SourceFile("t.c", broken), Options()).text == text.replace("copyin(a[0:n]) copyout(b[0:n])", wanted)


def test_a_directive_moves_into_the_inner_one_of_two_loops_with_braces_around_its_statement() -> None:
    text = """void f(int n, const float a[restrict 64][64], float b[restrict 64][64])
{
#pragma acc cache(a[i][j-1:3])
#pragma acc parallel loop collapse(2) copyin(a[0:64]) copyout(b[0:64])
    for (int i = 0; i < 64; i++)
        for (int j = 1; j < 63; j++)
            b[i][j] = a[i][j - 1] + a[i][j + 1];
}
"""
    mended = fixed(SourceFile("t.c", text), Options())
    assert "j++) {\n#pragma acc cache(a[i][j-1:3])\n            b[i]" in mended.text
    assert not any(found.fixes for found in mended.diagnostics)


@pytest.mark.parametrize("method", ["auto", "rbi"])
@pytest.mark.parametrize(
    ("above", "inside"),
    [
        (cache("a[i-1:3]"), cache("a[i-1:3]")),  # one moves to where the other stands
        (cache("a[i-1:3]") * 2, ""),  # both move
        ("", cache("a(i-1:i+1)") + cache("a[i-1:3]")),  # one becomes what the other is
        ("", cache("a(i-1:i+1)") + cache("a(i-1 : i+1)")),  # both become the same
        ("", cache("a[i-1:3]") * 2),  # both were written so
    ],
    ids=["one-moves", "both-move", "one-changes", "both-change", "written-so"],
)
def test_no_directive_stands_twice_in_front_of_a_loop(above: str, inside: str, method: str) -> None:
    text = kernel(inside, THREE).replace(LOOP, above + LOOP)
    after = fixed(SourceFile("t.c", text), Options(method=method)).text
    assert after == kernel(cache("a[i-1:3]"), THREE)


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("a[i-1:3], a[i - 1 : 3]", "a[i-1:3]"),
        ("readonly: a[i-1:3], a[i-1:3]", "readonly: a[i-1:3]"),
    ],
)
def test_no_subarray_stands_twice_in_a_list(written: str, wanted: str) -> None:
    text = kernel(cache(written), THREE)
    assert changed(text, method="rbi") == [f"- #pragma acc cache({written})", f"+ #pragma acc cache({wanted})"]


def test_a_directive_moves_to_another_one_less_what_that_has() -> None:
    statement = "b[i] = a[i - 1] + a[i] + a[i + 1] + c[i - 1] + c[i + 1];"
    text = kernel(cache("a[i-1:3]"), statement).replace("float *restrict b", "const float *c, float *restrict b")
    after = fixed(SourceFile("t.c", text.replace(LOOP, cache("a[i-1:3], c[i-1:3]") + LOOP)), Options()).text
    assert after == text.replace(cache("a[i-1:3]"), cache("c[i-1:3]") + cache("a[i-1:3]"))


def test_what_is_only_read_in_one_of_two_directives_is_not_the_same() -> None:
    text = kernel(cache("a[i-1:3]") + cache("readonly: a[i-1:3]"), THREE)
    assert changed(text, method="rbi") == []


LARGE = """#define N 100000
void f(int n, const float a[restrict N], float *restrict b)
{
#pragma acc parallel loop copyin(a[0:N]) copyout(b[0:n])
    for (int i = 0; i < n; i++) {
        float sum = 0;
#pragma acc cache(a[0:N])
        for (int k = 0; k < N; k++)
            sum += a[k] * (i + k);
        b[i] = sum;
    }
}
"""


def test_a_loop_is_cut_into_chunks() -> None:
    assert fixed(SourceFile("t.c", LARGE), Options()).text == LARGE.replace(
        """#pragma acc cache(a[0:N])
        for (int k = 0; k < N; k++)
            sum += a[k] * (i + k);
""",
        """        for (int k0 = 0; k0 < N; k0 += 256) {
#pragma acc cache(a[k0:256])
        for (int k = k0; k < k0 + 256 && k < N; k++)
            sum += a[k] * (i + k);
        }
""",
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sum += a[k] * (i + k);", "{ sum += a[k]; if (sum > 9) break; }"),
        ("sum += a[k] * (i + k);", "{ sum += a[k]; k += 0; }"),
        ("k++)", "k += 2)"),
        ("100000", "2147483640"),
        ("#define N 100000", "#define N 100000\n#undef N\n#define N 90000"),
    ],
)
def test_a_loop_that_might_become_another_is_not_cut(old: str, new: str) -> None:
    assert changed(LARGE.replace(old, new)) == []


@pytest.mark.parametrize("word", ["parallel", "kernels", "serial"])
def test_for_is_loop_in_openacc(word: str) -> None:
    text = kernel("", "b[i] = a[i - 1];").replace("parallel loop", f"{word} for")
    assert changed(text)[1] == f"+ {LOOP.replace('parallel', word)}".rstrip()


@pytest.mark.parametrize(
    "text",
    [
        kernel(cache("a[i:1], a[i+8:1]"), "b[i] = a[i] + a[i + 8] + a[i + 1];"),  # several parts, as it is meant
        kernel(cache("a[i:1]"), "b[i] = a[i] + a[(int)b[i]];"),  # no constant length holds both
        kernel(cache("a[k-1:3]"), "b[i] = a[i - 1];"),  # no loop has such a variable
        "#define RANGE a[i:i+4]\n" + kernel(cache("RANGE"), "b[i] = a[i] + a[i + 3];"),  # a macro holds the place
        kernel(cache("a[i:4]"), "b[i] = a[i] + a[i + 3];"),  # nothing is wrong
        kernel(cache("a(i:n)"), "b[i] = a[i];"),  # no constant length
        kernel(cache("a(i<<1:i<<1+2)"), "b[i] = a[i];"),  # the number is not added last
        kernel(cache("a(i*-3:i*-1)"), "b[i] = a[i];"),  # the number is a factor
        kernel(cache("a(i+2:i)"), "b[i] = a[i];"),  # no elements
        kernel("", "b[i] = a[i];").replace("a[0:n]", "a(0:4)"),  # a data clause says what is copied
    ],
)
def test_nothing_is_offered(text: str) -> None:
    assert not any(found.fixes for found in offered(SourceFile("t.c", text), Options()))


EVERYTHING = """#include <stdio.h>
#define N 70000
void end(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n-4])
    for (int i = 0; i < n - 4; i++) {
#pragma acc cache(a[i:i+4])
        b[i] = a[i] + a[i + 1] + a[i + 2] + a[i + 3];
    }
}
void halo(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel for copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; i++) {
#pragma acc cache(a[i:1])
        b[i] += a[i - 1] * a[i] - a[i + 1];
    }
}
void before(int n, const float *restrict a, float *restrict b)
{
#pragma acc cache(a[i-1:i+1])
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; i++)
        b[i] -= a[i - 1] / 2 + a[i + 1];
}
void large(int n, const float a[restrict N], float *restrict b)
{
#pragma acc parallel loop copyin(a[0:N]) copy(b[0:n])
    for (int i = 0; i < n; i++) {
        float sum = 0;
#pragma acc cache(a[0:N])
        for (int k = 0; k < N; k++)
            sum += a[k] * ((i ^ k) & 3);
        b[i] += sum;
    }
}
static float a[N], b[300];
int main(void)
{
    for (int i = 0; i < N; i++)
        a[i] = i % 17;
    end(300, a, b);
    halo(300, a, b);
    before(300, a, b);
    large(8, a, b);
    double sum = 0;
    for (int i = 0; i < 300; i++)
        sum += b[i] * (i % 7);
    printf("%.6f %.6f %.6f\\n", sum, b[1], b[7]);
}
"""


def test_a_program_with_all_mistakes_is_mended_and_computes_the_same(tmp_path: Path) -> None:
    path = tmp_path / "all.c"
    path.write_text(EVERYTHING)
    trial = command("fix", "--in-place", str(path))
    assert trial.status == 0
    mended = path.read_text()
    wanted = ("cache(a[i:4])", "cache(a[i-1:3])", "parallel loop copyin(a[0:n]) copy(b[0:n])", "cache(a[k0:256])")
    assert all(part in mended for part in wanted)
    assert not any(found.fixes for found in accache.translate(path).diagnostics)
    (tmp_path / "plain.c").write_text(EVERYTHING)
    subprocess.run(["gcc", "-w", "-o", tmp_path / "plain", tmp_path / "plain.c"], check=True)
    plain = subprocess.run([tmp_path / "plain"], check=True, capture_output=True, text=True).stdout
    ran = accache.run(path, check=True, method="rbi")
    assert (ran.status, ran.findings, ran.stdout) == (0, (), plain)


def test_the_patch_is_that_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "halo.c"
    text = kernel(cache("a[i:1]"), "b[i] = a[i - 1] + a[i + 1];")
    path.write_text(text)
    dry = command("fix", str(path))
    assert (dry.status, path.read_text()) == (0, text)
    subprocess.run(["patch", "-p0", "-s", str(path)], input=dry.output, check=True)
    assert path.read_text() == fixed(SourceFile("t.c", text), Options()).text
    assert command("fix", "--dry-run", str(path)).output == b""


def test_several_files_are_one_log_in_a_file(tmp_path: Path) -> None:
    for name in ("one.c", "two.c"):
        (tmp_path / name).write_text(kernel(cache("a[i:i+4]"), "b[i] = a[i] + a[i + 3];"))
    log = tmp_path / "log.sarif"
    files = (str(tmp_path / "one.c"), str(tmp_path / "two.c"), str(tmp_path / "none.c"))
    trial = command("fix", *files, "--diagnostics=sarif", f"--diagnostics-file={log}")
    assert (trial.status, trial.errors) == (1, "")
    (run,) = json.loads(log.read_text())["runs"]
    places = {found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for found in run["results"][:-1]}
    assert {Path(place).name for place in places} == {"one.c", "two.c"}
    assert run["results"][-1]["ruleId"] == "ACC101"
    assert all(rule["name"] and rule["help"]["text"] for rule in run["tool"]["driver"]["rules"])


def test_the_log_takes_the_place_of_no_program(tmp_path: Path) -> None:
    path = tmp_path / "one.c"
    path.write_text("int a;\n")
    assert command("fix", str(tmp_path / "two.c"), str(path), f"--diagnostics-file={path}").status == 2
    assert path.read_text() == "int a;\n"


def test_json_and_sarif_say_what_to_change_where() -> None:
    text = kernel(cache("a[i:i+4]"), "b[i] = a[i] + a[i + 3];")
    found = offered(SourceFile("t.c", text), Options())
    (first,) = [item for item in json.loads(as_json(found)) if item["fixes"]]
    place = {"file": "t.c", "line": 5, "column": 19, "end_line": 5, "end_column": 27}
    assert first["fixes"] == [{"title": "write a[i:4]", "changes": [{**place, "text": "a[i:4]"}]}]
    (result,) = [item for item in json.loads(as_sarif(found))["runs"][0]["results"] if "fixes" in item]
    (change,) = result["fixes"][0]["artifactChanges"][0]["replacements"]
    region = {"startLine": 5, "startColumn": 19, "endLine": 5, "endColumn": 27}
    assert change == {"deletedRegion": region, "insertedContent": {"text": "a[i:4]"}}


def test_text_names_the_mend() -> None:
    text = kernel(cache("a[i:i+4]"), "b[i] = a[i] + a[i + 3];")
    translation = accache.translate(text, name="t.c")
    assert "      = fix: write a[i:4] (accache fix)\n" in accache.render(translation.diagnostics)


@pytest.mark.parametrize("name", ["translate", "explain", "run"])
def test_commands_name_the_mend_of_what_does_not_translate(name: str, tmp_path: Path) -> None:
    source = tmp_path / "t.c"
    source.write_text(
        "void f(int *a)\n{\n#pragma acc parallel for copy(a[0:9])\nfor (int i = 0; i < 9; ++i) a[i] = i;\n}\n"
    )
    done = CliRunner().invoke(main, [name, str(source)])
    assert done.exit_code == 1
    assert "= fix: write 'parallel loop' (accache fix)\n" in done.stderr
