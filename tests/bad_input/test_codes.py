"""Every code has an input that provokes it, at the place marked in the input, and no code lacks one.

In codes/ each file is named after its code. A comment ``// ^~~~ ACC123`` says that the line above gets
this diagnostic with this caret; ``// (line) ACC123`` is one without a caret. Other diagnostics there
must not be. A first line ``// options:`` holds command line options.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from trial import accache, assert_orderly, options_in, translate

from accache.base.messages import MESSAGES

CODES = Path(__file__).parent / "codes"
INPUTS = sorted(CODES.glob("ACC*.c"))
_MARKER = re.compile(r"^//(?P<blank> *)(?:(?P<caret>\^~*)|\(line\)) (?P<code>ACC\d{3})$")
KERNEL = """\
void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
"""
# codes that one C file alone does not provoke: tests below, in tests/cpu for ACC701, in test_traces.py for 8xx, in
# tests/ptx for 9xx, and in tests/workflows for ACC816 and 96x to 99x
TRACES = {f"ACC80{digit}" for digit in range(1, 10)} | {f"ACC81{digit}" for digit in range(7)}
ELSEWHERE = {
    "ACC101",
    "ACC102",
    "ACC105",
    "ACC106",
    "ACC107",
    "ACC422",
    "ACC430",
    "ACC431",
    "ACC432",
    "ACC502",
    "ACC601",
    "ACC602",
    "ACC603",
    "ACC604",
    "ACC605",
    "ACC606",
    "ACC607",
    "ACC608",
    "ACC609",
    "ACC610",
    "ACC701",
    "ACC702",
    "ACC703",
    "ACC704",
    "ACC705",
    *TRACES,
    *(code for code in MESSAGES if code.startswith("ACC9")),
}


def marked(text: str) -> list[tuple[str, int, int, int]]:
    """Code, line, column and width of what the markers announce."""
    found = []
    last = 0
    for number, line in enumerate(text.split("\n"), 1):
        marker = _MARKER.match(line)
        if marker is None:
            last = number
        elif marker["caret"]:
            found.append((marker["code"], last, len(marker["blank"]) + 3, len(marker["caret"])))
        else:
            found.append((marker["code"], last, 0, 0))
    return found


@pytest.mark.parametrize("path", INPUTS, ids=[path.stem for path in INPUTS])
def test_an_input_gets_the_marked_diagnostics(path: Path) -> None:
    text = path.read_text()
    trial = translate(path, *options_in(text))
    found = [(item.code, item.line, item.column, item.width) for item in trial.printed]
    assert found == marked(text), trial.errors
    for item in trial.printed:
        assert item.file == str(path)
        assert item.severity == MESSAGES[item.code].severity
    assert trial.status == int(any(item.severity == "error" for item in trial.printed))
    assert path.stem[:6] in trial.codes


@pytest.mark.parametrize("code", ["ACC402", "ACC403", "ACC404", "ACC408", "ACC409", "ACC416"])
def test_a_reason_is_told_once(code: str) -> None:
    text = (CODES / f"{code}.c").read_text()
    trial = translate(CODES / f"{code}.c", *options_in(text))
    reasons = [item.message.partition(": ")[2] for item in trial.printed if item.code == code]
    assert [trial.errors.count(reason) for reason in reasons] == [1]


def test_no_code_lacks_an_input() -> None:
    found = {path.stem[:6] for path in INPUTS} | ELSEWHERE
    assert set(MESSAGES) - found == set(), "these need a file of tests/bad_input/codes, or a place in ELSEWHERE"
    assert found - set(MESSAGES) == set(), "accache/base/messages.py has no such codes"


def test_a_missing_file_is_acc101(tmp_path: Path) -> None:
    trial = translate(tmp_path / "missing.c")
    assert trial.codes == ["ACC101"]
    assert "No such file" in trial.errors


@pytest.mark.parametrize(("name", "language"), [("a.cpp", "C++"), ("a.f90", "Fortran"), ("a.cu", "CUDA")])
def test_another_language_is_acc102(name: str, language: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(KERNEL)
    trial = translate(tmp_path / name)
    assert trial.codes == ["ACC102"]
    assert f"is {language}" in trial.errors


def test_a_directive_in_a_file_included_from_the_command_line_is_acc105(tmp_path: Path) -> None:
    (tmp_path / "kernel.h").write_text(KERNEL)
    (tmp_path / "main.c").write_text(KERNEL.replace("f(", "g("))
    trial = translate(tmp_path / "main.c", "--cpp", f"cc -include {tmp_path}/kernel.h")
    assert [(Path(item.file).name, item.line, item.column, item.code) for item in trial.printed] == [
        ("kernel.h", 3, 1, "ACC105")
    ]
    assert trial.status == 0


def test_nesting_without_end_is_acc106(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(KERNEL.replace("= 0;", f"= {'(' * 20_000}0{')' * 20_000};"))
    assert translate(tmp_path / "main.c").codes == ["ACC106"]


def test_a_header_that_is_not_cplusplus_is_acc502(tmp_path: Path) -> None:
    (tmp_path / "shape.h").write_text("static inline int shape(int new) { return new; }\n")
    (tmp_path / "main.c").write_text('#include "shape.h"\n' + KERNEL)
    trial = translate(tmp_path / "main.c")
    assert {(Path(item.file).name, item.line, item.code) for item in trial.printed} == {("shape.h", 1, "ACC502")}
    assert trial.status == 1


def test_no_nvcc_is_acc601(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for tool in ("cc", "gcc", "as", "ld"):
        found = next((Path(folder) / tool for folder in ("/usr/bin", "/bin") if (Path(folder) / tool).exists()), None)
        if found is not None:
            (tmp_path / tool).symlink_to(found)
    (tmp_path / "main.c").write_text(KERNEL + "int main(void) { return 0; }\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    trial = accache("run", "--target", "cuda", str(tmp_path / "main.c"))
    assert_orderly(trial)
    assert trial.codes == ["ACC601"]


def test_host_code_the_compiler_rejects_is_acc602(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(KERNEL + "int main(void) { return undeclared; }\n")
    trial = accache("run", str(tmp_path / "main.c"))
    assert_orderly(trial)
    assert trial.codes == ["ACC602"]


@pytest.mark.parametrize(
    ("function", "missing", "hint"),
    [
        ("helper", "main", "the file has no function main, and a whole program is run"),
        ("main", "helper", "accache run takes one file; accache cc links several"),
    ],
)
def test_what_another_file_defines_is_acc602_with_a_hint(
    function: str, missing: str, hint: str, tmp_path: Path
) -> None:
    (tmp_path / "main.c").write_text(KERNEL + f"int helper(void);\nint {function}(void) {{ return helper(); }}\n")
    trial = accache("run", str(tmp_path / "main.c"))
    assert trial.codes == ["ACC602"]
    assert f"rejects the program: undefined reference to `{missing}'" in trial.errors
    assert f"= hint: {hint}\n" in trial.errors


def test_an_undeclared_name_is_told_once_with_what_it_may_be(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(KERNEL.replace("a[i] = 0", "a[i] = factr * factr").replace("int n", "int factor"))
    trial = translate(tmp_path / "main.c")
    assert trial.codes == ["ACC302", "ACC302"]  # factr and n
    assert trial.errors.count("hint: did you mean 'factor'?") == 1


def test_an_undeclared_name_hides_no_variable_of_an_earlier_loop(tmp_path: Path) -> None:
    loop = "    for (int i = 0; i < n; ++i)\n        a[i] = 1;\n"
    program = KERNEL.replace("#pragma", f"{loop}#pragma").replace("parallel loop copy(a[0:n])", "parallel copy(a[0:n])")
    (tmp_path / "main.c").write_text(
        program.replace("    for (int i = 0; i < n; ++i)\n        a[i] = 0", "    a[i] = 0")
    )
    assert translate(tmp_path / "main.c").codes == ["ACC302"]


def test_a_program_that_a_signal_ends_is_acc605(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(KERNEL + "int main(void) { *(volatile int *)0 = 1; return 0; }\n")
    trial = accache("run", "-q", str(tmp_path / "main.c"))
    assert (trial.status, trial.codes) == (139, ["ACC605"])
    assert "signal 11 ended the program: Segmentation fault" in trial.errors
    assert "--check tells where" in trial.errors
    assert "--check tells where" not in accache("run", "-q", "--check", str(tmp_path / "main.c")).errors


def test_a_finding_of_a_check_is_acc701(tmp_path: Path) -> None:
    text = KERNEL.replace("a[i] = 0", "a[0] = i") + "int main(void) { float a[64]; f(a, 64); return 0; }\n"
    (tmp_path / "main.c").write_text(text)
    trial = accache("run", "--check", str(tmp_path / "main.c"))
    assert trial.status == 3
    assert set(trial.codes) == {"ACC701"}
    assert all(item.line == 5 for item in trial.printed)


ATOMICS = ("read\nv = a[0];", "write\na[0] = i;", "update\na[0] *= 3;", "capture\nv = a[0] |= i;", "update\n++a[0];")


@pytest.mark.parametrize("ctype", ["unsigned char", "int", "long"])
def test_findings_name_the_lines_of_atomic_accesses(ctype: str, tmp_path: Path) -> None:
    loops = "".join(
        "#pragma acc parallel loop copy(a[0:1])\nfor (int i = 0; i < 64; ++i) {\nint v = 1;\n"
        f"#pragma acc atomic {atomic}\nif (v) a[0] = i;\n}}\n"
        for atomic in ATOMICS
    )
    text = f"void f({ctype} *a)\n{{\n{loops}}}\nint main(void) {{ {ctype} a[1] = {{1}}; f(a); return 0; }}\n"
    (tmp_path / "main.c").write_text(text)
    trial = accache("run", "--check", str(tmp_path / "main.c"))
    assert trial.status == 3
    found = {int(line) for line in re.findall(r"\batomic at \S*?main\.c:(\d+)", trial.errors)}
    accesses = [atomic.split("\n")[1] for atomic in ATOMICS]
    assert found == {number for number, line in enumerate(text.split("\n"), 1) if line in accesses}
    assert "accache_" not in trial.errors


def test_what_atomic_accesses_may_do(tmp_path: Path) -> None:
    text = """int main(void)
{
    int a[64], b[64], c = 3;
#pragma acc parallel loop copyout(a, b) copyin(c)
    for (int i = 0; i < 64; ++i) {
#pragma acc atomic write
        a[i] = 1;
#pragma acc atomic read
        b[i] = c;
        b[i] += c;
    }
    return a[5] + b[5] - 7;
}
"""
    (tmp_path / "main.c").write_text(text)
    trial = accache("run", "--check", "-q", str(tmp_path / "main.c"))
    assert (trial.status, trial.errors) == (0, "")


def test_tiles_of_bytes_may_pass_on_what_others_write(tmp_path: Path) -> None:
    text = """int main(void)
{
    char a[2400] = {1, 2, 3};
#pragma acc kernels copy(a)
    for (short i = 0; i < 31; i += 3)
        for (long j = 2; j < 31; ++j) {
#pragma acc loop
            for (unsigned k = 2; k < 3; ++k) {
#pragma acc cache(a[300 + i - j + k:3])
                a[300 + j * 3 + k] |= 74;
            }
        }
    return 0;
}
"""
    (tmp_path / "main.c").write_text(text)
    trial = accache("run", "-q", "--check", "--method", "rbc", "--scope", "private", str(tmp_path / "main.c"))
    assert (trial.status, trial.errors) == (0, "")
