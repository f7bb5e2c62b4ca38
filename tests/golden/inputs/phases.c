/* Two loops one behind the other, whose tiles lie in one place of shared memory. */
#include "show.h"

#define LENGTH 100

void phases(const float *a, float *b, float *c, int n, int chunks)
{
#pragma acc parallel loop independent copyin(a[0:LENGTH*chunks]) copy(b[0:n], c[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int t = 0; t < LENGTH*chunks; t += LENGTH) {
#pragma acc cache(a[t:LENGTH])
            for (int k = 0; k < LENGTH; ++k)
                sum += a[t + k]*b[i];
        }
        for (int round = 0; round < chunks; ++round) {
#pragma acc cache(c[i:3], b[i:1])
            for (int k = 0; k < 3 && i + k < n; ++k)
                sum += c[i + k]/(round + 1);
            b[i] += sum;
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100), chunks = argument(argc, argv, 2, 3);
    float *a = filled(LENGTH*chunks), *b = filled(n), *c = filled(n);
    phases(a, b, c, n, chunks);
    show("b", b, n);
    return 0;
}
