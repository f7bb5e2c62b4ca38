/* Each gang has a copy of a firstprivate array that starts from the host's values; the host's stays as it was. */
#include "show.h"

enum { ROWS = 6 };

static void changed(int *c, int n)
{
    int t[2][3] = {{1, 2, 3}, {4, 5, 6}}, u[5] = {1, 2, 3, 4, 5}, sums[ROWS], mixed[ROWS], plain = 0, right = 1;
#pragma acc parallel loop gang num_gangs(ROWS) firstprivate(c[0:n], t, u[1:3]) copyout(sums, mixed)
    for (int r = 0; r < ROWS; ++r) {
#pragma acc loop vector
        for (int j = 0; j < n; ++j)
            c[j] *= r;
#pragma acc loop vector
        for (int j = 0; j < 3; ++j)
            t[1][j] += u[1 + j] + r;
        u[2] = r;
        int s = 0;
#pragma acc loop vector reduction(+: s)
        for (int j = 0; j < n; ++j)
            s += c[n - 1 - j] * j;
        sums[r] = s;
        mixed[r] = t[1][0] + 10 * t[1][1] + 100 * t[1][2] + 1000 * u[2] + 10000 * t[0][2];
    }
    for (int j = 0; j < n; ++j)
        plain += c[n - 1 - j] * j;
    for (int r = 0; r < ROWS; ++r) {
        right &= sums[r] == plain * r;
        right &= mixed[r] == (4 + 2 + r) + 10 * (5 + 3 + r) + 100 * (6 + 4 + r) + 1000 * r + 30000;
    }
    expect("every gang changed its own copy", right);
    expect("the host's arrays are as they were", t[1][0] == 4 && u[2] == 3 && c[1] == 1);
}

static void read_only(int *c, int n)
{
    int *out = new_ints(n, 1);
#pragma acc data copyin(c[0:n]) copyout(out[0:n])
    {
        fill(c, n, 4);
#pragma acc parallel loop firstprivate(c[0:n])
        for (int i = 0; i < n; ++i)
            out[i] = c[n - 1 - i];
    }
    expect("copies have the host's values, not the device's", all_are(out, n, 4));
}

static void serial(void)
{
    int u[5] = {1, 2, 3, 4, 5}, out[8], right = 1;
#pragma acc serial firstprivate(u) copyout(out)
    for (int r = 0; r < 8; ++r) {
        u[r % 5] += r;
        out[r] = u[r % 5];
    }
    for (int r = 0; r < 8; ++r)
        right &= out[r] == (r < 5 ? r + 1 + r : r - 4 + r - 5 + r);
    expect("a serial construct has a copy too", right && u[0] == 1);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 150);
    int *c = new_ints(n, 1);
    for (int i = 0; i < n; ++i)
        c[i] = i;
    changed(c, n);
    read_only(c, n);
    serial();
    return wrong_lines;
}
