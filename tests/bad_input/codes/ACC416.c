void f(float (*restrict a)[200], float *restrict b, int n)
{
#pragma acc parallel loop copy(a[0:2000]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[0:2000][0:200])
//                ^ ACC416
        b[i] = a[i][0];
    }
}
