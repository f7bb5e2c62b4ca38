    #include <tgmath.h>
//  ^~~~~~~~~~~~~~~~~~~ ACC527
void zero(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
