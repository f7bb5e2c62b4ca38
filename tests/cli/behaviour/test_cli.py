"""The command line against a driver that only answers: options in, files, texts and exit statuses out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

import accache
from accache.base.diagnostics import CompileError, Diagnostic, Severity
from accache.base.options import Options, command_words
from accache.base.text import Location
from accache.cli.common import ProgramCommand, options_from, split_flags, translation_options
from accache.cli.main import COMMANDS, main

WARNING = Diagnostic("ACC401", Severity.WARNING, "not cached", Location("a.c", 3, 9), 5, "use a constant length")
ERROR = Diagnostic("ACC201", Severity.ERROR, "unknown directive 'acc cash'", Location("a.c", 2, 13))


@dataclass(frozen=True)
class Report:
    kernels: tuple[str, ...]

    def __str__(self) -> str:
        return "stencil: rbi"

    def to_dict(self) -> dict[str, object]:
        return {"kernels": self.kernels}

    def short(self) -> str:
        return "a.c:7: cache(a[i:3]): rbi"


@dataclass(frozen=True)
class Translation:
    joined: str | None
    host: str
    device: str
    report: Report
    diagnostics: tuple[Diagnostic, ...]
    refusals: tuple[Diagnostic, ...] = ()
    remarks: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Execution:
    status: int = 0
    findings: tuple[Diagnostic, ...] = ()
    result: None = None
    looked_at: str = ""

    @property
    def has_errors(self) -> bool:
        return any(found.severity is Severity.ERROR for found in self.findings)

    def with_commands(self, command: object) -> Execution:
        return self


@dataclass(frozen=True)
class Comparison:
    launches: int
    kernel: str


@dataclass(frozen=True)
class Repeating:
    is_asked: bool
    threads: str


NOTHING = Repeating(False, "")


class Driver(ModuleType):
    """Stands in for accache.driver and what calls it in accache.workflows; notes how it was called."""

    PASSES = ("parse", "plan")
    CUDA_SUFFIXES = (".cu",)
    Execution = Execution
    Comparison = Comparison
    Repeating = Repeating

    def __init__(self) -> None:
        super().__init__("accache.driver")
        self.calls: list[tuple[object, ...]] = []
        self.error: CompileError | None = None
        self.joined: str | None = "joined \udcff\r\n"
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.refusals: tuple[Diagnostic, ...] = ()
        self.execution = Execution()

    def translate(self, path: str, options: Options) -> Translation:
        self.calls.append((path, options))
        if self.error:
            raise self.error
        report = Report(("stencil",))
        return Translation(self.joined, "host\n", "device\n", report, self.diagnostics, self.refusals)

    def translated_file(self, path: str, options: Options) -> Translation:
        return self.translate(path, options)

    def dump_after(self, path: str, options: Options, name: str) -> str:
        self.calls.append((path, options, name))
        return f"after {name}\n"

    def run(self, translation: Translation, options: Options, arguments: tuple[str, ...], **how: object) -> Execution:
        self.calls.append((arguments, how))
        return self.execution

    def run_cuda(self, path: str, options: Options, arguments: tuple[str, ...], **how: object) -> Execution:
        self.calls.append((path, options, arguments, how))
        return self.execution

    def run_program(self, path: Path, arguments: tuple[str, ...], **how: object) -> Execution:
        self.calls.append((str(path), arguments, how))
        return self.execution


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    for name in ("accache.workflows.tuning", "accache.workflows.bypass.translating"):
        import_module(name)  # with the driver itself, whoever is the first to need it
    fake = Driver()
    names = [f"accache.cli.{name}" for name in COMMANDS]
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "accache.driver", fake)
        patch.setitem(sys.modules, "accache.workflows.execution", fake)
        patch.setitem(sys.modules, "accache.workflows.fixes.offers", fake)
        for name in names:
            patch.delitem(sys.modules, name, raising=False)
        yield fake
        for name in names:
            sys.modules.pop(name, None)


def accache_(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="accache", catch_exceptions=False)


def options_of(driver: Driver) -> Options:
    options = driver.calls[0][1]
    assert isinstance(options, Options)
    return options


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CC", raising=False)
    return tmp_path


def test_version_and_help_name_every_command() -> None:
    assert accache_("--version").output == f"accache {accache.__version__}\n"
    assert all(name in accache_("--help").output for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    result = accache_(name, "--help")
    assert result.exit_code == 0
    assert result.output.startswith(f"Usage: accache {name} ")


@pytest.mark.parametrize("arguments", [["nonsense"], ["translate"], ["translate", "--method", "lru", "a.c"]])
def test_a_wrong_command_line_is_status_2(arguments: list[str], driver: Driver) -> None:
    assert accache_(*arguments).exit_code == 2


def test_help_is_quick_and_loads_no_heavy_library() -> None:
    program = """
