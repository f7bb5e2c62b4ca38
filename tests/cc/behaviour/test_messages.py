"""What users are told, with the exit status that gcc would give."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from calls import KERNEL, Compiler

from accache.base.options import CHOICES, COUNTS, SWITCHES
from accache.cc.console import HELP
from accache.cc.main import main


def test_the_host_compiler_speaks_of_the_users_lines(cc: Compiler) -> None:
    Path("a.c").write_text(
        KERNEL + '#include "a.h"\nint late(void)\n{\n    char *text = 5.0;\n    return MISSING;\n}\n'
    )
    Path("a.h").write_text("static int value;\n")
    done = cc("-Wall", "-c", "a.c")
    assert done.status == 1
    assert f"a.c:{KERNEL.count(chr(10)) + 4}:18: error: incompatible types" in done.errors
    assert "a.c:13:12: error: 'MISSING' undeclared" in done.errors
    assert "accache-" not in done.errors


def test_what_is_no_c_is_for_the_host_compiler_to_say(cc: Compiler) -> None:
    Path("a.c").write_text(KERNEL + "int f( { return 1 }\n")
    Path("a.o").write_text("old")
    done = cc("-c", "a.c")
    assert done.status == 1
    assert "a.c:9:8: error: expected" in done.errors
    assert "ACC" not in done.errors
    assert not Path("a.o").exists()


def test_a_missing_header_is_an_error_of_the_host_compiler(cc: Compiler) -> None:
    Path("a.c").write_text('#include "missing.h"\n' + KERNEL)
    done = cc("-c", "a.c")
    assert done.status == 1
    assert "missing.h: No such file" in done.errors


def test_a_refusal_has_its_code_and_leaves_no_object(cc: Compiler) -> None:
    Path("a.c").write_text(KERNEL.replace("copyin", "copyinn"))
    done = cc("-c", "a.c")
    assert done.status == 1
    assert "a.c:4:" in done.errors
    assert "[ACC212]" in done.errors
    assert not Path("a.o").exists()


def test_other_files_are_compiled_though_one_fails(cc: Compiler) -> None:
    Path("a.c").write_text(KERNEL.replace("copyin", "copyinn"))
    Path("b.c").write_text(KERNEL)
    Path("c.c").write_text("int c;\n")
    assert cc("-c", "a.c", "b.c", "c.c").status == 1
    assert sorted(path.name for path in Path().glob("*.o")) == ["b.o", "c.o"]


WARNS = KERNEL.replace("copyin", "vector_length(9999) copyin")


def test_warnings_are_told_again_when_the_result_is_kept(cc: Compiler) -> None:
    Path("a.c").write_text(WARNS)
    first, second = cc("-c", "a.c"), cc("-c", "a.c")
    assert "[ACC311]" in first.errors
    assert first == second
    assert cc("-w", "-c", "a.c").errors == ""


def test_what_only_kernels_use_is_not_called_unused(cc: Compiler) -> None:
    Path("a.c").write_text("""\
int f(int n, float *a)
{
    int i, gangs = 4;
#pragma acc parallel loop copy(a[0:n]) num_gangs(gangs)
    for (i = 0; i < n; ++i)
        a[i] = 1;
    return 0;
}
""")
    done = cc("-Wall", "-Wextra", "-Werror", "-c", "a.c")
    assert (done.status, done.errors) == (0, "")


STRICT = "-pedantic -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes -Wshadow -Wconversion -Wcast-qual"


@pytest.mark.parametrize("standard", ["c90", "c99", "gnu17"])
def test_strict_compilers_find_nothing_in_what_accache_adds(cc: Compiler, standard: str) -> None:
    declare = "" if standard == "c90" else "#pragma acc declare create(sum)\n"
    Path("a.c").write_text(
        """\
#include <stdio.h>
static float f(int n, float *a)
{
    int i, j;
    float sum = 0;
DECLARE#pragma acc parallel loop copy(a[0:n]) reduction(+:sum) private(j)
    for (i = 0; i < n; ++i)
        for (j = 0; j < 2; ++j)
            sum += a[i];
#pragma acc data copy(a[0:n])
    {
#pragma acc update self(a[0:n])
        printf("%g\\n", (double)a[0]);
    }
    return sum;
}
int main(void)
{
    float a[4];
    return f(4, a) > 1;
}
""".replace("DECLARE", declare)
    )
    done = cc(f"-std={standard}", *STRICT.split(), "-c", "a.c")
    assert (done.status, done.errors) == (0, "")


def test_flags_that_change_types_are_refused_where_kernels_are(cc: Compiler) -> None:
    Path("a.c").write_text(KERNEL)
    Path("b.c").write_text("char c;\n")
    for flag in ("-funsigned-char", "-fno-strict-overflow", "-fwrapv", "-fsingle-precision-constant"):
        assert "[ACC603]" in cc(flag, "-c", "a.c").errors
    assert cc("-funsigned-char", "-c", "b.c").status == 0


def test_pointers_of_different_types_may_meet_without_strict_aliasing(cc: Compiler) -> None:
    Path("a.c").write_text(
        """
