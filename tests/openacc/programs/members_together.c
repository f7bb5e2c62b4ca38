/* Structures of which several members are on the device: they lie there as on the host, pointers among them. */
#include "show.h"
#include <openacc.h>

struct inner {
    float weights[4];
    int count;
};
struct set {
    int n, m;
    double *p, *q;
    struct inner in;
    int tail[6];
};
static struct set global;

int main(void)
{
    double p[8], q[8];
    struct set s = {8, 3, p, q, {{1, 2, 3, 4}, 5}, {1, 2, 3, 4, 5, 6}};
    for (int i = 0; i < 8; ++i) {
        s.p[i] = i;
        s.q[i] = 2 * i;
    }
    /* only targets: the structure comes as a whole */
#pragma acc parallel loop copy(s.p[0:8], s.q[0:8])
    for (int i = 0; i < s.n; ++i)
        s.p[i] += s.q[i] + s.m;
    expect("targets", s.p[7] == 24);
#pragma acc data copyin(s.n, s.q[0:8]) copy(s.p[0:8], s.in.count)
    {
        expect("there", acc_is_present(&s.q, sizeof s.q) && !acc_is_present(&s, sizeof s));
#pragma acc parallel loop
        for (int i = 0; i < 8; ++i)
            s.p[i] += s.q[i] + s.n;
#pragma acc serial
        s.in.count += s.n;
    }
    expect("members", s.p[7] == 46 && s.in.count == 13 && !acc_is_present(&s.q, sizeof s.q));
    /* on the construct itself, one of them is there */
#pragma acc enter data copyin(s.m)
#pragma acc parallel copy(s.tail[1:3]) copyin(s.q[0:8]) present(s.m)
    {
        s.tail[2] += s.m + (int)s.q[1];
    }
    expect("mixed", s.tail[2] == 8 && s.tail[0] == 1);
#pragma acc exit data delete(s.m)
    expect("gone", !acc_is_present(&s.m, sizeof s.m) && !acc_is_present(&s.q, sizeof s.q));
    /* counters */
    global = s;
    for (int round = 0; round < 3; ++round) {
#pragma acc enter data copyin(global.n, global.p[0:8]) async(1)
#pragma acc enter data copyin(global.p[0:8]) async(1)
#pragma acc parallel loop present(global.n, global.p) async(1)
        for (int i = 0; i < 8; ++i)
            global.p[i] += global.n;
#pragma acc exit data copyout(global.p[0:8]) async(1)
#pragma acc wait
        expect("still", acc_is_present(&global.p, sizeof global.p) && acc_is_present(global.p, 64));
#pragma acc exit data copyout(global.p[0:8]) delete(global.n) async(1)
#pragma acc wait
        expect("left", !acc_is_present(&global.p, sizeof global.p) && !acc_is_present(&global.n, sizeof global.n));
    }
    expect("sum", global.p[7] == 46 + 24);
    return 0;
}
