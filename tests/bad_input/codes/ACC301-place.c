#include <stdbool.h>
enum colour { RED, GREEN };
void f(enum colour *e, bool *b, int n)
{
#pragma acc parallel loop copy(e[0:2*n], b[0:n])
    for (int i = 0; i < n; ++i) {
        int k = 2 * i;
        e[k++]++;
//      ^ ACC301
        e[k--] += 1;
//      ^ ACC301
        b[i] = b[k++]++;
//             ^ ACC301
    }
}
