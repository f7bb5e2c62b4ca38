void f(float *b, int n)
{
#pragma acc parallel loop copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
        float local[4];
#pragma acc cache(local)
//                ^~~~~ ACC405
        for (int j = 0; j < 4; ++j)
            local[j] = j;
        b[i] = local[i % 4];
    }
}
