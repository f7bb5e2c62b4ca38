void f(float *b, int n, float factor)
{
#pragma acc parallel loop copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(factor)
//                ^~~~~~ ACC403
        b[i] = factor;
    }
}
