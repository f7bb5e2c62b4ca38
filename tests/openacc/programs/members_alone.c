/* Structures of which only a member is on the device. */
#include "show.h"

struct inner {
    int a[8], b;
};
struct outer {
    double before;
    struct inner in;
    int behind;
};

int main(void)
{
    struct outer s = {1.5, {{1, 2, 3, 4, 5, 6, 7, 8}, 9}, 10}, t = s;
#pragma acc enter data copyin(s.in)
#pragma acc parallel loop present(s.in)
    for (int i = 0; i < 8; ++i)
        s.in.a[i] += s.in.b * i;
#pragma acc exit data copyout(s.in)
    SHOW("inner", &s.in, 1);
    expect("host", s.behind == 10 && s.before == 1.5);
#pragma acc data copy(t.behind)
    {
#pragma acc serial present(t.behind)
        t.behind += 1;
        t.behind = 100;
#pragma acc update device(t.behind)
#pragma acc parallel
        {
#pragma acc atomic
            t.behind += 1;
        }
#pragma acc update self(t.behind)
    }
    expect("behind", t.behind > 100);
#pragma acc parallel loop copy(t.in.a)
    for (int i = 0; i < 8; ++i)
        t.in.a[i] *= 2;
    SHOW("whole", t.in.a, 8);
    return 0;
}
