void backward(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
    again:
        if (a[i]++ < 3)
            goto again;
//          ^~~~ ACC301
    }
}

void out_of_a_switch(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        switch (a[i]) {
        case 1:
            goto next;
//          ^~~~ ACC301
        default:
            a[i] = 2;
        }
        a[i] += 1;
    next:;
    }
}

void out_of_a_parallel_loop(int *a, int n)
{
#pragma acc parallel loop gang copy(a[0:32*n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
        for (int j = 0; j < 32; ++j)
            if (a[32*i + j]++ == 0)
                goto next;
//              ^~~~ ACC301
        a[32*i] = 0;
    next:;
    }
}

struct pair { int first, second; };

void over_a_structure(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        if (a[i] == 0)
            goto late;
//          ^~~~ ACC301
        struct pair both = {a[i], 2};
    late:
        both.first = 3;
        a[i] = both.first;
    }
}
