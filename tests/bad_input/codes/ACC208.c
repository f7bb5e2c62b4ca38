#define ODD(i, n) for (int i = 0; i < n; ++i) if (i & 1)
void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    ODD(i, n)
//  ^~~ ACC208
        a[i] = 0;
}
