"""``accache suggest`` on programs: what it finds, what it leaves alone and why, and what it says of bad input."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from asking_program import ASKING
from commands import accache
from families import some

from accache import schema
from accache.workflows.suggest import kernels
from accache.workflows.suggest.records import RULES

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLES = ROOT / "samples"
NAIVE = SAMPLES / "cuda" / "naive"
SCHEMA = schema("suggest")
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")


def run(*words: object, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = None if path is None else {"PATH": path}
    return accache("suggest", *words, folder=ROOT, environment=environment)


def records(program: Path, *words: object) -> dict[str, dict[str, Any]]:
    """The arrays of each kernel, both by name."""
    done = run(program, "--json", "-q", *words)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    jsonschema.validate(record, SCHEMA)
    return {kernel["name"]: {array["name"]: array for array in kernel["arrays"]} for kernel in record["kernels"]}


def found(program: Path, *words: object) -> dict[str, Any]:
    """The arrays of the only kernel, by name."""
    (arrays,) = records(program, *words).values()
    return arrays


def without_directives(name: str, folder: Path) -> Path:
    """A sample without its cache directives."""
    lines = (SAMPLES / f"{name}.c").read_text().splitlines(keepends=True)
    path = folder / f"{name}.c"
    path.write_text("".join(line for line in lines if "#pragma acc cache" not in line))
    return path


def copied(arrays: dict[str, Any]) -> set[str]:
    return {name for name, array in arrays.items() if array["decision"] == "copy"}


@needs_nvcc
@pytest.mark.parametrize(
    ("name", "expected"),
    some([("lookup", set()), ("stencil", {"a"}), ("gemm", {"a", "b"}), ("strided", {"a"})], 3),
)
def test_samples_without_directives_on_a_gpu_without_l1(name: str, expected: set[str], tmp_path: Path) -> None:
    assert copied(found(without_directives(name, tmp_path), "--gpu", "kepler")) == expected


@needs_nvcc
def test_both_factors_of_a_product_have_the_density_of_their_tiles() -> None:
    (arrays,) = records(SAMPLES / "gemm.c").values()
    assert [(name, arrays[name]["density"]) for name in sorted(list(arrays)[:2])] == [("a", 16), ("b", 16)]


@needs_nvcc
def test_what_directives_keep_stands_before_what_is_left_alone() -> None:
    """Arrays that the kernel writes save 0 bytes, which is more than tiles do of data that L1 holds."""
    arrays = next(iter(records(SAMPLES / "nbody.c", "--kernel", "nbody_L28_kernel").values()))
    assert [array["decision"] for array in arrays.values()] == 4 * ["keep"] + 3 * ["leave"]


@needs_nvcc
def test_what_l1_holds_is_left_alone(tmp_path: Path) -> None:
    arrays = found(without_directives("stencil", tmp_path), "--gpu", "h100")
    assert {array["rule"] for array in arrays.values()} == {"saves nothing"}
    assert arrays["a"]["saved"] <= 0


@needs_nvcc
def test_gemm_has_the_density_of_its_block_and_notes_at_the_lines_of_loads() -> None:
    done = run(NAIVE / "gemm.cu", "--gpu", "kepler", "--json", "--diagnostics", "sarif")
    jsonschema.validate(record := json.loads(done.stdout), SCHEMA)
    (kernel,) = record["kernels"]
    assert {array["name"]: (array["density"], array["decision"]) for array in kernel["arrays"]} == {
        "a": (16, "copy"),
        "b": (16, "copy"),
    }
    results = json.loads(done.stderr)["runs"][0]["results"]
    results = [result for result in results if result["ruleId"] != "ACC993"]
    places = [result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in results]
    assert [(result["ruleId"], result["level"]) for result in results] == 2 * [("ACC989", "note")]
    assert places == [14, 14]
    assert all("thread density 16.00, saves 1,835,008 bytes" in result["message"]["text"] for result in results)


@needs_nvcc
def test_lines_of_loads_have_no_notes_where_copies_save_nothing() -> None:
    assert "[ACC989]" not in run(NAIVE / "gemm.cu").stderr


@needs_nvcc
def test_loads_of_other_files_stand_where_their_functions_are_called(tmp_path: Path) -> None:
    """They had the lines of headers, CUDA's own among them, as those of the program."""
    (tmp_path / "at.h").write_text(
        f"{20 * chr(10)}__device__ inline float at(const float *p, int i) {{ return p[i]; }}\n"
    )
    path = tmp_path / "program.cu"
    path.write_text("""#include "at.h"
__global__ void k(const float *__restrict__ a, const float *b, float *c, int n)
{
    float sum = 0;
    for (int t = 0; t < n; ++t) {
        sum += __ldg(a + t) * threadIdx.x;
        sum += at(b, t);
    }
    c[threadIdx.x] = sum;
}
int main()
{
    float *p;
    cudaMalloc(&p, 4000);
    cudaMemset(p, 0, 4000);
    k<<<1, 64>>>(p, p + 200, p + 800, 100);
    return cudaDeviceSynchronize();
}
""")
    arrays = found(path, "--gpu", "kepler")
    assert {name: array["lines"] for name, array in arrays.items()} == {"a": [6], "b": [7]}


