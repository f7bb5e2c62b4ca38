"""Objects, libraries and programs, made as build systems make them with gcc."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from calls import KERNEL, Compiler, run

from accache.workflows.execution import run_program

MAIN = """\
#include <stdio.h>
int first(void), second(void), plain(int);
int main(void)
{
    printf("%d %d %d\\n", first(), second(), plain(1));
    return 0;
}
"""
PLAIN = "int plain(int i) { return i + 40; }\n"


def user(name: str, factor: int) -> str:
    """A file whose function ``name`` launches the kernel that every other file has under the same names."""
    return (
        KERNEL + f"int {name}(void)\n{{\n    int a[] = {{1, 2, 3}}, b[3];\n    return scaled(a, b, 3, {factor});\n}}\n"
    )


@pytest.fixture
def sources(cc: Compiler) -> None:
    """Two files with kernels, one of plain C, and the main program."""
    for name, text in (("first", user("first", 2)), ("second", user("second", 5)), ("plain", PLAIN), ("main", MAIN)):
        Path(f"{name}.c").write_text(text)


def test_objects_link_in_any_order_with_those_of_gcc(cc: Compiler, sources: None) -> None:
    assert cc("-O1", "-c", "first.c").status == 0
    assert cc("-c", "second.c", "-o", "other.o").status == 0
    subprocess.run(["gcc", "-c", "plain.c", "main.c"], check=True)
    for order in ("first.o other.o plain.o main.o", "main.o plain.o other.o first.o"):
        assert cc(*order.split(), "-o", "prog").status == 0
        assert run("./prog") == "6 15 41\n"


def test_sources_objects_archives_and_languages_in_one_call(cc: Compiler, sources: None) -> None:
    Path("second.txt").write_text(Path("second.c").read_text())
    assert cc("-c", "first.c", "plain.c").status == 0
    subprocess.run(["ar", "rc", "libboth.a", "first.o", "plain.o"], check=True)
    assert cc("main.c", "-x", "c", "second.txt", "-x", "none", "-L.", "-lboth", "-o", "prog").status == 0
    assert run("./prog") == "6 15 41\n"


@pytest.mark.nvcc
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
def test_kernels_for_a_gpu_link_from_objects_and_archives(cc: Compiler, sources: None) -> None:
    assert cc("--target=cuda", "-fPIC", "-O2", "-c", "first.c", "plain.c").status == 0
    assert cc("--target=cuda", "-g", "-arch=sm_90", "-c", "second.c").status == 0
    subprocess.run(["ar", "rc", "libsecond.a", "second.o"], check=True)
    done = cc("--target=cuda", "-arch=sm_90", "main.c", "first.o", "plain.o", "-L.", "-lsecond", "-lm", "-o", "prog")
    assert (done.status, done.errors) == (0, "")
    ran = subprocess.run("./prog", capture_output=True, text=True, check=False)
    assert ran.stdout == "6 15 41\n" or "no CUDA device found" in ran.stderr


def test_shared_libraries_have_kernels_and_share_one_present_table(cc: Compiler, sources: None) -> None:
    assert cc("-fPIC", "-c", "first.c", "plain.c").status == 0
    assert cc("-shared", "first.o", "plain.o", "-o", "libfirst.so").status == 0
    assert cc("main.c", "second.c", "-L.", "-lfirst", "-Wl,-rpath,$ORIGIN", "-o", "prog").status == 0
    assert run("./prog") == "6 15 41\n"


def test_a_library_serves_programs_that_know_nothing_of_accache(cc: Compiler, sources: None) -> None:
    assert cc("-fPIC", "-shared", "-pthread", "first.c", "second.c", "plain.c", "-o", "libboth.so").status == 0
    subprocess.run(["gcc", "main.c", "-L.", "-lboth", "-Wl,-rpath,$ORIGIN", "-o", "prog"], check=True)
    assert run("./prog") == "6 15 41\n"


def test_kernels_see_shared_memory_that_nobody_wrote_as_nan(cc: Compiler) -> None:
    """The scheduler finds the shared variables of every object, and leaves the host's thread-local ones alone."""
    Path("a.c").write_text("""\
#include <stdio.h>
static _Thread_local int mine = 7, zero;
int main(void)
{
    int out[64];
#pragma acc parallel loop gang num_gangs(2) vector_length(32) copyout(out)
    for (int g = 0; g < 2; ++g) {
        int tile[32];
#pragma acc cache(tile)
#pragma acc loop vector
        for (int i = 0; i < 32; i += 2)
            tile[i] = i;
#pragma acc loop vector
        for (int i = 0; i < 32; ++i)
            out[32*g + i] = tile[i];
    }
    printf("%d %d %d %d %d\\n", out[30], out[31], out[63], mine, zero);
    return 0;
}
""")
    assert cc("a.c", "-o", "prog").status == 0
    assert run("./prog") == "30 -1 -1 7 0\n"


