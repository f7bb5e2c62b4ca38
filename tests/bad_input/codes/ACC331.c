void f(const float *a, float *b)
{
#pragma acc parallel loop copyin(a[1:62]) copy(b[0:64])
    for (int i = 1; i < 63; i++)
        b[i] = a[i - 1] + a[i + 1];
//             ^ ACC331
}
