void f(float *a, float *b, int n)
{
#pragma acc parallel copy(a[0:n], b[0:n])
    {
        float last = 0;
#pragma acc loop gang
        for (int k = 0; k < n; ++k) {
#pragma acc loop vector
            for (int i = 0; i < 32; ++i)
//          ^~~ ACC312
                last = a[i];
            b[k] = last;
        }
    }
}