@needs_nvcc
def test_a_frontier_is_left_alone() -> None:
    arrays = found(NAIVE / "frontier.cu", "--gpu", "kepler")
    assert copied(arrays) == set()
    assert arrays["level"]["rule"] in ("irregular", "sparse")


KERNEL = """\
__global__ void k({parameters})
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
}}
int main(int argc, char **argv)
{{
    float *a, *b;
    cudaMalloc(&a, 1 << 16);
    cudaMalloc(&b, 1 << 16);
    cudaMemset(a, 0, 1 << 16);
    cudaMemset(b, 0, 1 << 16);
    {main}
    return 0;
}}
"""


def program(
    folder: Path, body: str, parameters: str = "float *a, float *b", main: str = "k<<<4, 256>>>(a, b);"
) -> Path:
    path = folder / "program.cu"
    path.write_text(KERNEL.format(body=body, parameters=parameters, main=main))
    return path


AGAINST = {
    "written": "float s = 0; for (int j = 0; j < 9; ++j) s += a[i + j]; a[i] = s; b[i] = s;",
    "atomic": "float s = a[i] + a[i + 1] + a[i + 2]; atomicAdd(&a[2000], 1.0f); b[i] = s;",
    "volatile": "volatile float *v = a; b[i] = v[i] + v[i + 1] + v[i + 2];",
    "sparse": "b[i] = a[i];",
    "not uniform": "float s = 0; for (int j = 0; j < 8000 + i % 2; ++j) s += a[j]; b[i] = s;",
}
"""What a kernel does, by the rule that is against a copy of its array ``a``."""


BY_ARCHITECTURE = """\
#if __CUDA_ARCH__ >= 900
    float s[48];
    for (int j = 0; j < 48; ++j) s[j] = a[i + j * 7];
    __syncthreads();
    for (int j = 0; j < 48; ++j) b[i + j * 5] = s[j] * (s[47 - j] + j);
#else
    b[i] = a[i];
#endif
"""


@needs_nvcc
@pytest.mark.parametrize(
    ("words", "is_of_gpu"),
    [
        (("--gpu", "h100"), True),
        (("--gpu", "a100"), False),
        (("--gpu", "h100", "--", "-arch=sm_80"), False),
        (("--gpu", "h100", "--", "-gencode", "arch=compute_80,code=sm_80"), False),
        (("--gpu", "a100", "--", "-arch", "sm_90"), True),
    ],
)
def test_registers_are_those_of_the_gpu(words: tuple[str, ...], is_of_gpu: bool, tmp_path: Path) -> None:
    """They were counted for what nvcc compiles for if nobody tells it, whatever --gpu said."""
    done = run(program(tmp_path, BY_ARCHITECTURE), *words)
    registers = re.search(r"with (\d+) registers", done.stdout)
    assert registers, done.stderr
    assert (int(registers[1]) > 40) == is_of_gpu
    assert "ACC993" not in done.stderr


@needs_nvcc
def test_registers_of_a_gpu_that_nvcc_has_left_behind_are_told_to_be_others(tmp_path: Path) -> None:
    done = run(program(tmp_path, "b[i] = a[i];"), "--gpu", "kepler")
    assert done.returncode == 0
    assert "nvcc makes no code for sm_35, the architecture of 'kepler'; registers are counted for sm_" in done.stderr
    assert "ACC993" not in run(program(tmp_path, "b[i] = a[i];"), "--gpu", "kepler", "--", "-arch=sm_80").stderr


