/* The routines of openacc.h beside directives: both speak of one device, one present table, one set of queues. */
#ifdef _OPENACC
#include <openacc.h>
#else
#error "a translated program is compiled with _OPENACC"
#endif
#include "show.h"

#define N 150

static void add(int *a, int n, int value)
{
#pragma acc parallel loop present(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += value;
}

void lifetimes(int *a, int n)
{
    const size_t bytes = n * sizeof *a;
    fill(a, n, 1);
    acc_copyin(a, bytes);
    add(a, n, 1);
#pragma acc data copy(a[0:n])
    {
        add(a, n, 10);
        acc_copyout(a, bytes);
        expect("the region holds the data", acc_is_present(a, bytes) && all_are(a, n, 1));
    }
    expect("its end copies out", !acc_is_present(a, bytes) && all_are(a, n, 12));
#pragma acc enter data copyin(a[0:n])
    add(a, n, 100);
    acc_update_self(a, bytes);
    expect("update", all_are(a, n, 112));
    acc_delete(a, bytes);
    expect("delete undoes enter data", !acc_is_present(a, bytes));
}

void pointers(int *a, int n)
{
    fill(a, n, 1);
    int *d = acc_malloc(n * sizeof *a);
    acc_memcpy_to_device(d, a, n * sizeof *a);
#pragma acc parallel loop deviceptr(d)
    for (int i = 0; i < n; ++i)
        d[i] += 2;
#pragma acc data deviceptr(d)
    {
#pragma acc parallel loop
        for (int i = 0; i < n; ++i)
            d[i] += 8;
    }
    acc_map_data(a, d, n * sizeof *a);
    add(a, n, 4);
    expect("mapped", acc_deviceptr(a) == d && acc_hostptr(d + 1) == a + 1);
#pragma acc update self(a[0:n])
    acc_unmap_data(a);
    acc_free(d);
    expect("one memory under two names", all_are(a, n, 15));
}

void where(int *a, int n)
{
    const int type = acc_get_device_type();
    fill(a, n, 0);
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = acc_on_device(acc_device_not_host) + 2 * acc_on_device(type) + 4 * acc_on_device(acc_device_host);
    expect("in a kernel", all_are(a, n, 3));
#pragma acc parallel loop copy(a[0:n]) if (acc_on_device(acc_device_not_host))
    for (int i = 0; i < n; ++i)
        a[i] = acc_on_device(acc_device_host);
    expect("on the host", all_are(a, n, 1));
}

int main(void)
{
    static int a[N];
    expect("devices", acc_get_num_devices(acc_get_device_type()) == 1 && acc_get_device_num(acc_device_current) == 0);
    lifetimes(a, N);
    pointers(a, N);
    where(a, N);
    acc_wait_all();
    expect("queues", acc_async_test_all() && acc_get_default_async() >= 0);
    return wrong_lines != 0;
}
