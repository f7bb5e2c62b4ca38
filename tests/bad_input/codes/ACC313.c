void f(float *a, int n, int k)
{
#pragma acc parallel copy(a[0:n])
    {
#pragma acc loop gang
        for (int i = 0; i < n; ++i) {
            switch (k) {
//          ^ ACC313
            case 0:
#pragma acc loop vector
                for (int j = 0; j < n; ++j)
                    a[j] = i;
            }
        }
    }
}