@pytest.mark.nvcc
@needs_nvcc
def test_a_program_finds_the_multiprocessors_of_the_gpu(tmp_path: Path) -> None:
    program = tmp_path / "asking.cu"
    program.write_text(ASKING)
    assert records(program, "--gpu", "v100")["copy"]["a"]["sectors"]["without_l1"] == 4 * 2 * 80


@needs_nvcc
def test_variables_of_the_file_have_their_names(tmp_path: Path) -> None:
    """Kernels know them at addresses of their own, which were "unknown"."""
    path = program(tmp_path, "float s = 0; for (int j = 0; j < 300; ++j) s += table[j]; b[i] = s;")
    path.write_text(f"__device__ float table[300];\n{path.read_text()}")
    arrays = found(path, "--gpu", "kepler")
    assert {name: array["decision"] for name, array in arrays.items() if name != "b"} == {"table": "copy"}


@needs_nvcc
def test_a_kernel_that_ends_the_run_was_launched(tmp_path: Path) -> None:
    path = program(tmp_path, "b[i] = a[i + 1000000];")
    done = run(path)
    assert (done.returncode, done.stderr.count("error:")) == (1, 1)
    assert "before the first launch of kernel 'k' ended [ACC979]" in done.stderr
    path.write_text(f"__global__ void other(float *a) {{ a[threadIdx.x] += a[0]; }}\n{path.read_text()}")
    path.write_text(path.read_text().replace("k<<<", "other<<<1, 64>>>(a); k<<<"))
    assert "the kernel 'k' is left out: its first launch ended the run [ACC978]" in run(path).stderr


@needs_nvcc
def test_rules_against_a_copy(tmp_path: Path) -> None:
    names = {rule: f"k_{rule.replace(' ', '_')}" for rule in AGAINST}
    others = (
        f"__global__ void {names[rule]}(float *a, float *b) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"
        for rule, body in AGAINST.items()
    )
    launches = " ".join(f"{name}<<<2, 64>>>(a, b);" for name in names.values())
    path = program(tmp_path, "b[i] = 1;", main=launches)
    path.write_text("\n".join([*others, path.read_text()]))
    kernels = records(path, "--gpu", "kepler")
    decided = {rule: (array["decision"], array["rule"]) for rule in AGAINST for array in [kernels[names[rule]]["a"]]}
    assert decided == {rule: ("leave", rule) for rule in AGAINST}


def test_the_schema_knows_all_rules() -> None:
    assert set(SCHEMA["$defs"]["array"]["properties"]["rule"]["enum"]) == {None, *RULES}


def test_another_language_is_acc977(tmp_path: Path) -> None:
    path = tmp_path / "a.f90"
    path.write_text("end\n")
    done = run(path)
    assert done.returncode == 1
    assert done.stderr.count("error:") == 1
    assert "is Fortran; accache suggest takes CUDA (.cu) and C with OpenACC (.c) [ACC977]" in done.stderr


def test_a_missing_file_is_acc101(tmp_path: Path) -> None:
    assert "[ACC101]" in run(tmp_path / "missing.cu").stderr


