/* Loops of size_t that start in the upper half of their type, as n - 1 does where n is 0: C runs none of their rounds. */
#include <stddef.h>
#include "show.h"

void spread(size_t n, size_t m, int *a)
{
#pragma acc parallel loop copy(a[0:m])
    for (size_t i = n - 1; i < m; ++i)
        a[i] += 1;
#pragma acc parallel loop collapse(2) copy(a[0:4*m])
    for (int k = 0; k < 4; ++k)
        for (size_t i = n - 1; i < m; ++i)
            a[k * m + i] += 3;
}

void lanes(size_t n, size_t m, int *a, int *sums)
{
#pragma acc parallel loop gang copy(a[0:4*m], sums[0:4])
    for (int k = 0; k < 4; ++k) {
        int sum = 0;
#pragma acc loop vector reduction(+:sum)
        for (size_t i = n - 1; i < m; ++i) {
            a[k * m + i] += 2;
            sum += a[k * m + i];
        }
        sums[k] = sum;
    }
}

void strided(size_t n, size_t m, int *a)
{
#pragma acc parallel num_gangs(2) vector_length(64) copy(a[0:m])
    {
#pragma acc loop gang vector
        for (size_t i = n - 1; i < m; i += 3)
            a[i] += 2;
    }
}

int main(void)
{
    enum { MOST = 300 };
    static int a[4 * MOST], sums[4];
    static const size_t sizes[][2] = {{0, 0}, {0, 5}, {0, MOST}, {1, 5}, {3, MOST}};
    for (int k = 0; k < 5; ++k) {
        spread(sizes[k][0], sizes[k][1], a);
        lanes(sizes[k][0], sizes[k][1], a, sums);
        strided(sizes[k][0], sizes[k][1], a);
        SHOW("a", a, 4 * MOST);
        SHOW("sums", sums, 4);
    }
    return 0;
}
