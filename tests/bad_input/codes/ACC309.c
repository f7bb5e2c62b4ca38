void f(int n, float (*a)[8])
{
#pragma acc kernels loop independent vector copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        a[i][0] = 1;
#pragma acc loop independent vector
//          ^~~~ ACC309
        for (int j = 1; j < 8; ++j)
            a[i][j] = 0;
    }
}
