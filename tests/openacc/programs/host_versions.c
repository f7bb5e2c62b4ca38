/* Where the host runs a construct itself, private and firstprivate variables are copies, too. */
#include "show.h"

enum { N = 10 };

static void scalars(int on)
{
    int i, j, y = 7, x = 5, implicit = 3, a[N], sum = 0;
    struct pair { int first, second; } p = {1, 2};
#pragma acc parallel loop if(on) num_gangs(1) private(y) firstprivate(x, p) copyout(a) reduction(+: sum)
    for (i = 0; i < N; ++i) {
        y = i;
        for (j = 0; j < 3; ++j)
            y += j;
        p.first = y;
        a[i] = p.first + x + p.second;
        sum += y;
    }
    expect("private", y == 7);
    expect("results", a[0] == 10 && a[9] == 19 && sum == 75 && p.first == 1);
#pragma acc parallel num_gangs(1) self(!on) copyout(a)
    {
        implicit += 4;
        x = 99;
        a[0] = implicit + x;
    }
    expect("firstprivate", x == 5 && implicit == 3 && a[0] == 106);
#pragma acc kernels if(on) copyout(a)
    {
        implicit = 8;
        for (i = 0; i < N; ++i)
            a[i] = i;
    }
    expect("a kernels construct shares what it assigns", implicit == 8 && a[5] == 5);
}

static void arrays(int on, int *c, int n)
{
    int t[2][3] = {{1, 2, 3}, {4, 5, 6}}, u[5] = {1, 2, 3, 4, 5}, v[4] = {1, 2, 3, 4}, out[N];
    int *w = v;
#pragma acc parallel loop gang num_gangs(N) if(on) firstprivate(c[2:n], t, u[1:3]) private(w[1:2]) copyout(out)
    for (int i = 0; i < N; ++i) {
        w[1] = i;
        w[2] = c[2] + t[1][2] + u[1];
        out[i] = w[1] + w[2];
        w[1] = c[n + 1] * u[3];
        out[i] += w[1];
    }
    expect("copies of arrays", out[0] == 3 + 6 + 2 + 4 * (n + 2) && out[9] == 9 + out[0]);
#pragma acc serial if(on) firstprivate(c[2:n], t, u) private(w[1:2]) copyout(out[0:2])
    {
        c[2] = u[0] = t[0][1] = 77;
        w[1] = w[2] = 78;
        out[0] = c[2] + u[0] + t[0][1];
        out[1] = w[1] + w[2];
    }
    expect("what the copies hold", out[0] == 231 && out[1] == 156);
    expect("arrays stay as they were", c[2] == 3 && u[0] == 1 && t[0][1] == 2 && v[1] == 2 && v[2] == 3 && w == v);
}

int main(void)
{
    int c[20];
    for (int k = 0; k < 20; ++k)
        c[k] = k + 1;
    for (int on = 0; on < 2; ++on) {
        scalars(on);
        arrays(on, c, 12);
    }
    return wrong_lines;
}