def test_programs_of_several_files_can_be_checked(cc: Compiler, capfd: pytest.CaptureFixture[str]) -> None:
    shared, race = (
        """\
static _Thread_local int mine = 7;
void other(float *, int);
int main(void)
{
    float a[64];
    int out[64];
#pragma acc parallel loop gang num_gangs(2) vector_length(32) copyout(out)
    for (int g = 0; g < 2; ++g) {
        int tile[32];
#pragma acc loop vector
        for (int i = 0; i < 32; i += 2)
            tile[i] = i;
#pragma acc loop vector
        for (int i = 0; i < 32; ++i)
            out[32*g + i] = tile[i] + 1;
    }
    other(a, 64);
    return mine;
}
""",
        """\
void other(float *a, int n)
{
#pragma acc parallel loop independent copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i/2] = i;
}
""",
    )
    Path("shared.c").write_text(shared)
    Path("race.c").write_text(race)
    assert cc("--check", "-c", "race.c").status == 0
    assert cc("--check", "shared.c", "race.o", "-o", "prog").status == 0
    execution = run_program(Path("prog"), (), check=True, seed=3)
    found = [(str(item.location), item.message.partition(" in ")[0]) for item in execution.findings]
    assert (execution.status, found) == (7, [("shared.c:15", "uninitialised"), ("race.c:5", "race")])
    assert cc("--check", "-shared", "race.o", "-o", "librace.so").status == 2


