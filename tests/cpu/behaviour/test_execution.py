"""What kernels may rely on: barriers, shared and device memory, atomics, warps, launches, errors."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from runs import Runner

from accache.base.architectures import MAX_THREADS, architecture
from accache.base.options import Options
from accache.base.text import SourceFile
from accache.cpu import kept, toolchain
from accache.cpu.build import Program, build
from accache.cpu.findings import Finding
from accache.cpu.programs import build_program
from accache.cpu.run import run
from accache.cpu.sources import read_program
from accache.cpu.toolchain import ToolError
from accache.driver import Translation, translate

REVERSE = """
#include <cstdio>
__global__ void reverse(int *a, int n) {
    __shared__ int tile[128];
    int i = threadIdx.x, base = blockIdx.x * blockDim.x;
    for (int round = 0; round < n; ++round) {
        tile[i] = a[base + i];
        __syncthreads();
        a[base + i] = tile[blockDim.x - 1 - i] + 1;
        __syncthreads();
    }
}
int main() {
    const int n = 128 * 50;
    static int h[n];
    int *a;
    for (int i = 0; i < n; ++i) h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    reverse<<<n / 128, 128>>>(a, 7);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += h[i] != i / 128 * 128 + 127 - i % 128 + 7;
    printf("%d wrong, %s\\n", wrong, cudaGetErrorString(cudaGetLastError()));
}
"""

ORDER = """
#include <cstdio>
__device__ int next;
__global__ void order(int *seen) { seen[atomicAdd(&next, 1)] = blockIdx.x * 8 + threadIdx.x; }
int main() {
    int *seen, h[64];
    cudaMalloc(&seen, sizeof h);
    order<<<8, 8>>>(seen);
    cudaMemcpy(h, seen, sizeof h, cudaMemcpyDeviceToHost);
    for (int i : h) printf("%d ", i);
}
"""


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_order_does_not_matter_to_correct_kernels(run_cu: Runner, workers: int, seed: int | None) -> None:
    assert run_cu(REVERSE, workers=workers, seed=seed).stdout == "0 wrong, no error\n"


def test_seeds_change_the_order(run_cu: Runner) -> None:
    plain, one, again, two = (run_cu(ORDER, seed=seed, workers=1).stdout for seed in (None, 1, 1, 2))
    assert plain.split() == [str(i) for i in range(64)]
    assert one == again
    assert len({plain, one, two}) == 3
    assert sorted(map(int, one.split())) == list(range(64))


def test_missing_barrier_shows_under_a_seed(run_cu: Runner) -> None:
    broken = REVERSE.replace("__syncthreads();", "", 1)
    assert run_cu(broken, seed=1).stdout != "0 wrong, no error\n"


def test_blocks_run_on_several_cores_with_shared_memory_of_their_own(run_cu: Runner) -> None:
    result = run_cu(
        """
#include <cstdio>
__global__ void sum(const float *a, double *total) {
    __shared__ float part[256];
    part[threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x];
    for (int half = 128; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) atomicAdd(total, (double)part[0]);
}
int main() {
    const int n = 256 * 1000;
    static float h[n];
    for (int i = 0; i < n; ++i) h[i] = i % 5;
    float *a; double *total, result;
    cudaMalloc(&a, sizeof h); cudaMalloc(&total, 8); cudaMemset(total, 0, 8);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    for (int i = 0; i < 10; ++i) sum<<<n / 256, 256>>>(a, total);
    cudaMemcpy(&result, total, 8, cudaMemcpyDeviceToHost);
    printf("%.0f", result);
}""",
        workers=4,
    )
    assert result.stdout == "5120000"


def test_memory_nobody_wrote_is_poison(run_cu: Runner) -> None:
    result = run_cu(
        """
