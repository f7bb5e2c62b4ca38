/* declare: device copies that last until the function returns, or until the program ends. */
#include "show.h"

#define N 100

static int table[N] = {1, 2, 3};
int created[N];
#pragma acc declare copyin(table) create(created)
static int factor = 7, limit = 3;
#pragma acc declare copyin(factor), device_resident(limit)
static int *pointer;
#pragma acc declare create(pointer)

static int sum_of_copies(int *a, int n)
{
    int local[4] = {1, 2, 3, 4}, sum = 0;
#pragma acc declare copy(a[0:n]) copyin(local)
    if (n == 0)
        return -1;
#pragma acc parallel loop
    for (int i = 0; i < n; ++i)
        a[i] += local[i % 4];
    sum = a[0] + a[1];
#pragma acc parallel loop
    for (int i = 0; i < n; ++i)
        a[i] *= 2;
    return sum; /* of what the host has still got */
}

static int changed(int *a, int n)
{
#pragma acc declare present(a)
#pragma acc parallel loop
    for (int i = 0; i < n; ++i)
        a[i] += 1;
    return a[0];
}

static int kept_value(int add)
{
    static int kept[2];
    int seen = 0;
#pragma acc declare copyin(kept)
#pragma acc serial copy(seen)
    {
        kept[1] += add;
        seen = kept[1];
    }
    return seen;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, N), result[N];
    int *a = new_ints(N, 1);
    table[0] = 50; /* the device has the value of the program's start */
    factor = 9;
#pragma acc parallel loop copyout(result[0:n])
    for (int i = 0; i < n; ++i)
        result[i] = table[i] * factor;
    expect("copyin of file scope", result[0] == 7 && result[1] == 14 && result[2] == 21 && all_are(result + 3, n - 3, 0));
#pragma acc parallel loop
    for (int i = 0; i < n; ++i)
        created[i] = i;
    expect("create of file scope moves nothing", all_are(created, n, 0));
#pragma acc update self(created[2:2])
    expect("update reaches it", created[1] == 0 && created[2] == 2 && created[3] == 3);
#pragma acc update device(factor, table)
#pragma acc parallel loop copyout(result[0:n])
    for (int i = 0; i < n; ++i)
        result[i] = table[i] * factor;
    expect("update to the device", result[0] == 450);
#pragma acc serial
    limit = 11;
    expect("a scalar on the device is another one", limit == 3);
#pragma acc update self(limit)
    expect("until it is updated", limit == 11);

    fill(a, N, 10);
    expect("return before the end", sum_of_copies(a, 0) == -1);
    expect("the host's values until the return", sum_of_copies(a, n) == 20);
    expect("copied out at the return", a[0] == 22 && a[1] == 24 && a[n - 1] == 2 * (10 + (n - 1) % 4 + 1));
    pointer = a;
#pragma acc data copy(a[0:n])
    {
        expect("present leaves the host's values", changed(a, n) == 22);
#pragma acc parallel loop
        for (int i = 0; i < n; ++i)
            pointer[i] += 1;
    }
    expect("a pointer finds what is present", a[0] == 24);
    kept_value(3);
    expect("a static variable keeps its device copy", kept_value(4) == 7);
    return wrong_lines;
}
