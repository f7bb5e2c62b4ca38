"""Host C that becomes C++: what is edited, what is refused, and that both languages then say the same."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from accache import driver
from accache.base.diagnostics import Reporter
from accache.base.messages import MESSAGES
from accache.base.options import Options
from accache.base.text import SourceFile, Span, splice
from accache.cplusplus.host import cplusplus_edits
from accache.frontend.source.alignment import align
from accache.frontend.source.preprocess import PreprocessOptions, preprocess

SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.c"))
needs_gxx = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
GXX = ("g++", "-std=c++17", "-x", "c++", "-w")

SAME = [
    "typedef int row[2];\nstatic void f(row a) { a[0] = 1; }\nstatic void (*p)(int *) = f;\n",
    "#include <stddef.h>\n#define CALL(f, x) (f(x) + 1)\nstatic int g(char *s) { return s == NULL; }\n"
    'static int h(void) { return CALL(g, NULL) + CALL(g, "a"); }\n',
    "static int f(int a) { return a; }\n",
    "static const int t[3] = {1, 2, 3};\n",
    "enum e { A, B };\nstatic enum e f(int i) { return i ? A : B; }\n",
    "enum e { A, B };\nstatic int f(enum e x) { return x == A || x < B || x > 0; }\n",
    "struct P { int x, y; };\nstruct P p = {.x = 1, .y = 2};\nstruct P q[2] = {[0] = {.x = 1}, [1] = {1}};\n",
    "struct S { int a; union { int b; float c; }; };\nstruct S s = {.a = 1, .b = 2};\n",
    "enum { A, B };\nint t[2] = {[A] = 1, [B] = 2};\n",
    "static int f(int n) { float a[n], b[2][n]; a[0] = b[1][0] = 1; return sizeof(a); }\n",
    "static int f(int c) { if (c) goto end; int x; x = 1; c = x; end: return c; }\n",
    "static int f(int c) { switch (c) { case 1: { int x = 2; return x; } default: return 0; } }\n",
    "extern int x;\nint x = 3;\n",
    "extern const int x;\nconst int x = 3;\n",
    "struct P { int x; };\nstatic void f(struct P *p) { *p = (struct P){1}; }\n",
    "struct F { int n; int d[]; };\nstatic struct F x = {1, {1, 2}};\n",
    "typedef struct s s;\nstruct s { s *next; };\nstatic int f(s *a) { int s = 1; return a->next != 0 && s; }\n",
    "union U { int i; float f; };\nstatic float f(int i) { union U u; u.i = i; return u.f; }\n",
    "#include <stddef.h>\nstatic int *p = NULL;\nstatic int f(int *q) { return q == NULL; }\n",
    '#include <stdio.h>\nint main(int argc, char **argv) { return fprintf(stderr, "%s\\n", argv[argc - 1]); }\n',
    "static int f(int a) { return ({ int b = a; b; }); }\n",
    "static int f(int *a) { __typeof__(a[a[0] < 1]) b = 1; __typeof__(int *) c = a; return b + *c; }\n",
    "static int f(int i) { return (int[]){1, 2}[i]; }\n",
    'char s[4] = "abc", t[] = {"ab"};\nunsigned char u[2] = {255, 0xff};\nfloat f[2] = {0.1, 2};\n',
    "#include <math.h>\nstatic double f(int i, double d) { return sqrt(d) + sqrt(i) + pow(d, i) + sqrtf(1.5f); }\n",
    "static int f(int a) { if (a) return 1; else { return 2; } }\nint main(void) { }\n",
    "#include <stdlib.h>\nstatic int f(int a) { switch (a) { case 1: return 2; default: abort(); } }\n",
    "static int f(int a) { for (;;) { switch (a++) { case 9: return a; default: break; } } }\n",
    "static int f(int a) { do { if (a++ > 3) return a; } while (1); }\n",
    "static int f(int a) { goto e; e: return a; }\n",
    "#include <assert.h>\nstatic int f(int a) { if (a) return 2; assert(0); }\n",
    '#include <wchar.h>\nstatic wchar_t w[] = L"abc";\n',
    "#include <math.h>\ntypedef unsigned int uint;\nstatic double f(uint a) { return sin(a) + fabs(1.0); }\n",
    "static int atomicity, makeshift;\nstatic void cuda_start(void) { }\n",
]

EDITED = [
    ("static float *f(void *p) { return p; }", "static float *f(void *p) { return (float *)p; }"),
    (
        "#include <stdlib.h>\nstatic void f(int n) { float *a = malloc(n), *b = 0; b = realloc(a, n); free(b); }",
        "#include <stdlib.h>\nstatic void f(int n) { float *a = (float *)malloc(n), *b = 0;"
        " b = (float *)realloc(a, n); free(b); }",
    ),
    (
        "static void g(const int *p);\nstatic void f(void *p) { g(p); }\nstatic void g(const int *p) { (void)p; }",
        "static void g(const int *p);\nstatic void f(void *p) { g((const int *)p); }\n"
        "static void g(const int *p) { (void)p; }",
    ),
    (
        "static int *f(int c, void *p, int *q) { return c ? p : q; }",
        "static int *f(int c, void *p, int *q) { return (int *)(c ? p : q); }",
    ),
    ("static int *p = (void *)0;", "static int *p = (int *)(void *)0;"),
    (
        "static void f(void *p) { int (*g)(int) = p; g(1); }",
        "static void f(void *p) { int (*g)(int) = (int (*)(int))p; g(1); }",
    ),
    (
        "#include <stdlib.h>\n#define NEW(n) malloc(n)\nstatic int *f(void) { return NEW(4); }",
        "#include <stdlib.h>\n#define NEW(n) malloc(n)\nstatic int *f(void) { return (int *)NEW(4); }",
    ),
    (
        "#include <stdlib.h>\nstatic void f(int n) { float (*a)[n] = malloc(n * sizeof *a); free(a); }",
        "#include <stdlib.h>\nstatic void f(int n) { float (*a)[n] = (float (*)[n])malloc(n * sizeof *a); free(a); }",
    ),
    ("static char *p = \"abc\";", "static char *p = (char *)\"abc\";"),
    (
        "struct S { char *n; int v; };\nstruct S t[] = {{\"a\", 1}, {\"b\", 2}};",
        "struct S { char *n; int v; };\nstruct S t[] = {{(char *)\"a\", 1}, {(char *)\"b\", 2}};",
    ),
    ("struct S { char *n; };\nstruct S t[] = {\"a\"};", "struct S { char *n; };\nstruct S t[] = {(char *)\"a\"};"),
    ("static int *f(unsigned *p) { return p; }", "static int *f(unsigned *p) { return (int *)p; }"),
    ("static char *f(const char *p) { return p; }", "static char *f(const char *p) { return (char *)p; }"),
    (
        "#include <string.h>\nstatic int f(const char *p) { char *q = strchr(p, 'a'); return *q; }",
        "#include <string.h>\nstatic int f(const char *p) { char *q = (char *)strchr(p, 'a'); return *q; }",
    ),
    ("static void f(int *restrict a) { *a = 1; }", "static void f(int *__restrict__ a) { *a = 1; }"),
    (
        "#define R restrict\nstatic void f(int *R a) { *a = 1; }",
        "#define R __restrict__\nstatic void f(int *R a) { *a = 1; }",
    ),
    ("static _Bool b = 3;", "static bool b = 3;"),
    ("_Static_assert(_Alignof(int) == 4, \"x\");", "static_assert(alignof(int) == 4, \"x\");"),
    ("static _Thread_local int x;", "static thread_local int x;"),
    ("static _Alignas(16) float a[3];", "static __attribute__((aligned(16))) float a[3];"),
    ("_Alignas(double) char c;", "__attribute__((aligned(alignof(double)))) char c;"),
    ("_Noreturn void f(void);", "extern \"C\" __attribute__((noreturn)) void f(void);"),
    ("static int f(int a) { typeof(a) b = a; return b; }", "static int f(int a) { __typeof__(a) b = a; return b; }"),
    ("static int f(int a) { __auto_type b = a; return b; }", "static int f(int a) { auto b = a; return b; }"),
    ("struct S { int new; };\nstatic int f(struct S *this) { return this->new; }",
     "struct S { int new_; };\nstatic int f(struct S *this_) { return this_->new_; }"),
    ("static int class, class_;", "static int class_2, class_;"),
    ("typedef enum { false, true } bool;\nstatic bool f(void) { return true; }",
     "typedef enum { false_, true_ } bool_;\nstatic bool_ f(void) { return true_; }"),
    ("static float max(float a, float b) { return a > b ? a : b; }\nstatic float f(void) { return max(1, 2); }",
     "static float max_(float a, float b) { return a > b ? a : b; }\nstatic float f(void) { return max_(1, 2); }"),
    ("typedef struct { float x, y, z; } float3;\nstatic float3 p;",
     "typedef struct { float x, y, z; } float3_;\nstatic float3_ p;"),
    ("#include <stdlib.h>\nenum e { A, B };\nenum e x = EXIT_FAILURE;",
     "#include <stdlib.h>\nenum e { A, B };\nenum e x = (enum e)EXIT_FAILURE;"),
    ("enum e { A, B };\nenum e x = 1, y = A | B;", "enum e { A, B };\nenum e x = (enum e)1, y = (enum e)(A | B);"),
    ("enum e { A, B };\nstatic void f(void) { enum e x; for (x = A; x < B; x++) ; x |= B; }",
     "enum e { A, B };\nstatic void f(void) { enum e x; for (x = A; x < B; x = (enum e)((unsigned int)x + 1)) ;"
     " x = (enum e)((unsigned int)x | (B)); }"),
    ("enum e { A, B };\nstatic int f(enum e x, int i) { return x - 1 < 0 || i < x; }",
     "enum e { A, B };\nstatic int f(enum e x, int i) { return (unsigned int)x - 1 < 0 || i < (unsigned int)x; }"),
    ("enum e { A, B };\nstatic long f(int c, enum e x, enum e *p) { c /= x; return c ? *p : -1; }",
     "enum e { A, B };\nstatic long f(int c, enum e x, enum e *p) { c /= (unsigned int)x;"
     " return c ? (unsigned int)*p : -1; }"),
    ("enum e { A, B };\nstatic int f(int i, enum e x, enum e y) { return (enum e)i - 2 < 0 || i < (i ? x : y); }",
     "enum e { A, B };\nstatic int f(int i, enum e x, enum e y) {"
     " return (unsigned int)(enum e)i - 2 < 0 || i < (unsigned int)(i ? x : y); }"),
    ("enum e { M = -1, N };\nstatic void f(enum e x) { x /= 2; }",
     "enum e { M = -1, N };\nstatic void f(enum e x) { x = (enum e)((int)x / (2)); }"),
    ("#include <inttypes.h>\n#include <stdio.h>\n#define WIDE \"%\"PRIu64\n"
     "static void f(int64_t a) { printf(\"%\"PRId64\"\\n\"WIDE, a, a); }",
     "#include <inttypes.h>\n#include <stdio.h>\n#define WIDE \"%\" PRIu64\n"
     "static void f(int64_t a) { printf(\"%\" PRId64\"\\n\" WIDE, a, a); }"),
    ("static int f(void) { auto int a = 3; int auto b = a; return b; }",
     "static int f(void) { int a = 3; int b = a; return b; }"),
    ("struct S { _Bool b; };\nstatic int f(int *p) { struct S s = { p }; return s.b; }",
     "struct S { bool b; };\nstatic int f(int *p) { struct S s = { (bool)p }; return s.b; }"),
    ("typedef struct { float x, y; } f2;\nstatic f2 make_float2(float x, float y) { f2 v = {x, y}; return v; }",
     "typedef struct { float x, y; } f2;\nstatic f2 make_float2_(float x, float y) { f2 v = {x, y}; return v; }"),
    ("static unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }\n"
     "static double fdivide(double a, double b) { return a / b; }\n"
     "static long ullmax, atomicAdd, rnorm3df, tex2D;\nstatic float fmul(double a, double b) { return a * b; }",
     "static unsigned umin_(unsigned a, unsigned b) { return a < b ? a : b; }\n"
     "static double fdivide_(double a, double b) { return a / b; }\n"
     "static long ullmax_, atomicAdd_, rnorm3df_, tex2D_;\nstatic float fmul_(double a, double b) { return a * b; }"),
    ("#include <stdlib.h>\nstatic int f(void) { return ({ int *p = malloc(4); int r = *p = 3; free(p); r; }); }",
     "#include <stdlib.h>\n"
     "static int f(void) { return ({ int *p = (int *)malloc(4); int r = *p = 3; free(p); r; }); }"),
    ("#include <math.h>\nenum e { A, B };\nstatic double f(enum e x, float y) {"
     " return ({ x; }) - 2 + ({ sqrt(y); }); }",
     "#include <math.h>\nenum e { A, B };\nstatic double f(enum e x, float y) {"
     " return (unsigned int)({ x; }) - 2 + ({ sqrt((double)y); }); }"),
    ("static void f(int n, float a[n], float b[static 3], float c[restrict]) { *a = *b = *c = n; }",
     "static void f(int n, float a[], float b[], float c[]) { *a = *b = *c = n; }"),
    ("static char c[2] = {200, 1};\nstatic unsigned u = {-1};",
     "static char c[2] = {(char)200, 1};\nstatic unsigned u = {(unsigned int)-1};"),
    ("static float f(double d, int i) { float a[] = {d, i + 1}; return a[0]; }",
     "static float f(double d, int i) { float a[] = {(float)d, (float)(i + 1)}; return a[0]; }"),
    ("int f(int a);\nint f(int a) { return a; }", "extern \"C\" int f(int a);\nint f(int a) { return a; }"),
    ("extern int f(int);\nint g(void) { return f(1); }",
     "extern \"C\" int f(int);\nextern \"C\" int g(void) { return f(1); }"),
    ("__attribute__((noinline)) int f(int a) { return a; }",
     "extern \"C\" __attribute__((noinline)) int f(int a) { return a; }"),
    ("int n, f(int a), *p, *g(const char *, int [2]);",
     'extern "C" { int n, f(int a), *p, *g(const char *, int [2]); }'),
    ("extern int f(int), g(int);", 'extern "C" { extern int f(int), g(int); }'),
    ("const int a[] = {1, 2}, f(void);", 'extern "C" { extern const int a[]; const int a[] = {1, 2}, f(void); }'),
    ("int any(const int *p) { return *p; }", "extern \"C\" int any(const int *p) { return *p; }"),
    ("const int n = 3;", "extern const int n; const int n = 3;"),
    ("const char *const t[] = {\"a\"};", "extern const char *const t[]; const char *const t[] = {\"a\"};"),
    ("#include <math.h>\nstatic double f(float x) { return sqrt(x) + pow(x, 2) + fmax(x * 2, 1.0f); }",
     "#include <math.h>\nstatic double f(float x) { return sqrt((double)x) + pow((double)x, 2) +"
     " fmax((double)(x * 2), (double)1.0f); }"),
    ("#include <stdlib.h>\nstatic int f(double x, unsigned u) { return abs(x) + abs(u - 1); }",
     "#include <stdlib.h>\nstatic int f(double x, unsigned u) { return abs((int)x) + abs((int)(u - 1)); }"),
    ("static int f(int a) { if (a) return 1; }\nint *g(void)\n{\n}",
     "static int f(int a) { if (a) return 1; return {}; }\nextern \"C\" int *g(void)\n{\n    return {};\n}"),
    ("struct S { int x; };\nstatic struct S f(int a) { for (;;) { if (a) break; } }",
     "struct S { int x; };\nstatic struct S f(int a) { for (;;) { if (a) break; } return {}; }"),
    ("enum e { A, B };\nstatic enum e f(enum e a) { switch (a) { case A: return B; case B: return A; } }",
     "enum e { A, B };\nstatic enum e f(enum e a) { switch (a) { case A: return B; case B: return A; } return {}; }"),
    ("static int f(int a) { switch (a) { case 1: return 2; default: if (a) break; return 3; } }",
     "static int f(int a) { switch (a) { case 1: return 2; default: if (a) break; return 3; } return {}; }"),
    ("static int f(int a) { goto e; e: a = 2; }", "static int f(int a) { goto e; e: a = 2; return {}; }"),
    ("static void f(int a) { if (a) goto e; a = 2; e: }", "static void f(int a) { if (a) goto e; a = 2; e:; }"),
]  # fmt: skip

REFUSED = [
    ("ACC508", "enum e { A };\nstatic int f(enum e v) { __typeof__(v) x = v; return x - 2 < 0; }"),
    ("ACC508", "enum e { A };\nstruct s { enum e m; };\nstatic int f(struct s *s) { __auto_type x = s->m; return x; }"),
    (
        "ACC508",
        "#include <math.h>\n#define R(x) ({ float t = (x); sqrt(t); })\nstatic double f(float x) { return R(x); }",
    ),
    ("ACC501", "#include <stdlib.h>\n#define SET(p) p = malloc(4)\nvoid f(int *p) { SET(p); }"),
    ("ACC501", "#include <stdio.h>\n#define SHOW(x) printf(#x)\nvoid f(void) { int new = 1; SHOW(new); }"),
    ("ACC503", "int new;"),
    ("ACC503", "int delete(void) { return 1; }"),
    ("ACC505", "void f(int n, float a[n][n]) { a[0][0] = 1; }"),
    ("ACC505", "void f(int n, float (*a)[n]) { a[0][0] = 1; }"),
    ("ACC506", "struct P { int x, y; };\nstruct P p = {.y = 1, .x = 2};"),
    ("ACC506", "struct Q { struct { int x; } p; };\nstruct Q q = {.p.x = 1};"),
    ("ACC506", "int a[4] = {[2] = 1};"),
    ("ACC506", "int a[4] = {[0 ... 3] = 1};"),
    ("ACC506", "int y = {{1}};"),
    ("ACC507", "struct P { int x; };\nint g(struct P *);\nint f(void) { return g(&(struct P){1}); }"),
    ("ACC507", "int f(void) { const int *p = (const int[]){1, 2}; return p[0]; }"),
    ("ACC508", "int f(int i) { return _Generic(i, int: 1, default: 2); }"),
    ("ACC508", "_Atomic int x;"),
    ("ACC508", "int f(void) { return; }"),
    ("ACC509", "int f(a) int a; { return a; }"),
    ("ACC510", "int f(int c) { if (c) goto end; int x = 1; c = x; end: return c; }"),
    ("ACC510", "int f(int c) { switch (c) { case 1:; int x = 2; return x; case 2: return 3; } return 0; }"),
    ("ACC511", "int f(void) { return sizeof('a'); }"),
    ("ACC511", "int f(int a) { return sizeof(!a) + sizeof(a < 1); }"),
    ("ACC511", "char a[8];\nint f(int c) { return sizeof(c ? a : a); }"),
    ("ACC511", "int f(int c) { return sizeof(c ? 'a' : 'b') + sizeof(0, c == 1) + sizeof(c ? c < 1 : !c); }"),
    ("ACC511", "int f(char a, char b) { return sizeof(a ? a : b); }"),
    ("ACC511", "int f(int c) { __typeof__('a') x = c; typeof(!c) y = c; typeof((c < 1)) z = c; return x + y + z; }"),
    ("ACC511", "#define T(x) typeof(x)\nint f(int c) { T('a') x = c; T(c ? 'a' : 'b') y = c; return x + y; }"),
    ("ACC511", "int f(int c) { __auto_type x = c == 1; x += 3; return x; }"),
    ("ACC511", "int f(void) { return ({ int a = 1; a + (int)sizeof('a'); }); }"),
    ("ACC512", "double _Complex z(void) { return 1.0i; }"),
    ("ACC513", "struct A { struct B { int x; } b; };\nstruct B g;"),
    ("ACC513", "struct A { enum { X, Y } e; };\nint f(void) { return X; }"),
    ("ACC514", "char s[3] = \"abc\";"),
    ("ACC514", "struct S { char s[3]; };\nstruct S s = {\"abc\"};"),
    ("ACC515", "int *f(float *p) { return p; }"),
    ("ACC515", "int *f(int n) { int *p = n; return p; }"),
    ("ACC515", "long f(int *p) { return p; }"),
    ("ACC515", "int f(int *p, float *q) { return p == q; }"),
    ("ACC515", "int f(int *p) { return p > 0; }"),
    ("ACC516", "static x = 3;"),
    ("ACC516", "f(void) { return 3; }"),
    ("ACC517", "int f(void) { return g(1); }"),
    ("ACC518", "int x;\nint x;"),
    ("ACC518", "static int x;\nstatic int x = 3;"),
    ("ACC519", "struct E {};"),
    ("ACC520", "struct P { int x; } f(void) { struct P p = {1}; return p; }"),
    ("ACC520", "void f(struct P { int x; } *p) { p->x = 1; }"),
    ("ACC520", "int f(void) { return sizeof(struct P { int x; }); }"),
    ("ACC521", "static const int x;"),
    ("ACC521", "struct S { const int a; };\nvoid f(void) { struct S s; (void)s; }"),
    ("ACC522", "void f();\nvoid g(void) { f(1); }"),
    ("ACC523", "int f(void) { for (int i = 0; i < 3; i++) { int i = 5; (void)i; } return 0; }"),
    ("ACC523", "struct s { int x; };\ntypedef int s;"),
    ("ACC523", "int s[10];\nint f(void) { struct s { char c; } x; (void)x; return sizeof(s); }"),
    ("ACC523", "typedef int T;\nstruct S { T T; };"),
    ("ACC524", "int f(_Bool b) { return b++; }"),
    ("ACC524", "enum e { A, B };\nint f(enum e x) { return x++; }"),
    ("ACC525", "int main(void) { int f(int); return f(1); }"),
    ("ACC526", "float max(float a, float b) { return a > b ? a : b; }"),
    ("ACC526", "int index;"),
    ("ACC526", "int any;"),
    ("ACC526", "double atomicAdd(double *a, double b) { return *a += b; }"),
    ("ACC527", "#include <complex.h>\ndouble complex z;"),
    ("ACC528", "enum e *p;"),
]  # fmt: skip

PROGRAMS = [
    'enum e { A, B };\nint main(void) { enum e x = A; int i = -1; printf("%d %d %d", x - 1 < 0, i < x, -x < 1); }',
    "enum e { A, B, C };\nstruct s { enum e narrow : 2, wide, *p; };\n"
    "static enum e f(int i) { return i ? B : A; }\n"
    "int main(void) { enum e x = B, y = C, t[] = {A, B}; struct s s = {B, B, t}, *p = &s; int k = -5, i = -6;\n"
    'i /= y; printf("%d ", i); i = -7; i %= y; printf("%d ", i); i = -9; i /= C; printf("%d ", i);\n'
    'printf("%d %d %d %d ", k < p->narrow, k < (*p).wide, k < *p->p, k < (s.narrow = A));\n'
    'printf("%d %d %d %d ", k < (f)(1), k < (0, x), k < (x = B), (enum e)k + 2 < 0);\n'
    'printf("%d %d %d ", k < (i ? x : y), k < (i ? A : B), (i ? -1 : k ? x : y) < 0);\n'
    'long v = i > 5 ? y : -1; printf("%ld %d", v, +x - 2 < 0); }',
    "enum e { M = -2, N };\nenum l { BIG = 0x200000000, SMALL = 1 };\n"
    'int main(void) { enum e x = M; x >>= 1; enum l y = BIG; printf("%d %d", x, y - 0x300000000 < 0); }',
    "int main(void) { char c = 1, d = 2; short s = 3;\n"
    "printf(\"%zu %zu %zu\", sizeof(c ? c : s), sizeof(c ? 'a' : 1), sizeof(d ? d < 1 : 2)); }",
    'int main(void) { float f = 0.1f; printf("%.17g %.17g %d", sqrt(f), pow(f, f), abs(-2.7f)); }',
    'int main(void) { int n = 3; float (*m)[n] = malloc(24); m[1][2] = 5; printf("%g %zu", m[1][2], sizeof *m); }',
    'int main(void) { unsigned char c[] = {~0, 1}; char *s = strchr("text", 120); printf("%d %s", c[0], s); }',
    '#define MAX(a, b) ((a) > (b) ? (a) : (b))\nint main(void) { int new = 3; printf("%d", MAX(new, 2)); }',
    'enum color { RED, GREEN };\nstatic const char *const names[] = {[RED] = "red", [GREEN] = "green"};\n'
    'int main(void) { for (enum color c = RED; c <= GREEN; c++) printf("%s ", names[c]); }',
    "static int by_value(const void *a, const void *b) { const int *x = a, *y = b; return *x - *y; }\n"
    'int main(void) { int v[] = {3, 1, 2}; qsort(v, 3, sizeof *v, by_value); printf("%d%d%d", v[0], v[1], v[2]); }',
]
HEADERS = "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


def translate(text: str, reporter: Reporter, name: str = "a.c", skip: tuple[Span, ...] = ()) -> str:
    source = SourceFile(name, text)
    preprocessed = preprocess(source, PreprocessOptions(), reporter)
    return splice(source, cplusplus_edits(align(source, preprocessed), preprocessed, skip, reporter).edits)


def accepted(text: str, name: str = "a.c") -> str:
    reporter = Reporter()
    result = translate(text, reporter, name)
    assert [str(found) for found in reporter.diagnostics] == []
    return result


def build(command: tuple[str, ...], text: str) -> None:
    result = subprocess.run((*command, "-", "-lm"), input=text, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("text", SAME)
def test_what_means_the_same_stays(text: str) -> None:
    assert accepted(text) == text


@pytest.mark.parametrize(("text", "expected"), EDITED)
def test_edits(text: str, expected: str) -> None:
    assert accepted(text + "\n") == expected + "\n"


@pytest.mark.parametrize(("code", "text"), REFUSED)
def test_refusals(code: str, text: str) -> None:
    reporter = Reporter()
    translate(text + "\n", reporter)
    assert {found.code for found in reporter.diagnostics} == {code}
    assert all(found.location and found.location.column and "--split" in found.hint for found in reporter.diagnostics)


@needs_gxx
@pytest.mark.parametrize("text", [*SAME, *(text for text, _ in EDITED)])
def test_gxx_compiles_what_is_accepted(text: str) -> None:
    build((*GXX, "-fsyntax-only"), accepted(text + "\n"))


@needs_gxx
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_samples_compile_without_warnings(sample: Path) -> None:
    text = accepted(sample.read_text(), str(sample))
    strict = ("g++", "-std=c++17", "-x", "c++", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")
    build((*strict, "-fsyntax-only"), text)


@needs_nvcc
@pytest.mark.nvcc
def test_nvcc_compiles_what_is_accepted(tmp_path: Path) -> None:
    """One namespace a snippet, so that nvcc, which is slow to start, runs once."""
    texts = [accepted(text + "\n") for text in (*SAME, *(text for text, _ in EDITED)) if "main(" not in text]
    lines = [line for text in texts for line in text.splitlines() if line.startswith("#include")]
    parts = list(dict.fromkeys(lines))
    for number, text in enumerate(texts):
        body = "\n".join(line for line in text.splitlines() if not line.startswith("#include"))
        if 'extern "C"' not in body:
            parts.append(f"namespace part_{number} {{\n{body}\n}}\n#undef R\n#undef NEW")
    (tmp_path / "all.cu").write_text("\n".join(parts) + "\n")
    command = ("nvcc", "-arch=sm_90", "-w", "-c", str(tmp_path / "all.cu"), "-o", str(tmp_path / "all.o"))
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@needs_nvcc
@pytest.mark.nvcc
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_nvcc_compiles_the_samples(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(accepted(sample.read_text(), str(sample)))
    command = ("nvcc", "-arch=sm_90", "-w", "-c", str(tmp_path / "a.cu"), "-o", str(tmp_path / "a.o"))
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@needs_gxx
@pytest.mark.parametrize("text", PROGRAMS)
def test_both_languages_give_the_same_result(text: str, tmp_path: Path) -> None:
    text = HEADERS + text.rstrip("}") + "return 0; }\n"
    build(("gcc", "-std=gnu17", "-w", "-x", "c", "-o", str(tmp_path / "c")), text)
    build((*GXX, "-o", str(tmp_path / "cpp")), accepted(text))
    outputs = [subprocess.run(str(tmp_path / name), capture_output=True, check=True).stdout for name in ("c", "cpp")]
    assert outputs[0] == outputs[1] != b""


@needs_gxx
def test_c_files_link_with_the_result(tmp_path: Path) -> None:
    other = "int twice(int);\nextern const int n;\nint other(void) { return twice(n); }\n"
    text = (
        "const int n = 4;\nint other(void);\nint twice(int a) { return 2 * a; }\nint main(void) { return other(); }\n"
    )
    build(("gcc", "-c", "-o", str(tmp_path / "other.o"), "-x", "c"), other)
    (tmp_path / "a.cpp").write_text(accepted(text))
    subprocess.run(("g++", str(tmp_path / "a.cpp"), str(tmp_path / "other.o"), "-o", str(tmp_path / "a")), check=True)
    assert subprocess.run((str(tmp_path / "a"),), check=False).returncode == 8


def test_nothing_happens_in_skipped_text() -> None:
    text = "static void f(void *p) {\n{ int *q = p; sizeof('a'); }\n}\n"
    start = text.index("{ int")
    reporter = Reporter()
    assert translate(text, reporter, skip=(Span(start, text.index("}", start) + 1),)) == text
    assert reporter.diagnostics == []


def in_a_construct(text: str, reporter: Reporter) -> str:
    """A text as C++ whose last block in braces is a compute construct's, which is replaced anyway."""
    start = text.rindex("{")
    return translate(text, reporter, skip=(Span(start, text.index("}", start) + 1),))


