void f(float *b, int n)
{
#pragma acc parallel loop gang copyout(b[0:n])
    for (int k = 0; k < n; ++k) {
        float local[32];
#pragma acc cache(local)
//                ^~~~~ ACC404
#pragma acc loop vector
        for (int i = 0; i < 32; ++i)
            local[i] = i;
        b[k] = local[k % 32];
    }
}
