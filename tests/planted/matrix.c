/* Rows and columns: a product by tiles, a transposed copy, and sums over rows in a gang's own array. */
#include <stdio.h>
#include <stdlib.h>
#define N 40
#define P 48

static int a[N][P], b[P][N], c[N][N], t[P][N], rows[N];

static void multiply(void)
{
#pragma acc parallel loop collapse(2) copyin(a, b) copyout(c)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k0 = 0; k0 < P; k0 += 16) {
#pragma acc cache(a[i][k0:16], b[k0:16][j])
                for (int k = k0; k < k0 + 16; k++)
                    sum += a[i][k] * b[k][j];
            }
            c[i][j] = sum;
        }
}

static void transpose(void)
{
#pragma acc parallel loop collapse(2) copyin(a) copyout(t)
    for (int i = 0; i < P; i++)
        for (int j = 0; j < N; j++)
            t[i][j] = a[j][i];
}

static int reduce(void)
{
    int total = 0, most = -100000;
#pragma acc parallel loop gang reduction(+:total) reduction(max:most) copyin(a) copyout(rows) vector_length(32)
    for (int i = 0; i < N; i++) {
        int part[P], sum = 0;
#pragma acc loop vector
        for (int j = 0; j < P; j++)
            part[j] = a[i][P - 1 - j] * 2;
#pragma acc loop vector reduction(+:sum)
        for (int j = 0; j < P; j++)
            sum += part[P - 1 - j] - j;
        rows[i] = sum;
        total += sum;
        most = sum > most ? sum : most;
    }
    return total * 31 + most;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < P; j++)
            a[i][j] = (i * P + j) % 13, b[j][i] = (i + 2 * j) % 11;
    multiply();
    transpose();
    unsigned hash = (unsigned)reduce();
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            hash = hash * 31 + (unsigned)(c[i][j] + t[i][j] + rows[j]);
    printf("%08x\n", hash);
    return 0;
}
