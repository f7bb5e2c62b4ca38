/* Compute constructs whose braces stand in #if groups of their own, and macros that are defined inside of constructs. */
#include "show.h"

#define DIRECTIVES 1
#define DEVICE 1
#define SCALE 1

static void branches(int n, int *a)
{
#if defined(DIRECTIVES) && (DEVICE)
#pragma acc parallel copy(a[0:n])
    {
#pragma acc loop independent
#else
#pragma omp parallel
    {
#pragma omp for
#endif
        for (int i = 0; i < n; ++i)
            a[i] += 3;
#ifndef DIRECTIVES
        a[0] = 7;
#else
        /* a group of the construct's own */
#endif
#if defined DIRECTIVES && (DEVICE) /* again */
    } /* acc */
#else
    }
#endif
}

static void heads(int n, int *a)
{
#pragma acc parallel loop copy(a[0:n])
#ifdef BACKWARDS
    for (int i = n - 1; i >= 0; --i)
#elif DEVICE
    for (int i = 0; i < n; ++i)
#else
    for (int i = 0; i < n - 1; ++i)
#endif
        a[i] = a[i] * 2 + i;
}

static void nested(int n, int *a, int use)
{
#ifdef DIRECTIVES
#if (DEVICE)
#pragma acc data copy(a[0:n]) if (use)
    {
#endif
#ifdef DEVICE
#pragma acc parallel loop gang vector if (use)
    for (int i = 0; i < n; ++i) {
#else
    for (int i = 1; i < n; ++i) {
#endif
        a[i] ^= 5;
#if !DEVICE
        a[i] = 0;
#endif
#if DEVICE
    }
#endif
#if DEVICE
#pragma acc kernels loop independent copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#endif
        a[i] += 11;
#ifdef DIRECTIVES
    }
#endif
#if DEVICE
    }
#endif
#endif
}

static int definitions(int n, int *a)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#undef SCALE
#define SCALE 5 /* counts behind the loop, too */
#if SCALE == 5
#define OFFSET \
    9
#else
#define OFFSET 8
#endif
        a[i] = a[i] * SCALE + OFFSET;
    } a[0] += SCALE;
#pragma acc parallel loop copy(a[0:n]) if (n > 2)
    for (int i = 0; i < n; ++i) {
#undef SCALE
#define SCALE 6
        a[i] += SCALE;
    }
    return SCALE + OFFSET;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300), *a = new_ints(n, 1);
    branches(n, a);
    SHOW("branches", a, n);
    heads(n, a);
    SHOW("heads", a, n);
    nested(n, a, 0);
    nested(n, a, 1);
    SHOW("nested", a, n);
    int value = definitions(n, a);
    SHOW("definitions", a, n);
    SHOW("value", &value, 1);
    free(a);
    return 0;
}
