#pragma acc routine worker
static void some_workers_go_on(float *a, const float *b, int n)
{
#pragma acc loop worker
    for (int w = 0; w < n; ++w) {
        if (b[w] > 0) {
            float sum = 0;
#pragma acc loop vector reduction(+: sum)
            for (int i = 0; i < 32; ++i)
//          ^~~ ACC320
                sum += b[i];
            a[w] = sum;
        }
    }
}

#pragma acc routine worker
static void some_workers_have_no_round(float *a, const float *b, int n)
{
#pragma acc loop worker
    for (int w = 0; w < n; ++w) {
        float sum = 0;
        if (n > 3) {
            if (b[w] < 0)
                continue;
        }
#pragma acc loop vector reduction(+: sum)
        for (int i = 0; i < 32; ++i)
//      ^~~ ACC320
            sum += b[i];
        a[w] = sum;
    }
}

#pragma acc routine worker
static void workers_change_what_decides(float *a, const float *b)
{
#pragma acc loop worker
    for (int w = 0; w < 4; ++w) {
        if (*a > 0) {
            float sum = 0;
#pragma acc loop vector reduction(+: sum)
            for (int i = 0; i < 32; ++i)
//          ^~~ ACC320
                sum += b[i];
            a[w] = sum;
        }
    }
}

void f(float *a, const float *b, int n)
{
#pragma acc parallel loop gang copy(a[0:32*n]) copyin(b[0:32*n])
    for (int k = 0; k < n; ++k) {
        some_workers_go_on(a + 32 * k, b + 32 * k, 32);
        some_workers_have_no_round(a + 32 * k, b + 32 * k, 32);
        workers_change_what_decides(a + 32 * k, b + 32 * k);
    }
}
