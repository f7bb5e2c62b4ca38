"""--tune measure: the quickest form of each kernel by a timer, kept in a file, and used by every later translation."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from families import some

from accache.base.diagnostics import CompileError
from accache.base.options import Options
from accache.base.tuning import read_tuning, tuning_path, write_tuning
from accache.cc.settings import UsageError, read_settings
from accache.cc.words import read_words
from accache.cli import run as run_command
from accache.cli.main import main
from accache.driver import Translation, translate
from accache.report.records import KernelReport
from accache.workflows.tuning import time_of, tune, worth_measuring

ROOT = Path(__file__).parents[2]
MEASURE = Options(tune="measure")


def accache_(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


class FakeGpu:
    """A timer on which a form takes the milliseconds that a test says, and all others 5; it notes the forms it saw."""

    def __init__(self, **milliseconds: float) -> None:
        self.milliseconds = milliseconds
        self.seen: list[dict[str, str]] = []

    def __call__(self, translation: Translation, options: Options, arguments: Sequence[str]) -> Mapping[str, float]:
        emitted = {kernel.name: emitted_form(kernel) for kernel in translation.report.kernels}
        self.seen.append(emitted)
        return {f"_Z{len(name)}{name}iPKf": self.milliseconds.get(form, 5.0) for name, form in emitted.items()}


def emitted_form(kernel: KernelReport) -> str:
    return next((item.name for item in kernel.candidates if item.chosen), "")


@pytest.fixture
def program(tmp_path: Path) -> str:
    return str(shutil.copy(ROOT / "samples" / "stencil.c", tmp_path / "stencil.c"))


def tuned(program: str, **milliseconds: float) -> FakeGpu:
    gpu = FakeGpu(**milliseconds)
    write_tuning(program, tune(program, MEASURE, (), "a GPU", timer=gpu))
    return gpu


@pytest.mark.parametrize("form", some(["plain", "2", "tiles a[i-RADIUS:2*RADIUS+1] in 256x1x1"], 2))
def test_the_quickest_form_is_kept_and_emitted(form: str, program: str) -> None:
    (kernel,) = translate(program, Options()).report.kernels
    assert emitted_form(kernel) == "4"
    gpu = tuned(program, **{form: 1.0})
    assert [forms[kernel.name] for forms in gpu.seen] == list(worth_measuring(kernel))
    found = translate(program, MEASURE)
    assert emitted_form(found.report.kernels[0]) == form
    assert found.device == translate(program, Options(choices=((kernel.name, form),))).device
    assert found.device != translate(program, Options()).device


def test_a_form_with_a_tile_is_emitted_with_its_tile_alone(tmp_path: Path) -> None:
    gemm = str(shutil.copy(ROOT / "samples" / "gemm.c", tmp_path / "gemm.c"))
    name = "gemm_L24_kernel"
    form = "tiles a[i:1][l:TILE] in 16x16x1"
    (kernel,) = translate(gemm, Options(choices=((name, form),))).report.kernels
    assert emitted_form(kernel) == form
    assert [item.method for item in kernel.subarrays] == ["rbi", "none"]


def test_of_equal_forms_the_estimated_one_stays(program: str) -> None:
    tuned(program)
    assert translate(program, MEASURE).device == translate(program, Options()).device


def test_the_file_is_for_people_and_for_version_control(program: str) -> None:
    tuned(program, plain=1.5)
    path = tuning_path(program)
    assert path.name == "stencil.tune.json"
    kept = json.loads(path.read_text())
    assert (kept["version"], kept["gpu"], kept["arch"]) == (1, "a GPU", "sm_90")
    assert kept["kernels"]["stencil_L25_kernel"]["form"] == "plain"
    assert kept["kernels"]["stencil_L25_kernel"]["milliseconds"]["4"] == 5.0
    assert path.read_text().count("\n") > 8


@pytest.mark.parametrize(
    ("text", "code"),
    [(None, "ACC430"), ("{", "ACC431"), ('{"version": 2, "gpu": "", "arch": "", "kernels": {}}', "ACC431")],
)
def test_without_measurements_it_is_refused(text: str | None, code: str, program: str) -> None:
    if text is not None:
        tuning_path(program).write_text(text)
    with pytest.raises(CompileError) as error:
        translate(program, MEASURE)
    assert [item.code for item in error.value.diagnostics] == [code]


def test_a_kernel_that_was_not_measured_is_named(program: str) -> None:
    tuned(program)
    Path(program).write_text("\n" + Path(program).read_text())
    with pytest.raises(CompileError, match="kernel 'stencil_L26_kernel' was measured") as error:
        translate(program, MEASURE)
    assert "ACC430" in [item.code for item in error.value.diagnostics]


def test_a_form_that_is_gone_is_told_and_the_estimate_decides(program: str) -> None:
    tuned(program, plain=1)
    path = tuning_path(program)
    path.write_text(path.read_text().replace('"form": "plain"', '"form": "16x16"'))
    found = translate(program, MEASURE)
    assert [item.code for item in found.diagnostics if item.code == "ACC432"] == ["ACC432"]
    assert emitted_form(found.report.kernels[0]) == "4"


def test_a_kernel_without_launches_has_no_measurement(program: str) -> None:
    with pytest.raises(CompileError, match="was not launched"):
        tune(program, MEASURE, (), "a GPU", timer=lambda *_: {})


def test_launches_are_of_one_kernel_in_all_its_versions() -> None:
    times = {"_Z5k_L3_f": 1.0, "_Z9k_L3_singlef": 2.0, "_Z6k_L3_2f": 4.0, "_Z6xk_L3_f": 8.0}
    assert time_of("k_L3", times) == 3.0
    assert time_of("k_L4", times) is None


def test_without_a_gpu_it_says_what_to_do(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr("accache.workflows.tuning.shutil.which", lambda _: None)
    refused = accache_("run", "--target", "cuda", "--tune", "measure", program)
    assert (refused.exit_code, "[ACC608]" in refused.stderr, "commit the file" in refused.stderr) == (1, True, True)
    assert not tuning_path(program).exists()


def test_the_command_measures_once(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = FakeGpu(plain=1.0)
    monkeypatch.setattr(run_command, "gpu_name", lambda: "a GPU")
    monkeypatch.setattr(run_command, "time_on_gpu", gpu)
    monkeypatch.setattr("accache.workflows.execution.build_and_run", lambda *_, **__: 0)
    first = accache_("run", "--target", "cuda", "--tune", "measure", program)
    assert (first.exit_code, "stencil_L25_kernel: plain" in first.stderr) == (0, True)
    runs = len(gpu.seen)
    assert accache_("run", "--target", "cuda", "--tune", "measure", program).exit_code == 0
    assert len(gpu.seen) == runs
    assert read_tuning(program).kernels["stencil_L25_kernel"].form == "plain"


def test_cc_knows_no_whole_programs() -> None:
    with pytest.raises(UsageError, match="--accache-tune=measure"):
        read_settings(read_words(["--accache-tune=measure"]), {})
