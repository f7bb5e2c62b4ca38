void f(int *a, int n)
{
    int *out = a;
#pragma acc kernels copy(out[0:n])
    {
        for (int i = 0; i < n - 1; ++i)
            out[i] = i;
        out = out + 1;
//      ^~~ ACC301
        for (int i = 0; i < n - 1; ++i)
            out[i] += 10;
    }
}
