/* Constant arrays without a data clause. */
#include "show.h"

#define N 200

static const int weights[5] = {1, 2, 3, 4, 5};
const char letters[] = "accache";

/* The host's copy of a constant lies where nothing can be written. */
void constants(int *a, int n)
{
    static const double halves[2][2] = {{0.5, 1}, {1.5, 2}};
#pragma acc parallel loop copyout(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = weights[i % 5] * 1000 + letters[i % 7] + (int)(2 * halves[i % 2][1]);
    expect("constants", a[0] == 1000 + 'a' + 2 && a[6] == 2000 + 'e' + 2 && a[11] == 2000 + 'c' + 4);
}

int main(void)
{
    int *a = (int *)malloc(N * sizeof(int));
    constants(a, N);
    return wrong_lines != 0;
}