import resource, sys
from accache.cli.main import main
main(["--help"], standalone_mode=False)
assert not {"sympy", "pycparser", "jinja2", "numpy", "numba", "accache.driver"} & set(sys.modules)
print(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
"""
    seconds = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        seconds.append(float(done.stdout.splitlines()[-1]))
    assert min(seconds) < 0.25


def test_defaults_of_the_command_line_are_those_of_options(driver: Driver, here: Path) -> None:
    assert accache_("translate", "a.c").exit_code == 0
    assert driver.calls == [("a.c", Options())]


def test_every_option_arrives(driver: Driver, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc -m64")
    line = (
        "explain --method rbc --write back --width sync --scope private --sharing off --tune off --auto-cache "
        "--coarsen 4x2 --wide on --trust-range --fast-math --arch sm_75 --ehc-entries 16 --ehc-ways 2 "
        "--private-line 16 --private-calls 9 --split-slices --density 1.5 "
        "--line -Iinclude -D N=3 -UN -std=gnu11 -D N a.c"
    )
    assert accache_(*line.split()).exit_code == 0
    flags = ("-Iinclude", "-DN=3", "-UN", "-std=gnu11", "-DN")
    chosen = (
        "rbc",
        "back",
        "sync",
        "private",
        False,
        "off",
        "4x2",
        "on",
        True,
        1.5,
        True,
        True,
        "sm_75",
        16,
        2,
        "16",
        9,
        True,
        True,
    )
    expected = Options(*chosen, "gcc -m64", flags)
    assert options_of(driver) == expected


@pytest.mark.parametrize("command", ["gcc 'x", " "])
def test_a_compiler_that_is_no_command_is_wrong_usage(
    command: str, driver: Driver, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = accache_("translate", "a.c", "--cpp", command)
    monkeypatch.setenv("CC", command)
    assert [(each.exit_code, "is no command" in each.stderr) for each in (given, accache_("translate", "a.c"))] == [
        (2, True),
        (2, True),
    ]
    assert accache_("doctor").exit_code == 1


def test_cpp_goes_before_the_environment(driver: Driver, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc -m64")
    assert accache_("translate", "--cpp", "clang -m32", "a.c").exit_code == 0
    assert options_of(driver).cc == "clang -m32"


def test_flags_after_two_dashes_are_the_programs() -> None:
    assert split_flags(["-Ix", "a.c", "--", "-Dy"]) == (("-Ix",), ["a.c", "--", "-Dy"])


@pytest.mark.parametrize("arguments", [["a.c", "-D"], ["--arch", "volta", "a.c"], ["--ehc-ways", "0", "a.c"]])
def test_a_bad_value_is_status_2(arguments: list[str], driver: Driver) -> None:
    assert accache_("translate", *arguments).exit_code == 2
    assert not driver.calls


def test_translate_writes_to_standard_output_byte_for_byte(driver: Driver) -> None:
    assert accache_("translate", "-").stdout_bytes == b"joined \xff\r\n"


def test_translate_writes_a_file(driver: Driver, here: Path) -> None:
    result = accache_("translate", "a.c", "-o", "out.cu")
    assert result.stdout == ""
    assert result.stderr == "a.c:7: cache(a[i:3]): rbi\n"
    assert accache_("translate", "-q", "a.c", "-o", "out.cu").output == ""
    assert (here / "out.cu").read_bytes() == b"joined \xff\r\n"


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["sub/a.c"], ["a.cu", "a.host.c"]),
        (["a.c", "-o", "x.cu"], ["x.cu", "x.host.c"]),
        (["-", "-o", "x.y"], ["x.y.cu", "x.y.host.c"]),
    ],
)
def test_split_writes_two_files(arguments: list[str], names: list[str], driver: Driver, here: Path) -> None:
    assert accache_("translate", "--split", *arguments).exit_code == 0
    assert sorted(path.name for path in here.iterdir()) == names
    assert [(here / name).read_text() for name in names] == ["device\n", "host\n"]


@pytest.mark.parametrize("arguments", [["-", "--split"], ["a.c", "--split", "-o", "-"], ["a.c", "-o", "./a.c"]])
def test_results_need_a_place_of_their_own(arguments: list[str], driver: Driver, here: Path) -> None:
    assert accache_("translate", *arguments).exit_code == 2
    assert not list(here.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "--html", "a.c", "a.c"),
        ("explain", "--html=./a.c", "a.c"),
        ("explain", "--diagnostics-file", "a.c", "a.c"),
        ("translate", "--diagnostics-file", "a.c", "a.c", "-o", "a.cu"),
        ("run", "--check", "--html", "a.c", "a.c"),
        ("model", "--html", "a.c", "a.c"),
        ("model", "--html", "a.c", "--trace", "a.c"),
        ("bypass", "--html", "a.c", "a.c"),
    ],
)
def test_no_page_and_no_message_takes_the_place_of_a_program(
    arguments: tuple[str, ...], driver: Driver, here: Path
) -> None:
    (here / "a.c").write_text("int a;\n")
    result = accache_(*arguments)
    assert result.exit_code == 2
    assert "would overwrite" in result.stderr
    assert (here / "a.c").read_text() == "int a;\n"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("translat", "a.c"), "no such command 'translat'; did you mean 'translate'?"),
        (("a.c",), "the command stands in front of the file, as in 'accache translate a.c'"),
        (("frobnicate",), "choose from translate, cc, run,"),
        (("translate", "--metod", "rbi", "a.c"), "'--method'?"),
        (("explain", "--html", "a.c"), "name the page first: --html a.html a.c"),
    ],
)
def test_wrong_usage_is_told_with_the_right_one(arguments: tuple[str, ...], wanted: str, here: Path) -> None:
    (here / "a.c").write_text("int a;\n")
    result = accache_(*arguments)
    assert result.exit_code == 2
    assert wanted in result.stderr
    assert (here / "a.c").read_text() == "int a;\n"


def test_an_error_is_status_1_and_leaves_the_old_output(driver: Driver, here: Path) -> None:
    (here / "a.c").write_text("int a;\n#pragma acc cash(a)\n")
    (here / "out.cu").write_text("old")
    driver.error = CompileError((ERROR,))
    result = accache_("translate", "a.c", "-o", "out.cu")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == (
        "a.c:2:13: error: unknown directive 'acc cash' [ACC201]\n    2 | #pragma acc cash(a)\n      |             ^\n"
    )
    assert (here / "out.cu").read_text() == "old"


def test_a_refusal_and_what_was_told_before_are_one_document(driver: Driver, here: Path) -> None:
    driver.diagnostics, driver.joined, driver.refusals = (WARNING,), None, (ERROR,)
    told = accache_("translate", "--diagnostics=json", "-o", "out.cu", "a.c").stderr
    assert [found["code"] for found in json.loads(told)] == ["ACC401", "ACC201"]
    accache_("translate", "--diagnostics=json", "--diagnostics-file=told.json", "-o", "out.cu", "a.c")
    assert (here / "told.json").read_text() == told


def test_a_program_that_cannot_be_joined_is_status_1(driver: Driver, here: Path) -> None:
    driver.joined, driver.refusals = None, (ERROR,)
    result = accache_("translate", "a.c", "-o", "out.cu")
    assert result.exit_code == 1
    assert "ACC201" in result.stderr
    assert not list(here.iterdir())
    assert accache_("translate", "a.c", "--split").exit_code == 0


def test_output_that_cannot_be_written_is_status_1(driver: Driver, here: Path) -> None:
    result = accache_("translate", "a.c", "-o", "missing/out.cu")
    assert result.exit_code == 1
    assert "missing" in result.stderr
    assert "Traceback" not in result.stderr


def test_warnings_are_told_unless_quiet(driver: Driver, here: Path) -> None:
    driver.diagnostics = (WARNING,)
    assert "warning: not cached [ACC401]" in accache_("translate", "a.c").stderr
    for flag in ("-q", "-w"):
        assert accache_("translate", flag, "a.c").stderr == ""


def test_dump_after_prints_that_pass(driver: Driver) -> None:
    assert accache_("translate", "--dump-after", "plan", "a.c").stdout == "after plan\n"
    assert accache_("translate", "--dump-after", "nap", "a.c").exit_code == 2


def test_run_takes_one_program(driver: Driver) -> None:
    result = accache_("run", "a.c", "b.c")
    assert result.exit_code == 2
    assert "run takes one FILE; if 'b.c' is an argument of the program, it stands after --" in result.stderr
    assert accache_("run", "a.c", "5").exit_code == 0
    assert accache_("run", "a.c", "--", "b.c").exit_code == 0
    assert driver.calls[-1][0] == ("b.c",)


def test_run_hands_on_what_stands_after_two_dashes(driver: Driver) -> None:
    result = accache_("run", "--seed", "7", "--check", "a.c", "--", "100", "-D3", "--help")
    assert result.exit_code == 0
    repeating = Repeating(True, "")
    how = {"target": "cpu", "check": True, "seed": 7, "comparison": None, "bound": None, "repeating": repeating}
    assert driver.calls[1] == (("100", "-D3", "--help"), how)


@pytest.mark.parametrize(
    ("options", "seed", "comparison"),
    [
        ((), 0, None),
        (("--ptx",), None, Comparison(100, "")),
        (("--ptx", "--seed", "3", "--launches", "7", "--kernel", "k"), 3, Comparison(7, "k")),
    ],
)
@pytest.mark.parametrize("file", ["a.c", "a.cu"])
def test_run_compares_with_ptx(
    file: str, options: tuple[str, ...], seed: int | None, comparison: Comparison | None, driver: Driver
) -> None:
    assert accache_("run", *options, file, "--", "x").exit_code == 0
    arguments, how = driver.calls[-1][-2:]
    assert arguments == ("x",)
    bound = {"bound": None} if file == "a.c" else {}
    assert how == {
        "target": "cpu",
        "check": False,
        "seed": seed,
        "comparison": comparison,
        "repeating": NOTHING,
        **bound,
    }
    assert (driver.calls[0][0], len(driver.calls)) == (file, 1 if file == "a.cu" else 2)


@pytest.mark.parametrize("options", [("--check",), ("--target", "cuda"), ("--launches", "0")])
def test_what_ptx_does_not_go_with(options: tuple[str, ...], driver: Driver, here: Path) -> None:
    assert accache_("run", "--ptx", *options, "a.c").exit_code == 2
    (here / "prog").write_bytes(b"\x7fELF and more")
    assert accache_("run", "--ptx", "./prog").exit_code == 2


def test_notes_about_a_run_leave_its_status(driver: Driver) -> None:
    driver.execution = Execution(5, (WARNING,))
    result = accache_("run", "--ptx", "a.c")
    assert (result.exit_code, "ACC401" in result.stderr) == (5, True)


@pytest.mark.parametrize(("status", "expected"), [(0, 0), (7, 7), (-11, 139)])
def test_run_ends_as_the_program_does(status: int, expected: int, driver: Driver) -> None:
    driver.execution = Execution(status)
    assert accache_("run", "a.c").exit_code == expected


def test_run_takes_programs_that_are_made_already(driver: Driver, here: Path) -> None:
    (here / "prog").write_bytes(b"\x7fELF and more")
    driver.execution = Execution(4)
    assert accache_("run", "--seed", "7", "./prog", "--", "100").exit_code == 4
    assert driver.calls == [("prog", ("100",), {"check": False, "seed": 7, "repeating": NOTHING})]
    assert "not made with accache cc --check" in accache_("run", "--check", "./prog").output
    (here / "prog.symbols").write_text("")
    driver.execution = Execution(0, (ERROR,))
    result = accache_("run", "--check", "./prog")
    assert result.exit_code == 3
    assert "ACC201" in result.stderr
    assert accache_("run", "--target", "cuda", "./prog").exit_code == 2


def test_a_run_that_found_nothing_says_what_was_looked_at(driver: Driver) -> None:
    driver.execution = Execution(3, (), None, "--check, 2 launches of 1 kernel")
    assert accache_("run", "--check", "a.c").stderr.endswith(
        "accache: --check, 2 launches of 1 kernel: nothing was found\n"
    )
    assert "nothing was found" not in accache_("run", "--check", "-q", "a.c").stderr
    assert "nothing was found" not in accache_("run", "--check", "--diagnostics=json", "a.c").stderr
    driver.execution = Execution(0, (ERROR,), None, "--check, 2 launches of 1 kernel")
    assert "nothing was found" not in accache_("run", "--check", "a.c").stderr


def test_findings_of_a_check_are_status_3(driver: Driver) -> None:
    driver.diagnostics = (WARNING,)
    driver.execution = Execution(0, (ERROR,))
    result = accache_("run", "--check", "--diagnostics=json", "a.c")
    assert result.exit_code == 3
    assert [found["code"] for found in json.loads(result.stderr)] == ["ACC401", "ACC201"]


def test_explain_prints_the_report(driver: Driver) -> None:
    assert accache_("explain", "a.c").stdout == "stencil: rbi\n"
    report = json.loads(accache_("explain", "--json", "a.c").stdout)
    assert report == {"kernels": ["stencil"]}


@pytest.mark.parametrize("command", ["run", "explain"])
def test_every_command_tells_what_stopped_it(command: str, driver: Driver) -> None:
    driver.error = CompileError((ERROR,))
    result = accache_(command, "a.c")
    assert result.exit_code == 1
    assert "ACC201" in result.stderr


@pytest.mark.parametrize(
    "asked",
    [
        {"method": "rbc", "write": "through", "sharing": False},
        {"auto_cache": True, "density": 3.5, "coarsen": "2x2", "arch": "sm_80", "tune": "off"},
        {"cc": "gcc -m64", "preprocessor": ("-DN=3", "-Iinclude"), "ehc_ways": 2, "private_line": "16"},
        {"trust_range": True, "fast_math": True, "wide": "on", "width": "sync", "scope": "private", "private_calls": 7},
    ],
)
def test_words_of_options_ask_for_them_again(asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    options = Options(**asked)
    found: list[Options] = []

    @click.command(cls=ProgramCommand)
    @translation_options
    def command(**values: Any) -> None:
        found.append(options_from(values)[0])

    command.main(list(command_words(options)), standalone_mode=False)
    assert found == [options]


@pytest.mark.parametrize(("forced", "count"), [("", 0), ("1", 1)])
def test_messages_have_colours_where_they_are_asked_for(
    here: Path, forced: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", forced)
    (here / "wrong.c").write_text("void f(void)\n{\n#pragma acc paralel\n    ;\n}\n")
    result = accache_("translate", "wrong.c")
    assert result.exit_code == 1
    assert result.stderr.count("\x1b[1;31merror:\x1b[0m") == count
    assert "unknown directive" in result.stderr
    assert ("\x1b" in result.stderr) == bool(count)
