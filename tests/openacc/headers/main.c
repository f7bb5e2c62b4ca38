/* Kernels in headers: with guards, with #pragma once, in a folder, one header in another, one included twice. */
#include <stdio.h>
#include "kernels/scale.h"
#include "kernels/scale.h"
#include "kernels/once.h"
#define TYPE int
#include "fill.h"
#undef TYPE
#define TYPE float
#include "fill.h"

int main(void)
{
    float a[100];
    int b[100];
    fill_float(a, 3.0f, 100);
    fill_int(b, 4, 100);
    scale(a, 100, 2.0f);
    add_one(b, 100);
#pragma acc parallel loop copy(a)
    for (int i = 0; i < 100; ++i)
        a[i] += 1;
    printf("%g %d\n", a[99], b[99]);
    return !(a[0] == 7 && a[99] == 7 && b[0] == 5 && b[99] == 5);
}
