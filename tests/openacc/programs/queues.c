/* async and wait: on every construct that takes them, with queues by number, by expression and by default. */
#include <openacc.h>
#include "show.h"

#define N 150

static int next_queue(void)
{
    static int queue = 10;
    return queue++;
}

void compute(int *a, int *b, int n)
{
    const int q = 2;
    fill(a, n, 1);
    fill(b, n, 0);
#pragma acc data copy(a[0:n]) copyout(b[0:n])
    {
#pragma acc parallel loop async(1)
        for (int i = 0; i < n; ++i)
            a[i] += 1;
#pragma acc kernels async(q) wait(1)
        for (int i = 0; i < n; ++i)
            b[i] = a[i] * 10;
#pragma acc serial async(q + 1) wait(1, q)
        b[0] += a[n - 1];
#pragma acc wait(q + 1)
    }
    expect("kernels wait for kernels", all_are(a, n, 2) && b[0] == 22 && all_are(b + 1, n - 1, 20));
}

void lifetimes(int *a, int n)
{
    fill(a, n, 1);
#pragma acc parallel loop copy(a[0:n]) async(4)
    for (int i = 0; i < n; ++i)
        a[i] += 1;
    expect("not present any more", !acc_is_present(a, 4));
#pragma acc wait(4)
    expect("a construct brings its data along", all_are(a, n, 2));
#pragma acc enter data copyin(a[0:n]) async(4)
#pragma acc parallel loop present(a[0:n]) async(4)
    for (int i = 0; i < n; ++i)
        a[i] *= 5;
#pragma acc update self(a[0:2]) async(4)
    acc_wait(4);
    expect("update in a queue", a[1] == 10 && a[2] == 2);
    a[0] = 7;
#pragma acc update device(a[0:1]) async(4)
#pragma acc exit data copyout(a[0:n]) async(5) wait(4)
#pragma acc wait(5)
    expect("exit data in a queue", a[0] == 7 && all_are(a + 1, n - 1, 10));
#pragma acc data copy(a[0:n]) async(6)
    {
#pragma acc parallel loop async(6)
        for (int i = 0; i < n; ++i)
            a[i] = i;
    }
#pragma acc wait
    expect("the end of a region in a queue", a[0] == 0 && a[n - 1] == n - 1);
}

void results(int *a, int n)
{
    int sum = 100, twice = 0, least = 1000;
    fill(a, n, 3);
#pragma acc parallel loop reduction(+:sum) copyin(a[0:n]) async(7)
    for (int i = 0; i < n; ++i)
        sum += a[i];
#pragma acc parallel loop reduction(+:sum) copyin(a[0:n]) async(7)
    for (int i = 0; i < n; ++i)
        sum += 2 * a[i];
#pragma acc wait(7)
    expect("reductions in a queue", sum == 100 + 9 * n);
#pragma acc data copyout(twice) copyin(least)
    {
#pragma acc serial async
        twice = 5;
#pragma acc parallel loop reduction(+:twice) reduction(min:least) copyin(a[0:n]) async
        for (int i = 0; i < n; ++i) {
            twice += a[i];
            least = a[i] < least ? a[i] : least;
        }
#pragma acc wait
        expect("the result is on the device", twice == 0 && least == 1000);
    }
    expect("and comes back with its variable", twice == 5 + 3 * n && least == 1000);
}

void defaults(int *a, int n)
{
    fill(a, n, 0);
#pragma acc enter data copyin(a[0:n]) async
    acc_set_default_async(20);
#pragma acc parallel loop present(a[0:n]) async wait(acc_async_noval, 0)
    for (int i = 0; i < n; ++i)
        a[i] += 1;
#pragma acc parallel loop present(a[0:n]) async(20)
    for (int i = 0; i < n; ++i)
        a[i] += 2;
#pragma acc exit data copyout(a[0:n]) wait(20)
    expect("a directive without a queue waits itself", all_are(a, n, 3));
#pragma acc parallel loop copy(a[0:n]) async(acc_async_sync)
    for (int i = 0; i < n; ++i)
        a[i] += 4;
    expect("acc_async_sync is no queue", all_are(a, n, 7));
    acc_set_default_async(acc_async_default);
}

void waits(int *a, int n)
{
    fill(a, n, 0);
#pragma acc data copy(a[0:n])
    {
        for (int q = 0; q < 3; ++q)
#pragma acc parallel loop async(next_queue())
            for (int i = q; i < n; i += 3)
                a[i] = q + 1;
#pragma acc wait async(30)
#pragma acc parallel loop async(30)
        for (int i = 0; i < n; ++i)
            a[i] *= 10;
#pragma acc wait(devnum: 0: queues: 30) if (n > 0)
#pragma acc update self(a[0:n])
        expect("a queue waits for all others", a[0] == 10 && a[1] == 20 && a[n - 1] == 30);
#pragma acc parallel loop async(31)
        for (int i = 0; i < n; ++i)
            a[i] += 1;
#pragma acc update self(a[0:n]) async(32) wait(31)
#pragma acc wait(32) async(33)
#pragma acc wait(33)
        expect("by way of another queue", a[0] == 11);
    }
}

void on_the_host(int *a, int n)
{
    fill(a, n, 1);
#pragma acc enter data copyin(a[0:n])
#pragma acc parallel loop present(a[0:n]) async(40)
    for (int i = 0; i < n; ++i)
        a[i] = 2;
#pragma acc update self(a[0:n]) async(40)
#pragma acc parallel loop if (n == 0) async(41) wait(40)
    for (int i = 0; i < n; ++i)
        a[i] += 3;
    expect("the host waits where it does the work", all_are(a, n, 5));
#pragma acc exit data delete(a[0:n]) if (n > 0) wait async(41)
    if (n > 0) {
#pragma acc wait(41)
    }
    expect("and data may go", !acc_is_present(a, 4));
}

int main(void)
{
    static int a[N], b[N];
    compute(a, b, N);
    lifetimes(a, N);
    results(a, N);
    defaults(a, N);
    waits(a, N);
    on_the_host(a, N);
    return wrong_lines != 0;
}
