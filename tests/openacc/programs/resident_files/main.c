/* Variables that two files declare, and a static one in each of them with the same name. */
#include <stdio.h>
#include "tables.h"
static int secret = 5;
#pragma acc declare create(secret)

#pragma acc routine seq
static int tell(int i)
{
    return secret + i;
}

int main(void)
{
    double out[16], buffer[16];
    int told[16], n = 16;
    for (int i = 0; i < 8; i++)
        table[i] = i;
    one.x = 0.5;
    one.v[2] = 7;
    count = 100;
    secret = 9;
    moving = buffer;
    for (int i = 0; i < n; i++) {
        linked[i] = i;
        buffer[i] = 100 * i;
    }
#pragma acc update device(table, one, count, secret)
#pragma acc enter data copyin(moving[0:16], linked[0:16])
#pragma acc parallel loop copyout(out, told)
    for (int i = 0; i < n; i++) {
        out[i] = sum(i);
        add(i);
        told[i] = tell(i);
    }
#pragma acc parallel num_gangs(1)
    count += 1000;
#pragma acc parallel loop
    for (int i = 0; i < 8; i++)
        table[i] *= 2;
#pragma acc parallel loop copyout(out[8:8])
    for (int i = 8; i < n; i++)
        out[i] = sum(i);
#pragma acc update host(count)
    for (int i = 0; i < n; i++)
        printf("%g %d\n", out[i], told[i]);
    printf("%d %d\n", count, counted());
#pragma acc exit data delete(moving[0:16], linked[0:16])
    return 0;
}