#include <cstdio>
__global__ void look(const int *a, int *b) {
    __shared__ int s[32];
    extern __shared__ int d[];
    b[0] = a[3]; b[1] = s[5]; b[2] = d[7];
    s[5] = d[7] = 1;
}
int main() {
    int *a, *b, h[3];
    cudaMalloc(&a, 64); cudaMalloc(&b, 64);
    look<<<1, 1, 64>>>(a, b);
    look<<<2, 1, 64>>>(a, b);
    cudaMemcpy(h, b, 12, cudaMemcpyDeviceToHost);
    printf("%d %d %d", h[0], h[1], h[2]);
}"""
    )
    assert result.stdout == "-1 -1 -1"


def test_warp_operations(run_cu: Runner) -> None:
    result = run_cu(
        """
#include <cstdio>
__global__ void warp(long long *out) {
    int i = threadIdx.x, lane = i % 32;
    double sum = i;
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    int up = __shfl_up_sync(0xffffffff, i, 1), down = __shfl_down_sync(0xffffffff, i, 2, 8);
    float broadcast = __shfl_sync(0xffffffff, (float)i, 3);
    unsigned odd = __ballot_sync(0xffffffff, lane & 1);
    int any = __any_sync(0xffffffff, lane == 9), all = __all_sync(0xffffffff, lane < 31);
    int half = lane < 16 ? __shfl_xor_sync(0x0000ffff, lane, 1) : -1;
    __syncwarp();
    if (i == 38) {
        long long r[] = {(long long)sum, up, down, (long long)broadcast, odd, any, all, half};
        for (int k = 0; k < 8; ++k) out[k] = r[k];
    }
    if (i == 41) out[8] = half;
    if (i == 0) out[9] = up;
}
int main() {
    long long *out, h[10];
    cudaMalloc(&out, sizeof h);
    warp<<<1, 64>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (auto v : h) printf("%lld ", v);
}""",
        seed=5,
    )
    total = sum(range(32, 64))
    assert result.stdout.split() == [str(v) for v in (total, 37, 38, 35, 0xAAAAAAAA, 1, 0, 7, 8, 0)]


def test_blocks_of_a_multiprocessor(run_cu: Runner) -> None:
    asked = [(threads, bytes_) for threads in (1, 31, 33, 96, 256, 1024, 1025) for bytes_ in (0, 6000, 40000)]
    result = run_cu(
        """
#include <cstdio>
__global__ void kernel(int *out) { *out = 1; }
int main() {
    const int asked[][2] = ASKED;
    for (auto &each : asked) {
        int blocks;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, each[0], each[1]);
        printf("%d ", blocks);
    }
}""".replace("ASKED", "{" + ", ".join(f"{{{threads}, {bytes_}}}" for threads, bytes_ in asked) + "}")
    )
    target = architecture("sm_90")
    known = [target.resident_blocks(threads, bytes_) if threads <= MAX_THREADS else 0 for threads, bytes_ in asked]
    assert result.stdout.split() == [str(blocks) for blocks in known]


def test_counting_barriers(run_cu: Runner) -> None:
    result = run_cu(
        """
#include <cstdio>
__global__ void count(int *out) {
    int i = threadIdx.x;
    int c = __syncthreads_count(i % 3 == 0), o = __syncthreads_or(i == 70), a = __syncthreads_and(i != 70);
    int none = __syncthreads_or(0), every = __syncthreads_and(1);
    if (i == 99) { out[0] = c; out[1] = o; out[2] = a; out[3] = none; out[4] = every; }
}
int main() {
    int *out, h[5];
    cudaMalloc(&out, 20);
    count<<<1, 100>>>(out);
    cudaMemcpy(h, out, 20, cudaMemcpyDeviceToHost);
    for (int v : h) printf("%d ", v);
}"""
    )
    assert result.stdout.split() == ["34", "1", "0", "0", "1"]


def test_atomics(run_cu: Runner) -> None:
    result = run_cu(
        """
