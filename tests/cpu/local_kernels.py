"""Variables of a thread's own that are used before they have a value; cases as in ``kernels``."""

from __future__ import annotations

from kernels import Case


def _kernel(body: str, before: str = "") -> str:
    return f"{before}__global__ void k(float *a, float *b) {{ int i = threadIdx.x;\n{body} }}"


def _case(body: str, wrong: str, right: str, variable: str, before: str = "") -> Case:
    return _kernel(body, before), wrong, right, "k<<<1, 64>>>(a, b)", {("uninitialised", variable)}


CASES: dict[str, Case] = {
    "scalar set by some threads": _case("float x; if (i > 3) x = 1; b[i] = x;", "if (i > 3) ", "", "x"),
    "sum that begins nowhere": _case(
        "float total; /**/ for (int j = 0; j < 4; ++j) total += j; b[i] = total;", "/**/", "total = 0;", "total"
    ),
    "scalar behind a structure": _case(
        "struct Two { int u[2]; } two; float x; two.u[1] = i; if (two.u[1]) x = 1; b[i] = x;", "if (two.u[1]) ", "", "x"
    ),
    "scalar beside shared structures": _case(
        "__shared__ struct { int u[4]; } s; volatile struct { int v; } t;\n"
        "alignas(8) __shared__ enum E { one, two } e; float x; t.v = 1;\n"
        "if (i == 0) s.u[2] = t.v, e = one; if (i > t.v) x = 1; b[i] = x;",
        "if (i > t.v) ",
        "",
        "x",
    ),
    "value of a lane that has none": _case(
        "float base; if (i % 32 == 1) base = i; base = __shfl_sync(~0u, base, 0); b[i] = base;", "== 1", "== 0", "base"
    ),
    "value that the next lane has not": _case(
        "float x; if (i % 4 > 0) x = i; float y = __shfl_xor_sync(~0u, x, 1); b[i] = i % 4 == 2 ? y : 0;",
        "if (i % 4 > 0) ",
        "",
        "x",
    ),
    "element of a local array": _case(
        "float t[4]; for (int j = 1; j < 4; ++j) t[j] = j; b[i] = t[i & 3];", "j = 1", "j = 0", "t"
    ),
    "rows of a local matrix": _case(
        "int t[2][3]; for (int j = 0; j < 3; ++j) t[0][j] = t[1][j - 1 + (j == 0)] = j; b[i] = t[1][2];",
        "t[1][2]",
        "t[0][2]",
        "t",
    ),
    "second of two variables": _case("float x = 1, y; if (a[i] < 0) y = 2; b[i] = x + y;", ", y;", ", y = 3;", "y"),
    "variable that a routine leaves alone": _case(
        "float x; leave(i, x); b[i] = x;",
        "if (i < 9) ",
        "",
        "x",
        "__device__ void leave(int i, float &x) { if (i < 9) x = i; }\n",
    ),
    "variable of a routine": _case(
        "b[i] = root(a[i]);",
        "if (x > 5) ",
        "",
        "r",
        "__device__ float root(float x) { float r; if (x > 5) r = sqrtf(x); return r; }\n",
    ),
    "variable of a template": _case(
        "b[i] = doubled(a[i]);",
        "if (i) ",
        "",
        "r",
        "template <class T> __device__ T doubled(T x) { int i = threadIdx.x; T r; if (i) r = x + x; return r; }\n",
    ),
    "pointer": _case("float *p; if (i < 60) p = a; if (i < 62) b[i] = *(p ? a : a + 1);", "i < 62", "i < 60", "p"),
    "variable of a loop's round": _case(
        "for (int j = 0; j < 3; ++j) { float last; if (j != 1) last = j; b[i] = last; }", "if (j != 1) ", "", "last"
    ),
    "variable of a lambda": _case("auto f = [&] { float x; if (i) x = 2; return x; }; b[i] = f();", "if (i) ", "", "x"),
    "case that sets nothing": _case(
        "int x; switch (i & 3) { case 0: x = 1; break; case 1: x = 2; break; default: /**/ break; } b[i] = x;",
        "/**/",
        "x = 0;",
        "x",
    ),
    "variable of an atomic update": _case("int n; /**/ atomicAdd(&n, i); b[i] = n;", "/**/", "n = 0;", "n"),
    "copied by memcpy": _case("float x, y; /**/ memcpy(&y, &x, sizeof y); b[i] = y;", "/**/", "x = i;", "y"),
}

CLEAN: dict[str, tuple[str, str]] = {
    "results of the C library": (
        _kernel(
            "float s, c, whole; double d, e; int exponent, quotient; sincosf(a[i], &s, &c); modff(a[i], &whole);\n"
            "sincos(a[i], &d, &e); d += frexp(a[i], &exponent); d += remquo(a[i], 3.0, &quotient);\n"
            "b[i] = s + c + whole + d + e + exponent + quotient;"
        ),
        "k<<<1, 64>>>(a, b)",
    ),
    "filled by memset and memcpy": (
        _kernel("float x[4], y[4], z; memset(x, 0, sizeof x); memcpy(y, x, sizeof y);\n"
            "memcpy(&z, a + i, 4); b[i] = y[i & 3] + z;"),
        "k<<<1, 64>>>(a, b)",
    ),
    "jumps past declarations": (
        _kernel("if (i > 5) goto done; { float x; if (i) x = 1; else x = 2; b[i] = x; } done: b[i] = 0;"),
        "k<<<1, 64>>>(a, b)",
    ),
    "jump into the scope of a variable": (
        _kernel("if (i > 5) goto done; float x; x = a[i]; a[i] = x; done: x = 2; b[i] = x;"),
        "k<<<1, 64>>>(a, b)",
    ),
    "structure of which a part is set": (
        "struct Two { float x, y; };\n" + _kernel("Two t, u; t.y = a[i]; u = t; b[i] = u.y;"),
        "k<<<1, 64>>>(a, b)",
    ),
    "type within a routine": (
        _kernel("struct Own { int x; float y; } own; own.y = 1; enum { Few, Many } n; n = Many; b[i] = own.y + n;"),
        "k<<<1, 64>>>(a, b)",
    ),
    "device that the runtime names": (
        _kernel("int device; cudaGetDevice(&device); b[i] = device;"),
        "k<<<1, 64>>>(a, b)",
    ),
    "left through a pointer": (
        "__device__ void both(float x, float *one, float *two) { *one = x; *two = -x; }\n"
        + _kernel("float x, y; both(a[i], &x, &y); b[i] = x + y;"),
        "k<<<1, 64>>>(a, b)",
    ),
    "set by asm": (
        _kernel('unsigned lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane)); b[i] = lane;'),
        "k<<<1, 64>>>(a, b)",
    ),
    "one after another in the same place": (
        _kernel("{ float x[8]; for (int j = 0; j < 4; ++j) x[j] = j; b[i] = x[i & 3]; }\n"
            "{ float y[8] = {1}; b[i] += y[i & 7]; }"),
        "k<<<1, 64>>>(a, b)",
    ),
    "barrier within the scope": (
        _kernel("float x; if (i >= 0) x = a[i]; __syncthreads(); if (i == 0) a[0] = 5; __syncthreads(); b[i] = x;"),
        "k<<<1, 64>>>(a, b)",
    ),
}  # fmt: skip
