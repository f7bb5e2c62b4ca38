void f(int n, float (*a)[8])
{
#pragma acc parallel loop collapse(force:2) copy(a[0:n])
    for (int i = 0; i < n; ++i) {
        a[i][0] = 1;
//      ^ ACC315
        for (int j = 1; j < 8; ++j)
            a[i][j] = 0;
    }
}
