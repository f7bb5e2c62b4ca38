"""Structures that routines take and give by value, as ``kernels`` has its cases: each access of one must be seen."""

from __future__ import annotations

from kernels import Case

PAIR = "struct Pair { float x, y; };\n"
ROW = "struct Row { float part[5]; double last; };\n"
MAKE = "static __device__ Pair make(int i) { Pair p; p.x = i; p.y = -i; return p; }\n"
SUM = "static __device__ float sum(Pair p) { return p.x + p.y; }\n"
SAME = "static __device__ Pair same(Pair p) { return p; }\n"


def reading(routines: str, used: str, element: str = "Pair") -> Case:
    """A case of ``used``, which takes ``p[i]`` of 32 structures, for more threads than that."""
    return (
        f"{routines}__global__ void k({element} *p, float *b) {{ int i = threadIdx.x; b[i] = {used}; }}",
        used,
        used.replace("[i]", "[i % 8]"),
        f"k<<<1, 64>>>(({element} *)a, b)",
        {("out-of-bounds", "a")},
    )


def uninitialised(routines: str, used: str, element: str = "Pair") -> Case:
    """A case of ``used``, which takes ``p[i]`` of structures that nobody wrote, and of others in its twin."""
    return (
        f"{routines}__global__ void k({element} *p, {element} *q, float *c) {{ int i = threadIdx.x; c[i] = {used}; }}",
        used,
        used.replace("p[i]", "q[i]"),
        f"float *c; cudaMalloc(&c, 256); k<<<1, 4>>>(({element} *)b, ({element} *)a, c)",
        {("uninitialised", "b")},
    )


def writing(routines: str, given: str, element: str = "Pair") -> Case:
    """A case of ``given``, whose result all threads store in one place."""
    return (
        f"{routines}__global__ void k({element} *p, {element} *q) {{ int i = threadIdx.x; p[i / 64] = {given}; }}",
        "i / 64",
        "i",
        f"k<<<1, 4>>>(({element} *)b, ({element} *)a)",
        {("race", "b")},
    )


COMPLEX = """
template <class Real> struct Complex {
    Real re, im;
    friend __host__ __device__ Complex operator*(Complex z, Complex w)
    {
        const Complex product = {z.re * w.re - z.im * w.im, z.re * w.im + z.im * w.re};
        return isnan(product.re) && isnan(product.im) ? Complex{0, copysign(product.re, w.im)} : product;
    }
};
"""
FORCED = "static __device__ __forceinline__ Pair forced(Pair p) { return {p.y, p.x}; }\n"
PLAIN = "static __device__ __noinline__ Pair plain(const float x) { return {x, x}; }\n"
CHAIN = SAME + "__device__ Pair chained(Pair);\n__device__ Pair chained(Pair p) { return same(p); }\n"
ROWS = ROW + (
    "__device__ Row row(int i) { Row r; r.part[i & 3] = i; r.last = 1; return r; }\n"
    "__device__ float third(Row r) { return r.part[2]; }\n"
)
NESTED = PAIR + "struct Both { Pair first; Pair second; };\n"
COUNTED = PAIR + (
    "__device__ Pair counted(Pair p, int n) { if (n) return counted({p.y, p.x + n}, n - 1); return p; }\n"
)
ALTERNATING = PAIR + (
    "__device__ Pair odd(Pair p, int n);\n"
    "__device__ Pair even(Pair p, int n) { return n ? odd(p, n - 1) : p; }\n"
    "__device__ Pair odd(Pair p, int n) { return n ? even(p, n - 1) : p; }\n"
)
ELSEWHERE = PAIR + (
    'extern "C" __device__ Pair elsewhere(int i, Pair p);\n'
    '__device__ Pair hidden(int, Pair) __asm__("elsewhere");\n'
    "__device__ Pair hidden(int i, Pair p) { return {p.y, p.x + i}; }\n"
)
OVERLOADED = PAIR + (
    "__device__ float twice(float x) { return 2 * x; }\n"
    "__device__ Pair twice(Pair p) { return {twice(p.x), twice(p.y)}; }\n"
)
ADDRESSED = PAIR + MAKE + "__device__ Pair (*const maker)(int) = make;\n"
MARKED = PAIR + (
    "#undef ON_DEVICES\n#define ON_DEVICES __host__ __device__ __forceinline__\n"
    "ON_DEVICES Pair marked(Pair p)\n{ Pair q = p; if (p.x > p.y) { q.x = p.y; q.y = p.x; } return q; }\n"
)
DIRECTIVES = PAIR + (
    "#define ON_BOTH __host__ __device__\n#define TWICE(p) \\\n    sum(p)\n"
    "inline ON_BOTH float half_of(float x) { return x / 2; }\n" + SUM
)

