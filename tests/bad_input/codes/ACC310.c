void f(int n, float (*a)[64])
{
#pragma acc parallel loop gang vector(512) collapse(2) copy(a[0:n])
//          ^ ACC310
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 64; ++j)
            a[i][j] = 0;
}
