"""Threads with several iterations that walk along rows: elements that lie together are loaded at once."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

LAYER = """
#include <stdio.h>
#include <stdlib.h>
void {name}(int batch, int in, int out, const {type} *restrict x, const {type} *restrict w, {type} *restrict y)
{{
#pragma acc parallel loop collapse(2) copyin(x[0:batch*in], w[0:out*in]) copyout(y[0:batch*out])
    for (int b = 0; b < batch; b++)
        for (int o = 0; o < out; o++) {{
            {type} s = 0;
            for (int k = {first}; k < in; k++) {{
{directive}
                s += x[b * in + k] * w[o * in + k];
            }}
            y[b * out + o] = s;
        }}
}}
"""
MAIN = """
int main(int argc, char **argv)
{{
    int batch = atoi(argv[1]), in = atoi(argv[2]), out = 131;
    {type} *x = malloc(sizeof *x * batch * in), *w = malloc(sizeof *w * out * in), *y = malloc(sizeof *y * batch * out);
    for (int i = 0; i < batch * in; ++i)
        x[i] = i * 7 % 5;
    for (int i = 0; i < out * in; ++i)
        w[i] = i % 3;
    {name}(batch, in, out, x, w, y);
    double sum = 0;
    for (int i = 0; i < batch * out; ++i)
        sum += (double)y[i] * (1 + i % 11);
    printf("%.17g\\n", sum);
    return 0;
}}
"""
CACHE = "#pragma acc cache(x[b*in+k:1])"


def text(name: str = "f", ctype: str = "float", first: int = 0, directive: str = CACHE) -> str:
    """A layer of a network, as a function."""
    return LAYER.format(name=name, type=ctype, first=first, directive=directive)


def chunked(source: str) -> str:
    """The same through chunks of a row, with a directive for each chunk."""
    chunk = "#pragma acc cache(x[b*in+t:128])\n                for (int k = t; k < t + 128 && k < in; k++) {"
    head = "            for (int k = 0; k < in; k++) {"
    assert head in source
    found = source.replace(head, f"            for (int t = 0; t < in; t += 128) {{\n{chunk}").replace(CACHE, "")
    return found.replace("            y[b *", "            }\n            y[b *")


def kernel(tmp_path: Path, source: str) -> str:
    """The kernel that launches with aligned rows take."""
    path = tmp_path / "a.c"
    path.write_text(source)
    found = re.search(r"^static __global__ .*?^}", translate(str(path), Options()).device, re.S | re.M)
    assert found is not None
    return found.group()


def test_a_group_of_rounds_is_jammed_for_all_iterations(tmp_path: Path) -> None:
    found = kernel(tmp_path, text())
    assert "in = accache_multiple<4>(in);" in found
    full, edge = found.split("} else {")
    jammed = re.search(
        r"#pragma unroll 1\n\s+for \(int k_base = 0; k_base < in; k_base \+= 4\) {\n\s+#pragma unroll\n"
        r"\s+for \(int dk = 0; dk < 4; \+\+dk\) {\n\s+const int k = k_base \+ dk;\n\s+#pragma unroll\n\s+for \(int db",
        full,
    )
    assert jammed is not None
    assert "k_base += 4" in edge


def test_the_launch_makes_sure_of_whole_groups(tmp_path: Path) -> None:
    """Rows of 64 elements are aligned whatever ``in`` is, the last round of which may lie within a group."""
    found = kernel(tmp_path, text(directive=CACHE.replace("b*in", "b*64")).replace(" * in + k", " * 64 + k"))
    assert "k_base += 4" in found
    assert "in = accache_multiple<4>(in);" in found


def test_chunks_are_joined_where_rows_are_aligned(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(chunked(text()))
    device = translate(str(path), Options()).device
    aligned, unaligned = re.findall(r"^static __global__ .*?^}", device, re.S | re.M)[:2]
    assert "for (int k_base = 0; k_base < in; k_base += 4)" in aligned
    assert "int t = 0" not in aligned
    assert "for (int t = 0; t < in; t += 128)" in unaligned


@pytest.mark.parametrize(
    "source", [text(directive=""), text(first=1), text().replace("k++", "k += 2"), text().replace("k < in", "k < 4*in")]
)
def test_other_loops_go_round_by_round(source: str, tmp_path: Path) -> None:
    """Nobody asks for it, groups would not be aligned, or it takes too little; 4*in needs nothing of in."""
    found = kernel(tmp_path, source)
    assert ("k_base" in found) == ("k < 4*in" in source)
    assert "accache_multiple<4>(in)" not in found or "4*in" in source


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc joins the accesses")
@pytest.mark.parametrize(
    ("source", "access"),
    [
        (text(), "v4.f32"),
        (text(ctype="double"), "v2.f64"),
        (chunked(text()), "v4.f32"),
        (text().replace("x[b * in", "x[(size_t)b * in").replace("w[o * in + k", "w[k + (size_t)o * in"), "v4.f32"),
    ],
)
def test_nvcc_joins_the_loads(source: str, access: str, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(source)
    (tmp_path / "a.cu").write_text(translate(str(tmp_path / "a.c"), Options()).device)
    command = ["nvcc", "-arch=sm_90", "-ptx", "-w", str(tmp_path / "a.cu"), "-o", str(tmp_path / "a.ptx")]
    subprocess.run(command, check=True)
    (ptx,) = (
        part
        for part in (tmp_path / "a.ptx").read_text().split(".entry ")
        if re.match(r"\w*f_L\d+_kernel(?!_)\w*\(", part)
    )
    assert len(re.findall(rf"ld\.global(?:\.nc)?\.{access}", ptx)) >= 10


@pytest.mark.parametrize(("form", "ctype"), [(str, "float"), (str, "double"), (chunked, "float")])
def test_results_are_those_of_one_iteration(form: Callable[[str], str], ctype: str, tmp_path: Path) -> None:
    source = form(text("layer", ctype)) + MAIN.format(name="layer", type=ctype)
    sizes = (
        (1, 4, 0),
        (70, 8, 0),
        (70, 6, 0),
        (33, 7, 0),
        (2100, 12, 0),
        (2050, 10, 0),
        (1030, 132, 0),
        (1030, 130, 0),
    )
    program = Program("layer", source, tuple((*size, 0) for size in sizes), (), cached=False)
    batch = Batch(tmp_path, [Case(program, Options())])
    assert all("k_base" in member.device for member in batch.members)
    assert batch.differences(check=True) == []
