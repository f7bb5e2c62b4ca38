"""``run --compare``: where a program is another than the sequential one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from accache.base.diagnostics import Diagnostic
from accache.base.options import Options
from accache.cli.main import main
from accache.cpu.build import Program
from accache.driver import Translation, translate
from accache.library.running import run
from accache.workflows.building import build_translation
from accache.workflows.comparison import run_beside

SOURCE = Path(__file__).with_name("compared.c")
pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")

Compare = Callable[..., tuple[Diagnostic, ...]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Translation, Program]:
    options = Options()
    translation = translate(str(SOURCE), options)
    assert translation.sequentially is not None
    folder = tmp_path_factory.mktemp("compared")
    built = build_translation(translation, options, folder, sequential=translation.sequentially().host)
    return translation, built.program


@pytest.fixture
def compare(built: tuple[Translation, Program]) -> Compare:
    def run_way(way: int, bound: float = 0.0, stdin: str = "") -> tuple[Diagnostic, ...]:
        translation, program = built
        assert translation.sequentially is not None
        sequential = translation.sequentially()
        result, found = run_beside(
            program, sequential, bound, [str(way)], seed=0, capture=True, stdin=stdin, timeout=60
        )
        assert result.stdout, "the program's own output is kept"
        return found

    return run_way


def test_equal_programs_are_equal(compare: Compare) -> None:
    assert compare(0) == ()


def test_both_read_the_same_input(compare: Compare) -> None:
    assert compare(0, stdin="xyzxyz") == ()


def test_a_sum_of_floating_point_numbers_is_compared_within_a_bound(compare: Compare) -> None:
    (found,) = compare(1)
    assert (found.code, found.location and found.location.line) == ("ACC702", 28)
    assert found.message.startswith("'sum' is 12.")
    assert compare(1, bound=1e-4) == ()


def test_the_result_of_a_reduction_is_compared_exactly(compare: Compare) -> None:
    (found,) = compare(6, bound=0.5)
    assert found.message.startswith("'bits' is 4, and 1 in the sequential program")


def test_a_member_is_named_and_padding_is_not_compared(compare: Compare) -> None:
    (found,) = compare(2)
    assert found.message.startswith("'points[1].at[1]' is 6, and 2 in the sequential program")


def test_the_construct_is_named_since_which_they_differ(compare: Compare) -> None:
    (found,) = compare(3)
    assert found.location is not None
    assert found.location.line == 37  # the data construct that brings it to the host
    assert found.message == (
        "'grid[2][5]' is 4, and 3 in the sequential program (2 of 48 elements differ), "
        f"since the construct at {SOURCE}:43"
    )


def test_programs_that_end_at_one_statement_of_the_host_are_equal(compare: Compare) -> None:
    assert compare(7) == ()


def test_the_exit_status_is_compared(compare: Compare) -> None:
    (found,) = compare(4)
    assert found.code == "ACC704"
    assert found.message == "the program ends with status 5, and the sequential one with status 63"


def test_another_way_through_the_program_is_told(compare: Compare) -> None:
    (found,) = compare(5)
    assert found.code == "ACC703"
    assert found.message.startswith("the host gets nothing more from the device, and in the sequential program 'row'")


def test_wrong_usage() -> None:
    for arguments in (["--ptx"], ["--target", "cuda"]):
        done = CliRunner().invoke(main, ["run", str(SOURCE), "--compare", *arguments])
        assert done.exit_code == 2
        assert "--compare runs the program on this CPU" in done.output
    assert "--bound is for --compare" in CliRunner().invoke(main, ["run", str(SOURCE), "--bound", "0.1"]).output
    assert "no sequential meaning" in CliRunner().invoke(main, ["run", "x.cu", "--compare"]).output


def test_the_library_compares_and_the_command_ends_with_3(tmp_path: Path) -> None:
    source = tmp_path / "twice.c"
    source.write_text("int main(void)\n{\n    int x = 1;\n#pragma acc parallel num_gangs(2) copy(x)\n    x *= 3;\n}\n")
    found = run(source, check=False, compare=True)
    assert [item.message for item in found.differences] == [
        f"'x' is 9, and 3 in the sequential program, since the construct at {source}:4"
    ]
    assert not found.passed
    done = CliRunner().invoke(main, ["run", "--compare", str(source)])
    assert done.exit_code == 3
    assert "error: 'x' is 9, and 3 in the sequential program" in done.output


def test_a_pointer_of_a_structure_is_not_compared(tmp_path: Path) -> None:
    source = tmp_path / "member.c"
    source.write_text(
        "#include <stdlib.h>\nstruct s { double *p; };\nint main(void)\n{\n    struct s s = {calloc(1, 8)};\n"
        "#pragma acc parallel loop copy(s, s.p[0:1])\n    for (int i = 0; i < 1; i++)\n        s.p[i] = 2;\n}\n"
    )
    assert run(source, check=False, compare=True).differences == ()


def test_a_number_that_nobody_reads_behind_is_neither_copied_back_nor_compared(tmp_path: Path) -> None:
    """The second kernel's iterations have a ``last`` of their own: what the first one leaves would come back."""
    source = tmp_path / "last.c"
    source.write_text(
        "int a[64], b[64];\nint main(void)\n{\n    int last = 0, count = 0;\n#pragma acc kernels\n    {\n"
        "        last = 1;\n        count = 2;\n        for (int i = 0; i < 64; ++i)\n            a[i] = last + i;\n"
        "        for (int i = 0; i < 64; ++i) {\n            last = 2 * i;\n            b[i] = last;\n        }\n"
        "    }\n    return count != 2;\n}\n"
    )
    emitted = translate(str(source), Options()).device
    assert 'accache_map(ACCACHE_COPYIN, last, sizeof *last, "last", sizeof *last)' in emitted
    assert 'accache_map(ACCACHE_COPY, count, sizeof *count, "count", sizeof *count)' in emitted
    found = run(source, compare=True)
    assert found.differences == ()
    assert found.passed
