/* Two loops as one iteration space, one of them counting down in steps of two. */
#include "show.h"

void collapsed(const float *a, float *b, int n, int m)
{
#pragma acc parallel loop collapse(2) independent copyin(a[0:(n+3)*m]) copy(b[0:n*m])
    for (int i = 1; i < n; ++i)
        for (int j = m - 1; j > 0; j -= 2) {
#pragma acc cache(a[i-1:2][j-1:2])
            b[i*m + j] = a[(i-1)*m + j] - a[i*m + j - 1];
        }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 20), m = argument(argc, argv, 2, 20);
    float *a = filled((n + 3L) * m), *b = filled((long)n * m);
    collapsed(a, b, n, m);
    show("b", b, (long)n * m);
    return 0;
}