#include <cstdio>
__global__ void atomics(int *n, unsigned *u, unsigned long long *l, float *f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(n, 1); atomicSub(n + 1, 2); atomicMin(n + 2, -i); atomicMax(n + 3, i);
    atomicOr(u, 1u << i % 20); atomicAnd(u + 1, ~(1u << i % 20)); atomicXor(u + 2, 1u); atomicInc(u + 3, 6);
    atomicAdd(l, 1ull << 32); atomicAdd(f, 0.5f);
    atomicCAS(n + 4, 0, 42); atomicExch(n + 5, 9);
}
int main() {
    int *n, h[6]; unsigned *u, k[4]; unsigned long long *l, m; float *f, g;
    cudaMalloc(&n, 24); cudaMalloc(&u, 16); cudaMalloc(&l, 8); cudaMalloc(&f, 4);
    cudaMemset(n, 0, 24); cudaMemset(u, 0, 16); cudaMemset(l, 0, 8); cudaMemset(f, 0, 4);
    cudaMemset(u + 1, 0xff, 4);
    atomics<<<40, 100>>>(n, u, l, f);
    cudaMemcpy(h, n, 24, cudaMemcpyDeviceToHost); cudaMemcpy(k, u, 16, cudaMemcpyDeviceToHost);
    cudaMemcpy(&m, l, 8, cudaMemcpyDeviceToHost); cudaMemcpy(&g, f, 4, cudaMemcpyDeviceToHost);
    for (int v : h) printf("%d ", v);
    printf("%x %x %u %u %llu %g", k[0], k[1], k[2], k[3], m >> 32, g);
}""",
        workers=3,
    )
    assert result.stdout == "4000 -8000 -3999 3999 42 9 fffff fff00000 0 3 4000 2000"


LAUNCH_ERRORS = """
#include <cstdio>
__global__ void k(int *p) { if (p) *p = 1; }
__global__ void dynamic(float *p, int n) { extern __shared__ float s[]; s[n - 1] = 3; *p = s[n - 1]; }
template <class T> __global__ void t(T *p) { *p = 2; }
static void show() { printf("%s\\n", cudaGetErrorName(cudaGetLastError())); }
int main() {
    int *p; float *f, value;
    cudaMalloc(&p, 4); cudaMalloc(&f, 4);
    k<<<0, 1>>>(p); show();
    k<<<1, 1025>>>(p); show();
    k<<<1, dim3(1, 1, 65)>>>(p); show();
    k<<<dim3(1, 65536), 1>>>(p); show();
    k<<<dim3(70000), 1>>>(nullptr); show();
    dynamic<<<1, 1, 49152>>>(f, 12288); show();
    dynamic<<<1, 1, 49156>>>(f, 12289); show();
    cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); show();
    dynamic<<<1, 1, 65536>>>(f, 16384); show();
    cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449); show();
    t<<<1, 1>>>(f); t<float><<<1, 1>>>(f); show();
    cudaMemcpy(&value, f, 4, cudaMemcpyDeviceToHost);
    printf("%g\\n", value);
}
"""


def test_launch_errors(run_cu: Runner) -> None:
    bad, good, argument = "cudaErrorInvalidConfiguration", "cudaSuccess", "cudaErrorInvalidValue"
    expected = [bad, bad, bad, bad, good, good, argument, good, good, argument, good, "2"]
    assert run_cu(LAUNCH_ERRORS).stdout.split() == expected


def test_pointers_of_the_wrong_memory_are_errors(run_cu: Runner) -> None:
    result = run_cu(
        """
