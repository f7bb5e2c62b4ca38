/* The constants of openacc.h in clauses and kernels, and names of the program's own like theirs. */
#include <openacc.h>
#include "show.h"

static int own_names(int n, int *a)
{
    int acc_device_host = 4;
    struct {
        int acc_device_nvidia;
    } own = { 3 };
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        int acc_async_sync = i;
        a[i] += acc_device_host * own.acc_device_nvidia + acc_async_sync;
    }
    return acc_device_host;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300), *a = new_ints(n, 1);
#pragma acc init device_type(acc_device_nvidia)
#pragma acc parallel loop copy(a[0:n]) device_type(acc_device_nvidia) vector_length(64) async(acc_async_noval) \
    device_type(acc_device_host) vector_length(1)
    for (int i = 0; i < n; ++i)
        a[i] += 2 -acc_device_current - acc_device_radeon * acc_device_host;
#pragma acc wait(acc_async_noval)
#pragma acc parallel loop copy(a[0:n]) async(acc_async_sync)
    for (int i = 0; i < n; ++i)
        a[i] ^= n > acc_device_nvidia ? acc_device_not_host : 3;
    SHOW("constants", a, n);
    acc_device_t type = n > 2 ? acc_device_nvidia : 3;
    switch (type) {
    case acc_device_nvidia: a[0] += own_names(n, a);
    }
    SHOW("names", a, n);
    free(a);
    return 0;
}
