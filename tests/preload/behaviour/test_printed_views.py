"""Views printed as CUDA again: nvcc makes the same of them, or they leave the same memory on the PTX machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import view_checks
from commands import accache
from families import some
from printed_views import with_printed_views
from view_checks import check_views

from accache.base.diagnostics import Reporter
from accache.base.text import SourceFile
from accache.cuda.instances import launched_instances
from accache.cuda.text import Cuda, NoViewError, read_cuda
from accache.cuda.view import view
from accache.frontend.source.preprocess import PreprocessOptions
from accache.l1.gpus import KEPLER
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.program import preload

ROOT = Path(__file__).resolve().parents[3]
FORMS = Path(__file__).parents[1] / "forms.cu"
SAMPLES = sorted(path for path in (ROOT / "samples" / "cuda").rglob("*.cu") if "private" not in path.name)
RIGHT = {"same code", "same memory"}
OPTIONS = PreprocessOptions(("cc",), ())
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
MAIN = "int main() { float *p; cudaMalloc(&p, 4096); k<<<1, 32>>>(p, 32); return 0; }\n"


def read(text: str) -> Cuda:
    return read_cuda(SourceFile("program.cu", text))


def instances(text: str) -> list[dict[str, str]]:
    cuda = read(text)
    return list(launched_instances(cuda, cuda.kernels[0]))


def printed(text: str) -> str:
    cuda = read(text)
    kernel = cuda.kernels[-1]
    return with_printed_views(cuda, [view(cuda, kernel, {}, OPTIONS, as_written=True)])


@needs_nvcc
@pytest.mark.parametrize("path", some(SAMPLES, 3), ids=lambda path: str(path.name))
def test_views_of_samples_are_the_same_code(path: Path) -> None:
    found = check_views(Invocation(str(path)))
    assert found
    assert {each.outcome for each in found} <= RIGHT


@needs_nvcc
def test_views_of_all_forms_leave_the_same_memory() -> None:
    found = check_views(Invocation(str(FORMS)))
    assert [each.kernel for each in found].count("sums") == 4
    assert {each.outcome for each in found} <= RIGHT, found


@needs_nvcc
@pytest.mark.thorough
def test_views_of_other_kernels_leave_the_same_memory() -> None:
    assert {each.outcome for each in check_views(Invocation(str(FORMS.with_name("kernels.cu"))))} <= RIGHT


@needs_nvcc
def test_a_view_that_says_something_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        view_checks,
        "with_printed_views",
        lambda *given: with_printed_views(*given).replace("sum += a[j];", "sum -= a[j];"),
    )
    found = check_views(Invocation(str(FORMS)))
    assert {each.kernel for each in found if each.is_wrong} == {"sums"}


@pytest.mark.thorough
def test_forms_with_copies_leave_the_same_memory(tmp_path: Path) -> None:
    found = preload(Invocation(str(FORMS)), KEPLER, 1.0, (32, 1, 1), reporter=Reporter())
    copied = {plan.view.name for plan in found.plans if plan.tiles}
    assert copied == {"products", "named", "operators"}
    path = tmp_path / "forms.cu"
    path.write_text(found.text)
    usual, other = accache("run", FORMS), accache("run", "--check", "--seed", 3, path)
    assert (usual.returncode, other.returncode) == (0, 0), other.stderr
    assert other.stdout == usual.stdout


KERNEL = "template <class T, int N = 4> __global__ void k(T *a, int n) { a[n] = N; }\n"


@pytest.mark.parametrize(
    ("host", "found"),
    [
        ("void f(float *p) { k<float><<<1, 1>>>(p, 1); }", [("float", "4")]),
        ("void f(float *p) { k<<<1, 1>>>(p, 1); }", [("float", "4")]),
        ("void f(const double *q, float *p) { k<<<1, 1>>>(p, 1); k<double, 2><<<1, 1>>>(q, 1); }",
         [("float", "4"), ("double", "2")]),
        ("template <class S> void g(S *p) { k<S, 8><<<1, 1>>>(p, 1); }\nvoid f(int *p) { g(p); g<unsigned int>(0); }",
         [("int", "8"), ("unsigned int", "8")]),
        ("template <int B> void g(float *p) { k<float, B><<<1, 1>>>(p, 1); }\nvoid f() { g<1>(0); g<2>(0); }",
         [("float", "1"), ("float", "2")]),
        ("template <class S> void g(S *p);\ntemplate <class S> void g(S *p) { k<S><<<1, 1>>>(p, 1); }\n"
         "template void g<short>(short *p);", [("short", "4")]),
        ("void f() { float *p, **q; k<<<1, 1>>>(p, 1); }", [("float", "4")]),
        ("void f(double *p, int n) { k<<<1, 1>>>(p + n * 2, 1); k<<<1, 1>>>(&p[n], 1); }", [("double", "4")]),
        ("void f(void *p) { k<<<1, 1>>>((const int *)p, 1); k<<<1, 1>>>(static_cast<unsigned char *>(p + 1), 1); }",
         [("int", "4"), ("unsigned char", "4")]),
    ],
)  # fmt: skip
def test_instances(host: str, found: list[tuple[str, str]]) -> None:
    assert [(each["T"], each["N"]) for each in instances(KERNEL + host)] == found


@pytest.mark.parametrize(
    ("value", "kind"),
    [("1", "int"), ("0.5f", "float"), (".5F", "float"), ("1e3f", ""), ("1.0e-3", "double"), ("2.", "double"),
     ("1u", ""), ("07", ""), ("0x1p3", ""), ("3000000000", "")],
)  # fmt: skip
def test_a_number_tells_its_type(value: str, kind: str) -> None:
    text = f"template <class T> __global__ void k(T a) {{ }}\nvoid f() {{ k<<<1, 1>>>({value}); }}"
    if kind:
        assert instances(text) == [{"T": kind}]
    else:
        with pytest.raises(NoViewError):
            instances(text)


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("void f() { }", "no launch in the file names"),
        ("void f(float **p) { k<<<1, 1>>>(p, 1); }", "leaves 'T' open"),
        ("void f(int p) { k<<<1, 1>>>(p + 1, 1); }", "leaves 'T' open"),
        ("void f(float *p) { k<<<1, 1>>>(p - p, 1); }", "leaves 'T' open"),
        ("void f(float p) { k<<<1, 1>>>(&p, 1); }", "leaves 'T' open"),
        ("void f(V p) { k<<<1, 1>>>(&p[1], 1); }", "leaves 'T' open"),
        ("void f(V p) { k<<<1, 1>>>((float *)p.all + 1, 1); }", "leaves 'T' open"),
        ("void f(V p) { k<<<1, 1>>>((float)p, 1); }", "leaves 'T' open"),
        ("void f(float *p) { { double *p; k<<<1, 1>>>(p, 1); } }", "leaves 'T' open"),
        ("void f() { auto p = get(); k<<<1, 1>>>(p, 1); }", "leaves 'T' open"),
        (
            "template <class S> void g(S *p) { if (p) g<S>(p + 1); k<S><<<1, 1>>>(p, 1); }",
            "no launch in the file names",
        ),
        ("".join(f"void f{n}(float *p) {{ k<float, {n}><<<1, 1>>>(p, 1); }}\n" for n in range(50)), "more than 48"),
    ],
)
def test_instances_that_nothing_tells(host: str, reason: str) -> None:
    with pytest.raises(NoViewError) as told:
        instances(KERNEL + host)
    assert reason in told.value.reason


HEAD = "__global__ void k(float *a, int n) { int i = threadIdx.x; "


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("a[i] = tex2D<float>(n, i + 0.5f, 1);", "a[i] = tex2D<float>(n, i + 0.5f, 1);"),
        (
            "surf2Dwrite(a[i], n, i * 4, 0, cudaBoundaryModeTrap);",
            "surf2Dwrite(a[i], n, i*4, 0, cudaBoundaryModeTrap);",
        ),
        ("__shared__ int first, row[4], last; last = n;", "__shared__ int first;"),
        ("a[i] = __shfl_down_sync(~0u, a[i], 4, 16);", "a[i] = __shfl_down_sync(~0u, a[i], 4, 16);"),
        ("atomicAdd(&a[i], min(i, n));", "atomicAdd(&a[i], min(i, n));"),
        ("assert(i < n);", "assert(i < n);"),
        ("unsigned u = threadIdx.x - 1; a[u / 2] = 0;", "unsigned u = threadIdx.x - 1;"),
        ("volatile float *v = a; v[i] = 1;", "volatile float *v = a;"),
        ("extern __shared__ float tile[]; tile[i] = a[i];", "extern __shared__ float tile[];"),
    ],
)
def test_what_is_printed(body: str, text: str) -> None:
    assert text in printed(f"{HEAD}{body} }}\n")


@pytest.mark.parametrize(
    ("functions", "body", "reason"),
    [
        ("__device__ int f(int x) { return x; }\n__device__ float f(float x) { return x + 1; }\n", "a[i] = f(a[i]);",
         "it uses the overloaded function 'f'"),
        ("__device__ int f(int x) { static int y; y = x; return y; }\n__device__ int f(float x) { return x + 1; }\n",
         "a[i] = f(a[i]);", "it uses the overloaded function 'f'"),
        ("__device__ float step(float &x) { return x = 1; }\n"
         "__device__ float2 operator-(float2 &x) { return make_float2(step(x.x), 0); }\n", "a[i] = 0;",
         "an operator of the program's own may write to memory"),
        ("struct S { float *p; };\n__device__ float operator<<(S s, float &x) { return x = 1; }\n", "a[i] = 0;",
         "an operator of the program's own may write to memory"),
    ],
)  # fmt: skip
def test_functions_that_a_view_would_misread(functions: str, body: str, reason: str) -> None:
    with pytest.raises(NoViewError) as told:
        printed(f"{functions}{HEAD}{body} }}\n")
    assert told.value.reason == reason


def test_an_operator_that_only_makes_a_vector_writes_nothing() -> None:
    minus = "inline __host__ __device__ float2 operator-(float2 &x) { return make_float2(-x.x, -x.y); }\n"
    assert "a[i] = 0" in printed(f"{minus}{HEAD}a[i] = 0; }}\n")


@pytest.mark.parametrize("before", ["", "static int other(int x)\n{\n"])
def test_positions_in_macros(before: str) -> None:
    """Edits of a macro inside of a function that the view leaves out overlapped."""
    after = "    return x;\n}\n" if before else ""
    macro = "#define PLACE (blockIdx.x * blockDim . x + threadIdx.x)\n"
    text = printed(f"{before}{macro}{after}{HEAD}a[PLACE] = i; }}\n")
    assert "a[blockIdx.x*blockDim.x + threadIdx.x] = i;" in text


@needs_nvcc
def test_views_of_declarations_leave_the_same_memory() -> None:
    found = check_views(Invocation(str(FORMS.with_name("declarations.cu"))))
    names = ["positions", "pointers", "small", "chosen", "references", "braces", "instances", "instances"]
    assert [each.kernel for each in found] == names
    assert {each.outcome for each in found} <= RIGHT, found


@pytest.mark.parametrize(
    ("value", "ctype"),
    [
        ("blockIdx.x * blockDim.x + threadIdx.x", "unsigned int"),
        ("a[i]", "float"),
        ("a + i", "const float *"),
        ("&c[i]", "float *"),
        ("a[i] * 2.0", "double"),
        ("n / 2", "int"),
        ("n > 3", "_Bool"),
        ("!n", "_Bool"),
        ("false", "_Bool"),
        ("n ? a[i] > 0 : n == 2", "_Bool"),
        ("(unsigned char)n", "unsigned char"),
        ("static_cast<short>(n)", "short"),
        ("sizeof(n)", "unsigned long"),
        ("s[i]", "short"),
        ("s", "short *"),
        ("__ldg(a + i)", "float"),
        ("make_float2(1, 2).x", "float"),
    ],
)
def test_auto_has_the_type_of_its_value(value: str, ctype: str) -> None:
    text = (
        "__global__ void k(const float *a, float *c, int n)\n"
        f"{{ __shared__ short s[64]; int i = threadIdx.x; const auto first = 1; auto x = {value}; c[i] = first; }}\n"
    )
    cuda = read(text)
    made = view(cuda, cuda.kernels[0], {}, OPTIONS).text.source.text
    assert f"; const int first = 1; {ctype} x = " in made


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("auto f = [](float x) { return x; };", "it uses a lambda"),
        ("auto x = n ? true : false;", "it uses auto"),
        ("auto x = 'a';", "it uses auto"),
        ("auto p = a, q = a;", "it uses auto"),
        ("auto &x = c[0], &y = c[1];", "it declares several references at once"),
        ("{ auto &x = c[0]; } int x = 3;", "'x' is a reference, and something else"),
        ("for (auto x : {1, 2}) c[x] = 0;", "it uses auto"),
    ],
)
def test_declarations_without_a_view(body: str, reason: str) -> None:
    cuda = read(f"__global__ void k(const float *a, float *c, int n) {{ {body} }}\n")
    with pytest.raises(NoViewError) as caught:
        view(cuda, cuda.kernels[0], {}, OPTIONS)
    assert caught.value.reason == reason


@pytest.mark.parametrize("word", ["const auto", "const unsigned"])
def test_a_kernel_with_auto_gets_its_copies(word: str, tmp_path: Path) -> None:
    """What is spliced into the text are edits at places of the text itself."""
    path = tmp_path / "k.cu"
    path.write_text(
        "__global__ void k(const float *a, float *c, int n)\n{\n"
        f"    {word} i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    float sum = 0;\n    for (auto j = 0; j < n; ++j)\n        sum += a[j];\n    c[i] = sum;\n}\n"
        "int main() { float *p; cudaMalloc(&p, 4096); k<<<1, 64>>>(p, p + 512, 32); return 0; }\n"
    )
    found = preload(Invocation(str(path)), KEPLER, 2, (64, 1, 1), reporter=Reporter())
    assert "a_tile[j - j_chunk]" in found.text
    assert f"    {word} i = blockIdx.x" in found.text


@pytest.mark.parametrize(
    ("before", "options", "value", "name"),
    [
        ("", (), "__fsqrt_rn(a[i]) + make_int2(i, 1).x", "int2"),
        ("#define ROOT(a) __fsqrt_rn(a)\n", (), "ROOT(a[i])", "__fsqrt_rn"),
        ("#define ROOT(kind) __fsqrt_##kind\n", (), "ROOT(rn)(a[i])", "__fsqrt_rn"),
        ("#define VECTOR(n) int##n\n", (), "((const VECTOR(2) *)a)[i].x", "int2"),
        ("", ("-DROOT=__fsqrt_rn",), "ROOT(a[i])", "__fsqrt_rn"),
    ],
)
def test_a_view_declares_what_its_text_names(before: str, options: tuple[str, ...], value: str, name: str) -> None:
    cuda = read(
        f"{before}__global__ void k(const float *a, float *c, int n) {{ int i = threadIdx.x; c[i] = {value}; }}\n"
    )
    made = view(cuda, cuda.kernels[0], {}, PreprocessOptions(("cc",), options)).text.source.text
    assert f"float {name}(float);\n" in made if name != "int2" else "typedef struct int2" in made
    assert ("make_double4" in made) == ("##" in before)