static void f(float *a, int *p, int n)
{
#pragma acc kernels copy(a[0:n+1], p[0:n])
    for (int i = 0; i < n; i++)
        a[i + 1] = p[i] == 0x3f800000 ? 2 : a[i];
}
int main(void)
{
    static float a[301] = {5};
    f(a, (int *)a, 300);
    return a[300] != 5;
}
"""
    )
    strict, loose = (cc(flag, "-c", "a.c", "-o", "a.o") for flag in ("-fstrict-aliasing", "-fno-strict-aliasing"))
    assert (strict.status, loose.status) == (0, 0)
    assert "may overlap [ACC307]" not in strict.errors
    assert "'a' and 'p' may overlap [ACC307]" in loose.errors
    assert cc("-fno-strict-aliasing", "-w", "a.c", "-o", "prog").status == 0
    assert subprocess.run("./prog", check=False).returncode == 0


def test_directives_in_cplusplus_are_not_ignored(cc: Compiler) -> None:
    Path("a.cpp").write_text(KERNEL)
    Path("b.cpp").write_text("int b() { return 1; }\n")
    assert "[ACC102]" in cc("-c", "a.cpp").errors
    assert cc("-c", "b.cpp").status == 0


def test_only_c_files_see_the_macro_of_openacc(cc: Compiler) -> None:
    Path("a.c").write_text("#include <openacc.h>\nint a = _OPENACC >= 202211 && acc_device_nvidia;\n")
    Path("b.cpp").write_text('#ifdef _OPENACC\n#error C++\n#endif\nextern "C" int a;\nint main() { return a; }\n')
    assert cc("a.c", "b.cpp", "-o", "prog").status == 0
    assert subprocess.run("./prog", check=False).returncode == 1


def test_assembly_is_the_hosts_part_and_says_so(cc: Compiler) -> None:
    Path("a.c").write_text(KERNEL)
    done = cc("-S", "a.c")
    assert done.status == 0
    assert "[ACC604]" in done.errors
    assert "scaled:" in Path("a.s").read_text()


def test_a_syntax_check_translates_too(cc: Compiler) -> None:
    Path("a.c").write_text(KERNEL.replace("copyin", "copyinn"))
    done = cc("-fsyntax-only", "-Wall", "a.c")
    assert done.status == 1
    assert "[ACC212]" in done.errors
    Path("a.c").write_text(KERNEL.replace("static ", ""))
    done = cc("-fsyntax-only", "-Wall", "a.c")
    assert (done.status, done.errors) == (0, "")


def test_the_rest_is_the_host_compilers(cc: Compiler) -> None:
    Path("a.c").write_text("#ifdef _OPENACC\nint with;\n#endif\n#pragma acc wait\n")
    assert "int with;" in cc("-E", "a.c").output
    assert "a.o: a.c" in cc("-MM", "a.c").output
    assert cc("-dumpversion").output == subprocess.run(["cc", "-dumpversion"], capture_output=True, text=True).stdout
    assert "no input files" in cc().errors
    assert cc().status == 1
    done = cc("-c", "a.c", "b.c", "-o", "c.o")
    assert done.status == 1
    assert "cannot specify" in done.errors


def test_dependencies_are_the_users_files(cc: Compiler) -> None:
    Path("a.h").write_text("enum { N = 3 };\n")
    Path("a.c").write_text('#include "a.h"\n' + KERNEL)
    Path("out").mkdir()
    assert cc("-MMD", "-MP", "-c", "a.c", "-o", "out/a.o").status == 0
    assert Path("out/a.d").read_text() == "out/a.o: a.c a.h\na.h:\n"


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (("--accache-method=best", "a.c"), 2, "'best' is not a value of method"),
        (("-c", "a.c", "-o"), 1, "missing argument to '-o'"),
    ],
)
def test_a_wrong_command_line_ends_with_a_message(cc: Compiler, words: tuple[str, ...], status: int, text: str) -> None:
    done = cc(*words)
    assert done.status == status
    assert done.errors.startswith("accache cc: error: ")
    assert text in done.errors


def test_a_missing_host_compiler_is_a_message(cc: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACCACHE_CC", "no-such-compiler")
    Path("a.c").write_text("int a;\n")
    done = cc("-c", "a.c")
    assert done.status == 1
    assert done.errors == "accache cc: error: cannot run 'no-such-compiler': No such file or directory\n"


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main is not None
    translating = {*CHOICES, *COUNTS, *SWITCHES, "density"} - {"line", "runtime"}
    for name in (*sorted(translating), "diagnostics", "quiet", "keep", "no-cache"):
        assert f"--accache-{name.replace('_', '-')}" in HELP


def test_the_command_is_there(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "accache", "cc", "--help"], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout == HELP