def test_kernels_get_variables_by_any_name() -> None:
    reporter = Reporter()
    made = in_a_construct("static void f(int *new) {\n{ new[0] = 1; }\n}\n", reporter)
    assert made == "static void f(int *new_) {\n{ new[0] = 1; }\n}\n"
    assert reporter.diagnostics == []


def test_what_stands_for_directives_follows_the_new_names(tmp_path: Path) -> None:
    path = tmp_path / "new.c"
    path.write_text(
        "static void f(int n, float *new, float delete)\n{\n#pragma acc data copy(new[0:n])\n    {\n"
        "#pragma acc parallel loop\n        for (int i = 0; i < n; ++i)\n            new[i] = delete;\n    }\n}\n"
        "int main(void)\n{\n    float a[9];\n    f(9, a, 2);\n    return 0;\n}\n"
    )
    joined = driver.translate(str(path), Options()).joined
    assert joined is not None
    assert 'accache_map(ACCACHE_COPY, new_, (size_t)n * sizeof *new_, "new", sizeof *new_);' in joined
    assert "f_L5(n, delete_, new_);" in joined or "f_L5(n, new_, delete_);" in joined


def test_what_is_no_variable_is_called_as_kernels_call_it() -> None:
    reporter = Reporter()
    made = in_a_construct("struct class { int new, old; };\nstatic void f(struct class *this) {\n{ }\n}\n", reporter)
    assert made.startswith(
        "struct accache_class { int accache_new, old; };\nstatic void f(struct accache_class *this_)"
    )
    assert reporter.diagnostics == []