def test_standard_input_is_a_file(cc: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("in.c").write_text(user("main", 4))
    with Path("in.c").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        done = cc("-x", "c", "-", "-o", "prog")
    assert done.status == 0, done.errors
    assert subprocess.run("./prog", check=False).returncode == 12


def test_preprocessed_files_are_translated(cc: Compiler) -> None:
    Path("a.c").write_text("#include <stddef.h>\n" + user("main", 4))
    assert cc("-E", "a.c", "-o", "a.i").status == 0
    assert cc("a.i", "-o", "prog").status == 0
    assert subprocess.run("./prog", check=False).returncode == 12


def test_response_files_reach_the_host_compiler(cc: Compiler, sources: None) -> None:
    assert cc("-c", "plain.c").status == 0
    subprocess.run(["ar", "rc", "libplain.a", "plain.o"], check=True)
    Path("words").write_text("main.c first.c 'second.c'\n-o prog " + " ./libplain.a" * 15_000)
    assert cc("@words").status == 0
    assert run("./prog") == "6 15 41\n"


def test_macros_and_folders_reach_kernels(cc: Compiler) -> None:
    Path("inc").mkdir()
    Path("inc/size.h").write_text("enum { SIZE = 5 };\n")
    Path("src").mkdir()
    Path("src/own.h").write_text("#define SCALE 3\n")
    text = KERNEL.replace("{\n#pragma", '#include "own.h"\n{\n#pragma', 1).replace("factor*", "SCALE*OF*")
    main = "int main(void) { int a[SIZE] = {0, 0, 0, 0, 1}, b[SIZE]; return scaled(a, b, SIZE, 0); }\n"
    Path("src/a.c").write_text(text + main)
    done = cc("-Iinc", "-include", "size.h", "-DOF=7", "src/a.c", "-o", "prog")
    assert done.status == 0, done.errors
    assert subprocess.run("./prog", check=False).returncode == 21


def test_files_without_directives_call_the_runtime(cc: Compiler) -> None:
    Path("plain.c").write_text("""\
#include <openacc.h>
int present(void *host) { return acc_is_present(host, 4) ? 100 : 0; }
""")
    Path("main.c").write_text("""\
#include <openacc.h>
#include <stdio.h>
int present(void *);
int main(void)
{
    float a[4] = {1}, b[4], c;
    acc_copyin(a, sizeof a);
#pragma acc enter data create(b)
    printf("%d %d %d\\n", present(a), present(b), present(&c));
    return 0;
}
""")
    Path("host.c").write_text(
        "#include <openacc.h>\nint main(void) { return acc_get_num_devices(acc_device_default) - 1; }\n"
    )
    assert cc("plain.c", "main.c", "-o", "prog").status == 0
    assert run("./prog") == "100 100 0\n"
    assert cc("host.c", "-o", "host").status == 0
    assert run("./host") == ""


def test_headers_with_kernels_serve_several_files(cc: Compiler) -> None:
    Path("inc").mkdir()
    Path("inc/kernel.h").write_text("#pragma once\n" + KERNEL.replace("factor*", "__LINE__*factor*"))
    for name, factor in (("first", 1), ("second", 2)):
        Path(f"{name}.c").write_text('#include "kernel.h"\n' + user(name, factor).removeprefix(KERNEL))
    Path("main.c").write_text(MAIN)
    Path("plain.c").write_text(PLAIN)
    done = cc("-Wall", "-Iinc", "first.c", "second.c", "main.c", "plain.c", "-o", "prog")
    assert (done.status, done.errors) == (0, "")
    assert run("./prog") == "21 42 41\n"


def test_a_translated_object_is_whole_with_debug_information_and_without_our_paths(
    cc: Compiler, tmp_path: Path
) -> None:
    Path("a.c").write_text(user("first", 2))
    assert cc("-g", "-c", "a.c").status == 0
    assert str(tmp_path / "temporary").encode() not in Path("a.o").read_bytes()
    names = run("readelf", "--debug-dump=info", "a.o")
    assert "a.c" in names


def test_compiling_twice_gives_the_same_bytes(cc: Compiler) -> None:
    Path("a.c").write_text(user("first", 2))
    assert cc("-g", "-c", "a.c", "-o", "one.o").status == 0
    assert cc("-g", "-c", "a.c", "-o", "two.o", "--accache-no-cache").status == 0
    assert Path("one.o").read_bytes() == Path("two.o").read_bytes()


def test_relocatable_links_get_no_runtime(cc: Compiler, sources: None) -> None:
    assert cc("-c", "first.c", "second.c").status == 0
    assert cc("-r", "first.o", "second.o", "-o", "both.o").status == 0
    assert cc("main.c", "plain.c", "both.o", "-o", "prog").status == 0
    assert run("./prog") == "6 15 41\n"


def test_an_object_can_go_to_a_device_file(cc: Compiler) -> None:
    Path("a.c").write_text(user("first", 2))
    assert cc("-c", "a.c", "-o", "/dev/null").status == 0
    assert not Path("/dev/null").is_file()


def test_the_pair_can_be_kept(cc: Compiler) -> None:
    Path("a.c").write_text(user("first", 2))
    assert cc("-c", "a.c", "-o", "b.o", "--accache-keep").status == 0
    assert "__global__" in Path("b.cu").read_text()
    assert "#pragma acc" not in Path("b.host.c").read_text()


def test_files_for_coverage_stand_beside_the_object(cc: Compiler) -> None:
    Path("out").mkdir()
    Path("a.c").write_text(user("main", 2))
    assert cc("--coverage", "-c", "a.c", "-o", "out/a.o").status == 0
    assert cc("--coverage", "out/a.o", "-o", "prog").status == 0
    subprocess.run("./prog", check=False)
    assert sorted(path.name for path in Path("out").iterdir()) == ["a.gcda", "a.gcno", "a.o"]


def test_files_for_coverage_are_called_as_gcc_calls_them_where_it_links(cc: Compiler, sources: None) -> None:
    files = ("first.c", "second.c", "plain.c", "main.c")
    assert cc("--coverage", *files, "-o", "prog").status == 0
    assert sorted(path.name for path in Path().glob("*.gcno")) == sorted(
        f"prog-{Path(file).stem}.gcno" for file in files
    )
    assert run("./prog") == "6 15 41\n"
    assert len(list(Path().glob("prog-*.gcda"))) == len(files)


def test_a_link_without_accache_names_the_remedy(cc: Compiler, sources: None) -> None:
    assert cc("-c", *(f"{name}.c" for name in ("first", "second", "plain", "main"))).status == 0
    objects = [f"{name}.o" for name in ("first", "second", "plain", "main")]
    done = subprocess.run(["gcc", *objects, "-o", "prog"], capture_output=True, text=True, check=False)
    assert "link_this_program_with_accache_cc" in done.stderr.splitlines()[-2]
    symbols = subprocess.run(["nm", "plain.o"], capture_output=True, text=True, check=True).stdout
    assert "link_this" not in symbols  # it has no kernels


def test_a_compiler_that_is_a_script_around_accache_is_not_called_for_ever(
    cc: Compiler, sources: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Path("wrapper").absolute()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m accache cc "$@"\n')
    script.chmod(0o755)
    for name in ("CC", "ACCACHE_CC"):
        monkeypatch.setenv(name, str(script))
        assert cc("-c", "first.c", "-o", f"{name}.o").status == 0
        monkeypatch.delenv(name)
    folder = Path("bin")
    folder.mkdir()
    (folder / "cc").symlink_to(script)
    monkeypatch.setenv("PATH", f"{folder.absolute()}:{os.environ['PATH']}")
    monkeypatch.setenv("CC", str(script))
    done = cc("-c", "second.c")
    assert done.status != 0
    assert "is accache again: name another one in ACCACHE_CC" in done.errors


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other machines have no large section")
def test_tools_may_speak_the_users_language(cc: Compiler, sources: None, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, tool = Path("bin"), shutil.which("readelf")
    folder.mkdir()
    readelf = folder / "readelf"
    readelf.write_text(f"""#!/bin/sh
[ "$LC_ALL" = C ] && exec {tool} "$@"
{tool} "$@" | sed 's/^File:/Datei:/'
""")
    readelf.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder.absolute()}:{os.environ['PATH']}")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    done = cc("--accache-no-cache", "-c", "first.c")
    assert done.status == 0, done.errors


def test_large_common_symbols_keep_their_memory(cc: Compiler) -> None:
    declared = "double a[200000];\n"
    fill = "#pragma acc parallel loop copyout(a)\n    for (int i = 0; i < 200000; ++i)\n        a[i] = i;\n"
    Path("fill.c").write_text(f"{declared}void fill(void)\n{{\n{fill}}}\n")
    Path("main.c").write_text(
        f'#include <stdio.h>\n{declared}void fill(void);\nint main(void) {{ fill(); printf("%g\\n", a[199999]); }}\n'
    )
    assert cc("-fcommon", "-mcmodel=medium", "fill.c", "main.c", "-o", "prog").status == 0
    assert run("./prog") == "199999\n"
