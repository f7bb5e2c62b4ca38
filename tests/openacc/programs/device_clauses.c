/* Where a construct runs, and the clauses that are for our device alone. */
#include "show.h"

#define N 100

void runs_here(int *a, int n)
{
    fill(a, n, 0);
#pragma acc data copyin(a[0:n])
    {
#pragma acc parallel loop self
        for (int i = 0; i < n; ++i)
            a[i] += 1;
#pragma acc parallel loop self(n > 1) if(n > 1)
        for (int i = 0; i < n; ++i)
            a[i] += 2;
        /* these two change the device's copy, which does not come back */
#pragma acc parallel loop self(n < 2)
        for (int i = 0; i < n; ++i)
            a[i] += 4;
#pragma acc serial loop if(n > 1) self(0)
        for (int i = 0; i < n; ++i)
            a[i] += 8;
    }
    expect("self runs on the host", all_are(a, n, 3));
}

void for_one_device(int *a, int n)
{
    int gangs = 0;
#pragma acc parallel num_gangs(5) reduction(+:gangs) device_type(host) num_gangs(2) device_type(nvidia) num_gangs(3)
    gangs += 1;
    expect("device_type(nvidia) holds", gangs == 3);
    gangs = 0;
#pragma acc parallel num_gangs(5) reduction(+:gangs) dtype(*) num_gangs(4) dtype(host, radeon) num_gangs(2)
    gangs += 1;
    expect("device_type(*) holds where no name does", gangs == 4);
    gangs = 0;
#pragma acc parallel num_gangs(5) reduction(+:gangs) device_type(radeon) num_gangs(2)
    gangs += 1;
    expect("another device's clause does not hold", gangs == 5);
}

int main(void)
{
    int *a = new_ints(N, 1);
    runs_here(a, N);
    for_one_device(a, N);
    return wrong_lines;
}
