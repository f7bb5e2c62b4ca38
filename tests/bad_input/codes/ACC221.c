void f(float *a, int n)
{
#pragma acc parallel loop device_type(nvidia) num_gangs(8) copy(a[0:n])
//                                                         ^~~~ ACC221
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
