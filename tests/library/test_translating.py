"""translate and explain as functions: what they give, what they refuse, and that threads do not meet."""

from __future__ import annotations

import gc
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from commands import accache as call

import accache

ROOT = Path(__file__).parents[2]
GEMM = ROOT / "samples" / "gemm.c"
PROGRAM = """
void smooth(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
        float sum = 0;
#pragma acc cache(a[i-1:3])
        for (int j = i - 1; j <= i + 1; ++j)
            sum += a[j];
        b[i] = sum / 3;
    }
}
"""


def command(*words: str) -> str:
    done = call(*words, folder=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_the_command_line_writes_is_returned(tmp_path: Path) -> None:
    options = ("--method", "rbc", "--line", "-DRADIUS=30")
    expected = command("translate", *options, "samples/stencil.c")
    command("translate", *options, "--split", "samples/stencil.c", "-o", str(tmp_path / "pair"))
    chosen = accache.translate(ROOT / "samples" / "stencil.c", method="rbc", line=True, preprocessor=["-DRADIUS=30"])
    name = str(ROOT / "samples" / "stencil.c")
    assert (chosen.joined or "").replace(name, "samples/stencil.c") == expected
    assert chosen.host.replace(name, "samples/stencil.c") == (tmp_path / "pair.host.c").read_text()
    assert chosen.cuda.replace(name, "samples/stencil.c") == (tmp_path / "pair.cu").read_text()


def test_explain_is_what_the_command_line_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    report = accache.explain("samples/gemm.c", arch="sm_80")
    assert f"{report}\n" == command("explain", "-q", "--arch", "sm_80", "samples/gemm.c")
    assert json.loads(json.dumps(report.to_dict())) == json.loads(
        command("explain", "-q", "--json", "--arch", "sm_80", "samples/gemm.c")
    )


def test_text_and_its_name(tmp_path: Path) -> None:
    (tmp_path / "radius.h").write_text("#define RADIUS 1\n")
    program = '#include "radius.h"\n' + PROGRAM.replace("[i-1:3]", "[i-RADIUS:3]")
    found = accache.translate(program, name=str(tmp_path / "unsaved.c"), method="rbi")
    assert "a_tile" in found.cuda
    assert found.report.file == str(tmp_path / "unsaved.c")
    with pytest.raises(accache.CompileError, match=r"<text>:1.*ACC103"):
        accache.translate(program)


def test_messages_show_lines_of_text() -> None:
    found = accache.translate(PROGRAM)
    assert [each.code for each in found.diagnostics] == ["ACC422"]
    assert "    7 | #pragma acc cache(a[i-1:3])\n" in accache.render(found.diagnostics, sources=[found.source])
    (record,) = json.loads(accache.render(found.diagnostics, "json"))
    assert (record["file"], record["line"], record["severity"]) == ("<text>", 7, "note")


def test_a_file_is_shown_without_its_text() -> None:
    found = accache.translate(GEMM, method="none")
    assert "#pragma acc cache" in accache.render(found.diagnostics)


def test_what_c_cannot_be_is_a_compile_error() -> None:
    with pytest.raises(accache.CompileError) as caught:
        accache.translate(PROGRAM.replace("parallel loop", "paralel loop"))
    assert isinstance(caught.value, accache.Error)
    assert [each.code for each in caught.value.diagnostics] == ["ACC201"]
    assert caught.value.diagnostics[0].severity is accache.Severity.ERROR


@pytest.mark.parametrize("path", ["nowhere.c", "-", "<stdin>", ".", ""])
def test_what_cannot_be_read_is_a_compile_error(path: str) -> None:
    with pytest.raises(accache.CompileError, match=r"cannot read .*ACC101"):
        accache.translate(path)


@pytest.mark.parametrize("program", ["a\0b", 3, b"a.c", "\ud800\n"])
def test_what_is_no_program_is_an_option_error(program: object) -> None:
    with pytest.raises(accache.OptionError) as caught:
        accache.translate(program)  # type: ignore[arg-type]
    assert caught.value.option == "program"


@pytest.mark.parametrize("name", ["", "a\nb.c", "a\0"])
def test_what_is_no_name_is_an_option_error(name: str) -> None:
    with pytest.raises(accache.OptionError, match="is no name for a text"):
        accache.translate(PROGRAM, name=name)


@pytest.mark.parametrize(
    ("options", "option", "message"),
    [
        ({"metod": "rbi"}, "metod", "no option 'metod', did you mean 'method'?: method, write"),
        ({"method": "rcb"}, "method", "'rcb' is not a value of method: auto, rbi, "),
        ({"arch": "sm_banana"}, "arch", "'sm_banana' is not a known architecture: sm_70"),
        ({"runtime": False}, "runtime", "no option 'runtime'"),
        ({"libraries": ["-lm"]}, "libraries", "no option 'libraries'"),
        ({"preprocessor": "-DN=3"}, "preprocessor", "'-DN=3' is not a value of preprocessor: a list of words"),
        ({"preprocessor": ["-o"]}, "preprocessor", "'-o' is not a word of preprocessor: -I, -D, -U"),
        ({"preprocessor": ["-D"]}, "preprocessor", "'-D' is not a word of preprocessor: -I, -D, -U"),
        ({"preprocessor": ["-DA=\0"]}, "preprocessor", "is not a word of preprocessor"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], option: str, message: str) -> None:
    with pytest.raises(accache.OptionError) as caught:
        accache.translate(PROGRAM, **options)  # type: ignore[arg-type]
    assert caught.value.option == option
    assert message in str(caught.value)


def test_the_compiler_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(accache.CompileError, match="no-such-compiler"):
        accache.translate(PROGRAM)
    assert accache.translate(PROGRAM, cc="cc").cuda


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    accache.explain(PROGRAM)
    with pytest.raises(accache.CompileError):
        accache.translate(PROGRAM.replace("parallel loop", "paralel loop"))
    with pytest.raises(accache.OptionError):
        accache.translate(PROGRAM, method="lru")
    assert capfd.readouterr() == ("", "")


def test_threads_translate_at_the_same_time_and_leave_nothing_behind() -> None:
    def state() -> tuple[int, int, bool]:
        return sys.getrecursionlimit(), threading.stack_size(), gc.isenabled()

    names = ("lookup", "stencil", "strided", "transpose")
    before = state()
    programs = [ROOT / "samples" / f"{name}.c" for name in names]
    alone = [accache.translate(program).cuda for program in programs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda program: accache.translate(program).cuda, 2 * programs))
    assert together == 2 * alone
    assert state() == before


def test_deep_nesting_is_told_in_threads_too() -> None:
    deep = f"int f(void)\n{{ return {'(' * 100_000}1{')' * 100_000}; }}\n#pragma acc wait\n"
    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(accache.translate, deep) for _ in range(2)]
        assert all("ACC106" in str(each.exception()) for each in found)


def test_a_line_break_makes_a_text_and_nothing_else_does(tmp_path: Path) -> None:
    for text in ("\n", "int\n;", "int a;\r"):
        assert accache.translate(text).host == text.replace("\r", "\n")
    long = tmp_path / ("a" * 100 + " {;}.c")
    long.write_text("int a;")
    assert accache.translate(str(long)).host == "int a;"
    with pytest.raises(accache.CompileError, match="ACC101"):
        accache.translate("int main(void) { return 0; }")
