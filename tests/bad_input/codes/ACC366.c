void f(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop gang vector_length(64) copy(a[0:n]) copyin(b[0:n])
    for (int k = 0; k < n; ++k) {
#pragma acc loop worker
        for (int w = 0; w < 4; ++w) {
            if (b[w] > 0) {
                float sum = 0;
#pragma acc loop vector reduction(+: sum)
                for (int i = 0; i < 32; ++i)
//              ^~~ ACC366
                    sum += b[i];
                a[k] = sum;
            }
        }
    }
}

void some_workers_go_on(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop gang vector_length(64) copy(a[0:n]) copyin(b[0:n])
    for (int k = 0; k < n; ++k) {
        float largest = 0;
#pragma acc loop worker reduction(max: largest)
        for (int w = 0; w < 4; ++w) {
            if (b[w] < 0)
                continue;
            float sum = 0;
#pragma acc loop vector reduction(+: sum)
            for (int i = 0; i < 32; ++i)
//          ^~~ ACC366
                sum += b[i];
            if (sum > largest)
                largest = sum;
        }
        a[k] = largest;
    }
}

void some_workers_have_no_round(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop gang num_workers(4) vector_length(64) copy(a[0:n]) copyin(b[0:n])
    for (int k = 0; k < n; ++k) {
#pragma acc loop worker
        for (int w = 0; w < 5; ++w) {
            float sum = 0;
            if (k > 0) {
                if (b[k] < 0)
                    continue;
            }
#pragma acc loop vector reduction(+: sum)
            for (int i = 0; i < 32; ++i)
//          ^~~ ACC366
                sum += b[i];
            a[k] = sum;
        }
    }
}

void workers_change_what_decides(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop gang vector_length(64) copy(a[0:n]) copyin(b[0:n])
    for (int k = 0; k < n; ++k) {
#pragma acc loop worker
        for (int w = 0; w < 4; ++w) {
            if (*a > 0) {
                float sum = 0;
#pragma acc loop vector reduction(+: sum)
                for (int i = 0; i < 32; ++i)
//              ^~~ ACC366
                    sum += b[i];
                a[w] = sum;
            }
        }
    }
}
