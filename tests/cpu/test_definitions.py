"""Kernels are found with their templates and parameters, and launches that depend on them are rewritten."""

from __future__ import annotations

import pytest

from accache.cpu.definitions import deduced_parameters, in_template, parameter_names
from accache.cpu.launches import rewrite
from accache.cpu.tokens import tokenise


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        ("", ()),
        ("float *a, int n", ("a", "n")),
        ("const float *__restrict__ a, unsigned int", ("a", "")),
        ("int, float *, ns::T, T x", ("", "", "", "x")),
        ("std::pair<int, int> p, int (*f)(int, int), int a[4]", ("p", "f", "a")),
        ("int n = f(1, 2), dim3 d = {1, 2}", ("n", "d")),
        ("T... rest", ("rest...",)),
    ],
)
def test_parameter_names(parameters: str, names: tuple[str, ...]) -> None:
    assert parameter_names(f"__global__ void __launch_bounds__(64, 2) k({parameters}) {{ }}") == {"k": names}


def test_declarations_and_shared_names_have_no_parameters() -> None:
    assert parameter_names("__global__ void k(int n);") == {}
    assert parameter_names("__global__ void k(int n) {} __global__ void k(float x) {}") == {}


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("__global__ void k(int n) {}", {}),
        ("template <class T> __global__ void k(T n) {}", {"k": 1}),
        ("template <int N, class T = V<int, 2>, class U> static __global__ void k(T n) {}", {"k": 2}),
        ("template <> __global__ void k(int n) {}", {}),
    ],
)
def test_template_arguments_that_say_which_function_a_kernel_is(text: str, needed: dict[str, int]) -> None:
    assert deduced_parameters(tokenise(text)) == needed


@pytest.mark.parametrize(
    ("definition", "launch", "is_deduced"),
    [
        ("template <class T, int N> __global__ void k(T *p) {}", "k<float, 3><<<1, 2>>>(p);", False),
        ("template <class T, int N> __global__ void k(T *p) {}", "k<(3 > 2)><<<1, 2>>>(p);", True),
        ("template <class T> __global__ void k(T *p) {}", "ns::k<<<1, 2>>>(p);", True),
        ("__global__ void k(int *p) {}", "k<<<1, 2>>>(p);", False),
        ("__global__ void k(int *p, int n = 3) {}", "k<<<1, 2>>>(p);", True),
        ("__global__ void k(int *p) {} __global__ void k(float *p) {}", "k<<<1, 2>>>(p);", True),
    ],
)
def test_calls_choose_the_function_of_a_launch(definition: str, launch: str, is_deduced: bool) -> None:
    assert ("launch_deduced" in rewrite(f"{definition} void f() {{ {launch} }}")) is is_deduced
    assert ("launch_deduced" in rewrite(f"void f() {{ {launch} }}", others=(definition,))) is is_deduced


def test_only_such_kernels_tell_their_parameters() -> None:
    text = "template <class T> __global__ void k(T *p, int) { } __global__ void l(int n) { }"
    assert rewrite(text, capture=True) == (
        "template <class T> __global__ void k(T *p, int accache_cpu_1) {"
        " ACCACHE_CPU_PARAMETERS(accache_cpu_here(), p, accache_cpu_1) } __global__ void l(int n) { }"
    )
    assert rewrite(text) == text


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("cudaLaunchKernel((void *)k, g, b, a);", '::accache_cpu::launch_array("k", k, g, b, a);'),
        (
            "cudaLaunchKernel(&ns::k<int, 4>, g, b, a);",
            '::accache_cpu::launch_array("ns::k<int, 4>", ns::k<int, 4>, g, b, a);',
        ),
        ("cudaLaunchKernel(table[3], g, b, a);", "cudaLaunchKernel(table[3], g, b, a);"),
    ],
)
def test_launches_with_an_array_of_arguments(text: str, rewritten: str) -> None:
    assert rewrite(text) == rewritten


def test_dynamic_shared_arrays_of_templates() -> None:
    assert rewrite("template <class T> __global__ void k() { extern __shared__ T a[][4]; }") == (
        "template <class T> __global__ void k() {   T (&a)[][4] = ::accache_cpu::dynamic_shared; }"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("template <class T> void f() { if (1) { HERE; } }", True),
        ("template <class T> struct S { void f() { for (;;) { HERE; } } };", True),
        ("template <class T> void f(); void g() { HERE; }", False),
        ("template <class T> void f() { } void g() { HERE; }", False),
        ("template <> void f<int>() { HERE; }", False),
        ("namespace n { void g() { HERE; } }", False),
    ],
)
def test_tells_what_stands_in_templates(text: str, expected: bool) -> None:
    tokens = tokenise(text)
    position = next(index for index, token in enumerate(tokens) if token.text == "HERE")
    assert in_template(tokens, position) is expected
