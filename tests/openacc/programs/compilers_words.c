/* What other compilers take: assembler without instructions in kernels, reductions by -. */
#include "show.h"

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300), *a = new_ints(n, 1), rest = 1000000;
#pragma acc parallel loop copy(a[0:n]) reduction(-: rest)
    for (int i = 0; i < n; ++i) {
        int old = a[i];
        __asm__ __volatile__("");
        a[i] = old + 3;
        asm volatile("" : "+r"(old) : "r"(n) : "memory");
        if (old > 5)
            __asm__("" ::: "memory");
        rest -= old;
    }
    SHOW("a", a, n);
    SHOW("rest", &rest, 1);
    free(a);
    return 0;
}
