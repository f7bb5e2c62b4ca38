"""Launches and dynamic shared arrays are rewritten; nothing else is touched."""

from __future__ import annotations

import pytest

from accache.cpu.launches import device_names, rewrite
from accache.cpu.tokens import tokenise


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("k<<<g, b>>>(x);", '::accache_cpu::launch("k", k, g, b)(x);'),
        ("k<<<dim3(1, 2), b, n * 4, s>>>(x);", '::accache_cpu::launch("k", k, dim3(1, 2), b, n * 4, s)(x);'),
        ("k<<<(n + 1) >> 2, b>>>();", '::accache_cpu::launch("k", k, (n + 1) >> 2, b)();'),
        ("k << < g, b >> > (x);", '::accache_cpu::launch("k", k,  g, b ) (x);'),
        ("table[i + 1]<<<g, b>>>(x);", '::accache_cpu::launch("table[i + 1]", table[i + 1], g, b)(x);'),
        ("if (a) (*f)<<<g, b>>>(x);", 'if (a) ::accache_cpu::launch("(*f)", (*f), g, b)(x);'),
        ("o.f<<<g, b>>>(x);", '::accache_cpu::launch("o.f", o.f, g, b)(x);'),
        ("k<int, 4><<<g, b>>>(x);", '::accache_cpu::launch("k<int, 4>", k<int, 4>, g, b)(x);'),
        ("k<(a > b)><<<g, b>>>(x);", '::accache_cpu::launch("k<(a > b)>", k<(a > b)>, g, b)(x);'),
        ("k<V<V<int>>><<<g, b>>>(x);", '::accache_cpu::launch("k<V<V<int>>>", k<V<V<int>>>, g, b)(x);'),
        ("::ns::k<<<g, b>>>(x);", '::accache_cpu::launch("::ns::k", ::ns::k, g, b)(x);'),
        ("k<<<\n g,\n b\n>>>(x);", '::accache_cpu::launch("k", k, \n g,\n b\n)(x);'),
        (
            "extern __shared__ float s[];",
            "ACCACHE_CPU_DYNAMIC_SHARED  float s[] ACCACHE_CPU_DYNAMIC_SYMBOL;",
        ),
        (
            "extern __shared__ __align__(16) unsigned char s[];",
            "ACCACHE_CPU_DYNAMIC_SHARED  __align__(16) unsigned char s[] ACCACHE_CPU_DYNAMIC_SYMBOL;",
        ),
    ],
)
def test_rewrites(text: str, rewritten: str) -> None:
    assert rewrite(text) == rewritten


@pytest.mark.parametrize(
    "text",
    [
        "// k<<<g, b>>>(x)\n",
        "/* k<<<g, b>>>(x) */",
        'puts("k<<<g, b>>>(x)");',
        'R"x(k<<<g, b>>>(x))x";',
        "char c = '\"'; // k<<<g, b>>>(x)",
        "extern float s[];",
        "__shared__ float s[4], t[4];",
        "a = b << 3 < (c >> 2);",
        "std::vector<std::vector<std::vector<int>> >(3);",
        "std::vector<std::vector<std::vector<int>>> v(3);",
    ],
)
def test_leaves_alone(text: str) -> None:
    assert rewrite(text) == text


def test_deduced_template_arguments_need_a_call() -> None:
    text = "template <class T> __global__ void k(T *p) {}\nvoid f(int *p) { k<<<1, 2>>>(p); }"
    assert '::accache_cpu::launch_deduced("k", [](auto... arguments_) { k(arguments_...); }, 1, 2)(p)' in rewrite(text)


def test_checker_wants_one_shared_variable_a_declaration() -> None:
    text = "__shared__ float s[4], *t[f(1, 2)], u; __shared__ pair<int, 2> v, w;"
    assert rewrite(text, check=True) == (
        "__shared__ float s[4]; __shared__ float *t[f(1, 2)]; __shared__ float u; "
        "__shared__ pair<int, 2> v; __shared__ pair<int, 2> w;"
    )


@pytest.mark.parametrize("check", [False, True])
def test_shared_comes_first(check: bool) -> None:
    assert rewrite("volatile __shared__ float s[4];", check=check) == "__shared__ volatile float s[4];"
    assert rewrite("static __shared__\nint s;", check=check) == "__shared__\nint s;"
    assert rewrite("static\n__shared__ int s;", check=check) == "__shared__\n int s;"


def test_split_declarations_keep_their_qualifiers() -> None:
    text = "volatile __shared__ int s[2], t;"
    assert rewrite(text, check=True) == "__shared__ volatile int s[2]; __shared__ volatile int t;"


def test_device_names() -> None:
    names = device_names(
        "__constant__ float c[4] = {1}; __device__ int n, m; __device__ int f(int x) { return x; }\n"
        "template <class T> __global__ void __launch_bounds__(256) t(T *p) { extern __shared__ int d[]; }\n"
        'extern "C" __global__ void k(int *p);'
    )
    assert names.kernels == {"t", "k"}
    assert names.templates == {"t"}
    assert names.variables == {"c", "n", "m"}
    assert names.dynamic_arrays == ("d",)


def test_names_of_device_variables() -> None:
    """Behind initialisers, members of types and attributes; in braces, parentheses and declarators; of macros."""
    names = device_names(
        "#define DEVICE __device__\n#define CONSTANT static DEVICE\n"
        "__device__ int a = 3, b[2] = {1, 2}, *c; __constant__ struct { int x[3]; double y; } d[2] = {};\n"
        "__constant__ struct no { int x; } e;\n"
        "__device__ alignas(16) int f{5}; __device__ int (*g)[2], i(6); __device__ int (*j)(int x, int y);\n"
        "DEVICE int k; CONSTANT __attribute__((aligned(8))) float l = max(1, 2), m; __constant__ enum kind n;\n"
        "struct s { DEVICE s &operator=(const s &other) { int no; return *this; } DEVICE s(int no) : no(no) {} };\n"
        "DEVICE int (&no(int no))[2]; void no() { auto no = [] __device__(int no) { int no; }; }"
    )
    assert names.variables == set("abcdefgijklmn")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a<:b:> = <%c%>;", "a [ b ] = { c } ;"),
        ("a<::b> x;", "a < :: b > x ;"),  # [lex.pptoken]: no digraph in front of a qualified name
        ("a<:::b:>; a<::>", "a [ :: b ] ; a [ ]"),
        ("k<<<1, 2>>>(x)", "k <<< 1 , 2 >>> ( x )"),
    ],
)
def test_digraphs_are_brackets(text: str, expected: str) -> None:
    tokens = tokenise(text)
    assert " ".join(token.text for token in tokens) == expected
    assert all(text[token.start : token.end] in (token.text, "<:", ":>", "<%", "%>") for token in tokens)


def test_tokens_cover_the_text() -> None:
    text = "x = 1'000 + 0x1p-3f; c = '\\''; s = \"a\\\"b\"; // end \\\n still\n y"
    assert [token.text for token in tokenise(text)] == [
        *("x", "=", "1'000", "+", "0x1p-3f", ";"),
        *("c", "=", "'\\''", ";", "s", "=", '"a\\"b"', ";", "y"),
    ]
