"""gcc's command line: what is a file, what is an option, and whose it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.cc.command import Command, host_words, is_c
from accache.cc.settings import Settings, UsageError, host_compiler, read_settings
from accache.cc.words import Role, expand, read_words, response_line, split_response


def command(*words: str) -> Command:
    return Command(read_words(list(words)))


@pytest.mark.parametrize(
    ("words", "stage"),
    [
        (["a.c"], "link"),
        (["-c", "a.c"], "compile"),
        (["a.c", "-S", "-c"], "assemble"),
        (["-c", "-E", "a.c"], "preprocess"),
        (["-MM", "a.c"], "preprocess"),
        (["-MMD", "-c", "a.c"], "compile"),
        (["-fsyntax-only", "-c", "a.c"], "check"),
    ],
)
def test_the_least_of_what_is_asked_for_counts(words: list[str], stage: str) -> None:
    assert command(*words).stage == stage


def test_arguments_of_options_are_no_files() -> None:
    words = "-I inc -D N=1 -include a.h -L lib -l m -Xlinker -z -MF a.d -T x.ld -o out --param max=3 -u main -z now a.c"
    found = command(*words.split())
    assert [word.value for word in found.inputs] == ["a.c"]
    assert found.output == "out"
    assert found.compile_flags == ("-I", "inc", "-D", "N=1", "-include", "a.h", "--param", "max=3")


def test_options_that_look_alike() -> None:
    found = command(
        "-lm", "-Ldir", "-oout", "-xc", "-else", "-update", "-Texas", "-Wl,-z,now", "-Wp,-DX", "-static-pie"
    )
    roles = {word.texts[0]: word.role for word in found.words}
    assert roles["-lm"] is roles["-Ldir"] is roles["-Wl,-z,now"] is roles["-static-pie"] is Role.LINK
    assert roles["-oout"] is Role.OUTPUT
    assert roles["-xc"] is Role.LANGUAGE
    assert roles["-else"] is roles["-update"] is roles["-Wp,-DX"] is Role.COMPILE
    assert found.output == "out"


def test_a_language_holds_until_the_next() -> None:
    found = command("-x", "c", "a.txt", "-x", "none", "b.c", "c.cpp", "-xassembler", "d.txt", "e.o")
    assert [word.value for word in found.inputs if is_c(word)] == ["a.txt", "b.c"]
    assert host_words(found.words) == [
        "-x", "c", "a.txt", "-x", "none", "b.c", "c.cpp", "-x", "assembler", "d.txt", "e.o",
    ]  # fmt: skip


def test_own_words_and_gccs_openacc_do_not_reach_the_host_compiler() -> None:
    words = (
        "-fopenacc -fopenacc-dim=1:2 -foffload=nvptx-none --target=cuda --target cpu -arch=sm_80 -arch sm_90 --check"
    )
    found = command(*words.split(), "--accache-method=rbi", "-fopenmp", "a.c")
    assert host_words(found.words) == ["-fopenmp", "a.c"]
    assert found.compile_flags == ("-fopenmp",)


def test_the_target_of_another_compiler_is_not_ours() -> None:
    assert host_words(command("--target=x86_64-linux-gnu", "a.c").words) == ["--target=x86_64-linux-gnu", "a.c"]
    assert host_words(command("--target", "x86_64", "a.c").words) == ["--target", "x86_64", "a.c"]


@pytest.mark.parametrize(
    ("words", "result"),
    [
        ("-MD -c a.c", (("-MD", "-MQ", "a.o"), "a.d")),
        ("-MMD -MP -c a.c -o out/b.o", (("-MMD", "-MP", "-MQ", "out/b.o"), "out/b.d")),
        ("-MD -MF x.dep -MT target -c a.c", (("-MD", "-MT", "target"), "x.dep")),
        ("-Wp,-MD,x.dep -c a.c", (("-MD", "-MQ", "a.o"), "x.dep")),
        ("-MD a.c", (("-MD", "-MQ", "a.o"), "a-a.d")),
        ("-MD a.c -o prog", (("-MD", "-MQ", "prog"), "prog.d")),
        ("-MD a.c b.c -o prog", (("-MD", "-MQ", "a.o"), "prog-a.d")),
        ("-c a.c", ((), "")),
    ],
)
def test_the_dependency_file_is_where_gcc_puts_it(words: str, result: tuple[tuple[str, ...], str]) -> None:
    found = command(*words.split())
    assert found.dependencies(found.inputs[0]) == result


def test_response_files_hold_words_and_other_response_files(tmp_path: Path) -> None:
    (tmp_path / "inner").write_text("-DTEXT='a \"b\"'\n  -I\\ dir")
    (tmp_path / "outer").write_text(f'-c "@{tmp_path}/inner" a.c')
    assert expand([f"@{tmp_path}/outer", "@missing"]) == ["-c", '-DTEXT=a "b"', "-I dir", "a.c", "@missing"]


def test_a_response_file_may_not_hold_itself(tmp_path: Path) -> None:
    (tmp_path / "loop").write_text(f"@{tmp_path}/loop")
    with pytest.raises(ValueError, match="too many"):
        expand([f"@{tmp_path}/loop"])


def test_any_words_survive_a_response_file() -> None:
    words = ['-DA="x y"', "it's", "back\\slash", "", "tab\there", "new\nline"]
    assert split_response(response_line(words)) == words


def test_settings_come_from_options_and_the_environment() -> None:
    switches = ("--accache-trust-range", "--accache-auto-cache", "--accache-density=1.5", "--accache-fast-math", "-w")
    words = read_words(["--accache-method=rbc", "--accache-sharing=off", "-arch=sm_80", *switches])
    found = read_settings(words, {"ACCACHE_TARGET": "cuda", "CC": "gcc -m64", "ACCACHE_NO_CACHE": "1"})
    assert (found.target, found.compiler, found.arch, found.cache, found.quiet) == (
        "cuda", ("gcc", "-m64"), "sm_80", False, True,
    )  # fmt: skip
    options = found.options
    assert (options.method, options.sharing, options.arch, options.trust_range) == ("rbc", False, "sm_80", True)
    assert (options.auto_cache, options.density, options.fast_math) == (True, 1.5, True)
    assert options.line


def test_the_planner_does_not_hear_of_architectures_it_cannot_know() -> None:
    found = read_settings(read_words(["-arch=native"]), {})
    assert (found.arch, found.options.arch) == ("native", Settings().options.arch)


@pytest.mark.parametrize(
    "word",
    [
        "--accache-methods=rbi",
        "--accache-method=x",
        "--accache-keep=1",
        "--accache-ehc-ways=0",
        "--accache-density=two",
    ],
)
def test_a_wrong_option_of_accache_is_an_error(word: str) -> None:
    with pytest.raises(UsageError, match=r"unknown option|is not a value"):
        read_settings(read_words([word]), {})


def test_accache_never_calls_itself() -> None:
    assert host_compiler({"CC": "ccache /opt/bin/accache-cc"}) == ("cc",)
    assert host_compiler({"CC": "accache cc", "ACCACHE_CC": "clang"}) == ("clang",)
    with pytest.raises(UsageError, match="itself"):
        host_compiler({"ACCACHE_CC": "accache-cc"})
