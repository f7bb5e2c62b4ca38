/* Forms of GNU C in kernels, and beside them: a choice without its second operand, and ranges of labels and elements. */
#include <stdio.h>

enum { N = 300 };
struct pair {
    int x, y;
};
struct pair steps[] = {[0 ... 2].x = 4, [1].y = 2, [3 ... 4] = 3, 1, 9};

int main(int argc, char **argv)
{
    int a[N], b[N], k = argc > 9 ?: 5;
    int *none = 0, *p = none ?: a;
    float f[N];
    switch (argc) {
    case 5 ... 9:
        return 1;
    }
    for (int i = 0; i < N; ++i) {
        p[i] = i % 7 - 2;
        f[i] = i % 3;
        b[i] = 0;
    }
    const int table[] = {3, [2 ... 4] = 9};
#pragma acc parallel loop copy(a, b, f) copyin(steps, table)
    for (int i = 0; i < N; ++i) {
        b[i] = (a[i] ?: k * 10) + (a[i] > 2 ?: 7) + (int)(f[i] ?: -1);
        switch (a[i]) {
        case -2 ... 0:
            b[i] += 100; /* falls through */
        case 3:
            b[i]++;
            break;
        case 'a' ... 'a' + 2:
            b[i] = 0; /* falls through */
        default:
            b[i] -= 5;
            break;
        case 9 ... 8: /* none */
            b[i] = -1;
        }
        int q[5] = {[0 ... 1] = i, [2 ... 4] = 3, [4] = 2}, rows[][3] = {[0 ... 1] = {1, [1 ... 2] = 4}, {7}};
        b[i] += q[i % 5] + rows[i % 3][i % 2] + steps[i % 6].x * table[i % 5] + steps[i % 6].y;
        switch ((unsigned char)(i * 3)) {
        case 0 ... 'Z':
            b[i] *= 2;
            break;
        case 200 ... 255:
            b[i]--;
        }
    }
    for (int i = 0; i < N; ++i)
        printf("%d\n", b[i]);
    return argv == 0;
}
