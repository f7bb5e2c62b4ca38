"""What nvcc, or C++, may read otherwise than a view does: there is none, or it says what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.diagnostics import Reporter
from accache.l1.gpus import KEPLER
from accache.workflows.bypass.running import Invocation
from accache.workflows.preload.program import Preloaded, preload

KERNEL = """
__global__ void k(const float *__restrict__ a, float *__restrict__ c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < n; ++j)
        sum += a[j * STEP] * i;
    c[i] = sum;
}
"""
LAUNCH = "void run(float *a, float *c) { k<<<1, 16>>>(a, c, 16); }\n"
CHOICE = "#if {}\n#define STEP 2\n#else\n#define STEP 1\n#endif\n"


def preloaded(folder: Path, text: str, *words: str) -> Preloaded:
    path = folder / "program.cu"
    path.write_text(text + LAUNCH)
    return preload(Invocation(str(path), words), KEPLER, 0.4, (16, 1, 1), reporter=Reporter())


def steps(found: Preloaded) -> list[float]:
    """How far the elements of two iterations are from each other, of each copy."""
    tiles = [tile for plan in found.plans for tile in plan.tiles]
    return [(tile.box.elements - 1) / (tile.chunk - 1) for tile in tiles]


def reason(found: Preloaded) -> str:
    (told,) = found.diagnostics
    assert told.code == "ACC984"
    assert not found.plans
    return told.message.removeprefix("the kernel 'k' cannot be rewritten: ")


@pytest.mark.parametrize(
    ("condition", "word"),
    [
        ("__CUDA_ARCH__ >= 700", "__CUDA_ARCH__"),
        ("defined(__cplusplus)", "__cplusplus"),
        ("defined(LARGE) && CUDART_VERSION > 9000", "CUDART_VERSION"),
        ("true", "true"),
        ("0\n#elif __NVCC__", "__NVCC__"),
    ],
)
def test_what_compilers_answer_in_different_ways_decides_nothing(condition: str, word: str, tmp_path: Path) -> None:
    found = preloaded(tmp_path, CHOICE.format(condition) + KERNEL)
    assert reason(found) == f"nvcc may read it otherwise, by the value of '{word}'"
    assert found.diagnostics[0].location is not None
    assert found.diagnostics[0].location.line == 1
    assert found.text == (tmp_path / "program.cu").read_text()


@pytest.mark.parametrize(
    "before",
    [
        "#ifdef __CUDA_ARCH__\n#define MODERN 1\n#endif\n" + CHOICE.format("MODERN"),
        "#define MODERN __cplusplus\n" + CHOICE.format("MODERN"),
        "#ifndef __CUDA_ARCH__\nconst int STEP = 1;\n#else\nconst int STEP = 2;\n#endif\n",
        '#ifdef __CUDA_ARCH__\n#include "step.h"\n#else\nconst int STEP = 2;\n#endif\n',
        '#ifdef __CUDA_ARCH__\n#include "two.h"\n#else\n#include "step.h"\n#endif\n',
        '#ifdef __CUDA_ARCH__\n#include "around.h"\n#else\n#include "step.h"\n#endif\n',
        '#ifdef __CUDA_ARCH__\n#include "step.h"\n#else\n#include "around.h"\n#endif\n',
        '#ifdef __CUDA_ARCH__\n#include "modern.h"\n#endif\n' + CHOICE.format("MODERN"),
        "#define MODERN 1\n#ifdef __CUDA_ARCH__\n#undef MODERN\n#endif\n" + CHOICE.format("MODERN"),
        '#include "wide.h"\n#define STEP WIDE\n',
        "__device__ int step()\n{\n#ifdef __CUDA_ARCH__\nreturn 2;\n#endif\nreturn 1;\n}\n#define STEP step()\n",
    ],
)
def test_nor_do_they_by_another_name_or_in_another_place(before: str, tmp_path: Path) -> None:
    (tmp_path / "step.h").write_text("const int STEP = 1;\n")
    (tmp_path / "two.h").write_text("const int STEP = 2;\n")
    (tmp_path / "around.h").write_text('#include "two.h"\n')
    (tmp_path / "modern.h").write_text("#define MODERN 1\n")
    (tmp_path / "wide.h").write_text("#ifdef __CUDA_ARCH__\n#define WIDE 2\n#else\n#define WIDE 1\n#endif\n")
    assert "nvcc may read it otherwise, by the value of '" in reason(preloaded(tmp_path, before + KERNEL))


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("#ifdef __CUDA_ARCH__\n#define OTHER 1\n#endif\n#define STEP 1\n", ()),
        ("#ifdef __cplusplus\nvoid other();\n#endif\n#define STEP 1\n", ()),
        (CHOICE.format("WIDE"), ()),
        (CHOICE.format("__WIDE"), ("-D__WIDE=0",)),
        (CHOICE.format("WIDE /* as __CUDA_ARCH__ */"), ()),
        (CHOICE.format("defined(_WIN32)"), ()),
        ('#include "guarded.h"\n', ()),
        ("#ifdef __CUDACC__\n#define STEP 1\n#endif\n", ()),
    ],
)
def test_what_all_compilers_answer_alike_is_read(before: str, words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "guarded.h").write_text("#ifndef __GUARDED_H\n#define __GUARDED_H\n#define STEP 1\n#endif\n")
    found = preloaded(tmp_path, before + KERNEL, *words)
    assert [tile.array for plan in found.plans for tile in plan.tiles] == ["a"]


@pytest.mark.parametrize(
    ("before", "kernel", "told"),
    [
        ("#define STEP 1\n", KERNEL.replace("float sum", '#include "rest.inc"\n    float sum'), "it includes a file"),
        (
            "#define STEP blockIdx_x\n",
            KERNEL.replace("int i", "int blockIdx_x = 2, i"),
            "it has 'blockIdx_x' of its own",
        ),
        ("#define STEP __LINE__\n", KERNEL, "it uses '__LINE__'"),
        ("#define STEP __builtin_LINE()\n", KERNEL, "it uses '__builtin_LINE'"),
        ("#define STEP sizeof(__func__)\n", KERNEL, "it uses '__func__'"),
        ("", KERNEL.replace("sum += a", "[[likely]] sum += a"), "C has no such construct"),
        ("#define STEP 1\n", KERNEL.replace("float sum", "printf(__FUNCTION__); float sum"), "it uses '__FUNCTION__'"),
        (
            "__device__ int size() { return sizeof(__PRETTY_FUNCTION__); }\n",
            KERNEL.replace("STEP", "size()"),
            "it uses '__PRETTY_FUNCTION__'",
        ),
        ("#define STEP sizeof('a')\n", KERNEL, "it uses the size of a character or a truth value"),
        ("#define STEP (int)sizeof(n < 3)\n", KERNEL, "it uses the size of a character or a truth value"),
        ("", KERNEL.replace("STEP", "sizeof(true)"), "it uses the size of a character or a truth value"),
        ("struct Empty {};\n", KERNEL.replace("STEP", "(int)sizeof(Empty)"), "it uses the size of a structure"),
        ("namespace one { const int STEP = 1; }\nconst int STEP = 2;\n", KERNEL, "'STEP' is declared in several"),
    ],
)
def test_what_c_reads_otherwise_is_told(before: str, kernel: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "rest.inc").write_text("i ^= 1;\n")
    assert reason(preloaded(tmp_path, before + kernel)).startswith(told)


def test_a_function_that_a_kernel_calls_keeps_its_name(tmp_path: Path) -> None:
    text = "__device__ int size() { return sizeof(__func__) / 2; }\n" + KERNEL.replace("STEP", "2")
    assert steps(preloaded(tmp_path, text.replace("float sum", "i += size(); float sum"))) == [2]


@pytest.mark.parametrize(
    ("before", "step"),
    [
        ('#define STEP 2\n#pragma push_macro("STEP")\n#undef STEP\n#define STEP 1\n#pragma pop_macro("STEP")\n', 2),
        ("const unsigned char STEP = 257;\n", 1),
        ("constexpr bool STEP = 2;\n", 1),
        ("const signed char STEP = 258;\n", 2),
    ],
)
def test_values_are_those_of_cuda(before: str, step: int, tmp_path: Path) -> None:
    assert steps(preloaded(tmp_path, before + KERNEL)) == [step]


@pytest.mark.parametrize("argument", ["1 + 1", "TWO"])
def test_a_value_of_a_template_is_one_operand(argument: str, tmp_path: Path) -> None:
    text = "#define TWO 1 + 1\ntemplate <int STEP>" + KERNEL.lstrip().replace("STEP]", "STEP + 2 * j * STEP]")
    path = tmp_path / "program.cu"
    path.write_text(text + LAUNCH.replace("k<<<", f"k<{argument}><<<"))
    found = preload(Invocation(str(path)), KEPLER, 0.1, (16, 1, 1), reporter=Reporter())
    assert steps(found) == [6]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ((), ["#ifdef STEP", "#ifdef WIDE"]),
        (("-DSTEP=2",), ["#if defined STEP && STEP != 2", "#define STEP 2", "#ifdef WIDE"]),
        (("-DWIDE",), ["#if defined WIDE && WIDE != 1", "#define WIDE 1", "#ifdef STEP"]),
        (("-DSTEP=(2)", "-DOTHER=3"), ["#define STEP (2)", "#ifdef WIDE"]),
    ],
)
def test_macros_from_outside_stay_what_they_were(words: tuple[str, ...], lines: list[str], tmp_path: Path) -> None:
    """Who compiles the file with other macros than preload was given is told."""
    text = (
        "#ifndef STEP\n#define STEP 1\n#endif\n#ifdef WIDE\n#undef STEP\n#define STEP 3\n#endif\n#ifdef NOISE\n#endif\n"
    )
    found = preloaded(tmp_path, text + KERNEL, *words)
    head = found.text[: found.text.index(text)].splitlines()
    assert [line for line in head if line.startswith(("#if", "#define"))] == lines
    assert sum(line.startswith("#error") for line in head) == sum(line.startswith("#if") for line in lines)


@pytest.mark.parametrize(
    "text",
    ["#define STEP 1\n", "#ifndef GUARD\n#define GUARD\n#define STEP 1\n#endif\n", CHOICE.format("defined _WIN32")],
)
def test_a_text_that_asks_for_no_macro_gets_no_lines_for_them(text: str, tmp_path: Path) -> None:
    assert preloaded(tmp_path, text + KERNEL).text.startswith(text)


def test_macros_that_no_condition_asks_for_stay_as_well(tmp_path: Path) -> None:
    found = preloaded(tmp_path, KERNEL.lstrip(), "-DSTEP=2")
    assert "#if defined STEP && STEP != 2" in found.text[: found.text.index(KERNEL.lstrip())].splitlines()


SIGN = "((-8) / N > 100 ? 2 : 1)"
"""2 where N is unsigned, so that -8 is a large number, and 1 where it is an int."""


@pytest.mark.parametrize(
    ("before", "arguments", "step"),
    [
        ("const unsigned N = 2;\n", "", 2),
        ("namespace own { constexpr size_t N = 2; }\nusing namespace own;\n", "", 2),
        ("const long N = 2;\n", "", 1),
        ("const unsigned short N = 2;\n", "", 1),
        ("enum { N = 2 };\n", "", 1),
        ("template <int N>", "2u", 1),
        ("template <int N>", "sizeof(short)", 1),
        ("template <unsigned N>", "2", 2),
        ("template <unsigned N = 2>", "", 2),
    ],
)
def test_constants_have_the_types_that_they_are_declared_with(
    before: str, arguments: str, step: int, tmp_path: Path
) -> None:
    path = tmp_path / "program.cu"
    launch = LAUNCH.replace("k<<<", f"k<{arguments}><<<") if "template" in before else LAUNCH
    path.write_text(before + KERNEL.lstrip().replace("STEP", SIGN) + launch)
    found = preload(Invocation(str(path)), KEPLER, 0.4, (16, 1, 1), reporter=Reporter())
    assert steps(found) == [step]


@pytest.mark.parametrize(
    ("before", "kernel", "told"),
    [
        (
            "enum E { A, B };\n__device__ int operator+(E a, E b) { return 2; }\n",
            KERNEL.replace("STEP", "(A + B)"),
            "an operator of the program's own may take enumerations",
        ),
        ("enum { N = 2, LAST = 0xffffffff };\n", KERNEL.replace("STEP", SIGN), "'N' is of an enumeration with values"),
        (
            "namespace own { const int STEP = 2; }\n",
            KERNEL.replace("STEP", "own::STEP").replace("int i", "int STEP = 1, i"),
            "it has a 'STEP' of its own beside the one of a namespace",
        ),
        (
            "const int STEP = 2;\n",
            KERNEL.replace("STEP", "::STEP").replace("int n", "int STEP, int n"),
            "it has a 'STEP' of its own beside the one of a namespace",
        ),
        (
            "__device__ uint3 other;\n#define blockIdx other\n#define STEP 1\n",
            KERNEL,
            "the macro 'blockIdx' changes what it is in CUDA",
        ),
        (
            '#define STEP 1\n#include "step.inc"\n#define WIDE\n#include "step.inc"\n',
            KERNEL,
            "a header of macros is included again",
        ),
        (
            '#define STEP 1\n#include "other.inc"\n#include "other.inc"\n',
            KERNEL,
            "a header of macros is included again",
        ),
        (
            '#define HEADER "step.h"\n#include HEADER\n#ifndef STEP\n#define STEP 1\n#endif\n',
            KERNEL,
            "a macro or a comment stands in front of the name of a header",
        ),
        (
            'void other()\n{\n#include "step.h"\n}\n#ifndef STEP\n#define STEP 1\n#endif\n',
            KERNEL,
            "a header of macros is included inside of a function or a type",
        ),
    ],
)
def test_what_cplusplus_finds_elsewhere_is_told(before: str, kernel: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "other.inc").write_text("#ifndef WIDE\n#define HIGH\n#endif\n")
    (tmp_path / "step.inc").write_text("#ifdef WIDE\n#undef STEP\n#define STEP 2\n#endif\n")
    (tmp_path / "step.h").write_text("#define STEP 2\n")
    assert reason(preloaded(tmp_path, before + kernel)).startswith(told)


@pytest.mark.parametrize(
    "before",
    [
        '#include "guarded.h"\n#include "guarded.h"\n',
        '#include "once.h"\n#include "once.h"\n',
        '#include "asked.h"\n#include "asked.h"\n',
        '#define STEP 1\n#include "plain.h"\n#include "plain.h"\n',
        '#define STEP 1\nvoid other()\n{\n#include "plain.h"\n}\n',
        "#ifndef __CUDACC__\n#define blockIdx other\n#endif\n#define STEP 1\n",
        "namespace own { const int STEP = 1; }\n#define WIDE own::\nusing namespace own;\n",
    ],
)
def test_headers_that_are_empty_again_are_read(before: str, tmp_path: Path) -> None:
    (tmp_path / "guarded.h").write_text("#ifndef GUARDED_H\n#define GUARDED_H\n#define STEP 1\n#endif\n")
    (tmp_path / "asked.h").write_text("#if !defined(ASKED_H)\n#define ASKED_H\n#define STEP 1\n#endif\n")
    (tmp_path / "once.h").write_text("// once\n#pragma once\n#define STEP 1\n")
    (tmp_path / "plain.h").write_text("void plain();\n")
    assert steps(preloaded(tmp_path, before + KERNEL)) == [1]


def test_a_cast_binds_less_than_the_subscript_behind_it(tmp_path: Path) -> None:
    """C reads ``(const int *)(a)[j]`` as a cast of an element."""
    text = KERNEL.replace("a[j * STEP]", "reinterpret_cast<const int *>(a)[j]")
    found = preloaded(tmp_path, text)
    assert not found.diagnostics
    assert not steps(found)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("-DSTEP=2", "-USTEP"), "#ifdef STEP"),
        (("-USTEP", "-DSTEP=2"), "#define STEP 2"),
        (("-DTIMES(x)=(2*(x))", "-DSTEP=TIMES(1)"), "#define TIMES(x) (2*(x))"),
    ],
)
def test_the_last_option_for_a_macro_counts(words: tuple[str, ...], line: str, tmp_path: Path) -> None:
    text = "#ifndef STEP\n#define STEP 1\n#endif\n"
    found = preloaded(tmp_path, text + KERNEL, *words)
    assert line in found.text[: found.text.index(text)].splitlines()


TEMPLATE = "template <int STEP>" + KERNEL.lstrip()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "const int N = 2;\n" + TEMPLATE.replace("n;", "N;") + LAUNCH.replace("{ k", "{ constexpr int N = 1; k<N>"),
            "it is a template with the argument 'N'",
        ),
        (
            "#define N 2\n" + TEMPLATE + "#undef N\n#define N 1\n" + LAUNCH.replace("{ k", "{ k<N>"),
            "it is a template with the argument 'N'",
        ),
        (
            "typedef int T;\n"
            + TEMPLATE.replace("int STEP", "typename S").replace("STEP", "sizeof(S)").replace("int i", "T i")
            + LAUNCH.replace("{ k", "{ using T = char; k<T>"),
            "it is a template with the argument 'T'",
        ),
        (
            "__device__ void two(int &m) { m = 2; }\n#define SET(m) two(m)\n"
            + KERNEL.replace("STEP", "m").replace("float sum", "int m = 1; SET(m); float sum")
            + LAUNCH,
            "the macro 'SET' calls what takes a reference",
        ),
        (
            "__device__ void two(int &m) { m = 2; }\n"
            + KERNEL.replace("STEP", "m").replace("float sum", "int m = 1; (two)(m); float sum")
            + LAUNCH,
            "it calls 'two', which takes a reference, in another way",
        ),
        (
            "typedef float &Cell;\n__device__ void two(Cell m) { m = 2; }\n"
            + KERNEL.replace("const float *__restrict__ a", "float *a").replace("float sum", "two(a[3]); float sum")
            + LAUNCH,
            "C has no such construct as in 'Cell'",
        ),
        (
            "__device__ void two(const float &m) { ((float &)m) = 2; }\n"
            + KERNEL.replace("float sum", "two(a[3]); float sum")
            + LAUNCH,
            "C has no such construct as in 'two'",
        ),
    ],
)
def test_what_a_function_changes_is_seen_or_told(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "program.cu"
    path.write_text(text.replace("* STEP]", "* 1]") if "<int STEP>" not in text else text)
    found = preload(Invocation(str(path)), KEPLER, 0.4, (16, 1, 1), reporter=Reporter())
    assert reason(found).startswith(told)


def test_a_function_that_takes_a_reference_is_read(tmp_path: Path) -> None:
    text = "#define STEP 1\n__device__ void add(float &sum, float value) { sum += value; }\n" + KERNEL.replace(
        "sum += a[j * STEP] * i;", "add(sum, a[j * STEP] * i);"
    )
    assert steps(preloaded(tmp_path, text)) == [1]


@pytest.mark.parametrize(
    ("before", "statement", "told"),
    [
        (
            "__device__ float *g;\nstruct Q { int a; __device__ Q(int b) : a(b) { g[3] = b; } };\n",
            "Q q(i);",
            "C has no such construct as in 'Q'",
        ),
        (
            "__device__ float *g;\nstruct Q { __device__ ~Q() { g[3] = 2; } };\n",
            "Q q;",
            "C has no such construct as in 'Q'",
        ),
        (
            "__device__ float *g;\n__device__ float operator*(float2 a, float b) { g[3] = b; return a.x; }\n",
            "float2 q; q.x = q * 2.0f;",
            "an operator of the program's own may write to memory",
        ),
        ("extern __device__ void other(int i);\n", "other(i);", "it calls 'other', which is not defined in the file"),
        (
            "typedef void (*Other)(int);\n__device__ Other other;\n",
            "other(i);",
            "it calls 'other', which is not defined in the file",
        ),
        (
            "#define ON(type) static __device__ type\n__device__ float *g;\nON(void) other(int i) { g[3] = i; }\n",
            "other(i);",
            "it calls 'other', which is not defined in the file",
        ),
        (
            "__device__ float *g;\n#define MAKE(name) __device__ void name(int i) { g[3] = i; }\nMAKE(other);\n",
            "other(i);",
            "it calls 'other', which is not defined in the file",
        ),
        (
            "__device__ float *g;\n__forceinline__ int other(int i) { return [&] { return i; }(); }\n",
            "other(i);",
            "it calls 'other', which is no C",
        ),
        (
            '#define BOTH __host__ __device__\ntemplate <class T> BOTH T other(T i) { asm(""); return i; }\n',
            "other(i);",
            "it uses the template 'other'",
        ),
        (
            "#define BOTH __host__ __device__\n#define INLINE BOTH inline\n__device__ float *g;\n"
            "INLINE float operator*(float2 a, float b) { g[3] = b; return a.x; }\n",
            "float2 q; q.x = q * 2.0f;",
            "an operator of the program's own may write to memory",
        ),
    ],
)
def test_what_nobody_knows_may_write(before: str, statement: str, told: str, tmp_path: Path) -> None:
    kernel = KERNEL.replace("STEP", "1").replace("float sum", statement + " float sum")
    assert reason(preloaded(tmp_path, before + kernel)).startswith(told)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return i;", ""),
        ("g[3] = i; return i;", "may alias: the kernel writes to what no parameter points to"),
        ("__syncthreads(); return i;", "its threads may wait for each other by __syncthreads"),
    ],
)
@pytest.mark.parametrize("result", ["int", "Number", "float2 *"])
def test_a_macro_may_hold_the_words_of_a_device_function(result: str, body: str, told: str, tmp_path: Path) -> None:
    """Without a type of C behind it the parser left the function out, and nobody knew what it did."""
    made = body.replace("return i", "return 0" if "*" in result else "return i")
    before = (
        "#define BOTH __host__ __device__ __forceinline__\ntypedef int Number;\n__device__ float *g;\n"
        f"BOTH {result} other(int i) {{ {made} }}\nstatic float root = sqrtf(2.0f);\n#define STEP 1\n"
    )
    kernel = KERNEL.replace("float sum", "other(i); float sum").replace("* i;", "* sqrtf(i);")
    found = preloaded(tmp_path, before + kernel)
    assert not found.diagnostics
    assert [each.reason for each in found.plans[0].decisions if each.array == "a"] == [told]


@pytest.mark.parametrize(
    ("lines", "macro"),
    [
        ("#undef STEP\n#define STEP 2", "STEP"),
        ("#undef ONE\n#define ONE 2", "ONE"),
        ('#pragma push_macro("STEP")\n#undef STEP\n#define STEP 2', "STEP"),
        ("#define WIDE 1", ""),
        ("#define WIDE 1\n#undef WIDE\n#define WIDE 2", ""),
        ("#pragma unroll", ""),
    ],
)
def test_macros_that_a_kernel_changes_have_other_values_behind_it(lines: str, macro: str, tmp_path: Path) -> None:
    """The second version stands behind the kernel, and used what the kernel's text had left."""
    kernel = KERNEL.replace("    c[i] = sum", f"{lines}\n    for (; i < 0; ++i);\n    c[i] = sum")
    found = preloaded(tmp_path, f"#define ONE 1\n#define STEP ONE\n{kernel}")
    if macro:
        assert reason(found) == f"it uses the macro '{macro}' and changes it"
    else:
        assert steps(found) == [1]


def test_a_type_that_is_no_c_is_named(tmp_path: Path) -> None:
    """It said that there is no such member."""
    sizes = "struct Sizes { int step = 1; int sum() const { return step; } };\n"
    found = preloaded(tmp_path, sizes + KERNEL.replace("int n", "int n, Sizes sizes").replace("STEP", "sizes.step"))
    assert reason(found).startswith("C has no such construct as in 'Sizes'")


@pytest.mark.parametrize(
    "head", ["float *__restrict__ c,\n#if 1\nint n\n#else\nlong n\n#endif\n)", "float *c, int n)\n#line 9\n"]
)
def test_a_head_with_lines_of_the_preprocessor_stays(head: str, tmp_path: Path) -> None:
    """What launches the kernel had the parameters of both branches."""
    found = preloaded(tmp_path, "#define STEP 1\n" + KERNEL.replace("float *__restrict__ c, int n)\n", head))
    assert reason(found) == "a line of the preprocessor stands in its head"
