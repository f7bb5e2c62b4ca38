void f(int n, int m, float a[n][m])
{
#pragma acc parallel loop copy(a[0:n][1:m-1])
//                             ^ ACC245
    for (int i = 0; i < n; ++i)
        a[i][1] = 0;
}