HALF = "struct Half { float y, x, part[4]; double last; };\n"
CASES: dict[str, Case] = {
    "member that a copied structure lacks": (
        HALF + "__global__ void k(Half *p, float *a) { __shared__ Half s[4]; int i = threadIdx.x;\n"
        "p[i].x = i; s[i] = p[i]; __syncthreads(); a[i] = s[3 - i].y; }",
        ".y",
        ".x",
        "k<<<1, 4>>>((Half *)b, a)",
        {("uninitialised", "s")},
    ),
    "member that a structure lacks behind a copy in memory": (
        HALF + "__global__ void k(Half *p, Half *q, float *a) { int i = threadIdx.x;\n"
        "q[i].x = q[i].y = 0; p[i].x = i; q[i] = p[i]; a[i] = q[i].y; }",
        "a[i] = q[i].y",
        "a[i] = q[i].x",
        "k<<<1, 4>>>((Half *)b, (Half *)b + 4, a)",
        {("uninitialised", "b")},
    ),
    "structure without any value": (
        HALF + "__global__ void k(Half *p, float *a) { int i = threadIdx.x; Half own = p[i]; a[i] = own.x; }",
        "k(Half *p, float *a) { int i = threadIdx.x;",
        "k(Half *p, float *a) { int i = threadIdx.x; p[i].x = 1;",
        "k<<<1, 4>>>((Half *)b, a)",
        {("uninitialised", "b")},
    ),
    "race with a structure's copy": (
        HALF + "__global__ void k(Half *p, Half *q) { int i = threadIdx.x;\n"
        "p[i].x = i; q[i] = p[i]; p[(i + 1) % 4].x = 2; }",
        "(i + 1) % 4",
        "i",
        "k<<<1, 4>>>((Half *)b, (Half *)b + 4)",
        {("race", "b")},
    ),
    "structure as an argument": reading(PAIR + SUM, "sum(p[i])"),
    "unwritten structure as an argument": uninitialised(PAIR + SUM, "sum(p[i])"),
    "structure chosen for an argument": uninitialised(PAIR + SUM, "sum(i ? p[i] : q[0])"),
    "member as an argument": uninitialised(NESTED + SUM, "sum(p[i].second)", "Both"),
    "long structure as an argument": uninitialised(ROWS, "third(p[i])", "Row"),
    "result of an assignment as an argument": writing(PAIR + SAME, "same(q[i] = q[i])"),
    "structure given back": writing(PAIR + MAKE, "make(i)"),
    "long structure given back": writing(ROWS, "row(i)", "Row"),
    "structure handed through": writing(PAIR + SAME, "same(q[i])"),
    "structure handed through two routines": writing(PAIR + CHAIN, "chained(q[i])"),
    "structure of a forced routine": writing(PAIR + FORCED, "forced(q[i])"),
    "structure of a routine that is not inlined": writing(PAIR + PLAIN, "plain(i)"),
    "structure in a shuffle": uninitialised(PAIR, "__shfl_sync(15, p[i], 0).x"),
    "product of complex numbers": writing(COMPLEX, "q[i] * q[0]", "Complex<float>"),
    "unwritten factor": uninitialised(COMPLEX, "(q[0] * p[i]).re", "Complex<float>"),
    "structure of a routine that calls itself": writing(COUNTED, "counted(q[i], 3)"),
    "argument of a routine that calls itself": uninitialised(COUNTED, "counted(p[i], 2).x"),
    "structure of routines that call each other": writing(ALTERNATING, "even(q[i], 3)"),
    "structure of a routine that stands elsewhere": writing(ELSEWHERE, "elsewhere(i, q[i])"),
    "argument of a routine that stands elsewhere": uninitialised(ELSEWHERE, "elsewhere(i, p[i]).y"),
    "structure of one of several routines of a name": writing(OVERLOADED, "twice(q[i])"),
    "structure of a routine whose address is taken": writing(ADDRESSED, "make(i)"),
    "structure of a routine that a macro marks": writing(MARKED, "marked(q[i])"),
    "routine behind directives": uninitialised(DIRECTIVES, "half_of(TWICE(p[i]))"),
}

# kernel and launch
CLEAN = {
    "structures copied whose members are not all set": (
        HALF + "__global__ void k(Half *p, Half *q, float *c) { __shared__ Half s[4]; int i = threadIdx.x;\n"
        "p[i].x = i; p[i].part[1] = i; Half own = p[i]; s[i] = p[i]; s[i].part[2] = own.x; __syncthreads();\n"
        "Half other = s[i]; q[i] = s[3 - i]; c[i] = other.x + q[i].part[1]; }",
        "float *c; cudaMalloc(&c, 256); k<<<1, 4>>>((Half *)b, (Half *)b + 4, c)",
    ),
    "structure given back and changed": (
        PAIR + MAKE + SUM + "__global__ void k(Pair *p, float *c) { int i = threadIdx.x; p[i] = make(i); p[i].x *= 2;\n"
        "p[i] = make(i + 1); c[i] = sum(p[i]) + p[i].y; }",
        "float *c; cudaMalloc(&c, 256); k<<<1, 32>>>((Pair *)b, c)",
    ),
    "structures in a tile": (
        PAIR
        + MAKE
        + SAME
        + "__global__ void k(Pair *p) { __shared__ Pair s[32]; int i = threadIdx.x; s[i] = make(i);\n"
        "s[i] = make(i); __syncthreads(); p[i] = same(s[31 - i]); }",
        "k<<<1, 32>>>((Pair *)b)",
    ),
    "routines with and without structures of one name": (
        OVERLOADED + "__global__ void k(Pair *p, Pair *q) { int i = threadIdx.x; p[i] = twice(q[i]); "
        "p[i].x = twice(p[i].x); }",
        "k<<<1, 32>>>((Pair *)b, (Pair *)a)",
    ),
    "address of a routine that gives structures": (
        PAIR
        + MAKE
        + "__global__ void k(Pair *p) { Pair (*f)(int) = make; Pair v = f(threadIdx.x); p[threadIdx.x] = v; }",
        "k<<<1, 32>>>((Pair *)b)",
    ),
}

WITH_NAMES_OF_C = tuple(name for name in CASES if name.endswith("stands elsewhere"))
