void f(int n, float (*a)[8])
{
#pragma acc parallel loop collapse(2) copy(a[0:n])
//          ^~~~~~~~~~~~~ ACC308
    for (int i = 0; i < n; ++i) {
        a[i][0] = 1;
        for (int j = 1; j < 8; ++j)
            a[i][j] = 0;
    }
}
