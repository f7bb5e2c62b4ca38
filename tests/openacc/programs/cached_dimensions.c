/* Cached arrays of two and three dimensions: of variable lengths, in pointers to rows, in the file, resident, and of any type. */
#include <stdio.h>
#include <complex.h>
#define N 30
#define M 10
struct pair { short x; float y; };
double table[N][M];
float kept[N][M];
#pragma acc declare create(kept)
static void f(unsigned n, unsigned m, short wide[n][m], double complex (*z)[M][3], const struct pair p[][M], int *out)
{
#pragma acc update device(kept)
#pragma acc parallel loop copy(wide[0:n][0:m], z[0:n], table) copyin(p[0:n]) copy(out[0:n]) present(kept)
    for (unsigned i = 1; i < n; ++i) {
        int s = 0;
#pragma acc cache(wide[i:1][0:4], z[i:1][0:4][0:3], p[i:1][0:4], table[i:1][0:4], kept[i:1][0:M])
        for (unsigned j = 1; j < m; ++j) {
            wide[i][j - 1] += wide[i][j] * 3;
            wide[i][(j * 7) % m]++;
            z[i][j][j % 3] += z[i][j - 1][(j + 1) % 3] * I;
            table[i][j] += table[i][j - 1] + p[i][j].x * p[i][m - j].y + kept[i][(j * 3) % M];
            if (j % 3 == 0)
                table[i][m - j] -= 1;
            s += wide[i][m - j] ^ (int)j;
        }
        out[i] = s;
    }
}
int main(void)
{
    static short wide[N][M];
    static double complex z[N][M][3];
    static struct pair p[N][M];
    static int out[N];
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < M; ++j) {
            wide[i][j] = i * 5 - j;
            table[i][j] = i - 2 * j;
            kept[i][j] = i ^ j;
            p[i][j].x = i + j;
            p[i][j].y = j - i;
            for (int k = 0; k < 3; ++k)
                z[i][j][k] = i + j * I - k;
        }
    f(N, M, wide, z, p, out);
    double s = 0;
    long t = 0;
    for (int i = 1; i < N; ++i) {
        t = t * 3 + out[i];
        for (int j = 0; j < M; ++j) {
            t = t * 5 + wide[i][j];
            s += table[i][j] * (i + j) + creal(z[i][j][1]) - 2 * cimag(z[i][j][2]);
        }
    }
    printf("%ld %.6g\n", t, s);
    return 0;
}
