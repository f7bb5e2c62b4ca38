void g(float *a, int n, int k)
{
#pragma acc parallel loop gang copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        switch (k) {
        case 1:
#pragma acc loop vector
            for (int j = 0; j < n; ++j)
//          ^~~ ACC313
                a[j] = i;
            if (n > 9)
                break;
            a[1] = 2;
        case 2:
            a[0] = 1;
        }
    }
}
