"""What NVRTC writes comes back byte for byte from parser and printer, and the machine knows it."""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
from pathlib import Path

import pytest
from printer import print_module

from accache.base.text import SourceFile
from accache.ptx.machine.link import link
from accache.ptx.text.parser import parse

SOURCE = r"""
struct Pair { int a; double b; };
__constant__ float factors[4] = {1, 2, 3, 4};
__device__ Pair last = {1, 2.5};
__device__ const char *words[2] = {"one", "a \"quoted\"\n"};
template <class T, class F> __device__ T reduced(T value, F join) {
    for (int offset = 16; offset; offset /= 2)
        value = join(value, __shfl_down_sync(0xffffffffu, value, offset));
    return value;
}
template <class T> __global__ void sum(const T *__restrict__ in, T *out, int n) {
    __shared__ T parts[32];
    T value = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value += in[i] * (T)factors[i & 3];
    value = reduced(value, [](T a, T b) { return a + b; });
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(out, parts[0] + parts[1]);
}
template __global__ void sum(const float *, float *, int);
template __global__ void sum(const double *, double *, int);
extern "C" __global__ void mixed(Pair *pairs, const float4 *vectors, unsigned long long *found) {
    extern __shared__ float scratch[];
    float4 v = vectors[threadIdx.x];
    scratch[threadIdx.x] = sinf(v.x) + sqrtf(v.y) / v.z + fminf(v.w, 3);
    __syncwarp();
    switch (pairs[threadIdx.x].a) {
    case 1: pairs[threadIdx.x].b = pow(2.5, (double)scratch[0]); break;
    case 2: pairs[threadIdx.x] = last; break;
    case 3: printf("%s %d\n", words[threadIdx.x & 1], pairs[0].a); break;
    case 7: atomicMax(found, __ballot_sync(~0u, v.x > 0) + __popcll(*found)); break;
    default: asm volatile("mov.b32 %0, %%laneid;" : "=r"(pairs[threadIdx.x].a));
    }
}
"""


def _library() -> ctypes.CDLL | None:
    """NVRTC of the machine, or of the package nvidia-cuda-nvrtc."""
    package = importlib.util.find_spec("nvidia")
    folders = package.submodule_search_locations if package else None
    found = [str(path) for folder in folders or () for path in sorted(Path(folder).rglob("libnvrtc.so*"))]
    name = next(iter(found), None) or ctypes.util.find_library("nvrtc")
    return ctypes.CDLL(name) if name else None


NVRTC = _library()


def _ptx(*options: str) -> str:
    """The PTX that NVRTC makes of the kernels."""
    assert NVRTC is not None
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert NVRTC.nvrtcCreateProgram(ctypes.byref(program), SOURCE.encode(), b"kernels.cu", 0, None, None) == 0
    words = [option.encode() for option in options]
    assert NVRTC.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words)) == 0
    assert NVRTC.nvrtcGetPTXSize(program, ctypes.byref(size)) == 0
    text = ctypes.create_string_buffer(size.value)
    assert NVRTC.nvrtcGetPTX(program, text) == 0
    return text.value.decode()


@pytest.mark.skipif(NVRTC is None, reason="needs NVRTC (pip install 'accache[nvrtc]')")
@pytest.mark.parametrize("options", [(), ("-lineinfo",), ("-G",), ("-use_fast_math",)])
@pytest.mark.parametrize("arch", [75, 80, 90, 100, 120])
def test_nothing_is_lost_of_nvrtc(arch: int, options: tuple[str, ...]) -> None:
    text = _ptx(f"-arch=compute_{arch}", *options)
    module = parse(SourceFile("kernels.ptx", text))
    assert print_module(module) == text
    assert len(module.kernels) == 3
    for kernel in module.kernels:
        assert link(module, kernel.name).steps
