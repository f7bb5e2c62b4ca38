/* init, shutdown and set; they need no openacc.h, but here it tells what they did. */
#include <openacc.h>
#include "show.h"

#define N 150
#define QUEUE 4

static int evaluated;

static int number(void)
{
    ++evaluated;
    return 0;
}

void init(int *a, int n)
{
#pragma acc init
    expect("init keeps the type", acc_get_device_type() == acc_device_nvidia);
#pragma acc init device_type(host)
    expect("init chooses a type", acc_get_device_type() == acc_device_host);
#pragma acc init device_type(nvidia) if (n < 0)
    expect("unless its condition is false", acc_get_device_type() == acc_device_host);
#pragma acc init device_type(default) device_num(number())
    expect("and a device", acc_get_device_type() == acc_device_nvidia && evaluated == 1);
    fill(a, n, 1);
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] += 1;
    expect("which works", all_are(a, n, 2));
}

void set(int *a, int n)
{
#pragma acc set default_async(QUEUE)
    expect("set default_async", acc_get_default_async() == 4);
    fill(a, n, 1);
#pragma acc enter data copyin(a[0:n]) async
#pragma acc parallel loop present(a[0:n]) async
    for (int i = 0; i < n; ++i)
        a[i] += 1;
#pragma acc exit data copyout(a[0:n]) async(acc_async_noval)
#pragma acc wait(QUEUE)
    expect("which is the queue of async alone", all_are(a, n, 2));
#pragma acc set device_type(host) default_async(0) if (n > 0)
    expect("several clauses", acc_get_device_type() == acc_device_host && acc_get_default_async() == 0);
#pragma acc set device_num(0) device_type(nvidia)
    expect("type and number", acc_get_device_type() == acc_device_nvidia && acc_get_device_num(acc_device_nvidia) == 0);
#pragma acc set device_num(0)
    expect("the number alone", acc_get_device_type() == acc_device_nvidia);
}

void shut_down(int *a, int n)
{
#pragma acc enter data copyin(a[0:n])
#pragma acc shutdown if (n < 0)
    expect("no shutdown", acc_is_present(a, n * sizeof *a));
#pragma acc shutdown device_type(host)
    expect("shutdown of the host", acc_is_present(a, n * sizeof *a));
#pragma acc shutdown device_num(0) device_type(nvidia)
    expect("shutdown of a device", !acc_is_present(a, n * sizeof *a));
#pragma acc enter data copyin(a[0:n])
#pragma acc shutdown
    expect("of all devices", !acc_is_present(a, n * sizeof *a));
}

int main(void)
{
    static int a[N];
    init(a, N);
    set(a, N);
    shut_down(a, N);
    return wrong_lines != 0;
}
