void f(int n, float (*a)[8])
{
#pragma acc parallel loop gang vector copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        a[i][0] = 1;
#pragma acc loop gang
//          ^~~~ ACC223
        for (int j = 1; j < 8; ++j)
            a[i][j] = 0;
    }
#pragma acc parallel copy(a[0:n])
    {
#pragma acc loop worker
        for (int i = 0; i < n; ++i) {
#pragma acc loop gang
//          ^~~~ ACC223
            for (int j = 1; j < 8; ++j)
                a[i][j] = 0;
#pragma acc loop worker vector
//          ^~~~ ACC223
            for (int j = 1; j < 8; ++j)
                a[i][j] = 0;
        }
    }
}