#include <cstdio>
static void show(cudaError_t e) { printf("%s\\n", cudaGetErrorName(e)); cudaGetLastError(); }
int main() {
    int h[4] = {}, g[4], *d;
    cudaMalloc(&d, 16);
    show(cudaMemcpy(h, g, 16, cudaMemcpyHostToDevice));
    show(cudaMemcpy(d, h, 20, cudaMemcpyHostToDevice));
    show(cudaMemcpy(d, d, 16, cudaMemcpyHostToDevice));
    show(cudaMemcpy(d + 1, h, 12, cudaMemcpyHostToDevice));
    show(cudaMemset(h, 0, 16));
    show(cudaFree(h));
    show(cudaFree(d));
    show(cudaFree(d));
    show(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost));
}"""
    )
    bad, good = "cudaErrorInvalidValue", "cudaSuccess"
    assert result.stdout.split() == [bad, bad, bad, good, bad, bad, good, bad, bad]


def test_barrier_divergence_breaks_the_context(run_cu: Runner) -> None:
    result = run_cu(
        """
#include <cstdio>
__global__ void k(int *p) { if (threadIdx.x < 40) __syncthreads(); p[threadIdx.x] = 1; }
int main() {
    int *p;
    cudaMalloc(&p, 256);
    k<<<1, 64>>>(p);
    printf("%s %s", cudaGetErrorName(cudaGetLastError()), cudaGetErrorName(cudaDeviceSynchronize()));
}"""
    )
    assert result.stdout == "cudaErrorLaunchFailure cudaErrorLaunchFailure"
    assert "waits at line 3, but 24 threads of the block have left the kernel" in result.stderr


def test_a_crash_names_the_thread(run_cu: Runner) -> None:
    result = run_cu(
        """
__global__ void k(int *p) { if (threadIdx.x == 5) p[1 << 28] = 1; }
int main() { int *p; cudaMalloc(&p, 64); k<<<1, 32>>>(p); }"""
    )
    assert result.returncode < 0
    assert "kernel k, block (0,0,0), thread (5,0,0): illegal address" in result.stderr


@pytest.mark.parametrize(
    ("bytes_", "end", "alignment"),
    [(200, 208, 16), (4004, 4016, 16), (4096, 4096, 256), (70000, 70000, 16), (160, 160, 32)],
)
def test_a_plain_run_ends_behind_an_allocation(bytes_: int, end: int, alignment: int, run_cu: Runner) -> None:
    """It ends where the pages do, but for what the widest access may begin at; beside it nothing looks like data."""
    result = run_cu(
        f"""
#include <cstdio>
__global__ void k(const char *p, char *q) {{ q[threadIdx.x] = p[threadIdx.x]; }}
int main() {{
    char *p, *q;
    cudaMalloc(&p, {bytes_}); cudaMalloc(&q, 300);
    k<<<1, 32>>>(p + {end} - 32, q); cudaDeviceSynchronize(); printf("%d", (int)((size_t)p % {alignment}));
    cudaMemset(p, 0, {bytes_}); char slack[2] = {{-1, -1}};
    if ({int(end > bytes_)}) {{ k<<<1, 1>>>(p + {bytes_}, q); cudaMemcpy(slack, q, 1, cudaMemcpyDeviceToHost); }}
    if ((size_t)p % 4096) {{ k<<<1, 1>>>(p - 1, q); cudaMemcpy(slack + 1, q, 1, cudaMemcpyDeviceToHost); }}
    printf(" %d %d", slack[0], slack[1]); fflush(stdout);
    k<<<1, 1>>>(p + {end}, q); cudaDeviceSynchronize(); printf(" on"); }}"""
    )
    assert (result.stdout, result.returncode < 0) == ("0 -1 -1", True)
    assert "(device memory that is not allocated)" in result.stderr
    assert "device memory that is not allocated" in result.stderr


HEAP = """
#include <cstdio>
__global__ void k(int **kept, int *room, int *hosts) {
    if (hosts) free(hosts);
    int *own = (int *)malloc(4 << 20), *more = (int *)malloc(5 << 20);
    *room = own && !more;
    free(own), free(more);
    *kept = (int *)malloc(8 << 20);
    **kept = 7;
}
__global__ void use(int **kept, int *room) { *room += **kept; free(*kept); free(malloc(8 << 20)); }
int main(int argc, char **) {
    int **kept, *room, h = 0, *host = (int *)malloc(4);
    cudaMalloc(&kept, 8), cudaMalloc(&room, 4);
    k<<<1, 1>>>(kept, room, argc > 1 ? room : nullptr);
    cudaMemcpy(&host, kept, 8, cudaMemcpyDeviceToHost);
    printf("%s ", cudaGetErrorName(cudaMemcpy(&h, host, 4, cudaMemcpyDeviceToHost)));
    printf("%s ", cudaGetErrorName(cudaFree(host)));
    use<<<1, 1>>>(kept, room);
    cudaMemcpy(&h, room, 4, cudaMemcpyDeviceToHost);
    printf("%d", h);
}"""


@pytest.mark.parametrize("check", [False, True])
def test_kernels_have_a_heap_of_their_own(check: bool, run_cu: Runner) -> None:
    result = run_cu(HEAP, check=check)
    assert result.stdout == "cudaErrorInvalidValue cudaErrorInvalidValue 8", result.stderr
    assert result.findings == ()


def test_a_kernel_cannot_free_memory_of_the_host(run_cu: Runner) -> None:
    result = run_cu(HEAP, ["wrong"])
    assert result.returncode < 0
    assert "kernel k, block (0,0,0), thread (0,0,0): free of 0x" in result.stderr


def test_device_functions_and_types(run_cu: Runner) -> None:
    result = run_cu(
        """
