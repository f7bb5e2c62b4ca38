#define REPEAT(i, n) for (int i = 0; i < n; ++i)
void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    REPEAT(i, n)
//  ^~~~~~ ACC208
        a[i] = 0;
}
