// Constructs without anything to do: their data clauses, conditions and queues still count.
#include "show.h"

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 4), a[8], b[8] = {0};
    for (int i = 0; i < 8; ++i)
        a[i] = i;
#pragma acc kernels
    {
    }
#pragma acc kernels
    ;
#pragma acc parallel
    {
    }
#pragma acc serial
    ;
#pragma acc kernels copyin(a)
    {
        int unused;
        ;
        {
        }
    }
#pragma acc kernels loop copy(a)
    for (int i = 0; i < n; ++i)
        ;
#pragma acc parallel loop copy(a)
    for (int i = 0; i < n; ++i) {
    }
#pragma acc kernels copy(b) async(1) wait(2) if (n > 2)
    {
        for (int i = 0; i < n; ++i)
            ;
        {
            ;
        }
    }
#pragma acc wait
#pragma acc data copy(a)
    {
    }
#pragma acc enter data copyin(a)
    for (int i = 0; i < 8; ++i)
        a[i] += 100;
#pragma acc kernels copy(b) present(a)
    ;
#pragma acc exit data delete(a) finalize
#pragma acc host_data use_device(a) if_present
    ;
    show("a", a, sizeof a);
    return 0;
}
