/* Pointers without a data clause: what loops touch of their targets is copied where it is not on the device. */
#include <openacc.h>
#include "show.h"

#define N 300

static void increase(int *a, int n)
{
#pragma acc parallel loop
    for (int i = 0; i < n; ++i)
        a[i] += 1;
}

static void copy(int *to, const int *from, int n)
{
#pragma acc kernels loop independent
    for (int i = 0; i < n; ++i)
        to[i] = from[i];
}

static void inside(int *a, int *b, int n)
{
#pragma acc parallel loop
    for (int i = 2; i < n - 2; ++i) {
#pragma acc cache(a[i-1:3])
        b[i] = a[i - 1] + a[i] + a[i + 1];
    }
}

static void plane(int *a, int (*rows)[3], int n, int m)
{
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            a[i * m + j] += i;
#pragma acc serial loop
    for (int i = n - 1; i >= 1; --i)
        rows[i][1] = i;
}

static void one_more(int *from, int *to, int n)
{
#pragma acc serial
    for (int i = 0; i < n; ++i) {
        const int value = from[i];
        to[i] = value + 1;
    }
}

int main(void)
{
    static int a[N], b[N], rows[5][3];
    fill(a, N, 1);
    increase(a + 10, 100);
    expect("the target alone", a[9] == 1 && all_are(a + 10, 100, 2) && a[110] == 1 && !acc_is_present(a + 10, 4));
#pragma acc enter data copyin(a)
    increase(a, N);
    expect("what is present stays", a[0] == 1 && a[10] == 2);
#pragma acc exit data copyout(a)
    expect("and changes there", a[0] == 2 && a[10] == 3);
    increase(0, 0);
    increase(0, -5);
    inside(0, 0, 4);
    plane(0, rows, 4, 0);
    plane(0, 0, 0, 4);
    plane(0, 0, -2, -3);
    expect("loops without iterations touch nothing", 1);
    copy(b + 1, a, N - 1);
    expect("one array to another", b[0] == 0 && b[1] == 2 && b[11] == 3);
    fill(a, N, 1);
    fill(b, N, 0);
    inside(a + 100, b + 100, 50);
    expect("with a cache", b[101] == 0 && all_are(b + 102, 46, 3) && b[148] == 0);
    fill(b, N, 0);
    plane(b + 4, rows, 5, 50);
    expect("a flat matrix", b[3] == 0 && b[53] == 0 && b[54] == 1 && b[253] == 4 && b[254] == 0);
    expect("rows", rows[0][1] == 0 && rows[1][1] == 1 && rows[4][1] == 4 && rows[4][0] == 0);
    fill(a, N, 4);
    one_more(a, a, 7);
    expect("one array with two names", a[6] == 5 && a[7] == 4);
    return wrong_lines != 0;
}
