// Variables of one name in several blocks, whose name is also what a pass would call its own: t counts a loop of
// constant length, di and dj the iterations of a thread.
#include <stdio.h>

static int a[300][260], b[300][260], c[300];

int main(void)
{
    for (int i = 0; i < 300; ++i)
        for (int j = 0; j < 260; ++j)
            a[i][j] = (i * 7 + j) % 31;
#pragma acc parallel loop copyin(a) copy(c)
    for (int i = 0; i < 290; ++i) {
        int s = 0;
        { int t = a[i][0]; s += t; }
        for (int j = i; j < i + 3; ++j)
            s += a[j][1];
        {
            int t = a[i + 4][2];
            for (int j = i; j < i + 4; ++j)
                s += a[j][3] * t;
            s += t;
        }
        c[i] = s;
    }
#pragma acc parallel loop collapse(2) copyin(a) copy(b)
    for (int i = 1; i < 299; ++i)
        for (int j = 1; j < 259; ++j) {
#pragma acc cache(a[i-1:3][j-1:3])
            {
                int s = 0;
                { int di = i % 3, x = i * 2; s += di * x; }
                { int di = a[i][j] % 5, x = j * 3; s += di * x; }
                for (int di = -1; di <= 1; ++di)
                    for (int dj = -1; dj <= 1; ++dj)
                        s += a[i + di][j + dj] * (di + 2);
                { int dj = s % 7, x = i + j; s += dj * x; }
                { int dj = a[i + 1][j] % 3, x = i - j; s += dj * x; }
                b[i][j] = s;
            }
        }
    unsigned h = 0;
    for (int i = 0; i < 290; ++i)
        h = h * 31 + c[i];
    for (int i = 1; i < 299; ++i)
        for (int j = 1; j < 259; ++j)
            h = h * 31 + b[i][j];
    printf("%u\n", h);
}
