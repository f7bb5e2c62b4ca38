void f(int n, float (*a)[64])
{
#pragma acc parallel num_workers(64) vector_length(64) copy(a[0:n])
    {
#pragma acc loop gang worker
//          ^~~~ ACC310
        for (int i = 0; i < n; ++i) {
#pragma acc loop vector
            for (int j = 0; j < 64; ++j)
                a[i][j] = 0;
        }
    }
}
