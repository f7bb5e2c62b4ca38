void f(float *restrict a, const float *restrict b, int n, int k)
{
#pragma acc parallel loop gang vector copy(a[0:n]) copyin(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
        switch (k) {
        case 1:
#pragma acc cache(b[i-1:3])
//                ^ ACC402
            for (int j = i - 1; j < i + 2; ++j)
                a[i] += b[j];
            if (n > 9)
                break;
            a[i] += 1;
        default:
            a[i] = 2;
        }
    }
}