@pytest.fixture
def machine_without_nvcc(tmp_path: Path) -> str:
    """A folder of programs as PATH, without nvcc."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("ar", "as", "cc", "gcc", "g++", "ld", "objcopy", "readelf", "sh"):
        if found := shutil.which(name):
            (folder / name).symlink_to(found)
    return str(folder)


@pytest.mark.parametrize("words", [("--json",), ("--kernel", "k")])
def test_options_of_the_trace_need_nvcc(words: tuple[str, ...], machine_without_nvcc: str, tmp_path: Path) -> None:
    done = run(program(tmp_path, "b[i] = a[i];"), *words, path=machine_without_nvcc)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"no launch is traced, which {words[0]} needs [ACC991]" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_nvcc_the_text_of_kernels_is_told_of(machine_without_nvcc: str) -> None:
    done = run(NAIVE / "gemm.cu", "--gpu", "kepler", path=machine_without_nvcc)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("[ACC988]") == 1
    assert "  b: copied in chunks of 32 iterations; density 16.00" in done.stdout


def test_without_nvcc_the_text_of_constructs_is_told_of(machine_without_nvcc: str, tmp_path: Path) -> None:
    done = run(without_directives("stencil", tmp_path), path=machine_without_nvcc)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("[ACC988]") == 1
    assert ": cache(a[" in done.stdout
    assert "thread density" in done.stdout


def test_without_nvcc_directives_that_are_there_are_told(machine_without_nvcc: str, tmp_path: Path) -> None:
    """The text of a program with all its directives had "no candidates", and what had none was "written"."""
    done = run("samples/gemm.c", "-q", path=machine_without_nvcc)
    assert done.stdout.splitlines() == [
        "samples/gemm.c:31: cache(a[i:1][l:16]), thread density 16.00: line 30 has cache(a[i:1][l:TILE])",
        "samples/gemm.c:31: cache(b[l:16][j:1]), thread density 16.00: line 30 has cache(b[l:TILE][j:1])",
    ]
    bare = run(without_directives("gemm", tmp_path), "-q", path=machine_without_nvcc)
    assert re.findall(r"(\w)\[.*thread density (\S+): (.*)", bare.stdout) == [
        ("a", "16.00", "suggested"),
        ("b", "16.00", "suggested"),
    ]


def test_without_nvcc_mistakes_are_errors(machine_without_nvcc: str, tmp_path: Path) -> None:
    idle = run(program(tmp_path, "b[i] = a[i];", main=""), path=machine_without_nvcc)
    assert (idle.returncode, idle.stdout, idle.stderr.count("error:")) == (1, "", 1)
    assert "[ACC972]" in idle.stderr


@needs_nvcc
@pytest.mark.parametrize(
    ("code", "main", "words"),
    [
        ("ACC979", "exit(3);", ()),
        ("ACC972", "", ()),
        ("ACC910", "k<<<4, 256>>>(a, b);", ("--kernel", "other")),
    ],
)
def test_what_a_program_may_do_wrong(code: str, main: str, words: tuple[str, ...], tmp_path: Path) -> None:
    done = run(program(tmp_path, "b[i] = a[i];", main=main), *words)
    assert done.returncode == 1
    assert done.stderr.count("error:") == 1
    assert f"[{code}]" in done.stderr
    assert done.stdout == ""


@needs_nvcc
def test_a_kernel_that_loads_nothing_is_left_out_with_acc978(tmp_path: Path) -> None:
    done = run(program(tmp_path, "b[i] = 1;"))
    assert done.returncode == 0
    assert "warning: the kernel 'k' is left out: its launch loads nothing from global memory [ACC978]" in done.stderr


@needs_nvcc
@pytest.mark.parametrize(("arguments", "pays"), [("135168 64", True), ("512 128", False)])
def test_lines_of_each_threads_own_are_named_where_they_pay(arguments: str, pays: bool) -> None:
    """Of 528 blocks a multiprocessor of an H100 has four, whose 1024 threads are in 384 KB of lines of L1."""
    done = run(SAMPLES / "records.c", "--gpu", "h100", "--args", arguments)
    assert ("32-byte lines of each thread's own for a, b, out pay: 1,024 threads" in done.stdout) == pays
    assert ("for a, b, out do not pay: 256 threads of a multiprocessor are in 96 KB" in done.stdout) == (not pays)


@needs_nvcc
def test_lines_are_not_for_arrays_that_threads_share_or_change_atomically(tmp_path: Path) -> None:
    body = "float s = 0; for (int j = 0; j < 64; ++j) { s += a[j]; atomicAdd(&b[64 * (i % 64) + j], 1.0f); } a[i] = s;"
    done = run(program(tmp_path, body), "--json")
    jsonschema.validate(record := json.loads(done.stdout), SCHEMA)
    assert [kernel["own_lines"] for kernel in record["kernels"]] == [None]


OBSTACLES = {
    "same_for_all": ("float *a, float *b, int n", "if (n > 3) __syncthreads(); b[i] = a[i];", None),
    "apart": ("float *a, float *b, int n", "if (i < 0) __syncthreads(); b[i] = a[i];", "ACC984"),
    "changing": ("volatile float *a, float *b, int n", "b[i] = a[i];", "ACC990"),
    "resized": ("float *a, float *b, int n", "b[i] = a[i];", "ACC985"),
}
"""Parameters and body of kernels, and what is told of each."""


@needs_nvcc
def test_what_stands_in_the_way_of_copies_is_told(tmp_path: Path) -> None:
    kernels = (
        f"__global__ void {name}({parameters}) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"
        for name, (parameters, body, _) in OBSTACLES.items()
    )
    launches = " ".join(f"{name}<<<4, 256>>>(a, b, 9);" for name in OBSTACLES)
    path = program(tmp_path, "", main=f"{launches} resized<<<4, 128>>>(a, b, 9);")
    path.write_text("\n".join([*kernels, path.read_text()]))
    done = run(path)
    assert done.returncode == 0, done.stderr
    told = dict(re.findall(r"'(\w+)'.*\[(ACC\d+)\]", done.stderr))
    wanted = {name: code for name, (*_, code) in OBSTACLES.items() if code}
    assert told == {**wanted, "k": "ACC978"}, done.stderr  # which is not launched
    assert len(re.findall(r"ACC\d+", done.stderr)) == len(told)


@needs_nvcc
def test_what_ended_a_run_is_quoted(tmp_path: Path) -> None:
    path = program(tmp_path, "b[i] = a[i]; if (i % 256 < 8) __syncthreads();")
    path.write_text(path.read_text().replace("return 0", "return cudaDeviceSynchronize() != 0"))
    done = run(path)
    assert (done.returncode, re.findall(r"ACC\d+", done.stderr)) == (0, ["ACC973"])
    why = "waits at line 4, but 248 threads of the block have left the kernel)"
    assert "ended with the status 1 (kernel k, block (0,0,0): thread (0,0,0) " + why in done.stderr


@needs_nvcc
def test_volatile_arrays_of_a_construct_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(
        "int main(void) { static volatile int a[64]; static int b[64]; int i;\n"
        "#pragma acc parallel loop copyin(a) copyout(b)\n"
        "for (i = 0; i < 64; ++i) b[i] = a[i] + a[63 - i]; return 0; }\n"
    )
    done = run(path)
    assert (done.returncode, re.findall(r"ACC\d+", done.stderr)) == (0, ["ACC990"]), done.stderr


TWO_KERNELS = """\
{kernels}
__global__ void plain(const float *a, float *b, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        b[i] = a[i - 1] + a[i] + a[i + 1];
}}
int main()
{{
    const int n = 1024;
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemset(a, 0, n * sizeof(float));
    {launch}
    plain<<<n / 256, 256>>>(a, b, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}}
"""
TEXTURE = """\
cudaResourceDesc data = {};
    data.resType = cudaResourceTypeLinear;
    data.res.linear.devPtr = a;
    data.res.linear.desc = cudaCreateChannelDesc<float>();
    data.res.linear.sizeInBytes = n * sizeof(float);
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &data, &how, nullptr);
    special<<<n / 256, 256>>>(texture, b);
    cudaDestroyTextureObject(texture);"""
SURFACE = """\
cudaArray_t array;
    cudaChannelFormatDesc each = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaMallocArray(&array, &each, 32, 32, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array, 0, 0, a, 128, 128, 32, cudaMemcpyDeviceToDevice);
    cudaResourceDesc data = {};
    data.resType = cudaResourceTypeArray;
    data.res.array.array = array;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &data);
    special<<<4, 256>>>(surface, b);
    cudaFreeArray(array);"""
SPECIAL = {
    "texture": (
        "__global__ void special(cudaTextureObject_t t, float *b)\n"
        "{ b[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }",
        TEXTURE,
        {"ACC996", "ACC978"},
    ),
    "surface": (
        "__global__ void special(cudaSurfaceObject_t s, float *b)\n"
        "{ surf2Dread(&b[threadIdx.x], s, threadIdx.x * 4, 3); surf2Dwrite(2.0f, s, 4, 3); }",
        SURFACE,
        {"ACC996", "ACC978"},
    ),
    "launching kernels": (
        "__global__ void child(float *b) { b[threadIdx.x] = 1; }\n"
        "__global__ void special(const float *a, float *b) { if (a[0] == 0) child<<<1, 32>>>(b); }",
        "special<<<1, 1>>>(a, b);",
        {"ACC978"},
    ),
}
"""Kernels that the machine cannot execute beside one that it can, what launches them, and what is told of them."""


@needs_nvcc
@pytest.mark.parametrize("name", SPECIAL)
def test_kernels_beside_ones_that_cannot_be_traced_are_told_of(name: str, tmp_path: Path) -> None:
    kernels, launch, codes = SPECIAL[name]
    path = tmp_path / "two.cu"
    path.write_text(TWO_KERNELS.format(kernels=kernels, launch=launch))
    done = run(path, "--json")
    assert done.returncode == 0, done.stderr
    (kernel,) = json.loads(done.stdout)["kernels"]
    assert kernel["name"] == "plain"
    assert kernel["registers"]
    assert set(re.findall(r"ACC\d+", done.stderr)) == codes
    assert "the kernel 'special' is left out: the machine cannot execute" in done.stderr
    (alone,) = (tmp_path / "alone.cu",)
    alone.write_text(path.read_text().replace("plain<<<n / 256, 256>>>(a, b, n);", ""))
    done = run(alone)
    assert (done.returncode, done.stdout, done.stderr.count("error:")) == (1, "", 1)


WORSE = """\
static float a[4096];
static int counts[20000];
int main(void)
{
    for (int i = 0; i < 4096; ++i)
        a[i] = i;
#pragma acc parallel loop copyin(a) copy(counts)
    for (int i = 0; i < 4000; ++i) {
#pragma acc cache(DIRECTIVE)
#pragma acc atomic
        counts[(int)(a[i] + a[i + 1] + a[i + 2]) % 20000] += (int)a[i + 3];
    }
    return counts[3] == 0;
}
"""


@needs_nvcc
@pytest.mark.parametrize(("directive", "is_worse"), [("a[i:1]", True), ("a[i:4]", False)])
def test_a_directive_that_is_worse_than_a_suggestion_gets_a_note(
    directive: str, is_worse: bool, tmp_path: Path
) -> None:
    path = tmp_path / "worse.c"
    path.write_text(text := WORSE.replace("DIRECTIVE", directive))
    done = run(path, "--json", "--diagnostics", "json")
    assert path.read_text() == text
    jsonschema.validate(record := json.loads(done.stdout), SCHEMA)
    (kernel,) = record["kernels"]
    (found,) = kernel["directives"]
    assert (found["text"], found["better"]) == (directive, "a[i:4]" if is_worse else None)
    notes = [item for item in json.loads(done.stderr) if item["code"] == "ACC995"]
    assert [(note["line"], note["column"]) for note in notes] == ([(9, 19)] if is_worse else [])
    if is_worse:
        assert f"{found['clocks']} with it, {found['clocks_then']} with that alone" in notes[0]["message"]
        assert float(found["clocks_then"].split()[0]) <= 0.95 * float(found["clocks"].split()[0])


@pytest.mark.parametrize(
    ("together", "taken"),
    [
        ({"ac": 12, "ab": 20, "c": 11}, (0, 0, None)),  # greedily
        ({"ac": 12, "ab": 10, "c": 11}, (0, None, 0)),
        ({"ac": 9, "ab": 10, "c": 11}, (None, None, 0)),
    ],
)
def test_neither_the_first_that_fit_nor_the_best_alone_saves_more(
    together: dict[str, int], taken: tuple[int | None, ...]
) -> None:
    """Values of copies alone are 10, 10 and 11, and two of three fit; L1 makes of their sums what it likes."""
    used: Any = [SimpleNamespace(array=name, steps=(0, 9)) for name in "abc"]
    judged: Any = [
        ((SimpleNamespace(saved=saved, shared=4, density=SimpleNamespace(copied=1)),), "") for saved in (10, 10, 11)
    ]
    profit: Any = SimpleNamespace(saved=lambda copied, _: together["".join(copied)])
    found = kernels._selected(used, judged, 8, profit)
    names = "".join(name for name, number in zip("abc", taken, strict=True) if number is not None)
    assert found == (taken, together[names], 4 * len(names))
