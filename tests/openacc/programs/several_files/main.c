#include <stdio.h>

#include "shared.h"

int main(void)
{
    double a[100], b[100], device = 0, host = 0;
    const range r = {10, 50};
    for (int i = 0; i < 100; ++i)
        a[i] = i;
#pragma acc parallel loop copyin(a, r) copyout(b)
    for (int i = 0; i < 100; ++i)
        b[i] = scaled(a[i], r) + halved(&a[i]) + clamped(a[i], r) + sum(a, 3);
    for (int i = 0; i < 100; ++i) {
        device += b[i];
        host += scaled(a[i], r) + halved(&a[i]) + clamped(a[i], r) + sum(a, 3);
    }
    printf("device %g host %g\n", device, host);
    return 0;
}