def test_a_type_of_cuda_in_a_construct_is_refused_once() -> None:
    reporter = Reporter()
    in_a_construct(
        "struct dim3 { int x; };\nstatic void f(void) {\n{ struct dim3 a, *b = (struct dim3 *)0; }\n}\n", reporter
    )
    assert [found.code for found in reporter.diagnostics] == ["ACC504"]


def test_types_and_constants_whose_names_cuda_or_its_c_library_have_taken() -> None:
    text = (
        "typedef struct float3 { int index; } vector;\nstruct dim3 { int x; } place;\n"
        "enum { threadIdx = 4, abs };\ntypedef enum { make_float4 = 7, unlike } kind;\ntypedef int sqrt;\n"
        "static sqrt f(struct dim3 *p) { return p->x + threadIdx + abs + make_float4 + unlike; }\n"
    )
    taken = ("float3", "dim3", "threadIdx", "abs", "make_float4", "sqrt")
    assert accepted(text) == re.sub(rf"\b({'|'.join(taken)})\b", r"\1_", text)


def test_user_headers(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("int f(_Atomic int *p);\n")
    source = str(tmp_path / "a.c")
    reporter = Reporter()
    translate('#include "h.h"\nint f(int *p) { return *p; }\n', reporter, source)
    assert [(found.code, str(found.location)) for found in reporter.diagnostics] == [("ACC502", f"{tmp_path}/h.h:1")]
    (tmp_path / "h.h").write_text("int f(int *p);\n")
    text = '#include "h.h"\nint f(int *p) { return *p; }\n'
    assert accepted(text, source) == text


def test_words_of_c_in_a_header_become_macros(tmp_path: Path) -> None:
    """A header of C is included as it is; what it says of the program's functions is true in C++ then, too."""
    (tmp_path / "h.h").write_text("_Bool f(int *restrict p, const int *restrict q);\n")
    source = tmp_path / "a.c"
    source.write_text(
        '#include "h.h"\n_Bool f(int *restrict p, const int *restrict q)\n{\n#pragma acc parallel loop copy(p[0:9])\n'
        "    for (int i = 0; i < 9; ++i)\n        p[i] = q[0];\n    return 1;\n}\n"
    )
    made = driver.translate(str(source), Options())
    assert made.joined is not None
    head = made.joined.partition('#include "h.h"')[0]
    assert "#define _Bool bool\n#define restrict __restrict__\n" in head
    assert made.remarks == made.refusals == ()


def test_a_forgotten_header_of_the_c_library_is_included(tmp_path: Path) -> None:
    """Its functions have their types, so that what C converts silently is converted."""
    source = tmp_path / "a.c"
    source.write_text(
        "int *f(int n)\n{\n    int *p = malloc(n * sizeof *p);\n    memset(p, 0, n * sizeof *p);\n"
        "#pragma acc parallel loop copy(p[0:n])\n    for (int i = 0; i < n; ++i)\n        p[i] = i;\n    return p;\n}\n"
    )
    made = driver.translate(str(source), Options())
    assert made.joined is not None
    assert [(found.code, found.severity.value) for found in made.remarks] == [("ACC529", "warning")] * 2
    assert "#include <stdlib.h>\n#include <string.h>\n" in made.joined.partition("int *f")[0]
    assert "int *p = (int *)malloc(n * sizeof *p);" in made.joined


def test_a_forgotten_header_is_not_a_file_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The C library's is read, as #include <string.h> finds it, whatever lies in the current folder."""
    (tmp_path / "string.h").write_text("#error this one\n")
    (tmp_path / "a.c").write_text(
        "void f(int *p, int n)\n{\n    memset(p, 0, n * sizeof *p);\n"
        "#pragma acc parallel loop copy(p[0:n])\n    for (int i = 0; i < n; ++i)\n        p[i] = i;\n}\n"
    )
    monkeypatch.chdir(tmp_path)
    made = driver.translate("a.c", Options())
    assert made.joined is not None
    assert "#include <string.h>\n" in made.joined


def test_a_forgotten_header_may_not_go_with_names_of_the_program(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(
        "int div_t = 4;\nint *f(int n)\n{\n    int *p = malloc(n * sizeof *p);\n"
        "#pragma acc parallel loop copy(p[0:n])\n    for (int i = 0; i < n; ++i)\n        p[i] = i;\n    return p;\n}\n"
    )
    made = driver.translate(str(source), Options())
    assert made.joined is None
    assert [found.code for found in made.refusals] == ["ACC517"]


@needs_nvcc
def test_nvcc_takes_a_header_of_c_and_a_forgotten_one(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text('int *f(int *restrict p, int n);\n_Static_assert(sizeof(int) == 4, "int");\n')
    source = tmp_path / "a.c"
    source.write_text(
        '#include "h.h"\nint *f(int *restrict p, int n)\n{\n    int *q = malloc(n * sizeof *q);\n    memset(p, 0, n);\n'
        "#pragma acc parallel loop copy(q[0:n])\n    for (int i = 0; i < n; ++i)\n        q[i] = i;\n    return q;\n}\n"
    )
    joined = driver.translate(str(source), Options()).joined
    (tmp_path / "a.cu").write_text(joined or "")
    subprocess.run(["nvcc", "-arch=sm_90", "-c", "a.cu"], cwd=tmp_path, check=True)


def test_complex_functions_from_a_user_header(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("#include <complex.h>\n")
    reporter = Reporter()
    text = '#include "h.h"\nstatic double f(double _Complex z) { return creal(z * I); }\n'
    translate(text, reporter, str(tmp_path / "a.c"))
    assert [found.message for found in reporter.diagnostics] == [
        "C++ lacks an imaginary constant of C",
        "C++ lacks 'creal' of C",
    ]


def test_functions_that_cannot_be_parsed_are_left_alone() -> None:
    text = "static void *a(void) { here: return &&here; }\nstatic int *f(void *p) { return p; }\n"
    assert accepted(text) == text.replace("return p", "return (int *)p")


def test_inactive_text_and_comments_stay() -> None:
    text = "#if 0\nint *new = malloc(3);\n#endif\n/* restrict new */ static int x; // _Bool\n"
    assert accepted(text) == text


def test_every_code_is_provoked() -> None:
    provoked = {code for code, _ in REFUSED} | {"ACC502", "ACC504"}
    assert provoked == {code for code in MESSAGES if "ACC501" <= code < "ACC529"}  # which the driver tells


@pytest.mark.parametrize(("call", "header"), [("acc_init(0)", "<openacc.h>"), ("g(1)", "its header")])
def test_the_header_of_an_undeclared_function_is_named(call: str, header: str) -> None:
    reporter = Reporter()
    translate(f"void f(int *p) {{ {call}; }}", reporter)
    assert [(found.code, found.hint) for found in reporter.diagnostics] == [
        ("ACC517", f"include {header}, or use --split")
    ]