#include <cstdio>
#include <device_launch_parameters.h>
#include "cuda_runtime_api.h"
__constant__ float scale[2];
__device__ float total;
template <int N> __device__ __forceinline__ float power(float x) { return x * power<N - 1>(x); }
template <> __device__ __forceinline__ float power<0>(float) { return 1; }
__global__ void __launch_bounds__(64) k(const float4 *__restrict__ in, double *out) {
    float4 v = __ldg(in);
    out[0] = min(v.x, 2) + max(1u, 7) + power<3>(v.y) + rsqrtf(4.0f) + __fdividef(v.z, scale[1]) + sqrt(v.w);
    out[1] = __popc(255) + __clz(1) + __ffs(8) + __mulhi(1 << 30, 8) + abs(-2) + warpSize;
    total = scale[0];
}
int main() {
    float4 h = make_float4(1, 2, 3, 4), *in;
    double *out, r[2]; float s[2] = {5, 6}, t;
    cudaMalloc(&in, sizeof h); cudaMalloc(&out, 16);
    cudaMemcpy(in, &h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(scale, s, sizeof s);
    k<<<1, 1>>>(in, out);
    cudaMemcpy(r, out, 16, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&t, total, 4);
    printf("%g %g %g", r[0], r[1], t);
}"""
    )
    assert result.stdout == "19 79 5"


def test_headers_of_the_library(run_cu: Runner) -> None:
    headers = "algorithm atomic chrono cmath complex functional iostream map memory mutex random regex string thread"
    text = "".join(f"#include <{header}>\n" for header in (*headers.split(), "unordered_map", "vector", "math.h"))
    assert run_cu(text + 'int main() { std::cout << "fine"; }', check=True).stdout == "fine"


def test_c_host_code_calls_stubs(run_cu: Runner) -> None:
    result = run_cu(
        'extern "C" void twice(int *p, int n);\n'
        "__global__ void kernel(int *p, int n) { int i = blockIdx.x * 32 + threadIdx.x; if (i < n) p[i] *= 2; }\n"
        "void twice(int *p, int n) {\n"
        "    int *d; cudaMalloc(&d, n * 4); cudaMemcpy(d, p, n * 4, cudaMemcpyHostToDevice);\n"
        "    kernel<<<(n + 31) / 32, 32>>>(d, n);\n"
        "    cudaMemcpy(p, d, n * 4, cudaMemcpyDeviceToHost); cudaFree(d);\n"
        "}\n",
        host="#include <stdio.h>\nvoid twice(int *, int);\n"
        "int main(void) { int n = 40, class[n]; for (int i = 0; i < n; ++i) class[i] = i;\n"
        "twice(class, n); printf(\"%d %zu\", class[39], sizeof('a')); return 3; }\n",
    )
    assert (result.stdout, result.returncode) == ("78 4", 3)


def test_a_compiler_error_carries_the_message_and_the_line(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"program\.cu:2:.*undeclared_name"):
        build("\n__global__ void k(int *p) { undeclared_name = 1; }", None, tmp_path)


def test_runtime_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = kept.runtime_objects(check=False)
    compiled: list[str] = []

    def call(command: Sequence[str | Path]) -> str:
        """Call a tool; an object file comes from the user's cache, since to compile all takes 8 s of CPU."""
        if "-c" not in command:
            return toolchain.call(command)
        target = Path(command[-1])
        compiled.append(target.name)
        target.write_bytes((made / target.name).read_bytes())
        return ""

    monkeypatch.setattr(kept, "call", call)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("one", "two"):
        assert run(build("int main() { return 0; }", None, tmp_path, name=name)).returncode == 0
    (folder,) = (tmp_path / "cache/accache/cpu").glob("runtime-*")
    assert sorted(compiled) == sorted(path.name for path in folder.glob("*.o"))
    assert {"scheduler.o", "shared_begin.o", "shared_end.o"} <= set(compiled)


SCALE = """#include <stdio.h>
int main(void) {
    float a[3] = {1, 2, 3};
#pragma acc parallel loop
    for (int i = 0; i < 3; ++i) a[i] *= 2;
    printf("%g\\n", a[2]);
}
"""


@pytest.fixture(scope="module")
def scale(tmp_path_factory: pytest.TempPathFactory) -> Translation:
    source = tmp_path_factory.mktemp("scale") / "scale.c"
    source.write_text(SCALE)
    return translate(str(source), Options())


@pytest.mark.parametrize("check", [True, False], ids=["check", "run"])
def test_the_run_time_library_is_compiled_once(check: bool, tmp_path: Path, scale: Translation) -> None:
    program = build(scale.device, scale.host, tmp_path, check=check)
    assert _result(program) == ("6\n", ())
    text = program.executable.with_suffix(".cu.cpp").read_text()
    assert "accache::regions" not in text
    assert "#include <map>" not in text
    assert text.count("\n") == scale.device.count("\n") + 1


def test_another_version_of_the_run_time_library_is_compiled(tmp_path: Path, scale: Translation) -> None:
    changed = scale.device.replace("namespace accache {", "namespace accache { // changed")
    assert changed != scale.device
    program = build(changed, scale.host, tmp_path, optimise="-O0")
    assert _result(program) == ("6\n", ())
    text = program.executable.with_suffix(".cu.cpp").read_text()
    assert "accache::regions" in text
    assert text.count("\n") == changed.count("\n") + 1


@pytest.mark.parametrize("kind", ["check", "capture"])
def test_the_run_time_library_of_a_translated_program_is_compiled_once(
    kind: str, tmp_path: Path, scale: Translation
) -> None:
    source = SourceFile(str(tmp_path / "scale.cu"), scale.joined or "")
    program = build_program(read_program(source, ()), tmp_path, (), **{kind: True})
    assert _result(program) == ("6\n", ())
    text = program.executable.with_suffix(".cu.cpp").read_text()
    assert "accache::regions" not in text
    assert text.count("\n") == source.text.count("\n") + 1


def _result(program: Program) -> tuple[str, tuple[Finding, ...]]:
    done = run(program)
    return done.stdout, done.findings


def test_a_hanging_program_times_out(tmp_path: Path) -> None:
    program = build("int main() { for (;;) {} }", None, tmp_path, optimise="-O0")
    with pytest.raises(subprocess.TimeoutExpired):
        run(program, timeout=0.2)
