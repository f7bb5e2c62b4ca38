void f(float *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop worker
        for (int w = 0; w < 4; ++w) {
            float row[32];
//                ^~~ ACC316
#pragma acc loop vector
            for (int j = 0; j < 32; ++j)
                row[j] = j;
#pragma acc loop vector
            for (int j = 0; j < 32; ++j)
                a[i] = row[31 - j];
        }
    }
}
