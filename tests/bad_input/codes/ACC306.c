void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 1; i < n; i *= 2)
//  ^~~ ACC306
        a[i] = 0;
}

void counts_to_a_fraction(float *a, double n)
{
#pragma acc parallel loop copy(a[0:10])
    for (int i = 0; i < n; ++i)
//  ^~~ ACC306
        a[i] = 0;
}
