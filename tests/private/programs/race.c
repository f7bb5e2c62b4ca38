// Each thread reads the first record of the next one, which that thread writes.
#include <stdio.h>

int main(void)
{
    static int a[4000];
    int records = 37, threads = 100;
#pragma acc parallel loop copy(a)
    for (int t = 0; t < threads; ++t) {
#pragma acc loop seq
#pragma acc cache(a)
        for (int i = t * records; i < (t + 1) * records; ++i)
            a[i] += a[i + 1];
    }
    printf("%d\n", a[5]);
    return 0;
}
