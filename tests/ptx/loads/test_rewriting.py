"""Loads of PTX in groups, and their cache operators."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest

from accache.base.diagnostics import CompileError
from accache.base.text import SourceFile
from accache.ptx.loads.embedding import compile_to_ptx
from accache.ptx.loads.loads import LoadGroup, Place, load_groups
from accache.ptx.loads.rewriting import MODES, bypassing
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Module

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
NVDISASM = next(
    (found for folder in map(Path, sys.path) if (found := folder / "nvidia" / "cu13" / "bin" / "nvdisasm").is_file()),
    None,
)
needs_nvdisasm = pytest.mark.skipif(NVDISASM is None, reason="needs nvdisasm (pip install 'accache[sass]')")
ARCHITECTURES = ("sm_75", "sm_80", "sm_90")
SOURCE = """\
struct Pair { float first, second; };

__device__ float at(const float *p, int i)
{
    return p[i];
}

__global__ void kernel(const float *a, float *b, const float *__restrict__ c, const Pair *d,
                       volatile float *v, const float4 *w, float *result, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < n; ++k)
        sum += a[k * n + i] * b[k];
    sum += c[i];
    sum += v[i];
    sum += d[i].second;
    float4 four = w[i];
    sum += four.x + four.w;
    sum += at(b, i + 7);
    result[i] = sum;
}
"""
HEAD = ".version {version}\n.target {target}\n.address_size 64\n"
KERNEL = """
.visible .entry k(.param .u64 p, .param .u64 q)
{{
    .reg .b64 %rd<6>;
    .reg .b32 %r<4>;
    .reg .f32 %f<4>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    {load}
    st.global.f32 [%rd2], %f1;
    ret;
}}
"""


def written(load: str, version: str = "7.8", target: str = "sm_80") -> Module:
    return parse(SourceFile("k.ptx", HEAD.format(version=version, target=target) + KERNEL.format(load=load)))


CALLED = """
.global .align 4 .f32 table[64];
.func (.reg .f32 %r) f(.reg .u64 %at)
{
    ld.global.f32 %r, [%at];
    ret;
}
.func (.reg .f32 %r) shared_by_both(.reg .u64 %at)
{
    ld.global.f32 %r, [%at+4];
    ret;
}
.visible .entry k(.param .u64 p)
{
    .reg .b64 %rd<3>;
    .reg .f32 %f<4>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.f32 %f1, [%rd2];
    call (%f2), f, (%rd2);
    call (%f3), shared_by_both, (%rd2);
    st.global.f32 [%rd2], %f2;
    ret;
}
.visible .entry other(.param .u64 p)
{
    .reg .b64 %rd<3>;
    .reg .f32 %f<2>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    call (%f1), shared_by_both, (%rd2);
    ret;
}
"""


def groups(module: Module) -> tuple[LoadGroup, ...]:
    return load_groups(module, module.kernels[0])


@lru_cache(maxsize=4)
def compiled(architecture: str, folder: Path) -> Module:
    source, target = folder / "x.cu", folder / f"x.{architecture}.ptx"
    source.write_text(SOURCE)
    compile_to_ptx([f"-arch={architecture}", str(source)], target, "this test")
    return parse(SourceFile("x.ptx", target.read_text()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("loads")


@pytest.mark.parametrize(
    ("load", "no_allocate", "cg"),
    [
        ("ld.global.f32", "ld.global.L1::no_allocate.f32", "ld.global.cg.f32"),
        ("ld.weak.global.f32", "ld.weak.global.L1::no_allocate.f32", "ld.weak.global.cg.f32"),
        ("ld.global.nc.f32", "ld.global.nc.L1::no_allocate.f32", "ld.global.cg.f32"),
        ("ld.global.L2::128B.f32", "ld.global.L1::no_allocate.L2::128B.f32", "ld.global.cg.L2::128B.f32"),
    ],
)
def test_a_load_gets_the_words_of_a_mode(load: str, no_allocate: str, cg: str) -> None:
    module = written(f"@%p1 {load} %f1, [%rd2+8]; // {load}")
    (group,) = groups(module)
    for mode, wanted in (("no_allocate", no_allocate), ("cg", cg)):
        changed = bypassing(module, [group.place], mode)
        assert changed == module.source.text.replace(f"@%p1 {load} ", f"@%p1 {wanted} ")
        assert ptxas(changed) == ""
    assert bypassing(module, [], "cg") == module.source.text


def ptxas(text: str) -> str:
    """What ptxas has against PTX; nothing where there is no ptxas."""
    if shutil.which("ptxas") is None:
        return ""
    command = ["ptxas", "-arch=sm_80", "-o", "/dev/null", "/dev/stdin"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize(
    ("load", "reason", "policy"),
    [
        ("ld.volatile.global.f32", "it is volatile", "cg"),
        ("ld.relaxed.gpu.global.f32", "it is relaxed", "cg"),
        ("ld.acquire.sys.global.f32", "it is acquire", "cg"),
        ("ld.f32", "its address may lie outside of global memory", "ca"),
        ("ld.global.ca.f32", "it has the cache operator ca already", "ca"),
        ("ld.global.cs.f32", "it has the cache operator cs already", "evict_first"),
        ("ld.global.L1::evict_last.f32", "it has the cache operator L1::evict_last already", "evict_last"),
        ("ld.global.L1::evict_unchanged.f32", "it has the cache operator L1::evict_unchanged already", "ca"),
    ],
)
def test_what_must_stay_does(load: str, reason: str, policy: str) -> None:
    module = written(f"{load} %f1, [%rd2];")
    (group,) = groups(module)
    assert (group.kept, group.policy) == (reason, policy)
    for mode in MODES:
        assert bypassing(module, [group.place], mode) == module.source.text


@pytest.mark.parametrize("load", ["ld.shared.f32", "ld.local.f32", "ld.const.f32", "ld.shared::cta.f32"])
def test_other_memories_have_no_loads_of_l1(load: str) -> None:
    assert groups(written(f"{load} %f1, [%rd2];")) == ()


def test_without_lines_each_load_is_a_group() -> None:
    module = written("ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd2+4];")
    assert [group.place for group in groups(module)] == [
        Place("k", None, None, "p", 2),
        Place("k", None, None, "p", 3),
    ]


def test_a_pointer_out_of_a_loop_or_a_choice_has_its_roots() -> None:
    code = """
    ld.param.u64 %rd3, [q+8];
    selp.b64 %rd4, %rd2, %rd3, %p1;
  loop:
    add.s64 %rd4, %rd4, 4;
    ld.global.f32 %f1, [%rd4];
    ld.global.u64 %rd5, [%rd2];
    ld.global.f32 %f2, [%rd5];
    @%p1 bra loop;"""
    assert [group.place.root for group in groups(written(code))] == ["p q+8", "p", ""]


@pytest.mark.parametrize(
    ("version", "target", "mode", "fits"),
    [
        ("7.3", "sm_80", "no_allocate", False),
        ("7.4", "sm_70", "no_allocate", True),
        ("7.4", "sm_61", "no_allocate", False),
        ("6.0", "sm_30", "cg", True),
    ],
)
def test_what_an_older_version_knows(version: str, target: str, mode: str, fits: bool) -> None:
    module = written("ld.global.f32 %f1, [%rd2];", version, target)
    if fits:
        assert bypassing(module, [groups(module)[0].place], mode) != module.source.text
    else:
        with pytest.raises(CompileError, match=rf"PTX {version} for {target} has no loads of mode {mode} \[ACC963\]"):
            bypassing(module, [groups(module)[0].place], mode)


@needs_nvcc
def test_unrolling_does_not_multiply_groups(folder: Path) -> None:
    found = groups(compiled("sm_80", folder))
    text = SOURCE.splitlines()
    described = [
        (text[group.place.source.line - 1].strip() if group.place.source else "", group.place.root[-1])
        for group in found
    ]
    assert sorted(described) == sorted(
        [
            ("sum += a[k * n + i] * b[k];", "0"),
            ("sum += a[k * n + i] * b[k];", "1"),
            ("sum += c[i];", "2"),
            ("sum += v[i];", "4"),
            ("sum += d[i].second;", "3"),
            ("float4 four = w[i];", "5"),
            ("return p[i];", "1"),
        ]
    )
    assert max(len(group.numbers) for group in found) >= 5, "an unrolled loop and its rest"
    assert [group.kept for group in found if group.kept] == ["it is volatile"]
    called = [str(group.place) for group in found if group.place.call]
    assert called == ["x.cu:5:5, param 1, called from 23:5"]


@needs_nvcc
def test_groups_are_the_same_for_every_architecture(folder: Path) -> None:
    places = [{group.place for group in groups(compiled(architecture, folder))} for architecture in ARCHITECTURES]
    assert places[0] == places[1] == places[2]


@needs_nvcc
@needs_nvdisasm
@pytest.mark.parametrize("architecture", ARCHITECTURES[::2])
def test_machine_code_differs_in_words_of_loads_alone(architecture: str, folder: Path) -> None:
    module = compiled(architecture, folder)
    found = groups(module)
    before = machine_code(module.source.text, architecture, folder)
    plain = next(group for group in found if not group.kept and len(group.numbers) == 1)
    chosen = [group for group in found if group is not plain]
    changed = bypassing(module, [group.place for group in chosen], "no_allocate")
    after = machine_code(changed, architecture, folder)
    assert [without_words(line) for line in before] == [without_words(line) for line in after]
    different = [new for old, new in zip(before, after, strict=True) if old != new]
    assert len(different) >= sum(len(group.numbers) for group in chosen if not group.kept) > 0
    assert all(".NA" in new for new in different)
    left = sorted(line.partition(" ")[0] for line in after if "LDG" in line and ".NA" not in line)
    assert len(left) == 2
    assert "LDG.E.STRONG.SYS" in left, "the volatile load"


@needs_nvcc
@needs_nvdisasm
def test_loads_of_l2_are_as_many_and_may_be_scheduled_otherwise(folder: Path) -> None:
    module = compiled("sm_75", folder)
    changed = bypassing(module, [group.place for group in groups(module)], "cg")
    before, after = (machine_code(text, "sm_75", folder) for text in (module.source.text, changed))
    old, new = ([line.partition(" ")[0] for line in code if "LDG" in line] for code in (before, after))
    assert len(old) == len(new)
    assert set(new) == {"LDG.E.STRONG.GPU", "LDG.E.STRONG.SYS"}


def machine_code(text: str, architecture: str, folder: Path) -> list[str]:
    """The instructions that ptxas makes, with their registers."""
    source, target = folder / "y.ptx", folder / "y.cubin"
    source.write_text(text)
    subprocess.run(["ptxas", f"-arch={architecture}", str(source), "-o", str(target)], check=True)
    listing = subprocess.run([str(NVDISASM), "-c", str(target)], capture_output=True, text=True, check=True).stdout
    return re.findall(r"/\*[0-9a-f]{4,}\*/\s+(.*?);", listing)


def without_words(instruction: str) -> str:
    return re.sub(r"\bLDG[.\w]*", "LDG", instruction)


def test_loads_of_called_functions_are_decided_on_with_the_kernels() -> None:
    """A function of one kernel is rewritten; what two kernels call stays, whichever of them is decided on."""
    module = parse(SourceFile("k.ptx", HEAD.format(version="7.8", target="sm_80") + CALLED))
    kernel, other = module.kernels
    found = load_groups(module, kernel)
    assert [(group.place.function, group.numbers, group.kept) for group in found] == [
        ("k", (2,), ""),
        ("f", (0,), ""),
        ("shared_by_both", (0,), "kernel other calls its function, too"),
    ]
    assert [group.kept for group in load_groups(module, other)] == ["kernel k calls its function, too"]
    text = bypassing(module, [group.place for group in found], "cg")
    assert text == module.source.text.replace("ld.global.f32 %r, [%at];", "ld.global.cg.f32 %r, [%at];").replace(
        "ld.global.f32 %f1, [%rd2];", "ld.global.cg.f32 %f1, [%rd2];"
    )
